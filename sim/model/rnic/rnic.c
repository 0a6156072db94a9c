/* The NIC around its queue pairs: frames, turns, memory, completions. The manual is in the header. */
#include "sim/model/rnic/rnic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/rnic/rnic_internal.h"

rnic *rnic_new(const rnic_params *params, char error[RNIC_ERROR])
{
    rnic *r = params->clock ? calloc(1, sizeof *r) : NULL;

    if (!r) {
        snprintf(error, RNIC_ERROR, "RNIC: %s", params->clock ? "out of memory" : "clock: expected a function");
        return NULL;
    }
    r->params = *params;
    r->timer_at = RNIC_NEVER;
    return r;
}

void rnic_free(rnic *r)
{
    if (!r) return;
    while (r->qps) rnic_qp_free(r->qps);
    free(r->regions);
    free(r->done);
    free(r);
}

/* ---- memory ---- */

uint32_t rnic_register(rnic *r, unsigned domain, void *memory, uint64_t address, uint64_t length, unsigned access)
{
    unsigned place = 0;

    if (length && address + length - 1 < address) return 0;
    while (place < r->region_count && r->regions[place].key) place++;
    if (place == r->region_count) {
        region *more = realloc(r->regions, (r->region_count + 1) * sizeof *more);

        if (!more) return 0;
        r->regions = more;
        r->regions[r->region_count++] = (region){.tag = 1};
    }
    region *at = &r->regions[place];
    *at = (region){.key = (place + 1) << 8 | at->tag,
                   .tag = (uint8_t)(at->tag + 1),
                   .domain = domain,
                   .access = access,
                   .memory = memory,
                   .address = address,
                   .length = length};
    return at->key;
}

static region *region_of(const rnic *r, uint32_t key)
{
    uint32_t place = key >> 8;

    return key && place && place <= r->region_count && r->regions[place - 1].key == key ? &r->regions[place - 1] : NULL;
}

int rnic_deregister(rnic *r, uint32_t key)
{
    region *at = region_of(r, key);

    if (!at) return -1;
    at->key = 0;
    return 0;
}

uint8_t *rnic_memory(const rnic *r, unsigned domain, uint32_t key, uint64_t address, uint64_t length, unsigned access)
{
    static uint8_t nothing;
    const region *at = region_of(r, key);

    if (!length) return &nothing; /* no key is looked at (IBA 9.7.4.1.5) */
    if (!at || at->domain != domain || (at->access & access) != access) return NULL;
    if (address < at->address || length > at->length || address - at->address > at->length - length) return NULL;
    return at->memory + (address - at->address);
}

/* ---- completions ---- */

void rnic_complete(rnic *r, const rnic_completion *completion)
{
    if (r->done_count == r->done_room) {
        size_t room = r->done_room ? 2 * r->done_room : 64;
        rnic_completion *all = malloc(room * sizeof *all);

        if (!all) abort(); /* a completion must not be lost */
        for (size_t i = 0; i < r->done_count; i++) all[i] = r->done[(r->done_first + i) % r->done_room];
        free(r->done);
        r->done = all;
        r->done_first = 0;
        r->done_room = room;
    }
    r->done[(r->done_first + r->done_count++) % r->done_room] = *completion;
}

int rnic_poll(rnic *r, rnic_completion *completion)
{
    if (!r->done_count) return 0;
    *completion = r->done[r->done_first];
    r->done_first = (r->done_first + 1) % r->done_room;
    r->done_count--;
    return 1;
}

const char *rnic_status_name(rnic_status status)
{
    static const char *const names[RNIC_STATUSES] = {
        "success",      "local length error",     "local protection error", "flushed",
        "bad response", "remote invalid request", "remote access error",    "remote operation error",
        "retries out",  "RNR retries out"};

    return status < RNIC_STATUSES ? names[status] : "?";
}

/* ---- queue pairs ---- */

static rnic_qp *find_qp(const rnic *r, uint32_t number)
{
    rnic_qp *qp = r->chain[number % CHAINS];

    while (qp && qp->params.number != number) qp = qp->chained;
    return qp;
}

rnic_qp *rnic_qp_new(rnic *r, const rnic_qp_params *params, char error[RNIC_ERROR])
{
    const char *wrong = NULL;
    rnic_qp *qp, **end = &r->qps;

    if (!params->number || params->number >= RNIC_PSNS) wrong = "number: expected 1 .. 2^24 - 1";
    else if (find_qp(r, params->number)) wrong = "number: there is such a QP already";
    else if ((params->number == 1) != (params->type == RNIC_UD))
        wrong = "type: expected datagrams for QP 1, and for it alone";
    qp = wrong ? NULL : calloc(1, sizeof *qp);
    if (qp) {
        qp->params = *params;
        if (!qp->params.sends) qp->params.sends = DEFAULT_DEPTH;
        if (!qp->params.receives) qp->params.receives = DEFAULT_DEPTH;
        if (!qp->params.qkey) qp->params.qkey = 0x80010000;
        qp->sends = calloc(qp->params.sends, sizeof *qp->sends);
        qp->receives = calloc(qp->params.receives, sizeof *qp->receives);
    }
    if (!qp || !qp->sends || !qp->receives) {
        snprintf(error, RNIC_ERROR, "QP %" PRIu32 ": %s", params->number, wrong ? wrong : "out of memory");
        if (qp) {
            free(qp->sends);
            free(qp->receives);
        }
        free(qp);
        return NULL;
    }
    qp->nic = r;
    while (*end) end = &(*end)->next;
    *end = qp;
    qp->chained = r->chain[params->number % CHAINS];
    r->chain[params->number % CHAINS] = qp;
    rnic_reset(qp);
    return qp;
}

void rnic_qp_free(rnic_qp *qp)
{
    rnic *r = qp->nic;
    rnic_qp **at = &r->qps;

    while (*at != qp) at = &(*at)->next;
    *at = qp->next;
    for (at = &r->chain[qp->params.number % CHAINS]; *at != qp;) at = &(*at)->chained;
    *at = qp->chained;
    r->turn = NULL;
    responder_forget(qp);
    free(qp->sends);
    free(qp->receives);
    free(qp);
}

void rnic_connection_default(rnic_connection *c)
{
    *c = (rnic_connection){.pmtu = 1024,
                           .timeout = 14,
                           .retries = 7,
                           .rnr_retries = 7,
                           .rnr_timer = 12,
                           .reads = MOST_READS,
                           .answers = MOST_READS,
                           .access = RNIC_REMOTE_WRITE | RNIC_REMOTE_READ,
                           .window = 1024,
                           .ack_every = 32};
}

static const char *complaint(const rnic_qp *qp, const rnic_connection *c)
{
    if (qp->params.type != RNIC_RC || qp->state != RNIC_RESET) return "expected a QP for a connection that is in reset";
    if (c->pmtu < 256 || c->pmtu > RNIC_PAYLOAD || c->pmtu & (c->pmtu - 1))
        return "pmtu: expected 256, 512, 1024, 2048 or 4096";
    if (c->qp >= RNIC_PSNS || c->send_psn >= RNIC_PSNS || c->receive_psn >= RNIC_PSNS)
        return "qp, send_psn, receive_psn: expected below 2^24";
    if (c->timeout > 31 || c->rnr_timer > 31) return "timeout, rnr_timer: expected 0 .. 31";
    if ((c->retries > 7 && c->retries != RNIC_FOREVER) || c->rnr_retries > 7)
        return "retries, rnr_retries: expected 0 .. 7";
    if (c->reads < 1 || c->reads > MOST_READS || c->answers > MOST_READS)
        return "reads: expected 1 .. 16; answers: 0 .. 16";
    if (c->window < 1 || c->window > 1 << 22 || !c->ack_every)
        return "window: expected 1 .. 2^22; ack_every: 1 or more";
    return NULL;
}

int rnic_connect(rnic_qp *qp, const rnic_connection *c, char error[RNIC_ERROR])
{
    const char *wrong = complaint(qp, c);

    if (wrong) {
        snprintf(error, RNIC_ERROR, "QP %" PRIu32 ": %s", qp->params.number, wrong);
        return -1;
    }
    qp->c = *c;
    requester_start(qp);
    responder_start(qp);
    qp->state = RNIC_READY;
    return 0;
}

void rnic_reset(rnic_qp *qp)
{
    requester_flush(qp, RNIC_FLUSHED);
    responder_flush(qp);
    rnic_connection_default(&qp->c);
    requester_start(qp);
    responder_start(qp);
    qp->state = qp->params.type == RNIC_UD ? RNIC_READY : RNIC_RESET;
}

void rnic_fail(rnic_qp *qp, rnic_status status)
{
    qp->state = RNIC_FAILED;
    requester_flush(qp, status);
    responder_flush(qp);
}

rnic_state rnic_qp_state(const rnic_qp *qp) { return qp->state; }

uint32_t rnic_qp_number(const rnic_qp *qp) { return qp->params.number; }

/* ---- frames in ---- */

static int is_mine(const rnic *r, const rnic_address *to)
{
    int ip = !memcmp(to->ip, r->params.ip[0], 16) || !memcmp(to->ip, r->params.ip[1], 16);

    return ip && !memcmp(to->mac, r->params.mac, 6);
}

static void dispatch(rnic *r, const rnic_packet *p)
{
    rnic_qp *qp = find_qp(r, p->qp);

    if ((p->pkey & 0x7fff) != (RNIC_PKEY & 0x7fff)) {
        r->counters.bad_key++;
        return;
    }
    if (!qp || qp->state != RNIC_READY || (qp->params.type == RNIC_UD) != (p->opcode == RNIC_UD_SEND_ONLY)) {
        r->counters.no_qp++;
        return;
    }
    if (qp->params.type == RNIC_UD) responder_take_datagram(qp, p);
    else if (memcmp(p->from.ip, qp->c.peer.ip, 16) != 0) r->counters.foreign++;
    else if (p->opcode >> 5) r->counters.malformed++; /* of another transport (IBA 9.6.1.1.3) */
    else if (p->opcode >= RNIC_RESPONSE_FIRST && p->opcode <= RNIC_ACKNOWLEDGE + 1) requester_take(qp, p);
    else responder_take(qp, p);
}

void rnic_take(rnic *r, const uint8_t *frame, size_t length)
{
    rnic_packet p;
    const char *why;

    switch (rnic_packet_read(&p, frame, length, &why)) {
    case RNIC_OTHER:
        r->counters.others++;
        if (r->params.other) r->params.other(r->params.other_self, frame, length);
        return;
    case RNIC_MALFORMED:
        r->counters.malformed++;
        return;
    case RNIC_BAD_ICRC:
        r->counters.bad_icrc++;
        return;
    case RNIC_GOOD:
        break;
    }
    if (!is_mine(r, &p.to)) {
        r->counters.foreign++;
        return;
    }
    r->counters.rcvd_pkts++;
    if (r->observer) r->observer(r->observer_self, 0, &p);
    dispatch(r, &p);
}

/* ---- frames out ---- */

void rnic_address_packet(const rnic_qp *qp, rnic_packet *p)
{
    const rnic_params *own = &qp->nic->params;

    memcpy(p->from.mac, own->mac, 6);
    memcpy(p->from.ip, own->ip[rnic_is_ipv4(own->ip[0]) != rnic_is_ipv4(p->to.ip)], 16);
    p->udp_source = own->udp_source ? own->udp_source : (uint16_t)(0xc000 | (qp->params.number & 0x3fff));
    p->migrated = 1;
    p->pkey = RNIC_PKEY;
}

/* A packet of this QP; acks_alone: only an ACK or NAK. */
static int give(rnic_qp *qp, int acks_alone, rnic_packet *p)
{
    if (acks_alone && (!qp->answer_count || qp->answers[0].kind != ANSWER_ACK)) return 0;
    for (int i = 0; i < 2; i++) {
        *p = (rnic_packet){.to = qp->c.peer, .qp = qp->c.qp};
        qp->answers_turn = acks_alone || !qp->answers_turn;
        if (qp->answers_turn ? responder_give(qp, p) : requester_give(qp, p)) return 1;
    }
    return 0;
}

static void run_timers(rnic *r, uint64_t now)
{
    if (now < r->timer_at) return;
    r->timer_at = RNIC_NEVER;
    for (rnic_qp *qp = r->qps; qp; qp = qp->next) {
        requester_timers(qp, now);
        responder_timers(qp, now);
    }
}

/* Everybody is asked once, in turn, from the one behind who gave last. */
static int ask_all(rnic *r, int acks_alone, rnic_packet *p)
{
    rnic_qp *first = r->turn ? r->turn : r->qps, *qp = first;

    do {
        rnic_qp *next = qp->next ? qp->next : r->qps;

        if (give(qp, acks_alone, p)) {
            if (!acks_alone) r->turn = next;
            rnic_address_packet(qp, p);
            return 1;
        }
        qp = next;
    } while (qp != first);
    return 0;
}

size_t rnic_give(rnic *r, uint8_t frame[RNIC_FRAME])
{
    rnic_packet p;

    run_timers(r, rnic_now(r));
    if (!r->pending || !r->qps) return 0;
    if (!(r->acks && ask_all(r, 1, &p)) && !ask_all(r, 0, &p)) {
        r->pending = 0;
        return 0;
    }
    r->counters.sent_pkts++;
    if (r->observer) r->observer(r->observer_self, 1, &p);
    return rnic_packet_write(&p, frame);
}

uint64_t rnic_wakes(const rnic *r) { return r->pending ? 0 : r->timer_at; }

/* ---- what has been seen ---- */

const rnic_counters *rnic_get_counters(const rnic *r) { return &r->counters; }

static void print_qp(const rnic_qp *qp, FILE *out)
{
    static const char *const states[] = {"in reset", "ready", "failed"};

    if (qp->state == RNIC_READY && qp->head == qp->tail && !qp->answer_count) return;
    fprintf(out,
            "QP %" PRIu32 " %s: expects PSN %06" PRIx32 "; sends %06" PRIx32 " next, %06" PRIx32
            " is the oldest not acknowledged, %" PRIu64 " of %" PRIu64 " requests posted are complete; %" PRIu64
            " receives left, %u answers to send\n",
            qp->params.number, states[qp->state], qp->expected, qp->next_psn, qp->unacknowledged, qp->head, qp->tail,
            qp->receive_tail - qp->receive_head, qp->answer_count);
}

void rnic_print(const rnic *r, FILE *out)
{
#define PRINT(name)                                                                                                    \
    if (r->counters.name) fprintf(out, "%-24s %" PRIu64 "\n", #name, r->counters.name);
    RNIC_COUNTERS(PRINT)
#undef PRINT
    for (const rnic_qp *qp = r->qps; qp; qp = qp->next) print_qp(qp, out);
}

void rnic_observe(rnic *r, rnic_observer observer, void *self)
{
    r->observer = observer;
    r->observer_self = self;
}
