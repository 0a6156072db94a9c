/* make block: its files pass at once and catch faults; its refusals. In a small tree of its own below /tmp. Modules of
 * third parties are in theirs/. */
#include "shell.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* Runs a shell command in the tree, with a make that knows nothing of the one around it. */
#define IN_TREE "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES SIM_WAVES SIM_CYCLES CK_RUN_CASE; cd $D; "
#define says(code, text, ...) ck_shell_says(code, text, IN_TREE __VA_ARGS__)
#define fails(text, ...) ck_shell_fails(text, IN_TREE __VA_ARGS__)

/* Compiled objects of the runtime are copied as well. */
static void setup(void)
{
    ck_assert_int_eq(
        shell_says(
            "mkdir -p $D/rtl/common $D/tb/unit $D/sim/bin $D/sw $D/build/models && "
            "cp -rp scripts Makefile $D && cp rtl/README.md $D/rtl && cp rtl/common/fifo_sync.v $D/rtl/common && "
            "cp --parents $(find rtl -name registers.map) sim/model/*/*_rules.h sw/driver/nx_program.h $D && "
            "cp --parents sim/traffic/workload/option.[ch] $D && "
            "cp -rp --parents sim/core sim/observe/cycles sim/model/host $D && cp -p sim/bin/nicxbar-cycles.c "
            "$D/sim/bin && "
            "cp -p tb/*.[ch] $D/tb && cp -r tb/unit/runtime/theirs $D && "
            "cp -p build/nicxbar $D/build && cp -rp build/models/verilated build/models/libverilated.a $D/build/models "
            "&& "
            "{ cp -rp --parents build/obj/sim/core build/obj/sim/observe/cycles build/obj/sim/model/host $D "
            "2>/dev/null || true; }"),
        0);
}

TEST_CASE("block", .timeout = 600, .setup = setup, .teardown = shell_clean);

TEST(a_new_block_is_good_at_once)
{
    says(0, "block: rtl/blocks/my_stage.v\n", "make block NAME=my_stage");
    ck_output_has("block: tb/unit/my_stage/test_my_stage.c\n");
    says(0, "100%: Checks: 6, Failures: 0, Errors: 0", "make test TEST=tb/unit/my_stage");
    says(0, "every_word_comes_out_once_and_in_order:3\n", "make cycles TEST=tb/unit/my_stage");
    ck_output_has(
        "\ndut.my_stage  my_stage    5067  98.7    0.0   1.3     5000   986.78    1    1    1    1     -     -  -\n");
    says(0, "compared with the base: 6 instances, 0 values have moved by more than 5",
         "mv build/cycles.json base.json && make cycles TEST=tb/unit/my_stage BASE=base.json");
    says(2, "--base base.json: is of another system", "make cycles TEST=tb/unit/my_stage BASE=base.json SEED=7");
    says(2, "nicxbar-cycles: sort size: expected name, busy, stalled, ", "build/nicxbar-cycles --sort size base.json");
    says(2, "nicxbar-cycles: threshold -1: expected a number from 0 to 1000",
         "build/nicxbar-cycles base.json --threshold -1");
    says(2, "nicxbar-cycles: --treshold: expected an option; --help", "build/nicxbar-cycles --treshold 1 base.json");
    says(2, "nicxbar-cycles: expected one file; --help says more", "build/nicxbar-cycles base.json base.json");
    says(0, " RESULT                    result of make cycles", "build/nicxbar-cycles --help");
    says(0, "\ndut.my_stage  my_stage    5067  98.7 ", "build/nicxbar-cycles --sort=busy base.json --base base.json");
    says(0, "lint: 2 Verilog files, no warning", "make lint");
    says(0, "synth: my_stage: ", "make synth MODULE=my_stage");
    ck_output_has(" 33 flip-flops, 0 block RAMs, no latches");

    /* waves: of every file of the test, with all signals */
    says(0, "waves: build/waves/tb-unit-my_stage-test_my_stage-6.fst\n", "make test TEST=tb/unit/my_stage WAVES=1");
    shell_put("gtkwave", "#!/bin/sh\necho \"opens $*\"\n");
    says(0,
         "-f build/waves/tb-unit-my_stage-test_my_stage-6.fst -a build/waves/tb-unit-my_stage-test_my_stage-6.gtkw\n",
         "chmod +x gtkwave; DISPLAY=:0 scripts/wave.sh ./gtkwave build/waves/tb-unit-my_stage-test_my_stage-6.fst");
    says(0, "12 signals\n",
         "n=0; for s in $(sed -n 's/^dut[.]my_stage[.]//p' tb/unit/my_stage/*.gtkw); do "
         "grep -Eq \"(input|output|wire).* ${s%%[*}( +=|,|$)\" rtl/blocks/my_stage.v || echo no $s; n=$((n + 1)); "
         "done; echo $n signals");
    ck_output_lacks("no ");

    /* not twice, and nothing is touched */
    says(2, "NAME=my_stage is a module that is there (rtl/blocks/my_stage.v); expected another name",
         "make block NAME=my_stage");
    says(0, "rtl/switch/other_stage.v\n", "make block NAME=other_stage FOLDER=rtl/switch/ && ls rtl/switch/*.v");
    says(2, "FOLDER=rtl/mine: expected one of those in rtl/README.md: rtl/common ",
         "make block NAME=third_stage FOLDER=rtl/mine");
    ck_assert_int_ne(shell_says(IN_TREE "ls rtl/mine tb/unit/third_stage build/block"), 0);
}

/* The module with a fault, which it reads from the file `fault`, and the expected failure of its test. */
static const struct {
    const char *message;
} faults[] = {
    {"100%: Checks: 6, Failures: 0, Errors: 0"}, /* none */
    {"comes out, expected"},                     /* the 100th word is lost */
    {"comes out, expected"},                     /* comes twice */
    {"comes out, expected"},                     /* has a wrong bit */
    {"the word behind the block has gone, and nobody took it"},
    {"the word behind the block has changed"},
    {"Assertion 'b->in == 1000' failed"},  /* a clock of pause after each word */
    {"reset_forgets_what_is_in_it"},       /* reset forgets nothing */
    {"and all that went in has come out"}, /* a word comes out of nothing */
};

static const char *const faulty =
    "`default_nettype none\nmodule my_stage #(parameter WIDTH = 32) (\n    input wire clk, input wire rst, input wire "
    "in_valid,\n"
    "    output wire in_ready, input wire [WIDTH-1:0] in_data, output reg out_valid, input wire out_ready,\n"
    "    output reg [WIDTH-1:0] out_data);\n"
    "    integer fault, file, code;\n    reg [31:0] words;\n    reg again;\n"
    "    initial begin file = $fopen(\"fault\", \"r\"); code = $fscanf(file, \"%d\", fault); $fclose(file); words = 0; "
    "end\n"
    "    wire that = words == 100;\n"
    "    assign in_ready = !rst && (!out_valid || out_ready) && !again && !(fault == 6 && out_valid);\n"
    "    wire take = in_valid && in_ready;\n"
    "    always @(posedge clk) begin\n"
    "        again <= !rst && fault == 2 && take && that;\n        if (take) words <= words + 1;\n"
    "        if (rst) begin if (fault != 7) out_valid <= 0; end\n"
    "        else if (again) begin if (out_ready) again <= 0; else again <= 1; end\n"
    "        else if (in_ready || out_ready) out_valid <= (take && !(fault == 1 && that)) || (fault == 8 && that);\n"
    "        else if (fault == 4) out_valid <= 0;\n"
    "        if (take) out_data <= in_data ^ {{WIDTH-1{1'b0}}, fault == 3 && that};\n"
    "        else if (fault == 5) out_data <= ~out_data;\n"
    "    end\nendmodule\n`default_nettype wire\n";

TEST(its_test_catches_faults)
{
    says(0, "block: ", "make block NAME=my_stage");
    shell_put("rtl/blocks/my_stage.v", faulty);
    says(0, "LINK",
         "sed -i 's/^`verilator_config/&\\nlint_off -rule WIDTH\\nlint_off -rule UNUSEDSIGNAL/' scripts/lint.vlt; "
         "make build/tb/unit/my_stage/test_my_stage");
    for (int i = 0; i < COUNT(faults); i++) {
        shell_says(IN_TREE "echo %d >fault; build/tb/unit/my_stage/test_my_stage", i);
        ck_output_has(faults[i].message);
    }
}

static const struct {
    const char *name, *message;
} names[] = {
    {"", "expected NAME=name"},
    {"Stage", "is no name of a module here"},
    {"9lives", "is no name of a module here"},
    {"a-b", "is no name of a module here"},
    {"two words", "is no name of a module here"},
    {"a__b", "has __ in it"},
    {"wire", "is a word of Verilog"},
    {"logic", "is a word of SystemVerilog"},
    {"register", "is a word of"},
    {"namespace", "is a word of"},
    {"fifo_sync", "is a module that is there (rtl/common/fifo_sync.v)"},
    {"write", "means something in C already (/usr/include/unistd.h:"},
    {"linux", "is a word of C or C++"},
    {"bench", "means something in C already"},
    {"host", "is that of sim/model/host/host."},
    {"taken", "is a folder that is there (tb/unit/taken)"},
    {"small_fifo", "is a configuration in tb/unit/taken/models"},
    {"two_of_them", "is a module in rtl/common/both.v"},
};

TEST(a_name_that_is_bad_or_taken_is_refused)
{
    shell_says("mkdir $D/tb/unit/taken");
    shell_put("tb/unit/taken/models", "small_fifo fifo_sync LOG2_DEPTH=2\n");
    shell_put("rtl/common/both.v", "module both; endmodule\nmodule two_of_them (input a); endmodule\n");
    for (int i = 0; i < COUNT(names); i++) {
        if (i < 2 || strstr(names[i].name, " ")) says(2, names[i].message, "make block NAME='%s'", names[i].name);
        else says(1, names[i].message, "${PYTHON:-python3} -S scripts/tool.py block %s", names[i].name);
        if (i) ck_output_has("; expected another name\n");
    }
    ck_assert_int_eq(shell_says(IN_TREE "ls rtl/blocks 2>/dev/null; find tb/unit -type f"), 0);
    ck_assert_str_eq(shell_output, "tb/unit/taken/models\n");
}

/* ---- modules of third parties ---- */

/* Added behind the empty tests that were made for them. */
static const char *const order = "TEST(words_come_out_in_order_and_reset_needs_no_clock)\n{\n"
                                 "    for (int i = 0; i < 8; i++) {\n        ck_assert_uint_eq(*m->full, 0);\n        "
                                 "*m->din = (uint8_t)(3 * i + 1);\n"
                                 "        *m->we = 1;\n        run_clocks(s, clocks[0], 1);\n    }\n    "
                                 "ck_assert_uint_eq(*m->full, 1);\n    *m->we = 0;\n"
                                 "    *m->re = 1;\n"
                                 "    for (int i = 0; i < 5; i++) {\n        ck_assert_uint_eq(*m->dout, 3 * i + 1);\n "
                                 "       run_clocks(s, clocks[0], 1);\n    }\n"
                                 "    ck_assert_uint_eq(*m->empty, 0);\n    *m->rst = 0;\n    "
                                 "sim_model_eval(m->model);\n    ck_assert_uint_eq(*m->empty, 1);\n}\n";
static const char *const wide =
    "TEST(the_word_on_model_is_chosen)\n{\n"
    "    *m->new_ = *m->static_ = 1;\n    *m->class_ = 5;\n    m->model_[0] = 0x12345678;\n    m->model_[9] = 0xabc;\n"
    "    m->S__DATA[9] = 0x111;\n    run_clocks(s, clocks[0], 1);\n    ck_assert_uint_eq(m->M_DATA[0], 0x12345678);\n"
    "    ck_assert_uint_eq(m->M_DATA[9], 0xabc);\n    ck_assert_uint_eq(*m->virtual_, 5);\n    *m->static_ = 0;\n"
    "    run_clocks(s, clocks[0], 1);\n    ck_assert_uint_eq(m->M_DATA[9], 0x111);\n"
    "    ck_assert_str_eq(sim_model_port(m->model, \"class\")->name, \"class\");\n}\n";
/* Rises of sclk at 100, 200 ... ns, falls at 150, 250 ...; rises of mclk at 5, 15 ... ns. */
static const char *const edges =
    "TEST_CASE(\"edges\");\n\nTEST(what_happens_at_falling_edges_is_seen_half_a_period_later)\n{\n"
    "    s = quiet_sim(0);\n    m = MODEL_AS(pads, make_model(s, &pads_config, \"dut\"), NULL);\n    "
    "clear_inputs(m->model);\n"
    "    sim_model_clock(m->model, make_clock(s, \"sclk\", 100 * SIM_NS, 100 * SIM_NS), m->sclk);\n"
    "    sim_model_clock(m->model, make_clock(s, \"mclk\", 10 * SIM_NS, 5 * SIM_NS), m->mclk);\n"
    "    *m->areset_n = 1;\n    sim_model_eval(m->model);\n    *m->areset_n = 0;\n    sim_run(s, 96 * SIM_NS);\n    "
    "ck_assert_uint_eq(*m->count, 3);\n"
    "    *m->areset_n = *m->enable = 1;\n    *m->pad_i = 10;\n    *m->pad_ie = 12;\n"
    "    sim_run(s, 152 * SIM_NS);\n"
    "    ck_assert_uint_eq(*m->seen, 8);\n    ck_assert_uint_eq(*m->pad, 8);\n    ck_assert_uint_eq(*m->on_fall, 8);\n"
    "    ck_assert_uint_eq(*m->gated, 5);\n"
    "    *m->enable = *m->pad_ie = 0;\n    *m->oe = 1;\n    *m->d = 5;\n"
    "    sim_run(s, 248 * SIM_NS);\n"
    "    ck_assert_uint_eq(*m->pad, 5);\n    ck_assert_uint_eq(*m->on_fall, 8);\n    ck_assert_uint_eq(*m->on_rise, "
    "8);\n"
    "    sim_run(s, 252 * SIM_NS);\n"
    "    ck_assert_uint_eq(*m->seen, 18);\n    ck_assert_uint_eq(*m->on_fall, 5);\n    ck_assert_uint_eq(*m->on_rise, "
    "8);\n"
    "    sim_run(s, 302 * SIM_NS);\n    ck_assert_uint_eq(*m->on_rise, 5);\n    ck_assert_uint_eq(*m->gated, 5);\n}\n";

static void append(const char *file, const char *text)
{
    FILE *f = shell_file(file, "a");
    fputs(text, f);
    fclose(f);
}

TEST(modules_of_others_are_bound_as_they_are)
{
    says(0, "block: tb/unit/oc_fifo_top/parts/oc_ram.v\n",
         "make block FROM=theirs/oc_fifo.v && cmp theirs/oc_fifo.v tb/unit/oc_fifo_top/oc_fifo_top.v");
    ck_output_has("block: tb/unit/oc_fifo_top/parts/oc_fifo_defines.vh\n");
    ck_output_has("    built, and its empty test has run\n");
    ck_output_has("Verilator's warnings are waived in tb/unit/oc_fifo_top/oc_fifo_top.vlt: WIDTH");
    says(0, "the port class is class_ in C\n", "make block FROM=$D/theirs/wide_select.v NAME=wide");
    ck_output_has("the port int is int_ in C\n");
    ck_output_has("the port model is model_ in C\n");
    says(2, "a value is missing; expected PARAMETERS='WIDTH=...'\n", "make block FROM=theirs/serial_pads.v NAME=pads");
    says(0, "the port pad is inout: pad, pad_i, pad_ie in C\n",
         "make block FROM=theirs/serial_pads.v NAME=pads PARAMETERS='WIDTH=4 START=3'");
    append("tb/unit/oc_fifo_top/test_oc_fifo_top.c", order);
    append("tb/unit/wide/test_wide.c", wide);
    append("tb/unit/pads/test_pads.c", edges);
    says(0, "\n100%: Checks: 6, Failures: 0, Errors: 0", "make test TEST=tb/unit");
    ck_output_lacks("%Warning");

    /* waves: with all clocks falling half way, the same */
    says(0, "100%: Checks: 2, Failures: 0, Errors: 0", "make test TEST=tb/unit/pads WAVES=1");
    ck_output_has("build/waves/tb-unit-pads-test_pads.fst\n");
    says(0, "\ndut.wide_pins.class[0:3]\n", "sed s/WIDE_SELECT_V1_0/wide_pins/ tb/unit/wide/test_wide.gtkw");
    says(0, "\ndut.pads_pins.pad_ie[3:0]\n", "cat tb/unit/pads/test_pads.gtkw");

    /* cycles: eight words in, five out; a part may become a block, and is shared from then on */
    says(0, "\ndut.oc_fifo_top ", "make cycles TEST=tb/unit/oc_fifo_top");
    ck_output_has("oc_fifo_top has no probes: counted by handshakes of we, re\n");
    ck_output_has("oc_ram has no probes: counted by changes of its outputs, without a handshake\n");
    says(0, "block: tb/unit/oc_ram/test_oc_ram.c\n", "make block FROM=theirs/oc_ram.v");
    shell_put("theirs/oc_pair.v",
              "module oc_pair (input clk, we, input [2:0] a, input [7:0] d, output [15:0] q);\n"
              "    oc_ram low (clk, a, d, we, a, q[7:0]);\n    oc_ram high (clk, a, ~d, we, a, q[15:8]);\nendmodule\n");
    says(0, "block: shares tb/unit/oc_ram/oc_ram.v\n",
         "make block FROM=theirs/oc_pair.v && ! ls tb/unit/oc_pair/parts");

    /* without the waiver: shown once each, and no more than that */
    says(0, ": tb/unit/oc_fifo_top/oc_fifo_top.v:27:",
         "rm tb/unit/oc_fifo_top/oc_fifo_top.vlt; make test TEST=tb/unit/oc_fifo_top && echo all good");
    ck_output_has("all good\n");
    ck_assert_ptr_eq(strstr(strstr(strstr(shell_output, "%Warning-") + 1, "%Warning-") + 1, "%Warning-"), NULL);
}

static const struct {
    const char *variables, *message;
} foreign_faults[] = {
    {"FROM=theirs/nothing.v", "FROM=theirs/nothing.v: no such file"},
    {"FROM=theirs/oc_fifo_defines.vh", "expected a file of Verilog, *.v"},
    {"FROM=theirs/oc_ram.v NAME=fifo_sync", "NAME=fifo_sync is a module that is there"},
    {"FROM=theirs/oc_ram.v PARAMETERS='aw 3'", "aw: expected NAME=VALUE"},
    {"FROM=theirs/oc_ram.v PARAMETERS='depth=3'", "Verilator cannot read it"},
    {"FROM=theirs/oc_ram.v FOLDER=rtl/switch", "FOLDER=rtl/switch: expected without FROM"},
    {"FROM=theirs/oc_ram.v PARAMETERS='aw=abc'",
     "aw=abc: expected a number, or a string as in aw=\"text\", without spaces"},
    {"FROM='theirs/oc_ram.v theirs/nothing'", "FROM=theirs/oc_ram.v theirs/nothing: theirs/nothing: no such file"},
    {"FROM=theirs/alone.v", "it uses what is in other folders; expected FROM='theirs/alone.v alone'\n"},
    {"FROM=theirs/nowhere.v", "Cannot find file containing module: 'oc_rom'"},
    {"FROM=theirs/several.v", "which one is meant? MODULE=name, one of two three"},
    {"FROM=theirs/several.v MODULE=four", "there is no module four in it"},
    {"FROM=theirs/reads.v", "theirs/reads.v:1 reads rom.hex ($readmem); expected a file theirs/rom.hex\n"},
    {"FROM=theirs/makes.v", "it reads it.hex while it runs; expected a file theirs/it.hex, or PLUSARGS"},
    {"FROM=theirs/bench.v", "bench has no ports, like a bench; expected the module that it tests\n"},
    {"FROM=theirs/package.sv", "'their_pkg'"},
    {"FROM=theirs/errors.v", "... and 2 more errors\n"},
    {"FROM=theirs/ends.v", "it cannot be built, or its empty test (it comes out of reset and runs) fails"},
    {"NAME=mine MODULE=two", "MODULE=two: expected together with FROM=file.v"},
};

TEST(a_file_that_cannot_be_used_is_refused)
{
    shell_put("theirs/several.v",
              "module two (input a); one x (a); endmodule module one(input a); endmodule /* module five */\n"
              "module three (input a); endmodule // module four\n");
    ck_assert_int_eq(
        shell_says("mkdir $D/alone && mv $D/theirs/oc_fifo.v $D/theirs/alone.v && cp $D/theirs/oc_ram.v $D/alone"), 0);
    shell_put("theirs/nowhere.v", "module nowhere (input a);\n    oc_rom x (a);\nendmodule\n");
    shell_put("theirs/reads.v",
              "module reads (input clk); reg [7:0] m [0:3]; initial $readmemb(\"rom.hex\", m); endmodule\n");
    shell_put("theirs/makes.v", "module makes (input clk); reg [7:0] m [0:3]; reg [47:0] f; initial begin f = "
                                "\"it.hex\"; $readmemh(f, m); end endmodule\n");
    shell_put("theirs/bench.v", "module bench; reg clk; initial clk = 0; endmodule\n");
    shell_put("theirs/package.sv", "module a import their_pkg::*; (input logic b);\nendmodule\n");
    shell_put("theirs/ends.v", "module ends (input clk); initial $finish; endmodule\n");
    shell_says("{ echo 'module errors;'; seq 12 | sed 's/.*/    wire b& = $nothing&;/'; echo endmodule; } "
               ">$D/theirs/errors.v");
    for (int i = 0; i < COUNT(foreign_faults); i++) {
        if (strstr(foreign_faults[i].variables, "alone")) shell_says("rm $D/theirs/oc_ram.v");
        says(2, foreign_faults[i].message, "make block %s", foreign_faults[i].variables);
    }
    ck_assert_int_eq(shell_says(IN_TREE "find tb/unit rtl/blocks -type f 2>/dev/null | grep ."), 1);
}

/* SystemVerilog with a package, in two folders, one with a space in its name; a memory's file named by a parameter;
 * $value$plusargs. */
TEST(files_and_strings_reach_a_module_as_its_author_meant)
{
    shell_says("mkdir $D/'their s' $D/other; printf '41\\n42\\n43\\n44\\n' >$D/'their s'/rom.hex");
    shell_put("their s/a b.sv",
              "module reader import word_pkg::*; #(parameter FILE = \"none.hex\", TEXT = \"x\") (\n"
              "    input logic clk, input logic [1:0] at, output word_t q, output logic [7:0] text, offset);\n"
              "    word_t memory [0:3];\n"
              "    initial begin\n        $readmemh(FILE, memory);\n"
              "        if (!$value$plusargs(\"offset=%d\", offset)) offset = 8'd7;\n    end\n"
              "    assign text = TEXT;\n    register r (.clk, .d(memory[at]), .q);\nendmodule : reader\n");
    shell_put("other/word_pkg.sv", "package word_pkg;\n    typedef logic [7:0] word_t;\nendpackage : word_pkg\n");
    shell_put("other/register.sv",
              "module register (input logic clk, input word_pkg::word_t d, output word_pkg::word_t q);\n"
              "    always_ff @(posedge clk) q <= d;\nendmodule : register\n");
    says(2, "expected FROM='their s/a b.sv other'\n", "make block FROM='their s/a b.sv'");
    says(2, "their s/a b.sv:5 reads none.hex ($readmem); expected a file their s/none.hex\n",
         "make block FROM='their s/a b.sv other'");
    says(0, "block: tb/unit/reader_rom_hex_a/rom.hex\n",
         "make block FROM='their s/a b.sv other' PARAMETERS='FILE=\"rom.hex\" TEXT=\"A\"'");
    append("tb/unit/reader_rom_hex_a/test_reader_rom_hex_a.c",
           "#include <stdlib.h>\nTEST(it_has_read_its_file)\n{\n    *m->at = 1;\n    run_clocks(s, clocks[0], 2);\n"
           "    ck_assert_uint_eq(*m->q, 0x42);\n    ck_assert_uint_eq(*m->text, 'A');\n"
           "    ck_assert_uint_eq(*m->offset, getenv(\"PLUSARGS\") ? 9 : 7);\n}\n");
    says(0, "100%: Checks: 2, Failures: 0, Errors: 0", "make test TEST=tb/unit/reader_rom_hex_a");
    says(0, "100%: Checks: 2, Failures: 0, Errors: 0", "make test TEST=tb/unit/reader_rom_hex_a PLUSARGS=+offset=9");
    shell_says("rm $D/tb/unit/reader_rom_hex_a/rom.hex");
    says(2, "rom.hex: $readmem finds no such file; expected it in tb/unit/reader_rom_hex_a/ or here",
         "make test TEST=tb/unit/reader_rom_hex_a");
}
