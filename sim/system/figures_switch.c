/* Figures of systems around the switch: saturated for 1 ms after 100 us of warm-up, 496-byte packets unless the figure says otherwise,
 * every word that lands compared. Packets count with their header and CRCs: 16 bytes each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figures_private.h"
#include "report.h"
#include "scenario.h"

const switch_kind *figures_chip;

enum { PACKET_OVERHEAD = 16 /* bytes */ };

struct body {
    const figure *f;
    fabric *fabric;
    scenario *x;
    scenario_params p;
    double wall; /* [s] */
    uint64_t clocks;
};

static void software(void *arg)
{
    struct body *b = arg;
    if (fabric_start(b->fabric)) {
        sim_fail(b->fabric->s, "%s", fabric_error(b->fabric));
        return;
    }
    double began = report_wall();
    uint64_t clocks = sim_clock_cycles(b->fabric->node[0]->net_clock);
    if (scenario_run(b->x, &b->p)) return;
    b->wall = report_wall() - began;
    b->clocks = sim_clock_cycles(b->fabric->node[0]->net_clock) - clocks;
    fabric_stop(b->fabric);
}

/* Runs a scenario on so many nodes. 0, or -1 with the reason on stderr. */
static int run(struct body *b, const figure *f, uint64_t seed, unsigned nodes, const char *name, const char *sizes, const char *us,
               int monitor)
{
    char error[SCENARIO_ERROR] = "";
    *b = (struct body){.f = f};
    if (!figures_chip || figures_chip->ports < nodes) {
        fprintf(stderr, "%s: expected a switch of at least %u ports, as make figures has\n", f->name, nodes);
        return -1;
    }
    fabric_params p;
    fabric_params_default(&p, nodes, figures_chip);
    p.sim.seed = seed;
    for (unsigned i = 0; i < nodes; i++) {
        p.node[i].host = figure_host(f->bridge);
        p.node[i].host.monitor = monitor;
    }
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
    sim_task_new(b->fabric->s, f->name, software, b);
    int result = sim_run(b->fabric->s, SIM_FOREVER);
    if (result == SIM_OK && b->x->good) return 0;
    fprintf(stderr, "%s: %s\n", f->name, *b->x->error ? b->x->error : sim_error(b->fabric->s));
    return -1;
}

static void close_body(struct body *b)
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
    struct body b;
    int result = run(&b, f, seed, 2, f->variant == 2 ? "self" : "one-way", "496", "1000", 1);
    if (!result) *value = f->variant == 1 ? with_overhead(&b.x->row[0].all) : b.x->row[0].all.mib_per_s;
    close_body(&b);
    return result;
}

static int measure_three_to_one(const figure *f, uint64_t seed, double *value)
{
    struct body b;
    int result = run(&b, f, seed, 4, "three-to-one", "496", "1000", 1);
    if (!result) *value = f->variant ? 100 * b.x->row[0].fair[3].packets : b.x->row[0].all.mib_per_s;
    close_body(&b);
    return result;
}

/* The worst of several mixes of sizes. */
static int measure_fairness(const figure *f, uint64_t seed, double *value)
{
    struct body b;
    int result = run(&b, f, seed, 8, "n-to-one", "496,8..496,40/496/60", "1000", 1);
    *value = 0;
    for (unsigned i = 0; !result && i < b.x->rows; i++) {
        const statistics_fairness *fair = &b.x->row[i].fair[7];
        *value = fmax(*value, 100 * (f->variant ? fair->bytes : fair->packets));
    }
    close_body(&b);
    return result;
}

/* What the worst served node sends or receives. */
static int measure_all_to_all(const figure *f, uint64_t seed, double *value)
{
    struct body b;
    int result = run(&b, f, seed, 4, "round-robin", "496", "1000", 1);
    *value = INFINITY;
    for (unsigned i = 0; !result && i < 4; i++) {
        double sent = 0, received = 0;
        for (unsigned k = 0; k < 4; k++) {
            sent += b.x->row[0].flow[i][k].mib_per_s;
            received += b.x->row[0].flow[k][i].mib_per_s;
        }
        *value = fmin(*value, fmin(sent, received));
    }
    close_body(&b);
    return result;
}

static int measure_speed(const figure *f, uint64_t seed, double *value)
{
    struct body b;
    int result = run(&b, f, seed, 8, "uniform", "496", "1000", 0);
    if (!result) *value = 1e-3 * (double)b.clocks / b.wall;
    close_body(&b);
    return result;
}

const figure figures_switch[] = {
    {"switch_one_way_packets", "MiB/s", "287 of 300", '>', 293, measure_one_way, "server2004", 62, 1, NULL},
    {"switch_one_way_payload", "MiB/s", "287 of 300", '>', 285, measure_one_way, "server2004", 62, 0, NULL},
    {"switch_self_payload", "MiB/s", "270", '>', 282, measure_one_way, "server2004", 62, 2, NULL},
    {"switch_3to1_payload", "MiB/s", "279", '>', 285, measure_three_to_one, "server2004", 62, 0, NULL},
    {"switch_3to1_unfairness", "%", NULL, '<', 1, measure_three_to_one, "server2004", 62, 1, NULL},
    {"switch_7to1_unfairness", "%", NULL, '<', 1, measure_fairness, "server2004", 62, 0, NULL},
    {"switch_7to1_unfairness_bytes", "%", NULL, 0, 0, measure_fairness, "server2004", 62, 1, NULL},
    {"switch_4toall_payload", "MiB/s", NULL, '>', 280, measure_all_to_all, "server2004", 62, 0, NULL},
    {"sim_8nic_khz", "kHz", NULL, 0, 0, measure_speed, "server2004", 62, 0, NULL},
    {0},
};
