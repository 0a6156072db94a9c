/* The block in the slot, in the sizes of the NIC and in odd ones: make contract SLOT=dma_queue_scheduler BLOCK=name
 * RTL=path. */
#include "dma_queue_scheduler_contract.h"
#include "slot_queue_scheduler_16.h"
#include "slot_queue_scheduler_2.h"
#include "slot_queue_scheduler_5.h"
#include "slot_queue_scheduler_8.h"

static const contract_candidate candidates[] = {
    {"2 queues", IN_SLOT, &slot_queue_scheduler_2_config},
    {"5 queues", IN_SLOT, &slot_queue_scheduler_5_config},
    {"8 queues", IN_SLOT, &slot_queue_scheduler_8_config},
    {"16 queues", IN_SLOT, &slot_queue_scheduler_16_config},
};

const contract contract_of_program = {&dma_queue_scheduler_slot, candidates, NULL, COUNT(candidates), 0};
