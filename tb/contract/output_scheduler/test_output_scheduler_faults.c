/* Other output schedulers that keep the contract, and broken ones that must be rejected. */
#include "faulty_scheduler_16.h"
#include "faulty_scheduler_8.h"
#include "output_scheduler_contract.h"
#include "output_scheduler_fullest.h"
#include "output_scheduler_oldest.h"
#include "output_scheduler_wrr.h"

static const contract_candidate candidates[] = {
    {"output_scheduler_wrr", OTHER_BLOCK, &output_scheduler_wrr_config},
    {"output_scheduler_fullest", OTHER_BLOCK, &output_scheduler_fullest_config},
    {"output_scheduler_oldest", OTHER_BLOCK, &output_scheduler_oldest_config},
    {"the broken one, 8 inputs: too few bits for 16", OTHER_BLOCK, &faulty_scheduler_8_config},
    {"the broken one, 16 inputs", BROKEN_BLOCK, &faulty_scheduler_16_config},
};

static const contract_fault faults[] = {
    {1, "arrivals_and_departures_may_meet", COUNTS, ALSO_RARELY},
    {2, "a_choice_stands_until_taken", STANDS, ALSO_RARELY},
    {3, "disabled_inputs_wait", ELIGIBLE, ALSO_RARELY},
    {4, "nothing_is_chosen_unless_asked_for", ELIGIBLE, ALSO_RARELY},
    {5, "every_packet_is_served_once", ONE_HOT, ALSO_RARELY},
    {6, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {7, "every_packet_is_served_once", IN_TIME, ALSO_RARELY},
    {8, "counts_127_packets_per_input", COUNTS, NOT_RARELY},
    {9, "reports_the_128th", OVERFLOWS, NOT_RARELY},
    {10, "outputs_come_from_registers", REGISTERS, AS_ANOTHER | NOT_RARELY},
    {11, "reset_forgets_everything", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {12, "counts_127_packets_per_input", COUNTS, AS_ANOTHER},
    {13, "disabled_inputs_wait", COUNTS, ALSO_RARELY},
    {14, "every_packet_is_served_once", GAP, ALSO_RARELY},
    {15, "disabled_inputs_wait", COUNTS, AS_ANOTHER},
    {16, "a_choice_stands_until_taken", STANDS, ALSO_RARELY},
    {17, "counts_127_packets_per_input", OVERFLOWS, NOT_RARELY},
    {18, "every_packet_is_served_once", ONE_HOT, ALSO_RARELY}, /* with 16 inputs only */
    {30, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
};

const contract contract_of_program = {&output_scheduler_slot, candidates, faults, COUNT(candidates), COUNT(faults)};
