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

ARBITER_CANDIDATE(slot_arbiter_1)
ARBITER_CANDIDATE(slot_arbiter_2)
ARBITER_CANDIDATE(slot_arbiter_3)
ARBITER_CANDIDATE(dma_arbiter_writes_first)

static unsigned fault;
ARBITER_CANDIDATE(faulty_dma_arbiter)

static void open_faulty(arbiter_bench *b)
{
    open_faulty_dma_arbiter(b);
    *((faulty_dma_arbiter *)b->model)->fault = (uint8_t)fault;
}

static arbiter_opener *const opener[] = {open_slot_arbiter_1, open_slot_arbiter_2, open_slot_arbiter_3, open_dma_arbiter_writes_first,
                                         open_faulty};
static const contract_candidate candidates[] = {
    {"the block in the slot, READS_IN_ROW = 1", IN_SLOT},
    {"the block in the slot, READS_IN_ROW = 2", IN_SLOT},
    {"the block in the slot, READS_IN_ROW = 3", IN_SLOT},
    {"dma_arbiter_writes_first", OTHER_BLOCK},
    {"the broken one", BROKEN_BLOCK},
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
    arbiter_bench *b = arbiter_bench_new(open_dma_arbiter_writes_first);
    for (unsigned n = 0; n < 10; n++) ck_assert_int_eq(arbiter_start(b, true, true, false), n % 5 == 4 ? ARBITER_READ : ARBITER_WRITE);
    arbiter_bench_free(b);
    fault = 0;
    b = arbiter_bench_new(open_faulty);
    for (unsigned n = 0; n < 9; n++) ck_assert_int_eq(arbiter_start(b, true, true, false), n % 3 == 2 ? ARBITER_WRITE : ARBITER_READ);
    arbiter_bench_free(b);
}
