/* Another DMA arbiter that keeps the contract, broken ones that must be rejected; and properties of the default one
 * beyond it. */
#include "dma_arbiter.h"
#include "dma_arbiter_1.h"
#include "dma_arbiter_contract.h"
#include "dma_arbiter_writes_first.h"
#include "faulty_dma_arbiter.h"

static const contract_candidate candidates[] = {
    {"dma_arbiter_writes_first", OTHER_BLOCK, &dma_arbiter_writes_first_config},
    {"the broken one", BROKEN_BLOCK, &faulty_dma_arbiter_config},
};

static const contract_fault faults[] = {
    {1, "both_stand_all_the_time", CONTRACT_STARVES, NOT_RARELY},
    {2, "both_stand_all_the_time", CONTRACT_STARVES, NOT_RARELY},
    {3, "both_stand_all_the_time", CONTRACT_STARVES, NOT_RARELY},
    {4, "both_stand_all_the_time", SAME_CLOCK, ALSO_RARELY},
    {5, "both_stand_all_the_time", SAME_CLOCK, ALSO_RARELY},
    {6, "reset_begins_anew", BESIDE, NOT_RARELY | NOT_LATE},
    {7, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {8, "both_stand_all_the_time", CONTRACT_STARVES, NOT_RARELY},
    {8, "anything_may_happen", CONTRACT_STARVES, NOT_RARELY},
    {9, "what_came_before_gives_no_right", CONTRACT_STARVES, NOT_RARELY},
    {9, "writes_are_held_back", CONTRACT_STARVES, NOT_RARELY},
    {10, "requests_fall_between_two_starts", CONTRACT_STARVES, NOT_RARELY},
    {11, "requests_fall_between_two_starts", CONTRACT_STARVES, NOT_RARELY},
    {12, "reads_and_writes_of_different_length", CONTRACT_STARVES, NOT_RARELY},
    {13, "writes_are_held_back", CONTRACT_STARVES, NOT_RARELY},
    {14, "both_stand_all_the_time", CONTRACT_STARVES, NOT_RARELY},
    {15, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
};

const contract contract_of_program = {&dma_arbiter_slot, candidates, faults, COUNT(candidates), COUNT(faults)};

TEST_CASE("policies");

/* The two policies are two: else the one passing would say nothing of the other. */
TEST(the_policies_differ)
{
    arbiter_bench *b = dma_arbiter_slot.bench_new(&dma_arbiter_writes_first_config, 0);
    for (unsigned n = 0; n < 10; n++) ck_assert_int_eq(arbiter_start(b, true, true, false), n % 5 == 4 ? READ : WRITE);
    b = dma_arbiter_slot.bench_new(&faulty_dma_arbiter_config, 0);
    for (unsigned n = 0; n < 9; n++) ck_assert_int_eq(arbiter_start(b, true, true, false), n % 3 == 2 ? WRITE : READ);
}

/* The default arbiter: reads first, but no write waits for more than two reads, or for more than one if built so. What
 * could start comes and goes. */
TEST(a_write_waits_for_few_reads, .from = 1, .to = 3)
{
    arbiter_bench *b = dma_arbiter_slot.bench_new(_i == 1 ? &dma_arbiter_1_config : &dma_arbiter_config, 0);
    bool could[2] = {false, false};
    unsigned reads_passed = 0, worst = 0,
             read_beaten = 0; /* reads_passed: past a write that could start, since the last write */
    for (unsigned n = 0; n < 20000; n++) {
        if (contract_below(b, 4)) {
            arbiter_no_start(b, could[READ], could[WRITE]);
            for (int k = READ; k <= WRITE; k++) could[k] |= contract_below(b, 3) == 0;
            continue;
        }
        int what = arbiter_start(b, could[READ], could[WRITE], false);
        if (what < 0) continue;
        reads_passed = what == WRITE ? 0 : reads_passed + could[WRITE];
        worst = reads_passed > worst ? reads_passed : worst;
        read_beaten += what == WRITE && could[READ];
        if (contract_below(b, 3)) could[what] = false;
    }
    ck_assert_str_eq(b->c.complaint, "");
    ck_assert_uint_eq(worst, (unsigned)_i);
    ck_assert_uint_gt(b->starts[READ], 1000);
    ck_assert_uint_gt(b->starts[WRITE], 1000);
    ck_assert_uint_gt(read_beaten, 100);
}
