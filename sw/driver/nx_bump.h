// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Bus memory for a platform (nx_platform.h, alloc and release): what is released last is given out again first, other
 * holes stay until the end. */
#ifndef NX_BUMP_H
#define NX_BUMP_H

#include <stddef.h>
#include <stdint.h>

/* *next: the first address that is free. The same for the piece, below `end`; 0: no room. */
static inline uint64_t nx_bump_alloc(uint64_t *next, uint64_t end, size_t size, size_t alignment)
{
    const uint64_t at = (*next + alignment - 1) / alignment * alignment;
    if (at > end || size > end - at) return 0;
    *next = at + size;
    return at;
}

static inline void nx_bump_release(uint64_t *next, uint64_t address, size_t size)
{
    if (address + size == *next) *next = address;
}

#endif
