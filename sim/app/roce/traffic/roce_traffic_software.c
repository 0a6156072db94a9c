#include <string.h>

#include "sim/app/roce/traffic/roce_pattern.h"
#include "sim/app/roce/traffic/roce_traffic_internal.h"

/* ---- software of the chip: a task for each QP */

static int failed(const side *e, int result)
{
    if (result >= 0) return 0;
    sim_fail(e->y->sim, "QP %u: %s", rn_qp_number(e->qp), rn_last_error(e->y->device));
    return 1;
}

/* The chip there posts messages of this kind. */
static int posts(const side *e, roce_kind kind) { return (kind == ROCE_SEND_IN) == (e->y->end == 1); }

/* The next kind to post, at random among those that may: ROCE_KINDS: none. */
static roce_kind choose(side *e)
{
    const connection *l = e->connection;
    const roce_traffic_params *p = &l->traffic->p;
    roce_kind may[ROCE_KINDS];
    unsigned n = 0;
    for (roce_kind k = 0; k < ROCE_KINDS; k++) {
        const stream *s = &l->kind[k];
        if (!posts(e, k) || s->posted >= s->all || s->posted - s->taken >= p->depth) continue;
        if (s->posted - s->ended < p->depth || p->hasty) may[n++] = k;
    }
    e->random = roce_mix(e->random + 1);
    return n ? may[e->random % n] : ROCE_KINDS;
}

static int is_send(roce_kind kind) { return kind == ROCE_SEND_IN || kind == ROCE_SEND_OUT; }

static int post(side *e, roce_kind kind)
{
    connection *l = e->connection;
    roce_traffic *t = l->traffic;
    unsigned message = l->kind[kind].posted;
    uint32_t length = traffic_length(l, kind, message);
    uint64_t key = traffic_key(l, kind, message);
    size_t place = traffic_place(l, kind, message);
    uint8_t inside[RN_INLINE];
    rn_work w = {.id = (uint16_t)message,
                 .length = length,
                 .local = e->memory + place,
                 .remote = l->peer_base + place,
                 .rkey = l->key};
    w.opcode = is_send(kind) ? RN_SEND : kind == ROCE_WRITE ? RN_WRITE : RN_READ;
    if (kind == ROCE_READ) {
        roce_pattern_fill(traffic_peer_at(l, kind, message), key, length);
        memset(t->buffer, 0, length);
    } else roce_pattern_fill(t->buffer, key, length);
    memory_write(e->y->board->bytes_of, w.local, t->buffer, length);
    if (kind == ROCE_WRITE) memset(traffic_peer_at(l, kind, message), 0, length);
    if (is_send(kind) && length <= RN_INLINE) {
        memcpy(inside, t->buffer, length);
        w.inside = inside;
    }
    int result = rn_post(e->qp, &w);
    if (failed(e, result)) return -1;
    e->order[(e->order_first + e->order_count++) % sizeof e->order] = (uint8_t)kind;
    traffic_posted(l, kind);
    return 0;
}

static void ended_badly(const side *e, roce_kind kind, unsigned message)
{
    char text[50 + ROCE_SYSTEM_WHY + ROCE_LAST_PACKET], why[ROCE_SYSTEM_WHY], last[ROCE_LAST_PACKET];
    snprintf(text, sizeof text, "it ended with an error: %s; %s", roce_system_why(e->y, rn_qp_number(e->qp), why),
             traffic_last(e->connection, !e->y->end, last));
    traffic_wrong(e->connection, kind, message, text);
}

static void completed(side *e, const rn_completion *c)
{
    connection *l = e->connection;
    roce_traffic *t = l->traffic;
    if (!e->order_count) {
        sim_fail(t->y->sim, "QP %u: a completion of nothing", rn_qp_number(e->qp));
        return;
    }
    roce_kind kind = (roce_kind)e->order[e->order_first];
    e->order_first = (e->order_first + 1) % sizeof e->order;
    e->order_count--;
    unsigned message = l->kind[kind].ended++;
    uint32_t length = traffic_length(l, kind, message);
    uint64_t place = e->memory + traffic_place(l, kind, message);
    if (c->error) ended_badly(e, kind, message);
    else if (c->id != (uint16_t)message) traffic_wrong(l, kind, message, "its completion has another ID");
    else if (kind == ROCE_READ) {
        memory_read(e->y->board->bytes_of, place, t->buffer, length);
        traffic_taken(l, kind, t->buffer, length);
    } else {
        /* the other end checks a SEND */
        if (kind == ROCE_WRITE) traffic_taken(l, kind, traffic_peer_at(l, kind, message), length);
        if (t->p.hasty) return;
        memset(t->buffer, 0xee, length);
        memory_write(e->y->board->bytes_of, place, t->buffer, length);
    }
}

/* Takes and posts all that is possible: 1 if there was anything. */
static int turn(side *e)
{
    roce_traffic *t = e->connection->traffic;
    int busy = 0, n;
    rn_message m;
    rn_completion c[16];
    while ((n = rn_receive(e->qp, &m)) > 0) {
        busy = 1;
        memory_read(e->y->board->bytes_of, m.address, t->buffer, m.length <= t->place ? m.length : t->place);
        traffic_taken(e->connection, e->y->end ? ROCE_SEND_OUT : ROCE_SEND_IN, t->buffer, m.length);
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

void traffic_side_task(void *self)
{
    side *e = self;
    while (!(traffic_connection_done(e->connection) && !e->order_count) && !*sim_error(e->y->sim))
        if (!turn(e)) sim_wait_cycles(e->y->board->clock, POLL);
}

/* ---- software at the peer: one task for all QPs */

void traffic_post_receive(connection *l, unsigned message)
{
    const rnic_receive w = {message, l->peer_base + traffic_place(l, ROCE_SEND_OUT, message), l->key,
                            l->traffic->p.longest};
    if (message < l->kind[ROCE_SEND_OUT].all && rnic_post_receive(l->peer, &w))
        traffic_wrong(l, ROCE_SEND_OUT, message, "the peer cannot post a receive for it");
}

static void peer_sends(connection *l)
{
    stream *s = &l->kind[ROCE_SEND_IN];
    while (s->posted < s->all && s->posted - s->taken < l->traffic->p.depth) {
        unsigned message = s->posted;
        const rnic_send w = {.id = message,
                             .operation = RNIC_SEND,
                             .address = l->peer_base + traffic_place(l, ROCE_SEND_IN, message),
                             .key = l->key,
                             .length = traffic_length(l, ROCE_SEND_IN, message)};
        roce_pattern_fill(traffic_peer_at(l, ROCE_SEND_IN, message), traffic_key(l, ROCE_SEND_IN, message), w.length);
        if (rnic_post_send(l->peer, &w)) return;
        traffic_posted(l, ROCE_SEND_IN);
    }
}

static void peer_completed(roce_traffic *t, const rnic_completion *c)
{
    if (c->qp - FIRST_PEER_QP >= t->p.connections) {
        if (t->p.foreign) t->p.foreign(t->p.foreign_self, c);
        return;
    }
    connection *l = &t->connections[c->qp - FIRST_PEER_QP];
    if (c->status != RNIC_SUCCESS) {
        char last[ROCE_LAST_PACKET];
        sim_fail(t->y->sim, "the peer's QP %u (QP %u of the chip): %s %lu ended with %s; %s", c->qp,
                 rn_qp_number(l->side[0].qp), c->receive ? "receive" : "send", (unsigned long)c->id,
                 rnic_status_name(c->status), traffic_last(l, 0, last));
        return;
    }
    if (!c->receive) return; /* the chip's software checks it */
    unsigned message = l->kind[ROCE_SEND_OUT].taken;
    if (c->id != message) traffic_wrong(l, ROCE_SEND_OUT, message, "another receive was used");
    else traffic_taken(l, ROCE_SEND_OUT, traffic_peer_at(l, ROCE_SEND_OUT, message), c->length);
    traffic_post_receive(l, message + t->p.depth);
}

void traffic_peer_task(void *self)
{
    roce_traffic *t = self;
    rnic_completion c;
    while (!t->opened && !*sim_error(t->y->sim)) sim_wait_cycles(t->y->board->clock, POLL);
    while (!roce_traffic_complete(t) && !*sim_error(t->y->sim)) {
        while (rnic_poll(t->y->peer, &c)) peer_completed(t, &c);
        for (unsigned i = 0; i < t->p.connections; i++) peer_sends(&t->connections[i]);
        sim_wait_cycles(t->y->board->clock, POLL);
    }
}
