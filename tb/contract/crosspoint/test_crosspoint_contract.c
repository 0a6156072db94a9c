/* The block in the slot, in both kinds and in a small size: make contract SLOT=crosspoint BLOCK=name RTL=path. */
#include "crosspoint_contract.h"
#include "slot_crosspoint_same.h"
#include "slot_crosspoint_small.h"
#include "slot_crosspoint_two.h"

static const contract_candidate candidates[] = {
    {"512 words between two clocks", IN_SLOT, &slot_crosspoint_two_config},
    {"512 words within one clock", IN_SLOT, &slot_crosspoint_same_config},
    {"64 words between two clocks", IN_SLOT, &slot_crosspoint_small_config},
};

const contract contract_of_program = {&crosspoint_slot, candidates, NULL, COUNT(candidates), 0};
