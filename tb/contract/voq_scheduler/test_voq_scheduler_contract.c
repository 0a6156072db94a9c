/* The block in the slot, in the sizes of the NIC: make contract SLOT=voq_scheduler BLOCK=name RTL=path. */
#include "slot_voq_scheduler_1.h"
#include "slot_voq_scheduler_16.h"
#include "slot_voq_scheduler_8.h"
#include "voq_scheduler_contract.h"

static const contract_candidate candidates[] = {
    {"1 queue", IN_SLOT, &slot_voq_scheduler_1_config},
    {"8 queues", IN_SLOT, &slot_voq_scheduler_8_config},
    {"16 queues", IN_SLOT, &slot_voq_scheduler_16_config},
};

const contract contract_of_program = {&voq_scheduler_slot, candidates, NULL, COUNT(candidates), 0};
