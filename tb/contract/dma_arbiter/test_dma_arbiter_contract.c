/* The block in the slot, in the sizes of the NIC and in its largest: make contract SLOT=dma_arbiter BLOCK=name
 * RTL=path. */
#include "dma_arbiter_contract.h"
#include "slot_arbiter_1.h"
#include "slot_arbiter_2.h"
#include "slot_arbiter_3.h"

static const contract_candidate candidates[] = {
    {"READS_IN_ROW = 1", IN_SLOT, &slot_arbiter_1_config},
    {"READS_IN_ROW = 2", IN_SLOT, &slot_arbiter_2_config},
    {"READS_IN_ROW = 3", IN_SLOT, &slot_arbiter_3_config},
};

const contract contract_of_program = {&dma_arbiter_slot, candidates, NULL, COUNT(candidates), 0};
