/* Bench for the whole VOQ block: everything around it in C, on one clock, and voq_reference to check the output.
 *
 *   DMA engine   makes transfers, reserves pieces where `voq_room` allows, writes them in that order with random gaps,
 * commits per packet; pieces fail (rollback, ABORT) or are never written; eager ones come without a gap link takes
 * words from the link FIFO at a set rate; returns credits for them, late, sometimes a wrong (lower) one memory external
 * memory with random latency; at most 16 reads may be outstanding; flips single bits resets       software resets at
 * random, or asked for
 *
 * voq_bench_run fails the case if a rule is broken, with the seed; a test that wants to see a rule broken uses
 * voq_bench_try. */
#ifndef TB_VOQ_BENCH_H
#define TB_VOQ_BENCH_H

#include <stdint.h>

#include "simulation.h"
#include "voq.h"
#include "voq_reference.h"

struct voq_size {
    unsigned queues, voqs, ring_words, blocks, block_words;
};

/* A piece in the engine's hands. */
struct voq_piece {
    struct voq_transfer *t;
    unsigned reserved, words, from; /* words of the transfer before it */
    int first, last;
    int fails_after; /* words, -1: it does not */
    int never;       /* nothing is written of it */
};

struct voq_bench {
    sim *s;
    sim_clock *clk;
    voq p;              /* the pins of any configuration */
    const voq_ports *v; /* ... those whose width depends on its parameters */
    struct voq_size size;
    struct voq_ref ref;
    unsigned body_limit; /* voq_bench_body_limit */

    /* ---- knobs; percentages are chances per clock or per thing */
    unsigned queues_used;      /* bit per destination that gets transfers */
    unsigned transfers_wanted; /* made in all; none beyond */
    unsigned length_most, limit_most, piece_most;
    unsigned length_fixed, limit_fixed, queue_length[16]; /* words of all transfers; of those of a queue; 0: any */
    unsigned write_percent, reserve_percent, fail_percent, never_percent, eager_percent;
    unsigned drain_percent;  /* the link takes a word */
    int drain_even;          /* ... at even distances instead of at random */
    unsigned credit_percent; /* a credit is sent */
    unsigned wrong_percent;  /* ... and is a lower one */
    unsigned stopped;        /* bit per lane whose credits are withheld */
    unsigned memory_percent, memory_latency;
    unsigned damage_per_1000; /* words read with one wrong bit */
    unsigned reset_per_10000; /* software resets */
    int reset_now;
    unsigned room_lie;   /* words more room than there is */
    unsigned reads_most; /* reads outstanding that are allowed, 16 */
    /* changes the output as the reference sees it: to test the rules */
    void (*corrupt)(struct voq_bench *b, struct voq_output *o);

    /* ---- the engine */
    unsigned made, next_id;
    struct {
        struct voq_transfer t;   /* the transfer in hand */
        struct voq_transfer *in; /* ... in the reference, once its first piece is reserved */
        unsigned asked;          /* words of it reserved so far */
        int valid;
    } now[16];
    struct voq_piece pieces[8];
    unsigned piece_count;
    unsigned written, in_packet; /* of the piece being written: words, words since the last commit */
    int header_written, aborting;
    unsigned room[16], room_age;
    unsigned since_reserve;
    struct { /* inputs of the module in this clock */
        struct voq_transfer *commit, *eager, *abort;
        unsigned committed;
        int credit;
    } given;

    /* ---- the link */
    struct {
        uint8_t lane, units;
    } fifo[64];
    unsigned fifo_count, lane_of_packet, drain_due;
    unsigned forwarded[16];

    /* ---- memory */
    struct {
        uint32_t word[3];
        int written;
    } * memory;
    struct {
        uint32_t word[3];
        unsigned wait;
    } reads[16];
    unsigned read_count;
    struct voq_written { /* words that went in, found by their data */
        uint64_t data;
        struct voq_transfer *t;
        int index; /* -1: header */
    } * known;
    unsigned header_damages, data_damages, kind_damages;

    /* ---- resets */
    int resetting, reset_seen;
    unsigned given_up; /* queues of which a transfer was dropped before it came here */
    unsigned reset_hold, resets;

    /* ---- counts */
    uint64_t damages, damages_seen;
    uint64_t clocks, migrated, fetched, exhausted, backpressure, aborts, eagers;
    uint64_t header_put_clock; /* of the last header written, counted as the reference counts */
};

/* The configurations: the default one; 16 queues; rings of 256 words, 64 blocks of 16 words, segments of 16; one VOQ
 * for all queues. */
enum voq_kind { VOQ_DEFAULT, VOQ_16, VOQ_SMALL, VOQ_SHARED, VOQ_KINDS };

/* A bench that has come out of reset; friendly knobs. `seed` is added to the seed of the run. It goes after the test.
 */
struct voq_bench *voq_bench_new(enum voq_kind kind, uint64_t seed);

/* Runs that many clocks; the second returns the rule broken instead of failing. */
void voq_bench_run(struct voq_bench *b, uint64_t clocks);
enum voq_rule voq_bench_try(struct voq_bench *b, uint64_t clocks);
/* Runs until all transfers wanted have left; fails the case if that takes more than `clocks`. */
void voq_bench_finish(struct voq_bench *b, uint64_t clocks);
/* The same with no more transfers than have been made, no more resets, and credits for all lanes. */
void voq_bench_drain(struct voq_bench *b, uint64_t clocks);

unsigned voq_bench_level(const struct voq_bench *b, unsigned voq);  /* words on chip */
unsigned voq_bench_blocks(const struct voq_bench *b, unsigned voq); /* blocks outside */
unsigned voq_bench_free_blocks(const struct voq_bench *b);
void voq_bench_body_limit(struct voq_bench *b, unsigned blocks);

#endif
