/* The contract of the slot "credit scheduler": the block in it keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=credit_scheduler BLOCK=name RTL=path. */
#include <check.h>
#include <string.h>

#include "credit_checks.h"
#include "faulty_credit_scheduler.h"
#include "slot_credits_16.h"
#include "slot_credits_2.h"
#include "slot_credits_5.h"
#include "slot_credits_8.h"

CREDIT_CANDIDATE(slot_credits_2, 2)
CREDIT_CANDIDATE(slot_credits_5, 5)
CREDIT_CANDIDATE(slot_credits_8, 8)
CREDIT_CANDIDATE(slot_credits_16, 16)
CREDIT_CANDIDATE(faulty_credit_scheduler, 8)

static unsigned fault;
static void open_faulty(credit_bench *b)
{
    open_faulty_credit_scheduler(b);
    *((faulty_credit_scheduler *)b->model)->fault = (uint8_t)fault;
}

static void judge(credit_opener *open, const char *candidate)
{
    char complaint[200];
    for (unsigned i = 0; i < credit_check_count; i++)
        if (credit_judge(open, &credit_checks[i], complaint))
            ck_abort_msg("%s breaks the contract in %s: %s", candidate, credit_checks[i].name, complaint);
}

START_TEST(slot_with_2_outputs)
{
    judge(open_slot_credits_2, "the block in the slot");
}
END_TEST
START_TEST(slot_with_5_outputs)
{
    judge(open_slot_credits_5, "the block in the slot");
}
END_TEST
START_TEST(slot_with_8_outputs)
{
    judge(open_slot_credits_8, "the block in the slot");
}
END_TEST
START_TEST(slot_with_16_outputs)
{
    judge(open_slot_credits_16, "the block in the slot");
}
END_TEST

/* Fault number, the check that must find it, a part of what it says. */
static const struct {
    unsigned fault;
    const char *check, *says;
} faults[] = {
    {1, "departures_of_all_outputs_in_one_clock_count", "no request"},
    {2, "every_lane_is_sent_after_reset", "wrong parity"},
    {3, "a_record_repairs_and_is_answered", "credit says"},
    {4, "a_record_repairs_and_is_answered", "no request"},
    {5, "unmodified_lanes_are_sent_on_a_slow_timer", "0 credits in 10"},
    {6, "records_and_departures_may_meet", "forwarded"},
    {7, "counts_wrap_and_take_up_to_1023_units", "forwarded"},
    {8, "credits_are_right_on_a_busy_line", "credit says"},
    {9, "modified_lanes_take_turns", "one had"},
    {10, "modified_lanes_go_first", "is sent unmodified"},
    {11, "modified_lanes_go_first", "request fell"},
    {12, "unmodified_lanes_are_sent_on_a_slow_timer", "credits in 10"},
    {13, "credits_are_right_on_an_idle_line", "credit says"},
    {14, "every_lane_is_sent_after_reset", "credit says"},
    {15, "counts_wrap_and_take_up_to_1023_units", "forwarded"},
    {16, "it_tells_how_full_a_crosspoint_is", "occupied of lane"},
};

START_TEST(a_broken_block_is_caught)
{
    char complaint[200] = "";
    fault = faults[_i].fault;
    for (unsigned i = 0; i < credit_check_count; i++)
        if (!strcmp(credit_checks[i].name, faults[_i].check)) {
            ck_assert_msg(credit_judge(open_faulty, &credit_checks[i], complaint) != 0, "fault %u passes %s", fault, faults[_i].check);
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
    Suite *suite = suite_create("contract of the credit scheduler");
    TCase *slot = tcase_create("slot"), *broken = tcase_create("broken");
    tcase_add_test(slot, slot_with_2_outputs);
    tcase_add_test(slot, slot_with_5_outputs);
    tcase_add_test(slot, slot_with_8_outputs);
    tcase_add_test(slot, slot_with_16_outputs);
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
