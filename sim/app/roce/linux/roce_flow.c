#include "sim/app/roce/linux/roce_flow.h"

#include <stdlib.h>

/* PSNs from one on. */
typedef struct piece {
    uint32_t psn, count;
    uint8_t opcode, syndrome;
} piece;

typedef struct list {
    piece *at;
    size_t count, room;
} list;

struct roce_flow {
    uint32_t first, pmtu;
    list requests, refusals; /* requests that arrived; NAKs for one that was due and was not taken, RNR and fatal ones,
                                that were sent */
    list messages;           /* SENDs, WRITEs and READs that were sent, by their first packets */
    size_t reached;          /* the one of these that `oldest` is in, or behind */
    uint32_t oldest, newest; /* PSNs: not acknowledged yet; behind the newest one that was sent */
    roce_flow_counts counts; /* at the requester */
    int no_memory;
};

static uint32_t psn_add(uint32_t psn, uint32_t n) { return (psn + n) & (RNIC_PSNS - 1); }

/* a - b, the shorter way */
static int32_t psn_diff(uint32_t a, uint32_t b) { return (int32_t)((a - b) << 8) >> 8; }

static void append(roce_flow *f, list *l, piece p)
{
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 64;
        piece *more = realloc(l->at, room * sizeof *more);
        if (!more) {
            f->no_memory = 1;
            return;
        }
        l->at = more;
        l->room = room;
    }
    l->at[l->count++] = p;
}

roce_flow *roce_flow_new(uint32_t psn, unsigned pmtu)
{
    roce_flow *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->first = f->oldest = f->newest = psn;
    f->pmtu = pmtu;
    return f;
}

void roce_flow_free(roce_flow *f)
{
    if (!f) return;
    free(f->requests.at);
    free(f->refusals.at);
    free(f->messages.at);
    free(f);
}

/* ---- on the line */

int roce_flow_is_answer(const rnic_packet *p)
{
    return p->opcode >= RNIC_RESPONSE_FIRST && p->opcode <= RNIC_ACKNOWLEDGE;
}

static int begins(uint8_t opcode)
{
    return opcode == RNIC_SEND_FIRST || opcode == RNIC_SEND_ONLY || opcode == RNIC_WRITE_FIRST ||
           opcode == RNIC_WRITE_ONLY || opcode == RNIC_READ_REQUEST;
}

static piece request(const roce_flow *f, const rnic_packet *p)
{
    uint32_t responses = p->dma_length ? (p->dma_length + f->pmtu - 1) / f->pmtu : 1;
    return (piece){.psn = p->psn, .count = p->opcode == RNIC_READ_REQUEST ? responses : 1, .opcode = p->opcode};
}

static int is_kind(const rnic_packet *p, unsigned kind)
{
    return p->opcode == RNIC_ACKNOWLEDGE && (p->syndrome & 0x60) == kind;
}

void roce_flow_sent(roce_flow *f, const rnic_packet *p)
{
    if (roce_flow_is_answer(p)) {
        if (is_kind(p, RNIC_RNR_NAK) || (is_kind(p, RNIC_NAK_SEQUENCE & 0x60) && p->syndrome != RNIC_NAK_SEQUENCE))
            append(f, &f->refusals, (piece){.psn = p->psn, .syndrome = p->syndrome});
        return;
    }
    if (psn_diff(p->psn, f->newest) < 0) {
        f->counts.again++;
        return;
    }
    if (begins(p->opcode)) append(f, &f->messages, request(f, p));
    f->newest = psn_add(p->psn, request(f, p).count);
}

/* The message that `oldest` is in; 1: it begins there. */
static int reach(roce_flow *f)
{
    const list *m = &f->messages;
    while (f->reached + 1 < m->count && m->at[f->reached + 1].psn == f->oldest) f->reached++;
    return m->count && m->at[f->reached].psn == f->oldest;
}

static int in_read(const roce_flow *f)
{
    return f->messages.count && f->messages.at[f->reached].opcode == RNIC_READ_REQUEST;
}

/* Acknowledges all before this PSN, except a READ and later requests: a READ is acknowledged by its data. */
static void acknowledge(roce_flow *f, uint32_t to)
{
    for (reach(f); psn_diff(to, f->oldest) > 0 && !in_read(f); reach(f)) {
        uint32_t end = f->reached + 1 < f->messages.count ? f->messages.at[f->reached + 1].psn : f->newest;
        f->oldest = psn_diff(to, end) < 0 ? to : end;
    }
}

static void take_answer(roce_flow *f, const rnic_packet *p)
{
    uint32_t was = f->oldest;
    if (psn_diff(p->psn, f->oldest) < 0 || psn_diff(p->psn, f->newest) >= 0) {
        f->counts.outside++;
        return;
    }
    int positive = p->opcode == RNIC_ACKNOWLEDGE && is_kind(p, RNIC_ACK & 0x60);
    acknowledge(f, psn_add(p->psn, (uint32_t)positive));
    if (p->opcode != RNIC_ACKNOWLEDGE) {
        if (f->oldest == p->psn && in_read(f)) f->oldest = psn_add(p->psn, 1);
        else f->counts.early++;
    } else if (p->syndrome == RNIC_NAK_SEQUENCE)
        f->counts.news += !reach(f) && f->oldest == p->psn && psn_diff(p->psn, was) > 0;
}

void roce_flow_arrived(roce_flow *f, const rnic_packet *p)
{
    if (roce_flow_is_answer(p)) take_answer(f, p);
    else append(f, &f->requests, request(f, p));
}

/* ---- what its receiver did */

/* A refusal says of which request it is by its PSN alone, and may be on the line behind later ones; so this waits until
 * all is done. Those of one PSN come first: once it is taken there are no more. */
int roce_flow_count(const roce_flow *f, int quiet, roce_flow_counts *counts)
{
    uint32_t expected = f->first;
    size_t refused = 0;
    int nak_sent = 0, over = 0;
    *counts = f->counts;
    for (size_t i = 0; i < f->requests.count && !over; i++) {
        const piece *p = &f->requests.at[i], *no = refused < f->refusals.count ? &f->refusals.at[refused] : NULL;
        int32_t ahead = psn_diff(p->psn, expected);
        if (ahead < 0) counts->duplicates++;
        else if (ahead > 0) {
            counts->gaps += !nak_sent;
            nak_sent = 1;
        } else if (no && no->psn == p->psn) {
            refused++;
            over = no->syndrome >= RNIC_NAK_INVALID;
            nak_sent = quiet;
        } else {
            expected = psn_add(expected, p->count);
            nak_sent = 0;
        }
    }
    return f->no_memory ? -1 : 0;
}
