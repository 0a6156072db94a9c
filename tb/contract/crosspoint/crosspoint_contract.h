/* Contract of the slot "crosspoint" as checks that judge any candidate alone (rtl/switch/README.md has it in words).
 *
 * A bench holds one candidate and a reference that knows only the words that have been written and taken, with their times. At every edge
 * it looks whether the candidate keeps to the rules; a check is a story that brings it into a situation. What is wrong is not a failure of
 * the test program but a complaint, so that broken candidates can be judged, too. */
#ifndef TB_CONTRACT_CROSSPOINT_H
#define TB_CONTRACT_CROSSPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "contract.h"
#include "sim.h"
#include "slot_crosspoint_two.h"

enum { CROSSPOINT_PERIOD = 12800, CROSSPOINT_LOG = 1 << 16, CROSSPOINT_QUEUE = 1 << 10 };

typedef struct crosspoint_clocks {
    double write_ppm, read_ppm;
    int64_t read_phase; /* [ps]; -1 random; ignored with one clock */
    sim_time jitter;
} crosspoint_clocks;

struct written_word {
    uint32_t data;
    bool start, end, spoiled;
    sim_time at; /* edge that ended the write */
};

typedef struct crosspoint_bench {
    sim *s;
    sim_clock *write_clock, *read_clock; /* the same one with SAME_CLOCK */

    /* the candidate, by the names of its ports */
    bool same_clock;
    unsigned words; /* 2**LOG2_WORDS */
    sim_model *model;
    const slot_crosspoint_two_ports *p;

    /* what the writer does: a queue of packets, how often a word is ready, whether it keeps to the space */
    unsigned to_write[CROSSPOINT_QUEUE]; /* lengths of packets [words] */
    unsigned write_in, write_out, written_of_packet;
    int write_percent, spoiled_percent;
    bool keeps_to_space;
    /* what the reader does: how often it pops what it sees. It starts on a packet two clocks after `arrived` */
    int pop_percent;
    bool pops_blindly; /* at random, with a word or without */
    bool streams;      /* a packet that has been started must never make it wait (the writer writes in every clock) */

    /* the reference */
    struct written_word log[CROSSPOINT_LOG];
    unsigned written, taken; /* words, free running */
    unsigned packets_written, packets_arrived, packets_begun;
    sim_time start_at[CROSSPOINT_LOG / 4];   /* of each packet: edge that ended the write of its first word */
    uint64_t arrived_at[CROSSPOINT_LOG / 4]; /* read clock in which `arrived` was high */
    uint64_t read_cycle;
    bool in_packet; /* the first word of a packet has been taken, the last has not */
    unsigned overflows, underflows, blind_pops, writes_without_space;
    sim_time slowest_arrival; /* from the edge that ended the write of the first word to the edge that ends `arrived` */
    bool in_reset;
    char complaint[CONTRACT_COMPLAINT]; /* "" = none; the first one stands */
} crosspoint_bench;

/* A candidate after reset, nothing queued; the writer writes whenever it can, the reader pops nothing. */
crosspoint_bench *crosspoint_bench_new(const sim_config *config, unsigned fault, const crosspoint_clocks *clocks);
void crosspoint_bench_free(crosspoint_bench *b);
/* Queues a packet of `words` words, at least 5, for the writer. */
void crosspoint_queue(crosspoint_bench *b, unsigned words);
void crosspoint_run(crosspoint_bench *b, unsigned clocks);
/* Both sides; what is in the candidate and in the writer's queue is forgotten. */
void crosspoint_reset(crosspoint_bench *b);
/* Until everything has come out. */
void crosspoint_drain(crosspoint_bench *b);
void crosspoint_complain(crosspoint_bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
