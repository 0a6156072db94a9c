/* Bench for the whole DMA engine: everything around it in C, on one clock.
 *
 *   descriptors   dma_bench_post() queues a descriptor; it is written into the request queues as soon as its slot is
 * free bus reads     acknowledged, answered and ended after random delays, several at a time and interleaved if the
 * engine was built for it; host memory is a hash of the address. `read_plan` of a case decides how many words come and
 * with which status (5: abandoned, so its tag may not recur before 6 others). Abandoned reads end so bus
 * writes    like the bus interface: two words are popped ahead, then, after a random latency and not while
 * arb_hold_write, one per clock; done 4 clocks after the last one. `write_plan` decides the status. Each finished
 * sequence is in `writes` output queues dma_bench_voq.h: room, pieces, words, commit, rollback; packets leave at a set
 * rate, from queues that are not blocked; then `moved`, later the departure N2H           dma_bench_packet() queues a
 * packet; its words come in at a set rate
 *
 * Always checked (a mistake ends the run, dma_bench_run reports it with the seed): read requests are the right pieces,
 * under free tags; nothing is read or written for a descriptor that must be skipped; a descriptor's slot is given back
 * when it is done, not before; departed and skipped counts; local notifications; a word is never missing on the bus
 * (underflow); words popped are exactly words asked for; and all that dma_bench_voq.h names.
 *
 * Source addresses name their descriptor: queue in [43:40], index in [39:13]; so a transfer is at most 4096 bytes from
 * [12:3] = 0. */
#ifndef TB_DMA_BENCH_H
#define TB_DMA_BENCH_H

#include "dma_engine.h"
#include "simulation.h"

#define QUEUES 8
#define DEPTH 128
#define N2H_WORDS 1023
#define VOQ_WORDS 4096 /* most that voq_words may be */
#define MAX_READS 4
#define LOCAL_NOTIFY 0x123456000ull
#define REMOTE_NOTIFY 0x987654000ull

enum { NOTIFY_REMOTE = 4, NOTIFY_LOCAL = 2, NOTIFY_IRQ = 1 }; /* header [62:60] */

/* Outputs ev_* of the engine that are counted. */
/* clang-format off */
#define EVENTS(X)                                                                                                                          \
    X(overwrite)                                                                                                                           \
    X(partial)                                                                                                                             \
    X(bad_length)                                                                                                                          \
    X(bad_address)                                                                                                                         \
    X(bad_flow) X(read_failed) X(transfer_read) X(packet_written) X(start) X(gap) X(bad_body) X(write_error) X(local_notified)             \
        X(remote_notified) X(flagged) X(step)
/* clang-format on */

/* A read of a transfer: `words` from `offset` on, of which `delivered` came. */
struct read_piece {
    uint16_t offset, words, delivered;
    uint8_t done, status;
};

struct descriptor {
    uint64_t source;
    unsigned flow, length, flags, start;
    uint32_t destination;
    /* set by the bench */
    int bad;        /* must be skipped */
    unsigned asked; /* words of read requests acknowledged */
    unsigned sent;  /* words that have been committed */
    unsigned limit; /* its payload limit, as its header says; 0 = not known yet */
    int zeros;      /* benchmark mode: nothing is read */
    int failed;     /* a read of it ended badly */
    int aborted;    /* the abort mark is committed */
    int whole;      /* all of it is committed */
    int given_up;   /* a software reset came before it was whole */
    struct read_piece pieces[20];
    unsigned piece_count;
};

struct dma_write {
    uint64_t address;
    unsigned words, status;
    uint64_t data[512];
    uint64_t begun, ended; /* clocks: acknowledged, done */
};

struct stream_word {
    uint64_t data;
    unsigned mark; /* bits [67:64] */
};

/* One output queue. Positions count words ever written; the ring keeps the newest. */
struct voq {
    struct stream_word ring[VOQ_WORDS];
    unsigned written, committed, left;
    unsigned reserved;           /* words reserved and not written yet, of pieces that have not ended */
    struct descriptor *writing;  /* the transfer whose words are being committed */
    unsigned fresh, write_limit; /* data words written and not committed; limit of the transfer that is being written */
    unsigned leaving, limit, local; /* words of the transfer at the head that have not left yet; fields of its header */
    int blocked;                    /* no packet of it may leave */
    unsigned departed, moved;
};

struct bus_read {
    int active;
    unsigned tag;
    struct descriptor *of;
    struct read_piece *piece;
    unsigned left, status, wait;
    uint64_t address;
};

struct dma_bench {
    sim *s;
    sim_clock *clk;
    dma_engine *m;
    unsigned splits, piece_words; /* the engine's parameters */

    /* ---- knobs; percentages are chances per clock ---- */
    unsigned ack_percent;     /* a standing request is acknowledged */
    unsigned read_latency;    /* [clocks] 1..this until the first word */
    unsigned read_percent;    /* a word comes */
    unsigned reads_allowed;   /* outstanding reads the bus interface takes, 1..splits */
    int in_order;             /* the oldest read has its words first; else they are interleaved at random */
    unsigned write_latency;   /* [clocks] 1..this until the burst */
    unsigned write_percent;   /* the bus takes a word */
    unsigned drain_percent;   /* the link takes a word */
    unsigned voq_words;       /* size of an output queue */
    unsigned flicker_percent; /* a queue shows no room for a clock, all are paused for a clock */
    double n2h_rate;          /* words per clock into N2H */
    int bus_off;              /* nothing is acknowledged, nothing moves, nothing ends */
    int completions_off;      /* reads that are acknowledged bring nothing and end when they are abandoned */
    unsigned fail_one_in;     /* one read in this many fails, 0 = none */
    int expect_resets;        /* a soft reset may drop transfers at any packet */
    void (*read_plan)(struct dma_bench *b, const struct descriptor *d, unsigned words, unsigned *deliver,
                      unsigned *status);
    unsigned (*write_plan)(struct dma_bench *b, uint64_t address, unsigned words);
    void *user;

    /* ---- descriptors ---- */
    struct descriptor *posted[QUEUES];
    unsigned posts[QUEUES], written[QUEUES], heads[QUEUES],
        current[QUEUES]; /* free running; current: the next to be written */
    unsigned half_written, write_queue;
    uint8_t limits[513]; /* payload limits that have been in force: dma_bench_limit() */
    unsigned limit_count;
    unsigned local_due[QUEUES],
        local_seen[QUEUES];              /* departed count that a notification has to report / has reported */
    unsigned packets, transfers, aborts; /* departed packets; transfers committed as a whole; abort marks */

    /* ---- read agent ---- */
    struct bus_read reading[MAX_READS];
    unsigned reading_count, reads, next_place;
    uint32_t abandoned_tags, used_since[32]; /* tags of reads abandoned; tags used after each of them */
    unsigned most_reads;                     /* outstanding at once */
    uint64_t read_done_clock, idle_sum, idle_worst, idle_count; /* clocks from rd_done to the next rd_req */
    uint64_t read_done_behind, idle_worst_behind; /* words not written at rd_done; clocks beyond their number */
    uint64_t word_clocks, words_written;          /* clocks with a word; words written to output queues */

    /* ---- write agent ---- */
    int writing;
    int write_started;
    unsigned write_popped, write_wait, write_closing, write_status_now;
    struct dma_write *writes;
    unsigned write_count, write_room;
    unsigned underflows, underflows_allowed;

    /* ---- output queues and link ---- */
    struct voq voq[QUEUES];
    struct {
        unsigned queue, words, written;
        uint64_t clock;
    } pieces[16]; /* reserved and not ended, oldest first */
    unsigned piece_count, most_pieces;
    uint64_t reserve_clock; /* of the last reservation */
    unsigned room_shown[QUEUES];
    int eager; /* words of the piece must come in every clock */
    int flushing;
    unsigned given_up[QUEUES]; /* transfers reported as dropped by a software reset, less slots freed for them */
    unsigned idle_wait;
    unsigned link_queue, link_left, link_last; /* the packet that is leaving: words left, its transfer's last packet */
    unsigned departing[64], departing_count;   /* clocks until the departure, queue and local flag in the upper bits */
    unsigned moving;                           /* 1 + queue whose transfer has just moved */
    unsigned transfers_moved;

    /* ---- N2H ---- */
    struct stream_word *n2h;
    unsigned n2h_queued, n2h_arrived, n2h_popped, n2h_room;
    double n2h_credit;
    uint64_t *n2h_arrival; /* clock at which each word became known to the reader's count */

    /* ---- events, counted ---- */
    struct {
#define EVENT_COUNTER(name) unsigned name;
        EVENTS(EVENT_COUNTER)
        unsigned irq, resets;
    } ev;
    struct {
        uint64_t clock;
        unsigned after_writes;
    } irq[4096];
    uint64_t clocks;
    /* of the last of each kind; post: of word 1, header: of a header written */
    uint64_t post_clock, ack_clock, last_word_clock, header_clock, commit_clock, departure_clock;
    int no_fail;
    unsigned mistakes;
    char last_mistake[160];
};

/* A bench that has come out of reset and swept its request queues; friendly knobs. `seed` is added to the seed of the
 * run. The engine is built for `splits` outstanding reads: 1, 4, or 2, which is also built for pieces of at most 100
 * words. */
struct dma_bench *dma_bench_new(uint64_t seed, unsigned splits);
/* The three. */
static const unsigned dma_bench_builds[] = {1, 4, 2};

/* Runs that many clocks; fails the case if anything above is violated. */
void dma_bench_run(struct dma_bench *b, uint64_t clocks);
/* Runs until all posted descriptors are accounted for, all packets from the network are handled and all is quiet; fails
 * the case if that takes more than `clocks`. Then checks the counts. */
void dma_bench_finish(struct dma_bench *b, uint64_t clocks);
int dma_bench_quiet(struct dma_bench *b);

/* Sets the payload limit. Transfers that have been fetched may keep the old one. */
void dma_bench_limit(struct dma_bench *b, unsigned words);
/* Values for software: departed and skipped descriptors of a queue. */
unsigned dma_bench_departed(struct dma_bench *b, unsigned queue);
unsigned dma_bench_skipped(struct dma_bench *b, unsigned queue);
/* Most words of a read. */
unsigned dma_bench_longest(const struct dma_bench *b);
/* Words in an output queue. */
unsigned dma_bench_in_voq(const struct dma_bench *b, unsigned queue);
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

/* 0 .. n - 1 at random */
unsigned dma_bench_below(struct dma_bench *b, uint64_t n);

/* ---- between the files of the bench ---- */

int dma_bench_chance(struct dma_bench *b, unsigned percent);
void dma_bench_mistake(struct dma_bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
