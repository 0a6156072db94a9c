#include "sim/app/roce/linux/roce_late.h"

#include <stdlib.h>

#include "rn_mad.h"
#include "sim/model/rnic/rnic_packet.h"

/* A connection that Linux has asked for. */
typedef struct connection {
    uint32_t id, qp; /* Linux' own */
    int ended;
    uint32_t newest[2]; /* PSN of the newest request and of the newest answer that came */
    int seen[2];
    uint32_t repeated[2]; /* repeated packets */
} connection;

struct roce_late {
    int end;
    connection *at;
    size_t count, room;
    uint32_t late[2]; /* requests, answers */
};

/* The newest one of this ID, or of this QP of Linux. */
static connection *find(roce_late *l, uint32_t id, uint32_t qp)
{
    for (size_t i = l->count; i--;)
        if (l->at[i].id == id || l->at[i].qp == qp) return &l->at[i];
    return NULL;
}

static void begin(roce_late *l, const rn_cm_message *m)
{
    connection *c = find(l, m->local_id, 0);
    if (c) return; /* asked for again */
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 64;
        connection *more = realloc(l->at, room * sizeof *more);
        if (!more) return; /* no connection has late packets */
        l->at = more;
        l->room = room;
    }
    l->at[l->count++] = (connection){.id = m->local_id, .qp = m->qp};
}

/* Linux' counts of its connections. */
static void sent(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_late *l = self;
    rn_mad_frame f;
    rn_cm_message m;
    const char *why;
    (void)time, (void)bad_fcs;
    if (from != l->end || rn_mad_frame_parse(frame, length, &f, &why) || rn_cm_decode(f.mad, &m, &why)) return;
    connection *c;
    if (m.kind == RN_CM_REQ) begin(l, &m);
    else if (m.kind == RN_CM_DREQ && (c = find(l, m.local_id, 0))) c->ended = 1;
}

static void arrived(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_late *l = self;
    rnic_packet p;
    const char *why;
    connection *c;
    (void)time, (void)bad_fcs;
    if (from == l->end || rnic_packet_read(&p, frame, length, &why) != RNIC_GOOD || p.qp == 1 ||
        !(c = find(l, 0, p.qp)))
        return;
    int answer = p.opcode >= RNIC_RESPONSE_FIRST && p.opcode <= RNIC_ACKNOWLEDGE;
    int32_t ahead = (int32_t)((p.psn - c->newest[answer]) << 8) >> 8;
    if (c->ended) l->late[answer]++;
    else if (c->seen[answer] && ahead <= 0) c->repeated[answer]++;
    else {
        c->newest[answer] = p.psn;
        c->seen[answer] = 1;
    }
}

roce_late *roce_late_new(ethernet_wire *wire, int end)
{
    roce_late *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->end = end;
    if (!ethernet_wire_observe(wire, ETHERNET_SENT, sent, l) &&
        !ethernet_wire_observe(wire, ETHERNET_ARRIVED, arrived, l))
        return l;
    free(l);
    return NULL;
}

void roce_late_free(roce_late *l)
{
    if (!l) return;
    free(l->at);
    free(l);
}

roce_late_counts roce_late_count(const roce_late *l)
{
    roce_late_counts c = {.packets = l->late[0] + l->late[1], .requests = l->late[0]};
    for (size_t i = 0; i < l->count; i++) {
        c.repeated_packets += l->at[i].repeated[0] + l->at[i].repeated[1];
        c.repeated_requests += l->at[i].repeated[0];
    }
    return c;
}
