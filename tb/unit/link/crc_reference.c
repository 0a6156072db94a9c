/* See crc_reference.h. */
#include "crc_reference.h"

static uint16_t crc16_bit(uint16_t crc, unsigned bit)
{
    /* x^16 + x^12 + x^5 + 1 as a shift register (ITU-T V.41, started with ones) */
    unsigned feedback = (crc >> 15 & 1) ^ bit;
    return (uint16_t)(crc << 1 ^ (feedback ? 1u << 12 | 1u << 5 | 1u << 0 : 0));
}

static uint32_t crc32_bit(uint32_t crc, unsigned bit)
{
    /* x^32 + ... as S1 3.1.6 has it */
    unsigned feedback = (crc >> 31 & 1) ^ bit;
    const uint32_t taps = 1u << 26 | 1u << 23 | 1u << 22 | 1u << 16 | 1u << 12 | 1u << 11 | 1u << 10 | 1u << 8 |
                          1u << 7 | 1u << 5 | 1u << 4 | 1u << 2 | 1u << 1 | 1u << 0;
    return crc << 1 ^ (feedback ? taps : 0);
}

uint16_t reference_crc16(uint16_t crc, uint64_t word, unsigned bits)
{
    while (bits--) crc = crc16_bit(crc, word >> bits & 1);
    return crc;
}

uint32_t reference_crc32(uint32_t crc, uint64_t word, unsigned bits)
{
    while (bits--) crc = crc32_bit(crc, word >> bits & 1);
    return crc;
}
