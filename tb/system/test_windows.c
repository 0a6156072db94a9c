/* Nodes in lookahead windows (sim_lookahead): for any windows and threads the results are those of a run edge by edge.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "crossbar4.h"
#include "scenario_bench.h"
#include "shell.h"
#include "sim/app/nicxbar/report.h"
#include "sim/app/nicxbar/scenario_report.h"
#include "test.h"

TEST_CASE("windows", .timeout = 300, .teardown = shell_clean);

static const struct traffic {
    unsigned nodes; /* 2: without a switch */
    const char *options[12];
} traffic[] = {
    {3, {"scenario", "uniform", "sizes", "8..496", "warmup", "5", "measure", "10", "outstanding", "4"}},
    {3, {"scenario", "hot-spot", "sizes", "40/496/60", "warmup", "5", "measure", "20", "load", "0.7"}},
    {3, {"scenario", "n-to-one", "sizes", "24,496", "warmup", "5", "packets", "40"}},
    {3, {"scenario", "permutation", "sizes", "248", "warmup", "5", "measure", "10", "outstanding", "4"}},
    {2, {"scenario", "one-way", "sizes", "496", "warmup", "5", "measure", "10"}},
    {3, {"scenario", "ping-pong", "sizes", "24", "warmup", "5", "measure", "20"}},
};

/* All that a run has found out; the end of it [ps] too. */
static char *results(const struct traffic *t, unsigned window, unsigned threads)
{
    scenario_bench *b = scenario_bench_open(t->nodes, t->nodes == 2 ? NULL : &crossbar4_config, t->options);
    fabric_lookahead(b->f, window, threads);
    json_t *all = scenario_json(scenario_bench_good(b));
    json_object_set_new(all, "end", json_integer((json_int_t)sim_now(b->f->s)));
    for (unsigned i = 0; i < t->nodes; i++)
        json_object_set_new(all, b->f->node[i]->name,
                            json_integer((json_int_t)sim_clock_cycles(b->f->node[i]->pci_clock)));
    char *text = json_dumps(all, JSON_INDENT(1));
    json_decref(all);
    return text;
}

/* A saturated host calls sim_deliver only if a packet may have landed in this window; each call costs a round. */
TEST(saturated_hosts_seldom_wait_for_others)
{
    static const char *const options[] = {"scenario", "uniform", "sizes",       "496", "warmup", "10",
                                          "measure",  "40",      "outstanding", "4",   NULL};
    scenario_bench *b = scenario_bench_open(3, &crossbar4_config, options);
    fabric_lookahead(b->f, 14, 1);
    scenario_bench_good(b);
    const sim_window_counts c = sim_windows(b->f->s);
    ck_assert_uint_gt(c.windows, 100);
    ck_assert_msg(c.rounds < c.windows + c.windows / 4, "%llu windows, %llu rounds", (unsigned long long)c.windows,
                  (unsigned long long)c.rounds);
}

TEST(results_are_the_same, .to = COUNT(traffic))
{
    const unsigned windows[] = {1, 2 + (unsigned)_i, 16}, threads[] = {2, 1, 3};
    char *together = results(&traffic[_i], 0, 1);
    for (int i = 0; i < COUNT(windows); i++) {
        char *windowed = results(&traffic[_i], windows[i], threads[i]);
        ck_assert_msg(!strcmp(windowed, together), "window of %u clocks, %u threads: %s\nexpected %s", windows[i],
                      threads[i], windowed, together);
        free(windowed);
    }
    free(together);
}

/* A file both ways, between two nodes and a cable, or two of three around a switch. */
static char *transfer(const sim_config *chip, unsigned window, unsigned threads)
{
    char path[300];
    fabric_params p;
    fabric_params_default(&p, chip ? 3 : 2, chip);
    p.node[0].pci_mhz = 133;
    snprintf(path, sizeof path, "%s/file", shell_folder());
    ck_assert_int_eq(shell("seq 2000 >$D/file"), 0);
    fabric *f = fabric_new(&p);
    ck_assert_ptr_nonnull(f);
    fabric_lookahead(f, window, threads);
    exchange x = {.p = pair_in(f, 0, 1), .interrupts = !chip};
    for (int i = 0; i < 2; i++) x.direction[i] = (exchange_direction){.path = path, .size = 8893};
    meter *m = meter_new(x.p);
    report r = {
        .x = &x, .meter = m, .carried = &(paths_report){0}, .bridge = "server2004", .payload = 62, .faulty = ""};
    sim_task_new(f->s, "exchange", exchange_run, &x);
    r.result = sim_run(f->s, 10 * SIM_MS);
    r.good = exchange_good(&x);
    ck_assert_msg(r.result == SIM_OK && r.good, "%s %s", sim_result_name(r.result), sim_error(f->s));
    json_t *all = report_json(&r);
    json_object_set_new(all, "end", json_integer((json_int_t)sim_now(f->s)));
    char *text = json_dumps(all, JSON_INDENT(1));
    json_decref(all);
    meter_free(m);
    pair_free(x.p);
    fabric_free(f);
    return text;
}

TEST(files_cross_the_same, .to = 2)
{
    const sim_config *chip = _i ? &crossbar4_config : NULL;
    const unsigned windows[] = {1, 7, 16}, threads[] = {1, 2, 3};
    char *together = transfer(chip, 0, 1);
    for (int i = 0; i < COUNT(windows); i++) {
        char *windowed = transfer(chip, windows[i], threads[i]);
        ck_assert_msg(!strcmp(windowed, together), "window of %u clocks: %s\nexpected %s", windows[i], windowed,
                      together);
        free(windowed);
    }
    free(together);
}
