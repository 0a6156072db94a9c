/* The contract of the slot "DMA arbiter": every candidate keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=dma_arbiter BLOCK=name RTL=path. */
#include "arbiter_checks.h"
#include "dma_arbiter_writes_first.h"
#include "faulty_dma_arbiter.h"
#include "slot_arbiter_1.h"
#include "slot_arbiter_2.h"
#include "slot_arbiter_3.h"
#include "suite.h"

static const contract_candidate candidates[] = {
    {"the block in the slot, READS_IN_ROW = 1", IN_SLOT, &slot_arbiter_1_config},
    {"the block in the slot, READS_IN_ROW = 2", IN_SLOT, &slot_arbiter_2_config},
    {"the block in the slot, READS_IN_ROW = 3", IN_SLOT, &slot_arbiter_3_config},
    {"dma_arbiter_writes_first", OTHER_BLOCK, &dma_arbiter_writes_first_config},
    {"the broken one", BROKEN_BLOCK, &faulty_dma_arbiter_config},
};

static const contract_fault faults[] = {
    {1, "both_stand_all_the_time", "a write starves"},
    {2, "both_stand_all_the_time", "a read starves"},
    {3, "both_stand_all_the_time", "starves"},
    {4, "both_stand_all_the_time", "follows `arb_started`"},
    {5, "both_stand_all_the_time", "follows `arb_started_write`"},
    {6, "reset_begins_anew", "after reset"},
    {7, "reset_begins_anew", "after reset"},
    {8, "both_stand_all_the_time", "a write starves"},
    {8, "anything_may_happen", "a write starves"},
    {9, "what_came_before_gives_no_right", "a read starves"},
    {9, "writes_are_held_back", "a read starves"},
    {10, "requests_fall_between_two_starts", "a write starves"},
    {11, "requests_fall_between_two_starts", "a write starves"},
    {12, "reads_and_writes_of_different_length", "a write starves"},
    {13, "writes_are_held_back", "a write starves"},
    {14, "both_stand_all_the_time", "starves"},
    {15, "reset_begins_anew", "after reset"},
};

CONTRACT(arbiter);

TEST_CASE("policies");

/* The two policies are two: else the one passing would say nothing of the other. */
TEST(the_policies_differ)
{
    arbiter_bench *b = arbiter_bench_new(&dma_arbiter_writes_first_config, 0);
    for (unsigned n = 0; n < 10; n++) ck_assert_int_eq(arbiter_start(b, true, true, false), n % 5 == 4 ? ARBITER_READ : ARBITER_WRITE);
    arbiter_bench_free(b);
    b = arbiter_bench_new(&faulty_dma_arbiter_config, 0);
    for (unsigned n = 0; n < 9; n++) ck_assert_int_eq(arbiter_start(b, true, true, false), n % 3 == 2 ? ARBITER_WRITE : ARBITER_READ);
    arbiter_bench_free(b);
}
