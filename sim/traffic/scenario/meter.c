#include "sim/traffic/scenario/meter.h"

#include <stdlib.h>
#include <string.h>

#include "sim/model/cable/sniffer.h"
#include "sim/traffic/faults/faults.h"

/* Packets sent and not yet in memory. */
struct flight {
    sim_time sop;
    uint32_t address, bytes;
    uint32_t written; /* of them in memory */
    uint64_t number;  /* of its direction */
};

/* A write seen before its packet's frame had ended on the wire (cut-through): it waits for the frame. */
struct early {
    uint32_t address, bytes;
    sim_time when;
};
enum {
    EARLY = 8 /* for each path */,
    AHEAD = 1024 /* packets that can be ahead of one over another path: it is lost then */
};

/* Clocks of something, and those of them in which it was busy. */
struct pace {
    uint64_t clocks, busy;
};

/* Its recent values, edge by edge: a reader may be behind by a window (sim_lookahead). */
enum { LATELY = 64 };
struct lately {
    struct {
        sim_time time;
        struct pace is;
    } at[LATELY];
    uint64_t edges;
};

struct counts {
    struct pace link, bus[2]; /* of the sender's line; of the buses of sender and receiver */
};

/* At a node of the pair. */
struct place {
    meter *m;
    unsigned node;
    struct lately link, bus;
};

struct direction {
    meter *m;
    unsigned from;
    struct flight *flights; /* ring */
    size_t first, count, room;
    struct early early[EARLY * FABRIC_LINKS];
    unsigned early_count;
    uint64_t *latencies; /* [ps] */
    size_t latency_room;
    struct counts begin, end;
    meter_direction d;
};

struct meter {
    pair *p;
    int stopped;
    sim_time cleared; /* packets that began before are not counted: a part of them may be in memory */
    faults *faults;
    unsigned links;                    /* that each packet takes one of, and so may overtake others */
    overtaking overtaking;             /* both directions */
    sniffer *sniffer[2][FABRIC_LINKS]; /* of node 0's cables, and of node 1's if those are others */
    struct place place[2];
    struct direction direction[2];
};

/* ---- clocks ---- */

static void keep(struct lately *l, sim_time now, struct pace is)
{
    l->at[l->edges % LATELY].time = now;
    l->at[l->edges++ % LATELY].is = is;
}

/* Its value before that time. */
static struct pace before(const struct lately *l, sim_time time)
{
    uint64_t i = l->edges;
    while (i && l->edges - i < LATELY) {
        i--;
        if (l->at[i % LATELY].time < time) return l->at[i % LATELY].is;
    }
    if (i) {
        fprintf(stderr, "meter: an event is older than the recorded history\n");
        abort();
    }
    return (struct pace){0};
}

/* In the sample phase of `on_edge` 0, else in the drive phase of a node's bus clock: then words have gone already, and
 * the other bus has moved if its clock goes first. */
static struct counts count(const struct direction *d, const struct place *on_edge)
{
    const meter *m = d->m;
    const sim_time now = sim_now(m->p->s);
    struct counts c = {.link = before(&m->place[d->from].link, now + (on_edge != NULL))};
    for (unsigned i = 0; i < 2; i++) {
        const struct place *p = &m->place[i ? !d->from : d->from];
        c.bus[i] = before(&p->bus, now + (on_edge && m->p->node[p->node]->id <= m->p->node[on_edge->node]->id));
    }
    return c;
}

static void *grow(void *array, size_t *room, size_t size)
{
    *room = *room ? 2 * *room : 1024;
    array = realloc(array, *room * size);
    if (!array) {
        fprintf(stderr, "meter: out of memory\n");
        exit(1);
    }
    return array;
}

static struct flight *flight(const struct direction *d, size_t i) { return &d->flights[(d->first + i) % d->room]; }

static void drop_oldest(struct direction *d)
{
    d->first = (d->first + 1) % d->room;
    d->count--;
}

static void lose_oldest(struct direction *d)
{
    drop_oldest(d);
    d->d.lost++;
    faults_lost(d->m->faults, d->from, !d->from);
}

/* The ith that is on its way. */
static void landed(struct direction *d, size_t i, sim_time when)
{
    const struct flight *f = flight(d, i);
    if (d->d.packets == d->latency_room) d->latencies = grow(d->latencies, &d->latency_room, sizeof *d->latencies);
    d->latencies[d->d.packets++] = when - f->sop;
    d->d.bytes += f->bytes;
    d->d.last = when;
    faults_landed(d->m->faults, d->from, !d->from);
    overtaking_add(&d->m->overtaking, (unsigned)(f->number - flight(d, 0)->number));
    for (; i; i--) *flight(d, i) = *flight(d, i - 1);
    drop_oldest(d);
}

/* A write to the receiver's memory: 1 if it belongs to a packet in flight. on_edge: see count. */
static int wrote(struct direction *d, const struct early *w, const struct place *on_edge)
{
    /* the oldest packet that it can belong to; those before it were lost, if none can overtake them */
    size_t i = 0;
    while (i < d->count && flight(d, i)->address + flight(d, i)->written != w->address) i++;
    if (i == d->count) return 0;
    for (; i && d->m->links == 1; i--) lose_oldest(d);
    flight(d, i)->written += w->bytes;
    if (flight(d, i)->written >= flight(d, i)->bytes) {
        landed(d, i, w->when);
        d->end = count(d, on_edge);
        sim_progress(d->m->p->s);
    }
    return 1;
}

/* A packet has left: delivered by sim_post. */
static void sent(void *self, const void *event)
{
    struct direction *d = self;
    const struct flight *f = event;
    if (d->count == d->room) {
        size_t old = d->room;
        d->flights = grow(d->flights, &d->room, sizeof *d->flights);
        /* the part that had wrapped around moves behind the rest */
        memcpy(d->flights + old, d->flights, d->first * sizeof *d->flights);
    }
    *flight(d, d->count) = *f;
    flight(d, d->count++)->number = d->d.sent_packets;
    if (d->count > AHEAD && d->m->links > 1) lose_oldest(d);
    if (!d->d.sent_packets++) {
        d->d.first = f->sop;
        d->begin = count(d, NULL);
    }
    unsigned left = 0;
    for (unsigned i = 0; i < d->early_count && (d->count == 1 || d->m->links > 1); i++)
        if (!wrote(d, &d->early[i], NULL)) d->early[left++] = d->early[i];
    d->early_count = d->m->links > 1 ? left : 0;
}

static void tell_sent(meter *m, unsigned from, const sniffer_frame *frame)
{
    struct flight f = {.sop = frame->time, .address = frame->address, .bytes = frame->length * 8};
    if (m->stopped || !frame->has_header || frame->is_check || frame->end != SNIFFER_COMPLETE ||
        frame->time < m->cleared)
        return;
    sim_post(m->p->s, sent, &m->direction[from], &f, sizeof f);
}

static void on_frame(void *self, const sniffer_frame *frame)
{
    meter *m = self;
    if (m->p->far == m->p->wire || !frame->from) tell_sent(m, (unsigned)frame->from, frame);
}

static void on_far_frame(void *self, const sniffer_frame *frame)
{
    if (!frame->from) tell_sent(self, 1, frame);
}

/* A packet or notification is in the receiver's memory: delivered by sim_post. */
static void written(void *self, const void *event)
{
    struct direction *d = self;
    const struct early *w = event;
    if (wrote(d, w, &d->m->place[!d->from])) return;
    /* a notification, or a packet whose frame is still on the wire; the newest few are kept */
    if (d->early_count == EARLY * d->m->links) memmove(d->early, d->early + 1, --d->early_count * sizeof *d->early);
    d->early[d->early_count++] = *w;
}

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    const struct place *p = self;
    meter *m = p->m;
    struct early w = {(uint32_t)t->address, t->bytes, when};
    if (m->stopped || t->command != PCIX_WRITE_BLOCK || t->initiator != m->p->node[p->node]->nic_agent) return;
    sim_post(m->p->s, written, &m->direction[!p->node], &w, sizeof w);
}

/* After the cable. */
static void on_word(void *self)
{
    struct place *p = self;
    const pair *two = p->m->p;
    struct pace is = {0};
    if (p->m->stopped) return;
    for (unsigned l = 0; l < p->m->links; l++) {
        uint64_t idle, words;
        int end;
        cable *wire = fabric_link(two->f, two->node[p->node]->id, l, &end);
        words = cable_sent(wire, end, two->f->chip.model ? 0 : l, &idle);
        is.clocks += words;
        is.busy += words - idle;
    }
    keep(&p->link, sim_now(two->s), is);
}

static void on_bus_clock(void *self, const pcix_sample *sample)
{
    struct place *p = self;
    const host_stats *bus = host_get_stats(p->m->p->node[p->node]->host);
    (void)sample;
    if (!p->m->stopped) keep(&p->bus, sim_now(p->m->p->s), (struct pace){bus->clocks, bus->data_clocks});
}

/* ---- life ---- */

meter *meter_new(pair *p)
{
    meter *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->p = p;
    m->links = p->f->links;
    for (unsigned i = 0; i < (p->far != p->wire ? 2 : 1); i++)
        for (unsigned l = 0; l < m->links; l++) {
            int end;
            cable *wire = fabric_link(p->f, p->node[i]->id, l, &end);
            m->sniffer[i][l] = sniffer_new(i ? on_far_frame : on_frame, m);
            if (!m->sniffer[i][l] || sniffer_attach(m->sniffer[i][l], wire, p->f->chip.model ? 0 : l)) {
                meter_free(m);
                return NULL;
            }
        }
    sim_known(p->s, m, sizeof *m);
    for (unsigned i = 0; i < 2; i++) {
        node *n = p->node[i];
        m->direction[i].m = m->place[i].m = m;
        m->direction[i].from = m->place[i].node = i;
        host_on_written(n->host, on_written, &m->place[i]);
        pcix_bus_add_watcher(host_bus(n->host), on_bus_clock, &m->place[i]);
        sim_clock_attach(n->net_clock, on_word, NULL, &m->place[i]);
    }
    return m;
}

void meter_free(meter *m)
{
    if (!m) return;
    for (int i = 0; i < 2; i++) {
        free(m->direction[i].flights);
        free(m->direction[i].latencies);
    }
    for (int i = 0; i < 2; i++)
        for (unsigned l = 0; l < m->links; l++) sniffer_free(m->sniffer[i][l]);
    free(m);
}

void meter_tell(meter *m, faults *faults) { m->faults = faults; }

void meter_clear(meter *m)
{
    m->cleared = sim_now(m->p->s);
    memset(&m->overtaking, 0, sizeof m->overtaking);
    for (int i = 0; i < 2; i++) {
        struct direction *d = &m->direction[i];
        d->first = d->count = 0;
        d->early_count = 0;
        memset(&d->d, 0, sizeof d->d);
    }
}

void meter_stop(meter *m) { m->stopped = 1; }

void meter_same(meter *m)
{
    for (unsigned i = 0; i < 2; i++) {
        struct counts *const both[] = {&m->direction[i].begin, &m->direction[i].end};
        for (unsigned k = 0; k < 2; k++) {
            sim_same(m->p->node[i]->group, &both[k]->link, sizeof both[k]->link);
            sim_same(m->p->node[i]->group, &both[k]->bus[0], sizeof both[k]->bus[0]);
            sim_same(m->p->node[!i]->group, &both[k]->bus[1], sizeof both[k]->bus[1]);
        }
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double share(const struct pace *begin, const struct pace *end)
{
    uint64_t clocks = end->clocks - begin->clocks;
    return clocks ? (double)(end->busy - begin->busy) / (double)clocks : 0;
}

const overtaking *meter_overtaking(const meter *m) { return &m->overtaking; }

void meter_get(const meter *m, int from, meter_direction *out)
{
    const struct direction *d = &m->direction[from];
    *out = d->d;
    if (!d->d.packets) return;
    size_t n = d->d.packets;
    qsort(d->latencies, n, sizeof *d->latencies, compare);
    out->latency_min = 1e-3 * (double)d->latencies[0];
    out->latency_median = 1e-3 * (double)d->latencies[n / 2];
    out->latency_p99 = 1e-3 * (double)d->latencies[(n * 99 - 1) / 100];
    if (d->d.last > d->d.first)
        out->mib_per_second = (double)d->d.bytes / (1024.0 * 1024.0) / (1e-12 * (double)(d->d.last - d->d.first));
    out->link_busy = share(&d->begin.link, &d->end.link);
    out->sender_bus_data = share(&d->begin.bus[0], &d->end.bus[0]);
    out->receiver_bus_data = share(&d->begin.bus[1], &d->end.bus[1]);
}
