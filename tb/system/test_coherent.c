/* Systems of coherent nodes: each program of sw/coherent, which checks its own results, with all modes of the network
 * interface, on two nodes and a cable and around a switch; tables and JSON of a run. */
#include "sim/app/coherent/coherent_report.h"

#include <string.h>

#include "coherent_node.h"
#include "crossbar8.h"
#include "nic_sync.h"
#include "shell.h"
#include "test.h"

RUNS("coherent-sim");

static const coherent_chips chips = {&coherent_node_config, &crossbar8_config, &nic_sync_config};

/* A run of these arguments. NULL: they are refused. */
static coherent_run *run_of(const char *text, int expected)
{
    char words[300], *argument[40] = {"coherent-sim"}, *rest = NULL, error[OPTION_ERROR];
    int count = 1;
    coherent_options o;
    sim_params p;
    snprintf(words, sizeof words, "%s", text);
    for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) argument[count++] = w;
    ck_assert_msg(!coherent_options_read(&o, count, argument, error), "%s: %s", text, error);
    sim_params_default(&p);
    p.quiet = 1;
    coherent_run *r = coherent_run_new(&o, &chips, &p, error);
    ck_assert_msg(r != NULL, "%s: %s", text, error);
    int result = coherent_run_simulate(r);
    ck_assert_msg(result == expected, "%s: %s", text, sim_error(r->f->s));
    return r;
}

TEST_CASE("coherent", .timeout = 300, .teardown = shell_clean);

/* All modes of sending and receiving. */
static const char *const receives[] = {"uncached", "memory", "update", "allocate"}, *const sends[] = {"cachable",
                                                                                                      "doorbell",
                                                                                                      "uncached"};

TEST(messages_arrive_in_every_mode, .to = 12)
{
    char text[200];
    unsigned sizes[] = {8, 64, 504};
    for (int i = 0; i < COUNT(sizes); i++) {
        snprintf(text, sizeof text, "--ni %s --send %s --message %u --rounds 6", receives[_i % 4], sends[_i / 4],
                 sizes[i]);
        coherent_run_free(run_of(text, 0));
    }
    snprintf(text, sizeof text, "--scenario stream --ni %s --send %s --rounds 40", receives[_i % 4], sends[_i / 4]);
    coherent_run_free(run_of(text, 0));
}

static const char *const programs[] = {
    "--scenario queue --nodes 8 --rounds 20",
    "--scenario queue --nodes 3 --rounds 20 --ni uncached --send uncached --message 8",
    "--scenario queue --nodes 4 --rounds 10 --ni allocate --send doorbell --message 496",
    "--scenario barrier --nodes 4 --rounds 5",
    "--scenario barrier --nodes 8 --rounds 3 --ni memory --send doorbell",
    "--scenario halo --rounds 3",
    "--scenario halo --nodes 4 --rounds 2 --ni memory",
    "--scenario producer --rounds 30",
    "--scenario producer --rounds 30 --message 8 --nodes 2",
    "--scenario pollution --ni allocate",
    "--scenario pollution --ni memory",
    "--scenario litmus --rounds 2",
    "--scenario pingpong --nodes 8 --rounds 5 --ratio 1",
    "--scenario pingpong --ratio 4 --rounds 5 --seed 9",
    "--scenario exchange --rounds 6 --message 256",
    "--scenario exchange --rounds 4 --nodes 8 --ni allocate --send doorbell",
    "--node mixed --scenario exchange --nodes 8 --rounds 4 --message 512",
    "--node mixed --rounds 8",
    "--node mixed --scenario stream --nodes 4 --message 512 --ni allocate --send uncached --rounds 30",
    "--node mixed --scenario queue --nodes 8 --ni memory --send doorbell --rounds 10",
    "--node mixed --scenario barrier --nodes 8 --rounds 4",
};

TEST(every_program_is_right, .to = COUNT(programs)) { coherent_run_free(run_of(programs[_i], 0)); }

TEST(a_run_has_counts_of_processors_and_memories)
{
    coherent_run *r = run_of("--rounds 10", 0);
    json_t *all = coherent_report_json(r);
    ck_assert_str_eq(json_string_value(json_object_get(all, "program")), "pingpong");
    ck_assert_uint_eq(json_array_size(json_object_get(all, "processors")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(all, "memories")), 2);
    json_t *line = json_object_get(json_object_get(all, "lines"), "round trip");
    ck_assert(json_real_value(json_object_get(line, "value")) > 500);
    ck_assert_str_eq(json_string_value(json_object_get(line, "unit")), "ns");
    json_decref(all);
    coherent_run_free(r);
}

/* The same run is the same to the clock. */
TEST(a_run_repeats)
{
    double value[2];
    for (int i = 0; i < 2; i++) {
        coherent_run *r = run_of("--rounds 10 --seed 5", 0);
        value[i] = r->line[0].value;
        coherent_run_free(r);
    }
    ck_assert(value[0] == value[1]);
}

static int bad_access(nc_cpu *cpu)
{
    cpu->platform->load32(cpu->platform->self, 0x90000000);
    return 0;
}

/* An access without a range ends the run with its address. */
TEST(an_access_without_a_range_is_told)
{
    static const nc_program program = {.name = "bad", .processors = 1, .prepare = bad_access, .run = bad_access};
    char *argument[] = {"coherent-sim"}, error[OPTION_ERROR];
    coherent_options o;
    sim_params p;
    ck_assert(!coherent_options_read(&o, 1, argument, error));
    o.program = &program;
    sim_params_default(&p);
    p.quiet = 1;
    coherent_run *r = coherent_run_new(&o, &chips, &p, error);
    ck_assert_int_eq(coherent_run_simulate(r), 1);
    ck_assert_msg(strstr(sim_error(r->f->s), "answered with an error, the last one at 0x90000000") != NULL, "%s",
                  sim_error(r->f->s));
    coherent_run_free(r);
}

TEST(the_program_prints_tables_and_saves_json)
{
    ck_shell_says(0, "coherent, 2 nodes and a cable, pingpong, receive update, send cachable, messages of 64 bytes",
                  "build/coherent-sim --rounds 5 --json $D/sim.json");
    ck_output_has("round trip");
    ck_output_has("GOOD: results in");
    ck_shell_says(2, "coherent-sim-32-2", "build/coherent-sim --cache-kb 32 2>&1");
    ck_shell_says(2, "pingpong, stream, queue, barrier or exchange with node mixed",
                  "build/coherent-sim --node mixed --scenario halo 2>&1");
    ck_shell_says(2, "memory, update or allocate with node mixed",
                  "build/coherent-sim --node mixed --ni uncached 2>&1");
    ck_shell_says(2, "build/full/coherent-sim", "build/coherent-sim --waves $D/x.fst 2>&1");
}

/* The layout of make wave names signals that there are. */
TEST(the_layout_of_waves_finds_its_signals)
{
    ck_assert_int_eq(
        shell_says(
            "${PYTHON:-python3} scripts/design.py signals build/models/coherent_node/coherent_node.design coherent0 "
            ">$D/names; grep -o 'coherent0[.][^ ]*' scripts/waves/coherent.gtkw | "
            "sed 's/\\[[0-9]*:[0-9]*\\]$//' >$D/shown; [ $(wc -l <$D/shown) -gt 60 ] && ! grep -vxFf $D/names "
            "$D/shown"),
        0);
    ck_assert_str_eq(shell_output, "");
}
