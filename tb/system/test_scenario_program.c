/* nicxbar-sim as its users run it: options, exit codes, output and files; and Ctrl-C. */
#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crossbar4.h"
#include "nic_1voq.h"
#include "program_bench.h"
#include "sim/system/chips/nic_chip.h"
#include "sim/traffic/scenario/scenario.h"
#include "test.h"

static const nic_kind others[] = {{"1voq", &nic_1voq_config}, {NULL, NULL}};
const program_chips program_under_test = {&crossbar4_config, &nic_config, others};

CLEANUP(json_decref);

/* Value of the results at a path of names and indices, joined by dots. */
static const json_t *at(const char *path)
{
    char keys[100], *rest = keys;
    json_error_t error;
    json_t *value = json_load_file(json_path, 0, &error);
    ck_assert_msg(value != NULL, "%s: %s", json_path, error.text);
    after_test(json_decref_cleanup, value);
    strcpy(keys, path);
    for (char *key; value && (key = strsep(&rest, ".")) != NULL;)
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10)) : json_object_get(value, key);
    ck_assert_msg(value != NULL, "%s: there is no %s", json_path, path);
    return value;
}

static json_int_t integer(const char *path) { return json_integer_value(at(path)); }

TEST_CASE("program", .timeout = 120, .setup = program_set_up, .teardown = shell_clean);

TEST(faults_by_plan_are_accounted_for_on_the_screen_and_as_json)
{
    PROGRAM(0, "--faults", "packet node0>switch body at 20us times 2; retry host1 read 20%", "--sizes", "8..496",
            "--measure", "50");
    HAS("round-robin: ", "\nfault ", "GOOD: results in ");
    ck_assert_uint_eq(json_array_size(at("faults")), 2);
    ck_assert_str_eq(json_string_value(at("faults.0.fault")), "packet node0>switch body at 20us times 2");
    ck_assert_int_eq(integer("faults.0.struck"), 2);
    ck_assert_int_eq(integer("faults.0.damaged"), 2);
    ck_assert_str_eq(json_string_value(at("faults.0.wrong")), "");
    ck_assert_uint_ge(json_array_size(at("faults.0.seen_by")), 1);
}

TEST(a_file_that_a_fault_has_broken_is_sent_again)
{
    char path[64];
    snprintf(path, sizeof path, "%s/sent", shell_folder());
    FILE *f = shell_file("sent", "w");
    for (int i = 0; i < 40000; i++) fputc('a' + i % 17, f);
    fclose(f);
    PROGRAM(0, "--file", path, "--faults", "packet node0>switch body at 50us");
    HAS("transfers begun again: 1", "GOOD: results in ");
    ck_assert_int_eq(integer("begun_again"), 1);
}

TEST(a_run_whose_faults_never_strike_fails)
{
    PROGRAM(1, "--scenario", "one-way", "--sizes", "496", "--measure", "20", "--faults", "cut node1 at 9ms for 1us");
    HAS("never struck", "FAILED: results in ");
}

TEST(a_wrong_plan_of_faults_is_refused)
{
    PROGRAM(2, "--faults", "cut node7 at 9ms for 1us");
    HAS("--faults: column 5: 'node7', expected a cable");
    PROGRAM(2, "--scenario", "ping-pong", "--faults", "cut node1 at 9us for 1us");
    PROGRAM(2, "--soak", "100", "--faults", "completion host1 missing at 9us");
}

TEST(a_scenario_prints_a_table_and_writes_json)
{
    PROGRAM(0, "--scenario", "three-to-one", "--sizes", "24,8..496", "--measure", "50");
    HAS("three-to-one: nodes 0, 1 and 2 to node 3; saturated");
    HAS("\n24 ", "\n8..496 ", "GOOD: results in ");
    ck_assert(json_is_true(at("good")));
    ck_assert_uint_eq(json_array_size(at("scenario.rows")), 2);
    ck_assert_uint_eq(json_array_size(at("scenario.rows.0.flows")), 3);
    ck_assert_int_gt(integer("scenario.rows.0.flows.2.packets"), 10);
    ck_assert_uint_eq(json_array_size(at("scenario.rows.1.unfairness")), 1);
}

TEST(without_options_a_file_and_the_tests_run)
{
    PROGRAM(0, "--nodes", "2");
    HAS("file, host 0 to 1", "SHA-256 equal", "287 of 300");
    HAS("GOOD");
    ck_output_lacks("FAILED");
    ck_assert(json_is_true(at("good")));
    ck_assert_uint_eq(json_array_size(at("tests")), 4); /* 3 to 1 needs four nodes */
}

TEST(a_file_crosses_directly_and_through_the_switch, .to = 2)
{
    char name[64];
    snprintf(name, sizeof name, "%s/file", shell_folder());
    FILE *f = shell_file("file", "w");
    for (int i = 0; i < 20000; i++) fputc(i * 7 >> 3, f);
    fclose(f);
    if (_i) PROGRAM(0, "--file", name);
    else PROGRAM(0, "--file", name, "--direct");
    HAS("SHA-256 equal", "GOOD");
}

TEST(wrong_options_say_what_is_expected)
{
    static const struct {
        const char *option[6], *text;
    } bad[] = {
        {{"--nodes", "5"}, "--nodes 5: expected 2..4, the ports of this program's switch"},
        {{"--nodes", "1"}, "--nodes 1: expected a number from 2 to 16"},
        {{"--nodes", "0"}, "--nodes 0: expected a number from 2 to 16"},
        {{"--nodes", "four"}, "--nodes four: expected a number"},
        {{"--nodes", "3", "--direct"}, "--nodes 3: expected 2..2 without a switch"},
        {{"--scenario", "all"}, "--scenario all: expected one of ping-pong, one-way"},
        {{"--scenario", "uniform", "--sizes", "500"}, "--sizes 500: expected"},
        {{"--scenario", "uniform", "--load", "3"}, "--load 3: expected a part of the link's rate"},
        {{"--scenario", "three-to-one", "--nodes", "3"},
         "--nodes 3: expected at least 4 for the scenario three-to-one"},
        {{"--scenario", "self", "--direct"}, "--scenario self: expected"},
        {{"--scenario", "one-way", "--sniff=9"}, "--sniff 9: expected a node, 0..3"},
        {{"--file", "/no/such/file"}, "--file /no/such/file: No such file"},
        {{"--bridge", "pentium"}, "--bridge pentium: expected server2004, server2006 or ideal"},
        {{"--lod", "1"}, "--lod: no such option, but there is --load; --help names all"},
        {{"--bridge"}, "--bridge: expected NAME behind it"},
        {{"--both=2"}, "--both=2: expected no value"},
        {{"--wave"}, "--wave: no such option, but there is --waves, --wave-scopes, --wave-from, --wave-to"},
        {{"--zoo"}, "--zoo: no such option; --help names all"},
        {{"-xy"}, "-xy: no such option"},
        {{"word"}, "word: no such option"},
        {{"--file", "/etc/passwd", "--scenario", "uniform"},
         "--scenario and --file: expected one of them: each selects the run"},
        {{"--soak", "10", "--figures"}, "--soak and --figures: expected one of them"},
        {{"--soak", "10", "--direct"},
         "--direct: means nothing for a soak; expected with --scenario NAME or with --file PATH or with --program "
         "PATH"},
    };
    for (int i = 0; i < COUNT(bad); i++) {
        program(0, 2, bad[i].option);
        ck_output_has(bad[i].text);
    }
}

/* Every pattern with its sentence, every option of the traffic, in the help text and as a variable of make. */
TEST(help_text_and_make_know_every_row_of_the_tables)
{
    char variables[2000] = " ", sentence[100];
    FILE *make = popen(
        "build/nicxbar make sim '' | tr ' ' '\\n' | sed -n 's/^\\(scenario\\|system\\)=//; T; s/\xe2\x90\xa3/ /g; p' | "
        "tr '\\n' ' '",
        "r");
    ck_assert_ptr_nonnull(make);
    ck_assert_ptr_nonnull(fgets(variables + 1, sizeof variables - 2, make));
    pclose(make);
    PROGRAM(0, "--help");
    for (const pattern_kind *kind = pattern_kinds; kind->name; kind++) {
        HAS(kind->name);
        pattern_sentence(kind, NULL, sentence, sizeof sentence);
        HAS(sentence);
    }
    for (const option *o = scenario_options; o->name || o->help; o++) {
        char name[40], variable[40] = " ";
        if (!o->name) continue;
        snprintf(name, sizeof name, "  --%s %s ", o->name, o->argument);
        HAS(name);
        for (size_t i = 0; i <= strlen(o->name); i++)
            variable[i + 1] = (char)(o->name[i] == '-' ? '_' : o->name[i] ? toupper(o->name[i]) : ' ');
        variable[strlen(o->name) + 2] = '\0';
        ck_assert_msg(strstr(variables, variable) != NULL, "%s is not in: %s", variable, variables);
    }
    ck_assert_msg(strstr(variables, " NIC ") && strstr(variables, " MEMORY ") && strstr(variables, " SWITCH_MONITOR "),
                  "%s", variables);
    ck_assert_msg(!strstr(variables, " JSON ") && !strstr(variables, " FILE "), "%s", variables);
}

TEST(ctrl_c_gives_a_report_of_what_was_done)
{
    INTERRUPTED(700, "--scenario", "uniform", "--measure", "1000000", "--sizes", "496");
    HAS("(stopped)", "INTERRUPTED: results in");
    ck_assert_str_eq(json_string_value(at("result")), "interrupted");
    ck_assert(json_is_false(at("scenario.rows.0.complete")));
    ck_assert_int_gt(integer("scenario.rows.0.packets"), 10);
    ck_assert_double_gt(json_real_value(at("scenario.rows.0.payload_mib_per_s")), 4 * 100);
}

TEST(ctrl_c_in_the_tests_keeps_those_that_are_done)
{
    INTERRUPTED(1500, "--no-monitor");
    HAS("not finished", "INTERRUPTED");
    at("good");
}

/* Every packet is checked by its source: the scoreboard and the file know the IDs. */
TEST(nodes_have_the_ids_they_are_given, .to = 4)
{
    static const char *const runs[][10] = {
        {"--scenario", "uniform", "--packets", "60", "--sizes", "8..496", "--node-ids", "9,127,0,64"},
        {"--scenario", "ping-pong", "--packets", "9", "--node-ids", "8,100,2,3"},
        {"--scenario", "one-way", "--packets", "60", "--sizes", "496", "--direct", "--node-ids", "99,15"},
        {"--file", "/etc/passwd", "--both", "--nodes", "3", "--node-ids", "77,5,90"},
    };
    const char *arguments[11] = {0};
    memcpy(arguments, runs[_i], sizeof runs[_i]);
    program(0, 0, arguments);
}

/* The text is first: no run has begun. */
TEST(what_means_nothing_for_a_run_is_refused_at_once)
{
    static const struct {
        const char *option[7], *text;
    } bad[] = {
        {{"--payload", "100", "--file", "/etc/passwd"}, "--payload 100: expected 1..62 words of 64 bits with a switch"},
        {{"--payload", "63"}, "--payload 63: expected 1..62"},
        {{"--node-ids", "1,2,3"}, "--node-ids 1,2,3: expected 4 numbers of 0..127"},
        {{"--node-ids", "1,2,3,4,5"}, "--node-ids 1,2,3,4,5: expected 4 numbers of 0..127"},
        {{"--node-ids", "1,2,3,128"}, "--node-ids 1,2,3,128: expected 4 numbers"},
        {{"--node-ids", "1,2,x,4"}, "--node-ids 1,2,x,4: expected 4 numbers"},
        {{"--node-ids", "1,2,3,1"}, "--node-ids 1,2,3,1: expected 4 different ones"},
        {{"--soak", "5", "--node-ids", "1,2"}, "--node-ids 1,2: means nothing for a soak"},
        {{"--payload", "512", "--scenario", "one-way"}, "--payload 512: expected 1..62"},
        {{"--payload", "513", "--direct"}, "--payload 513: expected a number from 1 to 512"},
        {{"--payload", "0"}, "--payload 0: expected a number from 1"},
        {{"--load", "0.5"}, "--load 0.5: means nothing for a file and the five tests; expected with --scenario NAME"},
        {{"--packets", "5", "--file", "/etc/passwd"},
         "--packets 5: means nothing for a file transfer; expected with --scenario"},
        {{"--scenario", "one-way", "--both"}, "--both: means nothing for a scenario"},
        {{"--scenario", "one-way", "--interrupts"}, "--interrupts: means nothing for a scenario"},
        {{"--scenario", "one-way", "--packets", "9", "--measure", "9"}, "--packets 9: expected no measure"},
        {{"--scenario", "ping-pong", "--notify", "2"}, "no notify"},
        {{"--soak", "5", "--payload", "9"}, "--payload 9: means nothing for a soak"},
        {{"--figures", "nic_lut", "--sniff"}, "--sniff: means nothing for the figures"},
        {{"--first-waves", "/tmp/x.fst", "--waves", "/tmp/y.fst"},
         "--first-waves: expected without --waves and --ranks"},
        {{"--first-waves", "/tmp/x.fst", "--direct"},
         "--first-waves /tmp/x.fst: means nothing for a file transfer; expected without any"},
        {{"--wave-from", "5us"}, "expected together with --waves"},
        {{"--wave-scopes", "nic0"}, "expected together with --waves"},
        {{"--waves", "/tmp/x.fst", "--wave-from", "5us", "--wave-to", "5us"},
         "--wave-to 5us: expected more than --wave-from 5us"},
        {{"--waves", "/tmp/x.fst", "--wave-from", "5x"},
         "--wave-from 5x: expected a number such as 12 or 0x1f before 5x, or a time, 100us"},
        {{"--waves", "/tmp/x.fst", "--wave-to", "nic0.a =< 1"}, "--wave-to nic0.a =< 1: expected an operator (== != "},
        {{"--waves", "/tmp/x.fst", "--wave-from", "5us", "--wave-before", "1us"},
         "--wave-before: expected together with an event"},
        {{"--waves", "/tmp/x.fst", "--wave-size", "3M"},
         "--wave-size 3M: expected a size of 4M or more, 100M for instance"},
        {{"--waves", "/dev/full"}, "--waves /dev/full: expected a file, this is something else"},
        {{"--waves", "/no/such/folder/x.fst"},
         "--waves /no/such/folder/x.fst: cannot be written: No such file or directory"},
        {{"--scenario", "one-way", "--switch-monitor", "wight 3 0 20"}, "unknown command 'wight'"},
        {{"--scenario", "one-way", "--switch-monitor", "flows weight 4 0 20"}, "output 4: expected 0 to 3"},
        {{"--scenario", "one-way", "--switch-monitor", "all", "--direct"}, "expected without --direct"},
        {{"--nic", "2voqs"}, "--nic 2voqs: expected one of default, 1voq"},
        {{"--memory", "rdram"}, "--memory rdram: expected zbt, sdram or ddr"},
        {{"--pci-mhz", "120"}, "--pci-mhz 120: expected 66, 100 or 133"},
        {{"--window", "17"}, "--window 17: expected a number from 0 to 16"},
        {{"--threads", "0"}, "--threads 0: expected a number from 1 to 17"},
        {{"--threads", "two"}, "--threads two: expected a number from 1 to 17"},
        {{"--threads", "6"}, "--threads 6: expected 1..5, one for each of 4 nodes and one for the switch"},
        {{"--scenario", "one-way", "--direct", "--threads", "3"}, "--threads 3: expected 1..2"},
    };
    for (int i = 0; i < COUNT(bad); i++) {
        program(0, 2, bad[i].option);
        ck_output_has(bad[i].text);
        ck_assert_msg(strchr(shell_output, '\n') == shell_output + strlen(shell_output) - 1, "expected one line:\n%s",
                      shell_output);
    }
}

TEST(the_tests_fit_a_shorter_payload_and_frames_stand_before_their_table)
{
    enum { FIRST = 65535 };
    PROGRAM(0, "--nodes", "2", "--payload", "30", "--no-monitor", "--interrupts", "--sniff=1");
    HAS(" 240 ", " 8..240 ", "GOOD", " b>a ", " credit ", "documents");
    ck_assert_uint_gt(strlen(shell_output), FIRST);
    shell_output[FIRST] = '\0'; /* the table is behind the first frames */
    ck_output_lacks("documents");
    PROGRAM(0, "--payload", "1", "--scenario", "one-way", "--measure", "10");
    HAS("\n8 ");
    PROGRAM(0, "--payload", "512", "--direct", "--scenario", "one-way", "--sizes", "4096", "--measure", "50");
    HAS("\n4096 ", "GOOD");
}

/* Nothing measured, and nothing claimed: no latency of a window whose packets came after its drain, no fairness of
 * Poisson arrivals. */
TEST(what_was_not_measured_is_a_dash)
{
    PROGRAM(0, "--scenario", "hot-spot", "--outstanding", "0", "--measure", "20", "--sizes", "496");
    HAS("        -     -          -         -  ");
    ck_assert(json_is_null(at("scenario.rows.0.latency_ns.median")));
    ck_assert_uint_eq(json_array_size(at("scenario.rows.0.unfairness")), 1); /* of the hot node */
    PROGRAM(0, "--scenario", "uniform", "--load", "0.2", "--measure", "50");
    HAS("               -\n", "Unfairness is of saturated senders");
    ck_output_lacks("overloaded");
    ck_assert(json_is_false(at("scenario.rows.0.overloaded")));
    ck_assert_uint_eq(json_array_size(at("scenario.rows.0.unfairness")), 0);
}

TEST(a_load_that_is_too_high_is_called_overloaded)
{
    PROGRAM(0, "--scenario", "uniform", "--load", "1.5", "--sizes", "248,496", "--warmup", "20", "--measure", "60");
    HAS("  overloaded\n", "\n496 bytes: overloaded. The backlog");
    for (size_t i = 0; i < 2; i++) {
        char path[60];
        snprintf(path, sizeof path, "scenario.rows.%zu.overloaded", i);
        ck_assert(json_is_true(at(path)));
        snprintf(path, sizeof path, "scenario.rows.%zu.offered_mib_per_s", i);
        double offered = json_number_value(at(path));
        snprintf(path, sizeof path, "scenario.rows.%zu.payload_mib_per_s", i);
        ck_assert_double_gt(offered, 1.2 * json_number_value(at(path)));
    }
}

TEST(other_nics_and_memories_run)
{
    PROGRAM(0, "--scenario", "uniform", "--measure", "30", "--nic", "1voq", "--memory", "sdram", "--sizes", "8..496");
    HAS("GOOD");
}

TEST(a_run_at_the_same_time_as_another_takes_another_name)
{
    static const char *const run[] = {"--scenario", "one-way", "--sizes", "8", "--measure", "10", NULL};
    char path[80];
    snprintf(path, sizeof path, "%s/.results.json.lock", shell_folder());
    int other = open(path, O_RDWR | O_CREAT, 0666);
    ck_assert_int_eq(flock(other, LOCK_EX), 0);
    program(0, 0, run);
    HAS("/results.json: this one's are in ", "GOOD: results in ", "/results-2.json");
    close(other);
    program(0, 0, run);
    ck_output_lacks("another run");
    ck_shell_says(0, "log\nresults-2.json\nresults.json\n", "ls -A $D");
    ck_output_lacks("lock");
}

TEST(a_result_that_cannot_be_written_is_a_failure)
{
    snprintf(json_path, sizeof json_path, "/no/such/folder/results.json");
    PROGRAM(2, "--scenario", "one-way", "--sizes", "8", "--measure", "10");
    HAS("--json /no/such/folder/results.json: cannot be written");
    snprintf(json_path, sizeof json_path, "/dev/full");
    PROGRAM(1, "--scenario", "one-way", "--sizes", "8", "--measure", "10");
    HAS("/dev/full");
}
