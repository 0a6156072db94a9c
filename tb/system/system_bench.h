/* What all system tests share: two hosts, two NICs, one cable, and host software as one task that provokes something, says exactly
 * what the error counters must show for it, and then proves that the buffer space behind the link is whole again.
 *
 *     SOFTWARE_TEST(x, .to = 3) { piece p = bench_send(b, 0, 62, NX_REMOTE); ... bench_expect(b, 1, ...); }
 *
 * Every piece has random contents, its own source and its own destination; what has not been written reads as zero.
 */
#ifndef TB_SYSTEM_BENCH_H
#define TB_SYSTEM_BENCH_H

#include <string.h>

#include "error_counters.h"
#include "nic_register_map.h"
#include "pair.h"
#include "test.h"

enum { RECORD_PERIOD = 2048 /* network clocks between check records */ };

typedef struct bench {
    pair *p;
    node *n[2];
    error_counters errors[2];
    uint64_t next[2]; /* where the next piece of each sender goes */
    void (*software)(struct bench *, int);
    void (*body)(struct bench *); /* moves.h */
    int variation;
} bench;

/* A transfer from node `from` to the other one. */
typedef struct piece {
    int from;
    unsigned words;
    uint64_t source;
    uint32_t destination;
    nx_ticket ticket;
} piece;

/* Server2004 hosts, waits of the driver end after 2 ms. */
void bench_params(pair_params *p);
/* Builds the pair (NULL: bench_params), starts both nodes, takes the counters, runs `software`; the run must end well within `limit`. */
void bench_run_for(const pair_params *p, void (*software)(bench *, int), int variation, sim_time limit);
void bench_run(const pair_params *p, void (*software)(bench *, int), int variation);

/* The same with a body for `software` to call. */
void bench_run_body(const pair_params *p, void (*software)(bench *, int), void (*body)(bench *), int variation, sim_time limit);

uint32_t bench_get(bench *b, int node, unsigned offset);
void bench_put(bench *b, int node, unsigned offset, uint32_t value);
/* A write that has arrived when this returns. */
void bench_set(bench *b, int node, unsigned offset, uint32_t value);
/* STATUS bits that are set at a node, then cleared. */
uint32_t bench_status(bench *b, int node);
/* The DMA initiator of a node on or off. */
void bench_initiator(bench *b, int node, int on);
void bench_wait(bench *b, sim_time time);

/* ---- pieces */
piece bench_make(bench *b, int from, unsigned words);
/* Makes one and sends it as one descriptor. */
piece bench_send(bench *b, int from, unsigned words, unsigned flags);
void bench_post(bench *b, piece *p, unsigned flags);
int bench_arrived(bench *b, const piece *p);
void bench_must_arrive(bench *b, const piece *p);
void bench_untouched(bench *b, const piece *p);
/* The next notification at `node` is good (0) or flagged (1) and tells of this piece. */
void bench_notified(bench *b, const piece *p, int flagged);
/* A piece of so many words goes there, unflagged, whole. */
void bench_good(bench *b, int from, unsigned words);
/* The same after the sender has lost a transfer: this piece arrives whole, its notification is flagged, and the receiver has counted a gap.
 */
void bench_told(bench *b, int from, unsigned words);

/* ---- counters */
/* Since the last look the error counters of the node have changed like this, all others not at all, and STATUS is this. Clears STATUS. */
void bench_expect(bench *b, int node, uint32_t status, const change *list);
void bench_expect_nothing(bench *b, int node);
/* What an error counter of the node has risen by since then. */
uint32_t bench_risen(bench *b, int node, unsigned offset);
/* Forgets what the counters of the node did. */
void bench_forgive(bench *b, int node);

/* A test that is such software: b and its variation _i. */
#define SOFTWARE_TEST(name, ...)                                                                                                           \
    static void name##_software(bench *b, __attribute__((unused)) int _i);                                                                 \
    TEST(name, __VA_ARGS__)                                                                                                                \
    {                                                                                                                                      \
        bench_run(NULL, name##_software, _i);                                                                                              \
    }                                                                                                                                      \
    static void name##_software(bench *b, __attribute__((unused)) int _i)

#endif
