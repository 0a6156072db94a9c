/* Another output scheduler that keeps the contract, and broken ones that must be rejected. */
#include "faulty_pm_output_dpm.h"
#include "faulty_pm_output_ppm.h"
#include "faulty_pm_output_sm.h"
#include "pm_output_scheduler_contract.h"
#include "pm_output_scheduler_wrr.h"

static const contract_candidate candidates[] = {
    {"pm_output_scheduler_wrr", OTHER_BLOCK, &pm_output_scheduler_wrr_config},
    {"the broken one, PPM", BROKEN_BLOCK, &faulty_pm_output_ppm_config},
    {"the broken one, DPM", BROKEN_BLOCK, &faulty_pm_output_dpm_config},
    {"the broken one, SM", BROKEN_BLOCK, &faulty_pm_output_sm_config},
};

enum { PPM = FIRST_ONLY, DPM = SECOND_ONLY, SM = THIRD_ONLY };

static const contract_fault faults[] = {
    {1, "it_chooses_what_waits_at_once", AMONG, ALSO_RARELY},
    {2, "it_chooses_what_waits_at_once", AMONG, ALSO_RARELY},
    {3, "it_chooses_what_waits_at_once", AT_ONCE, NOT_RARELY | AS_ANOTHER},
    {4, "packet_mode_is_kept_and_reported", STAYS, NOT_RARELY | AS_ANOTHER | PPM},
    {5, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {6, "packet_mode_is_kept_and_reported", PAIRS, AS_ANOTHER | NOT_RARELY | PPM},
    {7, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {8, "packet_mode_is_kept_and_reported", TELLS, NOT_RARELY | DPM},
    {9, "packet_mode_is_kept_and_reported", TELLS, NOT_RARELY | PPM | DPM},
    {10, "packet_mode_is_kept_and_reported", SURE, NOT_RARELY | PPM},
    {11, "packet_mode_is_kept_and_reported", AMONG, AS_ANOTHER | NOT_RARELY | DPM},
    {12, "packet_mode_is_kept_and_reported", PAIRS, AS_ANOTHER | NOT_RARELY | PPM},
    {13, "packet_mode_is_kept_and_reported", PAIRS, AS_ANOTHER | NOT_RARELY | PPM},
    {14, "packet_mode_is_kept_and_reported", SURE, AS_ANOTHER | NOT_RARELY | PPM},
    {15, "packet_mode_is_kept_and_reported", TELLS, NOT_RARELY | SM},
    {16, "packet_mode_is_kept_and_reported", SURE, NOT_RARELY | SM},
    {17, "a_flow_is_not_passed_for_ever", CONTRACT_STARVES, NOT_RARELY | NOT_LATE | NOT_RESETS | PPM},
    {18, "a_flow_is_not_passed_for_ever", CONTRACT_STARVES, NOT_RARELY | NOT_LATE | NOT_RESETS | DPM},
};

const contract contract_of_program = {&pm_output_scheduler_slot, candidates, faults, COUNT(candidates), COUNT(faults)};
