/* The stages of packets, see stages.h. */
#include "sim/system/nodes/stages.h"

#include <stdlib.h>
#include <string.h>

enum {
    QUEUE_WINDOW = 0x4000, /* of BAR1: the request queues */
    SLOTS = 1024,          /* of all queues of a NIC */
    WAYS = 512             /* packets between one node and another at most, under way on the link and in the switch */
};

/* A descriptor as the host has written it. */
typedef struct slot {
    uint32_t part[4];
    unsigned written; /* bit per part */
    unsigned sent;    /* words of it that have left */
    sim_time at;      /* of the last part */
    uint64_t clock;
} slot;

/* A packet that has left its NIC. */
typedef struct way {
    uint64_t header, word; /* as sent; its SOP on the cable */
    sim_time at[STAGES];
    uint64_t clock;
} way;

typedef struct end {
    stages *s;
    unsigned node;
    uint64_t queues; /* bus address of the request queues */
    slot slot[SLOTS];
    unsigned next[FABRIC_NODES]; /* slot that each queue serves next */
    struct ways {
        way list[WAYS];
        uint64_t first, count; /* of all that have been sent; those that are not over yet */
    } to[FABRIC_NODES];
    sniffer *wire;
} end;

struct stages {
    fabric *f;
    void (*on_packet)(void *self, const stages_packet *p);
    void *self;
    uint64_t strangers;
    end *end; /* of each node */
};

static unsigned slots_per_queue(const end *e) { return SLOTS / nx_queues(e->s->f->node[e->node]->dev); }

/* ---- descriptors, from the bus */

static void part_written(end *e, uint64_t offset, uint32_t value, const pcix_sample *c)
{
    slot *d = &e->slot[offset / 16];
    unsigned part = (unsigned)(offset / 4 % 4);
    if (d->written >> part & 1) return; /* the NIC refuses it, too */
    d->part[part] = value;
    d->written |= 1u << part;
    d->at = sim_now(e->s->f->s);
    d->clock = c->clock;
}

static void on_bus_clock(void *self, const pcix_sample *c)
{
    end *e = self;
    node *n = e->s->f->node[e->node];
    if (c->phase != PCIX_PH_DATA) return;
    const pcix_transaction *t = pcix_tracker_now(pcix_bus_tracker(host_bus(n->host)));
    if (!pcix_is_memory_write(t->command) || !n->bus) return;
    if (!e->queues) e->queues = nx_bus_find(n->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address + QUEUE_WINDOW;
    unsigned width = t->ack64 ? 8 : 4;
    uint64_t at = (t->address & ~(uint64_t)(width - 1)) + (uint64_t)width * c->index;
    for (unsigned byte = 0; byte < width; byte += 4) {
        uint64_t offset = at + byte - e->queues;
        unsigned off = c->cbe >> byte &
                       15; /* bytes that are not written; a block has none but before its start and behind its end */
        int outside = at + byte < (t->address & ~(uint64_t)3) || at + byte >= t->address + t->byte_count;
        if (offset >= QUEUE_WINDOW || outside || (t->command != PCIX_WRITE_BLOCK && off)) continue;
        part_written(e, offset, (uint32_t)(c->ad >> 8 * byte), c);
    }
}

/* The descriptor that a packet to this address is the next part of. NULL: none. */
static slot *descriptor_of(end *e, unsigned queue, const sniffer_frame *p)
{
    unsigned slots = slots_per_queue(e);
    for (unsigned i = 0; i < slots; i++) { /* those before it have been skipped or abandoned */
        slot *d = &e->slot[queue * slots + (e->next[queue] + i) % slots];
        unsigned length = d->part[3] & 1023;
        if (d->written != 15) return NULL;
        if (d->part[2] + 8 * d->sent != p->address || d->sent + p->length > length) continue;
        while (i--) e->slot[queue * slots + e->next[queue]++ % slots] = (slot){0};
        d->sent += p->length;
        return d;
    }
    return NULL;
}

/* ---- packets, from the cables */

static void departed(end *e, unsigned queue, const sniffer_frame *p)
{
    slot *d = descriptor_of(e, queue, p);
    struct ways *w = &e->to[queue];
    if (!d) {
        e->s->strangers++;
        return;
    }
    if (w->count == WAYS) w->first++, w->count--; /* the oldest ones were lost */
    w->list[(w->first + w->count++) % WAYS] = (way){p->header, p->word, {d->at, p->time, 0, 0}, d->clock};
    if (d->sent == (d->part[3] & 1023)) *d = (slot){0}, e->next[queue]++;
}

static void left(stages *s, unsigned from, unsigned to, const sniffer_frame *p)
{
    struct ways *w = &s->end[from].to[to];
    stages_packet out = {.from = from, .to = to, .frame = p};
    for (; w->count; w->first++, w->count--) { /* those before it were lost */
        const way *x = &w->list[w->first % WAYS];
        frame_header sent = frame_header_read(x->header);
        if (sent.sequence != p->sequence || sent.address != p->address || sent.length != p->length) continue;
        memcpy(out.at, x->at, sizeof out.at);
        out.at[STAGE_LEFT] = p->time;
        out.created_clock = x->clock;
        w->first++, w->count--;
        s->on_packet(s->self, &out);
        return;
    }
    s->strangers++;
}

/* The node with this ID. */
static unsigned node_of(const fabric *f, unsigned id)
{
    unsigned i = 0;
    while (i < f->nodes && f->params.node[i].node_id != id) i++;
    return i;
}

/* The header is there: long before it arrives. */
static void on_header(void *self, const sniffer_frame *p)
{
    end *e = self;
    if (p->is_check) return;
    if (!e->s->f->chip.model) departed(&e->s->end[p->from], !p->from, p);
    else if (p->from == 0 && p->flow < e->s->f->nodes) departed(e, p->flow, p);
}

static void on_frame(void *self, const sniffer_frame *p)
{
    end *e = self;
    int direct = !e->s->f->chip.model;
    if (!p->has_header || p->is_check || !sniffer_frame_is_good(p) || (!direct && p->from == 0)) return;
    unsigned from = direct ? (unsigned)p->from : node_of(e->s->f, p->flow);
    if (from < e->s->f->nodes) left(e->s, from, direct ? !from : e->node, p);
    else e->s->strangers++;
}

static void on_arrival(void *self, int from, unsigned link, uint64_t word, sim_time time, uint64_t clock)
{
    end *e = self;
    (void)link, (void)clock;
    if (from || !e->s->f->chip.model) return;
    for (unsigned to = 0; to < e->s->f->nodes; to++) {
        struct ways *w = &e->to[to];
        for (uint64_t i = w->count; i--;) {
            way *x = &w->list[(w->first + i) % WAYS];
            if (x->word == word) x->at[STAGE_ARRIVED] = time;
            if (x->word <= word) break;
        }
    }
}

/* ---- life */

stages *stages_new(fabric *f, void (*on_packet)(void *self, const stages_packet *p), void *self)
{
    stages *s = calloc(1, sizeof *s);
    int bad = !s || !(s->end = calloc(f->nodes, sizeof *s->end));
    for (unsigned i = 0; !bad && i < f->nodes; i++) {
        end *e = &s->end[i];
        e->s = s;
        e->node = i;
        bad = pcix_bus_add_watcher(host_bus(f->node[i]->host), on_bus_clock, e) < 0;
        if (bad || (i && !f->chip.model)) continue;
        e->wire = sniffer_new(on_frame, e);
        bad = !e->wire || sniffer_attach(e->wire, f->wire[i], 0);
        if (!bad) sniffer_on_header(e->wire, on_header);
        cable_set_arrival(f->wire[i], on_arrival, e);
    }
    if (bad) {
        stages_free(s);
        return NULL;
    }
    s->f = f;
    s->on_packet = on_packet;
    s->self = self;
    return s;
}

void stages_free(stages *s)
{
    if (!s) return;
    for (unsigned i = 0; s->end && i < s->f->nodes; i++) sniffer_free(s->end[i].wire);
    free(s->end);
    free(s);
}

uint64_t stages_strangers(const stages *s) { return s->strangers; }
