/* The contract of the slot "output scheduler": every candidate keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=output_scheduler BLOCK=name RTL=path. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "faulty_output_scheduler.h"
#include "output_scheduler_wrr.h"
#include "scheduler_checks.h"
#include "slot_scheduler_16.h"
#include "slot_scheduler_2.h"
#include "slot_scheduler_5.h"
#include "slot_scheduler_8.h"

SCHEDULER_CANDIDATE(slot_scheduler_2, 2)
SCHEDULER_CANDIDATE(slot_scheduler_5, 5)
SCHEDULER_CANDIDATE(slot_scheduler_8, 8)
SCHEDULER_CANDIDATE(slot_scheduler_16, 16)
SCHEDULER_CANDIDATE(output_scheduler_wrr, 8)

static unsigned fault;
SCHEDULER_CANDIDATE(faulty_output_scheduler, 8)

static void open_faulty(scheduler_bench *b)
{
    open_faulty_output_scheduler(b);
    *((faulty_output_scheduler *)b->model)->fault = (uint8_t)fault;
}

static void judge(scheduler_opener *open, const char *candidate)
{
    char complaint[200];
    for (unsigned i = 0; i < scheduler_check_count; i++)
        if (scheduler_judge(open, &scheduler_checks[i], complaint))
            ck_abort_msg("%s breaks the contract in %s: %s", candidate, scheduler_checks[i].name, complaint);
}

START_TEST(slot_with_2_inputs)
{
    judge(open_slot_scheduler_2, "the block in the slot");
}
END_TEST
START_TEST(slot_with_5_inputs)
{
    judge(open_slot_scheduler_5, "the block in the slot");
}
END_TEST
START_TEST(slot_with_8_inputs)
{
    judge(open_slot_scheduler_8, "the block in the slot");
}
END_TEST
START_TEST(slot_with_16_inputs)
{
    judge(open_slot_scheduler_16, "the block in the slot");
}
END_TEST
START_TEST(weighted_round_robin)
{
    judge(open_output_scheduler_wrr, "output_scheduler_wrr");
}
END_TEST

/* Fault number, the check that must find it, a part of what it says. */
static const struct {
    unsigned fault;
    const char *check, *says;
} faults[] = {
    {1, "arrivals_and_departures_may_meet", "waiting is"},
    {2, "a_choice_stands_until_taken", "changed its mind"},
    {3, "disabled_inputs_wait", "chose input"},
    {4, "nothing_is_chosen_unless_asked_for", "nothing was asked for"},
    {5, "every_packet_is_served_once", "chosen_onehot"},
    {6, "nobody_starves", "has waited for"},
    {7, "every_packet_is_served_once", "no choice after"},
    {8, "counts_127_packets_per_input", "waiting is"},
    {9, "reports_the_128th", "no overflow"},
    {10, "outputs_come_from_registers", "follows `choose`"},
    {11, "reset_forgets_everything", "waiting is"},
    {12, "counts_127_packets_per_input", "waiting is"},
    {13, "disabled_inputs_wait", "waiting is"},
    {14, "every_packet_is_served_once", "in the clock after taken"},
    {15, "every_packet_is_served_once", "waiting is"},
    {16, "a_choice_stands_until_taken", "fell without taken"},
    {17, "counts_127_packets_per_input", "overflow without cause"},
};

START_TEST(a_broken_block_is_caught)
{
    char complaint[200] = "";
    fault = faults[_i].fault;
    for (unsigned i = 0; i < scheduler_check_count; i++)
        if (!strcmp(scheduler_checks[i].name, faults[_i].check)) {
            ck_assert_msg(scheduler_judge(open_faulty, &scheduler_checks[i], complaint) != 0, "fault %u passes %s", fault,
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
    Suite *suite = suite_create("contract of the output scheduler");
    TCase *slot = tcase_create("slot"), *shipped = tcase_create("shipped"), *broken = tcase_create("broken");
    tcase_add_test(slot, slot_with_2_inputs);
    tcase_add_test(slot, slot_with_5_inputs);
    tcase_add_test(slot, slot_with_8_inputs);
    tcase_add_test(slot, slot_with_16_inputs);
    tcase_add_test(shipped, weighted_round_robin);
    tcase_add_test(broken, without_a_fault_it_passes);
    tcase_add_loop_test(broken, a_broken_block_is_caught, 0, sizeof faults / sizeof faults[0]);
    suite_add_tcase(suite, slot);
    suite_add_tcase(suite, shipped);
    suite_add_tcase(suite, broken);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
