/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Words in memory, little endian, and the sums over them that protocols above the driver use (sw/file, sw/disk). */
#ifndef NX_WORDS_H
#define NX_WORDS_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t nx_get64(const uint8_t *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

static inline void nx_put64(uint8_t *b, uint64_t value)
{
    for (int i = 0; i < 8; i++) b[i] = (uint8_t)(value >> 8 * i);
}

/* Over `size` bytes, a multiple of 8, in pieces one after the other: every word and its place count. */
typedef struct nx_checksum {
    uint64_t sum, sums;
} nx_checksum;

static inline nx_checksum nx_checksum_begin(size_t size) { return (nx_checksum){size, 0}; }

static inline void nx_checksum_add(nx_checksum *c, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        c->sum += nx_get64(bytes + i);
        c->sums += c->sum;
    }
}

static inline uint64_t nx_checksum_end(const nx_checksum *c) { return c->sums * 0x9e3779b97f4a7c15u ^ c->sum; }

/* Over `count` words of a record. Never right for a record of zeros; `place` is a part of it, so that a record in the
 * wrong place is not taken. */
static inline uint64_t nx_check(unsigned place, const uint64_t *words, unsigned count)
{
    uint64_t c = 0x6e78626172000000u + place;
    for (unsigned i = 0; i < count; i++) {
        c = (c ^ words[i]) * 0xd6e8feb86659fd93u;
        c ^= c >> 32;
    }
    return c;
}

#endif
