#include "sim/app/roce/traffic/roce_pattern.h"

#include <string.h>

uint64_t roce_mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}

void roce_pattern_fill(uint8_t *to, uint64_t key, size_t length)
{
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = roce_mix(key + i);
        memcpy(to + i, &word, length - i < 8 ? length - i : 8);
    }
}

uint8_t roce_pattern_byte(uint64_t key, size_t at) { return (uint8_t)(roce_mix(key + at / 8 * 8) >> 8 * (at % 8)); }

size_t roce_pattern_compare(const uint8_t *is, uint64_t key, size_t length)
{
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = roce_mix(key + i);
        size_t n = length - i < 8 ? length - i : 8;
        if (memcmp(is + i, &word, n))
            for (size_t k = 0; k < n; k++)
                if (is[i + k] != (uint8_t)(word >> 8 * k)) return i + k;
    }
    return length;
}
