/*
 * The CRCs of the link bit by bit, written from their polynomials (S1 3.1.6) and independent of the RTL and of sim/: header CRC-16
 * (CRC-16/IBM-3740) and body CRC-32 (CRC-32/MPEG-2). Every test that needs a CRC to compare with takes it from here; test_link_crc.c
 * holds them against the published check values.
 *
 * First bit = most significant of the first byte, not reflected, no final inversion; `crc` is the start value, CRC16_START or CRC32_START
 * for the first part of a sequence.
 */
#ifndef TB_CRC_REFERENCE_H
#define TB_CRC_REFERENCE_H

#include <stdint.h>

#define CRC16_START 0xffffu
#define CRC32_START 0xffffffffu

uint16_t reference_crc16(uint16_t crc, const uint8_t *bytes, unsigned n);
uint32_t reference_crc32(uint32_t crc, const uint8_t *bytes, unsigned n);
/* The same over one 64-bit word, byte [63:56] first. */
uint16_t reference_crc16_word(uint16_t crc, uint64_t word);
uint32_t reference_crc32_word(uint32_t crc, uint64_t word);
/* The same over 32 bits, byte [31:24] first. */
uint16_t reference_crc16_half(uint16_t crc, uint32_t half);
uint32_t reference_crc32_half(uint32_t crc, uint32_t half);

#endif
