/* Figures inside one NIC: how long the smallest packet takes (benchmark mode, S2 5.3), and how busy four outstanding
 * reads keep the bus. */

#include "nic_register_map.h"
#include "sim/app/figures/figures_private.h"
#include "sim/core/kernel/model.h"
#include "sim/model/cable/frame.h"

/* ---- the smallest packet: 24 bytes of payload, host memory not read. From the edge that ends the data phase with the
 * start flag to the edge at which the SOP is on the transmit port, in steps of 10 ns; the clocks of bus and network
 * drift, so every phase comes up, and the worst counts. The stages as S2 prints them: each ends when the next block
 * takes the header, but the last FIFO, which ends when the header is at the link: from there the link's own clocks
 * count. ---- */

enum { MIN_BYTES = 24, MIN_TRIES = 200, STAGES = 5 };
static const char *const stage_names[STAGES] = {"DMA engine (descriptor written to header written)",
                                                "FIFO DMA to VOQ (same clock: none)", "VOQ", "FIFO VOQ to link",
                                                "link"};

struct min_packet {
    node *n;
    int bridge_agent, armed;
    uint64_t queue;
    sim_time data_phase, header, departs, at_link, sop;
    sim_time worst, stage[STAGES]; /* of the worst try */
};

static void on_descriptor(void *self, const pcix_transaction *t)
{
    struct min_packet *r = self;
    if (r->armed && t->command == PCIX_MEMORY_WRITE && t->initiator == r->bridge_agent && t->address >= r->queue)
        r->data_phase = figure_bus_time(r->n, t->last_data);
}

static int shown(const struct min_packet *r, const char *path, const char *signal)
{
    uint64_t value = 0;
    return !sim_model_word(r->n->nic.model, path, signal, &value) && value;
}

static void on_pci_edge(void *self)
{
    struct min_packet *r = self;
    if (!r->armed) return;
    if (!r->header && shown(r, "nic", "voq_wr_valid")) r->header = sim_now(r->n->s);
    if (!r->departs && shown(r, "nic", "h2n_wr_valid")) r->departs = sim_now(r->n->s);
}

/* After the edge: the header is at the link from this edge on. */
static void after_net_edge(void *self)
{
    struct min_packet *r = self;
    if (r->armed && !r->at_link && shown(r, "nic.one_link.link", "h2n_valid")) r->at_link = sim_now(r->n->s);
}

static void on_tx_word(void *self, int from, uint64_t word, sim_time time, uint64_t clock, const uint32_t *data,
                       const uint8_t *k)
{
    struct min_packet *r = self;
    (void)word;
    (void)clock;
    if (from == 0 && r->armed && r->at_link && !r->sop && frame_is_sop(*data, *k)) r->sop = time;
}

static void min_packet_software(bench *b)
{
    struct min_packet *r = b->arg;
    node *n = r->n = b->p->node[0];
    uint32_t control = 0;
    uint64_t source = n->platform.alloc(n, MIN_BYTES, 8),
             destination = b->p->node[1]->platform.alloc(b->p->node[1], MIN_BYTES, 8);
    r->queue = nx_bus_find(n->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address + 0x4000;
    r->bridge_agent = pcix_bridge_agent(host_bridge(n->host));
    if (nx_register_read(n->dev, NIC_CONTROL, &control) ||
        nx_register_write(n->dev, NIC_CONTROL, control | NIC_CONTROL_BENCHMARK_MASK)) {
        bench_fail(b, n->name, nx_last_error(n->dev));
        return;
    }
    host_on_transaction(n->host, on_descriptor, r);
    sim_clock_attach(n->pci_clock, on_pci_edge, NULL, r);
    sim_clock_attach(n->net_clock, NULL, after_net_edge, r);
    cable_add_observer(b->p->wire, on_tx_word, r);
    for (int i = 0; i < MIN_TRIES; i++) {
        sim_wait_time(b->p->s, 10 * SIM_US + sim_random_below(b->p->s, 100000));
        r->data_phase = r->header = r->departs = r->at_link = r->sop = 0;
        r->armed = 1;
        if (nx_transfer(n->dev, 1, source, (uint32_t)destination, MIN_BYTES, 0, NULL)) {
            bench_fail(b, n->name, nx_last_error(n->dev));
            return;
        }
        sim_wait_time(b->p->s, 3 * SIM_US);
        r->armed = 0;
        if (!r->data_phase || !r->header || !r->departs || !r->at_link || !r->sop) {
            bench_fail(b, "smallest packet", "not all of its stages were seen");
            return;
        }
        if (r->sop - r->data_phase > r->worst) {
            r->worst = r->sop - r->data_phase;
            r->stage[0] = r->header - r->data_phase;
            r->stage[2] = r->departs - r->header;
            r->stage[3] = r->at_link - r->departs;
            r->stage[4] = r->sop - r->at_link;
        }
    }
}

static int measure_min_packet(const figure *f, uint64_t seed, double *value)
{
    struct min_packet r = {0};
    pair_params params;
    bench_params(f, seed, &params);
    params.driver.posting = NX_POST_STORES64;
    bench b;
    int result = bench_run(&b, f, &params, min_packet_software, &r);
    bench_close(&b);
    *value = (double)r.worst / 10000;
    if (!result)
        for (int i = 0; i < STAGES; i++)
            figure_note("    %-52s %5.1f x 10 ns\n", stage_names[i], (double)r.stage[i] / 10000);
    return result;
}

/* ---- reads with up to four split transactions outstanding: all eight queues have transfers of 4 KB, the link takes
 * nothing (no credit), so the data fill the output queues and their bodies; clocks with data / all clocks, once the
 * reads are under way ---- */

enum { WARM_CLOCKS = 2000, MEASURED_CLOCKS = 20000 };

static void splits_software(bench *b)
{
    double *value = b->arg;
    node *n = b->p->node[0];
    uint64_t source = n->platform.alloc(n, 4096, 4096);
    uint32_t destination = (uint32_t)b->p->node[1]->platform.alloc(b->p->node[1], 4096, 4096);
    if (nx_register_write(n->dev, NIC_TX_CAPACITY, 0)) bench_fail(b, n->name, nx_last_error(n->dev));
    for (unsigned i = 0; i < 64 && !*b->error; i++)
        if (nx_transfer(n->dev, i % 8, source, destination, 4096, 0, NULL))
            bench_fail(b, n->name, nx_last_error(n->dev));
    host_flush(n->host);
    sim_wait_cycles(n->pci_clock, WARM_CLOCKS);
    host_stats before = *host_get_stats(n->host);
    sim_wait_cycles(n->pci_clock, MEASURED_CLOCKS);
    const host_stats *after = host_get_stats(n->host);
    *value = 100.0 * (double)(after->data_clocks - before.data_clocks) / (double)(after->clocks - before.clocks);
}

static int measure_splits(const figure *f, uint64_t seed, double *value)
{
    pair_params params;
    bench_params(f, seed, &params);
    params.node[1].nic = &nic_config; /* it only answers */
    bench b;
    int result = bench_run(&b, f, &params, splits_software, value);
    bench_close(&b);
    return result;
}

const figure figures_nic[] = {
    {"nic_latency_min_packet", "10 ns", "16", '<', 16, measure_min_packet, "ideal", 62, 0, NULL, 0, NULL},
    {"dma_read_4splits_ideal", "%", "87 (1 split)", '>', 95, measure_splits, "ideal", 512, 0, NULL, 0, "4splits"},
    {"dma_read_4splits_server2004", "%", NULL, '>', 93, measure_splits, "server2004", 512, 0, NULL, 0, "4splits"},
    {0},
};
