/* The block in the slot, in the sizes of the switch: make contract SLOT=credit_scheduler BLOCK=name RTL=path. */
#include "credit_scheduler_contract.h"
#include "slot_credits_16.h"
#include "slot_credits_2.h"
#include "slot_credits_5.h"
#include "slot_credits_8.h"

static const contract_candidate candidates[] = {
    {"2 outputs", IN_SLOT, &slot_credits_2_config},
    {"5 outputs", IN_SLOT, &slot_credits_5_config},
    {"8 outputs", IN_SLOT, &slot_credits_8_config},
    {"16 outputs", IN_SLOT, &slot_credits_16_config},
};

const contract contract_of_program = {&credit_scheduler_slot, candidates, NULL, COUNT(candidates), 0};
