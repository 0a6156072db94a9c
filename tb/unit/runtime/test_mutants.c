/* scripts/mutants.py: which changes it makes, and its verdicts, with a stand-in for make whose test program notices
 * some of them. */
#include "shell.h"
#include "test.h"

#include <string.h>

#define MUTANTS "${PYTHON:-python3} -S scripts/tool.py mutants"

TEST_CASE("mutants", .teardown = shell_clean);

/* By hand. */
TEST(changes_are_of_code_only)
{
    shell_put("m.v",
              "// not here: if (a) 1'b1\n"
              "module m #(parameter N = 8'd3) (input wire clk, input wire rst, input wire [3:0] a, output reg b);\n"
              "    initial\n        if (N < 2) begin\n            $display(\"a && b\");\n            $finish;\n"
              "        end\n\n"
              "    wire c = a[1] && a[0] == 1'b1;\n    wire probe_busy = a != 4'd0;\n"
              "    always @(posedge clk)\n        if (rst) b <= 1'b0;\n"
              "        else     b <= (a <= 4'd2) ? c : !b;\nendmodule\n");
    ck_assert_int_eq(shell_says(MUTANTS " --list $D/m.v"), 0);
    ck_assert_str_eq(shell_output, "9:16: 1 -> 0\n9:19: && -> ||\n9:27: == -> !=\n9:30: 1'b1 -> 1'b0\n"
                                   "12:13: rst -> !(rst)\n12:13: rst -> 1'b0\n12:13: rst -> 1'b1\n"
                                   "12:18: b <= 1'b0; -> ;\n12:23: 1'b0 -> 1'b1\n"
                                   "13:18: b <= (a <= 4'd2) ? c : !b; -> ;\n13:26: <= -> <\n13:29: 4'd2 -> 4'd1\n"
                                   "13:29: 4'd2 -> 4'd3\n13:37: c : !b -> !b : c\n13:41: ! -> nothing\n");
}

/* A tree with one module, whose test notices what happens to its condition only. */
static void put_tree(void)
{
    ck_assert_int_eq(shell_says("mkdir -p $D/rtl $D/tb $D/build/generated && cp -rp scripts $D"), 0);
    shell_put("rtl/m.v", "`default_nettype none\nmodule m (input wire clk, input wire a, output reg b);\n"
                         "    wire c = a && a;\n    always @(posedge clk)\n        if (c) b <= 1'b1;\nendmodule\n");
    shell_put("build/programs.mk", "build/models/m/bound build/models/m/libm.a: MODEL := m m rtl/m.v\n"
                                   "$(BUILT)/tb/unit/x/test_m: build/models/m/libm.a\n");
    shell_put("stub", "#!/bin/sh\nmkdir -p build/tb/unit/x\n"
                      "printf '#!/bin/sh\\ngrep -q \"if (c)\" rtl/m.v' >build/tb/unit/x/test_m\n"
                      "chmod +x build/tb/unit/x/test_m\n");
}

#define RUN "cd $D && chmod +x stub && MODULE=m MAKE=$D/stub " MUTANTS

TEST(a_change_is_killed_or_survives_or_is_none_and_a_run_goes_on)
{
    put_tree();
    ck_shell_says(1, "mutants: 6 tried, 3 killed, 1 equivalent, 0 explained, 2 survived; 6 in this run", RUN);
    ck_output_has("survived: rtl/m.v:5, 1 of 1 programs:\n    if (c) b <= 1'b1;\n    if (c) b <= 1'b0;\n");
    ck_shell_says(1, "2 survived; 0 in this run", RUN);
    /* another text of the module: what is known of the old one is gone */
    ck_shell_says(1, "3 tried", "sed -i 's/a && a/a/' $D/rtl/m.v; COUNT=3; export COUNT; " RUN);
    /* the tree itself is left alone, its dates, too */
    ck_shell_says(1, "3 tried",
                  "touch -d 2001-01-01 $D/rtl/m.v; rm $D/build/mutants.json; COUNT=3; export COUNT; " RUN);
    ck_shell_says(0, "2001-01-01", "stat -c %%y $D/rtl/m.v && grep -q 'if (c)' $D/rtl/m.v");
}

TEST(what_is_explained_matches_a_change)
{
    put_tree();
    shell_put("tb/survivors", "m | if (c) b <= 1'b1; | if (c) b <= 1'b0; | nobody reads b\n"
                              "m | if (c) b <= 1'b1; | if (c) ; | nobody reads b\n");
    ck_shell_says(0, "3 killed, 1 equivalent, 2 explained, 0 survived", RUN);
    shell_put("tb/survivors", "m | if (c) b <= 1'b1; | if (c) b <= 1'b2; | nobody reads b\n");
    ck_shell_says(1, "mutants: tb/survivors:1: m has no such change, expected one of", RUN);
    shell_put("tb/survivors", "# a comment\nm | if (c)\n");
    ck_shell_says(1, "mutants: tb/survivors:2: expected MODULE | LINE | LINE CHANGED | REASON", RUN);
}

TEST(programs_that_fail_without_a_change_say_nothing)
{
    put_tree();
    ck_shell_says(1, "mutants: tb/unit/x/test_m cannot be built without a change: no compiler", "%s",
                  "cd $D && printf '#!/bin/sh\necho no compiler; exit 2' >stub; " RUN);
    ck_output_has("0 tried");
    put_tree();
    ck_shell_says(1, "mutants: tb/unit/x/test_m fails without a change, and is left out", "%s",
                  "sed -i s/grep/false/ $D/stub; " RUN);
}

TEST(a_change_that_cannot_be_built_is_not_killed)
{
    put_tree();
    ck_shell_says(1, "3 tried, 0 killed, 1 equivalent, 0 explained, 2 survived", "%s",
                  "echo 'grep -q \"if (c)\" rtl/m.v || exit 2' >>$D/stub; " RUN);
}

TEST(a_wrong_request_is_refused)
{
    put_tree();
    ck_shell_says(1, "mutants: MODULE=mm: expected a module of rtl/, such as m", "cd $D && MODULE=mm " MUTANTS);
    ck_shell_says(1, "mutants: COUNT=x: expected a number from 1 to 100000", "cd $D && COUNT=x " MUTANTS);
    ck_shell_says(2, "usage: mutants | mutants --list FILE.v; not: mutants m", "cd $D && " MUTANTS " m");
    ck_shell_says(1, "mutants: no.v: expected a file of Verilog", "cd $D && " MUTANTS " --list no.v");
    shell_put("build/mutants.json", "{");
    ck_shell_says(1, "mutants: build/mutants.json: expected what an earlier run has written", RUN);
}
