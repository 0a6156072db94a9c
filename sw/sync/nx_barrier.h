/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Barriers of nodes 0..n-1: a tree in which each node has up to `arity` children; with arity n - 1 it is flat, and node
 * 0 waits for all others.
 *
 * By counters: a node counts its children and itself down in counter `counter`; at zero the NIC releases what is
 * prepared for the parent, at the root what is prepared for the children, whose counter `counter + 1` passes it on. No
 * processor takes part between the last arrival and the words that show the release. From nx_barrier_prepare until that
 * barrier the flows to parent and children are occupied: other transfers on them wait (nx_prepare).
 *
 * By software: each node writes a flag into its parent's memory when all its children have done so, and the root's
 * release comes down in the same way. It needs no SYNC.
 */
#ifndef NX_BARRIER_H
#define NX_BARRIER_H

#include "nx_sync.h"

enum { NX_BARRIER_NODES = 16 };

typedef struct nx_barrier nx_barrier;
typedef struct nx_barrier_params {
    unsigned nodes, rank; /* 2..16, and this one of them */
    const unsigned *flow; /* of each node; NULL: node i is flow i */
    unsigned arity;       /* 1..15; default 0 = flat, nodes - 1 */
    nx_sync *sync;        /* NULL: by software */
    unsigned counter;     /* this one and the next of every node are its own */
    uint64_t flags;       /* by software: NX_BARRIER_BYTES, 0 at first, at the same bus address in every node */
} nx_barrier_params;
enum { NX_BARRIER_BYTES = 8 * (NX_BARRIER_NODES + 3) };

/* Every node opens it with the same parameters but rank. */
int nx_barrier_open(nx_device *dev, const nx_barrier_params *params, nx_barrier **b);
void nx_barrier_close(nx_barrier *b);
/* Gets the next barrier ready, so that nx_barrier_enter need not: before this node is expected. */
int nx_barrier_prepare(nx_barrier *b);
/* This node has arrived; then 1 when all have, else 0. */
int nx_barrier_enter(nx_barrier *b);
int nx_barrier_passed(nx_barrier *b);
/* Both: returns when all have arrived. TIMEOUT. */
int nx_barrier_wait(nx_barrier *b);

#endif
