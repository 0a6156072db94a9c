/* The block in the slot, in the sizes of the NIC and in its largest: make contract SLOT=path_scheduler BLOCK=name
 * RTL=path. */
#include "path_scheduler_contract.h"
#include "slot_path_scheduler_16.h"
#include "slot_path_scheduler_2.h"
#include "slot_path_scheduler_3.h"
#include "slot_path_scheduler_4.h"

static const contract_candidate candidates[] = {
    {"2 paths", IN_SLOT, &slot_path_scheduler_2_config},
    {"3 paths", IN_SLOT, &slot_path_scheduler_3_config},
    {"4 paths", IN_SLOT, &slot_path_scheduler_4_config},
    {"4 paths, 16 destinations", IN_SLOT, &slot_path_scheduler_16_config},
};

const contract contract_of_program = {&path_scheduler_slot, candidates, NULL, COUNT(candidates), 0};
