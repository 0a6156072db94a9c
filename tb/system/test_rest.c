/* NICs and switches with clock gating behave as those without, to the picosecond. */
#include <string.h>

#include "crossbar4.h"
#include "nic_1voq.h"
#include "nic_2paths.h"
#include "scenario_bench.h"
#include "test.h"

/* Rest of the clocks of a chip, in clocks. */
struct sleeper {
    const uint8_t *enable;
    uint64_t clocks, rested;
};

static void look(void *self)
{
    struct sleeper *l = self;
    l->clocks++;
    l->rested += !*l->enable;
}

static struct sleeper pci, net, xbar[2];

static scenario_bench *run(int open, unsigned nodes, const nic_kind *kind, const char *const *options)
{
    fabric_params p;
    fabric_params_default(&p, nodes, nodes > 2 ? &crossbar4_config : NULL);
    p.sim.quiet = 1;
    p.sim.buffers_open = open;
    if (kind->config)
        for (unsigned i = 0; i < nodes; i++) p.node[i].nic = kind->config;
    scenario_bench *b = scenario_bench_new(&p);
    scenario_bench_set(b, options);
    pci = (struct sleeper){b->f->node[0]->nic.pci_run, 0, 0};
    net = (struct sleeper){b->f->node[0]->nic.net_run, 0, 0};
    sim_clock_attach(b->f->node[0]->pci_clock, look, NULL, &pci);
    sim_clock_attach(b->f->node[0]->net_clock, look, NULL, &net);
    if (nodes > 2)
        for (int i = 0; i < 2; i++) {
            xbar[i] = (struct sleeper){i ? b->f->chip.run_b : b->f->chip.run_a, 0, 0};
            sim_clock_attach(b->f->clock[i], look, NULL, &xbar[i]);
        }
    scenario_bench_good(b);
    return b;
}

static const struct {
    unsigned nodes;
    nic_kind kind;
    double rest; /* part of the clocks in which a node rests, at least; the switch half as much */
    const char *options[12];
} rows[] = {
    {2, {0}, 0.5, {"scenario", "one-way", "sizes", "8..496", "load", "0.02", "measure", "300"}},
    {2, {0}, 0, {"scenario", "ping-pong", "sizes", "8,496"}},
    {4, {0}, 0.2, {"scenario", "uniform", "sizes", "8..496", "load", "0.1", "measure", "100"}},
    {3, {0}, 0.7, {"scenario", "uniform", "sizes", "8..496", "load", "0.01", "measure", "300"}},
    {4, {0}, 0, {"scenario", "hot-spot", "sizes", "496", "load", "0.8", "measure", "100", "body-limit", "64"}},
    {2,
     {"2paths", &nic_2paths_config},
     0.2,
     {"scenario", "one-way", "sizes", "8..496", "load", "0.1", "measure", "200"}},
    {4, {"1voq", &nic_1voq_config}, 0, {"scenario", "three-to-one", "sizes", "496", "measure", "50"}},
};

TEST_CASE("rest", .timeout = 180);

TEST(a_system_with_clock_gating_does_the_same_as_one_without, .to = sizeof rows / sizeof rows[0])
{
    const scenario_bench *always = run(1, rows[_i].nodes, &rows[_i].kind, rows[_i].options);
    ck_assert_uint_eq(sim_model_clock_enable(always->f->node[0]->nic.model, "pci_run_clk")[0], 1);
    const scenario_bench *resting = run(0, rows[_i].nodes, &rows[_i].kind, rows[_i].options);
    ck_assert_double_ge((double)pci.rested, rows[_i].rest * (double)pci.clocks);
    ck_assert_double_ge((double)net.rested, rows[_i].rest * (double)net.clocks);
    for (int i = 0; i < 2 && rows[_i].nodes > 2; i++)
        ck_assert_double_ge((double)xbar[i].rested, rows[_i].rest / 2 * (double)xbar[i].clocks);
    ck_assert_uint_eq(sim_now(resting->f->s), sim_now(always->f->s));
    ck_assert_uint_eq(resting->x->rows, always->x->rows);
    for (unsigned i = 0; i < always->x->rows; i++) {
        const scenario_row *a = &always->x->row[i], *r = &resting->x->row[i];
        ck_assert_uint_eq(r->packets, a->packets);
        ck_assert_mem_eq(&r->all, &a->all, sizeof a->all);
        ck_assert_mem_eq(r->flow, a->flow, sizeof a->flow);
    }
}
