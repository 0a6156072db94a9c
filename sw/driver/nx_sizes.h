/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The message sizes that a host program is to use, from its command line: 8..4096 (doubled from one to the next),
 * 4096,4104, or both. */
#ifndef NX_SIZES_H
#define NX_SIZES_H

#include "nx_number.h"

enum { NX_SIZES = 64 /* at most */ };

#define NX_SIZES_EXPECTED                                                                                              \
    "[--sizes FIRST..LAST], doubled from one to the next, or [--sizes A,B..C,...], multiples of 8 bytes from 8 on"

/* How many there are; 0: the text is none, or one is above `most`. */
static inline unsigned nx_sizes_read(const char *text, uint64_t most, unsigned size[NX_SIZES])
{
    unsigned count = 0;
    for (const char *at = text;; at++) {
        uint64_t first = nx_number_behind(&at, "", 10, most), last = first;
        if (at && *at == '.') last = nx_number_behind(&at, "..", 10, most);
        if (!at || !first || first % 8 || first > last || last > UINT32_MAX) return 0;
        for (; first <= last; first *= 2) {
            if (count == NX_SIZES) return 0;
            size[count++] = (unsigned)first;
        }
        if (*at != ',') return *at ? 0 : count;
    }
}

static inline unsigned nx_sizes_largest(const unsigned *size, unsigned count)
{
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++)
        if (size[i] > most) most = size[i];
    return most;
}

#endif
