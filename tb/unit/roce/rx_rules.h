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

static inline packet send(uint32_t psn, unsigned length, int v6)
{
    packet p = text_packet(SEND_ONLY, 2, psn, length);
    p.ack_request = 1;
    p.v6 = v6;
    if (v6) memcpy(p.to_ip, our_ip6, 16), memcpy(p.from_ip, peer_ip6, 16);
    return p;
}

#endif
