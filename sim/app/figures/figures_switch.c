/* Figures of systems around the switch: saturated for 1 ms after 100 us of warm-up, 496-byte packets unless the figure
 * says otherwise, every word that lands compared. Packets count with their header and CRCs: 16 bytes each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/app/figures/figures_private.h"
#include "sim/model/cable/frame.h"

const sim_config *figures_chip;

enum { PACKET_OVERHEAD = 16 /* bytes */ };

static void software(void *arg)
{
    switch_bench *b = arg;
    if (fabric_start(b->fabric)) {
        sim_fail(b->fabric->s, "%s", fabric_error(b->fabric));
        return;
    }
    if (b->span) b->span(b);
    double wall = sim_wall(), cpu = figure_cpu();
    uint64_t clocks = sim_clock_cycles(b->fabric->node[0]->net_clock);
    if (scenario_run(b->x, &b->p)) return;
    b->wall = sim_wall() - wall;
    b->cpu = figure_cpu() - cpu;
    b->clocks = sim_clock_cycles(b->fabric->node[0]->net_clock) - clocks;
    if (b->span) b->span(b);
    fabric_stop(b->fabric);
}

int switch_bench_run(switch_bench *b, const figure *f, uint64_t seed, unsigned nodes, const char *name,
                     const char *sizes, const char *us, int monitor)
{
    char error[SCENARIO_ERROR] = "";
    if (!figures_chip || switch_ports(figures_chip) < nodes) {
        fprintf(stderr, "%s: expected a switch of at least %u ports, as make figures has\n", f->name, nodes);
        return -1;
    }
    fabric_params p;
    fabric_params_default(&p, nodes, figures_chip);
    p.sim.seed = seed;
    if (nodes >= 4 && !b->made && !b->threads) p.sim.lanes = SIM_LANES_ON;
    for (unsigned i = 0; i < nodes; i++) {
        p.node[i].host = figure_host(f->bridge);
        p.node[i].host.monitor = monitor;
        if (b->nic) p.node[i].nic = b->nic;
    }
    p.paths = b->paths;
    for (unsigned l = 0; l < FABRIC_LINKS; l++)
        if (b->longer[l]) p.path_latency[l] = p.cable.latency_clocks + b->longer[l];
    scenario_params_default(&b->p);
    if (scenario_set(&b->p, "scenario", name, error) || scenario_set(&b->p, "sizes", sizes, error) ||
        scenario_set(&b->p, "warmup", "100", error) || scenario_set(&b->p, "measure", us, error) ||
        scenario_complete(&b->p, nodes, 1, 62, seed, error)) {
        fprintf(stderr, "%s: %s\n", f->name, error);
        return -1;
    }
    b->fabric = fabric_new(&p);
    b->x = b->fabric ? scenario_new(b->fabric) : NULL;
    if (!b->x) return -1;
    if (b->made) b->made(b); /* watches all edges, in order */
    else fabric_lookahead(b->fabric, FABRIC_WINDOW, b->threads);
    sim_task_new(b->fabric->s, f->name, software, b);
    int result = sim_run(b->fabric->s, SIM_FOREVER);
    if (result == SIM_OK && b->x->good) return 0;
    fprintf(stderr, "%s: %s\n", f->name, *b->x->error ? b->x->error : sim_error(b->fabric->s));
    return -1;
}

void switch_bench_close(switch_bench *b)
{
    scenario_free(b->x);
    fabric_free(b->fabric);
}

static double with_overhead(const statistics_result *r)
{
    return r->bytes ? r->mib_per_s * (double)(r->bytes + PACKET_OVERHEAD * r->packets) / (double)r->bytes : 0;
}

static int measure_one_way(const figure *f, uint64_t seed, double *value)
{
    switch_bench b = {0};
    int result = switch_bench_run(&b, f, seed, 2, f->variant == 2 ? "self" : "one-way", "496", "1000", 1);
    if (!result) *value = f->variant == 1 ? with_overhead(&b.x->row[0].all) : b.x->row[0].all.mib_per_s;
    switch_bench_close(&b);
    return result;
}

static int measure_three_to_one(const figure *f, uint64_t seed, double *value)
{
    switch_bench b = {0};
    int result = switch_bench_run(&b, f, seed, 4, "three-to-one", "496", "1000", 1);
    if (!result) *value = f->variant ? 100 * b.x->row[0].fair[3].packets : b.x->row[0].all.mib_per_s;
    switch_bench_close(&b);
    return result;
}

/* The worst of several mixes of sizes. */
static int measure_fairness(const figure *f, uint64_t seed, double *value)
{
    switch_bench b = {0};
    int result = switch_bench_run(&b, f, seed, 8, "n-to-one", "496,8..496,40/496/60", "1000", 1);
    *value = 0;
    for (unsigned i = 0; !result && i < b.x->rows; i++) {
        const statistics_fairness *fair = &b.x->row[i].fair[7];
        *value = fmax(*value, 100 * (f->variant ? fair->bytes : fair->packets));
    }
    switch_bench_close(&b);
    return result;
}

/* Throughput of the node with the least service. */
static int measure_all_to_all(const figure *f, uint64_t seed, double *value)
{
    switch_bench b = {0};
    int result = switch_bench_run(&b, f, seed, 4, "round-robin", "496", "1000", 1);
    *value = INFINITY;
    for (unsigned i = 0; !result && i < 4; i++) {
        double sent = 0, received = 0;
        for (unsigned k = 0; k < 4; k++) {
            sent += b.x->row[0].flow[i][k].mib_per_s;
            received += b.x->row[0].flow[k][i].mib_per_s;
        }
        *value = fmin(*value, fmin(sent, received));
    }
    switch_bench_close(&b);
    return result;
}

static int measure_speed(const figure *f, uint64_t seed, double *value)
{
    switch_bench b = {0};
    int result = switch_bench_run(&b, f, seed, 8, "uniform", "496", "1000", 0);
    if (!result) *value = 1e-3 * (double)b.clocks / b.wall;
    switch_bench_close(&b);
    return result;
}

/* ---- repair: a credit, or a packet, is lost on an idle link; until the sender holds a credit again that counts all it
 * has sent ---- */

enum { REPAIRS = 12, LANE = 1, PATIENCE_US = 3000 };

struct repair {
    fabric *f;
    int lose_packet; /* else its credit */
    unsigned sent;   /* packets on the lane */
    int armed;       /* something is to be lost */
    int inside;      /* a packet that is being lost */
    unsigned after_sop[2];
    uint64_t word[2];
    uint64_t lost, repaired; /* words of the switch's direction; 0: not yet */
    double worst;
};

static int names_all(const struct repair *r, uint32_t credit)
{
    unsigned counter = 4 * r->sent & 127; /* a 496-byte packet is 128 units, a counter names 32 */
    frame_credit_fields c = frame_credit_read((uint16_t)credit);
    return c.marked && c.flow == LANE && c.counter == counter;
}

/* Node 0's cable. From the node: the packet goes as idle. From the switch: the parity of the credit that answers it is
 * wrong. */
static void lose(void *self, int from, uint64_t word, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    struct repair *r = self;
    int sop = frame_is_sop(*data, *k);
    (void)flip;
    r->after_sop[from] = sop ? 0 : r->after_sop[from] + 1;
    r->word[from] = word;
    if (from) {
        if (r->after_sop[1] != 1 || !frame_is_credit(*data) || *k ||
            (!names_all(r, *data >> 16) && !names_all(r, *data)))
            return;
        if (r->armed && !r->lose_packet) {
            r->armed = 0;
            r->lost = word;
            *data ^= 0x40004000u;
        } else if (r->lost && !r->repaired) {
            r->repaired = word;
        }
    } else if (r->lose_packet) {
        /* the frame of a packet is known by the word behind its SOP: a header with a length; records have none */
        if (r->after_sop[0] == 1 && r->armed && !*k && !frame_is_credit(*data) && frame_length(*data)) {
            r->armed = 0;
            r->inside = 1;
            r->lost = r->word[1];
        }
        if (sop || frame_is_idle(*data, *k)) r->inside = 0;
        if (r->inside) frame_put_idle(data, k);
    }
}

static void repair_software(void *arg)
{
    struct repair *r = arg;
    fabric *f = r->f;
    if (fabric_start(f)) {
        sim_fail(f->s, "%s", fabric_error(f));
        return;
    }
    node *n = f->node[0];
    uint64_t source = n->platform.alloc(n, 496, 8), destination = f->node[LANE]->platform.alloc(f->node[LANE], 496, 8);
    cable_set_tap(f->wire[0], lose, r);
    for (unsigned i = 0; i < REPAIRS; i++) {
        sim_wait_time(f->s, 300 * SIM_US + sim_random_below(f->s, 250 * SIM_US)); /* any moment between two refreshes */
        r->lost = r->repaired = 0;
        r->armed = 1;
        r->sent++;
        if (nx_transfer(n->dev, LANE, source, (uint32_t)destination, 496, 0, NULL))
            sim_fail(f->s, "%s", nx_last_error(n->dev));
        for (unsigned us = 0; !r->repaired && us < PATIENCE_US; us++) {
            sim_wait_time(f->s, SIM_US);
            sim_progress(f->s);
        }
        if (!r->repaired) {
            sim_fail(f->s, "%s within %d us", r->lost ? "no repair" : "nothing was lost", PATIENCE_US);
            return;
        }
        r->worst = fmax(r->worst, 1e-6 * (double)(f->params.switch_period * (r->repaired - r->lost)));
    }
    fabric_stop(f);
}

static int measure_repair(const figure *f, uint64_t seed, double *value)
{
    fabric_params p;
    struct repair r = {.lose_packet = f->variant};
    if (!figures_chip) {
        fprintf(stderr, "%s: expected a program with a switch\n", f->name);
        return -1;
    }
    fabric_params_default(&p, 2, figures_chip);
    p.sim.seed = seed;
    r.f = fabric_new(&p);
    if (!r.f) return -1;
    sim_task_new(r.f->s, f->name, repair_software, &r);
    int result = sim_run(r.f->s, SIM_FOREVER);
    if (result != SIM_OK) fprintf(stderr, "%s: %s\n", f->name, sim_error(r.f->s));
    fabric_free(r.f);
    *value = r.worst;
    return result == SIM_OK ? 0 : -1;
}

const figure figures_switch[] = {
    {"switch_one_way_packets", "MiB/s", "287 of 300", '>', 293, measure_one_way, "server2004", 62, 1, NULL, 0, NULL},
    {"switch_one_way_payload", "MiB/s", "287 of 300", '>', 285, measure_one_way, "server2004", 62, 0, NULL, 0, NULL},
    {"switch_self_payload", "MiB/s", "270", '>', 282, measure_one_way, "server2004", 62, 2, NULL, 0, NULL},
    {"switch_3to1_payload", "MiB/s", "279", '>', 285, measure_three_to_one, "server2004", 62, 0, NULL, 0, NULL},
    {"switch_3to1_unfairness", "%", NULL, '<', 1, measure_three_to_one, "server2004", 62, 1, NULL, 0, NULL},
    {"switch_7to1_unfairness", "%", NULL, '<', 1, measure_fairness, "server2004", 62, 0, NULL, 0, NULL},
    {"switch_7to1_unfairness_bytes", "%", NULL, 0, 0, measure_fairness, "server2004", 62, 1, NULL, 0, NULL},
    {"switch_4toall_payload", "MiB/s", NULL, '>', 280, measure_all_to_all, "server2004", 62, 0, NULL, 0, NULL},
    {"credit_loss_repair", "us", NULL, 0, 0, measure_repair, "server2004", 62, 0, NULL, 0, NULL},
    {"packet_loss_repair", "us", NULL, 0, 0, measure_repair, "server2004", 62, 1, NULL, 0, NULL},
    {"sim_8nic_khz", "kHz", NULL, 0, 0, measure_speed, "server2004", 62, 0, NULL, 0, NULL},
    {0},
};
