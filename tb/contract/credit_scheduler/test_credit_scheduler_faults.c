/* Broken credit schedulers that must be rejected. */
#include "credit_scheduler_contract.h"
#include "faulty_credit_scheduler.h"

static const contract_candidate candidates[] = {
    {"the broken one", BROKEN_BLOCK, &faulty_credit_scheduler_config},
};

static const contract_fault faults[] = {
    {1, "departures_of_all_outputs_in_one_clock_count", IN_TIME, NOT_RARELY | AS_ANOTHER},
    {2, "every_lane_is_sent_after_reset", FORM, ALSO_RARELY},
    {3, "a_record_repairs_and_is_answered", RIGHT, NOT_RARELY | AS_ANOTHER},
    {4, "a_record_repairs_and_is_answered", IN_TIME, NOT_RARELY | AS_ANOTHER},
    {5, "unmodified_lanes_are_sent_on_a_slow_timer", PERIODIC, NOT_RARELY},
    {6, "records_and_departures_may_meet", RIGHT, NOT_RARELY | AS_ANOTHER},
    {7, "counts_wrap_and_take_up_to_1023_units", RIGHT, NOT_RARELY | AS_ANOTHER},
    {8, "counts_wrap_and_take_up_to_1023_units", IN_TIME, AS_ANOTHER},
    {9, "modified_lanes_take_turns", CONTRACT_STARVES, NOT_RARELY},
    {10, "modified_lanes_go_first", MODIFIED_FIRST, NOT_RARELY},
    {11, "modified_lanes_go_first", STAYS, NOT_RARELY | AS_ANOTHER},
    {12, "unmodified_lanes_are_sent_on_a_slow_timer", PERIODIC, NOT_RARELY},
    {13, "credits_are_right_on_an_idle_line", RIGHT, AS_ANOTHER},
    {14, "every_lane_is_sent_after_reset", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {15, "counts_wrap_and_take_up_to_1023_units", RIGHT, NOT_RARELY | AS_ANOTHER},
    {16, "it_tells_how_full_a_crosspoint_is", OCCUPIED, NOT_RARELY},
};

const contract contract_of_program = {&credit_scheduler_slot, candidates, faults, COUNT(candidates), COUNT(faults)};
