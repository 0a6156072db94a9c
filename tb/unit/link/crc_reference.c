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
    static const unsigned char exponents[] = {0, 1, 2, 4, 5, 7, 8, 10, 11, 12, 16, 22, 23, 26}; /* and 32; S1 3.1.6 */
    unsigned feedback = (crc >> 31 & 1) ^ bit;
    crc <<= 1;
    for (unsigned e = 0; feedback && e < sizeof exponents; e++) crc ^= 1u << exponents[e];
    return crc;
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
