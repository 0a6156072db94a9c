/* Common to the tests of the receiver's messages. */
#ifndef TB_RX_MESSAGES_H
#define TB_RX_MESSAGES_H

#include <string.h>

#include "rx_bench.h"

enum { KINDS = 2 };

static rx_bench *b;

static inline void put(packet p) { rx_bench_packet(b, &p); }

#endif
