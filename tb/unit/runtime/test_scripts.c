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
    shell_put("tb/proofs/proofs", "holds fits prove_q\nsees seen prove_q | a\nfails holds_not prove_q\n");
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
    ck_shell_says(1, "tb/proofs/proofs: prove_q: expected a line `sees` of its",
                  "cd $D && sed -i /^sees/d tb/proofs/proofs; python3 scripts/capacity.py design");
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

/* Each file by a tool of its own, and again only when it has changed; of cppcheck only what is a rule. */
TEST(static_checks_of_c_are_done_once)
{
#define STATIC "cd $D && PATH=$D/bin:$PATH ${PYTHON:-python3} -S scripts/tool.py static"
    ck_assert_int_eq(shell_says("mkdir -p $D/sim $D/bin $D/build && cp -rp scripts $D && touch $D/sim/a.h && "
                                "printf '#include \"sim/a.h\"\n' >$D/sim/a.c && "
                                "printf '#include \"of_a_model.h\"\n' >$D/sim/b.c"),
                     0);
    shell_put("bin/clang-tidy",
              "#!/bin/sh\n[ $1 = --version ] && echo 14 && exit\necho $3 $4 >>calls\n"
              "grep -q wrong sim/a.h && echo \"$PWD/sim/a.h:7:1: warning: bad [bugprone-swapped]\"\n");
    shell_put("bin/cppcheck", "#!/bin/sh\n[ $1 = --version ] && echo 2 && exit\n"
                              "for f; do :; done; echo $f:3: late [arrayIndexThenCheck]; echo $f:4: x [unknown]\n");
    ck_shell_says(1, "sim/a.c:3: late [arrayIndexThenCheck]\n", "chmod +x $D/bin/*;" STATIC);
    ck_output_has("lint: 1 C files wait for the headers of their models");
    ck_output_lacks("unknown");
    ck_shell_says(0, "1\n", "cd $D && grep -c 'sim/a.c$' calls");
    ck_shell_says(0, "1\n", STATIC " >says; grep -c 'sim/a.c$' calls");
    ck_shell_says(0, "sim/a.h:7: bad [bugprone-swapped]\n",
                  "cd $D && echo wrong >sim/a.h;" STATIC " >says; cat says; [ $(grep -c 'sim/a.c$' calls) = 2 ]");
    ck_shell_says(0, "lint: no clang-tidy here",
                  "cd $D && rm bin/cppcheck && printf '#!/bin/sh\\nexit 1' "
                  ">bin/clang-tidy && printf '#!/bin/sh\\nexit 1' >bin/cppcheck; chmod +x bin/*;" STATIC);
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

/* ---- tool.py ---- */

/* By tool.py and by hand; a part of others, started by hand, does nothing. */
TEST(every_script_refuses_words_that_its_manual_does_not_show)
{
    ck_shell_says(
        0, "",
        "for f in scripts/*.py; do n=${f##*/}; for how in \"-S scripts/tool.py ${n%%.py}\" $f; do "
        "${PYTHON:-python3} $how --nonsense x y >$D/says 2>&1 </dev/null; code=$?; lines=$(wc -l <$D/says); "
        "case $code$lines$how in 21*|00scripts*) ;; *) echo \"$how: $code\"; cat $D/says ;; esac; done; done");
    ck_assert_str_eq(shell_output, "");
    ck_shell_says(2, "usage: page cycles [FOLDER] | page curves [FOLDER]; not: page nonsense\n",
                  "${PYTHON:-python3} scripts/page.py nonsense");
    /* also through links, of which a build elsewhere (BUILD) consists */
    ck_shell_says(2, "usage: page ", "ln -s $PWD/scripts/*.py $D && ${PYTHON:-python3} $D/page.py nonsense");
}

static const char *const wrong_words[] = {"arrange $D/none a.instances",
                                          "bus_rules none.h",
                                          "bus_rules",
                                          "bindings a b none c",
                                          "block",
                                          "capacity none",
                                          "commands none",
                                          "compare none",
                                          "compare",
                                          "contract",
                                          "contract x",
                                          "declared none.v",
                                          "design",
                                          "design files none",
                                          "design signals none chip",
                                          "diskkill check a b c",
                                          "diskkill a b c d client",
                                          "disktest x",
                                          "distro",
                                          "distro sid --arch",
                                          "doc",
                                          "doc x",
                                          "flows none none",
                                          "initial_values none.cpp no.cpp",
                                          "interop x",
                                          "microbench",
                                          "model none none a b",
                                          "page",
                                          "page none",
                                          "passes none none none",
                                          "printed none",
                                          "prove none",
                                          "prove none locks",
                                          "registers",
                                          "registers format=c a b",
                                          "replay",
                                          "replay none",
                                          "report",
                                          "report none x 1",
                                          "rooms none",
                                          "run_tests",
                                          "run_tests --step",
                                          "sizes",
                                          "sizes none",
                                          "sizes roce 9",
                                          "slots none",
                                          "slots --blocks none",
                                          "speed",
                                          "speed a b c",
                                          "states none.v",
                                          "synth",
                                          "timing none",
                                          "texts none",
                                          "times",
                                          "times --show none",
                                          "tutorial",
                                          "linux a b",
                                          "uml a b",
                                          "",
                                          "none",
                                          "common"};

TEST(wrong_missing_and_surplus_words_take_one_line, .to = COUNT(wrong_words))
{
    ck_shell_says(2, "", "${PYTHON:-python3} -S scripts/tool.py %s 2>&1 </dev/null", wrong_words[_i]);
    ck_assert_msg(strchr(shell_output, '\n') && !strchr(shell_output, '\n')[1], "%s", shell_output);
}

/* ---- linux.py ---- */

#define LINUX "PATH=$D/bin:$PATH ${PYTHON:-python3} -S scripts/tool.py linux $D/linux"

/* A machine that has the package `linux-source-6.1`, of another kernel, if a file `known` is there. */
TEST(a_kernel_that_no_patch_fits_is_refused)
{
    ck_assert_int_eq(shell("mkdir %s/bin", shell_folder()), 0);
    for (int i = 0; i < 4; i++) {
        static const char *const tools[] = {"flex", "bison", "m4", "bc"};
        char name[20];
        snprintf(name, sizeof name, "bin/%s", tools[i]);
        shell_put(name, "#!/bin/sh\n");
    }
    shell_put("bin/xz", "#!/bin/sh\nexec cat\n");
    shell_put("bin/patch", "#!/bin/sh\nexit 1\n");
    shell_put("bin/dpkg-query", "#!/bin/sh\nexit 1\n");
    shell_put("bin/apt-cache", "#!/bin/sh\ncase $1 in search) echo 'linux-source-6.12 - sources' ;; *) echo Package: "
                               "linux-source-6.1$([ -e ${0%/*}/known ] || echo 2)\necho Version: 6.9 ;; esac\n");
    shell_put("bin/apt-get", "#!/bin/sh\ncp ${0%/*}/other.deb linux-source-6.1_6.9.deb\n");
    ck_assert_int_eq(shell("chmod +x $D/bin/*"), 0);
    ck_shell_fails("linux: there is no package linux-source-6.1: expected Debian 12", LINUX);
    ck_output_has("for linux-source-6.12 there are no patches");
    shell_put("bin/known", "");
    ck_shell_fails("linux: cannot download package linux-source-6.1", LINUX);
    ck_assert_int_eq(shell("mkdir -p $D/deb/DEBIAN $D/deb/usr/src $D/other/lib && echo other >$D/other/lib/Makefile && "
                           "tar -C $D -cf $D/deb/usr/src/linux-source-6.1.tar.xz other && printf 'Package: "
                           "linux-source-6.1\nVersion: 6.9\nArchitecture: all\nMaintainer: n\nDescription: d\n' "
                           ">$D/deb/DEBIAN/control && dpkg-deb -b $D/deb $D/bin/other.deb"),
                     0);
    ck_shell_fails("linux: 0001-virt-pci-intx.patch does not fit linux-source-6.1 6.9", LINUX);
}

TEST(user_mode_linux_needs_memory_that_programs_may_run_in)
{
    ck_assert_int_eq(shell("mkdir %s/bin", shell_folder()), 0);
    shell_put("bin/dpkg-query", "#!/bin/sh\necho installed 6.9\n");
    ck_assert_int_eq(shell("chmod +x $D/bin/*"), 0);
    ck_shell_fails("none: No such file or directory, expected a folder that is not mounted with noexec",
                   "TMPDIR=$D/none " LINUX);
}

/* ---- picture.py ---- */

/* Places in a chart of 800 x 480 whose axes begin at 56, 434 and end at 784, 76. */
TEST(charts_show_what_was_measured)
{
    shell_put("before", "payload [MiB/s] of each flow\n 0  - 40.0 40.0\n 1  - - 0.0\n sum 40.0\n");
    shell_put("after", "payload [MiB/s] of each flow\n 0  - 80.0 80.0\n 1  - 5.0 5.0\n sum 85.0\n");
    ck_shell_says(0, ">host 1</text>",
                  "${PYTHON:-python3} -S scripts/tool.py flows $D/before $D/after >$D/flows.svg && cat $D/flows.svg && "
                  "xmllint --noout $D/flows.svg");
    ck_output_has(">40.0</text>");
    ck_output_has(">80.0</text>");
    shell_put(
        "points",
        "{\"points\": ["
        "{\"picture\": \"capacity\", \"curve\": \"4096-byte packets, server2004\", \"x\": 50, \"y\": 160},"
        "{\"picture\": \"capacity\", \"curve\": \"4096-byte packets, server2004\", \"x\": 100, \"y\": 320},"
        "{\"picture\": \"pcix\", \"curve\": \"DMA read, server2004\", \"x\": 8, \"y\": 0},"
        "{\"picture\": \"pcix\", \"curve\": \"DMA read, server2004\", \"x\": 32, \"y\": 400},"
        "{\"picture\": \"pcix\", \"curve\": \"DMA read, server2004\", \"x\": 128, \"y\": 800},"
        "{\"picture\": \"latency\", \"curve\": \"send-DMA\", \"x\": 1, \"y\": 500},"
        "{\"picture\": \"distribution\", \"curve\": \"in NIC, from 1, pins, server2004\", \"x\": 7, \"y\": 50}]}");
    shell_put("measure", "#!/bin/sh\ncp $D/points \"$2\"\n");
    ck_shell_says(
        0, "capacity.svg",
        "chmod +x $D/measure; ${PYTHON:-python3} -S scripts/tool.py microbench $D/x.json $D/charts $D/measure && "
        "cd $D/charts && xmllint --noout *.svg && ls | wc -l && cat capacity.svg pcix.svg");
    ck_output_has("\n4\n");
    ck_output_has("d=\"M420.0 255.0L784.0 76.0\"");
    ck_output_has("d=\"M56.0 434.0L420.0 255.0L784.0 76.0\"");
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
    ck_assert_int_eq(shell_says("cp -rp scripts $D && cd $D && rm -rf scripts/__pycache__ && for f in scripts/*.py; do "
                                "env -u PYTHONDONTWRITEBYTECODE ${PYTHON:-python3} $f --nonsense </dev/null; done"),
                     2);
    ck_assert_msg(shell_says("find $D/scripts -name __pycache__ | grep ."), "%s", shell_output);
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
                  "mkdir -p $D/scripts && cp -rp rtl sim sw $D && cp -rp scripts/pictures scripts/guest $D/scripts && "
                  "sed -i '1i#include \"roce_pattern.h\"' $D/scripts/guest/verbs.c && mkdir "
                  "$D/sim/app/cellar && touch "
                  "$D/sim/app/cellar/a && "
                  "sed -i '1i#include \"fabric.h\"' $D/sim/model/cable/cable.c && "
                  "sed -i '1i#include \"sim.h\"' $D/sw/driver/nx_queue.c && "
                  "sed -i '40i\\    link_sync #(.N(1)) one (' $D/rtl/nic/voq/voq_memory.v && "
                  "sed -i '1i// S1"
                  " 3.2.9, design.md"
                  " 5, pcix.md"
                  " 3.7; S1 3.2.4' $D/rtl/nic/link/link_tx.v && sed -i '/^| S3 4/s/4.2.1 |/4.2.7 |/' "
                  "$D/rtl/documents.md && " ROOMS " $D");
    ck_output_has("rooms: rtl/documents.md: S3 4.2.1 is in no row\n");
    ck_output_has("rooms: rtl/documents.md: S3 has no section 4.2.7\n");
    ck_output_has("rooms: rtl/nic/link/link_tx.v:1: design.md"
                  " 5 is not in rtl/design.md\n");
    ck_output_has("rooms: rtl/nic/link/link_tx.v:1: pcix.md"
                  " 3.7 is not in rtl/nic/pcix/pcix.md\n");
    ck_output_has("rooms: scripts/guest/verbs.c:1: there is no roce_pattern.h from the root of the tree on\n");
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
