/* voq_body with everything around it: a DMA engine that reserves pieces and writes them, an external memory, rings that
 * are emptied by a link, a window. All of it random, within what `loads` allows. Each clock is checked by
 * body_reference and by rules of its own; the first one broken ends the run (sim_fail). */
#ifndef TB_VOQ_BODY_BENCH_H
#define TB_VOQ_BODY_BENCH_H

#include "body_reference.h"
#include "sim/core/kernel/sim.h"
#include "voq_body.h"

#define PERIOD (10 * SIM_NS)
#define WINDOW_BASE 0xf00000u /* in words: above all blocks */

/* Frequency of events: percent, unless another unit is named. */
typedef struct body_loads {
    int reserve;          /* of the clocks in which a reservation may be made */
    unsigned piece_words; /* longest piece, 1..514 */
    int word;             /* of the clocks of a piece bring a word */
    int commit,
        rollback; /* of the words are followed by one; what remains at the end is committed, or with `rollback` not */
    int exact;    /* of the pieces use all that was reserved */
    int late_end; /* of the pieces end after their last word */
    unsigned voq_mask;                   /* VOQs that get pieces */
    int ready, latency_min, latency_max; /* of the memory; latencies in clocks */
    int damage;                          /* of the words of the bodies come back with one wrong bit */
    int out_ready;                       /* of the clocks */
    int drain;                           /* of the clocks in which the link takes a word of some ring */
    unsigned packet;                     /* words: the link takes this many at once, or none; 0: one by one */
    unsigned keep;                       /* words that the link leaves in each ring */
    unsigned ring_words;                 /* size of each ring */
    unsigned blocked;                    /* mask: VOQs whose ring the link does not empty; */
    int block_changes;                   /* in 10000 clocks, to a random mask */
    int window;                          /* of the clocks in which the window is free: a new access */
    unsigned limit;                      /* cfg_body_limit */
} body_loads;

typedef struct body_bench {
    sim *s;
    sim_clock *clk;
    voq_body p;       /* the pins of any configuration */
    voq_body_ports v; /* ... those whose width depends on its parameters */
    body_reference *ref;
    body_loads loads;
    unsigned voqs, block_words, blocks, level_bits; /* as the configuration has them */
    int stopped;                                    /* no new pieces */
    int flushing;                                   /* clocks so far */
    unsigned reset;                                 /* clocks of reset left */
    /* pieces */
    uint32_t serial;
    unsigned since_reserve;
    int piece_open;
    unsigned planned, planned_late; /* words of the oldest piece, clocks until its end after them */
    unsigned full_room;             /* body_room with nothing in */
    /* rings */
    unsigned used[16], promised[16];
    /* memory */
    body_word *memory;
    uint8_t *tags; /* ... and the tag bytes of its words */
    uint64_t window_memory[64];
    struct {
        body_word word; /* as it was when the read was taken */
        uint8_t tag;
        int window;
        uint64_t due;
    } asked[16];
    unsigned outstanding;
    uint64_t last_due;
    int corrupt; /* the next answer is wrong in one bit that is not reported */
    int pretend; /* the next damage is reported, but not done */
    /* words of the bodies that have come and have not been handed over: damage in them */
    struct {
        uint64_t data;
        int damaged;
    } hits[64];
    unsigned come, handed;
    uint64_t damages, damages_seen;
    int external; /* another memory is at the port: this one only watches */
    /* window */
    uint64_t window_expected[64];
    unsigned window_wait, window_worst, windows;
    int window_acknowledged;
    /* levels: blocks as the reference had them, and for how many clocks */
    unsigned level[16], level_clocks[16];
    uint64_t clocks, migrated, fetched, reserved;
    unsigned most_blocks[16];
} body_bench;

/* A simulation with any configuration of voq_body in it, moderate loads on everything; it goes after the test. */
body_bench *body_bench_new(const sim_config *config);
/* Runs this many clocks; a rule broken fails the test. */
void body_bench_run(body_bench *, unsigned clocks);
/* The same; words per 1000 clocks, written out and fetched. */
void body_bench_measure(body_bench *, unsigned clocks, unsigned *out, unsigned *in);
/* No new pieces, everything flows; after that nothing may be left anywhere. */
void body_bench_drain(body_bench *);
/* Holds flush until flushed. */
void body_bench_flush(body_bench *);

#endif
