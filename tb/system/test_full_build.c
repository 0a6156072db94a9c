/* nicxbar-sim with models that record waves and show their probes; with the same results as those built for speed. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crossbar2.h"
#include "fast_run.h"
#include "full_models.h"
#include "program_bench.h"
#include "sim/core/kernel/cycles.h"
#include "sim/core/kernel/model.h"
#include "sim/observe/cycles/cycles_report.h"
#include "sim/observe/trace/trace.h"
#include "sim/system/nodes/pair.h"
#include "test.h"
#include "trace_reader.h"

RUNS("nicxbar-sim2-links"); /* for their models */

const program_chips program_under_test = {&crossbar2_config, &nic_config, NULL};

TEST_CASE("full", .timeout = 120, .setup = program_set_up, .teardown = shell_clean);

/* Layouts of GTKWave, kept and generated: signals of a switch of four ports are looked up in that of two, those of a
 * NIC of several links in Verilator's report. */
static void layouts_find_their_signals(void)
{
    ck_assert_int_eq(
        shell_says(
            "fst2vcd $D/sim.fst | awk '/^.enddefinitions/ { exit } /^.scope/ { s[++n] = $3 } /^.upscope/ { n-- }\n"
            "/^.var/ { name = \"\"; for (i = 1; i <= n; i++) name = name s[i] \".\"; print name $5 }' >$D/names; "
            "for m in nic_2links nic_2paths; do ${PYTHON:-python3} scripts/design.py signals build/models/$m/$m.design "
            "nic1 >>$D/names; "
            "done; "
            "mkdir $D/states; for m in '' crosspoint; do fst2vcd $D/sim.fst 2>/dev/null | MODULE=$m ${PYTHON:-python3} "
            "-S scripts/tool.py "
            "arrange $D/states build/models/nic/nic.instances build/models/crossbar2/crossbar2.instances "
            ">$D/made$m.gtkw || exit 1; done; "
            "sed -n 's/port_of\\[2\\]/port_of[0]/; s/^\\(+{.*} \\)*\\(\\(nic[0-9]\\|xbar\\)[.][^ ]*\\)$/\\2/p' "
            "scripts/waves/*.gtkw "
            "$D/made*.gtkw | sed 's/\\[[0-9]*:[0-9]*\\]$//' >$D/shown; [ $(wc -l <$D/shown) -gt 600 ] && ! grep -vxFf "
            "$D/names $D/shown"),
        0);
    ck_shell_says(0, "nic1.nic.pcix.window.read[1:0]",
                  "grep -hA1 '^^1 ' $D/made.gtkw | grep -v '^--'"); /* its states by name */
    ck_output_has("/states/link_tx.READY.txt\nnic0.nic.one_link.link.port.single.tx.state[3:0]\n");
    ck_shell_says(0, "-xbar.crossbar.port_of[1].unit.row[0].buffer\n", "cat $D/madecrosspoint.gtkw");
    ck_output_has("@200\n-inside\n");
    ck_output_lacks("nic0");
}

TEST(waves_of_the_tests_are_of_the_tests)
{
    struct stat s;
    const char *waves = shell_path("sim.fst");
    PROGRAM(0, "--nodes", "2", "--waves", waves, "--no-monitor");
    HAS("287 of 300", "short for the waves", ", waves in /tmp");
    ck_assert_int_eq(stat(waves, &s), 0);
    ck_assert_int_gt(s.st_size, 1000000);
    ck_assert_int_lt(s.st_size, 300000000);
    layouts_find_their_signals();
}

#define ONE_WAY "--nodes", "2", "--scenario", "one-way", "--measure", "10", "--no-monitor"
#define BRIEF ONE_WAY, "--sizes", "24", "--warmup", "5"

TEST(waves_are_the_same_in_windows)
{
    PROGRAM(0, BRIEF, "--wave-from", "85us", "--window", "0", "--waves", shell_path("a.fst"));
    PROGRAM(0, BRIEF, "--wave-from", "85us", "--threads", "1", "--waves", shell_path("b.fst"));
    /* Changes with their times, in any order. Where a block of the file begins a value may be repeated: that is no
     * change. */
    ck_shell_says(0, "same",
                  "for f in a b; do fst2vcd $D/$f.fst | awk '/^.enddefinitions/ { on = 1; next } !on { next } /^#/ { t "
                  "= $0; next } "
                  "{ id = $2 == \"\" ? substr($1, 2) : $2; v = $2 == \"\" ? substr($1, 1, 1) : $1 } "
                  "id in was && was[id] == v { next } { was[id] = v; print t, id, v }' | LC_ALL=C sort >$D/$f; done; "
                  "[ $(wc -l <$D/a) -gt 50000 ] && cmp $D/a $D/b && echo same");
}

/* One processor, and two: those that run nodes write, at once or while they wait for each other. All: threads of the
 * file's own, if there are more. A small ring, so that there are many blocks. */
TEST(waves_are_the_same_whoever_writes_them)
{
    cpu_set_t all, some;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    for (int most = 1; most <= 3; most++) {
        char name[16];
        snprintf(name, sizeof name, "%d.fst", most);
        CPU_ZERO(&some);
        for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < most; i++)
            if (CPU_ISSET(i, &all)) CPU_SET(i, &some);
        ck_assert_int_eq(sched_setaffinity(0, sizeof all, most < 3 ? &some : &all), 0);
        PROGRAM(0, BRIEF, "--threads", "2", "--wave-size", "4M", "--waves", shell_path(name));
    }
    ck_shell_says(0, "same",
                  "[ -e $D/1-3.fst ] && for i in '' -1 -2 -3; do cmp $D/1$i.fst $D/2$i.fst && cmp $D/1$i.fst "
                  "$D/3$i.fst; done && echo same");
}

TEST(waves_of_a_scope_have_nothing_else)
{
    PROGRAM(0, BRIEF, "--waves", shell_path("a.fst"), "--wave-scopes", "node1,xbar.monitor,nic0.dma.outgoing");
    ck_shell_says(0, "nic1.pci_clk",
                  "fst2vcd $D/a.fst | awk '/^.scope/ { s[++n] = $3 } /^.upscope/ { n-- } /^.var/ { print s[1] \".\" (n "
                  "> 1 ? s[3] \".\" "
                  "s[4] \".\" : \"\") $5 }'");
    ck_output_has("nic0.dma.outgoing.state");
    ck_output_has("xbar.monitor.");
    ck_output_lacks("nic0.pci_clk");
    ck_output_lacks("xbar.port_of");
    PROGRAM(1, BRIEF, "--waves", shell_path("c.fst"), "--wave-scopes", "xbar,nic0.dma.outgiong");
    HAS("waves: no scope nic0.dma.outgiong; there are in nic0.dma: incoming, ");
    ck_assert_int_ne(access(shell_path("c.fst"), F_OK), 0);
}

TEST(cycles_of_all_modules_stand_behind_the_tests)
{
    PROGRAM(0, "--payload", "30", "--no-monitor", "--interrupts", "--cycles");
    HAS(" 240 ", " 8..240 ", "GOOD", "switch_port", "clocks of 13 windows, ");
    PROGRAM(0, "--scenario", "uniform", "--measure", "30", "--memory", "sdram", "--cycles");
    HAS("GOOD", "voq");
}

/* In the window of a saturated output there is hardly a clock without a word; the CRCs of idle ports have nothing to
 * do. */
TEST(cycles_are_those_of_the_window_and_are_compared_with_an_older_run)
{
    PROGRAM(0, ONE_WAY, "--sizes", "496", "--cycles");
    json_error_t wrong;
    json_t *all = json_load_file(json_path, 0, &wrong);
    const json_t *run = json_array_get(json_object_get(json_object_get(all, "cycles"), "simulations"), 0), *o;
    size_t i, crcs = 0, rows = 0, sides = 0;
    ck_assert_uint_eq(json_array_size(json_object_get(run, "windows")), 1);
    json_array_foreach(json_object_get(run, "instances"), i, o)
    {
        cycles_row r = cycles_row_of(o);
        rows++;
        ck_assert(r.busy + r.stalled + r.idle == r.clocks);
        if (!strcmp(r.name, "xbar.crossbar.port_of[1].unit.port.tx")) ck_assert(cycles_share(&r, r.busy) > 99.5);
        sides += !strcmp(r.module, "crosspoint") && r.level && (!strcmp(r.side, "wr") || !strcmp(r.side, "rd"));
        if (strncmp(r.name, "xbar.crossbar.port_of[0].unit.port.tx.", 38)) continue;
        crcs++;
        ck_assert(cycles_share(&r, r.busy) < 1);
    }
    ck_assert_uint_eq(crcs, 3); /* of header, of body, of the words that time stamps change */
    ck_assert_uint_eq(sides, 8);
    ck_assert_uint_gt(rows, 150);
    json_decref(all);
    ck_assert_int_eq(shell("cp $D/results.json $D/a.json"), 0);
    PROGRAM(0, ONE_WAY, "--sizes", "496", "--cycles", "--base", shell_path("a.json"), "--threshold", "0", "--sort",
            "level");
    HAS(" 0 values have moved by more than 0 (points of a share, else percent)", "GOOD");
    PROGRAM(2, ONE_WAY, "--sizes", "496", "--seed", "5", "--cycles", "--base", shell_path("a.json"));
    HAS(": is of another system, \"2 nodes, crossbar2, nic, seed 1, ",
        "; expected \"2 nodes, crossbar2, nic, seed 5, ");
    PROGRAM(2, ONE_WAY, "--sizes", "496", "--base", shell_path("a.json"));
    HAS("--base: expected together with --cycles");
    PROGRAM(2, ONE_WAY, "--sizes", "496", "--cycles", "--sort", "size");
    HAS("--sort size: expected name, busy, stalled, idle, operations, latency or level");
    ck_assert_int_eq(shell("sed -i 's/\"busy\": 0,/\"busy\": 500,/' $D/a.json"), 0);
    PROGRAM(1, ONE_WAY, "--sizes", "496", "--cycles", "--base", shell_path("a.json"));
    HAS(" moved by more than 5 ", "FAILED");
}

/* The simulated part of results: without machine, windows and recordings. */
static json_t *simulated(const char *name)
{
    static const char *const others[] = {"wall_s", "net_khz", "rounds_per_window", "cycles"};
    json_error_t wrong;
    json_t *all = json_load_file(shell_path(name), 0, &wrong);
    ck_assert_msg(all != NULL, "%s: %s", name, wrong.text);
    for (int i = 0; i < COUNT(others); i++) json_object_del(all, others[i]);
    return all;
}

TEST(everything_recorded_at_once_changes_nothing_in_the_results)
{
    char waves[64], frames[64];
    strcpy(waves, shell_path("all.fst"));
    strcpy(frames, shell_path("all.pcapng"));
    PROGRAM(0, ONE_WAY, "--sizes", "8..496");
    ck_assert_int_eq(shell("mv $D/results.json $D/without.json"), 0);
    PROGRAM(0, ONE_WAY, "--sizes", "8..496", "--waves", waves, "--trace", "1", "--out", shell_folder(), "--capture",
            frames, "--cycles");
    HAS(" lives of packets, ", " frames in /tmp", "crosspoint", "GOOD: ", ", waves in /tmp");
    json_t *without = simulated("without.json"), *with = simulated("results.json");
    ck_assert(json_object_get(json_object_get(with, "scenario"), "rows") != NULL);
    ck_assert(json_equal(without, with));
    json_decref(without);
    json_decref(with);
    PROGRAM(0, ONE_WAY, "--sizes", "8..496", "--seed", "2");
    without = simulated("without.json"), with = simulated("results.json");
    json_object_set(with, "seed", json_object_get(without, "seed"));
    ck_assert(!json_equal(without, with));
    json_decref(without);
    json_decref(with);
}

RUNS("tb/system/test_fast_build");

/* Where that program is: next to the folder full, or next to this program. */
static void fast_program(char *path, size_t size)
{
    char self[300];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    ck_assert_int_gt(n, 0);
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    char *full = strstr(self, "/full/tb/");
    if (full) memmove(full, full + 5, strlen(full + 5) + 1);
    snprintf(path, size, "%s/test_fast_build", self);
}

/* ---- modules in a trace ---- */

static void transfer(void *arg)
{
    pair *p = arg;
    if (pair_start(p)) sim_fail(p->s, "%s %s", p->node[0]->error, p->node[1]->error);
    for (unsigned i = 0; i < 8; i++)
        nx_transfer(p->node[i & 1]->dev, !(i & 1), NODE_MEMORY, NODE_MEMORY, 8 * (uint64_t)(1 + 60 * i), 0, NULL);
    sim_wait_time(p->s, 30 * SIM_US);
    pair_stop(p);
}

TEST(the_slices_of_a_module_add_up_to_what_its_probes_count)
{
    pair_params p;
    trace_params params = {.path = shell_path("trace.json"), .to = SIM_FOREVER, .most = 100000000, .modules = 1};
    trace_result result;
    trace_read r;
    sim_cycles_row row;
    unsigned with_operations = 0, busy = 0;
    pair_params_default(&p);
    pair *b = pair_new(&p);
    sim_cycles *cycles = sim_cycles_new(b->s);
    for (int i = 0; i < 2; i++) sim_cycles_add(cycles, b->node[i]->nic.model);
    sim_cycles_start(cycles);
    trace *t = trace_new(b->f, &params);
    ck_assert(t != NULL);
    sim_task_new(b->s, "transfer", transfer, b);
    ck_assert_int_eq(sim_run(b->s, SIM_FOREVER), SIM_OK);
    ck_assert_int_eq(trace_close(t, &result), 0);
    trace_load(params.path, &r);
    ck_assert_uint_eq(json_array_size(r.events), result.events);
    for (size_t i = 0; !sim_cycles_get(cycles, i, &row); i++) {
        char name[200];
        snprintf(name, sizeof name, "%s.%s%s%s", row.model, row.path, *row.side ? ":" : "", row.side);
        const struct {
            const char *what;
            uint64_t counted;
        } sums[] = {{"busy", row.busy},
                    {"stalled", row.stalled},
                    /* a trace has units of work where both ends are given */
                    {"operations", row.latency ? row.operations : 0},
                    {"latency", row.latency ? row.latency->sum : 0}};
        for (unsigned k = 0; k < COUNT(sums); k++) {
            uint64_t sum = trace_sum(&r, name, sums[k].what);
            ck_assert_msg(sum == sums[k].counted, "%s: %s %llu, counted %llu", name, sums[k].what,
                          (unsigned long long)sum, (unsigned long long)sums[k].counted);
        }
        with_operations += row.operations > 0;
        busy += row.busy > 0;
    }
    ck_assert_uint_gt(with_operations, 30);
    ck_assert_uint_gt(busy, 60);
    trace_read_free(&r);
    sim_cycles_free(cycles);
    pair_free(b);
}

static void wait(void *arg)
{
    pair *p = arg;
    sim_wait_time(p->s, 30 * SIM_NS);
    pair_stop(p);
}

/* Before reset, modules show anything: also units of work that end at the first edge, less than 1 ns after 0 ps. Of
 * these seeds, with each Verilator, some have them. trace_load refuses slices of no length. */
TEST(units_of_work_of_the_first_edge_have_a_length, .to = 9)
{
    pair_params p;
    trace_params params = {.path = shell_path("trace.json"), .to = SIM_FOREVER, .most = 100000000, .modules = 1};
    trace_result result;
    trace_read r;
    pair_params_default(&p);
    p.sim.seed = (uint64_t)_i + 1;
    pair *b = pair_new(&p);
    trace *t = trace_new(b->f, &params);
    ck_assert(t != NULL);
    sim_task_new(b->s, "wait", wait, b);
    ck_assert_int_eq(sim_run(b->s, SIM_FOREVER), SIM_OK);
    ck_assert_int_eq(trace_close(t, &result), 0);
    trace_load(params.path, &r);
    ck_assert_uint_gt(r.slices, 0);
    trace_read_free(&r);
    pair_free(b);
}

TEST(models_built_for_speed_do_the_same_bit_by_bit)
{
    char path[320];
    fast_program(path, sizeof path);
    PROGRAM(0, FAST_RUN(shell_folder()));
    HAS("GOOD: results in");
    ck_assert_int_eq(shell_says("mkdir $D/fast && FAST_RUN=$D/fast CK_RUN_CASE=run %s", path), 0);
    ck_shell_says(0, "results.json\nxbar.pins\n",
                  "sed -i '/wall_s\\|net_khz\\|rounds_/d' $D/results.json $D/fast/results.json; cd $D/fast && "
                  "for f in *; do cmp $f ../$f || exit 1; done && ls");
    ck_output_has("nic0.pins\nnic1.pins\n");
}
