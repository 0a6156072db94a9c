/* The block in the slot: make contract SLOT=crc32_word64 BLOCK=name RTL=path. */
#include "crc_contract.h"
#include "slot_crc32_word64.h"

static const contract_candidate candidates[] = {
    {"64 bits per step", IN_SLOT, &slot_crc32_word64_config},
};

const contract contract_of_program = {&crc32_word64_slot, candidates, NULL, COUNT(candidates), 0};
