/* Another input scheduler that keeps the contract, and broken ones that must be rejected. */
#include "faulty_pm_input_dpm.h"
#include "faulty_pm_input_ppm.h"
#include "pm_input_scheduler_contract.h"
#include "pm_input_scheduler_wrr.h"

static const contract_candidate candidates[] = {
    {"pm_input_scheduler_wrr", OTHER_BLOCK, &pm_input_scheduler_wrr_config},
    {"the broken one, PPM", BROKEN_BLOCK, &faulty_pm_input_ppm_config},
    {"the broken one, DPM", BROKEN_BLOCK, &faulty_pm_input_dpm_config},
};

enum { PPM = FIRST_ONLY, DPM = SECOND_ONLY };

static const contract_fault faults[] = {
    {1, "it_chooses_what_is_eligible_at_once", AMONG, ALSO_RARELY},
    {2, "it_chooses_what_is_eligible_at_once", AMONG, ALSO_RARELY},
    {3, "it_chooses_what_is_eligible_at_once", AT_ONCE, NOT_RARELY | AS_ANOTHER},
    {4, "it_stays_as_long_as_packet_mode_lasts", STAYS, NOT_RARELY | AS_ANOTHER},
    {5, "nobody_starves", CONTRACT_STARVES, NOT_RARELY | AS_ANOTHER},
    {6, "a_notice_out_of_place_is_reported", TELLS, NOT_RARELY | NOT_LATE | NOT_RESETS},
    {8, "it_stays_as_long_as_packet_mode_lasts", STAYS, NOT_RARELY | AS_ANOTHER},
    {9, "it_stays_as_long_as_packet_mode_lasts", STAYS, NOT_RARELY | AS_ANOTHER | DPM},
    {10, "it_stays_as_long_as_packet_mode_lasts", STAYS, NOT_RARELY | AS_ANOTHER | PPM},
    {7, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE | AS_ANOTHER},
};

const contract contract_of_program = {&pm_input_scheduler_slot, candidates, faults, COUNT(candidates), COUNT(faults)};
