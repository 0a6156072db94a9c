/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What nodes share through words of one of them, the home: a ticket lock, and a work queue. The words are 0 at first;
 * nothing else uses them.
 */
#ifndef NX_SHARED_H
#define NX_SHARED_H

#include "nx_sync.h"

/* A ticket lock: whoever asks first is served first. Words `word` and `word + 1` of the home. */
typedef struct nx_mutex {
    nx_sync *sync;
    unsigned home, word; /* home: a flow, or NX_SELF */
    uint64_t ticket;     /* of this node, while it has or waits for the lock */
    uint64_t pause_ns;   /* between two looks, for each node ahead of the next one; 0: none */
    uint64_t looks;      /* at the number served */
} nx_mutex;

/* Waits until this node has the lock. TIMEOUT: nobody has given it for timeout_ns. */
int nx_mutex_take(nx_mutex *m);
/* Gives it to the next one. Everything that this node has sent to the home before has its effect first. */
int nx_mutex_give(nx_mutex *m);

/* Numbers first .. first + *count - 1 of 0..total - 1 that no other node gets, *count at most `want`; 0: none is left.
 */
int nx_work_take(nx_sync *s, unsigned home, unsigned word, unsigned want, uint64_t total, uint64_t *first,
                 unsigned *count);

#endif
