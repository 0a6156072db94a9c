#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/traffic/roce_pattern.h"
#include "sim/app/roce/traffic/roce_traffic_internal.h"

const char *const roce_kind_names[ROCE_KINDS] = {"send-in", "send-out", "write", "read"};

roce_traffic_params roce_traffic_defaults(void)
{
    return (roce_traffic_params){.connections = 7,
                                 .messages = {20, 20, 20, 20},
                                 .shortest = 1,
                                 .longest = 16384,
                                 .depth = 8,
                                 .timeout = 3,
                                 .reads = 16,
                                 .psn = -1};
}

/* ---- packets on the line */

static unsigned qp_at(const connection *l, int end)
{
    const rn_qp *qp = l->side[end].qp;
    return qp ? rn_qp_number(qp) : end && l->peer ? FIRST_PEER_QP + l->number : 0;
}

static void observe(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_traffic *t = self;
    roce_header h;
    if (bad_fcs || !roce_header_of(frame, length, &h)) return;
    unsigned connection = h.qp - (from || t->p.other ? 2 : FIRST_PEER_QP);
    t->said[from] = time;
    if (connection < t->p.connections && qp_at(&t->connections[connection], !from) == h.qp)
        t->connections[connection].last[from] = (roce_last_packet){time, h};
}

/* A chip's packet that was there before: its memory must not have been software's meanwhile. */
static void look_again(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_traffic *t = self;
    roce_header h;
    (void)time;
    if (bad_fcs || (from && !t->p.other) || !roce_header_of(frame, length, &h) || h.opcode > 0x0c) return;
    unsigned connection = h.qp - (from || t->p.other ? 2 : FIRST_PEER_QP);
    if (connection >= t->p.connections || qp_at(&t->connections[connection], !from) != h.qp) return;
    request *r = &t->connections[connection].request[from][h.psn % REMEMBERED];
    uint64_t sum = length, word;
    for (size_t i = 0; i + sizeof word <= length; i += sizeof word) {
        memcpy(&word, frame + i, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    if (r->sum && r->psn == h.psn && r->sum != sum)
        sim_fail(t->y->sim, "QP %u: PSN %06x, opcode %02x, leaves again with other bytes",
                 qp_at(&t->connections[connection], from), h.psn, h.opcode);
    *r = (request){h.psn, sum};
}

const char *traffic_last(const connection *l, int end, char text[ROCE_LAST_PACKET])
{
    return roce_last_packet_words(&l->last[end], end ? "its peer" : "the chip", text);
}

/* Ends the run when one end has been silent for too long. */
static void look_for_silence(const roce_traffic *t)
{
    for (int from = 0; t->opened && from < 2; from++) {
        if (sim_now(t->y->sim) - t->said[from] < roce_last_packet_patience(t->p.timeout)) continue;
        const connection *l = t->connections;
        char text[ROCE_LAST_PACKET];
        while (traffic_connection_done(l)) l++;
        sim_fail(t->y->sim, "%s is silent: QP %u waits, and %s", from ? "the peer" : "the chip", qp_at(l, 0),
                 traffic_last(l, from, text));
    }
}

/* ---- set-up */

static unsigned sides(const roce_traffic *t) { return t->p.other ? 2 : 1; }

static unsigned pmtu_of(const connection *l)
{
    return l->traffic->p.pmtu ? l->traffic->p.pmtu : roce_pmtus[l->number % 5];
}

static int ipv6_of(const connection *l) { return l->traffic->p.ip ? l->traffic->p.ip == 6 : l->number % 2; }

static int create(side *e)
{
    const connection *l = e->connection;
    const roce_traffic_params *p = &l->traffic->p;
    rn_qp_params q = rn_qp_params_default();
    q.send_depth = p->depth * 3 + 1;
    q.receive_depth = p->depth + 1;
    q.receive_bytes = (p->longest + 255) / 256 * 256;
    q.handshake = p->handshake == 2 || (p->handshake && l->number % 2);
    return rn_qp_create(e->y->device, &q, &e->qp);
}

static int connect_qps(connection *l, char error[ROCE_SYSTEM_ERROR])
{
    const roce_traffic *t = l->traffic;
    roce_path path = {.ipv6 = ipv6_of(l), .pmtu = pmtu_of(l), .timeout = t->p.timeout, .reads = t->p.reads};
    for (int i = 1; i >= 0; i--)
        path.psn[i] = (t->p.psn >= 0 ? (uint32_t)t->p.psn : (uint32_t)sim_random(t->y->sim)) & 0xffffff;
    for (side *e = l->side; e < l->side + sides(t); e++)
        if (create(e)) {
            snprintf(error, ROCE_SYSTEM_ERROR, "%s", rn_last_error(e->y->device));
            return -1;
        }
    if (t->p.other) {
        for (int i = 0; i < 2; i++)
            if (roce_system_connect(l->side[i].y, l->side[i].qp, rn_qp_number(l->side[!i].qp), &path, error)) return -1;
        return 0;
    }
    const rnic_qp_params peer = {.number = FIRST_PEER_QP + l->number, .domain = DOMAIN, .sends = 64, .receives = 64};
    if (!(l->peer = rnic_qp_new(t->y->peer, &peer, error)) ||
        roce_system_connect_both(t->y, l->side[0].qp, l->peer, &path, error))
        return -1;
    for (unsigned m = 0; m < t->p.depth; m++) traffic_post_receive(l, m);
    return 0;
}

static void open_task(void *self)
{
    roce_traffic *t = self;
    char error[ROCE_SYSTEM_ERROR];
    if (roce_system_open(t->y) || (t->p.other && roce_system_open(t->p.other))) return;
    for (unsigned i = 0; i < t->p.connections; i++)
        if (connect_qps(&t->connections[i], error)) {
            sim_fail(t->y->sim, "connection %u: %s", i, error);
            return;
        }
    t->opened = 1;
    t->said[0] = t->said[1] = sim_now(t->y->sim);
    for (unsigned i = 0; i < t->p.connections * sides(t); i++) {
        side *e = &t->connections[i / sides(t)].side[i % sides(t)];
        char name[24];
        snprintf(name, sizeof name, "%sqp%u", e->y->end ? "peer_" : "", rn_qp_number(e->qp));
        if (!(e->task = sim_task_new(t->y->sim, name, traffic_side_task, e)))
            sim_fail(t->y->sim, "no memory for a task");
    }
}

int roce_traffic_check(const roce_traffic_params *p, unsigned qps, char error[ROCE_SYSTEM_ERROR])
{
    const roce_limit limits[] = {
        {"connections", p->connections, 1, qps - 1},
        {"longest message", p->longest, 1, 1 << 20},
        {"shortest message", p->shortest, 1, p->longest},
        {"messages under way", p->depth, 1, 64},
        {"timeout", p->timeout, 1, 31},
        {"outstanding READs", p->reads, 1, 16},
    };
    if (roce_limits_check(limits, sizeof limits / sizeof *limits, error) || roce_limits_path(p->pmtu, p->ip, 1, error))
        return -1;
    if (p->other && (p->messages[ROCE_WRITE] || p->messages[ROCE_READ])) {
        snprintf(error, ROCE_SYSTEM_ERROR,
                 "messages between two of these chips: expected SENDs alone, neither takes WRITEs or READs");
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
    t->connections = calloc(params->connections, sizeof *t->connections);
    int good = t->buffer && t->connections;
    for (unsigned i = 0; good && i < params->connections; i++) {
        connection *l = &t->connections[i];
        *l = (connection){.traffic = t, .number = i, .peer_base = (uint64_t)(i + 1) << 32};
        for (int k = 0; k < ROCE_KINDS; k++) l->kind[k].all = params->messages[k];
        for (unsigned n = 0; good && n < sides(t); n++) {
            side *e = &l->side[n];
            e->connection = l;
            e->y = n ? params->other : y;
            e->random = roce_mix(sim_seed(y->sim) + i + (uint64_t)n * 1000);
            good = (e->memory = e->y->platform.alloc(e->y->platform.self, size, 4096)) != 0;
        }
        if (good && !params->other)
            good = (l->peer_memory = malloc(size)) &&
                   (l->key = rnic_register(y->peer, DOMAIN, l->peer_memory, l->peer_base, size,
                                           RNIC_LOCAL_WRITE | RNIC_REMOTE_WRITE | RNIC_REMOTE_READ));
    }
    good = good && (t->opener = sim_task_new(y->sim, "open", open_task, t)) &&
           (params->other || sim_task_new(y->sim, "peer", traffic_peer_task, t)) &&
           !ethernet_wire_observe(y->wire, ETHERNET_ARRIVED, observe, t) &&
           !ethernet_wire_observe(y->wire, ETHERNET_SENT, look_again, t);
    if (good) return t;
    roce_traffic_free(t);
    return NULL;
}

void roce_traffic_free(roce_traffic *t)
{
    if (!t) return;
    for (unsigned i = 0; t->connections && i < t->p.connections; i++) {
        if (t->connections[i].key) rnic_deregister(t->y->peer, t->connections[i].key);
        free(t->connections[i].peer_memory);
    }
    free(t->connections);
    free(t->buffer);
    free(t);
}

const roce_traffic_kind *roce_traffic_kinds(const roce_traffic *t) { return t->kinds; }

int roce_traffic_opened(const roce_traffic *t) { return t->opened; }

int roce_traffic_complete(const roce_traffic *t)
{
    for (unsigned i = 0; i < t->p.connections; i++)
        if (!traffic_connection_done(&t->connections[i])) return 0;
    return 1;
}

void roce_traffic_wait(roce_traffic *t)
{
    while (!roce_traffic_complete(t)) {
        sim_wait_cycles(t->y->board->clock, 256);
        if (!roce_traffic_complete(t)) look_for_silence(t);
    }
    for (unsigned i = 0; i < t->p.connections * sides(t); i++)
        sim_join(t->connections[i / sides(t)].side[i % sides(t)].task);
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
            const connection *l = &t->connections[i];
            if (l->kind[k].taken >= l->kind[k].all || !lines) continue;
            lines--;
            fprintf(out, "QP %u, %s: %u of %u messages have come, %u were posted\n",
                    l->side[0].qp ? rn_qp_number(l->side[0].qp) : 0, roce_kind_names[k], l->kind[k].taken,
                    l->kind[k].all, l->kind[k].posted);
        }
}
