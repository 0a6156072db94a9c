/* Verilator's report of a design (scripts/design.py): reports of several versions for one module, in designs/, give the
 * same, and so do the bindings made of them; and the report of the installed Verilator. The JSON there has no members
 * that are false, unlinked or empty. */
#include "shell.h"
#include "test.h"

TEST_CASE("design", .teardown = shell_clean);

/* In $D: the report `design` of sample.sv, and the part of Verilator's C++ that the binding needs. */
#define FOLDER                                                                                                         \
    "b=$PWD/scripts; p=${PYTHON:-python3}; s=$PWD/tb/unit/runtime/designs; cp $s/sample.sv $D && cd $D && mkdir -p "   \
    "cpp && "                                                                                                          \
    "for n in clk rst_n flits in out now pad a__02eb; do echo \"VL_IN8(&$n,0,0);\"; done >cpp/Vsample.h; "
#define REPORT FOLDER "for f in '' .files; do [ ! -e $s/%s$f ] || cp $s/%s$f design$f; done; "
#define INSTALLED                                                                                                      \
    FOLDER "$b/report.sh design -Mdir x --default-language 1800-2017 -Wno-lint --no-timing --top-module sample "       \
           "sample.sv "                                                                                                \
           ">/dev/null && "

static const char *const reports[] = {"5.006.xml", "5.032.xml", "5.032.json", "5.048.json"};

static void says_all_of_the_sample(void)
{
    ck_output_has(
        "sample input in 9 [0:8]\nsample output out 65 [64:0]\nsample output now 2 [1:0]\nsample inout pad 2 [1:0]\n"
        "sample input a.b 1 -\nsample parameter COUNT\nsample parameter FILE\n");
    ck_output_has(
        "sample instance each[0].unit leaf__W1 clk=in:each[0].inner rst_n=in:rst_n in=in:?in out=out:each[0].left\n");
    ck_output_has("leaf__W2 input in 2 [1:0]\nleaf__W2 output out 2 [1:0]\nleaf__W2 parameter WIDTH\n");
    ck_output_has("sample sample\nsample.each[0].unit leaf\nsample.each[1].unit leaf\n");
    ck_output_has("chip.sample.each[1].left\n");
    ck_output_has("chip.sample.each[1].unit.probe_busy\n");
    ck_output_has("fopen sample.sv:23 in.txt\nreadmem sample.sv:21 rom.hex\n"); /* not its outputs */
}

#define ALL                                                                                                            \
    "$p $b/design.py ports design && $p $b/design.py instances design && $p $b/design.py signals design chip && "      \
    "$p $b/design.py opened design && $p $b/design.py files design"

TEST(reports_of_all_versions_say_the_same, .to = COUNT(reports))
{
    const char *r = reports[_i];
    /* JSON before 5.034 has no types of struct members: design.py asks for XML there */
    ck_shell_says(0, strcmp(r, "5.032.json") ? "sample input flits 6 -\n" : "sample input flits ? -\n", REPORT ALL, r,
                  r);
    says_all_of_the_sample();
    ck_output_has("\nsample.sv\n");
}

TEST(the_installed_verilator_reports_the_same)
{
    ck_shell_says(0, "sample input flits 6 -\n", INSTALLED ALL);
    says_all_of_the_sample();
}

/* The same text for each version; clk acts by both edges, and the loop that may not end is named, not the one that
 * counts. */
TEST(reports_of_all_versions_give_the_same_bindings)
{
    ck_shell_says(0, "3 2\n",
                  FOLDER ": >none; for r in 5.006.xml 5.032.xml 5.048.json; do for f in '' .files; do [ ! -e $s/$r$f ] "
                         "|| cp $s/$r$f design$f; "
                         "done; for m in '--split X=1' '--probes none' ' X=1'; do "
                         "$p $b/bindings.py ${m%% *} sample sample design . ${m#* } || exit 1; done; "
                         "cat sample*.v sample.h sample_glue.cpp sample.ports sample.instances >all.$r; done; cksum "
                         "<all.5.006.xml >sum; "
                         "echo $(for r in all.*; do cksum <$r; done | grep -cxFf sum) $(grep -c '^endmodule' "
                         "all.5.048.json); cat all.5.048.json");
    ck_output_has("module sample_pins (\n");
    ck_output_has(
        "clk clk input 1 - clock\nrst_n rst_n input 1 - reset_low\nflits flits input 6 - -\nin in input 9 [0:8] -\n");
    ck_output_has("a.b a_b input 1 - -\n");
    ck_output_has("ports[0] - 1, \"clk rst_n\",\n");
    ck_output_has("LANES_OF_MODEL, \"sample.sv:29\", \"\",\n");
    ck_output_has("{\"sample.each[1].unit\", \"sample.each[1].unit\", \"leaf\", \"\", \"clk\", \"\", signals_0, 1},\n");
}

TEST(a_report_that_is_cut_short_is_refused, .to = COUNT(reports))
{
    const char *r = reports[_i];
    ck_shell_fails("design: expected a whole report of Verilator, XML or JSON",
                   REPORT "head -c 9000 design >cut; mv cut design; $p $b/design.py ports design", r, r);
}
