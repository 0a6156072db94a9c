/* A model with one pass (scripts/passes.py) behaves as with all of them, edge by edge: pins of a NIC, a NIC of two
 * links and the switch, recorded in a run, are replayed. For a packet-mode switch, whose program records none, the
 * reference is the model as Verilator prints it. */
#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim2");
RUNS("nicxbar-sim2-links");

TEST_CASE("passes", .timeout = 120, .teardown = shell_clean);

/* C++ in $D/cpp of a module, as model.py makes it. */
#define VERILATE                                                                                                       \
    "${VERILATOR:-verilator} --cc -O3 --x-assign unique --x-initial unique --prefix Vm -Mdir $D/cpp -Wno-fatal "       \
    "-Wno-lint -Wno-style "                                                                                            \
    "-Wno-UNOPTFLAT --default-language 1364-2005 +incdir+build/generated $(find rtl -name '*.v' ! -path '*/parts/*' "  \
    "-printf '-y %%h\\n' "                                                                                             \
    "| "                                                                                                               \
    "sort -u) --top-module %s %s scripts/lint.vlt rtl/%s 2>&1"
/* $D/x/x: replays $D/pins/%s on the model behind these passes. */
#define BUILD                                                                                                          \
    "rm -rf $D/x; cp -r $D/cpp $D/x; p=$PWD/build/models; s=$(${VERILATOR:-verilator} --getenv "                       \
    "VERILATOR_ROOT)/include; "                                                                                        \
    "{ [ -z '%s' ] || PASSES_SAID= ${PYTHON:-python3} scripts/passes.py m $D/x %s; } 2>&1 && "                         \
    "${PYTHON:-python3} tb/system/replay_pins.py Vm $D/pins/%s.pins >$D/x/main.cc && cd $D/x && "                      \
    "for f in *.cpp main.cc; do echo \"#include \\\"$f\\\"\"; done >all.cc && c=${MODEL_CXX:-g++} && "                 \
    "$c -std=gnu++17 -O0 -w -I. -isystem $s -isystem $s/vltstd -DVL_USER_FATAL -DVL_USER_WARN -DVM_TRACE=0 -c all.cc " \
    "&& "                                                                                                              \
    "$c all.o $p/libverilated.a -o x"

static const struct {
    const char *module, *parameters, *file, *program, *options, *chip;
} runs[] = {
    {"crossbar", "-GPORTS=2", "crossbar.v", "nicxbar-sim2", "--scenario uniform --load 0.3", "xbar"},
    {"nic", "-GLINKS=2", "nic/nic.v", "nicxbar-sim2-links", "--nic 2links --scenario one-way --direct --load 0.3",
     "nic0"},
};

TEST(each_pass_by_itself_changes_no_pin, .to = COUNT(runs))
{
    static const char *const passes[] = {"evaluate", "rest"};
    shell_program(runs[_i].program);
    ck_assert_int_eq(
        shell_says("mkdir $D/pins && $P --nodes 2 %s --sizes 8..496 --warmup 2 --measure 20 --initial 0 --no-monitor "
                   "--out $D --pins $D/pins",
                   runs[_i].options),
        0);
    ck_assert_int_eq(shell_says(VERILATE, runs[_i].module, runs[_i].parameters, runs[_i].file), 0);
    for (int i = 0; i < COUNT(passes); i++) {
        ck_assert_int_eq(shell_says(BUILD, passes[i], passes[i], runs[_i].chip), 0);
        int fits = shell_pass_fits(passes[i]);
        ck_assert_int_eq(shell_says("diff -rq $D/cpp $D/x | grep -q differ"), !fits);
        ck_shell_says(0, " steps\n", "$D/x/x <$D/pins/%s.pins", runs[_i].chip);
    }
}

/* Two inputs of packets of any length and output; outputs of the switch behind its pins. */
#define PACKETS                                                                                                        \
    "mkdir $D/pins && awk 'BEGIN { print \"module pm_switch PORTS=2\\nclock clk\\ninput rst\\ninput "                  \
    "line_valid\\ninput line_first\\n"                                                                                 \
    "input line_output\\ninput line_words\\ninput line_word\"; "                                                       \
    "n = split(\"line_full out_valid out_first out_last out_input out_word link_valid column_valid error_credit "      \
    "egress_most\", o); "                                                                                              \
    "for (i = 1; i <= n; i++) print \"output \" o[i]; print \"edges\"; "                                               \
    "for (t = 0; t < 8000; t++) { valid = first = 0; "                                                                 \
    "for (i = 0; i < 2; i++) { if (t > 9 && left[i] < -int(99 * rand())) { left[i] = words[i] = 2 + int(62 * "         \
    "rand()); "                                                                                                        \
    "to[i] = int(2 * rand()); first += 2 ^ i } valid += left[i]-- > 0 ? 2 ^ i : 0 } "                                  \
    "printf \"%%x 1 %%x %%x %%x %%x %%x %%08x%%08x%%08x%%08x\\n\", t, t < 5, valid, first, to[0] + 2 * to[1], "        \
    "words[0] + 8192 * words[1], t, 7 * t, t + 1, 5 * t } }' >$D/pins/in.pins"

TEST(a_packet_mode_switch_does_the_same)
{
    ck_assert_int_eq(shell_says(PACKETS), 0);
    ck_assert_int_eq(shell_says(VERILATE, "pm_switch", "-GPORTS=2", "packet_mode/pm_switch.v"), 0);
    ck_assert_int_eq(shell_says(BUILD, "", "", "in"), 0);
    ck_assert_int_eq(shell_says("$D/x/x print <$D/pins/in.pins >$D/pins/all.pins"), 0);
    ck_shell_says(0, "many packets\n",
                  "[ $(sed '1,/edges/d' $D/pins/all.pins | awk '$10 != 0' | wc -l) -gt 100 ] && echo many packets");
    ck_assert_int_eq(shell_says(BUILD, "evaluate", "evaluate", "all"), 0);
    ck_shell_says(0, "8000 steps\n", "$D/x/x <$D/pins/all.pins");
}
