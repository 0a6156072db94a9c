/* Probes: found in every instance, on the right clock, counted as worked out by hand. */
#include "full_models.h"
#include "shell.h"
#include "simulation.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cycles.h"
#include "probe_counter.h"
#include "probe_tree.h"
#include "probe_tree_3.h"

CLEANUP(sim_cycles_free);

static sim_cycles *cycles_of(sim *s)
{
    sim_cycles *c = sim_cycles_new(s);
    after_test(sim_cycles_free_cleanup, c);
    return c;
}

/* A counter with jobs of three clocks, in reset. */
static probe_counter *counter(sim *s, sim_clock *k)
{
    probe_counter *m = probe_counter_new(s, "one");
    sim_model_clock(m->model, k, m->clk);
    *m->rst = 1;
    *m->length = 3;
    return m;
}

static sim_cycles_row row_of(const sim_cycles *c, const char *path)
{
    sim_cycles_row r;
    for (size_t i = 0; !sim_cycles_get(c, i, &r); i++)
        if (!strcmp(r.path, path)) return r;
    ck_abort_msg("no row for %s", path);
}

/* Stimulus by hand: inputs for each clock. */
struct script {
    probe_counter *m;
    const char *start, *hold; /* a character per clock, '1' = high */
    size_t at;
};

static void script_drive(void *self)
{
    struct script *p = self;
    *p->m->start = p->at < strlen(p->start) && p->start[p->at] == '1';
    *p->m->hold = p->at < strlen(p->hold) && p->hold[p->at] == '1';
    p->at++;
}

/* Worked by hand, jobs of 3 clocks. The inputs driven after edge k are seen at edge k + 1, counted here as clock k:
 *
 *   clock   0 1 2 3 4 5 6 7 8 9 ..
 *   start   1 . . . . 1 . . . . . .
 *   hold    . . 1 1 . . . . . . . .
 *   left    0 3 2 2 2 1 0 ..          job 1: start 0, busy 1, stalled 2 3, busy 4 5, done 5, latency 5
 *   start again in clock 6 (the one in clock 5 comes too early: still busy): left 7..9 = 3 2 1, done 9, latency 3 */
TEST(busy_stalled_idle_and_latency_are_as_worked_by_hand)
{
    sim *s = quiet_sim(0);
    sim_clock *k = make_clock(s, "k", 10000, 0);
    probe_counter *m = counter(s, k);
    sim_cycles *c = cycles_of(s);
    ck_assert_int_eq(sim_cycles_add(c, m->model), 1);
    ck_assert_int_eq(sim_run(s, 50000), SIM_TIME_LIMIT);
    *m->rst = 0;
    struct script p = {m, "100001100000", "001100000000", 0};
    script_drive(&p);
    sim_clock_attach(k, NULL, script_drive, &p);
    sim_cycles_start(c);
    ck_assert_int_eq(sim_run(s, 50000 + 12 * 10000), SIM_TIME_LIMIT);
    sim_cycles_stop(c);
    ck_assert_int_eq(sim_run(s, 1000000), SIM_TIME_LIMIT); /* not counted */
    sim_cycles_row r = row_of(c, "probe_counter");
    ck_assert_str_eq(r.model, "one");
    ck_assert_str_eq(r.clock, "k");
    ck_assert_uint_eq(r.clocks, 12);
    ck_assert_uint_eq(r.busy, 6);
    ck_assert_uint_eq(r.stalled, 2);
    ck_assert_uint_eq(r.idle, 4);
    ck_assert_uint_eq(r.operations, 2);
    ck_assert_uint_eq(r.open, 0);
    ck_assert_uint_eq(r.latency_min, 3);
    ck_assert_uint_eq(r.latency_max, 5);
    ck_assert_double_eq_tol(r.latency_mean, 4, 1e-9);
}

TEST(every_instance_is_found_on_its_own_clock)
{
    sim *s = quiet_sim(0);
    sim_clock *fast = make_clock(s, "fast", 1000, 0), *slow = make_clock(s, "slow", 3000, 0);
    probe_tree_3 *t = probe_tree_3_new(s, "tree");
    sim_model_clock(t->model, fast, t->fast_clk);
    sim_model_clock(t->model, slow, t->slow_clk);
    *t->rst = 1;
    *t->hold = 0;
    *t->length = 10;
    sim_cycles *c = cycles_of(s);
    ck_assert_int_eq(sim_cycles_add(c, t->model), 4);
    ck_assert_int_eq(sim_run(s, 9000), SIM_TIME_LIMIT);
    *t->rst = 0;
    *t->fast_start = 4; /* the third: 12 clocks, again and again */
    *t->slow_start = 1; /* 10 clocks */
    ck_assert_int_eq(sim_run(s, 99000), SIM_TIME_LIMIT);
    sim_cycles_start(c);
    ck_assert_int_eq(sim_run(s, 99000 + 13 * 11 * 3000), SIM_TIME_LIMIT);
    sim_cycles_row r = row_of(c, "probe_tree.outer[0].inner[2].job");
    ck_assert_str_eq(r.clock, "fast");
    ck_assert_uint_eq(r.clocks, 13 * 11 * 3);
    ck_assert_uint_eq(r.busy, 12 * 11 * 3);
    ck_assert_uint_eq(r.idle, 11 * 3);
    ck_assert_uint_eq(r.latency_min, 12);
    ck_assert_uint_eq(r.latency_max, 12);
    r = row_of(c, "probe_tree.middle.job");
    ck_assert_str_eq(r.clock, "slow");
    ck_assert_str_eq(r.module, "probe_counter");
    ck_assert_uint_eq(r.clocks, 13 * 11);
    ck_assert_uint_eq(r.busy, 13 * 10);
    ck_assert_uint_eq(r.latency_max, 10);
    r = row_of(c, "probe_tree.outer[0].inner[0].job");
    ck_assert_uint_eq(r.busy, 0);
    ck_assert_uint_eq(r.operations, 0);
}

TEST(two_configurations_have_their_own_instances)
{
    sim *s = quiet_sim(0);
    sim_clock *k = make_clock(s, "k", 1000, 0);
    probe_tree *two = probe_tree_new(s, "two");
    probe_tree_3 *three = probe_tree_3_new(s, "three");
    sim_model_clock(two->model, k, two->fast_clk);
    sim_model_clock(two->model, k, two->slow_clk);
    sim_model_clock(three->model, k, three->fast_clk);
    sim_cycles *c = cycles_of(s);
    ck_assert_int_eq(sim_cycles_add(c, two->model), 3);
    ck_assert_int_eq(sim_cycles_add(c, three->model), -1); /* its slow clock is not connected */
    ck_assert_ptr_nonnull(strstr(sim_error(s), "slow_clk"));
}

/* Models may come between two runs, on clocks of their own, and the first one that goes ends the count. */
TEST(a_simulation_prints_what_the_probes_of_all_its_models_have_counted)
{
    fflush(stdout);
    FILE *file = shell_file("table", "w");
    int screen = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    sim_params p;
    sim_params_default(&p);
    p.quiet = 1;
    p.cycles = "what was counted";
    sim *s = sim_of(&p);
    sim_clock *k = make_clock(s, "clk", 10000, 0), *slow = make_clock(s, "slow", 20000, 0);
    counter(s, k);
    ck_assert_int_eq(sim_run(s, 99000), SIM_TIME_LIMIT);
    probe_counter *two = probe_counter_new(s, "two"), *by_hand = probe_counter_new(s, "by_hand");
    sim_model_clock(two->model, slow, two->clk);
    *two->rst = 1;
    sim_model_eval(by_hand->model);
    ck_assert_int_eq(sim_run(s, 199000), SIM_TIME_LIMIT);
    probe_counter_free(by_hand);
    dup2(screen, STDOUT_FILENO);
    fclose(file);
    ck_shell_says(0, "what was counted\ninstance ", "cat $D/table");
    ck_output_has("\none.probe_counter  probe_counter           20 ");
    ck_output_has("\ntwo.probe_counter  probe_counter            5 ");
    ck_output_lacks("by_hand");
    shell_clean();
}

TEST(table_and_json_show_the_counts)
{
    sim *s = quiet_sim(0);
    sim_clock *k = make_clock(s, "k", 10000, 0);
    probe_counter *m = counter(s, k);
    sim_cycles *c = cycles_of(s);
    sim_cycles_add(c, m->model);
    sim_run(s, 20000);
    *m->rst = 0;
    *m->hold = 0;
    *m->start = 1;
    sim_cycles_start(c);
    sim_run(s, 20000 + 8 * 10000); /* twice: one clock idle, three busy */
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    ck_assert_int_eq(sim_cycles_table(c, f), 0);
    fclose(f);
    ck_assert_ptr_nonnull(strstr(text, "one.probe_counter"));
    ck_assert_ptr_nonnull(strstr(text, " 75.0%"));
    ck_assert_ptr_nonnull(strstr(text, "3 / 3.0 / 3"));
    free(text);
    json_t *j = sim_cycles_json(c), *row = json_array_get(j, 0);
    ck_assert_uint_eq(json_array_size(j), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(row, "clocks")), 8);
    ck_assert_int_eq(json_integer_value(json_object_get(row, "busy")), 6);
    ck_assert_int_eq(json_integer_value(json_object_get(row, "operations")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(row, "latency_max")), 3);
    json_decref(j);
}
