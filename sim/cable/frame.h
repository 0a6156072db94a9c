/*
 * Words of the link as they stand on the wire (design: "Packet on the link"), and the two CRCs computed byte by byte.
 *
 * The CRCs here are the testbench's own: they share nothing with the 64-bit-per-step CRCs of the RTL. Bytes go in as on the wire,
 * [31:24] first.
 */
#ifndef SIM_CABLE_FRAME_H
#define SIM_CABLE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_IDLE_DATA 0xbcbcbcbcu /* four K28.5 */
#define FRAME_IDLE_K 15u
#define FRAME_SOP_DATA 0xfb5aa55au /* K27.7 5A A5 5A */
#define FRAME_SOP_K 8u

enum {
    FRAME_LENGTH_MAX = 1023, /* 64-bit words that a header can name */
    FRAME_HEADER_CRC_START = 0xffff
};
#define FRAME_BODY_CRC_START 0xffffffffu

/* CRC-16/IBM-3740: polynomial 1021, start FFFF, not reflected, no final inversion; "123456789" gives 29B1. */
uint16_t frame_crc16(uint16_t crc, const void *bytes, size_t count);
uint16_t frame_crc16_word(uint16_t crc, uint32_t word);

/* CRC-32/MPEG-2: polynomial 04C11DB7, start FFFFFFFF, not reflected, no final inversion; "123456789" gives 0376E6E7. */
uint32_t frame_crc32(uint32_t crc, const void *bytes, size_t count);
uint32_t frame_crc32_word(uint32_t crc, uint32_t word);

/* One credit: [15] = 1, [14] = xor of [13:0], [13:7] flow, [6:0] counter bits [11:5]. */
uint16_t frame_credit(unsigned flow, unsigned counter_bits);

#endif
