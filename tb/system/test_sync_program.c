/* nicxbar-sim --scenario queue, barrier, lock and counter as its users run it: options, exit codes, output and files.
 */
#include <jansson.h>

#include "crossbar4.h"
#include "nic_sync.h"
#include "program_bench.h"
#include "sim/system/chips/nic_chip.h"
#include "test.h"

static const nic_kind others[] = {{"sync", &nic_sync_config}, {NULL, NULL}};
const program_chips program_under_test = {&crossbar4_config, &nic_config, others};

CLEANUP(json_decref);

TEST_CASE("program", .timeout = 120, .setup = program_set_up, .teardown = shell_clean);

static const struct {
    const char *name, *value;
    unsigned operations;
} runs[] = {{"queue", "rate", 60},
            {"barrier", "counters tree median", 15},
            {"lock", "passes per second", 60},
            {"counter", "round trip median", 60}};

TEST(each_scenario_prints_a_table_and_writes_it_as_json, .to = COUNT(runs))
{
    json_error_t error;
    PROGRAM(0, "--scenario", runs[_i].name, "--packets", "60", "--message", "64", "--nodes", _i % 2 ? "4" : "3");
    HAS(runs[_i].name, runs[_i].value, "operations compared", "GOOD: results in ");
    json_t *all = json_load_file(json_path, 0, &error), *scenario = json_object_get(all, "scenario");
    ck_assert_msg(scenario != NULL, "%s", error.text);
    after_test(json_decref_cleanup, all);
    ck_assert_str_eq(json_string_value(json_object_get(scenario, "scenario")), runs[_i].name);
    ck_assert_int_ge(json_integer_value(json_object_get(scenario, "operations")), runs[_i].operations);
    ck_assert(json_real_value(json_object_get(json_object_get(scenario, "values"), runs[_i].value)) > 0);
}

TEST(faults_are_accounted_for)
{
    PROGRAM(0, "--scenario", "queue", "--packets", "100", "--nodes", "4", "--faults",
            "packet node0>switch header at 10us times 2");
    HAS("2 lost, 1 slots with a loss indication", "\nfault ", "HEADER_ERRORS 2", "GOOD: results in ");
}

TEST(frames_show_their_operations)
{
    PROGRAM(0, "--scenario", "queue", "--packets", "5", "--nodes", "2", "--direct", "--sniff");
    HAS(" 64 bytes enqueue object 3 operand 0", " fetch-add object 0 operand ", " reply object 0 operand ",
        " 8 bytes reopen object 3 operand 0");
}

TEST(other_traffic_runs_on_these_nics)
{
    PROGRAM(0, "--sync", "1", "--scenario", "uniform", "--sizes", "8..496", "--measure", "30");
    HAS("GOOD: results in ");
}

TEST(wrong_options_are_refused)
{
    static const char *const bad[][5] = {
        {"--scenario", "queue", "--message", "504", "expected a multiple of 8 from 8 to 496"},
        {"--scenario", "queue", "--slots", "6", "expected 2, 4, 8 .. 4096"},
        {"--scenario", "lock", "--slots", "8", "expected no slots with it"},
        {"--scenario", "counter", "--load", "0.5", "expected no load with it"},
        {"--scenario", "uniform", "--message", "64", "expected queue where message is given"},
        {"--scenario", "queue", "--node-ids", "4,5,6,7", "expected none: answers go where sources are ports"},
        {"--scenario", "queue", "--ranks", "2", "expected none with --scenario queue"},
        {"--scenario", "queue", "--nic", "1voq", "expected one of default, sync"},
        {"--sync", "2", "--scenario", "queue", "expected 0 or 1"},
    };
    for (int i = 0; i < COUNT(bad); i++) {
        PROGRAM(2, bad[i][0], bad[i][1], bad[i][2], bad[i][3]);
        HAS(bad[i][4]);
    }
}
