/* CRC engines of 64 bits per step, of headers and of bodies: alternatives that ship, and broken ones that must be
 * rejected. */
#include "crc16_word64_serial.h"
#include "crc32_word64_table.h"
#include "crc_contract.h"
#include "faulty_crc16_word64.h"
#include "faulty_crc32_word64.h"

static const contract_candidate candidates[] = {
    {"crc16_word64_serial", OTHER_BLOCK, &crc16_word64_serial_config},
    {"crc32_word64_table", OTHER_BLOCK, &crc32_word64_table_config},
    {"the broken header CRC", BROKEN_BLOCK, &faulty_crc16_word64_config},
    {"the broken body CRC", BROKEN_BLOCK, &faulty_crc32_word64_config},
};

static const contract_fault faults[] = {
    {1, "each_bit_counts", TAKEN, ALSO_RARELY},
    {2, "a_new_one_begins_at_any_time", TAKEN, NOT_RARELY},
    {3, "nothing_happens_without_a_step", TAKEN, NOT_RARELY | ANY_RULE},
    {4, "nothing_happens_without_a_step", TAKEN, NOT_RARELY},
    {5, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {6, "it_has_the_published_check_value", TAKEN, ANY_RULE},
    {7, "it_has_the_published_check_value", STANDS, AS_ANOTHER},
    {8, "it_has_the_published_check_value", TAKEN, ALSO_RARELY},
};

const contract contract_of_program = {&crc16_word64_slot, candidates, faults, COUNT(candidates), COUNT(faults)};
