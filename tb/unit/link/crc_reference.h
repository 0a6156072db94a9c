/*
 * The CRCs of the link bit by bit, written from their polynomials (S1 3.1.6) and independent of the RTL and of sim/:
 * header CRC-16 (CRC-16/IBM-3740) and body CRC-32 (CRC-32/MPEG-2). Every test that needs a CRC to compare with takes it
 * from here; test_link_crc.c holds them against the published check values.
 */
#ifndef TB_CRC_REFERENCE_H
#define TB_CRC_REFERENCE_H

#include <stdint.h>

#define CRC16_START 0xffffu
#define CRC32_START 0xffffffffu

/* Over the low `bits` of a word, the highest first, not reflected, without final inversion; `crc` is the result of the
 * previous part, or a start value. */
uint16_t reference_crc16(uint16_t crc, uint64_t word, unsigned bits);
uint32_t reference_crc32(uint32_t crc, uint64_t word, unsigned bits);

#endif
