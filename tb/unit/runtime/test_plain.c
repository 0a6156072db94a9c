/* FAST=0: models as Verilator prints them do what those of the fast passes do, and their waves, which come by
 * Verilator's VCD, have the same values. In a tree of its own below /tmp. */
#include "shell.h"
#include "test.h"

#define IN_TREE "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES SIM_WAVES CK_RUN_CASE; cd $D; "
#define RUN "make -j1 test TEST=tb/unit/common/test_sync_pulse SEED=3 WAVES=1 FAST="
/* Each change of a file of waves as a line: time, signal, value. */
#define CHANGES                                                                                                        \
    "fst2vcd $f/tb-unit-common-test_sync_pulse.fst 2>/dev/null | awk '"                                                \
    "/^\\$scope/ { path = path \".\" $3 } /^\\$upscope/ { sub(/\\.[^.]*$/, \"\", path) } "                             \
    "/^\\$var/ { name = path; for (i = 5; i < NF; i++) name = name \".\" $i; of[$4] = of[$4] \" \" name; next } "      \
    "/^#/ { t = $1 } /^[01]/ { show(substr($0, 2), substr($0, 1, 1)) } /^b/ { show($2, $1) } "                         \
    "function show(id, value,    list, i, n) { n = split(of[id], list, \" \"); for (i = 1; i <= n; i++) print t, "     \
    "list[i], value }' "                                                                                               \
    "| sort >$f/changes; "

TEST_CASE("plain", .timeout = 300);

TEST(models_as_verilator_prints_them_do_the_same)
{
    ck_assert_int_eq(
        shell_says(
            "mkdir -p $D/rtl $D/tb/unit/common $D/sim $D/sw $D/build && cp -rp scripts Makefile $D && cp -p "
            "build/nicxbar $D/build && "
            "cp --parents $(find rtl -name registers.map) rtl/common/*.v sim/model/*/*_rules.h $D && cp -rp "
            "--parents sim/core "
            "sim/observe/cycles $D && "
            "cp -p tb/*.[ch] $D/tb && cp -p tb/unit/common/test_sync_pulse.c tb/unit/common/models $D/tb/unit/common"),
        0);
    ck_assert_msg(!shell_says(IN_TREE RUN "1 && mv build/waves fast && " RUN "0 && mv build/waves plain"), "%s",
                  shell_output);
    ck_assert_int_eq(shell_says(IN_TREE "for f in fast plain; do " CHANGES
                                        "done; test $(grep -c . fast/changes) -gt 1000 && "
                                        "cmp fast/changes plain/changes"),
                     0);
    ck_shell_says(2, "PASSES=rest faster: expected some of evaluate rest lanes places",
                  IN_TREE RUN "1 PASSES='rest faster'");
    ck_shell_says(2, "FAST=2: expected 0 or 1", IN_TREE RUN "2");
    ck_shell_says(2, "expected Verilator 5.006 or newer; --version says: true (GNU coreutils)",
                  IN_TREE RUN "0 VERILATOR=/bin/true");
}
