/* Bench for the whole DMA engine: everything around it in C, on one clock.
 *
 *   descriptors   dma_bench_post() queues a descriptor; it is written into the request queues as soon as its slot is free
 *   bus reads     acknowledged, answered and ended after random delays; host memory is a hash of the address. `read_plan` of a case
 *                 decides how many words come and with which status
 *   bus writes    like the bus interface: two words are popped ahead, then, after a random latency and not while arb_hold_write, one per
 *                 clock; done 4 clocks after the last one. `write_plan` decides the status. Each finished sequence is in `writes`
 *   H2N           words, commit, rollback; the count that the writer sees lags. Packets leave at a set rate; then the departure pulse
 *   N2H           dma_bench_packet() queues a packet; its words come in at a set rate
 *
 * Always checked (a mistake ends the run, dma_bench_run reports it with the seed): H2N never overflows; every packet that is committed
 * is the next one of its queue, bit by bit (header, payload, flags of the FIFO word); read requests are the right pieces; nothing is
 * read or sent for a descriptor that must be skipped; departed and skipped counts; local notifications; a word is never missing on the
 * bus (underflow); words popped are exactly words asked for.
 *
 * Source addresses name their descriptor: queue in [43:40], index in [39:13]; so a transfer is at most 4096 bytes from [12:3] = 0. */
#ifndef TB_DMA_BENCH_H
#define TB_DMA_BENCH_H

#include <stdint.h>

#include "dma_engine.h"
#include "sim.h"

#define QUEUES 8
#define DEPTH 128
#define H2N_WORDS 1023
#define N2H_WORDS 1023
#define LOCAL_NOTIFY 0x123456000ull
#define REMOTE_NOTIFY 0x987654000ull

enum { NOTIFY_REMOTE = 4, NOTIFY_LOCAL = 2, NOTIFY_IRQ = 1 }; /* header [54:52] */

struct descriptor {
    uint64_t source;
    unsigned flow, length, flags, start;
    uint32_t destination;
    /* set by the bench */
    int bad;                /* must be skipped */
    unsigned asked;         /* words of read requests acknowledged */
    unsigned delivered;     /* words that came */
    unsigned sent;          /* words in committed packets */
    unsigned limit;         /* its payload limit, 0 = not known yet; told by its first packet if that is not the only one */
    int failed;             /* its read ended badly */
    int whole;              /* its last packet is committed */
};

struct dma_write {
    uint64_t address;
    unsigned words, status;
    uint64_t data[512];
    uint64_t begun, ended;  /* clocks: acknowledged, done */
};

struct n2h_word {
    uint64_t data;
    unsigned mark;          /* bits [67:64] */
};

struct dma_bench {
    sim *s;
    sim_clock *clk;
    dma_engine *m;

    /* ---- knobs; percentages are chances per clock ---- */
    unsigned ack_percent;            /* a standing request is acknowledged */
    unsigned read_latency;           /* [clocks] 1..this until the first word */
    unsigned read_percent;           /* a word comes */
    unsigned write_latency;          /* [clocks] 1..this until the burst */
    unsigned write_percent;          /* the bus takes a word */
    unsigned drain_percent;          /* the link takes a word from H2N */
    double n2h_rate;                 /* words per clock into N2H */
    int bus_off;                     /* nothing is acknowledged, nothing moves, nothing ends */
    int expect_resets;               /* a soft reset may give up transfers at any packet */
    void (*read_plan)(struct dma_bench *b, const struct descriptor *d, unsigned words, unsigned *deliver, unsigned *status);
    unsigned (*write_plan)(struct dma_bench *b, uint64_t address, unsigned words);
    void *user;

    /* ---- descriptors ---- */
    struct descriptor *posted[QUEUES];
    unsigned posts[QUEUES], written[QUEUES], heads[QUEUES], current[QUEUES]; /* free running; current: the next to be sent */
    unsigned half_written, write_queue;
    uint8_t limits[513];             /* payload limits that have been in force: dma_bench_limit() */
    unsigned limit_count;
    unsigned sequence[QUEUES];
    unsigned departed[QUEUES], skipped_seen[QUEUES];
    unsigned local_due[QUEUES], local_seen[QUEUES]; /* departed count that a notification has to report / has reported */
    unsigned packets, transfers;

    /* ---- read agent ---- */
    int reading;
    struct descriptor *read_of;
    unsigned read_left, read_deliver, read_status, read_wait;
    uint64_t read_address;
    unsigned reads;
    uint64_t read_done_clock, idle_sum, idle_worst, idle_count; /* clocks from rd_done to the next rd_req */

    /* ---- write agent ---- */
    int writing;
    int write_started;
    unsigned write_popped, write_wait, write_closing, write_status_now;
    struct dma_write *writes;
    unsigned write_count, write_room;
    unsigned underflows, underflows_allowed;

    /* ---- H2N ---- */
    struct n2h_word h2n[2048];
    unsigned h2n_written, h2n_committed, h2n_read, h2n_history[4];
    unsigned packet_start;           /* first word not yet looked at */
    int link_busy, link_last;        /* in the middle of a packet; it is its transfer's last */
    unsigned link_queue, link_left;
    unsigned departing[64], departing_count;  /* clocks until the pulse, queue in the upper bits */
    unsigned link_quiet;
    struct { unsigned queue, local, departed; } fifo_transfers[4096];
    unsigned transfers_in, transfers_out;
    unsigned max_in_h2n, left_at_reset; /* most words ever; words at the end of the last software reset */

    /* ---- N2H ---- */
    struct n2h_word *n2h;
    unsigned n2h_queued, n2h_arrived, n2h_popped, n2h_room, n2h_history[4];
    double n2h_credit;
    uint64_t *n2h_arrival;           /* clock at which each word became known to the reader's count */

    /* ---- events, counted ---- */
    struct {
        unsigned overwrite, partial, bad_length, bad_address, bad_flow, read_failed, transfer_read, packet_written, start, gap,
            bad_body, write_error, local_notified, remote_notified, flagged, step, irq, resets;
    } ev;
    struct { uint64_t clock; unsigned after_writes; } irq[4096];
    uint64_t clocks;
    uint64_t post_clock, ack_clock, last_word_clock, commit_clock, departure_clock; /* of the last of each kind; post: of word 1 */
    int no_fail;
    unsigned mistakes;
    char last_mistake[160];
};

/* A bench that has come out of reset and swept its request queues; friendly knobs. `seed` is added to the seed of the run. */
struct dma_bench *dma_bench_new(uint64_t seed);
void dma_bench_free(struct dma_bench *b);

/* Runs that many clocks; fails the case if anything above is violated. */
void dma_bench_run(struct dma_bench *b, uint64_t clocks);
/* Runs until all posted descriptors are accounted for, all packets from the network are handled and all is quiet; fails the case if
 * that takes more than `clocks`. Then checks the counts. */
void dma_bench_finish(struct dma_bench *b, uint64_t clocks);
int dma_bench_quiet(struct dma_bench *b);

/* Sets the payload limit. Transfers that have begun may keep the old one. */
void dma_bench_limit(struct dma_bench *b, unsigned words);
/* The contents of host memory. */
uint64_t dma_bench_word(uint64_t address);
/* Queues a descriptor. A legal source address is made here; `d` only says the rest. Returns it for further changes. */
struct descriptor *dma_bench_post(struct dma_bench *b, unsigned queue, unsigned length, unsigned flags, int start);
/* A header from the network. */
uint64_t dma_bench_header(unsigned source, unsigned number, unsigned length, unsigned flags, uint32_t address);
/* Queues header and payload (word i: dma_bench_word(address + 8 i + salt)); bad: the body's CRC was wrong. */
void dma_bench_packet(struct dma_bench *b, uint64_t header, uint64_t salt, int bad);
/* Queues one word as it is. */
void dma_bench_put(struct dma_bench *b, uint64_t data, unsigned mark);

#endif
