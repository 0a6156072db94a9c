/* Transactions on the buses of hosts: descriptors that are written, reads and writes of NICs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "nx_bus.h"
#include "sim/observe/trace/trace_private.h"

enum { WINDOW = 0x4000 /* of the request queues in BAR1 */, CURVE = 1 /* [us] between two values */ };

/* A DWORD is written into BAR1. */
static void written(seat *h, uint64_t at, uint32_t value)
{
    if (at == NIC_LOCAL_NOTIFY_LOW) h->locals = (h->locals & ~0xffffffffull) | value;
    if (at < WINDOW || at >= WINDOW + 16 * DESCRIPTORS) return;
    unsigned word = (unsigned)(at - WINDOW) / 4, slot = word / 4, bit = 1u << word % 4;
    if (h->written[slot] & bit) h->written[slot] = 0; /* what stood there has been served, or abandoned */
    h->word[word] = value;
    h->written[slot] |= (uint8_t)bit;
    if (h->written[slot] == 15) life_posted(h, slot);
}

static void data_phase(seat *h, const pcix_sample *s)
{
    const pcix_transaction *x = pcix_tracker_now(pcix_bus_tracker(host_bus(h->n->host)));
    if (s->index == 0) h->first_word = s->ad;
    if (x->target != h->n->nic_agent || !pcix_is_memory_write(x->command)) return;
    if (!h->bar && h->n->dev) h->bar = nx_bus_find(h->n->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address;
    unsigned width = x->req64 && x->ack64 ? 8 : 4;
    for (unsigned half = 0; half < width / 4; half++) {
        uint64_t at = (x->address & ~(uint64_t)(width - 1)) + (uint64_t)s->index * width + 4 * half;
        bool enabled = x->command == PCIX_WRITE_BLOCK ? at >= x->address && at < x->address + x->byte_count
                                                      : !(s->cbe >> 4 * half & 15);
        if (enabled && h->bar && at >= h->bar) written(h, at - h->bar, (uint32_t)(s->ad >> 32 * half));
    }
}

static void curve(seat *h, const pcix_sample *s)
{
    h->data_clocks += s->phase == PCIX_PH_DATA;
    h->other_clocks += s->phase != PCIX_PH_DATA && s->phase != PCIX_PH_IDLE;
    if (++h->clocks * sim_clock_period(h->n->pci_clock) < CURVE * SIM_US) return;
    unsigned data = 100 * h->data_clocks / h->clocks, other = 100 * h->other_clocks / h->clocks;
    sim_time now = sim_now(h->t->s);
    h->clocks = h->data_clocks = h->other_clocks = 0;
    if ((data == h->shown_data && other == h->shown_other) || !trace_takes(h->t, now, now)) return;
    char args[64];
    snprintf(args, sizeof args, "\"data\":%u,\"other\":%u", h->shown_data = data, h->shown_other = other);
    trace_file_values(h->t->file, P_HOST + h->i, now, "bus [%]", args);
}

static void on_clock(void *self, const pcix_sample *s)
{
    seat *h = self;
    if (h->t->over) return;
    h->clock_at[s->clock % BUS_CLOCKS] = sim_now(h->t->s);
    if (s->phase == PCIX_PH_DATA) data_phase(h, s);
    curve(h, s);
    trace_look(h->t);
}

/* A read that the host answers later, or at once. Where the arrow touches it: to be filled in. */
static touch *read_begins(seat *h, const pcix_transaction *x, sim_time begin, char name[NAME_ROOM])
{
    descriptor *d = life_read(h, x->address);
    unsigned bytes = x->end == PCIX_END_SPLIT ? x->byte_count : x->bytes, tag = x->attribute >> 24 & (TAGS - 1);
    if (!d || !bytes) return NULL;
    if (!d->requested) trace_value(h->t, P_NIC + h->i, "request queue [descriptors]", --h->waiting);
    d->part = realloc(d->part, (d->parts + 1) * sizeof *d->part);
    if (!d->part) trace_memory(SIZE_MAX);
    d->requested += bytes;
    d->part[d->parts] = (struct part){.end = d->requested, .begin = begin};
    if (x->end == PCIX_END_SPLIT) {
        h->tag[tag].d = d;
        h->tag[tag].part = d->parts;
        h->tag[tag].left = bytes;
    } else {
        d->part[d->parts].done = h->clock_at[x->last_data % BUS_CLOCKS];
    }
    life_name(d, "read", d->ordinal, name);
    return &d->part[d->parts++].touch;
}

static void read_completes(seat *h, const pcix_transaction *x, char name[NAME_ROOM])
{
    char track[NAME_ROOM];
    unsigned tag = x->address >> 24 & (TAGS - 1), bytes = x->bytes < h->tag[tag].left ? x->bytes : h->tag[tag].left;
    descriptor *d = h->tag[tag].d;
    if (!d || !bytes) return;
    life_name(d, "completion", d->ordinal, name);
    h->voq[d->to] += bytes;
    h->tag[tag].left -= bytes;
    snprintf(track, sizeof track, "VOQ of node %u [bytes]", d->to);
    trace_value(h->t, P_NIC + h->i, track, h->voq[d->to]);
    if (h->tag[tag].left) return;
    struct part *p = &d->part[h->tag[tag].part];
    p->done = h->clock_at[x->last_data % BUS_CLOCKS];
    h->tag[tag].d = NULL;
    snprintf(track, sizeof track, "DMA read, tag %u", tag);
    trace_slice(h->t, &h->reads[tag], p->begin, p->done, name + strlen("completion "), NULL, track);
}

static void on_transaction(void *self, const pcix_transaction *x)
{
    seat *h = self;
    int nic = h->n->nic_agent, queue = -1;
    if (h->t->over) return;
    sim_time begin = h->clock_at[x->start % BUS_CLOCKS], end = sim_now(h->t->s),
             period = sim_clock_period(h->n->pci_clock);
    char name[NAME_ROOM], args[96];
    packet *p = NULL;
    touch *read = NULL;
    snprintf(name, sizeof name, "%s", pcix_command_name(x->command));
    life_flush(h);
    if (x->initiator == nic && pcix_is_memory_read(x->command)) read = read_begins(h, x, begin, name);
    else if (x->initiator == nic && pcix_is_memory_write(x->command) && x->bytes) {
        sim_time last =
            end - (sim_clock_cycles(h->n->pci_clock) - x->last_data) * period; /* as host_on_written says it */
        p = life_written(h, x->address, x->bytes, begin, last, name, &queue);
    } else if (x->command == PCIX_SPLIT_COMPLETION && x->target == nic) read_completes(h, x, name);
    else if (h->fresh_count)
        life_name(h->fresh[0], h->fresh_count > 1 ? "descriptors" : "descriptor", h->fresh[0]->ordinal, name);
    snprintf(args, sizeof args, "\"bytes\":%u,\"address\":\"0x%llx\",\"end\":\"%s\"", x->bytes,
             (unsigned long long)x->address, pcix_end_name(x->end));
    touch at = trace_slice(h->t, &h->bus, begin, end, name, args, "bus");
    if (read) *read = at;
    if (p) life_touches(p, at);
    if (queue >= 0) life_local(h, queue, at);
    for (unsigned i = 0; i < h->fresh_count; i++) h->fresh[i]->post = at;
    h->fresh_count = 0;
}

int bus_watch(seat *h)
{
    host *host = h->n->host;
    return pcix_bus_add_watcher(host_bus(host), on_clock, h) < 0 || host_on_transaction(host, on_transaction, h) ? -1
                                                                                                                 : 0;
}
