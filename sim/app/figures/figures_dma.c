/* Figures on the PCI-X bus: 4 KB DMA in both directions, and what posting a descriptor costs. Clocks are counted
 * inclusively: a transaction whose address phase is clock 0 and whose last data phase is clock 591 takes 592
 * (pcix.md 13.5). */
#include <stdio.h>

#include "sim/app/figures/figures_private.h"

enum { BYTES = 4096 };

struct dma {
    uint64_t source, destination;
    uint64_t read_start, read_last;   /* bus clocks at the sender */
    uint64_t write_start, write_last; /* at the receiver; start: REQ# */
    int nic_agent[2];
    unsigned write_bytes;
};

static void at_sender(void *self, const pcix_transaction *t)
{
    struct dma *d = self;
    if (t->command == PCIX_READ_BLOCK && t->initiator == d->nic_agent[0] && t->address == d->source)
        d->read_start = t->start;
    if (t->command == PCIX_SPLIT_COMPLETION && t->target == d->nic_agent[0]) d->read_last = t->last_data;
}

static void at_receiver(void *self, const pcix_transaction *t)
{
    struct dma *d = self;
    if (t->command != PCIX_WRITE_BLOCK || t->initiator != d->nic_agent[1] || t->address < d->destination ||
        t->address >= d->destination + BYTES)
        return;
    if (!d->write_bytes) d->write_start = t->request && t->request < t->start ? t->request : t->start;
    d->write_bytes += t->bytes;
    d->write_last = t->last_data;
}

static void dma_software(bench *b)
{
    struct dma *d = b->arg;
    node *from = b->p->node[0], *to = b->p->node[1];
    d->source = from->platform.alloc(from, BYTES, 4096);
    d->destination = to->platform.alloc(to, BYTES, 4096);
    d->nic_agent[0] = from->nic_agent;
    d->nic_agent[1] = to->nic_agent;
    host_on_transaction(from->host, at_sender, d);
    host_on_transaction(to->host, at_receiver, d);
    sim_wait_time(b->p->s, 20 * SIM_US);
    nx_notification note;
    if (nx_transfer(from->dev, 1, d->source, (uint32_t)d->destination, BYTES, NX_REMOTE, NULL) ||
        nx_notification_wait(to->dev, 0, &note))
        bench_fail(b, nx_last_error(from->dev), nx_last_error(to->dev));
}

static int measure_dma(const figure *f, uint64_t seed, double *value)
{
    struct dma d = {0};
    pair_params params;
    bench_params(f, seed, &params);
    bench b;
    int result = bench_run(&b, f, &params, dma_software, &d);
    bench_close(&b);
    *value = (double)(f->variant ? d.read_last - d.read_start + 1 : d.write_last - d.write_start + 1);
    return result;
}

/* ---- descriptors: 16 of them, without start flag, so that nothing else is on the bus ---- */

enum { DESCRIPTORS = 16 };

struct posting {
    uint64_t queue; /* address */
    int bridge_agent;
    uint64_t start[4 * DESCRIPTORS];
    unsigned count;
};

static void on_post(void *self, const pcix_transaction *t)
{
    struct posting *p = self;
    if (t->command == PCIX_MEMORY_WRITE && t->initiator == p->bridge_agent && t->address >= p->queue &&
        p->count < 4 * DESCRIPTORS)
        p->start[p->count++] = t->start;
}

static void posting_software(bench *b)
{
    struct posting *p = b->arg;
    node *n = b->p->node[0];
    p->queue = nx_bus_find(n->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address + 0x4000;
    p->bridge_agent = pcix_bridge_agent(host_bridge(n->host));
    host_on_transaction(n->host, on_post, p);
    sim_wait_time(b->p->s, 5 * SIM_US);
    uint32_t words[4 * 4] = {0};
    for (unsigned i = 0; i < 4; i++) {
        words[4 * i] = NODE_MEMORY;
        words[4 * i + 2] = NODE_MEMORY;
        words[4 * i + 3] = 62; /* length; flow 0, no start flag */
    }
    for (unsigned i = 0; i < DESCRIPTORS; i += b->f->variant ? 4 : 1)
        if (b->f->variant) host_write_combined(n->host, p->queue + 16 * i, words, 64);
        else
            for (unsigned k = 0; k < 4; k++) host_write(n->host, p->queue + 16 * i + 4 * k, 4, words[k]);
    host_flush(n->host);
}

static int measure_posting(const figure *f, uint64_t seed, double *value)
{
    struct posting p = {0};
    pair_params params;
    bench_params(f, seed, &params);
    bench b;
    int result = bench_run(&b, f, &params, posting_software, &p);
    bench_close(&b);
    unsigned group = f->variant ? 1 : 4, groups = p.count / group;
    if (!result && groups < 2) {
        fprintf(stderr, "%s: %u writes seen\n", f->name, p.count);
        return -1;
    }
    *value = (double)(p.start[(groups - 1) * group] - p.start[0]) / (groups - 1);
    return result;
}

const figure figures_dma[] = {
    {"dma_write_4k_server2004", "clocks", "570", '<', 570, measure_dma, "server2004", 512, 0, NULL, 0, NULL},
    {"dma_write_4k_ideal", "clocks", NULL, '<', 530, measure_dma, "ideal", 512, 0, NULL, 0, NULL},
    {"dma_read_4k_server2004", "clocks", "592 (577)", '<', 592, measure_dma, "server2004", 512, 1, NULL, 0, NULL},
    {"dma_read_4k_ideal", "clocks", NULL, '<', 540, measure_dma, "ideal", 512, 1, NULL, 0, NULL},
    {"descriptor_single", "clocks", "40", '<', 40, measure_posting, "ideal", 0, 0, NULL, 0, NULL},
    {"descriptor_single_server2004", "clocks", "40", 0, 0, measure_posting, "server2004", 0, 0, NULL, 0, NULL},
    {"descriptor_4_combined", "clocks", "24", '<', 15, measure_posting, "ideal", 0, 1, NULL, 0, NULL},
    {"descriptor_4_combined_server2004", "clocks", "24", 0, 0, measure_posting, "server2004", 0, 1, NULL, 0, NULL},
    {"dma_write_4k_66mhz", "clocks", NULL, 0, 0, measure_dma, "server2004", 512, 0, NULL, 66, NULL},
    {"dma_read_4k_66mhz", "clocks", NULL, 0, 0, measure_dma, "server2004", 512, 1, NULL, 66, NULL},
    {"dma_write_4k_133mhz", "clocks", NULL, 0, 0, measure_dma, "server2004", 512, 0, NULL, 133, NULL},
    {"dma_read_4k_133mhz", "clocks", NULL, 0, 0, measure_dma, "server2004", 512, 1, NULL, 133, NULL},
    {0},
};
