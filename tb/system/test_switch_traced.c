/* From a fault on a cable to its diagnosis, by commands alone: a switch with tracing memories, the trace of a port
 * frozen by an event and saved, the tool nxtrace. The fault is known from the plan. */
#include <string.h>

#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim2-traced");
RUNS("nicxbar-sim2");
RUNS("nxtrace");

static const struct {
    const char *fault, *events, *cause, *finding;
} faults[] = {
    {"word node1>switch drop at 20us", "any", "ALIGNMENT_ERRORS PADDED",
     ": 1 word of 32 bits omitted: the packet of entry "},
    {"word node1>switch repeat at 20us", "ALIGNMENT_ERRORS", "ALIGNMENT_ERRORS",
     ": 1 word of 32 bits doubled: without, the packet of"},
    {"packet node1>switch truncate at 20us", "PADDED,DRAINED", "PADDED",
     " words of 32 bits omitted: the packet of entry "},
    {"packet node1>switch headercrc at 20us", "HEADER_ERRORS", "HEADER_ERRORS", ": header CRC 0000"},
    /* which no switch sees */
    {"packet node1>switch body at 20us", "none", "", ": bad body: the packet of entry "},
    {"credit node1>switch parity at 20us", "any", "CREDITS_REJECTED", ": a credit with wrong parity: "},
};

TEST_CASE("traced", .timeout = 60, .teardown = shell_clean);

TEST(a_fault_on_a_cable_freezes_the_trace_and_is_found_in_it, .to = COUNT(faults))
{
    char table[128];
    shell_program("nicxbar-sim2-traced");
    ck_assert_str_ne(shell_folder(), "");
    ck_shell_says(0, "GOOD: results in",
                  "$P --scenario uniform --load 0.3 --measure 30 --out $D --faults '%s' --switch-monitor 'trace-start "
                  "1 %s 70 traces "
                  "trace-save 1 '$D/trace",
                  faults[_i].fault, faults[_i].events);
    snprintf(table, sizeof table, "\nclock  port  state      frozen by\n    a     0  stopped    -\n    b     1  %s",
             *faults[_i].cause ? "frozen     " : "running    -\n");
    ck_output_has(table);
    if (*faults[_i].cause)
        snprintf(table, sizeof table, "%s, 70 entries behind it\ntrace of port 1, ", faults[_i].cause);
    ck_output_has(table);
    ck_assert_int_eq(shell_says("${P%%/*}/nxtrace $D/trace"), 1);
    ck_output_has(faults[_i].finding);
    ck_assert_msg(!strncmp(shell_output, "IN entry ", 9), "%s", shell_output);
}

TEST(without_a_fault_nothing_looks_wrong_and_the_trace_is_shown_at_once)
{
    shell_program("nicxbar-sim2-traced");
    ck_assert_str_ne(shell_folder(), "");
    ck_shell_says(0, "GOOD: results in",
                  "$P --scenario uniform --measure 30 --out $D --switch-monitor 'trace-start 0 full 0 trace-take 0'");
    ck_output_has("port 0 of a switch\nIN, 1024 entries\n");
    ck_output_has("\nOUT, 1024 entries\n");
    ck_output_has("\nnothing looks wrong\n");
}

/* One write more each, which stops the traces, or enables ports that are; of the switch without tracing memories, none.
 */
TEST(a_trace_changes_no_clock_while_it_records)
{
    static const struct {
        const char *program, *commands, *name;
    } runs[] = {
        {"nicxbar-sim2", "weights", "plain"},
        {"nicxbar-sim2-traced", "weights", "traced"},
        {"nicxbar-sim2-traced", "trace-start 0 none 0 trace-freeze 0 trace-start 1 none 0 trace-freeze 1 traces",
         "frozen"},
        {"nicxbar-sim2-traced", "trace-start 0 none 0 enable 0 trace-start 1 none 0 enable 1 traces", "running"},
    };
    ck_assert_str_ne(shell_folder(), "");
    for (unsigned i = 0; i < COUNT(runs); i++) {
        shell_program(runs[i].program);
        ck_shell_says(0, "GOOD: results in",
                      "mkdir $D/%s; $P --scenario uniform --load 0.5 --sizes 8..496 --measure 30 --out $D/%s "
                      "--switch-monitor '%s'",
                      runs[i].name, runs[i].name, runs[i].commands);
        if (i > 1) ck_output_has(runs[i].name);
    }
    int result = shell_says("cd $D && sed -i '/wall_s\\|net_khz/d; s/crossbar2_traced/crossbar2/' */sim.json && sed -i "
                            "'/ TRACE_/d' */switch.dump && "
                            "cmp plain/sim.json traced/sim.json && cmp frozen/sim.json running/sim.json && cmp "
                            "frozen/switch.dump running/switch.dump && "
                            "! cmp -s plain/sim.json running/sim.json");
    ck_assert_msg(!result, "%s", shell_output);
}

TEST(what_cannot_be_traced_is_refused_before_the_run)
{
    static const struct {
        const char *program, *commands, *says;
    } refusals[] = {
        {"nicxbar-sim2", "trace-start 1 any 5",
         "this switch was built without tracing memories, expected one built with TRACE=1"},
        {"nicxbar-sim2-traced", "trace-start 2 any 5", "port 2: expected 0 to 1"},
        {"nicxbar-sim2-traced", "trace-start 1 any 1024", "1024 entries kept, expected 0 to 1023"},
        {"nicxbar-sim2-traced", "trace-start 1 BODY_CRC 5",
         "'BODY_CRC': expected any, none, full, or events with commas between them"},
        {"nicxbar-sim2-traced", "trace-start 1 any", "trace-start: expected PORT EVENTS AFTER"},
        {"nicxbar-sim2-traced", "trace-save 1 /nothere/x", "/nothere/x: No such file or directory"},
    };
    for (unsigned i = 0; i < COUNT(refusals); i++) {
        shell_program(refusals[i].program);
        ck_shell_says(2, refusals[i].says, "$P --scenario uniform --switch-monitor '%s'", refusals[i].commands);
    }
}
