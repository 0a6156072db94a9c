#include "roce_traffic.h"

#include <stdlib.h>
#include <string.h>

#include "roce_pattern.h"

enum {
    HEARD = 120 /* [bytes] of a text */,
    FIRST_PEER_QP = 0x10,
    POLL = 64 /* [clocks] of the peer's software */,
    DOMAIN = 1,
    MOST_CONNECTIONS = 127
};

const char *const roce_kind_names[ROCE_KINDS] = {"send-in", "send-out", "write", "read"};
const unsigned roce_pmtus[5] = {256, 512, 1024, 2048, 4096};

/* Messages of one kind on one QP. */
typedef struct stream {
    unsigned posted, taken, all;
} stream;

/* Of one QP at one end with a chip. */
typedef struct side {
    struct lane *lane;
    roce_system *y;
    rn_qp *qp;
    uint64_t memory; /* for each kind `depth` places of `place` bytes */
    uint64_t random;
    uint8_t order[64 * ROCE_KINDS]; /* kinds of what the chip has posted and not completed, a ring */
    unsigned order_first, order_count;
    sim_task *task;
} side;

/* The last packet that a QP got. */
typedef struct heard {
    sim_time time; /* 0: none */
    uint32_t psn;
    uint8_t opcode;
} heard;

typedef struct lane {
    struct roce_traffic *traffic;
    unsigned number;      /* 0.. */
    side side[2];         /* the second one: of another chip */
    rnic_qp *peer;        /* or the peer in C, */
    uint8_t *peer_memory; /* with the same places */
    uint64_t peer_base;
    uint32_t key;
    stream kind[ROCE_KINDS];
    heard heard[2]; /* from each end */
} lane;

struct roce_traffic {
    roce_system *y;
    roce_traffic_params p;
    size_t place;
    lane *lanes;
    uint8_t *buffer;
    roce_traffic_kind kinds[ROCE_KINDS];
    sim_task *opener;
    int opened;
    sim_time said[2]; /* when each end has said something last */
};

roce_traffic_params roce_traffic_defaults(void)
{
    return (roce_traffic_params){
        .connections = 7, .messages = {20, 20, 20, 20}, .shortest = 1, .longest = 16384, .depth = 8, .timeout = 3, .reads = 16, .psn = -1};
}

/* ---- what a message is */

static uint64_t key_of(const lane *l, roce_kind kind, unsigned message)
{
    return roce_mix(sim_seed(l->traffic->y->sim) << 40 ^ (uint64_t)l->number << 32 ^ (uint64_t)kind << 28 ^ message);
}

/* Short and long ones alike: any number of bits is as likely as any other. */
static uint32_t length_of(const lane *l, roce_kind kind, unsigned message)
{
    const roce_traffic_params *p = &l->traffic->p;
    uint64_t random = roce_mix(key_of(l, kind, message) + 1);
    uint64_t range = p->longest - p->shortest + 1;
    unsigned bits = 64 - (unsigned)__builtin_clzll(range);
    uint64_t most = range >> random % bits;
    return p->shortest + (uint32_t)((random >> 8) % (most ? most : 1));
}

/* ---- places of messages under way. Their first byte stands at any address: by the number of the message. */

static size_t place_of(const lane *l, roce_kind kind, unsigned message)
{
    const roce_traffic *t = l->traffic;
    return ((size_t)kind * t->p.depth + message % t->p.depth) * t->place + message * 13 % 64;
}

static uint8_t *peer_at(const lane *l, roce_kind kind, unsigned message)
{
    return l->peer_memory + place_of(l, kind, message);
}

static void wrong(const lane *l, roce_kind kind, unsigned message, const char *what)
{
    sim_fail(l->traffic->y->sim, "QP %u: message %u of %s: %s", rn_qp_number(l->side[0].qp), message, roce_kind_names[kind], what);
}

static void posted(lane *l, roce_kind kind)
{
    roce_traffic_kind *k = &l->traffic->kinds[kind];
    if (!k->messages && !k->first) k->first = sim_now(l->traffic->y->sim);
    l->kind[kind].posted++;
}

/* The next message of this kind has come, its bytes are these. */
static void taken(lane *l, roce_kind kind, const uint8_t *bytes, uint32_t length)
{
    roce_traffic *t = l->traffic;
    unsigned message = l->kind[kind].taken;
    uint32_t want = length_of(l, kind, message);
    char text[160];
    size_t at;
    if (length != want) {
        snprintf(text, sizeof text, "%u bytes came, expected %u", length, want);
        wrong(l, kind, message, text);
    } else if ((at = roce_pattern_compare(bytes, key_of(l, kind, message), want)) < want) {
        snprintf(text, sizeof text, "byte %zu of %u is %02x, expected %02x", at, want, bytes[at],
                 roce_pattern_byte(key_of(l, kind, message), at));
        wrong(l, kind, message, text);
    } else {
        l->kind[kind].taken++;
        t->kinds[kind].messages++;
        t->kinds[kind].bytes += want;
        t->kinds[kind].last = sim_now(t->y->sim);
        sim_progress(t->y->sim);
    }
}

static int lane_done(const lane *l)
{
    for (int k = 0; k < ROCE_KINDS; k++)
        if (l->kind[k].taken < l->kind[k].all) return 0;
    return 1;
}

/* ---- what is heard */

static unsigned qp_at(const lane *l, int end)
{
    const rn_qp *qp = l->side[end].qp;
    return qp ? rn_qp_number(qp) : end && l->peer ? FIRST_PEER_QP + l->number : 0;
}

static void hear(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_traffic *t = self;
    size_t at = length > 14 && frame[12] == 0x86 ? 14 + 40 + 8 : 14 + 20 + 8; /* of the BTH */
    if (bad_fcs || length < at + 12) return;
    const uint8_t *bth = frame + at;
    uint32_t qp = (uint32_t)bth[5] << 16 | (uint32_t)bth[6] << 8 | bth[7], lane = qp - (from || t->p.other ? 2 : FIRST_PEER_QP);
    t->said[from] = time;
    if (lane >= t->p.connections || qp_at(&t->lanes[lane], !from) != qp) return;
    t->lanes[lane].heard[from] = (heard){.time = time, .psn = (uint32_t)bth[9] << 16 | (uint32_t)bth[10] << 8 | bth[11], .opcode = bth[0]};
}

/* In words what the QP has heard last from that end. */
static const char *last_from(const lane *l, unsigned end, char text[HEARD])
{
    const heard *h = &l->heard[end];
    const char *who = end ? "its peer" : "the chip";
    if (!h->time) snprintf(text, HEARD, "nothing has come from %s", who);
    else
        snprintf(text, HEARD, "the last from %s was %s, PSN %06x, at %.3f us", who, rnic_opcode_name(h->opcode), h->psn,
                 (double)h->time / SIM_US);
    return text;
}

/* ---- software beside the chip: a task for each QP */

static int failed(const side *e, int result)
{
    if (result >= 0) return 0;
    sim_fail(e->y->sim, "QP %u: %s", rn_qp_number(e->qp), rn_last_error(e->y->device));
    return 1;
}

/* The chip there posts messages of this kind. */
static int posts(const side *e, roce_kind kind)
{
    return (kind == ROCE_SEND_IN) == (e->y->end == 1);
}

/* The next kind to post, at random among those that may: ROCE_KINDS: none. */
static roce_kind choose(side *e)
{
    const lane *l = e->lane;
    roce_kind may[ROCE_KINDS];
    unsigned n = 0;
    for (roce_kind k = 0; k < ROCE_KINDS; k++)
        if (posts(e, k) && l->kind[k].posted < l->kind[k].all && l->kind[k].posted - l->kind[k].taken < l->traffic->p.depth) may[n++] = k;
    e->random = roce_mix(e->random + 1);
    return n ? may[e->random % n] : ROCE_KINDS;
}

static int is_send(roce_kind kind)
{
    return kind == ROCE_SEND_IN || kind == ROCE_SEND_OUT;
}

static int post(side *e, roce_kind kind)
{
    lane *l = e->lane;
    roce_traffic *t = l->traffic;
    unsigned message = l->kind[kind].posted;
    uint32_t length = length_of(l, kind, message);
    uint64_t key = key_of(l, kind, message);
    size_t place = place_of(l, kind, message);
    uint8_t inside[RN_INLINE];
    rn_work w = {.id = (uint16_t)message, .length = length, .local = e->memory + place, .remote = l->peer_base + place, .rkey = l->key};
    w.opcode = is_send(kind) ? RN_SEND : kind == ROCE_WRITE ? RN_WRITE : RN_READ;
    if (kind == ROCE_READ) {
        roce_pattern_fill(peer_at(l, kind, message), key, length);
        memset(t->buffer, 0, length);
    } else roce_pattern_fill(t->buffer, key, length);
    memory_write(e->y->board->bytes_of, w.local, t->buffer, length);
    if (kind == ROCE_WRITE) memset(peer_at(l, kind, message), 0, length);
    if (is_send(kind) && length <= RN_INLINE) {
        memcpy(inside, t->buffer, length);
        w.inside = inside;
    }
    int result = rn_post(e->qp, &w);
    if (failed(e, result)) return -1;
    e->order[(e->order_first + e->order_count++) % sizeof e->order] = (uint8_t)kind;
    posted(l, kind);
    return 0;
}

/* The chip's entry of why the QP has ended, which may come a little after the completion. */
static int why(const side *e, rn_error *r)
{
    for (int polls = 0; polls < 100 && !*sim_error(e->y->sim); polls++) {
        while (rn_error_next(e->y->device, r) > 0)
            if (r->qp == rn_qp_number(e->qp)) return 1;
        sim_wait_cycles(e->y->board->clock, POLL);
    }
    return 0;
}

/* It ended with an error: says which, if the chip tells. */
static void ended_badly(const side *e, roce_kind kind, unsigned message)
{
    char text[160 + HEARD] = "it ended with an error", last[HEARD];
    rn_error r;
    if (why(e, &r))
        snprintf(text, sizeof text, "it ended with an error: FATAL code %u (S5 table 2-4), opcode %02x, PSN %06x, syndrome %02x; %s",
                 r.code, r.opcode, r.psn, r.syndrome, last_from(e->lane, !e->y->end, last));
    wrong(e->lane, kind, message, text);
}

static void completed(side *e, const rn_completion *c)
{
    lane *l = e->lane;
    roce_traffic *t = l->traffic;
    if (!e->order_count) {
        sim_fail(t->y->sim, "QP %u: a completion of nothing", rn_qp_number(e->qp));
        return;
    }
    roce_kind kind = (roce_kind)e->order[e->order_first];
    e->order_first = (e->order_first + 1) % sizeof e->order;
    e->order_count--;
    unsigned message = l->kind[kind].taken;
    if (c->error) ended_badly(e, kind, message);
    else if (is_send(kind)) return; /* the other end judges it */
    else if (c->id != (uint16_t)message) wrong(l, kind, message, "its completion has another ID");
    else if (kind == ROCE_WRITE) taken(l, kind, peer_at(l, kind, message), length_of(l, kind, message));
    else {
        uint32_t length = length_of(l, kind, message);
        memory_read(e->y->board->bytes_of, e->memory + place_of(l, kind, message), t->buffer, length);
        taken(l, kind, t->buffer, length);
    }
}

/* Takes and posts what it can: 1 if there was anything. */
static int turn(side *e)
{
    roce_traffic *t = e->lane->traffic;
    int busy = 0, n;
    rn_message m;
    rn_completion c[16];
    while ((n = rn_receive(e->qp, &m)) > 0) {
        busy = 1;
        memory_read(e->y->board->bytes_of, m.address, t->buffer, m.length <= t->place ? m.length : t->place);
        taken(e->lane, e->y->end ? ROCE_SEND_OUT : ROCE_SEND_IN, t->buffer, m.length);
        if (failed(e, rn_release(e->qp)) || *sim_error(t->y->sim)) return 0;
    }
    if (failed(e, n)) return 0;
    while ((n = rn_poll(e->qp, c, 16)) > 0) {
        busy = 1;
        for (int i = 0; i < n; i++) completed(e, &c[i]);
    }
    if (failed(e, n) || *sim_error(t->y->sim)) return 0;
    for (roce_kind k; rn_qp_room(e->qp) && (k = choose(e)) != ROCE_KINDS; busy = 1)
        if (post(e, k)) return 0;
    return busy;
}

static void side_task(void *self)
{
    side *e = self;
    while (!(lane_done(e->lane) && !e->order_count) && !*sim_error(e->y->sim))
        if (!turn(e)) sim_wait_cycles(e->y->board->clock, POLL);
}

/* ---- software at the peer: one task for all QPs */

static void post_receive(lane *l, unsigned message)
{
    const rnic_receive w = {message, l->peer_base + place_of(l, ROCE_SEND_OUT, message), l->key, l->traffic->p.longest};
    if (message < l->kind[ROCE_SEND_OUT].all && rnic_post_receive(l->peer, &w))
        wrong(l, ROCE_SEND_OUT, message, "the peer cannot post a receive for it");
}

static void peer_sends(lane *l)
{
    stream *s = &l->kind[ROCE_SEND_IN];
    while (s->posted < s->all && s->posted - s->taken < l->traffic->p.depth) {
        unsigned message = s->posted;
        const rnic_send w = {.id = message,
                             .operation = RNIC_SEND,
                             .address = l->peer_base + place_of(l, ROCE_SEND_IN, message),
                             .key = l->key,
                             .length = length_of(l, ROCE_SEND_IN, message)};
        roce_pattern_fill(peer_at(l, ROCE_SEND_IN, message), key_of(l, ROCE_SEND_IN, message), w.length);
        if (rnic_post_send(l->peer, &w)) return;
        posted(l, ROCE_SEND_IN);
    }
}

static void peer_completed(roce_traffic *t, const rnic_completion *c)
{
    if (c->qp - FIRST_PEER_QP >= t->p.connections) {
        if (t->p.foreign) t->p.foreign(t->p.foreign_self, c);
        return;
    }
    lane *l = &t->lanes[c->qp - FIRST_PEER_QP];
    if (c->status != RNIC_SUCCESS) {
        char last[HEARD];
        sim_fail(t->y->sim, "the peer's QP %#x (QP %u of the chip): %s %lu ended with %s; %s", c->qp, rn_qp_number(l->side[0].qp),
                 c->receive ? "receive" : "send", (unsigned long)c->id, rnic_status_name(c->status), last_from(l, 0, last));
        return;
    }
    if (!c->receive) return; /* the chip's software judges it */
    unsigned message = l->kind[ROCE_SEND_OUT].taken;
    if (c->id != message) wrong(l, ROCE_SEND_OUT, message, "another receive was used");
    else taken(l, ROCE_SEND_OUT, peer_at(l, ROCE_SEND_OUT, message), c->length);
    post_receive(l, message + t->p.depth);
}

static void peer_task(void *self)
{
    roce_traffic *t = self;
    rnic_completion c;
    while (!t->opened && !*sim_error(t->y->sim)) sim_wait_cycles(t->y->board->clock, POLL);
    while (!roce_traffic_complete(t) && !*sim_error(t->y->sim)) {
        while (rnic_poll(t->y->peer, &c)) peer_completed(t, &c);
        for (unsigned i = 0; i < t->p.connections; i++) peer_sends(&t->lanes[i]);
        sim_wait_cycles(t->y->board->clock, POLL);
    }
}

/* ---- set-up */

static unsigned pmtu_of(const lane *l)
{
    return l->traffic->p.pmtu ? l->traffic->p.pmtu : roce_pmtus[l->number % 5];
}

static int ipv6_of(const lane *l)
{
    return l->traffic->p.ip ? l->traffic->p.ip == 6 : l->number % 2;
}

static int create(side *e)
{
    const lane *l = e->lane;
    const roce_traffic_params *p = &l->traffic->p;
    rn_qp_params q = rn_qp_params_default();
    q.send_depth = p->depth * 3 + 1;
    q.receive_depth = p->depth + 1;
    q.receive_bytes = (p->longest + 255) / 256 * 256;
    q.handshake = p->handshake == 2 || (p->handshake && l->number % 2);
    return rn_qp_create(e->y->device, &q, &e->qp);
}

/* psn[i]: of the first packet from end i. */
static int connect_side(side *e, unsigned to_qp, const uint32_t psn[2])
{
    const roce_traffic_params *p = &e->lane->traffic->p;
    const rn_connection c = {.peer = roce_system_address(!e->y->end, ipv6_of(e->lane)),
                             .qp = to_qp,
                             .send_psn = psn[e->y->end],
                             .receive_psn = psn[!e->y->end],
                             .pmtu = pmtu_of(e->lane),
                             .timeout = p->timeout,
                             .retries = 7,
                             .rnr_retries = 7,
                             .rnr_timer = 1,
                             .reads_outstanding = p->reads};
    return rn_qp_modify(e->qp, &c);
}

/* To the peer in C. */
static int connect_peer(lane *l, const uint32_t psn[2], char *error)
{
    roce_traffic *t = l->traffic;
    const rnic_qp_params pq = {.number = FIRST_PEER_QP + l->number, .domain = DOMAIN, .sends = 64, .receives = 64};
    if (!(l->peer = rnic_qp_new(t->y->peer, &pq, error))) return -1;
    rnic_connection pc;
    rnic_connection_default(&pc);
    pc.peer = roce_system_chip_address(ipv6_of(l));
    pc.qp = rn_qp_number(l->side[0].qp);
    pc.pmtu = pmtu_of(l);
    pc.send_psn = psn[1];
    pc.receive_psn = psn[0];
    pc.timeout = t->p.timeout;
    pc.rnr_timer = 1;
    if (rnic_connect(l->peer, &pc, error)) return -1;
    for (unsigned m = 0; m < t->p.depth; m++) post_receive(l, m);
    return connect_side(&l->side[0], FIRST_PEER_QP + l->number, psn);
}

static int connect_lane(lane *l, char *error)
{
    const roce_traffic *t = l->traffic;
    uint32_t psn[2];
    for (int i = 1; i >= 0; i--) psn[i] = (t->p.psn >= 0 ? (uint32_t)t->p.psn : (uint32_t)sim_random(t->y->sim)) & 0xffffff;
    if (create(&l->side[0])) return -1;
    if (!t->p.other) return connect_peer(l, psn, error);
    if (create(&l->side[1])) return -1;
    for (int i = 0; i < 2; i++)
        if (connect_side(&l->side[i], rn_qp_number(l->side[!i].qp), psn)) return -1;
    return 0;
}

static unsigned sides(const roce_traffic *t)
{
    return t->p.other ? 2 : 1;
}

static void open_task(void *self)
{
    roce_traffic *t = self;
    char error[RNIC_ERROR] = "";
    if (roce_system_open(t->y) || (t->p.other && roce_system_open(t->p.other))) return;
    for (unsigned i = 0; i < t->p.connections; i++) {
        lane *l = &t->lanes[i];
        if (connect_lane(l, error)) {
            const roce_system *y = t->p.other && *rn_last_error(t->p.other->device) ? t->p.other : t->y;
            sim_fail(t->y->sim, "connection %u: %s", i, *error ? error : rn_last_error(y->device));
            return;
        }
    }
    t->opened = 1;
    t->said[0] = t->said[1] = sim_now(t->y->sim);
    for (unsigned i = 0; i < t->p.connections * sides(t); i++) {
        side *e = &t->lanes[i / sides(t)].side[i % sides(t)];
        char name[24];
        snprintf(name, sizeof name, "%sqp%u", e->y->end ? "peer_" : "", rn_qp_number(e->qp));
        if (!(e->task = sim_task_new(t->y->sim, name, side_task, e))) sim_fail(t->y->sim, "no memory for a task");
    }
}

int roce_traffic_check(const roce_traffic_params *p, unsigned qps, char error[ROCE_SYSTEM_ERROR])
{
    const struct {
        const char *name;
        unsigned is, least, most;
    } ranges[] = {
        {"connections", p->connections, 1, qps - 1},
        {"longest message", p->longest, 1, 1 << 20},
        {"shortest message", p->shortest, 1, p->longest},
        {"messages under way", p->depth, 1, 64},
        {"timeout", p->timeout, 1, 31},
        {"outstanding READs", p->reads, 1, 16},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].is < ranges[i].least || ranges[i].is > ranges[i].most) {
            snprintf(error, ROCE_SYSTEM_ERROR, "%s: %u, expected %u to %u", ranges[i].name, ranges[i].is, ranges[i].least, ranges[i].most);
            return -1;
        }
    for (unsigned i = 0; p->pmtu && p->pmtu != roce_pmtus[i]; i++)
        if (i == 4) {
            snprintf(error, ROCE_SYSTEM_ERROR, "path MTU: %u, expected 256, 512, 1024, 2048 or 4096 (0: all in turn)", p->pmtu);
            return -1;
        }
    if (p->ip && p->ip != 4 && p->ip != 6) {
        snprintf(error, ROCE_SYSTEM_ERROR, "version of IP: %u, expected 4 or 6 (0: in turn)", p->ip);
        return -1;
    }
    if (p->other && (p->messages[ROCE_WRITE] || p->messages[ROCE_READ])) {
        snprintf(error, ROCE_SYSTEM_ERROR, "messages between two of these chips: expected SENDs alone, neither takes WRITEs or READs");
        return -1;
    }
    return 0;
}

roce_traffic *roce_traffic_new(roce_system *y, const roce_traffic_params *params, char error[ROCE_SYSTEM_ERROR])
{
    if (roce_traffic_check(params, y->driver.qps, error)) return NULL;
    roce_traffic *t = calloc(1, sizeof *t);
    snprintf(error, ROCE_SYSTEM_ERROR, "no memory left");
    if (!t) return NULL;
    t->y = y;
    t->p = *params;
    t->place = (params->longest + 127 + 255) / 256 * 256;
    size_t size = t->place * params->depth * ROCE_KINDS;
    t->buffer = malloc(t->place);
    t->lanes = calloc(params->connections, sizeof *t->lanes);
    int good = t->buffer && t->lanes;
    for (unsigned i = 0; good && i < params->connections; i++) {
        lane *l = &t->lanes[i];
        *l = (lane){.traffic = t, .number = i, .peer_base = (uint64_t)(i + 1) << 32};
        for (int k = 0; k < ROCE_KINDS; k++) l->kind[k].all = params->messages[k];
        for (unsigned n = 0; good && n < sides(t); n++) {
            side *e = &l->side[n];
            e->lane = l;
            e->y = n ? params->other : y;
            e->random = roce_mix(sim_seed(y->sim) + i + (uint64_t)n * 1000);
            good = (e->memory = e->y->platform.alloc(e->y->platform.self, size, 4096)) != 0;
        }
        if (good && !params->other)
            good = (l->peer_memory = malloc(size)) && (l->key = rnic_register(y->peer, DOMAIN, l->peer_memory, l->peer_base, size,
                                                                              RNIC_LOCAL_WRITE | RNIC_REMOTE_WRITE | RNIC_REMOTE_READ));
    }
    good = good && (t->opener = sim_task_new(y->sim, "open", open_task, t)) &&
           (params->other || sim_task_new(y->sim, "peer", peer_task, t)) && !ethernet_wire_observe(y->wire, ETHERNET_ARRIVED, hear, t);
    if (good) return t;
    roce_traffic_free(t);
    return NULL;
}

void roce_traffic_free(roce_traffic *t)
{
    if (!t) return;
    for (unsigned i = 0; t->lanes && i < t->p.connections; i++) {
        if (t->lanes[i].key) rnic_deregister(t->y->peer, t->lanes[i].key);
        free(t->lanes[i].peer_memory);
    }
    free(t->lanes);
    free(t->buffer);
    free(t);
}

const roce_traffic_kind *roce_traffic_kinds(const roce_traffic *t)
{
    return t->kinds;
}

int roce_traffic_opened(const roce_traffic *t)
{
    return t->opened;
}

int roce_traffic_complete(const roce_traffic *t)
{
    for (unsigned i = 0; i < t->p.connections; i++)
        if (!lane_done(&t->lanes[i])) return 0;
    return 1;
}

/* Ends the run when one end has been silent for too long. */
static void look_for_silence(const roce_traffic *t)
{
    sim_time timeouts = SIM_US * 33 << (t->p.timeout < 10 ? t->p.timeout : 10);
    sim_time most = timeouts < 13 * SIM_MS ? 2 * SIM_MS + timeouts : 15 * SIM_MS;
    for (unsigned from = 0; t->opened && from < 2; from++) {
        if (sim_now(t->y->sim) - t->said[from] < most) continue;
        const lane *l = t->lanes;
        char text[HEARD];
        while (lane_done(l)) l++;
        sim_fail(t->y->sim, "%s is silent: QP %u waits, and %s", from ? "the peer" : "the chip", qp_at(l, 0), last_from(l, from, text));
    }
}

void roce_traffic_wait(roce_traffic *t)
{
    while (!roce_traffic_complete(t)) {
        sim_wait_cycles(t->y->board->clock, 256);
        if (!roce_traffic_complete(t)) look_for_silence(t);
    }
    for (unsigned i = 0; i < t->p.connections * sides(t); i++) sim_join(t->lanes[i / sides(t)].side[i % sides(t)].task);
}

void roce_traffic_progress(const roce_traffic *t, uint64_t *taken_, uint64_t *all)
{
    *taken_ = *all = 0;
    for (int k = 0; k < ROCE_KINDS; k++) {
        *taken_ += t->kinds[k].messages;
        *all += (uint64_t)t->p.messages[k] * t->p.connections;
    }
}

void roce_traffic_print_missing(const roce_traffic *t, FILE *out, unsigned lines)
{
    for (unsigned i = 0; i < t->p.connections; i++)
        for (int k = 0; k < ROCE_KINDS; k++) {
            const lane *l = &t->lanes[i];
            if (l->kind[k].taken >= l->kind[k].all || !lines) continue;
            lines--;
            fprintf(out, "QP %u, %s: %u of %u messages have come, %u were posted\n", l->side[0].qp ? rn_qp_number(l->side[0].qp) : 0,
                    roce_kind_names[k], l->kind[k].taken, l->kind[k].all, l->kind[k].posted);
        }
}
