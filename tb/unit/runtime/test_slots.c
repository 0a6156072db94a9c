/* Plug-ins: builds with them, and refusals. Mostly in a small tree of its own below /tmp, with a plug-in point ADDER.
 */
#include "shell.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Runs a shell command in the tree, with a make that knows nothing of the one around it. */
#define run(...) shell_says(IN_TREE __VA_ARGS__)
#define says(code, text, ...) ck_shell_says(code, text, IN_TREE __VA_ARGS__)
#define fails(text, ...) ck_shell_fails(text, IN_TREE __VA_ARGS__)
#define SEE(slot) " && cat build/slots/" slot "/log/tb/contract/adder/*.log"
#define SLOTS "${PYTHON:-python3} -S scripts/tool.py slots "
#define IN_TREE "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES SIM_WAVES CK_RUN_CASE; cd $D; "

/* An adder by the given name that adds `plus`. */
static void put_adder(const char *file, const char *name, const char *plus)
{
    char text[512];
    snprintf(text, sizeof text,
             "`default_nettype none\nmodule %s #(\n    parameter WIDTH = 8\n) (\n    input  wire [WIDTH-1:0] a,\n"
             "    output wire [WIDTH-1:0] sum\n);\n    assign sum = a + %s;\nendmodule\n`default_nettype wire\n",
             name, plus);
    shell_put(file, text);
}

/* Compiled objects of the runtime are copied as well. */
static void setup(void)
{
    ck_assert_int_eq(
        shell_says(
            "cd $D && mkdir -p rtl tb/contract/adder tb/unit mine sim sw && cd - >/dev/null && "
            "cp -rp scripts Makefile $D && cp --parents $(find rtl -name registers.map) sim/model/*/*_rules.h $D && "
            "cp -rp --parents sim/core sim/observe/cycles $D && mkdir -p $D/build/models && cp -p build/nicxbar "
            "$D/build && cp -rp "
            "build/models/verilated build/models/libverilated.a "
            "$D/build/models && { cp -rp --parents build/obj/sim/core build/obj/sim/observe/cycles $D 2>/dev/null || "
            "true; }"),
        0);
    shell_put("scripts/slots", "# a comment\nADDER adder WIDTH=4\nOTHER other\nGONE gone\n");
    put_adder("rtl/adder.v", "adder", "1");
    put_adder("rtl/other.v", "other", "9");
    shell_put("rtl/top.v", "`default_nettype none\n`include \"slots.vh\"\nmodule top (\n    input  wire [7:0] a,\n    "
                           "output wire [7:0] b\n);\n"
                           "    `ADDER #(.WIDTH(8)) one (.a(a), .sum(b));\nendmodule\n`default_nettype wire\n");
    put_adder("rtl/alone.v", "alone", "7");
    put_adder("mine/adds_two.v", "adds_two", "2");
    put_adder("mine/adds_three.v", "adds_three", "3");
    shell_put("tb/contract/adder/models", "slot_adder ADDER\nadder_as_it_is adder\nadds_nine top ADDER=other\n");
    /* prints what each model adds to 0; the contract is to add less than 5 */
    shell_put(
        "tb/contract/adder/test_adder_contract.c",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include \"adder.h\"\n#include "
        "\"adder_as_it_is.h\"\n#include "
        "\"adds_nine.h\"\n"
        "#include \"alone.h\"\n#include \"slot_adder.h\"\n#include \"top.h\"\n"
        "#define ADDS(type, in, out) { type *m = type##_new(s, #type); *m->in = 0; sim_model_eval(m->model);\\\n"
        "    printf(#type \" adds %d\\n\", *m->out); slot = *m->out; }\n"
        "int main(void)\n{\n    sim_params p;\n    sim_params_default(&p);\n    sim *s = sim_new(&p);\n    int slot;\n"
        "    ADDS(top, a, b) ADDS(adder, a, sum) ADDS(adder_as_it_is, a, sum) ADDS(alone, a, sum) ADDS(adds_nine, a, "
        "b) ADDS(slot_adder, "
        "a, sum)\n"
        "    printf(\"CASE is %s\\n\", getenv(\"CK_RUN_CASE\") ? getenv(\"CK_RUN_CASE\") : \"none\");\n"
        "    printf(\"size\\t8\\nchecking\\t8\\t8 bits\\tadds\\n\");\n"
        "    if (slot < 5) printf(\"kept\\t8\\t8 "
        "bits\\t1234567\\t%d\\t4\\tsums\\trtl/adder.v\\t%d.50\\t%d\\t12.5\\n\", slot, slot, 2 * "
        "slot);\n"
        "    else if (slot == 6) printf(\"broken\\t8\\t8 bits\\tadds\\tsmall sums\\t7\\t0.070\\tadds %d, limit "
        "4\\trtl/adder.v\\n\", "
        "slot);\n"
        "    else fflush(stdout), abort();\n"
        "    printf(\"100%%: Checks: 1, Failures: %d, Errors: 0\\n\", slot >= 5);\n    return slot >= 5;\n}\n");
}

TEST_CASE("slots", .timeout = 600, .setup = setup, .teardown = shell_clean);

TEST(a_block_in_a_slot_is_in_every_model_that_holds_the_slot)
{
    says(0, "top adds 1\nadder adds 1\nadder_as_it_is adds 1\nalone adds 7\nadds_nine adds 9\nslot_adder adds 1\n",
         "make test TEST=tb/contract/adder && cat build/log/tb/contract/adder/test_adder_contract.log");
    says(0, "top adds 2\nadder adds 1\nadder_as_it_is adds 1\nalone adds 7\nadds_nine adds 9\nslot_adder adds 2\n",
         "make test TEST=tb/contract/adder ADDER=adds_two RTL=mine" SEE("*"));
    ck_output_has("MODEL   top (ADDER=adds_two)");
    ck_output_lacks("MODEL   alone");

    /* back and forth: nothing is built again */
    says(0, "top adds 1\n",
         "make test TEST=tb/contract/adder && cat build/log/tb/contract/adder/test_adder_contract.log");
    ck_output_lacks("MODEL");
    ck_output_lacks("LINK");
    says(0, "top adds 2\n", "make test TEST=tb/contract/adder ADDER=adds_two RTL=mine" SEE("*"));
    ck_output_lacks("MODEL");
    ck_output_lacks("LINK");

    /* the block is changed */
    put_adder("mine/adds_two.v", "adds_two", "4");
    says(0, "top adds 4\nadder adds 1\nadder_as_it_is adds 1\nalone adds 7\nadds_nine adds 9\nslot_adder adds 4\n",
         "make test TEST=tb/contract/adder ADDER=adds_two RTL=mine" SEE("*"));

    /* the block of a line of `models` is changed; it is the same whatever the variable says */
    put_adder("rtl/other.v", "other", "8");
    says(0, "adds_nine adds 8\nslot_adder adds 4\n",
         "make test TEST=tb/contract/adder ADDER=adds_two RTL=mine" SEE("*"));

    /* a part of the block in the same folder; a warning in it does not stop the build */
    put_adder("mine/part.v", "part", "16'd3");
    shell_put("mine/of_parts.v",
              "module of_parts #(parameter WIDTH = 8) (input [WIDTH-1:0] a, output [WIDTH-1:0] sum);\n"
              "    part #(.WIDTH(WIDTH)) inner (.a(a), .sum(sum));\nendmodule\n");
    says(0, "top adds 3\n", "make contract YOSYS=no_yosys SLOT=adder BLOCK=of_parts RTL=$D/mine" SEE("*of_parts*"));
    int warnings = 0; /* which several models have: each place is named once */
    for (const char *at = shell_output; (at = strstr(at, "%Warning-WIDTH")) != NULL;
         at++, warnings++) { /* or WIDTHEXPAND, from 5.012 on */
        char place[200];
        snprintf(place, sizeof place, "%.*s", (int)(strcspn(at, " ") + 1 + strcspn(strchr(at, ' ') + 1, " ")), at);
        ck_assert_ptr_null(strstr(at + 1, place));
    }
    ck_assert_int_gt(warnings, 0);

    /* a block around the default one, in a file that is called otherwise */
    shell_put("mine/round.v", "module round_it #(parameter WIDTH = 8) (input [WIDTH-1:0] a, output [WIDTH-1:0] sum);\n"
                              "    adder #(.WIDTH(WIDTH)) inner (.a(a + 1'b1), .sum(sum));\nendmodule\n");
    says(0, "top adds 2\n",
         "make contract YOSYS=no_yosys SLOT=adder BLOCK=round_it RTL=mine/round.v" SEE("*round_it*"));
}

TEST(make_contract_checks_one_module)
{
    put_adder("mine/adds_six.v", "adds_six", "6");
    put_adder("mine/adds_seven.v", "adds_seven", "7");
    fails("adds_six breaks the contract of adder (rtl/adder.v)\n    rule     small sums\n    size     8 bits\n"
          "    clock    7 of adds (seed 1)\n    found    adds 6, limit 4\n    waves    "
          "build/waves/contract-adder-8.fst, which ends at "
          "0.070 us\n"
          "    again    make contract SLOT=adder BLOCK=adds_six RTL=mine/adds_six.v SIZE=8\n",
          "make contract SLOT=adder BLOCK=adds_six RTL=mine/adds_six.v");
    ck_output_has("verdict in ");
    fails("adds_seven breaks the contract of adder\n    rule     the simulation goes on\n    size     8 bits\n",
          "make contract SLOT=adder BLOCK=adds_seven RTL=mine/adds_seven.v");
    says(0, "adder keeps the contract of adder: 1 234 567 sums in 1 size; longest wait 1 sums of others (limit 4)\n",
         "make contract SLOT=adder");
    ck_output_lacks("waves");

    /* results, alone or next to the default; without Yosys there is no size */
    ck_output_has("  measured  ");
    ck_output_has("  1.50, most 2\n");
    ck_output_lacks("default: ");
    says(0, "2.50, most 4    1.50, most 2\n", "make contract SLOT=adder YOSYS=no_yosys BLOCK=adds_two RTL=mine");
    ck_output_has("default: adder\n");
    ck_output_has("no LUTs and flip-flops: there is no no_yosys");

    fails("CLOCKS=some: expected a number", "make contract SLOT=adder CLOCKS=some");
    fails("there is no suite in tb/contract/other", "make contract SLOT=other");
    fails("SLOT=ader: expected one of adder other gone", "make contract SLOT=ader BLOCK=adds_two RTL=mine");
    fails("BLOCK=adds_two: means something for make contract and compare only", "make test BLOCK=adds_two");
}

TEST(synthesis_takes_a_module_of_ones_own)
{
    says(0, "synth: adds_two: ", "make synth MODULE=adds_two RTL=mine");
    says(2, "synth: there is no module adds_none below rtl/", "make synth MODULE=adds_none RTL=mine");
}

/* ---- refusals by slots.py itself ---- */

#define HEAD(name) "module " name " #(parameter WIDTH = 8)"

static const struct {
    const char *block, *message;
} misfits[] = {
    {HEAD("x") "(input [WIDTH-1:0] a, output [WIDTH-1:0] total); assign total = a; endmodule\n",
     "port sum is missing (output, 8 bits)"},
    {HEAD("x") "(input [WIDTH-1:0] a, output [WIDTH-1:0] total); assign total = a; endmodule\n",
     "port total (output, 8 bits) is none of the slot"},
    {HEAD("x") "(input [WIDTH-1:0] a, output sum); assign sum = a[0]; endmodule\n",
     "port sum has 1 bit, expected 8 bits"},
    {HEAD("x") "(input [WIDTH-1:0] a, input [WIDTH-1:0] sum); endmodule\n", "port sum is an input, expected an output"},
    {HEAD("x") "(input [WIDTH-1:0] a, inout [WIDTH-1:0] sum); endmodule\n", "port sum is an inout, expected an output"},
    {HEAD("x") "(input clk, input [WIDTH-1:0] a, output [WIDTH-1:0] sum); assign sum = a; endmodule\n",
     "port clk (input, 1 bit) is none of the slot"},
    {HEAD("x") "(input [7:0] a, output [7:0] sum); assign sum = a; endmodule\n", "port a has 8 bits, expected 4 bits"},
    {"module x #(parameter BITS = 8) (input [BITS-1:0] a, output [BITS-1:0] sum); assign sum = a; endmodule\n",
     "parameter WIDTH is missing"},
    {HEAD("x") "(input [WIDTH-1:0] a, output [WIDTH-1:0] sum); assign sum = a + ; endmodule\n", "x.v cannot be read"},
    {HEAD("y") "(input [WIDTH-1:0] a, output [WIDTH-1:0] sum); assign sum = a; endmodule\n",
     "mine/x.v holds no module x"},
};

TEST(a_block_that_does_not_fit_is_refused_by_the_names_of_its_ports, .to = COUNT(misfits))
{
    shell_put("mine/x.v", misfits[_i].block);
    fails(misfits[_i].message, "RTL=mine " SLOTS "ADDER=x");
    ck_output_has("ADDER=x");
    if (_i == 0) { /* and make stops with it, before anything is built */
        fails(misfits[_i].message, "make test TEST=tb/contract ADDER=x RTL=mine; s=$?; ls build/models; exit $s");
        ck_output_has("stopped: ADDER=x cannot be used");
        ck_output_lacks("MODEL");
    }
}

TEST(a_port_by_its_old_name_is_answered_with_the_new_one)
{
    ck_assert_int_eq(shell_says("cp -r --parents rtl/common rtl/switch/crosspoint.v $D && sed 's/poisoned/spoiled/g; "
                                "s/module crosspoint/module x/' rtl/switch/crosspoint.v >$D/mine/x.v"),
                     0);
    shell_put("scripts/slots", "CROSSPOINT crosspoint\n");
    fails("port wr_spoiled is called wr_poisoned now", "RTL=mine " SLOTS "CROSSPOINT=x");
    ck_output_has("port rd_spoiled is called rd_poisoned now");
    ck_output_lacks("missing");
    ck_output_lacks("none of the slot");
}

TEST(order_of_ports_and_more_parameters_do_not_matter)
{
    shell_put(
        "mine/x.v",
        "module x #(parameter EXTRA = 1, parameter WIDTH = 8) (output reg [WIDTH-1:0] sum, input wire [1:WIDTH] a);\n"
        "    always @* sum = a + EXTRA; endmodule\n");
    says(0, "build/slots/adder-x-", "RTL=mine " SLOTS "ADDER=x");
}

TEST(what_is_not_there_is_refused)
{
    fails("ADDER=nobody: there is no module nobody below rtl/ or tb/", SLOTS "ADDER=nobody");
    fails("in RTL=mine", "RTL=mine " SLOTS "ADDER=nobody");
    fails("RTL=nowhere: there is no nowhere", "RTL=nowhere " SLOTS "ADDER=adds_two");
    fails("its default block gone is not in this tree", "RTL=mine " SLOTS "GONE=adds_two");
    fails("expected the name of a Verilog module", "RTL=mine " SLOTS "'ADDER=adds two'");
    put_adder("mine/alone.v", "alone", "5");
    fails("mine/alone.v has the name of rtl/alone.v and fills no slot", "RTL=mine " SLOTS "ADDER=adds_two");
}

TEST(slots_and_the_blocks_that_ship_for_them_are_found)
{
    shell_put("rtl/adder_fast.v", "// Adder, fast (S9): what it is for.\nmodule adder_fast; endmodule\n");
    fails("its default block gone is not in this tree", SLOTS "--list");
    ck_output_has("ADDER: contract in head of rtl/adder.v\n    adder ");
    ck_output_has("    adder_fast                   Adder, fast\nOTHER: ");
    says(0, "adder rtl/adder.v\nadder_fast rtl/adder_fast.v\n", SLOTS "--blocks adder");
    fails("SLOT=ader: expected one of adder other gone", "make compare SLOT=ader");
}

TEST(a_copy_of_the_default_may_keep_its_name)
{
    put_adder("mine/adder.v", "adder", "3");
    says(0, "top adds 3\nadder adds 1\nadder_as_it_is adds 1\nalone adds 7\nadds_nine adds 9\nslot_adder adds 3\n",
         "make test TEST=tb/contract/adder ADDER=adder RTL=mine" SEE("*"));
}

TEST(a_variable_that_make_does_not_know_is_refused)
{
    fails("unknown variable ADDERR", "make test ADDERR=adds_two RTL=mine");
    ck_output_has("the nearest to ADDERR: ADDER;");
    fails("unknown variable NODS SCENARO", "make help NODS=4 SCENARO=uniform");
    ck_assert_int_eq(run("make help SEED=4 JOBS=1 V=1 CFLAGS='-O1 -g' FILE=/dev/null"), 0);
}

/* The slots that there are: each has a suite with a row in its README, takes its default block under another name, and
 * refuses one that calls its reset otherwise. */
TEST(every_slot_has_a_suite_and_refuses_other_ports)
{
    ck_assert_int_eq(shell_says("cp -r rtl tb $D && cp scripts/slots $D/scripts && sed '/^#/d' scripts/slots >$D/list"),
                     0);
    ck_assert_int_eq(run("while read -r v m p; do [ -e tb/contract/$m/test_${m}_contract.c ] || echo no suite for $m\n"
                         "grep -q \"^[*] .$m.:\" tb/contract/README.md || echo no row for $m; done <list"),
                     0);
    ck_assert_str_eq(shell_output, "");
    ck_assert_int_eq(
        run("while read -r v m p; do f=$(find rtl -name $m.v)\nsed \"s/^module $m /module same /\" $f >mine/same.v\n"
            "RTL=mine/same.v " SLOTS "$v=same >/dev/null\n"
            "sed 's/\\([^.]\\)\\<\\(wr_\\)\\?rst\\>/\\1reset/g; s/\\([^.]\\)\\<clear\\>/\\1reset/g; "
            "s/^module same /module odd /' mine/same.v >mine/odd.v\n"
            "RTL=mine/odd.v " SLOTS "$v=odd | grep . ; done <list"),
        1);
    unsigned refused = 0, slots;
    for (const char *at = shell_output; (at = strstr(at, "rst is missing (input, 1 bit)")) != NULL; at++) refused++;
    for (const char *at = shell_output; (at = strstr(at, "clear is missing (input, 1 bit)")) != NULL; at++) refused++;
    ck_output_lacks("=same");
    ck_assert_int_eq(shell_says("wc -l <$D/list"), 0);
    slots = (unsigned)strtoul(shell_output, NULL, 10);
    ck_assert_uint_eq(refused, slots);
}
