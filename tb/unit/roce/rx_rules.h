/* Common to the tests of the receiver's rules: a bench that is started, and requests to it. */
#ifndef TB_RX_RULES_H
#define TB_RX_RULES_H

#include <string.h>

#include "rx_bench.h"

enum { WIDTHS = 2, KINDS = WIDTHS * STARTS };

static rx_bench *b;
static uint32_t start; /* packet number of the first request */

static inline void bench(int kind)
{
    b = rx_bench_new(kind % WIDTHS);
    start = psn_starts[kind / WIDTHS % STARTS];
}

static inline uint32_t after(uint32_t psn, unsigned count) { return (psn + count) & 0xffffff; }

#endif
