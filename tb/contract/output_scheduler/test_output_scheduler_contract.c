/* The block in the slot, in the sizes of the switch: make contract SLOT=output_scheduler BLOCK=name RTL=path. */
#include "output_scheduler_contract.h"
#include "slot_scheduler_16.h"
#include "slot_scheduler_2.h"
#include "slot_scheduler_5.h"
#include "slot_scheduler_8.h"

static const contract_candidate candidates[] = {
    {"2 inputs", IN_SLOT, &slot_scheduler_2_config},
    {"5 inputs", IN_SLOT, &slot_scheduler_5_config},
    {"8 inputs", IN_SLOT, &slot_scheduler_8_config},
    {"16 inputs", IN_SLOT, &slot_scheduler_16_config},
};

const contract contract_of_program = {&output_scheduler_slot, candidates, NULL, COUNT(candidates), 0};
