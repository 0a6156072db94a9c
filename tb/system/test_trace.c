/* The lives of packets as a file for Perfetto (--trace): it follows the format, its sums are those of the run, and its
 * words of a cable are those of the sniffer in the same run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"
#include "test.h"
#include "trace_reader.h"

RUNS("nicxbar-sim2");
RUNS("nicxbar-sim2-links");
RUNS("full/nicxbar-sim2-default");

static void set_up(void)
{
    shell_program("nicxbar-sim2");
    shell_folder();
}

TEST_CASE("trace", .timeout = 120, .setup = set_up, .teardown = shell_clean);

/* Runs it with its files in $D; the trace, checked, and the results. */
static json_t *run(trace_read *r, const char *options)
{
    json_error_t error;
    if (strstr(options, "--nic 2")) shell_program("nicxbar-sim2-links");
    ck_assert_msg(!shell_says("$P --nodes 2 --out $D --trace packets %s", options), "%s", shell_output);
    trace_load(shell_path("trace.json"), r);
    json_t *results = json_load_file(shell_path("sim.json"), 0, &error);
    ck_assert_msg(results != NULL, "%s", error.text);
    return results;
}

static double number(const json_t *o, const char *a, const char *b)
{
    return json_number_value(json_object_get(b ? json_object_get(o, a) : o, b ? b : a));
}

#define BRIEF "--warmup 5 --measure 40 "

static const char *const scenarios[] = {
    "--scenario round-robin --sizes 8..496,24 " BRIEF,
    "--scenario uniform --load 0.6 --node-ids 5,127 --nic 4splits " BRIEF,
    "--scenario ping-pong --sizes 24,8..496 --measure 20",
    "--scenario one-way --direct --payload 512 --sizes 8..4096 --measure 80",
    "--scenario round-robin --nic 1voq --memory sdram --sizes 240 " BRIEF,
    "--scenario uniform --faults 'packet node0>switch body at 60us times 3; packet node1>switch header at 61us times "
    "2; cut node1 at 70us "
    "for "
    "5us' " BRIEF,
    "--scenario round-robin --nic 2paths --path-latency 23,173 --sizes 8..496 " BRIEF,
    "--scenario one-way --direct --nic 2paths --payload 31 --sizes 8..248 " BRIEF,
    "--scenario one-way --direct --nic 2links --payload 512 --sizes 8..4096 " BRIEF,
};

TEST(packets_bytes_and_latencies_of_each_pair_are_those_of_the_table, .to = COUNT(scenarios))
{
    trace_read r;
    json_t *results = run(&r, scenarios[_i]), *rows = json_object_get(json_object_get(results, "scenario"), "rows"),
           *row, *flow;
    const json_t *checked = json_object_get(json_object_get(results, "scenario"), "checked");
    trace_lives all = trace_count_lives(&r, -1, -1, 0, UINT64_MAX);
    ck_assert_uint_gt(all.packets, 20);
    ck_assert_uint_eq(all.packets, (unsigned)number(checked, "landed", NULL));
    ck_assert_uint_eq(all.bytes, 8 * (uint64_t)number(checked, "payload_words", NULL));
    ck_assert_uint_eq(r.lives, (unsigned)number(checked, "made", NULL));
    ck_assert_uint_ge(r.arrows, r.lives);
    const trace_slice_read *window;
    ck_assert_uint_eq(trace_slices_of(&r, "the run", "measured", &window), json_array_size(rows));
    size_t i, k;
    json_array_foreach(rows, i, row) json_array_foreach(json_object_get(row, "flows"), k, flow)
    {
        trace_lives n = trace_count_lives(&r, (int)number(flow, "from", NULL), (int)number(flow, "to", NULL),
                                          window[i].begin, window[i].end);
        ck_assert_uint_eq(n.packets, (unsigned)number(flow, "latency_ns", "packets"));
        if (!n.packets) continue;
        ck_assert_double_eq_tol(n.mean, number(flow, "latency_ns", "mean"), 0.001);
        /* these are in steps of 0.1 ns and more there */
        ck_assert_double_eq_tol(n.min, number(flow, "latency_ns", "min"), 0.1 + n.min / 1000);
        ck_assert_double_eq_tol(n.max, number(flow, "latency_ns", "max"), 0.1 + n.max / 1000);
    }
    trace_read_free(&r);
    json_decref(results);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From the SOP on the pins of the sender to the last word in memory: where the life is on the cable for the first time,
 * and its end. */
static void latencies_of_a_file(const trace_read *r, const json_t *direction)
{
    double *latency = test_memory(json_array_size(r->events) * sizeof *latency), sop = 0, memory = 0;
    unsigned packets = 0, from = 0;
    size_t i;
    json_t *e;
    json_array_foreach(r->events, i, e)
    {
        const char *phase = json_string_value(json_object_get(e, "ph")),
                   *name = json_string_value(json_object_get(e, "name"));
        double ns = 1000 * number(e, "ts", NULL);
        if (*phase != 'b' && *phase != 'e') continue;
        if (*phase == 'b' && json_object_get(e, "args")) {
            from = (unsigned)number(e, "args", "from");
            sop = 0;
        } else if (*phase == 'b' && !strcmp(name, "cable") && !sop) sop = ns;
        else if (*phase == 'e' && !strcmp(name, "DMA write")) memory = ns;
        else if (*phase == 'e' && strchr(name, '>') && from == (unsigned)number(direction, "from", NULL))
            latency[packets++] = memory - sop;
    }
    ck_assert_uint_eq(packets, (unsigned)number(direction, "packets", NULL));
    qsort(latency, packets, sizeof *latency, by_value);
    ck_assert_double_eq_tol(latency[0], number(direction, "packet_latency_ns", "min"), 1.01);
    ck_assert_double_eq_tol(latency[packets / 2], number(direction, "packet_latency_ns", "median"), 1.01);
    ck_assert_double_eq_tol(latency[(packets * 99 - 1) / 100], number(direction, "packet_latency_ns", "p99"), 1.01);
}

TEST(a_file_takes_as_long_as_its_meter_says, .to = 2)
{
    trace_read r;
    json_t *results = run(&r, _i ? "--file LICENSE --both" : "--direct --file LICENSE --both"), *direction;
    size_t i;
    ck_assert_uint_eq(json_array_size(json_object_get(results, "directions")), 2);
    json_array_foreach(json_object_get(results, "directions"), i, direction) latencies_of_a_file(&r, direction);
    trace_read_free(&r);
    json_decref(results);
}

TEST(what_is_on_the_link_is_what_the_sniffer_printed)
{
    trace_read r;
    char line[200];
    const trace_slice_read *s;
    json_decref(run(&r, "--scenario round-robin --sizes 8..496 --sniff >$D/sniffed " BRIEF));
    unsigned count = trace_slices_of(&r, "nic0", "link, out", &s), seen = 0;
    FILE *f = shell_file("sniffed", "r");
    while (fgets(line, sizeof line, f)) {
        double us;
        unsigned flow, sequence, bytes;
        if (sscanf(line, "%lf us a>b %*u data flow %u seq %u %u bytes", &us, &flow, &sequence, &bytes) != 4) continue;
        ck_assert_uint_lt(seen, count);
        ck_assert_double_eq_tol((double)s[seen].begin, 1000 * us, 1.1);
        ck_assert_uint_eq((unsigned)number(s[seen].args, "flow", NULL), flow);
        ck_assert_uint_eq((unsigned)number(s[seen].args, "sequence", NULL), sequence);
        ck_assert_uint_eq((unsigned)number(s[seen++].args, "bytes", NULL), bytes);
    }
    fclose(f);
    ck_assert_uint_gt(seen, 50);
    ck_assert_uint_eq(seen, count);
    trace_read_free(&r);
}

/* All except the time of the run. */
static json_t *simulated(const char *options)
{
    json_error_t error;
    ck_assert_msg(!shell_says("$P --nodes 2 --scenario uniform --window 0 --out $D %s " BRIEF, options), "%s",
                  shell_output);
    json_t *results = json_load_file(shell_path("sim.json"), 0, &error);
    ck_assert_msg(results != NULL, "%s", error.text);
    json_object_del(results, "wall_s");
    json_object_del(results, "net_khz");
    return results;
}

TEST(a_run_is_the_same_with_its_trace)
{
    trace_read r;
    json_t *without = simulated(""), *packets = simulated("--trace packets --sniff --capture $D/c");
    shell_program("full/nicxbar-sim2-default");
    json_t *all = simulated("--trace 1");
    ck_assert(json_equal(without, packets));
    ck_assert(json_equal(without, all));
    trace_load(shell_path("trace.json"), &r);
    trace_read_free(&r);
    json_decref(without);
    json_decref(packets);
    json_decref(all);
}

/* ---- how a recording ends ---- */

#define LONG "--scenario round-robin --sizes 24 --measure 400 "

TEST(a_part_of_the_time_is_recorded)
{
    trace_read r;
    ck_shell_says(0, "GOOD",
                  "$P --nodes 2 --out $D --trace packets --trace-from 60us --trace-to 80us --scenario round-robin "
                  "--sizes 8..496 --measure 40");
    trace_load(shell_path("trace.json"), &r);
    ck_assert_uint_gt(trace_count_lives(&r, -1, -1, 0, UINT64_MAX).packets, 5);
    for (unsigned i = 0; i < r.slices; i++) ck_assert(r.slice[i].end >= 60000 && r.slice[i].begin <= 80000);
    trace_read_free(&r);
}

TEST(a_trace_that_is_large_enough_ends_well_and_says_where)
{
    trace_read r;
    ck_shell_says(0, "GOOD", "$P --nodes 2 --out $D --trace packets --trace-size 4M " LONG);
    ck_output_has("where it is as large as it may be: --trace-size (TRACE_SIZE) allows more");
    trace_load(shell_path("trace.json"), &r);
    ck_assert_int_eq(shell_says("[ $(stat -c %%s $D/trace.json) -lt 4400000 ]"), 0);
    ck_assert_uint_gt(trace_count_lives(&r, -1, -1, 0, UINT64_MAX).packets, 100);
    trace_read_free(&r);
}

TEST(on_a_full_disk_the_run_goes_on_and_what_there_is_opens)
{
    trace_read r;
    json_error_t error;
    ck_shell_says(1, "trace.json: File too large; the part written up to then can be opened",
                  "trap '' XFSZ; ulimit -f 1200; $P --nodes 2 --out $D --trace packets " LONG);
    ck_output_has("FAILED: results in ");
    trace_load_cut(shell_path("trace.json"), &r);
    ck_assert_uint_gt(trace_count_lives(&r, -1, -1, 0, UINT64_MAX).packets, 50);
    trace_read_free(&r);
    json_t *results = json_load_file(shell_path("sim.json"), 0, &error);
    ck_assert_str_eq(json_string_value(json_object_get(results, "result")), "ok");
    json_decref(results);
}

/* SIGKILL ends a write between any two pages of the file. */
TEST(a_trace_that_is_cut_between_two_pages_opens)
{
    enum { PAGE = 4096, PAGES = 40 };
    static char text[PAGES * PAGE + 1];
    ck_shell_says(0, "GOOD", "$P --nodes 2 --out $D --trace packets --scenario round-robin --sizes 8..496 " BRIEF);
    FILE *f = shell_file("trace.json", "r");
    ck_assert_uint_eq(fread(text, 1, sizeof text, f), sizeof text);
    fclose(f);
    for (unsigned pages = PAGES; pages; pages--) {
        trace_read r;
        text[pages * PAGE] = '\0';
        const char *why = trace_wrong(text, 1, &r);
        ck_assert_msg(!why, "%u pages: %s", pages, why);
        trace_read_free(&r);
    }
}

static const char *const stops[] = {"INT", "TERM", "KILL"};

TEST(a_trace_that_is_stopped_opens, .to = COUNT(stops))
{
    trace_read r;
    ck_assert_int_eq(
        shell_says("$P --nodes 2 --out $D --trace packets --scenario round-robin --measure 100000 & "
                   "until [ $(stat -c %%s $D/trace.json 2>/dev/null || echo 0) -gt 2000000 ]; do sleep 0.02; done; "
                   "kill -%s $!; wait $!",
                   stops[_i]),
        _i < 2 ? 130 : 137);
    trace_load_cut(shell_path("trace.json"), &r);
    ck_assert_uint_gt(trace_count_lives(&r, -1, -1, 0, UINT64_MAX).packets, 200);
    trace_read_free(&r);
}

/* ---- refusals ---- */

static const struct {
    const char *options, *message;
} refused[] = {
    {"--scenario uniform --trace 2", "--trace 2: expected 1, packets or 0"},
    {"--scenario uniform --trace 1",
     "--trace 1: this program is built for speed and cannot look into its chips; expected build/full/"},
    {"--scenario uniform --trace-from 3us",
     "--trace-from, --trace-to and --trace-size: expected together with --trace 1 or packets"},
    {"--scenario uniform --trace 0 --trace-size 9M", "expected together with --trace 1 or packets"},
    {"--scenario uniform --trace packets --trace-from 5us --trace-to 5us",
     "--trace-to: expected more than --trace-from"},
    {"--scenario uniform --trace packets --trace-size 2M", "--trace-size 2M: expected a size of 4M or more"},
    {"--scenario uniform --trace packets --trace-from soon", "--trace-from soon: expected a time"},
    {"--scenario uniform --trace packets --ranks 2", "--ranks 2: expected without --trace"},
    {"--soak 100 --trace packets", "means nothing for a soak"},
    {"--scenario uniform --trace packets --out /nowhere",
     "--out /nowhere: expected an existing folder that can be written"},
};

TEST(what_cannot_be_recorded_is_refused_at_once, .to = COUNT(refused))
{
    ck_shell_says(2, refused[_i].message, "$P --nodes 2 %s", refused[_i].options);
}

/* ---- the reader, fed its faults ---- */

#define NAMES                                                                                                          \
    "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"p\"}},{\"ph\":\"M\",\"pid\":1,\"tid\":2,"  \
    "\"name\":"                                                                                                        \
    "\"thread_name\",\"args\":{\"name\":\"t\"}}"
#define X(from, to) ",{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":" #from ",\"dur\":" #to ",\"name\":\"x\"}"
#define ARROW(part, at)                                                                                                \
    ",{\"ph\":\"" part "\",\"pid\":1,\"tid\":2,\"ts\":" #at ",\"id\":7,\"cat\":\"c\",\"name\":\"n\"}"
#define LIFE(part, at, name)                                                                                           \
    ",{\"ph\":\"" part "\",\"pid\":1,\"tid\":2,\"ts\":" #at ",\"id\":7,\"cat\":\"c\",\"name\":\"" name "\"}"

static const struct {
    const char *text, *why;
} broken[] = {
    {"[" NAMES X(1, 2) X(1.5, 1) X(4, 1) ARROW("s", 1) ARROW("t", 2) ARROW("f", 4), NULL},
    {"[" NAMES LIFE("b", 1, "p") LIFE("b", 1, "a") LIFE("e", 2, "a") LIFE("b", 2, "b") LIFE("e", 3, "b")
         LIFE("e", 3, "p") "]",
     NULL},
    {"[" NAMES X(1, 2) ",{\"ph\":\"X\"", "no array"},
    {"[{\"ph\":\"Z\"}]", "no phase of the format"},
    {"[" NAMES ",{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":\"1\",\"dur\":1,\"name\":\"x\"}]", "ts is no number"},
    {"[" NAMES ",{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"x\",\"args\":{\"now\":\"3\"}}]", "a curve with now"},
    {"[" NAMES X(0, 0) "]", "a slice of no length at 0 ps"},
    {"[" NAMES X(1, 2) X(2, 2) "]", "begins inside of another one and ends behind it"},
    {"[" NAMES ",{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":1,\"dur\":1,\"name\":\"x\"}]",
     "track 3 of process 1 has no name"},
    {"[" NAMES ",{\"ph\":\"X\",\"pid\":2,\"tid\":2,\"ts\":1,\"dur\":1,\"name\":\"x\"}]", "process 2 has no name"},
    {"[" NAMES X(1, 2) X(4, 1) ARROW("s", 1) ARROW("t", 4) "]", "part 2 of 2 is t"},
    {"[" NAMES X(1, 2) ARROW("f", 1) "]", "part 1 of 1 is f"},
    {"[" NAMES X(1, 2) X(4, 1) ARROW("s", 4) ARROW("f", 1) "]", "goes back in time"},
    {"[" NAMES X(1, 2) X(4, 1) ARROW("s", 1) ARROW("f", 3.5) "]", "touches no slice"},
    {"[" NAMES LIFE("b", 1, "p") LIFE("b", 1, "a") LIFE("e", 1, "p") "]", "p ends, which did not begin"},
    {"[" NAMES LIFE("b", 1, "p") "]", "has no end"},
    {"[" NAMES LIFE("b", 1, "p") LIFE("b", 1, "a") LIFE("e", 2, "a") LIFE("b", 2.5, "b") LIFE("e", 3, "b")
         LIFE("e", 3, "p") "]",
     "has a gap"},
};

TEST(the_reader_of_the_tests_catches_what_is_wrong, .to = COUNT(broken))
{
    trace_read r;
    const char *why = trace_wrong(broken[_i].text, 0, &r);
    ck_assert_msg(broken[_i].why ? why && strstr(why, broken[_i].why) : !why, "%s", why ? why : "nothing");
    trace_read_free(&r);
}
