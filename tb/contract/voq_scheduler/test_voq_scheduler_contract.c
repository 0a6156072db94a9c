/* The contract of the slot "VOQ scheduler": every candidate keeps it, every broken one is caught. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "faulty_voq_scheduler.h"
#include "slot_voq_scheduler_1.h"
#include "slot_voq_scheduler_16.h"
#include "slot_voq_scheduler_8.h"
#include "voq_scheduler_contract.h"

VOQ_SCHEDULER_CANDIDATE(slot_voq_scheduler_1, 1)
VOQ_SCHEDULER_CANDIDATE(slot_voq_scheduler_8, 8)
VOQ_SCHEDULER_CANDIDATE(slot_voq_scheduler_16, 16)

static unsigned fault;
VOQ_SCHEDULER_CANDIDATE(faulty_voq_scheduler, 8)

static void open_faulty(voq_scheduler_bench *b)
{
    open_faulty_voq_scheduler(b);
    *((faulty_voq_scheduler *)b->model)->fault = (uint8_t)fault;
}

static void judge(voq_scheduler_opener *open, const char *candidate)
{
    char complaint[200];
    for (unsigned i = 0; i < voq_scheduler_check_count; i++)
        if (voq_scheduler_judge(open, &voq_scheduler_checks[i], complaint))
            ck_abort_msg("%s breaks the contract in %s: %s", candidate, voq_scheduler_checks[i].name, complaint);
}

START_TEST(slot_with_1_queue)
{
    judge(open_slot_voq_scheduler_1, "the block in the slot");
}
END_TEST
START_TEST(slot_with_8_queues)
{
    judge(open_slot_voq_scheduler_8, "the block in the slot");
}
END_TEST
START_TEST(slot_with_16_queues)
{
    judge(open_slot_voq_scheduler_16, "the block in the slot");
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
    {6, "a_choice_stands_until_taken", "changed its mind"},
    {7, "it_chooses_among_the_eligible", ""},
    {8, "a_choice_stands_until_taken", "follows `take`"},
    {9, "a_choice_is_never_missing", "any is 0"},
    {9, "nobody_starves", "starves"},
    {10, "shares_are_equal", "queue 0"},
    {11, "a_choice_stands_until_taken", ""},
    {12, "nobody_starves", "starves"},
    {13, "a_choice_is_never_missing", "any is 0"},
    {14, "a_choice_is_never_missing", "any is 0"},
    {15, "shares_are_equal", ""},
    {15, "nobody_starves", "starves"},
    {16, "reset_begins_anew", "comes first after reset"},
};

START_TEST(a_broken_block_is_caught)
{
    char complaint[200] = "";
    fault = faults[_i].fault;
    for (unsigned i = 0; i < voq_scheduler_check_count; i++)
        if (!strcmp(voq_scheduler_checks[i].name, faults[_i].check)) {
            ck_assert_msg(voq_scheduler_judge(open_faulty, &voq_scheduler_checks[i], complaint) != 0, "fault %u passes %s", fault,
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
    Suite *suite = suite_create("contract of the VOQ scheduler");
    TCase *slot = tcase_create("slot"), *broken = tcase_create("broken");
    tcase_add_test(slot, slot_with_1_queue);
    tcase_add_test(slot, slot_with_8_queues);
    tcase_add_test(slot, slot_with_16_queues);
    tcase_add_test(broken, without_a_fault_it_passes);
    tcase_add_loop_test(broken, a_broken_block_is_caught, 0, sizeof faults / sizeof faults[0]);
    suite_add_tcase(suite, slot);
    suite_add_tcase(suite, broken);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
