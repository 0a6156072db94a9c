/* The block in the slot: make contract SLOT=crc16_word32 BLOCK=name RTL=path. */
#include "crc_contract.h"
#include "slot_crc16_word32.h"

static const contract_candidate candidates[] = {
    {"32 bits per step", IN_SLOT, &slot_crc16_word32_config},
};

const contract contract_of_program = {&crc16_word32_slot, candidates, NULL, COUNT(candidates), 0};
