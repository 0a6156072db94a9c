/* See crc_reference.h. */
#include "crc_reference.h"

uint16_t reference_crc16(uint16_t crc, const uint8_t *bytes, unsigned n)
{
    /* x^16 + x^12 + x^5 + 1 as a shift register, one bit at a time (ITU-T V.41, started with ones) */
    for (unsigned i = 0; i < 8 * n; i++) {
        unsigned bit = bytes[i / 8] >> (7 - i % 8) & 1;
        unsigned feedback = (crc >> 15 & 1) ^ bit;
        crc = (uint16_t)(crc << 1);
        if (feedback) crc ^= 1u << 12 | 1u << 5 | 1u << 0;
    }
    return crc;
}

uint32_t reference_crc32(uint32_t crc, const uint8_t *bytes, unsigned n)
{
    static const unsigned char exponents[] = {0, 1, 2, 4, 5, 7, 8, 10, 11, 12, 16, 22, 23, 26}; /* and 32; S1 3.1.6 */

    for (unsigned i = 0; i < 8 * n; i++) {
        unsigned bit = bytes[i / 8] >> (7 - i % 8) & 1;
        unsigned feedback = (crc >> 31 & 1) ^ bit;
        crc <<= 1;
        if (feedback)
            for (unsigned e = 0; e < sizeof exponents; e++) crc ^= 1u << exponents[e];
    }
    return crc;
}

static void bytes_of(uint64_t word, unsigned n, uint8_t *bytes)
{
    for (unsigned i = 0; i < n; i++) bytes[i] = (uint8_t)(word >> 8 * (n - 1 - i));
}

uint16_t reference_crc16_word(uint16_t crc, uint64_t word)
{
    uint8_t bytes[8];

    bytes_of(word, 8, bytes);
    return reference_crc16(crc, bytes, 8);
}

uint32_t reference_crc32_word(uint32_t crc, uint64_t word)
{
    uint8_t bytes[8];

    bytes_of(word, 8, bytes);
    return reference_crc32(crc, bytes, 8);
}

uint16_t reference_crc16_half(uint16_t crc, uint32_t half)
{
    uint8_t bytes[4];

    bytes_of(half, 4, bytes);
    return reference_crc16(crc, bytes, 4);
}

uint32_t reference_crc32_half(uint32_t crc, uint32_t half)
{
    uint8_t bytes[4];

    bytes_of(half, 4, bytes);
    return reference_crc32(crc, bytes, 4);
}
