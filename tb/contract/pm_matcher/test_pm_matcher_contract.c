/* The block in the slot, in sizes of the switch: make contract SLOT=pm_matcher BLOCK=name RTL=path. */
#include "pm_matcher_contract.h"
#include "slot_pm_matcher_16.h"
#include "slot_pm_matcher_2.h"
#include "slot_pm_matcher_5.h"

static const contract_candidate candidates[] = {
    {"2 ports", IN_SLOT, &slot_pm_matcher_2_config},
    {"5 ports", IN_SLOT, &slot_pm_matcher_5_config},
    {"16 ports", IN_SLOT, &slot_pm_matcher_16_config},
};

const contract contract_of_program = {&pm_matcher_slot, candidates, NULL, COUNT(candidates), 0};
