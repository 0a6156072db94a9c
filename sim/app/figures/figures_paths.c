/* Figures of several links by packet (S2 2.6): payload over a cable or switches in parallel against what a bus carries,
 * latency, the search for packets that are lost. Hosts send transfers of 3968 bytes in packets of 496 without end;
 * their bytes are counted where they are written, and compared at the end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nic_register_map.h"
#include "sim/app/figures/figures_private.h"
#include "sim/model/cable/frame.h"

enum {
    TRANSFER = 3968,     /* [bytes] */
    AREA = 4 * TRANSFER, /* of a sender at a receiver: descriptors are write-combined by four */
    WARM_UP_US = 100,
    SPAN_US = 1000 /* the unfairness is that over 1 ms */
};

/* ---- a system of such hosts ---- */

struct many;

struct place {
    struct many *m;
    uint64_t areas;               /* of senders, one behind the other */
    uint64_t bytes[FABRIC_NODES]; /* that each has written */
};

struct many {
    const figure *f;
    fabric *fabric;
    uint32_t senders, receivers; /* masks */
    int stop;
    struct place place[FABRIC_NODES];
    uint64_t source[FABRIC_NODES];
    double mib[FABRIC_NODES][FABRIC_NODES]; /* from, to */
    double bus_data[FABRIC_NODES];          /* share of the bus clocks of each node that move data */
    uint32_t depth;                         /* the most of RESEQ_DEPTH */
};

struct sender {
    struct many *m;
    unsigned node;
};

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    struct place *p = self;
    uint64_t at = t->address - p->areas;
    (void)when;
    if (t->address >= p->areas && at < (uint64_t)AREA * FABRIC_NODES) p->bytes[at / AREA] += t->bytes;
}

/* Without a switch no node sends to itself. */
static int goes(const struct many *m, unsigned from, unsigned to)
{
    return m->senders >> from & 1 && m->receivers >> to & 1 && (m->fabric->chip.model || from != to);
}

static void send(void *arg)
{
    struct sender *s = arg;
    struct many *m = s->m;
    nx_device *dev = m->fabric->node[s->node]->dev;
    for (unsigned to = s->node; !m->stop; to = (to + 1) % m->fabric->nodes) {
        uint32_t there = (uint32_t)(m->place[to].areas + (uint64_t)AREA * s->node);
        if (goes(m, s->node, to) && nx_transfer(dev, to, m->source[s->node], there, AREA, 0, NULL)) {
            sim_fail(m->fabric->s, "%s: %s", m->fabric->node[s->node]->name, nx_last_error(dev));
            return;
        }
    }
    for (unsigned to = 0; to < m->fabric->nodes; to++)
        if (nx_drain(dev, to)) sim_fail(m->fabric->s, "%s: %s", m->fabric->node[s->node]->name, nx_last_error(dev));
}

static void same(struct many *m, unsigned from, unsigned to)
{
    for (unsigned at = 0; at < AREA; at += 8) {
        uint64_t sent = memory_get64(host_memory(m->fabric->node[from]->host), m->source[from] + at);
        uint64_t here =
            memory_get64(host_memory(m->fabric->node[to]->host), m->place[to].areas + (uint64_t)AREA * from + at);
        if (here != sent) {
            sim_fail(m->fabric->s, "%s: byte %u from node %u is wrong at node %u", m->f->name, at, from, to);
            return;
        }
    }
}

/* Memory, and tasks that send. 0, or -1 after sim_fail. */
static int begin(struct many *m, struct sender sender[FABRIC_NODES], sim_task *task[FABRIC_NODES])
{
    fabric *f = m->fabric;
    if (fabric_start(f)) {
        sim_fail(f->s, "%s", fabric_error(f));
        return -1;
    }
    for (unsigned i = 0; i < f->nodes; i++) {
        node *n = f->node[i];
        m->source[i] = n->platform.alloc(n, AREA, 4096);
        m->place[i].areas = n->platform.alloc(n, (uint64_t)AREA * FABRIC_NODES, 4096);
        for (unsigned at = 0; at < AREA; at += 8)
            memory_put64(host_memory(n->host), m->source[i] + at, sim_random(f->s), 0xff);
        m->place[i].m = m;
        host_on_written(n->host, on_written, &m->place[i]);
    }
    for (unsigned i = 0; i < f->nodes; i++) {
        sender[i] = (struct sender){m, i};
        if (m->senders >> i & 1) task[i] = sim_task_new_in(f->node[i]->group, f->node[i]->name, send, &sender[i]);
    }
    sim_wait_time(f->s, WARM_UP_US * SIM_US);
    return 0;
}

static void end(struct many *m, sim_task *task[FABRIC_NODES])
{
    fabric *f = m->fabric;
    m->stop = 1;
    for (unsigned i = 0; i < f->nodes; i++)
        if (task[i]) sim_join(task[i]);
    sim_wait_time(f->s, 100 * SIM_US);
    for (unsigned i = 0; i < f->nodes; i++) {
        uint32_t depth = 0;
        for (unsigned k = 0; k < f->nodes; k++)
            if (goes(m, k, i)) same(m, k, i);
        nx_register_read(f->node[i]->dev, NIC_RESEQ_DEPTH, &depth);
        if (depth > m->depth) m->depth = depth;
    }
    fabric_stop(f);
}

static void software(void *arg)
{
    struct many *m = arg;
    fabric *f = m->fabric;
    struct sender sender[FABRIC_NODES];
    sim_task *task[FABRIC_NODES] = {NULL};
    uint64_t before[FABRIC_NODES][FABRIC_NODES], clocks[FABRIC_NODES][2];
    if (begin(m, sender, task)) return;
    for (unsigned i = 0; i < f->nodes; i++) {
        memcpy(before[i], m->place[i].bytes, sizeof before[i]);
        clocks[i][0] = host_get_stats(f->node[i]->host)->clocks;
        clocks[i][1] = host_get_stats(f->node[i]->host)->data_clocks;
    }
    for (unsigned us = 0; us < SPAN_US; us += 100) {
        sim_progress(f->s);
        sim_wait_time(f->s, 100 * SIM_US);
    }
    for (unsigned i = 0; i < f->nodes; i++) {
        const host_stats *bus = host_get_stats(f->node[i]->host);
        m->bus_data[i] = (double)(bus->data_clocks - clocks[i][1]) / (double)(bus->clocks - clocks[i][0]);
        for (unsigned k = 0; k < f->nodes; k++)
            m->mib[k][i] = (double)(m->place[i].bytes[k] - before[i][k]) / (1024.0 * 1024.0) / (1e-6 * SPAN_US);
    }
    end(m, task);
}

static void params_of(const figure *f, uint64_t seed, unsigned nodes, const sim_config *chip, fabric_params *p)
{
    fabric_params_default(p, nodes, chip);
    p->sim.seed = seed;
    p->driver.transfer_bytes = TRANSFER;
    p->driver.payload_words = 62;
    for (unsigned i = 0; i < nodes; i++) {
        p->node[i].host = figure_host(f->bridge);
        p->node[i].nic = nic_kind_of(figures_nics, f->nic);
        if (f->pci_mhz) p->node[i].pci_mhz = f->pci_mhz;
    }
}

static int run_task(struct many *m, const figure *f, const fabric_params *p, void (*task)(void *))
{
    m->f = f;
    m->fabric = fabric_new(p);
    if (!m->fabric) return -1;
    sim_task_new(m->fabric->s, f->name, task, m);
    int result = sim_run(m->fabric->s, SIM_FOREVER);
    if (result != SIM_OK) fprintf(stderr, "%s: %s\n", f->name, sim_error(m->fabric->s));
    fabric_free(m->fabric);
    return result == SIM_OK ? 0 : -1;
}

static int run_many(struct many *m, const figure *f, const fabric_params *p) { return run_task(m, f, p, software); }

static double of_sender(const struct many *m, unsigned node)
{
    double sum = 0;
    for (unsigned i = 0; i < FABRIC_NODES; i++) sum += m->mib[node][i];
    return sum;
}

static double at_receiver(const struct many *m, unsigned node)
{
    double sum = 0;
    for (unsigned i = 0; i < FABRIC_NODES; i++) sum += m->mib[i][node];
    return sum;
}

/* Throughput of one direction between two nodes whose other bus is faster: reads of the sender, or writes of the
 * receiver, alone. */
static int alone(const figure *f, uint64_t seed, int reads, double *mib)
{
    fabric_params p;
    struct many m = {.senders = 1, .receivers = 2};
    params_of(f, seed, 2, NULL, &p);
    p.node[reads].host = figure_host("ideal");
    p.node[reads].pci_mhz = 133;
    if (run_many(&m, f, &p)) return -1;
    *mib = m.mib[0][1];
    return 0;
}

/* Share of the slower of both buses [%], each measured alone. */
static int share_of_bus(const figure *f, uint64_t seed, double mib, double *value)
{
    double reads, writes;
    if (alone(f, seed, 1, &reads) || alone(f, seed, 0, &writes)) return -1;
    *value = 100 * mib / fmin(reads, writes);
    figure_note("  %.1f MiB/s; the sender's reads alone %.1f, the receiver's writes alone %.1f\n", mib, reads, writes);
    return 0;
}

/* variation: switches (0: a cable) */
static int measure_one_way(const figure *f, uint64_t seed, double *value)
{
    fabric_params p;
    struct many m = {.senders = 1, .receivers = 2};
    params_of(f, seed, 2, f->variant ? figures_chip : NULL, &p);
    if (run_many(&m, f, &p)) return -1;
    *value = m.mib[0][1];
    return f->variant == 4 ? share_of_bus(f, seed, m.mib[0][1], value) : 0;
}

/* variation 0: sum of three senders against a bus, 1: largest deviation from a third, over 1 ms */
static int measure_three_to_one(const figure *f, uint64_t seed, double *value)
{
    fabric_params p;
    struct many m = {.senders = 14, .receivers = 1};
    double off = 0, sum;
    params_of(f, seed, 4, figures_chip, &p);
    if (run_many(&m, f, &p)) return -1;
    sum = at_receiver(&m, 0);
    if (!f->variant) return share_of_bus(f, seed, sum, value);
    for (unsigned i = 1; i < 4; i++) off = fmax(off, fabs(100 * (3 * m.mib[i][0] / sum - 1)));
    *value = off;
    return 0;
}

/* Sum of both ways of the worst node, as a share of what two nodes and a cable do. */
static int measure_all_to_all(const figure *f, uint64_t seed, double *value)
{
    fabric_params p;
    struct many m = {.senders = 255, .receivers = 255}, both = {.senders = 3, .receivers = 3};
    double worst = INFINITY, used = 0;
    params_of(f, seed, 8, figures_chip, &p);
    if (run_many(&m, f, &p)) return -1;
    for (unsigned i = 0; i < 8; i++) {
        worst = fmin(worst, of_sender(&m, i) + at_receiver(&m, i));
        used += m.bus_data[i] / 8;
    }
    params_of(f, seed, 2, NULL, &p);
    if (run_many(&both, f, &p)) return -1;
    double cable = fmin(of_sender(&both, 0) + at_receiver(&both, 0), of_sender(&both, 1) + at_receiver(&both, 1));
    *value = 100 * worst / cable;
    figure_note("  %.1f MiB/s per node, %.1f %% of the bus clocks move data; two nodes and a cable %.1f, %.1f %%\n",
                worst, 100 * used, cable, 100 * both.bus_data[0]);
    return 0;
}

/* ---- a path of the receiver is cut, and the drivers take it out of use ---- */

enum {
    SLICE_US = 10,
    AWAY_US = 1600,
    SLICES = AWAY_US / SLICE_US,
    REST = SLICES / 8 /* slices that measure the remaining paths */
};

/* Time until the send mask at node 0 is so [us]. */
static double until_mask(struct many *m, uint32_t mask, unsigned most_us, uint64_t *landed)
{
    fabric *f = m->fabric;
    sim_time from = sim_now(f->s);
    double took = 0;
    for (unsigned slice = 0; slice * SLICE_US < most_us; slice++) {
        uint64_t before = m->place[1].bytes[0];
        uint32_t masks = 0;
        sim_wait_time(f->s, SLICE_US * SIM_US);
        sim_progress(f->s);
        nx_register_read(f->node[0]->dev, NIC_SEND_PATHS_LOW, &masks);
        if ((masks >> 4 & 15) == mask && took == 0) took = 1e-6 * (double)(sim_now(f->s) - from);
        if (landed) landed[slice] = m->place[1].bytes[0] - before;
    }
    return took;
}

static void recovery_software(void *arg)
{
    struct many *m = arg;
    struct sender sender[FABRIC_NODES];
    sim_task *task[FABRIC_NODES] = {NULL};
    uint64_t landed[SLICES];
    double left = 0;
    int at, slow = -1;
    if (begin(m, sender, task)) return;
    cable *wire = fabric_link(m->fabric, 1, 1, &at);
    cable_cut(wire, CABLE_BOTH);
    double out = until_mask(m, 13, AWAY_US, landed);
    cable_reconnect(wire, CABLE_BOTH);
    double in = until_mask(m, 15, 300, NULL);
    for (int i = SLICES - REST; i < SLICES; i++) left += (double)landed[i] / REST;
    for (int i = 0; i < SLICES - REST; i++)
        if ((double)landed[i] < 0.9 * left) slow = i;
    m->mib[0][1] = (slow + 1) * SLICE_US;
    figure_note("  out of use after %.0f us; then %.1f MiB/s over three paths; in use again %.0f us after it is back\n",
                out, left / (1024.0 * 1024.0) / (1e-6 * SLICE_US), in);
    if (out == 0 || in == 0) sim_fail(m->fabric->s, "%s: the masks have not changed", m->f->name);
    end(m, task);
}

/* From the cut of a path of the receiver until packets land again as fast as the paths left carry them. */
static int measure_recovery(const figure *f, uint64_t seed, double *value)
{
    fabric_params p;
    struct many m = {.senders = 1, .receivers = 2};
    params_of(f, seed, 2, figures_chip, &p);
    p.watch_paths = 1;
    if (run_task(&m, f, &p, recovery_software)) return -1;
    *value = m.mib[0][1];
    return 0;
}

/* ---- in packets of one size, as scenarios send them ---- */

/* One way through switches [MiB/s]; payload [words]; 0: packets of 8 and 496 bytes alternate. variation: clocks by
 * which the cables of path 1 are longer. */
static int scenario_of(const figure *f, uint64_t seed, const char *name, const char *sizes, unsigned nodes,
                       unsigned paths, switch_bench *b)
{
    b->nic = nic_kind_of(figures_nics, f->nic);
    b->paths = paths;
    b->longer[1] = f->variant > 0 ? (unsigned)f->variant : 0;
    return switch_bench_run(b, f, seed, nodes, name, sizes, "1000", 1);
}

/* Against path_scheduler_rr: packets in strict turn. */
static int measure_scheduler(const figure *f, uint64_t seed, double *value)
{
    double mib[2] = {0};
    for (int i = 0; i < 2; i++) {
        switch_bench b = {0};
        figure of = *f;
        if (i) of.nic = "2paths_rr";
        int result = scenario_of(&of, seed, "one-way", "8/496/50", 2, 0, &b);
        if (!result) mib[i] = b.x->row[0].all.mib_per_s;
        switch_bench_close(&b);
        if (result) return result;
    }
    *value = 100 * mib[0] / mib[1];
    figure_note("  %.1f MiB/s; in strict turn %.1f\n", mib[0], mib[1]);
    return 0;
}

/* By how many clocks of the network a packet takes longer with all paths in use than with one, on an idle system: the
 * worst of sizes. */
static int measure_latency(const figure *f, uint64_t seed, double *value)
{
    static const char sizes[] = "8,64,128,256,496";
    switch_bench b[2] = {{0}};
    int result = 0;
    *value = -INFINITY;
    for (int i = 0; i < 2 && !result; i++) result = scenario_of(f, seed, "ping-pong", sizes, 2, i, &b[i]);
    for (unsigned row = 0; !result && row < b[0].x->rows; row++) {
        double all = b[0].x->row[row].all.latency_median, one = b[1].x->row[row].all.latency_median;
        *value = fmax(*value, 1e3 * (all - one) / (double)sim_clock_period(b[0].fabric->node[0]->net_clock));
        figure_note("  %u bytes: %.0f ns, one path %.0f\n", 8 * b[0].x->row[row].sizes.low, all, one);
    }
    for (int i = 0; i < 2; i++) switch_bench_close(&b[i]);
    return result;
}

/* Nodes saturate each other over switches, path 1 is `clocks` clocks longer: the largest distance of a packet ahead of
 * the one due. */
static int measure_depth(const figure *f, uint64_t seed, double *value)
{
    fabric_params p;
    struct many m = {.senders = 15, .receivers = 15};
    params_of(f, seed, 4, figures_chip, &p);
    p.path_latency[1] = p.cable.latency_clocks + (unsigned)f->variant;
    if (run_many(&m, f, &p)) return -1;
    *value = m.depth;
    return 0;
}

static int measure_speed(const figure *f, uint64_t seed, double *value)
{
    switch_bench b = {.nic = nic_kind_of(figures_nics, f->nic)};
    int result = switch_bench_run(&b, f, seed, 8, "uniform", "496", "200", 0);
    if (!result) *value = 1e-3 * (double)b.clocks / b.wall;
    switch_bench_close(&b);
    return result;
}

/* ---- one packet is lost on the wire: time until the receiver's loss indication ---- */

enum { LOSSES = 5, GAP_NS = 1379 /* of packets of 496 bytes: load 0.3 of four links */ };

struct loss {
    const figure *f;
    fabric *fabric;
    uint64_t words; /* where notifications of node 0 are written at node 1 */
    int due, stop;  /* the next header on path 1 is corrupted */
    sim_time lost;
    double worst;
    unsigned indicated;
    uint64_t previous[2]; /* words on the line */
};

static void corrupt(void *self, int from, uint64_t word, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    struct loss *l = self;
    (void)word;
    if (from == 0) {
        if (l->due && l->previous[0] && !*k && !(*data >> 31)) {
            *flip = 1; /* the header is that of no packet: its CRC is wrong */
            l->lost = sim_now(l->fabric->s);
            l->due = 0;
        }
        l->previous[0] = frame_is_sop(*data, *k);
    }
}

static void on_notification(void *self, const pcix_transaction *t, sim_time when)
{
    struct loss *l = self;
    if (!l->lost || t->address != l->words || !(memory_get64(host_memory(l->fabric->node[1]->host), l->words) >> 63))
        return;
    l->worst = fmax(l->worst, 1e-6 * (double)(when - l->lost));
    l->indicated++;
    l->lost = 0;
}

static void loss_software(void *arg)
{
    struct loss *l = arg;
    fabric *f = l->fabric;
    node *from = f->node[0], *to = f->node[1];
    uint32_t low = 0;
    int end;
    if (fabric_start(f)) {
        sim_fail(f->s, "%s", fabric_error(f));
        return;
    }
    uint64_t source = from->platform.alloc(from, 496, 4096), destination = to->platform.alloc(to, 496, 4096);
    nx_register_read(to->dev, NIC_REMOTE_NOTIFY_LOW, &low);
    l->words = low;
    host_on_written(to->host, on_notification, l);
    cable_set_tap(fabric_link(f, 0, 1, &end), corrupt, l);
    sim_time next = sim_now(f->s);
    for (unsigned i = 0; l->indicated < LOSSES && i < 2000; i++) {
        if (i % 100 == 50) l->due = 1;
        next += GAP_NS * SIM_NS;
        if (nx_transfer(from->dev, 1, source, (uint32_t)destination, 496, NX_REMOTE, NULL)) {
            sim_fail(f->s, "%s", nx_last_error(from->dev));
            return;
        }
        if (sim_now(f->s) < next) sim_wait_time(f->s, next - sim_now(f->s));
        sim_progress(f->s);
    }
    nx_drain(from->dev, 1);
    if (l->indicated < LOSSES)
        sim_fail(f->s, "%s: %u losses were indicated, expected %u", l->f->name, l->indicated, LOSSES);
    fabric_stop(f);
}

static int measure_loss(const figure *f, uint64_t seed, double *value)
{
    fabric_params p;
    struct loss l = {.f = f};
    params_of(f, seed, 2, figures_chip, &p);
    l.fabric = fabric_new(&p);
    if (!l.fabric) return -1;
    sim_task_new(l.fabric->s, f->name, loss_software, &l);
    int result = sim_run(l.fabric->s, SIM_FOREVER);
    if (result != SIM_OK) fprintf(stderr, "%s: %s\n", f->name, sim_error(l.fabric->s));
    fabric_free(l.fabric);
    *value = l.worst;
    return result == SIM_OK ? 0 : -1;
}

const figure figures_paths[] = {
    {"direct_2packet_payload", "MiB/s", NULL, '>', 555, measure_one_way, "server2004", 62, 0, NULL, 0, "2paths"},
    {"multipath_2_payload", "MiB/s", NULL, '>', 555, measure_one_way, "server2004", 62, 2, NULL, 0, "2paths"},
    {"multipath_4_payload", "% of bus", NULL, '>', 95, measure_one_way, "server2004", 62, 4, NULL, 0, "4paths"},
    {"multipath_4_all_to_all", "% of cable", NULL, '>', 95, measure_all_to_all, "server2004", 62, 0, NULL, 0, "4paths"},
    {"multipath_3to1_payload", "% of bus", NULL, '>', 95, measure_three_to_one, "server2004", 62, 0, NULL, 0, "4paths"},
    {"multipath_3to1_unfairness", "%", NULL, '<', 1, measure_three_to_one, "server2004", 62, 1, NULL, 0, "4paths"},
    {"multipath_latency", "clocks", NULL, '<', 1, measure_latency, "server2004", 62, 0, NULL, 0, "4paths"},
    {"resequence_loss_detect", "us", NULL, '<', 20, measure_loss, "server2004", 62, 0, NULL, 0, "4paths"},
    {"resequence_depth", "numbers", NULL, 0, 0, measure_depth, "server2004", 62, 0, NULL, 0, "4paths"},
    {"resequence_depth_150", "numbers", NULL, 0, 0, measure_depth, "server2004", 62, 150, NULL, 0, "4paths"},
    {"path_down_recovery", "us", NULL, 0, 0, measure_recovery, "server2004", 62, 0, NULL, 0, "4paths"},
    {"path_scheduler_mixed", "% of rr", NULL, '>', 100, measure_scheduler, "server2004", 62, 0, NULL, 0, "2paths"},
    {"path_scheduler_longer", "% of rr", NULL, '>', 100, measure_scheduler, "server2004", 62, 150, NULL, 0, "2paths"},
    {"sim_8nic_multipath_khz", "kHz", NULL, 0, 0, measure_speed, "server2004", 62, 0, NULL, 0, "4paths"},
    {0},
};
