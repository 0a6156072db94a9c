/* CRCs of the link, byte by byte; the manual is in the header. */
#include "frame.h"

static uint16_t table16[256];
static uint32_t table32[256];

static void build_tables(void)
{
    unsigned byte, bit;

    for (byte = 0; byte < 256; byte++) {
        uint32_t crc16 = byte << 8, crc32 = byte << 24;

        for (bit = 0; bit < 8; bit++) {
            crc16 = crc16 << 1 ^ (crc16 & 0x8000 ? 0x1021 : 0);
            crc32 = crc32 << 1 ^ (crc32 & 0x80000000u ? 0x04c11db7u : 0);
        }
        table16[byte] = (uint16_t)crc16;
        table32[byte] = crc32;
    }
}

uint16_t frame_crc16(uint16_t crc, const void *bytes, size_t count)
{
    const uint8_t *byte = bytes;

    if (!table16[1]) build_tables();
    while (count--) crc = (uint16_t)(crc << 8 ^ table16[(crc >> 8 ^ *byte++) & 0xff]);
    return crc;
}

uint32_t frame_crc32(uint32_t crc, const void *bytes, size_t count)
{
    const uint8_t *byte = bytes;

    if (!table32[1]) build_tables();
    while (count--) crc = crc << 8 ^ table32[(crc >> 24 ^ *byte++) & 0xff];
    return crc;
}

uint16_t frame_crc16_word(uint16_t crc, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};

    return frame_crc16(crc, bytes, 4);
}

uint32_t frame_crc32_word(uint32_t crc, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};

    return frame_crc32(crc, bytes, 4);
}

uint16_t frame_credit(unsigned flow, unsigned counter_bits)
{
    unsigned low = (flow & 0x7f) << 7 | (counter_bits & 0x7f);

    return (uint16_t)(0x8000 | (__builtin_popcount(low) & 1) << 14 | low);
}
