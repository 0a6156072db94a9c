/* What the system tests share: a pair of nodes, a body that runs as a task once both are up, and checks in terms of host software.
 */
#ifndef TB_SYSTEM_BENCH_H
#define TB_SYSTEM_BENCH_H

#include <check.h>

#include "nic_register_map.h"
#include "pair.h"

typedef struct bench {
    pair *p;
    void (*body)(struct bench *);
    int arg;
    int moves; /* transfers so far */
} bench;

/* Runs `body` on a new pair; `change` (may be NULL) alters the parameters first. Fails the test unless the simulation ends well. */
void bench_run_pair(void (*change)(pair_params *, int arg), void (*body)(bench *), int arg);

/* ---- from the body ---- */

uint32_t bench_register(bench *b, int node, unsigned offset);
void bench_set(bench *b, int node, unsigned offset, uint32_t value);
void bench_pause(bench *b, sim_time time);

/* A transfer with random data that has been posted. */
typedef struct move {
    int from;
    unsigned bytes;
    uint64_t source;
    uint32_t destination;
    uint8_t data[4096];
} move;
/* Posts one of `bytes` (a multiple of 8, at most 4096) with these NX_ flags. */
void bench_post(bench *b, move *m, int from, unsigned bytes, unsigned flags);
/* 1 if its data are in the receiver's memory. */
int bench_arrived(bench *b, const move *m);
/* Takes the next notification at the receiver: its result (NX_OK, NX_ERROR_FLAGGED, NX_ERROR_TIMEOUT). */
int bench_notified(bench *b, int from);
/* Posts one, waits for its notification, which must be good, and compares the data. */
void bench_good_move(bench *b, int from, unsigned bytes);
/* The same after the sender has lost a transfer: the data arrive, the notification is flagged, and the receiver has counted a gap. */
void bench_told_move(bench *b, int from, unsigned bytes);

/* Sender's and receiver's view of the buffer agree again: transmitted = received = forwarded, and the credit is the newest. */
void bench_space_agrees(bench *b, int from);
/* The same, proved: the receiver's DMA is switched off, packets fill its buffer until not even the smallest one may leave, nothing
 * overflows; switched on again, all arrive. */
void bench_fill_to_the_last_word(bench *b, int from);
/* STATUS bits that are set at a node, then cleared. */
uint32_t bench_status(bench *b, int node);

/* One test suite as a program. */
int bench_main(Suite *suite);

#endif
