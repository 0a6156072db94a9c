#include "meter.h"

#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "sniffer.h"

/* Packets sent and not yet in memory. */
struct flight {
    sim_time sop;
    uint32_t address, bytes;
};

/* A write seen before its packet's frame had ended on the wire (cut-through): it waits for the frame. */
struct early {
    uint32_t address, bytes;
    sim_time when;
};
enum { EARLY = 8 };

struct counts {
    uint64_t words, idle_words;
    uint64_t clocks[2], data_clocks[2]; /* of the buses of sender and receiver */
};

struct direction {
    meter *m;
    int from;
    struct flight *flights; /* ring */
    size_t first, count, room;
    uint32_t written; /* bytes of the oldest flight that are in memory */
    struct early early[EARLY];
    unsigned early_count;
    uint64_t *latencies; /* [ps] */
    size_t latency_room;
    struct counts begin, end;
    meter_direction d;
    int nic_agent; /* of the receiver's bus */
};

struct meter {
    pair *p;
    int stopped;
    sim_time cleared; /* packets that began before are no business of ours: a part of them may be in memory */
    faults *faults;
    sniffer *sniffer[2]; /* of node 0's cable, and of node 1's if that is another */
    struct direction direction[2];
};

static struct counts count(const struct direction *d)
{
    struct counts c;
    cable_stats wire;
    const pair *p = d->m->p;
    cable_get_stats(d->from ? p->far : p->wire, d->from && p->far == p->wire, 0, &wire);
    c.words = wire.words;
    c.idle_words = wire.idle_words;
    for (int i = 0; i < 2; i++) {
        const host_stats *bus = host_get_stats(d->m->p->node[i ? !d->from : d->from]->host);
        c.clocks[i] = bus->clocks;
        c.data_clocks[i] = bus->data_clocks;
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

static void landed(struct direction *d, sim_time when)
{
    struct flight *f = &d->flights[d->first];
    if (d->d.packets == d->latency_room) d->latencies = grow(d->latencies, &d->latency_room, sizeof *d->latencies);
    d->latencies[d->d.packets++] = when - f->sop;
    d->d.bytes += f->bytes;
    d->d.last = when;
    faults_landed(d->m->faults, (unsigned)d->from, (unsigned)!d->from);
    d->first = (d->first + 1) % d->room;
    d->count--;
    d->written = 0;
}

/* A write to the receiver's memory: 1 if it belongs to a packet in flight. */
static int wrote(struct direction *d, uint32_t address, uint32_t bytes, sim_time when)
{
    /* the oldest packet that it can belong to; those before it were lost */
    size_t skip = 0;
    while (skip < d->count) {
        const struct flight *f = &d->flights[(d->first + skip) % d->room];
        if (f->address + (skip ? 0 : d->written) == address) break;
        skip++;
    }
    if (skip == d->count) return 0;
    if (skip) {
        d->first = (d->first + skip) % d->room;
        d->count -= skip;
        d->d.lost += skip;
        while (skip--) faults_lost(d->m->faults, (unsigned)d->from, (unsigned)!d->from);
        d->written = 0;
    }
    d->written += bytes;
    if (d->written >= d->flights[d->first].bytes) {
        landed(d, when);
        d->end = count(d);
        sim_progress(d->m->p->s);
    }
    return 1;
}

static void sent(struct direction *d, const sniffer_frame *frame)
{
    if (!frame->has_header || frame->is_check || frame->end != SNIFFER_COMPLETE || frame->time < d->m->cleared) return;
    if (d->count == d->room) {
        size_t old = d->room;
        d->flights = grow(d->flights, &d->room, sizeof *d->flights);
        /* the part that had wrapped around moves behind the rest */
        memcpy(d->flights + old, d->flights, d->first * sizeof *d->flights);
    }
    d->flights[(d->first + d->count++) % d->room] = (struct flight){frame->time, frame->address, frame->length * 8};
    if (!d->d.sent_packets++) {
        d->d.first = frame->time;
        d->begin = count(d);
    }
    for (unsigned i = 0; i < d->early_count && d->count == 1; i++) wrote(d, d->early[i].address, d->early[i].bytes, d->early[i].when);
    d->early_count = 0;
}

static void on_frame(void *self, const sniffer_frame *frame)
{
    meter *m = self;
    if (!m->stopped && (m->p->far == m->p->wire || !frame->from)) sent(&m->direction[frame->from], frame);
}

static void on_far_frame(void *self, const sniffer_frame *frame)
{
    meter *m = self;
    if (!m->stopped && !frame->from) sent(&m->direction[1], frame);
}

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    struct direction *d = self;
    if (d->m->stopped || t->command != PCIX_WRITE_BLOCK || t->initiator != d->nic_agent) return;
    if (wrote(d, (uint32_t)t->address, t->bytes, when)) return;
    /* a notification, or a packet whose frame is still on the wire; the newest few are kept */
    if (d->early_count == EARLY) memmove(d->early, d->early + 1, --d->early_count * sizeof *d->early);
    d->early[d->early_count++] = (struct early){(uint32_t)t->address, t->bytes, when};
}

meter *meter_new(pair *p)
{
    meter *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->p = p;
    m->sniffer[0] = sniffer_new(on_frame, m);
    sniffer_attach(m->sniffer[0], p->wire, 0);
    if (p->far != p->wire) {
        m->sniffer[1] = sniffer_new(on_far_frame, m);
        sniffer_attach(m->sniffer[1], p->far, 0);
    }
    for (int from = 0; from < 2; from++) {
        struct direction *d = &m->direction[from];
        d->m = m;
        d->from = from;
        d->nic_agent = p->node[!from]->nic_agent;
        host_on_written(p->node[!from]->host, on_written, d);
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
    for (int i = 0; i < 2; i++) sniffer_free(m->sniffer[i]);
    free(m);
}

void meter_tell(meter *m, faults *faults)
{
    m->faults = faults;
}

void meter_clear(meter *m)
{
    m->cleared = sim_now(m->p->s);
    for (int i = 0; i < 2; i++) {
        struct direction *d = &m->direction[i];
        d->first = d->count = 0;
        d->written = 0;
        d->early_count = 0;
        memset(&d->d, 0, sizeof d->d);
    }
}

void meter_stop(meter *m)
{
    m->stopped = 1;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

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
    if (d->d.last > d->d.first) out->mib_per_second = (double)d->d.bytes / (1024.0 * 1024.0) / (1e-12 * (double)(d->d.last - d->d.first));
    uint64_t words = d->end.words - d->begin.words;
    out->link_busy = share(words - (d->end.idle_words - d->begin.idle_words), words);
    out->sender_bus_data = share(d->end.data_clocks[0] - d->begin.data_clocks[0], d->end.clocks[0] - d->begin.clocks[0]);
    out->receiver_bus_data = share(d->end.data_clocks[1] - d->begin.data_clocks[1], d->end.clocks[1] - d->begin.clocks[1]);
}
