#include "roce_traffic.h"

#include <stdlib.h>
#include <string.h>

#include "roce_pattern.h"

enum { FIRST_PEER_QP = 0x10, POLL = 64 /* [clocks] of the peer's software */, DOMAIN = 1, MOST_CONNECTIONS = 127 };

const char *const roce_kind_names[ROCE_KINDS] = {"send-in", "send-out", "write", "read"};
const unsigned roce_pmtus[5] = {256, 512, 1024, 2048, 4096};

/* Messages of one kind on one QP. */
typedef struct stream {
    unsigned posted, taken, all;
} stream;

typedef struct lane {
    struct roce_traffic *traffic;
    unsigned number; /* 0.. */
    rn_qp *qp;
    rnic_qp *peer;
    uint8_t *peer_memory; /* for each kind `depth` places of `place` bytes */
    uint64_t peer_base;
    uint32_t key;
    uint64_t memory; /* the same of the chip's side */
    uint64_t random;
    stream kind[ROCE_KINDS];
    uint8_t order[64 * ROCE_KINDS]; /* kinds of what the chip has posted and not completed, a ring */
    unsigned order_first, order_count;
    sim_task *task;
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
    sim_fail(l->traffic->y->sim, "QP %u: message %u of %s: %s", rn_qp_number(l->qp), message, roce_kind_names[kind], what);
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

/* ---- software beside the chip: a task for each QP */

static int failed(lane *l, int result)
{
    if (result >= 0) return 0;
    sim_fail(l->traffic->y->sim, "QP %u: %s", rn_qp_number(l->qp), rn_last_error(l->traffic->y->device));
    return 1;
}

/* The next kind to post, at random among those that may: ROCE_KINDS: none. */
static roce_kind choose(lane *l)
{
    roce_kind may[ROCE_KINDS];
    unsigned n = 0;
    for (int k = ROCE_SEND_OUT; k < ROCE_KINDS; k++)
        if (l->kind[k].posted < l->kind[k].all && l->kind[k].posted - l->kind[k].taken < l->traffic->p.depth) may[n++] = (roce_kind)k;
    l->random = roce_mix(l->random + 1);
    return n ? may[l->random % n] : ROCE_KINDS;
}

static int post(lane *l, roce_kind kind)
{
    roce_traffic *t = l->traffic;
    unsigned message = l->kind[kind].posted;
    uint32_t length = length_of(l, kind, message);
    uint64_t key = key_of(l, kind, message);
    size_t place = place_of(l, kind, message);
    uint8_t inside[RN_INLINE];
    rn_work w = {.id = (uint16_t)message, .length = length, .local = l->memory + place, .remote = l->peer_base + place, .rkey = l->key};
    w.opcode = kind == ROCE_SEND_OUT ? RN_SEND : kind == ROCE_WRITE ? RN_WRITE : RN_READ;
    if (kind == ROCE_READ) {
        roce_pattern_fill(peer_at(l, kind, message), key, length);
        memset(t->buffer, 0, length);
    } else roce_pattern_fill(t->buffer, key, length);
    memory_write(t->y->board->bytes_of, w.local, t->buffer, length);
    if (kind == ROCE_WRITE) memset(peer_at(l, kind, message), 0, length);
    if (kind == ROCE_SEND_OUT && length <= RN_INLINE) {
        memcpy(inside, t->buffer, length);
        w.inside = inside;
    }
    int result = rn_post(l->qp, &w);
    if (failed(l, result)) return -1;
    l->order[(l->order_first + l->order_count++) % sizeof l->order] = (uint8_t)kind;
    posted(l, kind);
    return 0;
}

/* It ended with an error: says which, if the chip has told. */
static void ended_badly(lane *l, roce_kind kind, unsigned message)
{
    char text[160] = "it ended with an error";
    for (rn_error e; rn_error_next(l->traffic->y->device, &e) > 0;)
        if (e.qp == rn_qp_number(l->qp))
            snprintf(text, sizeof text, "it ended with an error: FATAL code %u (S5 table 2-4), opcode %02x, PSN %06x, syndrome %02x",
                     e.code, e.opcode, e.psn, e.syndrome);
    wrong(l, kind, message, text);
}

static void completed(lane *l, const rn_completion *c)
{
    roce_traffic *t = l->traffic;
    if (!l->order_count) {
        sim_fail(t->y->sim, "QP %u: a completion of nothing", rn_qp_number(l->qp));
        return;
    }
    roce_kind kind = (roce_kind)l->order[l->order_first];
    l->order_first = (l->order_first + 1) % sizeof l->order;
    l->order_count--;
    unsigned message = l->kind[kind].taken;
    if (c->error) ended_badly(l, kind, message);
    else if (kind == ROCE_SEND_OUT) return; /* the peer judges it */
    else if (c->id != (uint16_t)message) wrong(l, kind, message, "its completion has another ID");
    else if (kind == ROCE_WRITE) taken(l, kind, peer_at(l, kind, message), length_of(l, kind, message));
    else {
        uint32_t length = length_of(l, kind, message);
        memory_read(t->y->board->bytes_of, l->memory + place_of(l, kind, message), t->buffer, length);
        taken(l, kind, t->buffer, length);
    }
}

/* Takes and posts what it can: 1 if there was anything. */
static int turn(lane *l)
{
    roce_traffic *t = l->traffic;
    int busy = 0, n;
    rn_message m;
    rn_completion c[16];
    while ((n = rn_receive(l->qp, &m)) > 0) {
        busy = 1;
        memory_read(t->y->board->bytes_of, m.address, t->buffer, m.length <= t->place ? m.length : t->place);
        taken(l, ROCE_SEND_IN, t->buffer, m.length);
        if (failed(l, rn_release(l->qp)) || *sim_error(t->y->sim)) return 0;
    }
    if (failed(l, n)) return 0;
    while ((n = rn_poll(l->qp, c, 16)) > 0) {
        busy = 1;
        for (int i = 0; i < n; i++) completed(l, &c[i]);
    }
    if (failed(l, n) || *sim_error(t->y->sim)) return 0;
    for (roce_kind k; rn_qp_room(l->qp) && (k = choose(l)) != ROCE_KINDS; busy = 1)
        if (post(l, k)) return 0;
    return busy;
}

static void lane_task(void *self)
{
    lane *l = self;
    while (!(lane_done(l) && !l->order_count) && !*sim_error(l->traffic->y->sim))
        if (!turn(l)) sim_wait_cycles(l->traffic->y->board->clock, POLL);
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
    lane *l = &t->lanes[c->qp - FIRST_PEER_QP];
    if (c->status != RNIC_SUCCESS) {
        sim_fail(t->y->sim, "the peer's QP %#x (QP %u of the chip): %s %lu ended with %s", c->qp, rn_qp_number(l->qp),
                 c->receive ? "receive" : "send", (unsigned long)c->id, rnic_status_name(c->status));
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

static int connect_lane(lane *l, char *error)
{
    roce_traffic *t = l->traffic;
    roce_system *y = t->y;
    unsigned pmtu = t->p.pmtu ? t->p.pmtu : roce_pmtus[l->number % 5];
    int ipv6 = t->p.ip ? t->p.ip == 6 : l->number % 2;
    uint32_t psn[2];
    for (int i = 0; i < 2; i++) psn[i] = (t->p.psn >= 0 ? (uint32_t)t->p.psn : (uint32_t)sim_random(y->sim)) & 0xffffff;
    rn_qp_params q = rn_qp_params_default();
    q.send_depth = t->p.depth * 3 + 1;
    q.receive_depth = t->p.depth + 1;
    q.receive_bytes = (t->p.longest + 255) / 256 * 256;
    q.handshake = t->p.handshake == 2 || (t->p.handshake && l->number % 2);
    if (rn_qp_create(y->device, &q, &l->qp)) return -1;
    const rnic_qp_params pq = {.number = FIRST_PEER_QP + l->number, .domain = DOMAIN, .sends = 64, .receives = 64};
    if (!(l->peer = rnic_qp_new(y->peer, &pq, error))) return -1;
    rnic_connection pc;
    rnic_connection_default(&pc);
    pc.peer = roce_system_chip_address(ipv6);
    pc.qp = rn_qp_number(l->qp);
    pc.pmtu = pmtu;
    pc.send_psn = psn[0];
    pc.receive_psn = psn[1];
    pc.timeout = t->p.timeout;
    pc.rnr_timer = 1;
    if (rnic_connect(l->peer, &pc, error)) return -1;
    for (unsigned m = 0; m < t->p.depth; m++) post_receive(l, m);
    const rn_connection c = {.peer = roce_system_peer_address(ipv6),
                             .qp = FIRST_PEER_QP + l->number,
                             .send_psn = psn[1],
                             .receive_psn = psn[0],
                             .pmtu = pmtu,
                             .timeout = t->p.timeout,
                             .retries = 7,
                             .rnr_retries = 7,
                             .rnr_timer = 1,
                             .reads_outstanding = t->p.reads};
    return rn_qp_modify(l->qp, &c);
}

static void open_task(void *self)
{
    roce_traffic *t = self;
    char error[RNIC_ERROR] = "";
    if (roce_system_open(t->y)) return;
    for (unsigned i = 0; i < t->p.connections; i++) {
        lane *l = &t->lanes[i];
        if (connect_lane(l, error)) {
            sim_fail(t->y->sim, "connection %u: %s", i, *error ? error : rn_last_error(t->y->device));
            return;
        }
    }
    t->opened = 1;
    for (unsigned i = 0; i < t->p.connections; i++) {
        char name[16];
        snprintf(name, sizeof name, "qp%u", rn_qp_number(t->lanes[i].qp));
        if (!(t->lanes[i].task = sim_task_new(t->y->sim, name, lane_task, &t->lanes[i]))) sim_fail(t->y->sim, "no memory for a task");
    }
}

static int check(const roce_system *y, const roce_traffic_params *p, char *error)
{
    const struct {
        const char *name;
        unsigned is, least, most;
    } ranges[] = {
        {"connections", p->connections, 1, y->driver.qps - 1},
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
    return 0;
}

roce_traffic *roce_traffic_new(roce_system *y, const roce_traffic_params *params, char error[ROCE_SYSTEM_ERROR])
{
    if (check(y, params, error)) return NULL;
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
        *l = (lane){.traffic = t, .number = i, .random = roce_mix(sim_seed(y->sim) + i), .peer_base = (uint64_t)(i + 1) << 32};
        for (int k = 0; k < ROCE_KINDS; k++) l->kind[k].all = params->messages[k];
        good = (l->peer_memory = malloc(size)) && (l->memory = y->platform.alloc(y->platform.self, size, 4096)) &&
               (l->key = rnic_register(y->peer, DOMAIN, l->peer_memory, l->peer_base, size,
                                       RNIC_LOCAL_WRITE | RNIC_REMOTE_WRITE | RNIC_REMOTE_READ));
    }
    good = good && (t->opener = sim_task_new(y->sim, "open", open_task, t)) && sim_task_new(y->sim, "peer", peer_task, t);
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

int roce_traffic_complete(const roce_traffic *t)
{
    for (unsigned i = 0; i < t->p.connections; i++)
        if (!lane_done(&t->lanes[i])) return 0;
    return 1;
}

void roce_traffic_wait(roce_traffic *t)
{
    while (!roce_traffic_complete(t)) sim_wait_cycles(t->y->board->clock, 256);
    for (unsigned i = 0; i < t->p.connections; i++) sim_join(t->lanes[i].task);
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
            fprintf(out, "QP %u, %s: %u of %u messages have come, %u were posted\n", l->qp ? rn_qp_number(l->qp) : 0, roce_kind_names[k],
                    l->kind[k].taken, l->kind[k].all, l->kind[k].posted);
        }
}
