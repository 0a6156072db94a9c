/* The contracts of the four slots of CRC engines: one bench, one set of rules and checks.
 *
 * An engine takes 64 bits per step (the NIC's: ports rst, first) or 32 (the switch's: clear, due, crc_next), and makes
 * the 16 bits of a header CRC or the 32 of a body CRC: the bench sees by the ports which it is. The reference goes bit
 * by bit (crc_reference.h). */
#ifndef TB_CONTRACT_CRC_CONTRACT_H
#define TB_CONTRACT_CRC_CONTRACT_H

#include "suite.h"

typedef struct crc_bench {
    contract_bench c;
    const sim_port *rst, *first, *clear, *due, *crc_next; /* NULL where there is none */
    const sim_port *step, *data, *crc;
    unsigned bits;     /* per step */
    uint64_t expected; /* from the last edge on */
} crc_bench;

enum { TAKEN = CONTRACT_OWN, STANDS, NEXT, CRC_RULES };

extern const contract_slot crc16_word64_slot, crc32_word64_slot, crc16_word32_slot, crc32_word32_slot;

#endif
