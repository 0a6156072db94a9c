/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Inside of sw/sync: not for users. */
#ifndef NX_SYNC_INTERNAL_H
#define NX_SYNC_INTERNAL_H

#include "nx_internal.h"
#include "nx_sync.h"
#include "sync_register_map.h"

enum {
    NX_SYNC_NODES = 16, /* sources, and destinations of requests */
    NX_SYNC_QUEUES = SYNC_QUEUE_SETUP_COUNT,
    NX_SYNC_COUNTERS = SYNC_COUNTER_VALUE_COUNT,
    NX_SYNC_ANSWERS = SYNC_ASKED_COUNT,
    /* bytes of the area that the device writes, and behind it what requests of two words are read from */
    NX_SYNC_REFUSED = 0,
    NX_SYNC_ANSWER = 2048,
    NX_SYNC_COUNTER = 3072,
    NX_SYNC_REQUEST = 4096,
    NX_SYNC_BYTES = NX_SYNC_REQUEST + 16 * NX_SYNC_ANSWERS
};

/* Messages to these nodes and queues that have been refused since RST# of that node, as reported when the queue was
 * last open; known: bit q, the count is that. They outlive a nx_sync: the other node counts on. */
struct nx_sync_counts {
    uint16_t refused[NX_SYNC_NODES][NX_SYNC_QUEUES], known[NX_SYNC_NODES];
};

struct nx_sync {
    nx_device *dev;
    uint64_t area;
    unsigned words, counters, queues;
    uint64_t asked;                    /* bit i: answer slot i is in use */
    unsigned last_slot;                /* given out last: answers are looked for in slots long unused */
    uint16_t operand[NX_SYNC_ANSWERS]; /* of the last use of a slot */
    int commanded;                     /* a command of the host may not be done yet */
    uint64_t known;                    /* bit c: `times` of counter c is known */
    uint8_t times[NX_SYNC_COUNTERS];   /* as last read */
    uint32_t zeros[NX_SYNC_COUNTERS];  /* since nx_sync_open */
    uint64_t taken[NX_SYNC_COUNTERS];  /* the last word of the counter that was looked at */
    struct nx_sync_counts *counts;
};

/* Posts an operation, with its start flag: immediate if `words` is 1 (then `data` is the payload, else its address). */
int nx_sync_post(nx_sync *s, unsigned flow, enum nx_operation kind, unsigned object, unsigned operand, uint64_t data,
                 unsigned words);
/* Waits until `ready`, called with `arg`, returns other than 0, which is returned; TIMEOUT with this text. */
int nx_sync_wait(nx_sync *s, int (*ready)(void *arg), void *arg, const char *what);
/* The word by which node `source` tells of refusals of its queue. */
uint64_t nx_sync_refusals(const nx_sync *s, unsigned source, unsigned queue);

#endif
