/* nicxbar-sim as a user meets it: options, exit codes, what it prints and writes; and Ctrl-C. */
#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crossbar4.h"
#include "nic_1voq.h"
#include "nic_chip.h"
#include "program.h"
#include "scenario.h"
#include "test.h"

static const nic_kind others[] = {{"1voq", &nic_1voq_config}, {NULL, NULL}};
static char folder[40], json_path[64], output[65536];

static void on_timer(int number)
{
    (void)number;
    raise(SIGINT);
}

/* Runs the program in a process of its own; after `cpu_ms` (0: never) of its time it gets Ctrl-C. Its exit code; `output` is what it
 * printed on both streams. */
static int program(unsigned cpu_ms, const char *const *arguments)
{
    char *argv[24] = {"nicxbar-sim"}, log_path[64];
    int argc = 1, status;
    while (*arguments && argc < 20) argv[argc++] = strdup(*arguments++);
    argv[argc++] = "--json";
    argv[argc++] = json_path;
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        int fd = open(log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(fd, 1);
        dup2(fd, 2);
        struct itimerval t = {.it_value = {cpu_ms / 1000, cpu_ms % 1000 * 1000}};
        signal(SIGVTALRM, on_timer);
        setitimer(ITIMER_VIRTUAL, &t, NULL);
        exit(nicxbar_sim(argc, argv, &(const program_chips){&crossbar4_config, &nic_config, others}));
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    FILE *f = fopen(log_path, "r");
    output[fread(output, 1, sizeof output - 1, f)] = '\0';
    fclose(f);
    ck_assert_msg(WIFEXITED(status), "ended by signal %d:\n%s", WTERMSIG(status), output);
    return WEXITSTATUS(status);
}
#define PROGRAM(ms, ...) program(ms, (const char *const[]){__VA_ARGS__, NULL})

static json_t *results(void)
{
    json_error_t error;
    json_t *all = json_load_file(json_path, 0, &error);
    ck_assert_msg(all != NULL, "%s: %s", json_path, error.text);
    return all;
}

static void set_up(void)
{
    strcpy(folder, "/tmp/nicxbar-program-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(json_path, sizeof json_path, "%s/results.json", folder);
}

static void tear_down(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

TEST_CASE("program", .timeout = 120, .setup = set_up, .teardown = tear_down);

TEST(faults_by_plan_are_accounted_for_on_the_screen_and_as_json)
{
    ck_assert_msg(!PROGRAM(0, "--faults", "packet node0>switch body at 20us times 2; retry host1 read 20%", "--sizes", "8..496", "--measure", "50"),
                  "%s", output);
    ck_assert_msg(strstr(output, "round-robin: ") && strstr(output, "\nfault ") && strstr(output, "GOOD: results in "), "%s", output);
    json_t *all = results(), *list = json_object_get(all, "faults"), *first = json_array_get(list, 0);
    ck_assert_uint_eq(json_array_size(list), 2);
    ck_assert_str_eq(json_string_value(json_object_get(first, "fault")), "packet node0>switch body at 20us times 2");
    ck_assert_int_eq(json_integer_value(json_object_get(first, "struck")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(first, "damaged")), 2);
    ck_assert_str_eq(json_string_value(json_object_get(first, "wrong")), "");
    ck_assert_uint_ge(json_array_size(json_object_get(first, "seen_by")), 1);
    json_decref(all);
}

TEST(a_file_that_a_fault_has_broken_is_sent_again)
{
    char path[64];
    snprintf(path, sizeof path, "%s/sent", folder);
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 40000; i++) fputc('a' + i % 17, f);
    fclose(f);
    ck_assert_msg(!PROGRAM(0, "--file", path, "--faults", "packet node0>switch body at 50us"), "%s", output);
    ck_assert_msg(strstr(output, "transfers begun again: 1") && strstr(output, "GOOD: results in "), "%s", output);
    json_t *all = results();
    ck_assert_int_eq(json_integer_value(json_object_get(all, "begun_again")), 1);
    json_decref(all);
    unlink(path);
}

TEST(a_run_whose_faults_never_strike_fails)
{
    ck_assert_int_eq(PROGRAM(0, "--scenario", "one-way", "--sizes", "496", "--measure", "20", "--faults", "cut node1 at 9ms for 1us"), 1);
    ck_assert_msg(strstr(output, "never struck") && strstr(output, "FAILED: results in "), "%s", output);
}

TEST(a_wrong_plan_of_faults_is_refused)
{
    ck_assert_int_eq(PROGRAM(0, "--faults", "cut node7 at 9ms for 1us"), 2);
    ck_assert_msg(strstr(output, "--faults: column 5: 'node7', expected a cable"), "%s", output);
    ck_assert_int_eq(PROGRAM(0, "--scenario", "ping-pong", "--faults", "cut node1 at 9us for 1us"), 2);
    ck_assert_int_eq(PROGRAM(0, "--soak", "100", "--faults", "completion host1 missing at 9us"), 2);
}

TEST(a_scenario_prints_a_table_and_writes_json)
{
    ck_assert_msg(!PROGRAM(0, "--scenario", "three-to-one", "--sizes", "24,8..496", "--measure", "50"), "%s", output);
    ck_assert_msg(strstr(output, "three-to-one: nodes 0, 1 and 2 to node 3; saturated"), "%s", output);
    ck_assert_msg(strstr(output, "\n24 ") && strstr(output, "\n8..496 ") && strstr(output, "GOOD: results in "), "%s", output);
    json_t *all = results(), *rows = json_object_get(json_object_get(all, "scenario"), "rows");
    ck_assert(json_is_true(json_object_get(all, "good")));
    ck_assert_uint_eq(json_array_size(rows), 2);
    json_t *flows = json_object_get(json_array_get(rows, 0), "flows");
    ck_assert_uint_eq(json_array_size(flows), 3);
    ck_assert_int_gt(json_integer_value(json_object_get(json_array_get(flows, 2), "packets")), 10);
    ck_assert_uint_eq(json_array_size(json_object_get(json_array_get(rows, 1), "unfairness")), 1);
    json_decref(all);
}

TEST(without_options_a_file_and_the_tests_run)
{
    ck_assert_msg(!PROGRAM(0, "--nodes", "2"), "%s", output);
    ck_assert_msg(strstr(output, "file, host 0 to 1") && strstr(output, "SHA-256 equal") && strstr(output, "287 of 300"), "%s", output);
    ck_assert_msg(strstr(output, "GOOD") && !strstr(output, "FAILED"), "%s", output);
    json_t *all = results();
    ck_assert(json_is_true(json_object_get(all, "good")));
    ck_assert_uint_eq(json_array_size(json_object_get(all, "tests")), 4); /* 3 to 1 needs four nodes */
    json_decref(all);
}

TEST(a_file_crosses_directly_and_through_the_switch, .to = 2)
{
    char name[64];
    snprintf(name, sizeof name, "%s/file", folder);
    FILE *f = fopen(name, "w");
    for (int i = 0; i < 20000; i++) fputc(i * 7 >> 3, f);
    fclose(f);
    if (_i) ck_assert_msg(!PROGRAM(0, "--file", name), "%s", output);
    else ck_assert_msg(!PROGRAM(0, "--file", name, "--direct"), "%s", output);
    ck_assert_msg(strstr(output, "SHA-256 equal") && strstr(output, "GOOD"), "%s", output);
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
        {{"--scenario", "three-to-one", "--nodes", "3"}, "--nodes 3: expected at least 4 for the scenario three-to-one"},
        {{"--scenario", "self", "--direct"}, "--scenario self: expected"},
        {{"--scenario", "one-way", "--sniff=9"}, "--sniff 9: expected a node, 0..3"},
        {{"--file", "/no/such/file"}, "--file /no/such/file: No such file"},
        {{"--bridge", "pentium"}, "--bridge pentium: expected server2004 or ideal"},
        {{"--lod", "1"}, "usage:"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int code = program(0, bad[i].option);
        ck_assert_msg(code == 2, "%s: exit code %d:\n%s", bad[i].option[1], code, output);
        ck_assert_msg(strstr(output, bad[i].text), "\"%s\" is not in:\n%s", bad[i].text, output);
    }
}

/* Every pattern with its sentence, every option of the traffic, in the help text and as a variable of make. */
TEST(help_text_and_make_know_every_row_of_the_tables)
{
    char variables[2000], sentence[100];
    FILE *make = popen("unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; make -pq NO_INSTALL=1 help 2>/dev/null | "
                       "grep -E '^(scenario|system)_variables :=' | tr '\\n' ' '",
                       "r");
    ck_assert_ptr_nonnull(make);
    ck_assert_ptr_nonnull(fgets(variables, sizeof variables - 1, make));
    pclose(make);
    strcat(variables, " ");
    ck_assert_int_eq(PROGRAM(0, "--help"), 0);
    for (const pattern_kind *kind = pattern_kinds; kind->name; kind++) {
        ck_assert_msg(strstr(output, kind->name) != NULL, "%s is not in:\n%s", kind->name, output);
        pattern_sentence(kind, NULL, sentence, sizeof sentence);
        ck_assert_msg(strstr(output, sentence) != NULL, "%s is not in:\n%s", sentence, output);
    }
    for (const option *o = scenario_options; o->name || o->help; o++) {
        char name[40], variable[40] = " ";
        if (!o->name) continue;
        snprintf(name, sizeof name, "  --%s %s ", o->name, o->argument);
        ck_assert_msg(strstr(output, name) != NULL, "%s is not in:\n%s", name, output);
        for (size_t i = 0; i <= strlen(o->name); i++)
            variable[i + 1] = (char)(o->name[i] == '-' ? '_' : o->name[i] ? toupper(o->name[i]) : ' ');
        variable[strlen(o->name) + 2] = '\0';
        ck_assert_msg(strstr(variables, variable) != NULL, "%s is not in: %s", variable, variables);
    }
    ck_assert_msg(strstr(variables, " NIC ") && strstr(variables, " MEMORY ") && strstr(variables, " SWITCH_MONITOR "), "%s", variables);
    ck_assert_msg(!strstr(variables, " JSON ") && !strstr(variables, " FILE "), "%s", variables);
}

TEST(ctrl_c_gives_a_report_of_what_was_done)
{
    ck_assert_int_eq(PROGRAM(700, "--scenario", "uniform", "--measure", "1000000", "--sizes", "496"), 130);
    ck_assert_msg(strstr(output, "(stopped)") && strstr(output, "INTERRUPTED: results in"), "%s", output);
    json_t *all = results(), *row = json_array_get(json_object_get(json_object_get(all, "scenario"), "rows"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(all, "result")), "interrupted");
    ck_assert(json_is_false(json_object_get(row, "complete")));
    ck_assert_int_gt(json_integer_value(json_object_get(row, "packets")), 10);
    ck_assert_double_gt(json_real_value(json_object_get(row, "payload_mib_per_s")), 4 * 100);
    json_decref(all);
}

TEST(ctrl_c_in_the_tests_keeps_those_that_are_done)
{
    ck_assert_int_eq(PROGRAM(1500, "--no-monitor"), 130);
    ck_assert_msg(strstr(output, "not finished") && strstr(output, "INTERRUPTED"), "%s", output);
    json_decref(results());
}

/* Every packet is judged by its source: the ledger and the file know the IDs. */
TEST(nodes_have_the_ids_they_are_given, .to = 4)
{
    static const char *const runs[][8] = {
        {"--scenario", "uniform", "--packets", "60", "--node-ids", "9,127,0,64"},
        {"--scenario", "ping-pong", "--packets", "9", "--node-ids", "8,100,2,3"},
        {"--scenario", "one-way", "--packets", "60", "--direct", "--node-ids", "99,15"},
        {"--file", "/etc/passwd", "--both", "--nodes", "3", "--node-ids", "77,5,90"},
    };
    const char *arguments[9] = {0};
    memcpy(arguments, runs[_i], sizeof runs[_i]);
    ck_assert_msg(program(0, arguments) == 0, "%s", output);
}

/* The text stands before anything else: no run has begun. */
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
        {{"--packets", "5", "--file", "/etc/passwd"}, "--packets 5: means nothing for a file transfer; expected with --scenario"},
        {{"--scenario", "one-way", "--file", "/etc/passwd"}, "--file /etc/passwd: means nothing for a scenario"},
        {{"--scenario", "one-way", "--both"}, "--both: means nothing for a scenario"},
        {{"--scenario", "one-way", "--interrupts"}, "--interrupts: means nothing for a scenario"},
        {{"--scenario", "one-way", "--packets", "9", "--measure", "9"}, "--packets 9: expected no measure"},
        {{"--scenario", "ping-pong", "--notify", "2"}, "no notify"},
        {{"--soak", "5", "--payload", "9"}, "--payload 9: means nothing for a soak"},
        {{"--figures", "nic_lut", "--sniff"}, "--sniff: means nothing for the figures"},
        {{"--wave-from", "5"}, "expected together with --waves"},
        {{"--waves", "/tmp/x.fst", "--wave-from", "5", "--wave-to", "5"}, "--wave-to 5: expected more than --wave-from 5"},
        {{"--waves", "/no/such/folder/x.fst"}, "--waves /no/such/folder/x.fst: cannot be written: No such file or directory"},
        {{"--scenario", "one-way", "--switch-monitor", "wight 3 0 20"}, "unknown command 'wight'"},
        {{"--scenario", "one-way", "--switch-monitor", "flows weight 4 0 20"}, "output 4: expected 0 to 3"},
        {{"--scenario", "one-way", "--switch-monitor", "all", "--direct"}, "expected without --direct"},
        {{"--nic", "2voqs"}, "--nic 2voqs: expected one of default, 1voq"},
        {{"--memory", "ddr"}, "--memory ddr: expected zbt or sdram"},
        {{"--pci-mhz", "120"}, "--pci-mhz 120: expected 66, 100 or 133"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int code = program(0, bad[i].option);
        ck_assert_msg(code == 2, "%s: exit code %d:\n%s", bad[i].option[0], code, output);
        ck_assert_msg(strstr(output, bad[i].text), "\"%s\" is not in:\n%s", bad[i].text, output);
        ck_assert_msg(strchr(output, '\n') == output + strlen(output) - 1, "expected one line:\n%s", output);
    }
}

TEST(the_tests_fit_a_shorter_payload)
{
    ck_assert_msg(!PROGRAM(0, "--nodes", "2", "--payload", "30", "--no-monitor", "--interrupts", "--cycles"), "%s", output);
    ck_assert_msg(strstr(output, " 240 ") && strstr(output, " 8..240 ") && strstr(output, "GOOD"), "%s", output);
    ck_assert_msg(strstr(output, "switch_port"), "no table of cycles:\n%s", output);
    ck_assert_msg(!PROGRAM(0, "--payload", "1", "--scenario", "one-way", "--measure", "10"), "%s", output);
    ck_assert_msg(strstr(output, "\n8 "), "%s", output);
    ck_assert_msg(!PROGRAM(0, "--payload", "512", "--direct", "--scenario", "one-way", "--sizes", "4096", "--measure", "50"), "%s", output);
    ck_assert_msg(strstr(output, "\n4096 ") && strstr(output, "GOOD"), "%s", output);
}

TEST(waves_of_the_tests_are_of_the_tests)
{
    char waves[64];
    struct stat s;
    snprintf(waves, sizeof waves, "%s/sim.fst", folder);
    ck_assert_msg(!PROGRAM(0, "--nodes", "2", "--waves", waves, "--no-monitor"), "%s", output);
    ck_assert_msg(strstr(output, "287 of 300") && strstr(output, "short for the waves") && strstr(output, ", waves in /tmp"), "%s", output);
    ck_assert_int_eq(stat(waves, &s), 0);
    ck_assert_int_gt(s.st_size, 1000000);
    ck_assert_int_lt(s.st_size, 300000000);
}

TEST(frames_stand_before_the_table)
{
    int code = PROGRAM(0, "--nodes", "2", "--sniff=1", "--payload", "1", "--no-monitor");
    ck_assert_msg(!code && strstr(output, " b>a ") && strstr(output, " credit "), "exit code %d; %.300s", code, output);
    ck_assert_msg(!strstr(output, "documents"), "the table stands among the first frames");
}

/* Nothing measured, and nothing claimed: no latency of a window whose packets came after its drain, no fairness of Poisson arrivals. */
TEST(what_was_not_measured_is_a_dash)
{
    ck_assert_msg(!PROGRAM(0, "--scenario", "hot-spot", "--outstanding", "0", "--measure", "20", "--sizes", "496"), "%s", output);
    ck_assert_msg(strstr(output, "         -         -                -         - "), "%s", output);
    json_t *all = results(), *row = json_array_get(json_object_get(json_object_get(all, "scenario"), "rows"), 0);
    ck_assert(json_is_null(json_object_get(json_object_get(row, "latency_ns"), "median")));
    ck_assert_uint_eq(json_array_size(json_object_get(row, "unfairness")), 1); /* of the hot node */
    json_decref(all);
    ck_assert_msg(!PROGRAM(0, "--scenario", "uniform", "--load", "0.2", "--measure", "50"), "%s", output);
    ck_assert_msg(strstr(output, "                -\n") && strstr(output, "Unfairness is of saturated senders"), "%s", output);
    ck_assert_msg(!strstr(output, "overloaded"), "%s", output);
    all = results();
    row = json_array_get(json_object_get(json_object_get(all, "scenario"), "rows"), 0);
    ck_assert(json_is_false(json_object_get(row, "overloaded")));
    ck_assert_uint_eq(json_array_size(json_object_get(row, "unfairness")), 0);
    json_decref(all);
}

TEST(a_load_that_is_too_high_is_called_overloaded)
{
    ck_assert_msg(!PROGRAM(0, "--scenario", "uniform", "--load", "1.5", "--sizes", "248,496", "--measure", "100"), "%s", output);
    ck_assert_msg(strstr(output, "  overloaded\n") && strstr(output, "\n496 bytes: overloaded. What waits"), "%s", output);
    json_t *all = results();
    for (size_t i = 0; i < 2; i++) {
        json_t *row = json_array_get(json_object_get(json_object_get(all, "scenario"), "rows"), i);
        double offered = json_number_value(json_object_get(row, "offered_mib_per_s"));
        double delivered = json_number_value(json_object_get(row, "payload_mib_per_s"));
        ck_assert(json_is_true(json_object_get(row, "overloaded")));
        ck_assert_double_gt(offered, 1.2 * delivered);
    }
    json_decref(all);
}

TEST(other_nics_and_memories_run)
{
    ck_assert_msg(!PROGRAM(0, "--scenario", "uniform", "--measure", "30", "--nic", "1voq", "--memory", "sdram", "--cycles"), "%s", output);
    ck_assert_msg(strstr(output, "GOOD"), "%s", output);
}

TEST(a_result_that_cannot_be_written_is_a_failure)
{
    snprintf(json_path, sizeof json_path, "/no/such/folder/results.json");
    ck_assert_int_eq(PROGRAM(0, "--scenario", "one-way", "--sizes", "8", "--measure", "10"), 2);
    ck_assert_msg(strstr(output, "--json /no/such/folder/results.json: cannot be written"), "%s", output);
    snprintf(json_path, sizeof json_path, "/dev/full");
    ck_assert_int_eq(PROGRAM(0, "--scenario", "one-way", "--sizes", "8", "--measure", "10"), 1);
    ck_assert_msg(strstr(output, "/dev/full"), "%s", output);
}
