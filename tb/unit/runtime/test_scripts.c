/* The scripts that build and check, each fed the fault it must catch. Everything happens in a folder below /tmp. */
#include "shell.h"
#include "test.h"

#include <string.h>

/* ---- lint.py, synth.py ---- */

#define LINT " ${PYTHON:-python3} -S scripts/tool.py lint"
#define SYNTH "${PYTHON:-python3} -S scripts/tool.py synth"

/* A module m around the given body, in the style of this project. */
static void put_module(const char *body)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "`default_nettype none\nmodule m (input wire clk, input wire [3:0] a, output reg [3:0] b);\n%s\nendmodule\n"
        "`default_nettype wire\n",
        body);
    shell_put("m.v", text);
}

#define GOOD_BODY "    always @(posedge clk) b <= a;"
#define OF_40 "1234567890123456789012345678901234567890"

TEST_CASE("scripts", .teardown = shell_clean);

TEST(lint_passes_a_clean_module)
{
    put_module(
        "    function [3:0] twice(input [3:0] n); reg [3:0] sum; begin sum = n + n; twice = sum; end endfunction\n"
        "    wire [3:0] n = twice(a), sum = n + 4'd1;\n    always @(posedge clk) b <= sum;");
    ck_shell_says(0, "lint: 1 Verilog files", "RTL=$D" LINT);
}

static const struct {
    const char *body, *message;
} lint_faults[] = {
    {"    always @(posedge clk) b <= c;", "c"},
    {"    always_ff @(posedge clk) b <= a;", "always_ff"},
    {"    always @(posedge clk) b <= a | '0;", "Icarus"},
    {"    always @(posedge clk) b <= a + 5'd1;", "WIDTH"},
    {"    always @* if (a[0]) b = a; // clk\n    wire unused = clk;", "LATCH"},
    {"    wire [3:0] n; sub s (.clk, .a(a), .n(n)); always @(posedge clk) b <= n;", ".name without ()"},
    {"    wire [3:0] n; sub s (.clk (clk), .a(a), .n (n)); always @(posedge clk) b <= n;", ".port (wire)"},
    {"    wire [3:0] n; sub #(.W (4)) s (.clk (clk), .a (a), .n (n)); always @(posedge clk) b <= n;", ".NAME(value)"},
    {"    wire [3:0] n; sub s (.*); always @(posedge clk) b <= n;", ".* connects"},
    {"    // verilator lint_off WIDTH\n    always @(posedge clk) b <= a + 5'd1;", "lint_off"},
    {"`timescale 1ns/1ps\n    always @(posedge clk) b <= a;", "`timescale"},
    {"    always @(posedge clk) b <= a; wire left_over = a[0];", "UNUSED"},
    {"    always @(posedge clk) b <= a;\nendmodule\nmodule n;", "2 modules"},
    {"    always @(posedge clk) b <= a; // \xc3\xa9", "not ASCII"},
    {GOOD_BODY "\n//" OF_40 OF_40 OF_40, "m.v:4: line of 122 characters, at most 120"},
    {"    localparam P = 0; integer i; always @* begin b = 4'd0; for (i = 0; i < 4; i = i + 1)\n if (P != 0 && a[i]) "
     "b[i] = clk; end",
     "always @* that a parameter can leave without a signal"},
    {"    always @(posedge clk) b <= n;\n    wire [3:0] n = a;", "m.v:3: n is used above its declaration in line 4"},
    {"    function [3:0] f(input [3:0] x); f = x & n; endfunction\n    wire [3:0] n = a; always @(posedge clk) b <= "
     "f(n);",
     "m.v:3: n is used"},
    {"    always @(posedge clk) b <= a & `MASK_OF_SUB;", "`MASK_OF_SUB is not defined in this file"},
};

TEST(lint_catches, .to = COUNT(lint_faults))
{
    put_module(lint_faults[_i].body);
    shell_put("sub.v", "`default_nettype none\n`define MASK_OF_SUB 4'd3\n"
                       "module sub (input wire clk, input wire [3:0] a, output reg [3:0] n);\n"
                       "    always @(posedge clk) n <= a;\nendmodule\n`default_nettype wire\n");
    ck_shell_says(1, lint_faults[_i].message, "RTL=$D" LINT);
}

/* A bench of a proof that names a port which its block has no more. */
TEST(lint_reads_benches_of_proofs)
{
    ck_assert_int_eq(shell_says("mkdir -p $D/rtl $D/tb/proofs $D/build/generated && cp -rp scripts $D"), 0);
    put_module(GOOD_BODY);
    shell_put("tb/proofs/prove_m.v", "module prove_m (input wire clk, output wire [3:0] bad);\n    m m (.clk (clk), .a "
                                     "(4'd0), .gone (bad));\nendmodule\n");
    ck_shell_says(1, "Icarus, benches of proofs: tb/proofs/prove_m.v:2: error: port ``gone'' is not a port of m.",
                  "mv $D/m.v $D/rtl && cd $D &&" LINT);
    ck_shell_says(0, "lint: 1 Verilog files", "cd $D && sed -i 's/gone/b/' tb/proofs/prove_m.v &&" LINT);
}

/* A queue whose writer does not look at its space, and lists that say nothing, too much, or what is not so. */
TEST(lint_wants_the_bound_of_what_is_written_blindly)
{
    static const struct {
        const char *list, *message;
    } each[] = {
        {"", "fill m.queue: q, in_valid / in_ready; expected an entry in tb/proofs/capacity"},
        {"ring q.words 4 writer in_ready", "fill m.queue: q"},
        {"fill m.queue 4 open no proof", "ring q.words: an array that is written at a pointer; expected an entry"},
        {"ring q.words 4 writer in_ready\nfill m.queue 4 proof holds_not",
         "tb/proofs/capacity:3: proof holds_not: expected proof NAMES"},
        {"ring q.words 4 writer other\nfill m.queue 4 proof fits", "tb/proofs/capacity:2: writer other: expected"},
        {"ring q.words 4 writer in_ready\nfill m.queue 4 proof fits\nfill m.pile 4 proof fits",
         "tb/proofs/capacity:4: fill m.pile: nothing"},
        {"ring q.words 4 writer in_ready\nfill m.queue 4 check q.N",
         "tb/proofs/capacity:3: check q.N: expected proof NAMES"},
        {"ring q.words 4 writer in_ready\nfill m.queue 4 check m.M",
         "tb/proofs/capacity:3: check m.M: expected proof NAMES"},
        {"ring q.words 4 check m.N\nfill m.queue 4 check m.N", NULL},
        {"full m.queue", "tb/proofs/capacity:2: full: expected chip"},
        {"ring q.words 4 writer in_ready\nfill m.queue 4 proof fits", NULL},
    };
    ck_assert_int_eq(shell_says("mkdir -p $D/rtl $D/tb/proofs $D/build/generated && cp -rp scripts $D"), 0);
    put_module("    wire ready, valid; wire [3:0] n;\n    q queue (.clk (clk), .in_valid (a[3]), .in_ready (ready), "
               ".in_data (a), "
               ".out_data (n));\n"
               "    wire unused = ready; always @(posedge clk) b <= n;\n"
               "    parameter N = 4; initial if (N < 4) $display(\"%m: N must be 4 at least, is %0d\", N);");
    shell_put(
        "rtl/q.v",
        "`default_nettype none\nmodule q (input wire clk, input wire in_valid, output wire in_ready,\n"
        "    input wire [3:0] in_data, output wire [3:0] out_data);\n    reg [3:0] words [0:3];\n    reg [2:0] at;\n"
        "    assign in_ready = !at[2], out_data = words[0];\n    always @(posedge clk)\n"
        "        if (in_valid && in_ready) begin words[at[1:0]] <= in_data; at <= at + 3'd1; end\nendmodule\n"
        "`default_nettype wire\n");
    shell_put("tb/proofs/proofs", "holds fits prove_q\nfails holds_not prove_q\n");
    shell_put("around.v",
              "/* verilator lint_off DECLFILENAME */\nmodule around; wire c, b; s s (.clk (c), .b (b)); endmodule\n"
              "module s (input wire clk, output reg [3:0] b);\n    reg [3:0] a; always @(posedge clk) a <= b;\n"
              "    m m (.clk (clk), .a (a), .b (b)); endmodule\n");
    for (size_t i = 0; i < COUNT(each); i++) {
        char list[512];
        snprintf(list, sizeof list, "chip s\n%s\n", each[i].list);
        shell_put("tb/proofs/capacity", list);
        ck_shell_says(each[i].message ? 1 : 0, each[i].message ? each[i].message : "",
                      "cd $D && { [ -e design ] || { mv m.v rtl && scripts/report.sh design -Wno-fatal -Wno-lint -y "
                      "rtl --top-module around "
                      "around.v; }; } && python3 scripts/capacity.py design");
    }
}

/* As clang-format, only where it is the version of Debian 12. */
TEST(lint_runs_shellcheck_of_debian_12)
{
    ck_assert_int_eq(
        shell_says(
            "mkdir -p $D/rtl $D/bin $D/build/generated && cp -rp scripts $D && rm $D/scripts/*.md && : >$D/README.md"),
        0);
    put_module(GOOD_BODY);
    shell_put("bin/shellcheck",
              "#!/bin/sh\n[ $1 = --version ] && echo version: 0.9.0 || ! echo \"$4:1:1: bad [SC1234]\"\n");
    ck_shell_says(1, "shellcheck: scripts/diskwall.sh:1:1: bad [SC1234]",
                  "chmod +x $D/bin/shellcheck; mv $D/m.v $D/rtl && cd $D && PATH=$D/bin:$PATH" LINT);
    ck_shell_says(0, "lint: 1 Verilog files",
                  "cd $D && sed -i 's/0.9.0/0.10.0/' bin/shellcheck; PATH=$D/bin:$PATH" LINT);
}

TEST(lint_wants_lines_of_120_columns)
{
    put_module(GOOD_BODY);
    shell_put("wide", OF_40 OF_40 OF_40 "\n" OF_40 OF_40 OF_40 ".\n");
    ck_shell_says(
        0, "8 too long",
        "cd $D && mkdir -p build/generated rtl sim tb/proofs && cp -rp $OLDPWD/scripts . && rm scripts/*.md && "
        ": >README.md && mv m.v rtl && for f in tb/wide.v scripts/wide.py scripts/wide.sh sim/wide.js "
        "sim/wide.css scripts/wide.in scripts/mk/wide.mk tb/proofs/proofs sim/wide.map; do cp wide $f; done;" LINT
        " >says; echo $(grep -c ':2: line of 121 characters, at most 120$' says) too long");
}

TEST(lint_wants_default_nettype_at_both_ends)
{
    shell_put("m.v", "module m (input wire a, output wire b);\n    assign b = a;\nendmodule\n`default_nettype wire\n");
    ck_shell_says(1, "`default_nettype none", "RTL=$D" LINT);
    shell_put("m.v", "`default_nettype none\nmodule m (input wire a, output wire b);\n    assign b = a;\nendmodule\n");
    ck_shell_says(1, "`default_nettype wire", "RTL=$D" LINT);
}

TEST(synthesis_counts_flip_flops_and_refuses_a_latch)
{
    put_module(GOOD_BODY);
    ck_shell_says(0, "m: 0 LUTs, 4 flip-flops, 0 block RAMs",
                  "RTL=$D " SYNTH " m; s=$?; rm -f build/synth-m.*; exit $s");
    put_module("    always @* if (clk) b = a;");
    ck_shell_says(1, "Assertion failed", "RTL=$D " SYNTH " m; s=$?; rm -f build/synth-m.*; exit $s");
}

TEST(sizes_of_other_blocks_do_not_take_the_place_of_the_default)
{
    put_module(GOOD_BODY);
    ck_assert_int_eq(
        shell_says("mkdir -p $D/slot/mine && touch $D/slot/search && echo \"M m $D/slot/mine/m.v\" >$D/slot/blocks && "
                   "sed 's/b <= a;/b[3:1] <= a[3:1];/' $D/m.v >$D/slot/mine/m.v"),
        0);
    ck_shell_says(2, "m: 0 LUTs, 3 flip-flops",
                  "rm -f build/synth-m.json; RTL=$D SLOT_FOLDER=$D/slot " SYNTH
                  " m && ls build/synth-m.* $D/slot/synth-m.json");
    ck_output_has("/slot/synth-m.json\n");
}

/* ---- bindings.py ---- */

/* Makes the binding of m.v and shows it. */
#define BIND                                                                                                           \
    "b=$PWD/scripts; p=${PYTHON:-python3}; f=\"--default-language 1364-2005 -Wno-fatal --top-module m -y . m.v\"; cd " \
    "$D && "                                                                                                           \
    "$b/report.sh m.design -Mdir x $b/probes.vlt $f >/dev/null && ${VERILATOR:-verilator} --cc --prefix Vm -Mdir cpp " \
    "$f "                                                                                                              \
    ">/dev/null && $p $b/bindings.py m m m.design . && cat m.h m_glue.cpp m.ports"

TEST(a_binding_has_the_type_that_holds_each_port)
{
    shell_put("m.v", "module m (input a, input [7:0] b, input [8:1] c, input [0:8] d, output [31:0] e, output [32:0] "
                     "f, input [64:0] g);\n"
                     "    assign e = {24'd0, b ^ c}; assign f = {32'd0, a & d[0] & g[0]};\nendmodule\n");
    ck_shell_says(0, "    uint8_t *a; ", BIND);
    ck_output_has("    uint8_t *b; ");
    ck_output_has("    uint8_t *c; ");
    ck_output_has("    uint16_t *d; ");
    ck_output_has("    const uint32_t *e; ");
    ck_output_has("    const uint64_t *f; ");
    ck_output_has("    uint32_t *g; ");
    ck_output_has("65 bits, 3 words");
}

TEST(a_binding_splits_an_inout_port)
{
    shell_put("m.v", "module m (input a, inout b, input b_i);\n    assign b = a & b_i ? 1'b0 : 1'bz;\nendmodule\n");
    ck_shell_says(0, "    output wire \\b ,\n    input wire \\b_i_ ,\n    input wire \\b_ie ,\n    input wire \\b_i \n",
                  BIND "; $p $b/bindings.py --split m m m.design . && cat m_pins.v");
}

TEST(a_binding_renames_what_means_something_in_c)
{
    shell_put("m.v", "module m (input new, input class, input class_, input \\a.b , output model);\n"
                     "    assign model = new ^ class ^ class_ ^ \\a.b ;\nendmodule\n");
    ck_shell_says(0, "    uint8_t *new_;                           /* input, 1 bit; new in Verilog */\n", BIND);
    ck_output_has("    uint8_t *class__; ");
    ck_output_has("    uint8_t *class_; ");
    ck_output_has("    uint8_t *a_b; ");
    ck_output_has("    {\"new\", 1, 0, offsetof(m, new_)},\n");
    ck_output_has("\nmodel model_ output 1 - -\n");
}

/* Which ports act by their edges, and how: the last lines are NAME.ports, and the list of those whose falling edges
 * matter. */
static const struct {
    const char *body, *ports, *falling;
} edges[] = {
    {"always @(posedge c) q <= a;", "c c input 1 - clock\nr r input 1 - -\n", "\"\",\n"},
    {"always @(negedge c) q <= a;", "c c input 1 - clock\n", "\"c\",\n"},
    {"always @(posedge c or negedge r) if (!r) q <= 0; else q <= a;", "c c input 1 - clock\nr r input 1 - reset_low\n",
     "\"r\",\n"},
    {"always @(posedge c or posedge r) if (r) q <= 0; else q <= a;", "c c input 1 - clock\nr r input 1 - reset_high\n",
     "\"\",\n"},
    {"wire n = ~c; always @(posedge n) q <= a;", "c c input 1 - clock\n", "\"c\",\n"},
    {"wire n = ~r; always @(posedge c or posedge n) if (n) q <= 0; else q <= a;", "r r input 1 - reset_low\n",
     "\"r\",\n"},
    {"wire g = c & r; always @(posedge g) q <= a;", "c c input 1 - -\nr r input 1 - -\n", "\"c r\",\n"},
    {"reg g; always @* begin g = c; if (r) g = 0; end always @(posedge g) q <= a;", "c c input 1 - -\n", "\"c r\",\n"},
    {"wire n; inv i (.i(c), .o(n)); always @(posedge n) q <= a;", "c c input 1 - clock\n", "\"c\",\n"},
    {"wire n; inv i (.i(~c), .o(n)); always @(posedge n) q <= a;", "c c input 1 - clock\n", "\"\",\n"},
    {"ff i (.k(~c), .d(a), .o(q));", "c c input 1 - clock\n", "\"c\",\n"},
};

TEST(a_binding_knows_clocks_and_resets, .to = COUNT(edges))
{
    char text[512];
    snprintf(text, sizeof text, "module m (input c, input r, input a, output %sq);\n    %s\nendmodule\n",
             strstr(edges[_i].body, "ff i") ? "" : "reg ", edges[_i].body);
    shell_put("m.v", text);
    shell_put("inv.v", "module inv (input i, output o);\n    assign o = !i;\nendmodule\n");
    shell_put("ff.v", "module ff (input k, input d, output reg o);\n    always @(posedge k) o <= d;\nendmodule\n");
    ck_shell_says(0, edges[_i].ports, BIND);
    char want[32];
    snprintf(want, sizeof want, "ports[0] - 1, %s", edges[_i].falling);
    ck_output_has(want);
}

static const char *const probe = "module p (input clk, input a, output reg b);\n    wire probe_busy = a;\n"
                                 "    always @(posedge clk) b <= a;\nendmodule\n";

TEST(a_probe_on_a_gated_clock_is_refused_by_name)
{
    shell_put("p.v", probe);
    shell_put("m.v", "module m (input clk, input gate, input a, output b);\n    wire gated = clk & gate;\n"
                     "    p inner (.clk(gated), .a(a), .b(b));\nendmodule\n");
    ck_shell_fails("m.inner (p) declares probe_busy", BIND);
    shell_put("m.v", "module m (input clk, input gate, input a, output b);\n    p inner (.clk(clk & gate), .a(a), "
                     ".b(b));\nendmodule\n");
    ck_assert_int_ne(shell_says(BIND), 0);
    shell_put("m.v", "module m (input clk, input gate, input a, output b);\n    p inner (.clk(clk), .a(a & gate), "
                     ".b(b));\nendmodule\n");
    ck_shell_says(0, "{\"m.inner\", \"m.inner\", \"p\", \"\", \"clk\", \"\", signals_0, 1}", BIND);
}

TEST(each_turn_of_a_generate_loop_has_its_own_clock)
{
    shell_put("p.v", probe);
    shell_put(
        "m.v",
        "module m (input clk_a, input clk_b, input [1:0] a, output [1:0] b);\n    genvar i;\n    generate\n"
        "        for (i = 0; i < 2; i = i + 1) begin : turn\n            wire clk;\n"
        "            if (i == 0) begin : on_a\n                assign clk = clk_a;\n            end else begin : on_b\n"
        "                assign clk = clk_b;\n            end\n"
        "            p inner (.clk(clk), .a(a[i]), .b(b[i]));\n        end\n    endgenerate\nendmodule\n");
    ck_shell_says(0, "{\"m.turn[0].inner\", \"m.turn[0].inner\", \"p\", \"\", \"clk_a\", \"\", signals_0, 1}", BIND);
    ck_output_has("{\"m.turn[1].inner\", \"m.turn[1].inner\", \"p\", \"\", \"clk_b\", \"\", signals_0, 1}");
}

TEST(each_side_of_a_module_between_two_clocks_has_its_own_probes)
{
    shell_put("m.v", "module m (input wr_clk, input rd_clk, input a, output reg b);\n"
                     "    wire wr_probe_busy = a;\n    wire wr_probe_stall_full = b;\n    wire rd_probe_busy = b;\n"
                     "    wire [1:0] rd_probe_level = {a, b};\n"
                     "    always @(posedge wr_clk) b <= a;\nendmodule\n");
    ck_shell_says(0, "{\"m\", \"m\", \"m\", \"rd\", \"rd_clk\", \"\", signals_0, 2}", BIND);
    ck_output_has("{\"m\", \"m\", \"m\", \"wr\", \"wr_clk\", \"\", signals_1, 2}");
    ck_output_has("{\"wr_probe_stall_full\", SIM_PROBE_STALL, \"full\", \"\"}");
    ck_output_has("{\"rd_probe_level\", SIM_PROBE_LEVEL, \"\", \"\"}");
}

static const struct {
    const char *declared, *said;
} wrong_probes[] = {
    {"probe_sall = a",
     "m.probe_sall: expected probe_busy, _stall, _stall_REASON, _start, _done, _level, _state or _state_NAME"},
    {"probe_stall = a", "m (m) declares probe_stall, but no probe_busy"},
    {"wr_probe_busy = a", "declares wr_probe_busy, but its port `wr_clk` cannot be followed to a port of m"}};

TEST(a_probe_that_would_not_be_counted_is_refused, .to = COUNT(wrong_probes))
{
    char text[300];
    snprintf(
        text, sizeof text,
        "module m (input clk, input a, output reg b);\n    wire %s;\n    always @(posedge clk) b <= a;\nendmodule\n",
        wrong_probes[_i].declared);
    shell_put("m.v", text);
    ck_shell_fails(wrong_probes[_i].said, BIND);
}

TEST(a_probe_wider_than_a_bit_is_refused)
{
    shell_put("m.v", "module m (input clk, input [1:0] a, output reg b);\n    wire [1:0] probe_busy = a;\n    always "
                     "@(posedge clk) b <= a[0];\n"
                     "endmodule\n");
    ck_shell_fails("m.probe_busy must be one bit wide", BIND);
}

/* ---- model.py ---- */

/* A step of the model of m.v, in a process group of its own. */
#define MODEL_STEP                                                                                                     \
    "unset MAKEFLAGS MFLAGS MAKELEVEL; VERILATOR=${VERILATOR:-verilator}; VERILATOR_SHARE=$($VERILATOR --getenv "      \
    "VERILATOR_ROOT); "                                                                                                \
    "s=$VERILATOR_SHARE/include; export VERILATOR VERILATOR_SHARE PERL=perl MAKE=make MODEL_CXX=\"$(command -v "       \
    "ccache) g++\" "                                                                                                   \
    "VERILOG_DIRS=$D VERILATOR_FLAGS='--default-language 1364-2005' "                                                  \
    "VERILATED_FLAGS=\"-std=gnu++17 -I. -isystem $s -isystem $s/vltstd\"; "                                            \
    "setsid -w ${PYTHON:-python3} -S scripts/tool.py model %s $D/m block m $D/m.v"

TEST(a_model_whose_build_was_killed_starts_from_nothing)
{
    put_module(GOOD_BODY);
    ck_assert_int_eq(shell_says(MODEL_STEP, "bind"), 0);
    /* Killed when Verilator's make archives the objects; one of them stays empty, and newer than all that it is made
     * of. */
    shell_put("killer", "#!/bin/sh\n: >Vblock__small.o\nkill -KILL 0\n");
    ck_assert_int_ne(shell_says("chmod +x $D/killer; export AR=$D/killer; " MODEL_STEP, "full"), 0);
    ck_shell_says(0, "Vblock__small.o", "find $D/m -name Vblock__small.o -empty");
    ck_shell_says(0, "Vblock___024root___eval", MODEL_STEP " && nm $D/m/full/libblock.a", "full");
}

/* A pass that writes invalid C++: Verilator's is compiled instead, with one line of report. */
TEST(a_model_that_passes_break_is_compiled_as_it_is_printed)
{
    put_module(GOOD_BODY);
    ck_assert_int_eq(shell_says("export PASSES=evaluate PASSES_SAID=; " MODEL_STEP, "bind"), 0);
    ck_assert_int_eq(shell_says("echo '#error spoiled' >>$D/m/cpp/Vblock___024root.h"), 0);
    ck_shell_says(0,
                  "passes: not with Verilator 5.999 (block: what it writes does not compile); runs without, slower\n",
                  "export PASSES=evaluate PASSES_SAID= VERILATOR_IS=5.999; " MODEL_STEP, "fast");
    ck_output_lacks("error");
    ck_shell_says(0, "Vblock___024root___eval", "nm $D/m/libblock.a");
}

/* What Python compiles is kept below build/. */
TEST(python_writes_nothing_beside_the_sources)
{
    ck_assert_int_eq(
        shell_says("cp -rp scripts $D && cd $D && rm -rf scripts/__pycache__ && for f in passes bindings capacity; do "
                   "env -u PYTHONDONTWRITEBYTECODE ${PYTHON:-python3} scripts/$f.py </dev/null; done"),
        1);
    ck_assert_msg(shell_says("find $D/scripts -name __pycache__ | grep ."), "%s", shell_output);
}

/* ---- programs.py ---- */

#define PROGRAMS "s=$PWD/scripts/tool.py; cd $D && ${PYTHON:-python3} -S $s programs"

TEST(programs_follow_their_include_lines)
{
    ck_assert_int_eq(shell_says("mkdir -p $D/rtl $D/tb/unit $D/sim/model/host $D/sim/core/kernel $D/sw/tools"), 0);
    shell_put("rtl/fifo.v", "");
    shell_put("tb/unit/models", "# comment\nfifo_9 fifo WIDTH=9 DEPTH=2\n");
    shell_put("tb/unit/test_a.c", "#include \"help.h\"\n#include \"sim/model/host/host.h\"\n");
    shell_put("tb/unit/help.h", "#include \"fifo_9.h\"\n");
    shell_put("tb/unit/help.c", "");
    shell_put("sim/model/host/host.h", "");
    shell_put("sim/model/host/host.c", "#include \"sim.h\"\n");
    shell_put("sim/core/kernel/sim.h", "");
    shell_put("sim/core/kernel/sim.c", "");
    shell_put("sw/tools/tool.c", "");
    ck_shell_says(0, "TESTS := tb/unit/test_a\n", PROGRAMS);
    ck_output_has("TOOL_PROGRAMS := tool\n");
    ck_output_has("MODEL_FOLDERS := build/models/fifo_9\n");
    ck_output_has("MODEL := fifo_9 fifo rtl/fifo.v WIDTH=9 DEPTH=2\n");
    char *rule = strstr(shell_output, "$(BUILT)/tb/unit/test_a:");
    ck_assert_ptr_nonnull(rule);
    *strchr(rule, '\n') = '\0';
    ck_assert_ptr_nonnull(strstr(rule, "$(BUILT)/obj/tb/unit/help.o"));
    ck_assert_ptr_nonnull(strstr(rule, "$(BUILT)/lib/sim/model/host.a"));
    ck_assert_ptr_nonnull(strstr(rule, "$(BUILT)/lib/sim/core.a"));
    ck_assert_ptr_nonnull(strstr(rule, "build/models/fifo_9/libfifo_9.a"));
    char *full = strstr(strchr(rule, '\0') + 1, "$(BUILT)/full/tb/unit/test_a:");
    ck_assert_ptr_nonnull(full);
    ck_assert_ptr_nonnull(strstr(full, "build/models/fifo_9/full/libfifo_9.a\n"));
}

TEST(a_test_may_ask_for_full_models_and_for_another_program)
{
    ck_assert_int_eq(shell_says("mkdir -p $D/rtl $D/tb $D/sim/core $D/sim/bin"), 0);
    shell_put("rtl/fifo.v", "");
    shell_put("tb/full_models.h", "");
    shell_put("tb/test_a.c", "#include \"fifo.h\"\n#include \"full_models.h\"\nRUNS(\"full/b\");\n");
    shell_put("sim/bin/b.c", "#include \"fifo.h\"\n");
    ck_shell_says(
        0, "$(BUILT)/tb/test_a: $(BUILT)/obj/tb/test_a.o $(BUILT)/lib/sim/core.a build/models/fifo/full/libfifo.a\n",
        PROGRAMS);
    ck_output_has("$(BUILT)/tb/test_a $(BUILT)/full/tb/test_a: | $(BUILT)/full/b\n");
    ck_output_has("$(BUILT)/b: $(BUILT)/obj/sim/bin/b.o $(BUILT)/lib/sim/core.a build/models/fifo/libfifo.a\n");
    ck_output_has(
        "$(BUILT)/full/b: $(BUILT)/obj/sim/bin/b.o $(BUILT)/lib/sim/core.a build/models/fifo/full/libfifo.a\n");
}

/* ---- initial_values.py ---- */

TEST(a_model_draws_the_initial_values_of_another_build)
{
    const char *head = "VL_ATTR_COLD void Vm___024root___ctor_var_reset(Vm___024root* vlSelf) {\n    // Body\n",
               *tail = "}\nint after;\n";
    char text[1024];
    snprintf(text, sizeof text,
             "%s    vlSelf->a = VL_RAND_RESET_I(8);\n    vlSelf->gone\n        = VL_RAND_RESET_Q(40);\n"
             "    VL_RAND_RESET_W(68, vlSelf->wide);\n    for (int __Vi0 = 0; __Vi0 < 4; ++__Vi0) {\n"
             "        vlSelf->memory[__Vi0] = VL_RAND_RESET_I(3);\n    }\n    vlSelf->temporary = 0;\n    vlSelf->b = "
             "VL_RAND_RESET_I(1);\n%s",
             head, tail);
    shell_put("full.cpp", text);
    snprintf(text, sizeof text,
             "%s    vlSelf->b = VL_RAND_RESET_I(1);\n    vlSelf->own = VL_RAND_RESET_I(1);\n    vlSelf->a = "
             "VL_RAND_RESET_I(8);\n%s",
             head, tail);
    shell_put("fast.cpp", text);
    snprintf(
        text, sizeof text,
        "%svlSelf->a = VL_RAND_RESET_I(8);\nVL_RAND_RESET_Q(40);\nfor (int i = 0; i < 3; ++i) VL_RAND_RESET_I(32);\n"
        "for (int __Vi0 = 0; __Vi0 < 4; ++__Vi0) { VL_RAND_RESET_I(3); }\n\nvlSelf->b = "
        "VL_RAND_RESET_I(1);\nvlSelf->own = 0;\n%s",
        head, tail);
    ck_assert_int_eq(
        shell_says("${PYTHON:-python3} -S scripts/tool.py initial_values $D/full.cpp $D/fast.cpp && cat $D/fast.cpp"),
        0);
    ck_assert_str_eq(shell_output, text);
}

/* Faults that are planted in a module: an edit that the module has outgrown stops the build. */
TEST(a_planted_fault_that_changes_nothing_is_refused)
{
    static const char good[] =
        "of dma_arbiter.v\nturn arb_started\n1 only reads | s/arb_pick_write = /&!FAULT \\&\\& /\n"
        "2 counts on | s/if (rst)/if (rst \\&\\& !FAULT)/\n";
    char text[400];
    shell_put("bad.planted", good);
    ck_assert_int_eq(
        shell_says("scripts/plant.sh $D/bad.planted $D/bad.v && verilator --lint-only -y tb/contract $D/bad.v"), 0);
    snprintf(text, sizeof text, "%s3 gone | s/no such line/x/\n", good);
    shell_put("bad.planted", text);
    ck_shell_says(1, "bad.planted: 3 gone : its edit changes nothing in rtl/nic/dma/dma_arbiter.v: s/no such line/x/\n",
                  "scripts/plant.sh $D/bad.planted $D/worse.v");
    ck_assert_int_eq(shell_says("ls $D/worse.v*"), 2);
    shell_put("bad.planted", "of no_such.v\n");
    ck_shell_says(1, "bad.planted: expected a line 'of MODULE.v' that names a file below rtl/\n",
                  "scripts/plant.sh $D/bad.planted $D/worse.v");
}

TEST(a_wrong_line_of_models_is_refused_with_its_place)
{
    ck_assert_int_eq(shell_says("mkdir -p $D/rtl $D/tb"), 0);
    shell_put("rtl/fifo.v", "");
    shell_put("tb/models", "fifo_9\n");
    ck_shell_fails("tb/models: fifo_9: expected NAME MODULE", PROGRAMS);
    shell_put("tb/models", "fifo_9 fito WIDTH=9\n");
    ck_shell_fails("there is no module file fito.v", PROGRAMS);
    shell_put("tb/models", "fifo fifo WIDTH=9\n");
    ck_shell_fails("this name is taken", PROGRAMS);
}

/* ---- run_tests.py ---- */

#define RUN_TESTS " ${PYTHON:-python3} -S scripts/tool.py run_tests $D "

TEST(the_test_runner_sums_up_and_names_the_rerun)
{
    shell_put("good", "#!/bin/sh\necho '100%: Checks: 3, Failures: 0, Errors: 0'\n");
    shell_put("bad", "#!/bin/sh\necho '50%: Checks: 4, Failures: 1, Errors: 1'\n"
                     "echo 'tb/x.c:12:F:credits:lost_word:0: no'\necho 'tb/x.c:14:E:credits:late_word:0: no'\n"
                     "echo '100%: Checks: 9, Failures: 0, Errors: 0  of a run that the failure quotes'\nexit 1\n");
    shell_put("crash", "#!/bin/sh\necho before; kill -SEGV $$\n");
    ck_shell_says(0, "\n100%: Checks: 3, Failures: 0, Errors: 0\n",
                  "chmod +x $D/*; export GOAL=test CASE= WAVES=0; SEED=5 JOBS=2" RUN_TESTS "good");
    ck_shell_says(1, "rerun: make test TEST=bad CASE=credits SEED=5 WAVES=1",
                  "export GOAL=test CASE= WAVES=0; SEED=5 JOBS=2" RUN_TESTS "good bad");
    ck_output_has("tb/x.c:12:F:credits:lost_word");
    ck_output_has("Failed: bad");
    ck_output_has("\n71%: Checks: 7, Failures: 1, Errors: 1\n");
    ck_shell_says(1, "no summary, exit code 139  crash",
                  "export GOAL=test CASE= WAVES=0; SEED=5 JOBS=2" RUN_TESTS "good crash");
    ck_assert_int_eq(shell_says("export GOAL=test CASE= WAVES=0; SEED=5 JOBS=2" RUN_TESTS "missing"), 1);
}

#define TIMES "${PYTHON:-python3} -S scripts/tool.py times "

TEST(the_times_of_recipes_and_tests_are_noted_and_summed_up)
{
    shell_put("spin", "#!/bin/sh\nexec awk 'BEGIN { while (i < 1e7) i++; exit 3 }'\n");
    ck_assert_int_eq(shell_says("chmod +x $D/spin; TIMES_IN=$D/times " TIMES "build/obj/x.o -c $D/spin"), 3);
    ck_assert_int_eq(shell_says(TIMES "-c 'exit 4'; s=$?; " TIMES "none -c 'exit 5'; exit $((10 * s + $?))"), 45);
    ck_shell_says(0, " build/obj/x.o\n", "awk '$1 > 0.01 && $1 < 10' $D/times");
    shell_put("noted", "2.00 build/a.o\n1.50 test: tb/slow\n1.00 build/b.o\n9.00 test\n");
    ck_shell_says(0,
                  "processor time [s]\n      3.0  C compiled (2)\n      1.5  tests run (1)\n      4.5  all\n\nlongest\n"
                  "      2.0  build/a.o\n      1.5  test: tb/slow\n      1.0  build/b.o\n",
                  TIMES "--show $D/noted");
    shell_put("suite", "#!/bin/sh\necho '100%: Checks: 1, Failures: 0, Errors: 0'\nexec $D/spin\n");
    ck_shell_says(1, " test: suite\n",
                  "chmod +x $D/suite; TIMES_IN=$D/tests CASE= WAVES=0 SEED=5" RUN_TESTS
                  "suite; s=$?; cat $D/tests; exit $s");
}

TEST(the_test_runner_names_the_test_cases_that_there_are)
{
    shell_put("suite",
              "#!/bin/sh\n[ \"$1\" != --list ] || { echo 'credits lost_word 0 1'; echo 'order late_word 0 1'; exit; }\n"
              "n=0; [ \"$CK_RUN_CASE\" != order ] || n=1; echo \"100%: Checks: $n, Failures: 0, Errors: 0\"\n");
    ck_shell_says(1, "CASE=nothere: no test case of that name; there are: credits order \n",
                  "chmod +x $D/suite; export GOAL=test WAVES=0; CASE=nothere SEED=5" RUN_TESTS "suite");
    ck_shell_says(0, "\n100%: Checks: 1, Failures: 0, Errors: 0\n", "CASE=order SEED=5" RUN_TESTS "suite");
}

/* ---- turnaround.sh ---- */

TEST(turnaround_edits_a_copy_and_prints_a_row_for_each_edit)
{
    shell_put(
        "make",
        "#!/bin/sh\necho \"$1 $(tail -qn1 mine/* tb/unit/link/* | grep -c edited) ${CCACHE_DISABLE:-0}\" >>$D/calls\n");
    ck_shell_says(
        0, "a block, its contract ",
        "chmod +x $D/make; mkdir -p $D/tree/build && for f in Makefile rtl/switch/output_scheduler.v "
        "sim/app/nicxbar/main.c sw/README.md "
        "tb/unit/link/test_link_credits.c scripts/slots; do mkdir -p $D/tree/$(dirname $f) && cp $f $D/tree/$f; done\n"
        "run=$PWD/scripts/turnaround.sh; unset CCACHE_DISABLE; cd $D/tree && MAKE=$D/make $run");
    ck_output_has("make sim NODES=8 SCENARIO=uniform");
    ck_output_has("make test TEST=tb/unit/link/test_link_credits");
    ck_shell_says(0, "contract 0 0\ncontract 1 1\nsim 1 0\nsim 1 1\ntest 1 0\ntest 2 1\n", "cat $D/calls");
    ck_assert_int_eq(shell_says("cmp tb/unit/link/test_link_credits.c $D/tree/tb/unit/link/test_link_credits.c"), 0);
    ck_shell_fails("make contract SLOT=output_scheduler BLOCK=my_scheduler RTL=mine failed",
                   "cd $D/tree && MAKE=false $OLDPWD/scripts/turnaround.sh");
}

/* make contract runs another block of a queue in a system, too, and its verdict there counts. */
TEST(a_contract_ends_with_whole_flows)
{
    ck_assert_int_eq(
        shell_says(
            "cd scripts && ${PYTHON:-python3} -Bc 'import contract; print(*sorted(set(contract.FLOWS.values())), "
            "sep=\"\\n\")' | { cd .. && while read run; do make CHECK=1 $run 2>&1 || exit; done; }"),
        0);
    shell_put("suite",
              "#!/bin/sh\nprintf 'checking\\t8\\t8 queues\\tturns\\nkept\\t8\\t8 queues\\t100\\t3\\t8\\tpackets\\n'\n");
    shell_put("make", "#!/bin/sh\ncase \"$*\" in *soak*) echo 'queue 3 starves'; exit $STARVES ;; esac\nexit 1\n");
    for (int starves = 0; starves < 2; starves++)
        ck_shell_says(
            starves,
            starves ? "  whole flows: BROKEN, make soak PACKETS=5000 VOQ_SCHEDULER=mine RTL=my.v\n    queue 3 starves\n"
                    : "  whole flows: good, make soak PACKETS=5000 VOQ_SCHEDULER=mine RTL=my.v\n",
            "chmod +x $D/suite $D/make && cd $D && STARVES=%d SLOT=voq_scheduler BLOCK=mine FILLED=VOQ_SCHEDULER=mine "
            "SETTINGS=RTL=my.v SEED=1 JOBS=1 STARTED=0 FULL=full MAKE=$D/make YOSYS=none ${PYTHON:-python3} -S "
            "$OLDPWD/scripts/tool.py contract . suite 2>&1",
            starves);
}

/* ---- setup.sh ---- */

TEST(setup_names_what_is_missing_and_the_command_that_installs_it)
{
    /* A PATH with little in it. */
    ck_assert_int_eq(shell_says("mkdir $D/bin && for c in sh id apt-get git gcc g++; do ln -s \"$(command -v $c || "
                                "echo /usr/bin/true)\" $D/bin/$c; done"),
                     0);
    ck_shell_says(1, "verilator: compiles the Verilog", "PATH=$D/bin NO_INSTALL=1 scripts/setup.sh build");
    ck_output_has("apt-get install -y --no-install-recommends verilator");
    ck_assert_ptr_null(strstr(shell_output, "yosys"));
    ck_shell_says(1, "yosys: synthesis", "PATH=$D/bin NO_INSTALL=1 scripts/setup.sh synth");
    ck_shell_says(1, "jq: reads results", "PATH=$D/bin NO_INSTALL=1 scripts/setup.sh test");
    ck_shell_says(1, "YOSYS=nonexistent: there is no such program; expected one, or YOSYS not set: yosys\n",
                  "YOSYS=nonexistent scripts/setup.sh synth");
    ck_assert_ptr_eq(strchr(shell_output, '\n'), strrchr(shell_output, '\n'));
    ck_assert_int_eq(shell_says("NO_INSTALL=1 scripts/setup.sh build"), 0);
    ck_assert_str_eq(shell_output, "");
}

/* ---- Makefile ---- */

/* The program for each number of nodes, and its limits. Nothing is built. */
static const struct {
    const char *nodes, *program;
} sizes[] = {{"", "nicxbar-sim"},          {"NODES=2", "nicxbar-sim2"},   {"NODES=3", "nicxbar-sim"},
             {"NODES=4", "nicxbar-sim"},   {"NODES=5", "nicxbar-sim8"},   {"NODES=8", "nicxbar-sim8"},
             {"NODES=9", "nicxbar-sim16"}, {"NODES=12", "nicxbar-sim16"}, {"NODES=13", "nicxbar-sim16"},
             {"NODES=16", "nicxbar-sim16"}};

TEST(a_run_takes_the_smallest_switch_that_has_enough_ports, .to = COUNT(sizes))
{
    char expected[64];
    snprintf(expected, sizeof expected, "/%s\n", sizes[_i].program);
    ck_shell_says(
        0, expected,
        "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; make -pq lint %s >$D/all; grep '^simulator :=' $D/all",
        sizes[_i].nodes);
}

/* Each wrong value for links alone: one line with the expectation, nothing else. */
static const struct {
    const char *variables, *message;
} links_faults[] = {
    {"sim LINKS=3", "LINKS=3: expected 1, 2 or 4"},
    {"sim LINKS=2 BOND=bit", "BOND=bit: expected packet or byte (with SWITCHES=0 byte: the bytes of each packet go "
                             "over all links of the cable)"},
    {"sim BOND=byte SWITCHES=0", "BOND=byte: expected together with LINKS=2 or 4"},
    {"sim LINKS=2 BOND=byte", "BOND=byte: expected with SWITCHES=0: links by byte do not pass a switch (S2 2.4)"},
    {"sim LINKS=4 SWITCHES=2", "SWITCHES=2: expected 4, one for each link of a node, or 0"},
    {"sim SWITCHES=2", "SWITCHES=2: expected 1, or 0 (two nodes and a cable)"},
    {"sim LINKS=2 NODES=9", "NODES=9: expected 2 to 8 with LINKS=2"},
    {"sim SWITCH=0 NODES=3", "NODES=3: expected 2 without a switch"},
    {"sim LINKS=2 NIC=1voq", "NIC=1voq: expected default with links by packet (it has 4splits)"},
    {"sim LINKS=2 SWITCHES=0 BOND=byte NIC=1voq", "NIC=1voq: expected default or 4splits with BOND=byte"},
    {"sim LINKS=2 NIC=monitored",
     "NIC=monitored: expected one link with it: samples and traces are of the FIFOs of one"},
    {"sim LINKS=2 SWITCH=traced", "SWITCH=traced: expected 1, without tracing memories, with LINKS=2"},
    {"sim LINKS=2 RANKS=2", "RANKS=2: expected none with LINKS=2"},
    {"sim LINKS=2 NODE_IDS=0,1,2,8", "NODE_IDS=0,1,2,8: expected 0 to 7 with links by packet"},
    {"sim LINKS=2 PATHS=", "PATHS=: expected different links of 0..1, one at least"},
    {"sim LINKS=4 PATHS=0,2,0", "PATHS=0,2,0: expected different links of 0..3"},
    {"sim LINKS=2 PATHS=2", "PATHS=2: expected different links of 0..1"},
    {"sim LINKS=2 PATHS=0,", "PATHS=0,: expected different links of 0..1"},
    {"sim PATHS=0", "PATHS=0: expected together with several links by packet"},
    {"sim LINKS=2 PATH_LATENCY=19,23", "PATH_LATENCY=19,23: expected 2 numbers of clocks, 20 to 100000 each"},
    {"sim LINKS=4 PATH_LATENCY=23,23", "PATH_LATENCY=23,23: expected 4 numbers of clocks"},
    {"sim LINKS=2 SWITCHES=0 PATH_LATENCY=23,23",
     "PATH_LATENCY=23,23: expected together with several links by packet and switches"},
    {"sim LINKS=4 SWITCHES=0 BOND=byte SKEW=0,1", "SKEW=0,1: expected a number of ps for each of 4 links"},
    {"sim SKEW=-1", "SKEW=-1: expected a number of ps, 0 to 10000000"},
    {"sim LINKS=2 SKEW=0,1", "SKEW=0,1: expected one cable; that of each path is PATH_LATENCY"},
    {"sim LINKS=2 CUT=1:0:20:5", "CUT=1:0:20:5: is said so now: FAULTS='cut node0.link1 at 20us for 5us"},
    {"sim LINKS=2 FAULTS='cut node2.link2 at 1us for 1us'",
     ": 'cut node2.link2 at 1us for 1us': expected a link of 0..1"},
    {"sim FAULTS='cut node0.link1 at 1us for 1us'", ": 'cut node0.link1 at 1us for 1us': expected a link of 0..0"},
    {"sim LINKS=2 FAULTS='cut node4.link1 at 1us for 1us'", "column 5: 'node4.link1', expected a cable: nodeN, "},
    {"sim LINKS=2 SWITCHES=0 FAULTS='cut node2 at 1us for 1us'", "column 5: 'node2', expected node0, node1, "},
    {"sim NODES=16 FAULTS='cut node16 at 1us for ever'", "column 5: 'node16', expected a cable"},
    {"sim NODES=12 LINKS=2 SWITCHES=2", "NODES=12: expected 2 to 8 with LINKS=2"},
    {"soak LINKS=2 FAULTS='cut node0.link1 at 1us for 1ms'", "expected cuts of up to 900 us"},
    {"soak LINKS=2 FAULTS='cut node0.link1 at 1us for ever'", "expected cuts of up to 900 us"},
    {"figures LINKS=2", "LINKS=2: means something for make sim, cycles, run and soak only"},
    {"cycles TEST=tb/unit/voq LINKS=2", "LINKS=2: expected without TEST: a test makes its own system"},
};

TEST(wrong_links_are_refused_in_one_line)
{
    for (int i = 0; i < COUNT(links_faults); i++) {
        ck_shell_says(1, links_faults[i].message, "build/nicxbar check %s", links_faults[i].variables);
        ck_assert_ptr_eq(strchr(shell_output, '\n'), strrchr(shell_output, '\n'));
    }
    ck_assert_int_eq(
        shell_says("set -e; build/nicxbar check sim LINKS=4 SWITCHES=4 SCENARIO=uniform PATHS=0,2 "
                   "PATH_LATENCY=23,23,23,150 NODES=8 "
                   "FAULTS='cut node7.link3 at 0.5us for ever'; "
                   "build/nicxbar check cycles LINKS=2 BOND=byte SWITCHES=0 SKEW=0,50000 NIC=4splits NODES=2; "
                   "build/nicxbar check soak LINKS=4 SWITCHES=0 BOND=packet; "
                   "build/nicxbar check soak LINKS=2 BOND=byte SWITCHES=0 FAULTS='cut node1.link1 at 5us for 5us'; "
                   "build/nicxbar check sim NODES=16 FAULTS='cut node15 at 9us for 1ms'"),
        0);
    ck_assert_str_eq(shell_output, "");
}

#define MAKE "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; make -pq NO_INSTALL=1 "

static const struct {
    const char *variables, *message;
} make_faults[] = {
    {"sim LOAD=0.5", "LOAD=0.5: means nothing for a file and the five tests; expected with SCENARIO=NAME"},
    {"cycles HOT=2 PART=1", "HOT=2: means nothing for a file and the five tests; expected with SCENARIO=NAME"},
    {"sim SWITCH_MONITOR=all",
     "SWITCH_MONITOR=all: means nothing for a file and the five tests; expected with SCENARIO=NAME or with make run"},
    {"sim SCENARIO=uniform FILE=/etc/passwd", "SCENARIO and FILE: expected one of them: each selects the run"},
    {"soak SCENARIO=uniform", "SCENARIO=uniform: expected together with NODES=n"},
    {"soak NIC=1voq", "NIC=1voq: expected together with NODES=n"},
    {"soak NODES=4 MEASURE=9", "MEASURE=9: expected PACKETS"},
    {"run PROGRAM=pingpong LOAD=0.5",
     "LOAD=0.5: means something for make sim, cycles, packet-mode, soak and packet-mode-crossbar only"},
    {"run PROGRAM=pingpong SCENARIO=uniform", "SCENARIO=uniform: means something for make sim, cycles and soak only"},
    {"run PROGRAM=pingpong FILE=/etc/passwd", "FILE=/etc/passwd: means something for make sim and cycles only"},
    {"microbench NIC=monitored", "NIC=monitored: means something for make sim, cycles, run and soak only"},
    {"figures FAULTS=help", "FAULTS=help: means something for make sim, cycles, run, disk and soak only"},
    {"test OUT=there", "OUT=there: means something for make sim"},
    {"sim OUT=/dev/null/there", "OUT=/dev/null/there: expected a folder"},
    {"sim OUT='two words'", "OUT=two words: expected the name of a folder"},
    {"soak SWITCH=0", "SWITCH=0: means nothing for make soak"},
    {"soak CHIP=roce NODES=4", "NODES=4: means nothing with CHIP=roce"},
    {"sim CHIP=roce PMTU=300", "PMTU=300: expected 256, 512, 1024, 2048 or 4096"},
    {"sim CHIP=roce QPS=128", "QPS=128: expected a number of connections, 1 to 127"},
    {"sim CHIP=roce LOSS=2", "LOSS=2: is said so now: FAULTS='lose line 0.1%'"},
    {"sim CHIP=roce STORAGE=1 COMMANDS=0", "COMMANDS=0: expected a number of commands, 1 to 1000000"},
    {"soak CHIP=roce PEER=rxe", "PEER=rxe: expected without make soak"},
    {"interop RECORD=2", "RECORD=2: expected 1: record the packets of tb/unit/roce again"},
    {"interop RECORD=1 BYTES=64", "BYTES=64: means nothing with RECORD=1, which is without the chip"},
    {"sim CHIP=roce RECORD=1", "RECORD=1: means something for make disk and interop only"},
    {"sim LINKS=2 BOND=byte", "BOND=byte: expected with SWITCHES=0"},
    {"sim PCI_MHZ=50", "PCI_MHZ=50: expected 66, 100 or 133"},
    {"sim CUT=", "CUT=: is said so now: FAULTS="},
    {"sim NICS=1voq", "unknown variable NICS; the nearest to NICS: NIC;"},
    {"sim NODE=8", "unknown variable NODE; the nearest to NODE: NODES, NODE_IDS;"},
    {"sim LAOD=0.5", "the nearest to LAOD: LOAD;"},
    {"sim NODES='4 5'", "NODES=4 5: expected a number from 2 to 16"},
    {"sim NODES=17", "NODES=17: expected a number from 2 to 16"},
    {"sim THREADS=0", "THREADS=0: expected a number from 1 to 17"},
    {"sim THREADS=18", "THREADS=18: expected a number from 1 to 17"},
    {"sim WAVES=0 WAVE_FROM=5us", "WAVE_FROM=5us: expected without WAVES=0"},
    {"sim WAVES='0 1'", "WAVES=0 1: expected WAVES=1, WAVES=0, or names of recorded parts"},
    {"sim SWITCH='0 1'", "SWITCH=0 1: expected 1, 0 or traced"},
    {"sim SWITCH=traced NODES=9",
     "SWITCH=traced: expected with NODES up to 8; NODES=9 has a switch without tracing memories"},
    {"sim LANES='4 8'", "LANES=4 8: expected 1, 4, 8 or 16"},
    {"sim TRACE=all", "TRACE=all: expected 1, packets or 0"},
    {"test REPORT=xml", "REPORT=xml: expected junit or tap"},
    {"sim TIMES=1", "TIMES=1: means something for make test and sanitize only"},
    {"test TIMES=all", "TIMES=all: expected 0 or 1"},
    {"sim TRACES=5", "TRACES=5: means something for make test and sanitize only"},
    {"test TRACES=many", "TRACES=many: expected a number"},
    {"sim REPORT=tap", "REPORT=tap: means something for make test and sanitize only"},
    {"speed NODES=3", "NODES=3: make speed expects one of 2, 4, 8, 16"},
    {"speed TURNS=0", "TURNS=0: expected a number from 1 to 99"},
    {"sim BASE=HEAD", "BASE=HEAD: means something for make cycles and speed only"},
    {"sim SORT=busy", "SORT=busy: means something for make cycles only"},
    {"cycles SORT=size", "SORT=size: expected name, busy, stalled, idle, operations, latency or level"},
    {"cycles THRESHOLD=2", "THRESHOLD=2: expected together with BASE=file"},
    {"cycles THRESHOLD=much BASE=Makefile", "THRESHOLD=much: expected a number"},
    {"cycles BASE=Makefile", "BASE=Makefile: expected a cycles.json that make cycles of this version has written"},
    {"cycles TEST=tb/unit/voq BASE=nothing", "BASE=nothing: expected a cycles.json"},
    {"test NAME=mine", "NAME=mine: means something for make block only"},
    {"block", "make block: expected NAME=name"},
    {"block lint NAME=mine", "make block: expected alone"},
    {"cycles TEST=tb/unit/voq NODES=4", "NODES=4: expected without TEST"},
    {"packet-mode ARCH=sm MULTICAST=1 SET=", "SET=: expected ports of this switch"},
    {"packet-mode NODES=4", "NODES=4: means nothing for make packet-mode"},
    {"packet-mode ARCH=iq PM_LOCKS=pm_locks",
     "PM_LOCKS=pm_locks: ARCH=iq has no such slot; expected one of PM_MATCHER"},
    {"packet-mode-oracle LOAD=0.5",
     "LOAD=0.5: means something for make sim, cycles, packet-mode, soak and packet-mode-crossbar only"},
    {"shares HALF_WIDTH=3", "HALF_WIDTH=3: means something for make packet-mode only"},
    {"sim SEEDS=2", "SEEDS=2: means something for make packet-mode-oracle only"},
};

TEST(make_refuses_what_it_would_drop)
{
    for (int i = 0; i < COUNT(make_faults); i++)
        ck_shell_says(1, make_faults[i].message, "build/nicxbar check %s", make_faults[i].variables);
}

/* Refusals by make itself, for rules that only make knows. */
static const struct {
    const char *variables, *message;
} faults_of_make[] = {
    {"sim LOAD=0.5", "LOAD=0.5: means nothing for a file and the five tests; expected with SCENARIO=NAME.  Stop.\n"},
    {"sim 'FILE=/a $(b) #\"'", "FILE=/a $(b) #\": no such file"},
    {"speed BASE=nothing", "BASE=nothing: no such commit here"},
    {"cycles TEST=tb/unit/nothing", "TEST=tb/unit/nothing: no test program of that name"},
    {"cycles TEST='tb/unit/link tb/unit/nothing'", "TEST=tb/unit/nothing: no test program of that name"},
};

TEST(make_stops_with_what_the_launcher_says, .to = COUNT(faults_of_make))
{
    ck_shell_says(2, faults_of_make[_i].message, MAKE "%s >$D/all", faults_of_make[_i].variables);
}

TEST(all_folders_and_programs_of_TEST_are_run)
{
    ck_assert_int_eq(
        shell_says(MAKE "lint TEST='tb/unit/launcher tb/unit/runtime/test_scripts.c' >$D/all; grep '^chosen' $D/all"),
        0);
    ck_assert_str_eq(shell_output, "chosen := tb/unit/launcher/test_launcher tb/unit/runtime/test_scripts\n");
}

static const struct {
    const char *run, *heading;
} lists[] = {{"sim", "NIC and switch:"}, {"soak CHIP=roce", "RoCE, END: "}, {"disk", "Disk, HOST: "}};

/* In a tree without anything that is built. */
TEST(a_list_of_faults_needs_no_model, .to = COUNT(lists))
{
    ck_shell_says(0, lists[_i].heading,
                  "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; make NO_INSTALL=1 %s FAULTS=help >$D/says; code=$?; "
                  "head -1 $D/says; "
                  "test $code = 0 && ! grep -v '^  [a-z]' $D/says | sed 1d | grep .",
                  lists[_i].run);
}

/* A tree of its own, with a make that knows nothing of the one around it, in a process group of its own. */
#define TREE_MAKE "cd $D/tree && unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; setsid -w make NO_INSTALL=1 "

TEST(a_killed_build_leaves_nothing_half)
{
    ck_assert_int_eq(shell_says("mkdir $D/tree $D/bin && cp -rp Makefile scripts rtl sim sw tb $D/tree"), 0);
    shell_put("bin/python",
              "#!/bin/sh\ncase $3 in axi_rules) echo half; kill -KILL 0 ;; esac\nexec ${REAL:-python3} \"$@\"\n");
    shell_put("bin/killer", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho half >\"$2\"\nkill -KILL 0\n");
    ck_assert_int_ne(shell_says("chmod +x $D/bin/*; REAL=$PYTHON; export REAL PYTHON=$D/bin/python; " TREE_MAKE
                                "build/generated/axi_rules.vh"),
                     0);
    ck_output_lacks("rror");
    ck_assert_int_ne(shell_says(TREE_MAKE "CC=$D/bin/killer build/obj/sw/driver/nx_queue.o"), 0);
    ck_output_lacks("rror");
    ck_shell_says(0, "nx_queue", TREE_MAKE "build/obj/sw/driver/nx_queue.o && nm -A build/obj/sw/driver/nx_queue.o");
    ck_shell_says(0, "AXI_", "cat $D/tree/build/generated/axi_rules.vh");
    ck_assert_int_eq(shell_says("find $D/tree/build -name '*.part' | grep part"), 1);
}

TEST(two_makes_at_once_from_nothing_both_end_well)
{
    ck_assert_int_eq(shell_says("mkdir $D/tree && cp -rp Makefile scripts rtl sim sw tb $D/tree; (" TREE_MAKE
                                "build/obj/sw/driver/nx_queue.o) >$D/one 2>&1 & one=$!; " TREE_MAKE
                                "build/obj/sw/driver/nx_queue.o; two=$?; cat $D/one; wait $one && exit $two"),
                     0);
    ck_output_has("another make builds in this folder: waiting for it\n");
    ck_shell_says(0, "waits no more\n",
                  TREE_MAKE "build/obj/sw/driver/nx_queue.o >/dev/null && flock -w 5 build/lock echo waits no more");
}

/* make test REPORT=tap TIMES=1 makes lint and tests by a make of its own; a test of a soak that fails is built so with
 * waves. */
TEST(steps_of_a_make_take_its_variables)
{
    ck_assert_int_eq(shell_says("unset MAKEFLAGS MFLAGS MAKEOVERRIDES; MAKELEVEL=1 make CHECK=1 lint tests TIMES=1"),
                     0);
    ck_assert_int_eq(
        shell_says(
            "MAKELEVEL=1 build/nicxbar check build/full/tb/unit/x CHIP=roce PACKETS=1000 FAULTS='lose line 1%%'"),
        0);
    ck_assert_str_eq(shell_output, "");
}

/* An awk that notes the language in which it is started: by the Makefile, by a script, in a recipe. */
TEST(what_is_generated_does_not_depend_on_the_language)
{
    ck_assert_int_eq(shell_says("mkdir $D/tree $D/bin && cp -rp Makefile scripts rtl sim sw tb $D/tree"), 0);
    shell_put("bin/awk", "#!/bin/sh\necho \"$LC_ALL\" >>$D/languages\nexec /usr/bin/awk \"$@\"\n");
    ck_assert_int_eq(shell_says("chmod +x $D/bin/awk; export LC_ALL=tr_TR.UTF-8 PATH=$D/bin:$PATH; " TREE_MAKE
                                "build/generated/switch_registers.vh"),
                     0);
    ck_shell_says(0, "C\n", "sort -u $D/languages");
    ck_assert_int_eq(strlen(shell_output), 2);
    ck_assert_int_eq(shell_says("grep -L '^export LC_ALL=C$' $(grep -l '^#!/bin/sh' scripts/*.sh)"), 0);
    ck_assert_str_eq(shell_output, "");
}

static const struct {
    const char *path, *character;
} odd_paths[] = {{"a clone", "a space"}, {"a(b", "("}, {"a$b", "$"}, {"a#b", "#"}, {"a%b", "%"}};

TEST(a_clone_below_a_name_that_make_cannot_handle_is_refused_in_one_line, .to = COUNT(odd_paths))
{
    char text[100];
    snprintf(text, sizeof text, "/%s: make cannot handle a path with %s in it", odd_paths[_i].path,
             odd_paths[_i].character);
    ck_shell_says(2, text, "d=$D/'%s'; mkdir \"$d\" && cp Makefile \"$d\" && cd \"$d\" && " MAKE "lint >$D/all",
                  odd_paths[_i].path);
    ck_assert_ptr_eq(strchr(shell_output, '\n'), strrchr(shell_output, '\n'));
}

/* A container, for instance, whose user has no home. */
TEST(ccache_has_a_folder_here_where_its_own_cannot_be_made)
{
    ck_assert_int_eq(
        shell_says(
            "mkdir $D/bin && printf '#!/bin/sh\necho /proc/none/ccache\n' >$D/bin/ccache && chmod +x $D/bin/ccache"),
        0);
    ck_shell_says(0, "/build/ccache\n", "PATH=$D/bin:$PATH; " MAKE "lint >$D/all; grep ^CCACHE_DIR $D/all");
}

/* From variables to options. */
TEST(make_hands_every_variable_on)
{
    ck_shell_says(
        0, "--scenario uniform --sizes '8..496' --packets 9 --load '0.3' --warmup '5'",
        MAKE "lint soak NODES=4 LOAD=0.3 WARMUP=5 PACKETS=9 NIC=1voq MEMORY=sdram SWITCH_MONITOR='flows all' >$D/all; "
             "grep -E '^(soak_scenario|run_options) :=' $D/all");
    ck_output_has("--switch-monitor 'flows all'");
    ck_output_has("--nodes 4 --nic '1voq' --memory 'sdram'");
}

/* Somebody's environment has names that are variables here: the run is the same, and recipes do not see them. */
TEST(the_environment_does_not_change_a_run)
{
    ck_assert_int_eq(
        shell_says(MAKE
                   "sim >$D/plain; export FILE=/etc/passwd NODES=9 LOAD=0.1 SCENARIO=uniform SEED=5 WAVES=1 SANITIZE=1 "
                   "TEST=x RTL=/tmp NAME=host; make -pq NO_INSTALL=1 sim >$D/all; make -pq NO_INSTALL=1 -e sim >$D/e; "
                   "for f in plain all e; do grep -E '^(sim_options|simulator|BUILT|chosen|SEED) :?=' $D/$f | sort "
                   ">$D/$f.run; "
                   "done; cmp $D/plain.run $D/all.run && cmp $D/plain.run $D/e.run && grep sim_options $D/e.run"),
        0);
    ck_output_has("sim_options := --seed 1 ");
    ck_assert_int_eq(shell_says("grep -E '^(FILE|NODES|LOAD|NAME) ' $D/all"), 1);
}

/* ---- tutorial.py ---- */

#define TUTORIAL "${PYTHON:-python3} -S $D/tree/scripts/tool.py tutorial $D/"

/* make tutorial runs it as it is written; here make only says whether it would, which puts the tutorial's block into
 * its slot. */
TEST(every_command_of_the_tutorial_is_one)
{
    ck_shell_says(0, " steps checked, as they are written\n",
                  "${PYTHON:-python3} -S scripts/tool.py tutorial --check $D/all");
    ck_assert_int_eq(
        shell_says("cd $D/all/work && verilator --lint-only -Wall --default-language 1364-2005 -y nicxbar/rtl/switch "
                   "-y nicxbar/rtl/common nicxbar/scripts/lint.vlt mine/express.v >$D/says 2>&1; code=$?; "
                   "grep -v '^- ' $D/says; exit $code"), /* statistics of 5.022 and newer */
        0);
    ck_assert_str_eq(shell_output, "");
}

TEST(a_tutorial_that_is_wrong_is_found)
{
    ck_assert_int_eq(
        shell_says(
            "mkdir -p $D/tree/scripts && cp scripts/tool.py scripts/common.py scripts/tutorial.py $D/tree/scripts"),
        0);
    shell_put("tree/scripts/tutorial.md",
              "Say:\n```sh\necho one; echo 'two  3 four'\n```\n```\none\ntwo ... four\n```\n```sh\nmkdir x\ncd x\n"
              "```\n```sh\ntest $(basename $PWD) = x\n```\n```sh\necho no; false\n```\n```\nmake: *** ...\n```\n");
    ck_shell_says(1, "expected the line: make: *** ...", TUTORIAL "a");
    ck_shell_says(0, "tutorial: 4 steps, as they are written\n",
                  "sed -i 's/echo no/echo make: [***] Error/; s/.[*][*][*]. Error/*** Error/' "
                  "$D/tree/scripts/tutorial.md; " TUTORIAL "b");
    ck_shell_says(1, "expected the line: two ... five",
                  "sed -i 's/two ... four/two ... five/' $D/tree/scripts/tutorial.md; " TUTORIAL "c");
    ck_shell_says(1, "the commands above ended with 1: false",
                  "sed -i 's/^echo one.*/false/' $D/tree/scripts/tutorial.md; " TUTORIAL "d");
    ck_shell_says(1, "expected a folder that is not there yet", TUTORIAL "d");
}

/* ---- rooms.py ---- */

#define ROOMS "${PYTHON:-python3} -S scripts/tool.py rooms"

TEST(folders_use_what_their_readmes_say)
{
    ck_assert_int_eq(shell_says(ROOMS), 0);
    ck_assert_str_eq(shell_output, "");
}

TEST(a_folder_that_uses_another_than_its_readme_says_is_named)
{
    ck_shell_says(1,
                  "rooms: rtl/nic/link/link_tx.v:1: S1"
                  " 3.2.9 is not in the table of rtl/documents.md\n",
                  "mkdir -p $D/scripts && cp -rp rtl sim sw $D && cp -rp scripts/pictures $D/scripts && mkdir "
                  "$D/sim/app/cellar && touch "
                  "$D/sim/app/cellar/a && "
                  "sed -i '1i#include \"fabric.h\"' $D/sim/model/cable/cable.c && "
                  "sed -i '1i#include \"sim.h\"' $D/sw/driver/nx_queue.c && "
                  "sed -i '40i\\    link_sync #(.N(1)) one (' $D/rtl/nic/voq/voq_memory.v && "
                  "sed -i '1i// S1"
                  " 3.2.9, design.md"
                  " 5, pcix.md"
                  " 3.7; S1 3.2.4' $D/rtl/nic/link/link_tx.v && " ROOMS " $D");
    ck_output_has("rooms: rtl/nic/link/link_tx.v:1: design.md"
                  " 5 is not in rtl/design.md\n");
    ck_output_has("rooms: rtl/nic/link/link_tx.v:1: pcix.md"
                  " 3.7 is not in rtl/nic/pcix/pcix.md\n");
    ck_output_lacks("S1 3.2.4");
    ck_output_has("rooms: sim/app/cellar is no box of scripts/pictures/structure.svg\n");
    ck_output_has("rooms: sim/app/cellar has no row in the table of sim/README.md\n");
    ck_output_has("rooms: sim/model/cable/cable.c:1: fabric.h is of sim/system/nodes, which stands below "
                  "sim/model/cable in the table of "
                  "sim/README.md\n");
    ck_output_has("rooms: sw/driver/nx_queue.c:1: sim.h is of sim/core, and sw knows nothing of the simulator\n");
    ck_output_has("rtl/nic/voq/voq_memory.v:40: link_sync is of rtl/nic/link, which rtl/README.md does not name among "
                  "what rtl/nic/voq may use\n");
}
