/* Bench for sync_unit: the host's memory behind a write conversation of random speed, the other nodes' packets, and a
 * second implementation of README.md that says what each of them must do. Every write to the host's memory is compared
 * with it, in order; so is every REPLY, and the last REFUSED of each source and queue. The first error is in `wrong`.
 */
#ifndef TB_SYNC_BENCH_H
#define TB_SYNC_BENCH_H

#include "simulation.h"
#include "sync_register_map.h"
#include "sync_unit.h"
#include "sync_unit_pipelined.h"

enum {
    NODES = 8,
    QUEUES = 16,
    MOST_WORDS = 62,
    RINGS = 0x100000, /* ring of queue q at + 0x20000 q */
    RING = 0x20000,
    COUNTER_WORDS = 0x300000,
    ANSWERS = 0x310000,
    REFUSALS = 0x320000,
    MEMORY_END = 0x330000,
    EXPECTED = 1024 /* writes that may be awaited */
};

enum { ENQUEUE, ADD, ARM, SET, WRITE, FETCH_ADD, SWAP, COMPARE_SWAP, REOPEN, REFUSED = 14, REPLY = 15, CLOSE = 15 };
enum { FULL = 1, OFF, SOURCE, LONG, OBJECT, LENGTH };

struct sync_write {
    uint64_t address, data[MOST_WORDS];
    unsigned words;
};

struct sync_bench {
    sim *s;
    sim_clock *clk;
    sim_model *model;
    sync_unit *m;
    uint64_t clock;
    unsigned slow;   /* a write is acknowledged, ends, and is popped after up to so many clocks */
    unsigned fail;   /* this many writes fail */
    unsigned stall;  /* no write is acknowledged */
    unsigned gaps;   /* up to so many clocks between the words of a packet */
    unsigned refuse; /* answers are not taken */
    uint64_t memory[(MEMORY_END - RINGS) / 8];
    struct sync_write expected[EXPECTED], now, over; /* over: all its words are taken */
    unsigned expected_first, expected_count;
    int bus, wait, popped, closing;                 /* closing: clocks until wr_done of `over`; 0: none */
    unsigned interrupts, writes, answers, overlaps; /* overlaps: writes acknowledged before the last one was done */
    uint32_t released;                              /* queues, ored */
    unsigned releases;

    /* what must be */
    struct {
        uint64_t base;
        unsigned log2_slots, log2_size, sources, on, interrupt, head, tail;
    } queue[QUEUES];
    struct {
        unsigned closed, reason, told_refused, told_taken, told_reason, again;
        uint16_t refused, taken;
    } pair[NODES][QUEUES];
    struct {
        int32_t value;
        unsigned write, interrupt, armed, damaged, times, mask;
    } counter[64];
    uint64_t word[256];
    unsigned slot_mark[NODES], counter_mark[NODES];
    struct {
        uint64_t value;
        unsigned operand, status;
    } reply[NODES][8];
    unsigned reply_first[NODES], reply_count[NODES];
    unsigned must_interrupt, must_release;
    unsigned counts[16];
    char wrong[240];
};

struct sync_bench *sync_bench_new(uint64_t seed);
unsigned sync_below(struct sync_bench *b, unsigned n);
uint64_t sync_random_small(struct sync_bench *b); /* -3 .. 3, or any */
void sync_complain(struct sync_bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails if there was an error. */
void sync_good(struct sync_bench *b);

void sync_clocks(struct sync_bench *b, unsigned clocks);
/* Until everything that has arrived has taken effect and every answer has left; 100000 clocks at most. */
void sync_drain(struct sync_bench *b);

/* Registers; both take a few clocks. Half words: mask 1 low, 2 high. */
void sync_store(struct sync_bench *b, unsigned offset, uint64_t value, unsigned halves);
uint64_t sync_load(struct sync_bench *b, unsigned offset);
/* A queue is made, in the model too. */
void sync_make_queue(struct sync_bench *b, unsigned q, unsigned log2_slots, unsigned log2_size, unsigned sources);
void sync_read_queue(struct sync_bench *b, unsigned q, unsigned messages); /* its head moves on */
/* HOST_COMMAND, in the model too; returns HOST_RESULT. */
uint64_t sync_host(struct sync_bench *b, unsigned operation, unsigned object, uint64_t data, uint64_t second);

/* A packet arrives as a whole: good, or with a bad body (and then a loss of its source). */
void sync_packet(struct sync_bench *b, unsigned source, unsigned operation, unsigned object, unsigned operand,
                 unsigned words, const uint64_t *data, unsigned bad);
/* The same with one or two words of payload, good. */
void sync_operation(struct sync_bench *b, unsigned source, unsigned operation, unsigned object, unsigned operand,
                    uint64_t first, uint64_t second);
/* ... of ENQUEUE with random words. */
void sync_message(struct sync_bench *b, unsigned source, unsigned q, unsigned words, unsigned bad);
void sync_group(struct sync_bench *b, unsigned source, unsigned group, unsigned words, unsigned damaged);
void sync_loss(struct sync_bench *b, unsigned source);

#endif
