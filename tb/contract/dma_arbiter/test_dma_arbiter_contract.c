/* The contract of the slot "DMA arbiter": every candidate keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=dma_arbiter BLOCK=name RTL=path. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "arbiter_checks.h"
#include "dma_arbiter_writes_first.h"
#include "faulty_dma_arbiter.h"
#include "slot_arbiter_1.h"
#include "slot_arbiter_2.h"
#include "slot_arbiter_3.h"

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

static void judge(arbiter_opener *open, const char *candidate)
{
    char complaint[200];
    for (unsigned i = 0; i < arbiter_check_count; i++)
        if (arbiter_judge(open, &arbiter_checks[i], complaint))
            ck_abort_msg("%s breaks the contract in %s: %s", candidate, arbiter_checks[i].name, complaint);
}

START_TEST(slot_with_1_read_in_a_row)
{
    judge(open_slot_arbiter_1, "the block in the slot");
}
END_TEST
START_TEST(slot_with_2_reads_in_a_row)
{
    judge(open_slot_arbiter_2, "the block in the slot");
}
END_TEST
START_TEST(slot_with_3_reads_in_a_row)
{
    judge(open_slot_arbiter_3, "the block in the slot");
}
END_TEST
START_TEST(writes_first)
{
    judge(open_dma_arbiter_writes_first, "dma_arbiter_writes_first");
}
END_TEST

/* The two policies are two: else the one passing would say nothing of the other. */
START_TEST(the_policies_differ)
{
    arbiter_bench *b = arbiter_bench_new(open_dma_arbiter_writes_first);
    for (unsigned n = 0; n < 10; n++) ck_assert_int_eq(arbiter_start(b, true, true, false), n % 5 == 4 ? ARBITER_READ : ARBITER_WRITE);
    arbiter_bench_free(b);
    fault = 0;
    b = arbiter_bench_new(open_faulty);
    for (unsigned n = 0; n < 9; n++) ck_assert_int_eq(arbiter_start(b, true, true, false), n % 3 == 2 ? ARBITER_WRITE : ARBITER_READ);
    arbiter_bench_free(b);
}
END_TEST

/* Fault number, the check that must find it, a part of what it says. */
static const struct {
    unsigned fault;
    const char *check, *says;
} faults[] = {
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

START_TEST(a_broken_block_is_caught)
{
    char complaint[200] = "";
    fault = faults[_i].fault;
    for (unsigned i = 0; i < arbiter_check_count; i++)
        if (!strcmp(arbiter_checks[i].name, faults[_i].check)) {
            ck_assert_msg(arbiter_judge(open_faulty, &arbiter_checks[i], complaint) != 0, "fault %u passes %s", fault, faults[_i].check);
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
    Suite *suite = suite_create("contract of the DMA arbiter");
    TCase *slot = tcase_create("slot"), *other = tcase_create("other"), *broken = tcase_create("broken");
    tcase_add_test(slot, slot_with_1_read_in_a_row);
    tcase_add_test(slot, slot_with_2_reads_in_a_row);
    tcase_add_test(slot, slot_with_3_reads_in_a_row);
    tcase_add_test(other, writes_first);
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
