/* The block in the slot, in the sizes and packet modes of the switch: make contract SLOT=pm_input_scheduler BLOCK=name
 * RTL=path. */
#include "pm_input_scheduler_contract.h"
#include "slot_pm_input_dpm16.h"
#include "slot_pm_input_ppm16.h"
#include "slot_pm_input_sm17.h"
#include "slot_pm_input_sm2.h"

static const contract_candidate candidates[] = {
    {"SM, VPS, 2 flows", IN_SLOT, &slot_pm_input_sm2_config},
    {"SM, VPS, 17 flows", IN_SLOT, &slot_pm_input_sm17_config},
    {"PPM, 16 flows", IN_SLOT, &slot_pm_input_ppm16_config},
    {"DPM, 16 flows", IN_SLOT, &slot_pm_input_dpm16_config},
};

const contract contract_of_program = {&pm_input_scheduler_slot, candidates, NULL, COUNT(candidates), 0};
