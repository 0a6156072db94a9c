/* Whole chips with X: the pins of a NIC and of the switch, recorded from power-up over bring-up and a transfer,
 * replayed in Icarus (scripts/replay.py) on the Verilog. make fourstate does the same for longer runs, for other kinds
 * of NICs, and on the netlists of NIC and switch; that replays on netlists catch what they must is seen in
 * tb/unit/runtime/test_fourstate.c. */
#include <stdlib.h>

#include "crossbar2.h"
#include "scenario_bench.h"
#include "shell.h"
#include "system_bench.h"
#include "test.h"

#define REPLAY "${PYTHON:-python3} -S scripts/tool.py replay "

static char folder[] = "build/fourstate-XXXXXX";

static int says(const char *text)
{
    return shell("grep -q -e '%s' %s/out || { cat %s/out; false; }", text, folder, folder) == 0;
}

/* One transfer each way. */
static void transfers(scenario_bench *b, int variation)
{
    (void)variation;
    for (unsigned from = 0; from < 2; from++)
        ck_assert_int_eq(bench_transfer(b->f->node[from], b->f->node[!from], !from, 1500), NX_OK);
}

static void set_up(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    fabric_params p;
    fabric_params_default(&p, 2, &crossbar2_config);
    p.sim.pins = folder;
    fabric_good(scenario_bench_new(&p), transfers, 0);
    clean_up(); /* the recordings are closed */
}

static void tear_down(void) { shell("rm -rf %s", folder); }

TEST_CASE("replay", .timeout = 600, .setup = set_up, .teardown = tear_down);

TEST(no_x_leaves_a_nic_after_reset)
{
    ck_assert_int_eq(shell(REPLAY "%s/nic0.pins > %s/out 2>&1", folder, folder), 0);
    ck_assert(says("GOOD: [0-9]* edges, outputs known and as recorded from [0-9]* ps to [0-9]* ps"));
}

TEST(a_memory_of_a_nic_that_is_cleared_by_arithmetic_is_caught)
{
    ck_assert_int_eq(shell("f=rtl/nic/voq/voq_sequence.v && sed 's/= number\\[lane\\] & .*/= number[lane];/; "
                           "s/<= old + .*/<= old + (~old \\& {9{clear}}) + 1;/' $f > %s/voq_sequence.v && ! cmp -s $f "
                           "%s/voq_sequence.v",
                           folder, folder),
                     0);
    ck_assert_int_eq(shell(REPLAY "%s/nic0.pins %s/voq_sequence.v > %s/out 2>&1", folder, folder, folder), 1);
    ck_assert(says("(unknown), expected"));
}

TEST(no_x_leaves_the_switch_after_reset_and_a_wrong_bit_is_caught)
{
    ck_assert_int_eq(shell(REPLAY "%s/xbar.pins > %s/out 2>&1", folder, folder), 0);
    ck_assert(says("GOOD"));
    /* a K flag of what is sent: gt_tx_k, four outputs before the last */
    ck_assert_int_eq(shell("awk '$1 == \"edges\" { past = NR } "
                           "past && NR == past + 2000 { $(NF - 4) = $(NF - 4) == \"ff\" ? \"fe\" : \"ff\" } { print } "
                           "past && NR == past + 2050 { exit }' "
                           "%s/xbar.pins > %s/wrong.pins",
                           folder, folder),
                     0);
    ck_assert_int_eq(shell(REPLAY "%s/wrong.pins > %s/out 2>&1", folder, folder), 1);
    ck_assert(says("edge 2000: gt_tx_k is [0-9a-f]*, expected"));
}
