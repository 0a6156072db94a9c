/* make coverage: a small design whose points are known, in a tree of its own; the script with stand-ins for make and
 * for test programs. */
#include "shell.h"
#include "test.h"

#include <string.h>

#define IN_TREE "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES SIM_WAVES CK_RUN_CASE; cd $D; "
#define RUN "cd $D; chmod +x build/coverage/tb/unit/x/*; MAKE=true ${PYTHON:-python3} -S scripts/tool.py coverage "
#define BOTH RUN "tb/unit/x/test_a tb/unit/x/test_b"

TEST_CASE("coverage", .timeout = 600, .teardown = shell_clean);

/* Counts up to 3 and stays there; nobody asks it to go down. */
static const char module[] = "`default_nettype none\n"
                             "module low_count #(\n"
                             "    parameter DOWN = 0\n"
                             ") (\n"
                             "    input  wire       clk,\n"
                             "    input  wire       rst,\n"
                             "    input  wire       down,\n"
                             "    output reg  [7:0] count\n"
                             ");\n"
                             "    initial\n"
                             "        if (DOWN > 1) begin\n"
                             "            $display(\"%m: DOWN must be 0 or 1\");\n"
                             "            $finish;\n"
                             "        end\n"
                             "\n"
                             "    always @(posedge clk)\n"
                             "        if (rst) count <= 8'd0;\n"
                             "        else if (down)\n"
                             "            count <= count - 8'd1;\n"
                             "        else if (count != 8'd3)\n"
                             "            count <= count + 8'd1;\n"
                             "\n"
                             "    generate\n"
                             "        if (DOWN != 0) begin : never\n"
                             "            reg [1:0] there;\n"
                             "            always @(posedge clk) there <= count[1:0];\n"
                             "            wire unused = &{1'b0, there};\n"
                             "        end\n"
                             "    endgenerate\n"
                             "    localparam [1:0] IDLE = 2'd0;\n"
                             "    localparam [1:0] UP   = 2'd1;\n"
                             "    localparam [1:0] AWAY = 2'd2;\n"
                             "    reg [1:0] state;\n"
                             "    always @(posedge clk)\n"
                             "        if (rst) state <= IDLE;\n"
                             "        else\n"
                             "            case (state)\n"
                             "                IDLE:    state <= down ? AWAY : UP;\n"
                             "                UP:      if (count == 8'd3) state <= IDLE;\n"
                             "                default: state <= IDLE;\n"
                             "            endcase\n"
                             "    wire probe_busy = count != 8'd0;\n"
                             "endmodule\n"
                             "`default_nettype wire\n";

static const char bench[] = "#include \"low_count.h\"\n"
                            "#include \"simulation.h\"\n"
                            "#include \"test.h\"\n"
                            "#include <signal.h>\n"
                            "#include <unistd.h>\n"
                            "TEST(it_counts, .to = 2)\n"
                            "{\n"
                            "    sim *s = quiet_sim(1);\n"
                            "    sim_clock *clk = make_clock(s, \"clk\", 10000, 0);\n"
                            "    sim_model *m = make_clocked(s, clk, &low_count_config, \"low_count\");\n"
                            "    low_count *p = sim_model_binding(m);\n"
                            "    *p->rst = 1;\n"
                            "    run_clocks(s, clk, 40);\n"
                            "    *p->rst = 0;\n"
                            "    run_clocks(s, clk, 40);\n"
                            "    ck_assert_uint_eq(*p->count, 3);\n"
                            "}\n"
                            "TEST(it_is_killed, .signal = SIGKILL)\n"
                            "{\n"
                            "    it_counts_body(0);\n"
                            "    kill(getpid(), SIGKILL);\n"
                            "}\n";

TEST(a_small_design_is_counted)
{
    ck_assert_int_eq(
        shell_says("mkdir -p $D/rtl/x $D/tb/unit/x $D/sim $D/sw $D/build && cp -rp scripts Makefile $D && cp -p "
                   "build/nicxbar $D/build && cp --parents $(find rtl -name registers.map) sim/model/*/*_rules.h $D && "
                   "cp -rp --parents sim/core sim/observe/cycles $D && cp -p tb/*.[ch] $D/tb && : >$D/tb/coverage"),
        0);
    shell_put("rtl/x/low_count.v", module);
    shell_put("tb/unit/x/test_low.c", bench);
    shell_put("tb/crosses", "# events\nlow_count clk\n    life  reset: rst\n    life  on: 1'b1\n"
                            "    event full: count == 8'd3\n    event down: down\n");
    ck_shell_says(0,
                  "low_count   9/12      9/11  5/13     2/3   2/4      1/4      75.0        81.8        38.5       0\n",
                  "%s", IN_TREE "make -j1 coverage MODULE=low_count");
    ck_output_has("rtl/x/low_count.v:7: toggle: down\nrtl/x/low_count.v:8: toggle: count[7:2]\n");
    ck_output_has("rtl/x/low_count.v:18: line: else if (down)\nrtl/x/low_count.v:18: branch: elsif: else if (down)\n"
                  "rtl/x/low_count.v:19: line: count <= count");
    ck_output_has("rtl/x/low_count.v:30: arc: state IDLE -> AWAY\nrtl/x/low_count.v:32: state: state AWAY\n"
                  "rtl/x/low_count.v:32: arc: state AWAY -> IDLE\n");
    ck_output_has("rtl/x/low_count.v:2: cross: down, on\n");
    ck_output_has("never built: rtl/x/low_count.v:24-28 (never)\n");
    ck_output_has("coverage: 1 of 1 programs, 1 in this run");
    /* three models, also of the test that was killed, with 81 clocks; Verilator's own reader finds the same sums */
    ck_shell_says(0, "S\00216' 243\n", "%s",
                  "cd $D && sum() { awk '/^C/ { s += $NF } END { print s, NR > 9 }' $1; } && "
                  "zcat build/coverage/run/tb/unit/x/test_low.dat.gz >low.dat && "
                  "verilator_coverage --write again.dat low.dat && test \"$(sum low.dat)\" = \"$(sum again.dat)\" && "
                  "cat low.dat && sum low.dat");
    ck_shell_says(0, "waived", "%s",
                  "cd $D && grep -q 'class=\"miss\" id=\"19\"' build/coverage/html/low_count.html && "
                  "grep -q 'never changes: count' build/coverage/html/low_count.html && ! grep -q http "
                  "build/coverage/html/index.html && cat build/coverage/html/index.html");
    /* waived, and with the branch what is inside */
    shell_put(
        "tb/coverage",
        "low_count | elsif | else if (down) | nobody asks\nlow_count | toggle | down | nobody asks\n"
        "low_count | state | state AWAY | nobody asks\nlow_count | arc | *AWAY* | nobody asks\n"
        "low_count | cross | down, reset | nobody asks\nlow_count | case | default: state <= IDLE; | nobody asks\n");
    ck_shell_says(0,
                  "low_count    9/9       9/9  5/12     2/2   2/2      1/3     100.0       100.0        41.7       7",
                  "%s", IN_TREE "make -j1 coverage");
    ck_output_has("coverage: 1 of 1 programs, 0 in this run");
    ck_shell_says(2, "TEST=tb/unit/y: no test program of that name", "%s", IN_TREE "make -j1 coverage TEST=tb/unit/y");
}

/* Two programs and a model of a module, which each of them has once. Its counters are `a` and `b`, the third 0. */
static void put_tree(const char *a, const char *b)
{
    const char *const counts[] = {a, b}, *const names[] = {"build/coverage/tb/unit/x/test_a",
                                                           "build/coverage/tb/unit/x/test_b"};
    ck_assert_int_eq(
        shell_says("mkdir -p $D/rtl $D/tb/proofs $D/build/coverage/tb/unit/x $D/build/coverage/models/m && "
                   "cp -rp scripts $D && echo 'holds locks prove_locks' >$D/tb/proofs/proofs"),
        0);
    shell_put("rtl/m.v", "module m (input wire clk, input wire a, output reg b);\n    always @(posedge clk)\n"
                         "        if (a) b <= 1'b1;\n        else   b <= 1'b0;\nendmodule\n");
    shell_put("build/coverage/models/m/points",
              "0\tv_branch/m\trtl/m.v\t3\t9\tif\t3\n1\tv_branch/m\trtl/m.v\t3\t10\telse\t4\n"
              "2\tv_toggle/m\trtl/m.v\t1\t60\tb\t\n");
    shell_put("build/coverage/programs.mk", "TESTS := tb/unit/x/test_a tb/unit/x/test_b\n");
    for (int i = 0; i < 2; i++) {
        FILE *f = shell_file(names[i], "w");
        fprintf(f, "#!/bin/sh\necho '100%%: Checks: 1, Failures: 0, Errors: 0'\n%s\n", counts[i]);
        fclose(f);
    }
    ck_assert_int_eq(shell("find $D/rtl -name '*.v' -exec touch -d 2001-01-01 {} + && touch -d 2001-01-02 "
                           "$D/build/coverage/tb/unit/x/*"),
                     0);
}
#define COUNTS(bytes) "printf '" bytes "' >$SIM_COVERAGE/m"
#define NO "\\000\\000\\000\\000"
#define TWO "\\002\\000\\000\\000"

TEST(programs_are_merged_and_a_run_goes_on)
{
    put_tree(COUNTS(TWO NO NO), COUNTS(NO TWO NO));
    ck_shell_says(0, "coverage: 1 of 1 programs, 1 in this run", RUN "tb/unit/x/test_a");
    ck_output_has("m         1/2       1/2   0/1       -     -        -      50.0        50.0         0.0       0\n");
    ck_assert_int_eq(shell("cp $D/build/coverage.json $D/old.json"), 0);
    ck_shell_says(0, "coverage: 2 of 2 programs, 1 in this run", "export BASE=old.json; " BOTH);
    ck_output_has("m         2/2       2/2   0/1       -     -        -     100.0       100.0         0.0       0\n");
    ck_output_has(
        "module       line [%]     branch [%]  toggle [%]  state [%]  arc [%]  cross [%]  not hit any more  hit now\n"
        "m       50.0 -> 100.0  50.0 -> 100.0         0.0          -        -          -                 0        2\n");
    ck_shell_says(0, "0 in this run", BOTH);
    /* one that is newer than what is known of it, one whose Verilog is */
    ck_shell_says(0, "2 of 2 programs, 1 in this run", "touch $D/build/coverage/tb/unit/x/test_b; sleep 0.1; " BOTH);
    ck_shell_says(0, "left out: tb/unit/x/test_a ran before its Verilog was changed", "touch $D/rtl/m.v; " BOTH);
    ck_shell_says(1, "coverage: BASE=rtl/m.v: expected a build/coverage.json of make coverage",
                  "export BASE=rtl/m.v; " BOTH);
    ck_shell_says(1, "coverage: MODULE=mm: expected a module of rtl/, such as m", "export MODULE=mm; " BOTH);
}

TEST(a_run_that_is_stopped_says_what_is_left)
{
    put_tree(COUNTS(TWO NO NO),
             COUNTS(NO TWO NO) "; until [ -s $D/pid ] && [ -e $D/build/coverage/run/tb/unit/x/test_a.dat.gz ]; do "
                               "sleep 0.1; done; sleep 0.3; kill -INT $(cat $D/pid); sleep 100");
    ck_shell_says(1, "coverage: 1 of 2 programs, 1 in this run", "%s", BOTH " & echo $! >$D/pid; wait $!");
    ck_output_has("stopped, 1 left: the same command goes on");
    ck_assert_int_eq(shell("sed -i 's/; until.*//' $D/build/coverage/tb/unit/x/test_b"), 0);
    ck_shell_says(0, "coverage: 2 of 2 programs, 1 in this run", BOTH);
}

TEST(what_is_waived_matches_something)
{
    put_tree(COUNTS(TWO NO NO), COUNTS(TWO NO NO));
    shell_put("tb/coverage", "# a comment\nm | else | if (a) b <= 1'b1; | a never ends, by proof locks\n"
                             "m | toggle | b | follows a\n");
    ck_shell_says(0, "m         1/1       1/1     -       -     -        -     100.0       100.0           -       2\n",
                  BOTH);
    shell_put("tb/coverage",
              "m | if | if (a) b <= 1'b1; | not so\nm | else | if (c) | there is none\n"
              "m | toggle | bb | there is none\nm | toggle | b[3:2] | it has no bits\nn | all | * | gone\n"
              "m | else | if (a) b <= 1'b1; | by proof nothing\nm | all | *\n");
    ck_shell_says(1,
                  "tb/coverage:1: m: all of it has been hit: if (a) b <= 1'b1;\n"
                  "tb/coverage:2: m has no such else: if (c)\ntb/coverage:3: m has no such toggle: bb\n"
                  "tb/coverage:4: m has no such toggle: b[3:2]\ntb/coverage:5: expected MODULE | KIND | WHAT | REASON",
                  BOTH);
    ck_output_has("tb/coverage:6: there is no proof nothing in tb/proofs/proofs\n");
    ck_output_has("tb/coverage:7: expected MODULE | KIND");
}

TEST(models_that_do_not_count_and_programs_that_fail_are_named)
{
    put_tree("touch $SIM_COVERAGE/other; " COUNTS(TWO), COUNTS(TWO TWO TWO) "; exit 1");
    ck_shell_says(1,
                  "coverage: tb/unit/x/test_a: model m was not built to count: nothing is known of it\n"
                  "coverage: tb/unit/x/test_a: model other was not built to count: nothing is known of it\n",
                  BOTH);
    ck_output_has("failed: tb/unit/x/test_b: ");
    ck_output_has("m         2/2       2/2   1/1");
    ck_shell_says(1, "failed: tb/unit/x/test_c: cannot be built, see build/coverage/build.log", RUN "tb/unit/x/test_c");
}
