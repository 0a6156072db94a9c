/* CRC engines of 32 bits per step, of headers and of bodies: alternatives that ship, and broken ones that must be
 * rejected. */
#include "crc16_word32_flat.h"
#include "crc32_word32_flat.h"
#include "crc_contract.h"
#include "faulty_crc16_word32.h"
#include "faulty_crc32_word32.h"

static const contract_candidate candidates[] = {
    {"crc16_word32_flat", OTHER_BLOCK, &crc16_word32_flat_config},
    {"crc32_word32_flat", OTHER_BLOCK, &crc32_word32_flat_config},
    {"the broken header CRC", BROKEN_BLOCK, &faulty_crc16_word32_config},
    {"the broken body CRC", BROKEN_BLOCK, &faulty_crc32_word32_config},
};

static const contract_fault faults[] = {
    {1, "each_bit_counts", TAKEN, ANY_RULE},
    {2, "a_new_one_begins_at_any_time", TAKEN, NOT_RARELY},
    {3, "nothing_happens_without_a_step", TAKEN, NOT_RARELY | ANY_RULE},
    {4, "nothing_happens_without_a_step", NEXT, ALSO_RARELY},
    {5, "nothing_happens_without_a_step", NEXT, NOT_RARELY},
    {6, "it_has_the_published_check_value", TAKEN, ANY_RULE},
    {7, "each_bit_counts", NEXT, NOT_RARELY},
    {8, "each_bit_counts", NEXT, NOT_RARELY},
    {9, "it_has_the_published_check_value", STANDS, AS_ANOTHER},
};

const contract contract_of_program = {&crc16_word32_slot, candidates, faults, COUNT(candidates), COUNT(faults)};
