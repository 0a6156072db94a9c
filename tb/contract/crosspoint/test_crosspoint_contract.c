/* The contract of the slot "crosspoint": every candidate keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=crosspoint BLOCK=name RTL=path. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "crosspoint_checks.h"
#include "faulty_crosspoint.h"
#include "faulty_crosspoint_same.h"
#include "slot_crosspoint_same.h"
#include "slot_crosspoint_small.h"
#include "slot_crosspoint_two.h"

CROSSPOINT_CANDIDATE(slot_crosspoint_two, false, 9)
CROSSPOINT_CANDIDATE(slot_crosspoint_same, true, 9)
CROSSPOINT_CANDIDATE(slot_crosspoint_small, false, 6)

static unsigned fault;
CROSSPOINT_CANDIDATE(faulty_crosspoint, false, 9)
CROSSPOINT_CANDIDATE(faulty_crosspoint_same, true, 9)

static void open_faulty(crosspoint_bench *b)
{
    open_faulty_crosspoint(b);
    *((faulty_crosspoint *)b->model)->fault = (uint8_t)fault;
}

static void open_faulty_same(crosspoint_bench *b)
{
    open_faulty_crosspoint_same(b);
    *((faulty_crosspoint_same *)b->model)->fault = (uint8_t)fault;
}

static void judge(crosspoint_opener *open, const char *candidate)
{
    char complaint[200];

    for (unsigned i = 0; i < crosspoint_check_count; i++)
        if (crosspoint_judge(open, &crosspoint_checks[i], complaint))
            ck_abort_msg("%s breaks the contract in %s (%u): %s", candidate, crosspoint_checks[i].name, i, complaint);
}

START_TEST(slot_between_two_clocks)
{
    judge(open_slot_crosspoint_two, "the block in the slot");
}
END_TEST
START_TEST(slot_within_one_clock)
{
    judge(open_slot_crosspoint_same, "the block in the slot");
}
END_TEST
START_TEST(slot_of_64_words)
{
    judge(open_slot_crosspoint_small, "the block in the slot");
}
END_TEST

/* Fault number, the check that must find it, a part of what it says. */
static const struct {
    unsigned fault;
    const char *check, *says;
} faults[] = {
    {1, "every_word_comes_out_once", "written was"},
    {2, "every_packet_is_announced_once", "have arrived"},
    {3, "it_holds_all_but_one_of_its_words", "wr_space is"},
    {4, "space_and_occupancy_settle", "occupancy is"},
    {5, "every_word_comes_out_once", "end 0"},
    {6, "every_word_comes_out_once", "spoiled 0"},
    {7, "an_arrival_is_announced_in_time", "clocks after"},
    {8, "an_arrival_is_announced_in_time", "does not show"},
    {9, "a_pop_without_a_word_does_nothing", "underflows"},
    {10, "a_write_without_space_is_reported", "no overflow"},
    {11, "every_word_comes_out_once", "without a word"},
    {12, "a_pop_without_a_word_does_nothing", "word"},
    {13, "every_word_comes_out_once", "written was"},
    {14, "a_packet_streams_through", "has to wait"},
    {15, "reset_forgets_everything", ""},
    {16, "it_holds_all_but_one_of_its_words", "no space after"},
    {17, "every_packet_is_announced_once", "arrived"},
};

START_TEST(every_fault_is_found)
{
    char complaint[200];

    for (unsigned same = 0; same < 2; same++)
        for (unsigned i = 0; i < crosspoint_check_count; i++) {
            if (strcmp(crosspoint_checks[i].name, faults[_i].check)) continue;
            fault = faults[_i].fault;
            ck_assert_msg(crosspoint_judge(same ? open_faulty_same : open_faulty, &crosspoint_checks[i], complaint),
                          "fault %u was not found by %s", fault, faults[_i].check);
            ck_assert_msg(strstr(complaint, faults[_i].says), "fault %u: %s", fault, complaint);
            break;
        }
}
END_TEST

START_TEST(without_a_fault_nothing_is_found)
{
    fault = 0;
    judge(open_faulty, "the faulty one without a fault");
    judge(open_faulty_same, "the faulty one without a fault");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("contract of the crosspoint");
    TCase *slot = tcase_create("slot"), *checks = tcase_create("checks");
    SRunner *r = srunner_create(s);

    tcase_set_timeout(slot, 300);
    tcase_add_test(slot, slot_between_two_clocks);
    tcase_add_test(slot, slot_within_one_clock);
    tcase_add_test(slot, slot_of_64_words);
    suite_add_tcase(s, slot);
    tcase_set_timeout(checks, 300);
    tcase_add_loop_test(checks, every_fault_is_found, 0, sizeof faults / sizeof faults[0]);
    tcase_add_test(checks, without_a_fault_nothing_is_found);
    suite_add_tcase(s, checks);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
