/* The block in the slot, in sizes of the switch: make contract SLOT=pm_locks BLOCK=name RTL=path. */
#include "pm_locks_contract.h"
#include "slot_pm_locks_16.h"
#include "slot_pm_locks_2.h"
#include "slot_pm_locks_5.h"

static const contract_candidate candidates[] = {
    {"2 ports", IN_SLOT, &slot_pm_locks_2_config},
    {"5 ports", IN_SLOT, &slot_pm_locks_5_config},
    {"16 ports", IN_SLOT, &slot_pm_locks_16_config},
};

const contract contract_of_program = {&pm_locks_slot, candidates, NULL, COUNT(candidates), 0};
