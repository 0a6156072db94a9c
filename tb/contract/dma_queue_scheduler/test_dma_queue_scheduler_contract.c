/* The contract of the slot "DMA queue scheduler": every candidate keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=dma_queue_scheduler BLOCK=name RTL=path. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "aged_queue_scheduler_16.h"
#include "dma_queue_scheduler_aged.h"
#include "faulty_dma_queue_scheduler.h"
#include "queue_scheduler_checks.h"
#include "slot_queue_scheduler_16.h"
#include "slot_queue_scheduler_2.h"
#include "slot_queue_scheduler_5.h"
#include "slot_queue_scheduler_8.h"

QUEUE_SCHEDULER_CANDIDATE(slot_queue_scheduler_2, 2)
QUEUE_SCHEDULER_CANDIDATE(slot_queue_scheduler_5, 5)
QUEUE_SCHEDULER_CANDIDATE(slot_queue_scheduler_8, 8)
QUEUE_SCHEDULER_CANDIDATE(slot_queue_scheduler_16, 16)
QUEUE_SCHEDULER_CANDIDATE(dma_queue_scheduler_aged, 8)
QUEUE_SCHEDULER_CANDIDATE(aged_queue_scheduler_16, 16)

static unsigned fault;
QUEUE_SCHEDULER_CANDIDATE(faulty_dma_queue_scheduler, 8)

static void open_faulty(queue_scheduler_bench *b)
{
    open_faulty_dma_queue_scheduler(b);
    *((faulty_dma_queue_scheduler *)b->model)->fault = (uint8_t)fault;
}

static void judge(queue_scheduler_opener *open, const char *candidate)
{
    char complaint[200];
    for (unsigned i = 0; i < queue_scheduler_check_count; i++)
        if (queue_scheduler_judge(open, &queue_scheduler_checks[i], complaint))
            ck_abort_msg("%s breaks the contract in %s: %s", candidate, queue_scheduler_checks[i].name, complaint);
}

START_TEST(slot_with_2_queues)
{
    judge(open_slot_queue_scheduler_2, "the block in the slot");
}
END_TEST
START_TEST(slot_with_5_queues)
{
    judge(open_slot_queue_scheduler_5, "the block in the slot");
}
END_TEST
START_TEST(slot_with_8_queues)
{
    judge(open_slot_queue_scheduler_8, "the block in the slot");
}
END_TEST
START_TEST(slot_with_16_queues)
{
    judge(open_slot_queue_scheduler_16, "the block in the slot");
}
END_TEST
START_TEST(lowest_first_with_ageing)
{
    judge(open_dma_queue_scheduler_aged, "dma_queue_scheduler_aged");
    judge(open_aged_queue_scheduler_16, "dma_queue_scheduler_aged with 16 queues");
}
END_TEST

/* The two policies are two: else the one passing would say nothing of the other. */
START_TEST(the_policies_differ)
{
    int chosen[2];
    for (int i = 0; i < 2; i++) {
        queue_scheduler_bench *b = queue_scheduler_bench_new(i ? open_dma_queue_scheduler_aged : open_faulty_dma_queue_scheduler);
        if (!i) *((faulty_dma_queue_scheduler *)b->model)->fault = 0;
        queue_scheduler_step(b, 0xff, 0, &(struct used_piece){0, 10, true});
        chosen[i] = queue_scheduler_step(b, 0xff, 0, NULL);
        queue_scheduler_bench_free(b);
    }
    ck_assert_int_eq(chosen[0], 1);
    ck_assert_int_eq(chosen[1], 0);
}
END_TEST

/* Fault number, the check that must find it, a part of what it says. */
static const struct {
    unsigned fault;
    const char *check, *says;
} faults[] = {
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

START_TEST(a_broken_block_is_caught)
{
    char complaint[200] = "";
    fault = faults[_i].fault;
    for (unsigned i = 0; i < queue_scheduler_check_count; i++)
        if (!strcmp(queue_scheduler_checks[i].name, faults[_i].check)) {
            ck_assert_msg(queue_scheduler_judge(open_faulty, &queue_scheduler_checks[i], complaint) != 0, "fault %u passes %s", fault,
                          faults[_i].check);
            ck_assert_msg(strstr(complaint, faults[_i].says) != NULL, "fault %u: %s", fault, complaint);
            return;
        }
    ck_abort_msg("no check %s", faults[_i].check);
}
END_TEST

START_TEST(without_a_fault_it_passes)
{
    fault = 0;
    judge(open_faulty, "the one without a fault");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contract of the DMA queue scheduler");
    TCase *slot = tcase_create("slot"), *other = tcase_create("other"), *broken = tcase_create("broken");
    tcase_add_test(slot, slot_with_2_queues);
    tcase_add_test(slot, slot_with_5_queues);
    tcase_add_test(slot, slot_with_8_queues);
    tcase_add_test(slot, slot_with_16_queues);
    tcase_add_test(other, lowest_first_with_ageing);
    tcase_add_test(other, the_policies_differ);
    tcase_add_test(broken, without_a_fault_it_passes);
    tcase_add_loop_test(broken, a_broken_block_is_caught, 0, sizeof faults / sizeof faults[0]);
    suite_add_tcase(suite, slot);
    suite_add_tcase(suite, other);
    suite_add_tcase(suite, broken);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
