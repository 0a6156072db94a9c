#include "roce_checker.h"

#include <stdlib.h>
#include <string.h>

enum { RING = 4096 /* packets of a way that are remembered */, DUE = 32, CAUSES = 16, TICK = 4096000 /* [ps] */ };

typedef struct packet {
    sim_time acknowledged; /* [ps] when */
    uint32_t msn;          /* messages complete with it */
    uint8_t read;          /* it is asked for, not sent */
} packet;

/* Requests from one end. */
typedef struct way {
    int known;
    uint32_t next, high, oldest; /* to be sent in order; sent up to here; not acknowledged */
    sim_time since;              /* [ps] its timer started then, or later */
    sim_time causes[CAUSES];     /* [ps] until when they are good for going back */
    unsigned cause_count;
    uint32_t expected, msn;       /* of the responder */
    int reported;                 /* the gap has been */
    uint32_t due[DUE];            /* numbers that NAKs have to name, in order */
    unsigned due_count, may_drop; /* the first ones of these need not be sent: the requester has gone back already */
    int owed;                     /* an ACK, of this one or a later one: */
    uint32_t owed_psn;
    unsigned arrived;
    packet ring[RING];
    roce_counts counts;
} way;

typedef struct connection {
    unsigned pmtu;
    sim_time timeout; /* [ps] */
    int may, over;    /* it may be disturbed; it has ended with an error */
    way *ways;        /* 2; NULL: it is not checked */
} connection;

struct roce_checker {
    sim *sim;
    sim_time queue[2]; /* [ps] of each end */
    connection connections[ROCE_CONNECTIONS];
};

static int32_t ahead(uint32_t psn, uint32_t of) { return (int32_t)((psn - of) << 8) >> 8; }

static uint32_t add(uint32_t psn, uint32_t n) { return (psn + n) & (RNIC_PSNS - 1); }

static packet *at(way *w, uint32_t psn) { return &w->ring[psn % RING]; }

static void wrong(roce_checker *j, const connection *l, int from, uint32_t psn, const char *what)
{
    sim_fail(j->sim, "line checker: connection %d: the %s, packet %06x: %s", (int)(l - j->connections),
             from ? "peer" : "chip", psn, what);
}

/* ---- the requester */

static void cause(way *w, sim_time until)
{
    if (w->cause_count == CAUSES) memmove(w->causes, w->causes + 1, --w->cause_count * sizeof *w->causes);
    w->causes[w->cause_count++] = until;
}

static void go_back(roce_checker *j, connection *l, int from, uint32_t psn, sim_time now)
{
    way *w = &l->ways[from];
    sim_time queue = j->queue[from];
    if (!l->may) wrong(j, l, from, psn, "sent again, and nothing disturbs this connection");
    if (ahead(psn, w->oldest) > 0) wrong(j, l, from, psn, "goes back to behind the first missing packet");
    if (ahead(psn, w->oldest) < 0 && at(w, psn)->acknowledged + queue < now)
        wrong(j, l, from, psn, "sent again, and it was acknowledged long ago");
    unsigned old = 0;
    while (old < w->cause_count && w->causes[old] < now) old++;
    if (old < w->cause_count) {
        w->counts.go_backs++;
        if (w->since < w->causes[old] - queue) w->since = w->causes[old] - queue;
        old++;
    } else {
        w->counts.timeouts++;
        w->since += l->timeout;
        if (!l->timeout || now < w->since) wrong(j, l, from, psn, "sent again without a NAK, a gap or a timeout");
        if (w->since + queue < now) w->since = now - queue;
    }
    w->cause_count -= old;
    memmove(w->causes, w->causes + old, w->cause_count * sizeof *w->causes);
}

static uint32_t numbers_of(const connection *l, const rnic_packet *p)
{
    return p->opcode == RNIC_READ_REQUEST && p->dma_length > l->pmtu ? (p->dma_length + l->pmtu - 1) / l->pmtu : 1;
}

static void request_leaves(roce_checker *j, connection *l, int from, const rnic_packet *p, sim_time now)
{
    way *w = &l->ways[from];
    uint32_t n = numbers_of(l, p);
    if (!w->known) {
        w->known = 1;
        w->next = w->high = w->oldest = w->expected = p->psn;
    }
    if (ahead(p->psn, w->next) < 0) go_back(j, l, from, p->psn, now);
    /* packets acknowledged while it repeats old ones are skipped */
    else if (p->psn != w->next && (ahead(p->psn, w->oldest) > 0 || ahead(p->psn, w->high) > 0))
        wrong(j, l, from, p->psn, "packets before it are left out");
    /* the first one under way */
    if (w->oldest == w->high && now > j->queue[from] && w->since < now - j->queue[from])
        w->since = now - j->queue[from];
    w->counts.requests++;
    w->counts.resent += ahead(p->psn, w->high) < 0;
    w->next = add(p->psn, n);
    if (ahead(w->next, w->high) > 0) w->high = w->next;
    if (ahead(w->high, w->oldest) >= RING)
        wrong(j, l, from, p->psn, "more packets under way than the checker can remember");
    for (uint32_t i = 0; i < n; i++) at(w, add(p->psn, i))->read = p->opcode == RNIC_READ_REQUEST;
}

/* Up to this one; 1: it stopped at the data of a READ. */
static int acknowledged(way *w, uint32_t psn, sim_time now)
{
    for (; ahead(w->oldest, psn) <= 0; w->oldest = add(w->oldest, 1)) {
        if (at(w, w->oldest)->read) return 1;
        at(w, w->oldest)->acknowledged = w->since = now;
    }
    return 0;
}

static void answer_arrives(roce_checker *j, connection *l, int requester, const rnic_packet *p, sim_time now)
{
    way *w = &l->ways[requester];
    int ack = p->opcode == RNIC_ACKNOWLEDGE, good = !ack || p->syndrome == RNIC_ACK;
    if (!good && p->syndrome == RNIC_NAK_SEQUENCE) w->counts.naks_arrived++;
    if (ahead(p->psn, w->oldest) < 0 || ahead(p->psn, w->high) >= 0) {
        w->counts.unwanted++;
        return;
    }
    int gap = acknowledged(w, ack && good ? p->psn : add(p->psn, RNIC_PSNS - 1), now);
    if (!ack && w->oldest == p->psn) {
        at(w, p->psn)->acknowledged = w->since = now;
        w->oldest = add(p->psn, 1);
    } else if (gap || !good) {
        w->counts.unwanted += !ack;
        cause(w, now + j->queue[requester]);
    }
}

/* ---- the responder */

static void request_arrives(connection *l, int requester, const rnic_packet *p)
{
    way *w = &l->ways[requester];
    int32_t distance = ahead(p->psn, w->expected);
    int read = p->opcode == RNIC_READ_REQUEST;
    w->arrived++;
    if (distance > 0) {
        w->counts.early++;
        if (!w->reported && w->due_count < DUE) w->due[w->due_count++] = w->expected;
        w->counts.naks_due += !w->reported;
        w->reported = 1;
        return;
    }
    if (!distance) {
        uint32_t n = numbers_of(l, p);
        w->reported = 0;
        w->msn = add(w->msn, read || p->opcode == RNIC_SEND_LAST || p->opcode == RNIC_SEND_ONLY ||
                                 p->opcode == RNIC_WRITE_LAST || p->opcode == RNIC_WRITE_ONLY);
        w->expected = add(w->expected, n);
        for (uint32_t i = 0; i < n; i++) at(w, add(p->psn, i))->msn = w->msn;
    } else {
        w->counts.duplicates++;
        w->may_drop = w->due_count;
    }
    if (read && distance) w->owed = 0; /* later responses are also requested again (sim/model/rnic: forget_answers) */
    if (!read && (distance || p->ack_request)) {
        w->owed = 1;
        w->owed_psn = add(w->expected, RNIC_PSNS - 1);
    }
}

static void answer_leaves(roce_checker *j, connection *l, int requester, const rnic_packet *p)
{
    way *w = &l->ways[requester];
    int from = !requester;
    uint32_t says = p->psn; /* all up to here have come */
    if (p->opcode == RNIC_ACKNOWLEDGE && p->syndrome != RNIC_ACK) {
        says = add(p->psn, RNIC_PSNS - 1);
        if (!l->may) wrong(j, l, from, p->psn, "a NAK, and nothing disturbs this connection");
        if (p->syndrome == RNIC_NAK_SEQUENCE) {
            unsigned i = 0;
            while (i < w->due_count && w->due[i] != p->psn) i++;
            if (i == w->due_count) {
                wrong(j, l, from, p->psn, "a NAK, and no packet was missing there, or it had been reported");
                return;
            }
            w->due_count -= i + 1;
            w->may_drop -= w->may_drop > i ? i + 1 : w->may_drop;
            memmove(w->due, w->due + i + 1, w->due_count * sizeof *w->due);
            w->counts.naks++;
        } else if (p->syndrome >> 5 == RNIC_RNR_NAK >> 5) {
            w->counts.rnrs++;
            w->expected = p->psn;
            w->msn = at(w, says)->msn;
            w->reported = 1;
            w->owed = 0;
            w->may_drop = w->due_count;
        } else l->over = 1;
    } else {
        if (ahead(p->psn, w->expected) >= 0) wrong(j, l, from, p->psn, "an answer to a request that has not come");
        else if (p->opcode == RNIC_ACKNOWLEDGE) {
            if (++w->counts.acks > w->arrived) wrong(j, l, from, p->psn, "more ACKs than packets have come");
            if (at(w, p->psn)->msn != p->msn) wrong(j, l, from, p->psn, "an ACK with another MSN than its message has");
        }
    }
    if (w->owed && ahead(says, w->owed_psn) >= 0) w->owed = 0;
}

/* ---- */

/* The connection and the packet of a frame; NULL: none that is checked. */
static connection *connection_of(roce_checker *j, int from, const uint8_t *frame, size_t length, int bad_fcs,
                                 rnic_packet *p)
{
    /* no ICRC covers them; the chip compares its peer's, too (S5 table 2-3) */
    static const uint8_t macs[2][12] = {{2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}};
    const char *why;
    if (bad_fcs || memcmp(frame, macs[from], from ? 12 : 6) != 0 ||
        rnic_packet_read(p, frame, length, &why) != RNIC_GOOD)
        return NULL;
    uint32_t number = p->qp - (uint32_t)(from ? ROCE_FIRST_QP : ROCE_FIRST_PEER_QP);
    connection *l = number < ROCE_CONNECTIONS ? &j->connections[number] : NULL;
    return l && l->ways && !l->over && p->opcode <= RNIC_ACKNOWLEDGE ? l : NULL;
}

static void leaves(void *self, int from, sim_time now, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_checker *j = self;
    rnic_packet p;
    connection *l = connection_of(j, from, frame, length, bad_fcs, &p);
    if (l && p.opcode <= RNIC_READ_REQUEST) request_leaves(j, l, from, &p, now);
    else if (l) answer_leaves(j, l, !from, &p);
}

static void arrives(void *self, int from, sim_time now, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_checker *j = self;
    rnic_packet p;
    connection *l = connection_of(j, from, frame, length, bad_fcs, &p);
    if (l && p.opcode <= RNIC_READ_REQUEST) request_arrives(l, from, &p);
    else if (l) answer_arrives(j, l, !from, &p, now);
}

static void end_checker(void *self)
{
    roce_checker *j = self;
    for (unsigned i = 0; i < ROCE_CONNECTIONS; i++) free(j->connections[i].ways);
    free(j);
}

roce_checker *roce_checker_new(sim *s, ethernet_wire *wire)
{
    roce_checker *j = calloc(1, sizeof *j);
    ck_must(j, "no memory left");
    after_test(end_checker, j);
    j->sim = s;
    j->queue[0] = j->queue[1] = 4 * SIM_US;
    ck_must(!ethernet_wire_observe(wire, ETHERNET_SENT, leaves, j) &&
                !ethernet_wire_observe(wire, ETHERNET_ARRIVED, arrives, j),
            "too many observers");
    return j;
}

void roce_checker_set_queue(roce_checker *j, int end, sim_time queue) { j->queue[end] = queue; }

void roce_checker_expect(roce_checker *j, unsigned number, unsigned pmtu, unsigned timeout, int may_be_disturbed)
{
    connection *l = &j->connections[number];
    free(l->ways);
    *l = (connection){.pmtu = pmtu,
                      .timeout = timeout ? (sim_time)TICK << timeout : 0,
                      .may = may_be_disturbed,
                      .ways = calloc(2, sizeof(way))};
    ck_must(l->ways, "no memory left");
}

int roce_checker_busy(const roce_checker *j, unsigned number)
{
    const connection *l = &j->connections[number];
    return !l->over && (l->ways[0].oldest != l->ways[0].high || l->ways[1].oldest != l->ways[1].high);
}

void roce_checker_at_rest(roce_checker *j, unsigned number)
{
    const connection *l = &j->connections[number];
    for (int from = 0; from < 2 && !l->over; from++) {
        const way *w = &l->ways[from];
        if (w->owed) wrong(j, l, !from, w->owed_psn, "its ACK is missing");
        if (w->due_count > w->may_drop) wrong(j, l, !from, w->due[w->may_drop], "the NAK for it is missing");
        if (w->oldest != w->high) wrong(j, l, from, w->oldest, "it was never acknowledged");
    }
}

const roce_counts *roce_checker_counts(const roce_checker *j, unsigned number, int from)
{
    return &j->connections[number].ways[from].counts;
}
