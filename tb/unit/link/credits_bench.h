/* A link port whose credits and check records the test sends and receives. */
#ifndef TB_CREDITS_BENCH_H
#define TB_CREDITS_BENCH_H

#include <stdlib.h>
#include <string.h>

#include "link_bench.h"
#include "test.h"

static struct link_bench *b;
static struct link_end *e;
static struct sent_log sent;
static uint64_t payload[512];
static struct frame f;

static inline void setup(void)
{
    b = link_bench_new(1);
    e = &b->end[0];
    sent_log_start(e, &sent);
    for (int i = 0; i < 512; i++) payload[i] = sim_random(b->s);
}

static inline void packet_to(unsigned flow, unsigned length)
{
    h2n_packet(e, header_of(flow, 0, 0, length, 0), payload, 0);
}

#endif
