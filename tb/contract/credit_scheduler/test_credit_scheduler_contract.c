/* The contract of the slot "credit scheduler": the block in it keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=credit_scheduler BLOCK=name RTL=path. */
#include "credit_checks.h"
#include "faulty_credit_scheduler.h"
#include "slot_credits_16.h"
#include "slot_credits_2.h"
#include "slot_credits_5.h"
#include "slot_credits_8.h"
#include "suite.h"

static const contract_candidate candidates[] = {
    {"the block in the slot, 2 outputs", IN_SLOT, &slot_credits_2_config},
    {"the block in the slot, 5 outputs", IN_SLOT, &slot_credits_5_config},
    {"the block in the slot, 8 outputs", IN_SLOT, &slot_credits_8_config},
    {"the block in the slot, 16 outputs", IN_SLOT, &slot_credits_16_config},
    {"the broken one", BROKEN_BLOCK, &faulty_credit_scheduler_config},
};

static const contract_fault faults[] = {
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

CONTRACT(credit);
