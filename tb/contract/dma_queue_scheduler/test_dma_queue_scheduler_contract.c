/* The contract of the slot "DMA queue scheduler": every candidate keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=dma_queue_scheduler BLOCK=name RTL=path. */
#include "aged_queue_scheduler_16.h"
#include "dma_queue_scheduler_aged.h"
#include "faulty_dma_queue_scheduler.h"
#include "queue_scheduler_checks.h"
#include "slot_queue_scheduler_16.h"
#include "slot_queue_scheduler_2.h"
#include "slot_queue_scheduler_5.h"
#include "slot_queue_scheduler_8.h"
#include "suite.h"

static const contract_candidate candidates[] = {
    {"the block in the slot, 2 queues", IN_SLOT, &slot_queue_scheduler_2_config},
    {"the block in the slot, 5 queues", IN_SLOT, &slot_queue_scheduler_5_config},
    {"the block in the slot, 8 queues", IN_SLOT, &slot_queue_scheduler_8_config},
    {"the block in the slot, 16 queues", IN_SLOT, &slot_queue_scheduler_16_config},
    {"dma_queue_scheduler_aged", OTHER_BLOCK, &dma_queue_scheduler_aged_config},
    {"dma_queue_scheduler_aged, 16 queues", OTHER_BLOCK, &aged_queue_scheduler_16_config},
    {"the broken one", BROKEN_BLOCK, &faulty_dma_queue_scheduler_config},
};

static const contract_fault faults[] = {
    {1, "it_chooses_among_the_eligible", "is not among eligible"},
    {2, "it_chooses_among_the_eligible", "is not one-hot"},
    {3, "it_chooses_among_the_eligible", "index is"},
    {4, "it_chooses_among_the_eligible", "any is 1"},
    {5, "nobody_starves", "starves"},
    {6, "it_chooses_among_the_eligible", ""},
    {7, "a_choice_stands_until_something_is_used", "follows `used`"},
    {8, "a_choice_stands_until_something_is_used", ""},
    {9, "a_choice_is_never_missing", "any is 0"},
    {9, "nobody_starves", "starves"},
    {10, "a_choice_stands_until_something_is_used", "changed its mind"},
    {11, "nobody_starves", "starves"},
    {11, "pieces_may_go_otherwise", "starves"},
    {12, "nobody_starves", "starves"},
    {13, "nobody_starves", "changed its mind"},
    {14, "a_choice_is_never_missing", "any is 0"},
    {15, "reset_begins_anew", "after reset"},
    {16, "reset_begins_anew", "after reset"},
    {17, "a_choice_stands_until_something_is_used", "nothing was used"},
    {17, "reset_begins_anew", ""},
    {18, "pieces_may_go_otherwise", "any is 0"},
    {19, "traffic_of_all_kinds", ""},
    {20, "nobody_starves", "starves"},
    {21, "transfers_may_vanish", "any is 0"},
    {21, "traffic_of_all_kinds", "any is 0"},
};

CONTRACT(queue_scheduler);

TEST_CASE("policies");

/* The two policies are two: else the one passing would say nothing of the other. */
TEST(the_policies_differ)
{
    int chosen[2];
    for (int i = 0; i < 2; i++) {
        queue_scheduler_bench *b = queue_scheduler_bench_new(i ? &dma_queue_scheduler_aged_config : &faulty_dma_queue_scheduler_config, 0);
        queue_scheduler_step(b, 0xff, 0, &(struct used_piece){0, 10, true});
        chosen[i] = queue_scheduler_step(b, 0xff, 0, NULL);
        queue_scheduler_bench_free(b);
    }
    ck_assert_int_eq(chosen[0], 1);
    ck_assert_int_eq(chosen[1], 0);
}
