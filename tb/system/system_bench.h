/* Shared by all system tests: two hosts, two NICs, one cable, and host software as one task that provokes something,
 * says exactly the expected error counters, and then proves that the buffer space behind the link is whole again
 * (system_space.h). A node at a link partner instead of another node: loss_bench.h.
 *
 *     SOFTWARE_TEST(x, .to = 3) { piece p = bench_send(b, 0, 62, NX_REMOTE); ... bench_expect(b, 1, ...); }
 *
 * A flow is what one source sends to one receiver; flow 0 leads from node 0 to node 1, flow 1 the other way. Every
 * piece has random contents, its own source and its own destination; memory that was not written reads as zero. Every
 * notification of a flow is checked in the clock in which it is written:
 *
 *     a good one must find the piece it names whole in memory, and so every piece of its flow posted since the last
 * notification.
 *
 * `lies` counts good ones that do not; the test fails if there are any in the end.
 */
#ifndef TB_SYSTEM_BENCH_H
#define TB_SYSTEM_BENCH_H

#include <string.h>

#include "nic_register_map.h"
#include "sim/model/cable/frame_tap.h"
#include "sim/system/nodes/pair.h"
#include "sim/system/nodes/port.h"
#include "test.h"

enum {
    RECORD_PERIOD = 2048, /* network clocks between check records */
    BENCH_FLOWS = 8,
    BENCH_PIECES = 1000, /* of a flow */
    BENCH_SOURCES = 0x10000000,
    BENCH_DESTINATIONS = 0x40000000, /* bus addresses of the first pieces */
    ALL = -1                         /* as a node: each one */
};

/* A transfer of 64-bit words as one descriptor. */
typedef struct piece {
    unsigned flow, words;
    unsigned number; /* in its flow, from 0; since it has been posted */
    uint64_t source;
    uint32_t destination;
    nx_ticket ticket;
} piece;

typedef struct bench bench;

/* Expected changes of error counters (error=yes in registers.map). */
typedef struct change {
    unsigned offset; /* of an error counter; 0 ends the list */
    uint32_t by;     /* SOME: at least one, ANY: not looked at */
} change;
enum { SOME = 0x40000000, ANY = 0x40000001, ERROR_COUNTERS = 128 };
#define CHANGES(...) ((const change[]){__VA_ARGS__, {0, 0}})

typedef struct flow {
    node *from, *to;
    unsigned queue; /* its descriptors' */
    unsigned id;    /* as a source, to the receiver */
    uint64_t word;  /* bus address of its notification word */
    piece piece[BENCH_PIECES];
    unsigned posted;   /* by bench_post */
    unsigned notified; /* pieces up to here have been notified, good or not */
    unsigned good, flagged, lies;
    unsigned strangers; /* notifications of no piece */
    uint64_t last;      /* the last one that was of a piece */
    int sender_reports; /* 1: pieces may be missing that the sender has dropped by a reset, and reported */
    sim_task *task;     /* of bench_stream */
} flow;

struct bench {
    sim *s;
    cable *wire; /* end 0 = node 0 */
    node *n[2];
    unsigned nodes, flows;
    pair *p;    /* two nodes; or */
    port *port; /* one */
    flow flow[BENCH_FLOWS];
    uint64_t next[2];                   /* where the next piece of each sender goes */
    unsigned room;                      /* bytes for each piece; 0: its length */
    sim_time asked[2];                  /* when a software reset was asked for */
    uint32_t errors[2][ERROR_COUNTERS]; /* of each node when they were last looked at, in the order of the map */
    struct ear {
        bench *b;
        node *at;
    } ear[2]; /* of the checker */
    void (*software)(struct bench *, int);
    int variation;
};

/* Builds the pair (server2004 hosts, waits of the driver end after 2 ms), as `change` (may be NULL) has altered it,
 * starts both nodes, takes the counters, runs `software`; the run must end well within 100 ms. */
void bench_run(void (*change)(pair_params *, int), void (*software)(bench *, int), int variation);
/* For loss_bench.h: on a port instead of a pair. */
void bench_run_on(bench *b, void (*software)(bench *, int), int variation);

uint32_t bench_get(bench *b, int node, unsigned offset);
void bench_put(bench *b, int node, unsigned offset, uint32_t value);
/* A write that has arrived when this returns. */
void bench_set(bench *b, int node, unsigned offset, uint32_t value);
/* STATUS bits that are set at a node, then cleared. */
uint32_t bench_status(bench *b, int node);
/* The DMA initiator of a node on or off. */
void bench_initiator(bench *b, int node, int on);
void bench_wait(bench *b, sim_time time);
/* A software reset, which must end within 8192 PCI clocks; asking for it; waiting for its end. */
void bench_soft_reset(bench *b, int node);
void bench_ask_reset(bench *b, int node);
void bench_reset_ends(bench *b, int node);
/* The driver's result must be NX_OK. */
void bench_ok(bench *b, int node, int result);

/* ---- pieces */
piece bench_make(bench *b, unsigned flow, unsigned words);
/* Makes one and sends it as one descriptor. */
piece bench_send(bench *b, unsigned flow, unsigned words, unsigned flags);
void bench_post(bench *b, piece *p, unsigned flags);
/* The same on any queue, with just these flags; it is not checked. */
void bench_post_on(bench *b, piece *p, unsigned queue, unsigned flags);
int bench_arrived(bench *b, const piece *p);
/* How many of these have not. */
unsigned bench_missing(bench *b, const piece *p, unsigned n);
void bench_must_arrive(bench *b, const piece *p);
void bench_untouched(bench *b, const piece *p);
/* The next notification of this flow is good (0) or has a loss indication (1), and is of this piece. */
void bench_notified(bench *b, const piece *p, int flagged);
/* Sends a piece; its notification, good (0) or with a loss indication (1), comes, and it arrives whole. */
int bench_next(bench *b, unsigned flow, unsigned words);
/* A piece of this many words goes there, unflagged, whole. */
void bench_good(bench *b, unsigned flow, unsigned words);
/* The same after the sender has lost a transfer: this piece arrives whole, its notification is flagged, and the
 * receiver has counted a gap.
 */
void bench_reported(bench *b, unsigned flow, unsigned words);
/* Random bytes from memory to memory by nx_transfer on a flow of the driver, between any nodes: waits for both
 * notifications; returns the remote one's result, NX_OK or NX_ERROR_FLAGGED. With NX_OK the data are in memory. */
int bench_transfer(node *from, node *to, unsigned flow, unsigned bytes);
/* Takes a notification at the receiver, if any. Returns the result of nx_notification_poll. */
int bench_take(bench *b, unsigned flow);

/* A tap on a cable that goes after the test. */
frame_tap *tap_on(cable *wire);

/* ---- descriptors behind the driver's back, into a slot of a queue of node 0 */
/* Its bus address, and the second word of a descriptor (S1 3.1.3). */
uint64_t bench_slot(bench *b, unsigned queue, unsigned slot);
uint64_t bench_word1(uint32_t destination, unsigned words, unsigned flow, unsigned start);
/* Stores of 32 bits each; parts: bit per store. */
void bench_raw(bench *b, unsigned queue, unsigned slot, uint64_t word0, uint64_t word1, unsigned parts);

/* ---- streams: a task makes this many pieces by `draw`, which returns their flags, and posts them. may_lose: transfers
 * may be abandoned */
void bench_stream(bench *b, unsigned flow, unsigned pieces, unsigned (*draw)(bench *b, unsigned flow, piece *p),
                  int may_lose);
/* All descriptors of the flow that begins at this node have departed or were skipped, none is in its queue. Returns how
 * many were skipped. */
uint32_t bench_accounted(bench *b, int from);
/* Waits until all streams have posted and everything has left. */
void bench_join(bench *b);
/* So far no lies and no strangers. */
void bench_sound(const bench *b, unsigned flow);

/* ---- counters */
/* Since the last look the error counters of the node have changed like this, all others not at all, and STATUS is this
 * (ANY: not looked at). Clears STATUS. */
void bench_expect(bench *b, int node, uint32_t status, const change *list);
void bench_expect_nothing(bench *b, int node);
/* Increase of an error counter of the node since then. */
uint32_t bench_risen(bench *b, int node, unsigned offset);
/* Clears the record of the node's counters. */
void bench_forgive(bench *b, int node);

/* ---- faults of the bus */
/* Addresses at which a node's host behaves otherwise (enum host_range_kind), until host_clear_ranges. */
void bench_range(bench *b, int node, uint64_t at, uint64_t bytes, int kind, unsigned value);
/* Wrong bits in a transaction of the NIC, or of its bridge. */
void bench_bus_fault(bench *b, int node, int by_nic, unsigned command, pcix_fault f);
/* How many have been made. */
unsigned bench_bus_faults(bench *b, int node);
uint32_t bench_config(bench *b, int node, int reg, int size);
/* Errors in the Status register of the configuration space, then cleared. */
enum {
    PCI_STATUS = 0x06,
    PARITY_DATA = 1 << 8,
    TARGET_ABORT = 1 << 12,
    MASTER_ABORT = 1 << 13,
    SERR = 1 << 14,
    PARITY_SEEN = 1 << 15
};
uint32_t bench_pci_status(bench *b, int node);
/* Completions of 128 bytes each from node 0's bridge. */
void bench_small_completions(bench *b, bool count_modified);

/* A test that is such software: b and its variation _i. */
#define SOFTWARE_TEST(name, ...) BENCH_TEST(bench_run, NULL, name, __VA_ARGS__)
/* The same on a pair that a function has changed. */
#define SOFTWARE_TEST_ON(change, name, ...) BENCH_TEST(bench_run, change, name, __VA_ARGS__)
#define BENCH_TEST(run, change, name, ...)                                                                             \
    static void name##_software(bench *b, int _i);                                                                     \
    TEST(name, __VA_ARGS__) { run(change, name##_software, _i); }                                                      \
    static void name##_software(__attribute__((unused)) bench *b, __attribute__((unused)) int _i)

#endif
