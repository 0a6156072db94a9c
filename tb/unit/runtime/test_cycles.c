/* Probes: found in every instance, on the right clock, counted as worked out by hand. */
#include "full_models.h"
#include "shell.h"
#include "simulation.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "probe_counter.h"
#include "probe_tree.h"
#include "probe_tree_3.h"
#include "sim/core/kernel/cycles.h"
#include "sim/observe/cycles/cycles_report.h"

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
    ck_assert_uint_eq(r.latency->min, 3);
    ck_assert_uint_eq(r.latency->max, 5);
    ck_assert_double_eq_tol(histogram_mean(r.latency), 4, 1e-9);
    ck_assert_uint_eq(r.reasons, 2);
    ck_assert_str_eq(r.reason[0].name, "hold");
    ck_assert_uint_eq(r.reason[0].clocks, 2);
    ck_assert_str_eq(r.reason[1].name, "other");
    ck_assert_uint_eq(r.reason[1].clocks, 0);
    /* left: 0 3 2 2 2 1 0 3 2 1 0 0 */
    ck_assert_uint_eq(r.level->count, 12);
    ck_assert_uint_eq(r.level->sum, 16);
    ck_assert_uint_eq(r.level->max, 3);
    ck_assert_uint_eq(r.machines, 1);
    ck_assert_str_eq(r.machine->states, "NONE LAST MORE");
    ck_assert_uint_eq(r.machine->clocks[0], 4);
    ck_assert_uint_eq(r.machine->clocks[1], 2);
    ck_assert_uint_eq(r.machine->clocks[2], 6);
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
    ck_assert_uint_eq(r.latency->min, 12);
    ck_assert_uint_eq(r.latency->max, 12);
    r = row_of(c, "probe_tree.middle.job");
    ck_assert_str_eq(r.clock, "slow");
    ck_assert_str_eq(r.module, "probe_counter");
    ck_assert_uint_eq(r.clocks, 13 * 11);
    ck_assert_uint_eq(r.busy, 13 * 10);
    ck_assert_uint_eq(r.latency->max, 10);
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

/* One by one, with `start` as long as the run: latency 3 clocks, one idle clock behind it. */
static sim_cycles *eight_clocks(sim *s, probe_counter *m)
{
    sim_cycles *c = cycles_of(s);
    sim_cycles_add(c, m->model);
    sim_run(s, 20000);
    *m->rst = 0;
    *m->hold = 0;
    *m->start = 1;
    sim_cycles_start(c);
    sim_run(s, 20000 + 8 * 10000); /* twice: one clock idle, three busy */
    return c;
}

/* Outside of windows nothing counts but the time line; operations that began before one count when they end in it. */
TEST(only_windows_are_counted_and_the_time_line_has_all)
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
    sim_cycles_window(c, 0);
    sim_run(s, 20000 + 6 * 10000); /* idle busy busy busy idle busy */
    sim_cycles_window(c, 1);
    sim_run(s, 20000 + 9 * 10000); /* busy busy idle */
    sim_cycles_window(c, 0);
    sim_run(s, 20000 + 1000 * 10000);
    sim_cycles_stop(c);
    sim_cycles_row r = row_of(c, "probe_counter");
    ck_assert_uint_eq(r.clocks, 3);
    ck_assert_uint_eq(r.busy, 2);
    ck_assert_uint_eq(r.operations, 1);
    ck_assert_uint_eq(r.latency->min, 3);
    json_t *j = sim_cycles_json(c, "windows"), *windows = json_object_get(j, "windows");
    json_t *row = json_array_get(json_object_get(j, "instances"), 0), *value;
    ck_assert_uint_eq(json_array_size(windows), 1);
    ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(windows, 0), 0)), 80000);
    ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(windows, 0), 1)), 110000);
    json_int_t busy = 0, clocks = 0;
    size_t i;
    json_array_foreach(json_object_get(row, "slices_busy"), i, value) busy += json_integer_value(value);
    json_array_foreach(json_object_get(json_array_get(json_object_get(j, "clocks"), 0), "slices"), i, value) clocks +=
        json_integer_value(value);
    ck_assert_int_eq(clocks, 1000);
    ck_assert_int_eq(busy, 750);
    ck_assert_uint_eq(i, 126); /* slices of 8 clocks, the first one with 7 */
    json_decref(j);
}

/* Models may come between two runs, on clocks of their own, and the first one that goes ends the count. */
TEST(a_simulation_writes_what_the_probes_of_all_its_models_have_counted)
{
    sim_params p;
    sim_params_default(&p);
    p.quiet = 1;
    p.cycles = shell_folder();
    p.cycles_name = "what was counted";
    sim *s = sim_new(&p);
    sim_clock *k = make_clock(s, "clk", 10000, 0), *slow = make_clock(s, "slow", 20000, 0);
    counter(s, k);
    ck_assert_int_eq(sim_run(s, 99000), SIM_TIME_LIMIT);
    probe_counter *two = probe_counter_new(s, "two"), *by_hand = probe_counter_new(s, "by_hand");
    sim_model_clock(two->model, slow, two->clk);
    *two->rst = 1;
    sim_model_eval(by_hand->model);
    ck_assert_int_eq(sim_run(s, 199000), SIM_TIME_LIMIT);
    probe_counter_free(by_hand);
    sim_free(s);
    json_t *j = json_load_file(shell_path("000000.json"), 0, NULL), *rows = json_object_get(j, "instances");
    ck_assert_str_eq(json_string_value(json_object_get(j, "name")), "what was counted");
    ck_assert_uint_eq(json_array_size(rows), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(rows, 0), "clocks")), 20);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(rows, 1), "model")), "two");
    ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(rows, 1), "clocks")), 5);
    json_decref(j);
    shell_clean();
}

TEST(a_histogram_is_exact_where_it_is_small_and_close_where_it_is_large)
{
    histogram h = {0};
    for (uint64_t i = 1; i <= 1000; i++) histogram_add(&h, i);
    ck_assert_uint_eq(histogram_at(&h, 0.5), 500);
    ck_assert_uint_eq(histogram_at(&h, 0.99), 990);
    ck_assert_double_eq_tol(histogram_mean(&h), 500.5, 1e-9);
    for (int i = 0; i < 2000; i++) histogram_add(&h, 1234567);
    ck_assert_double_eq_tol((double)histogram_at(&h, 0.5), 1234567, 1234567 / 512.0);
    ck_assert_uint_eq(h.max, 1234567);
    json_t *j = histogram_json(&h), *bins = json_object_get(j, "bins"), *bin;
    size_t i;
    json_int_t sum = 0, end = 0;
    json_array_foreach(bins, i, bin)
    {
        ck_assert(i == 0 || json_integer_value(json_array_get(bin, 0)) == end + 1);
        end = json_integer_value(json_array_get(bin, 1));
        sum += json_integer_value(json_array_get(bin, 2));
    }
    ck_assert_int_eq(sum, 3000);
    ck_assert_uint_le(i, 32);
    ck_assert_int_ge(end, 1234567);
    json_decref(j);
    histogram_clear(&h);
}

/* ---- output ---- */

static json_t *document_of(sim_cycles *c, const char *system)
{
    json_t *document = cycles_document(system);
    json_array_append_new(json_object_get(document, "simulations"), sim_cycles_json(c, "eight <clocks>"));
    return document;
}

static char *printed(const json_t *document, const char *sort)
{
    static char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    cycles_table(document, sort, f);
    fclose(f);
    return text;
}

TEST(table_csv_and_page_show_the_counts)
{
    sim *s = quiet_sim(0);
    sim_clock *k = make_clock(s, "k", 10000, 0);
    probe_counter *m = counter(s, k), *idle = probe_counter_new(s, "idle");
    sim_model_clock(idle->model, k, idle->clk);
    *idle->rst = 1;
    sim_cycles *c = cycles_of(s);
    sim_cycles_add(c, m->model);
    sim_cycles_add(c, idle->model);
    sim_run(s, 20000);
    *m->rst = 0;
    *m->hold = 0;
    *m->start = 1;
    sim_cycles_start(c);
    sim_run(s, 20000 + 8 * 10000); /* twice: one clock idle, three busy */
    json_t *document = document_of(c, "a counter");
    char *text = printed(document, "name");
    ck_assert_ptr_nonnull(strstr(text, "\none.probe_counter  probe_counter       8  75.0    0.0  25.0        2   "
                                       "250.00    3    3    3    3   1.5     3  -\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n1 idle from start to end: probe_counter\n"));
    ck_assert_ptr_nonnull(strstr(text, "\none.probe_counter  NONE 25.0 LAST 25.0 MORE 50.0\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nprobe_counter          2  37.5    0.0  62.5        2  3.0 / 3\n"));
    free(text);

    json_t *all = json_pack("{s:O}", "cycles", document);
    shell_put("new", "");
    ck_assert_int_eq(json_dump_file(all, shell_path("c.json"), 0), 0);
    ck_assert_int_eq(cycles_files(document, shell_path("c.json")), 0);
    ck_shell_says(0,
                  "\"eight <clocks>\",one.probe_counter,,probe_counter,k,8,6,0,2,2,0,3,3,3,3,3,0,1.5,1,3,3,hold=0 "
                  "other=0,NONE=2 LAST=2 MORE=4\n",
                  "cat $D/c.csv");
    /* the page contains its data as JSON, for any names */
    ck_shell_says(
        0, "eight \\u003cclocks>",
        "sed -n 's/^<script type=\"application.json\" id=\"data\">\\(.*\\)<.script>$/\\1/p' $D/c.html | tee $D/p.json");
    json_t *page = json_load_file(shell_path("p.json"), 0, NULL);
    ck_assert_ptr_nonnull(page);
    ck_assert_int_eq(json_equal(page, document), 1);
    ck_assert_int_eq(shell_says("grep -E 'https?:|@import|src=' $D/c.html | grep -v 'http://www.w3.org/2000/svg'"), 1);
    json_decref(page);
    json_decref(all);
    json_decref(document);
    shell_clean();
}

TEST(the_largest_row_stands_first_whatever_the_key)
{
    json_t *document = json_loads(
        "{\"format\": \"" CYCLES_FORMAT
        "\", \"system\": \"\", \"simulations\": [{\"name\": \"\", \"windows\": [], \"instances\": ["
        "{\"model\": \"m\", \"path\": \"a\", \"side\": \"\", \"module\": \"x\", \"clocks\": 100, \"busy\": 50, "
        "\"stalled\": 10, \"idle\": 40, \"operations\": 3,"
        "\"latency\": {\"count\": 3, \"mean\": 5, \"min\": 5, \"median\": 5, \"p99\": 5, \"max\": 5}},"
        "{\"model\": \"m\", \"path\": \"b\", \"side\": \"wr\", \"module\": \"y\", \"clocks\": 100, \"busy\": 5, "
        "\"stalled\": 20, \"idle\": 75, \"operations\": 4,"
        "\"reasons\": {\"full\": 15, \"other\": 5}, \"level\": {\"count\": 100, \"mean\": 2.5, \"min\": 0, "
        "\"median\": 2, \"p99\": 7, \"max\": 7}}]}]}",
        0, NULL);
    static const struct {
        const char *key;
        int a_first;
    } orders[] = {{"name", 1},       {"busy", 1},    {"stalled", 0}, {"idle", 0},
                  {"operations", 0}, {"latency", 1}, {"level", 0}};
    ck_assert_ptr_nonnull(document);
    for (int i = 0; i < COUNT(orders); i++) {
        char *text = printed(document, orders[i].key);
        ck_assert_msg((strstr(text, "\nm.a ") < strstr(text, "\nm.b:wr ")) == orders[i].a_first, "%s:%s", orders[i].key,
                      text);
        ck_assert_ptr_nonnull(strstr(text, " full 15.0 other 5.0\n"));
        free(text);
    }
    json_decref(document);
}

TEST(a_run_is_compared_with_an_older_one)
{
    sim *s = quiet_sim(0);
    sim_clock *k = make_clock(s, "k", 10000, 0);
    sim_cycles *c = eight_clocks(s, counter(s, k));
    json_t *now = document_of(c, "a counter"), *base = json_deep_copy(now);
    json_t *row =
        json_array_get(json_object_get(json_array_get(json_object_get(base, "simulations"), 0), "instances"), 0);
    FILE *f = shell_file("said", "w");
    ck_assert_uint_eq(cycles_compare(now, base, 0, f), 0);
    json_object_set_new(row, "busy", json_integer(5));
    ck_assert_uint_eq(cycles_compare(now, base, 13, f), 0); /* 62.5 and 75 */
    ck_assert_uint_eq(cycles_compare(now, base, 12, f), 1);
    json_object_set_new(json_object_get(row, "level"), "mean", json_real(3));
    ck_assert_uint_eq(cycles_compare(now, base, 12, f), 2);
    json_object_set_new(row, "path", json_string("elsewhere"));
    ck_assert_uint_eq(cycles_compare(now, base, 12, f), 1); /* nothing is left to compare */
    fclose(f);
    ck_shell_says(0, "one.probe_counter  busy  62.50  75.00  %\n", "cat $D/said");
    ck_output_has("only in this run: 1 instance, one.probe_counter\nonly in the base: 1 instance, one.elsewhere\n");
    json_decref(base);
    json_decref(now);
    shell_clean();
}

static const struct {
    const char *text, *said;
} bad_bases[] = {
    {"{\"cycles\": [", "is no JSON, or it is cut off; expected a cycles.json that make cycles has written"},
    {"{\"good\": true}",
     "is no result of make cycles; expected \"" CYCLES_FORMAT "\", as make cycles of this version writes it"},
    {"{\"cycles\": [{\"model\": \"nic0\"}]}", "is of a version before; expected \"" CYCLES_FORMAT "\""},
    {"{\"cycles\": {\"format\": \"nicxbar cycles 9\"}}", "is \"nicxbar cycles 9\"; expected \"" CYCLES_FORMAT "\""},
    {"{\"format\": \"" CYCLES_FORMAT "\", \"simulations\": []}", "has no \"system\"; expected it"},
    {"{\"cycles\": {\"format\": \"" CYCLES_FORMAT "\", \"system\": \"4 nodes\"}}",
     "is of another system, \"4 nodes\"; expected \"2 nodes\""}};

/* A foreign document without the names of things is shown all the same. */
TEST(a_state_machine_without_a_name_is_shown)
{
    char error[CYCLES_ERROR], *shown;
    size_t size;
    shell_put("base.json",
              "{\"format\": \"" CYCLES_FORMAT
              "\", \"system\": \"s\", \"simulations\": [{\"instances\": [{\"model\": \"m\", "
              "\"path\": \"p\", \"clocks\": 100, \"busy\": 30, \"machines\": [{\"clocks\": {\"A\": 30}}]}]}]}");
    json_t *document = cycles_base(shell_path("base.json"), "s", error);
    ck_assert_ptr_nonnull(document);
    FILE *f = open_memstream(&shown, &size);
    cycles_table(document, "name", f);
    ck_assert_int_eq(cycles_compare(document, document, 5, f), 0);
    fclose(f);
    ck_assert_ptr_nonnull(strstr(shown, " A 30.0"));
    free(shown);
    json_decref(document);
    shell_clean();
}

TEST(a_base_that_cannot_be_compared_is_refused, .to = COUNT(bad_bases))
{
    char error[CYCLES_ERROR];
    shell_put("base.json", bad_bases[_i].text);
    ck_assert_ptr_null(cycles_base(shell_path("base.json"), "2 nodes", error));
    ck_assert_msg(strstr(error, bad_bases[_i].said) == error, "%s", error);
    ck_assert_ptr_null(cycles_base(shell_path("none.json"), "2 nodes", error));
    ck_assert_ptr_nonnull(strstr(error, "No such file"));
    shell_clean();
}
