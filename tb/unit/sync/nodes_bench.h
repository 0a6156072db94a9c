/* Two nodes of sync_node.v with a cable between them: hosts' memories, buses of random speed, packets that may be
 * damaged or lost. Node n has ID n and sends to the other by request queue 1 - n. */
#ifndef TB_NODES_BENCH_H
#define TB_NODES_BENCH_H

#include "simulation.h"
#include "sync_node.h"
#include "sync_register_map.h"

enum {
    MEMORY = 1 << 15,  /* [words] of each host, from address 0 on */
    RING_AT = 0x10000, /* queue q of either node at + 0x1000 q */
    COUNTERS_AT = 0x20000,
    ANSWERS_AT = 0x20400,
    REFUSED_AT = 0x20800,
    NOTIFY_AT = 0x22000,
    LOCAL_AT = 0x22800,
    LINE = 4096 /* words on the cable, each way */
};

enum { ENQUEUE, ADD, ARM, SET, WRITE, FETCH_ADD, SWAP, COMPARE_SWAP, REOPEN };

/* of descriptor word 1 */
#define OPERATION (1ull << 63 | 1)
#define REMOTE (1ull << 62)
#define LOCAL (1ull << 61)
#define INTERRUPT (1ull << 60)
#define START (1ull << 59)
#define IMMEDIATE (1ull << 51)
#define END (1ull << 50)

struct node {
    sim_model *model;
    sync_node *m;
    uint64_t memory[MEMORY];
    /* bus */
    int writing, reading, popped, given, closing;
    unsigned wait, read_wait;
    uint64_t write_at, read_at;
    unsigned write_words, read_words;
    int stopped; /* the bus takes nothing */
    /* the cable behind its H2N FIFO */
    uint64_t line[LINE];
    uint8_t marks[LINE];
    unsigned h2n, in, out, here; /* words in H2N; into the line; read by the other; of whole packets */
    unsigned units, told;        /* forwarded by the other side; and told by credit */
    unsigned tail[8];            /* next free slot of request queue q */
    unsigned departing, departs_local, departs_queue;
    unsigned ends, local, queue, drops, left; /* of the packet that is leaving */
    unsigned interrupts, skipped, gaps, bad, transfers, answers;
};

struct nodes {
    sim *s;
    sim_clock *clk;
    struct node node[2];
    uint64_t clock;
    unsigned slow;         /* of the buses */
    unsigned damage, lose; /* one packet in so many; 0: none */
};

struct nodes *nodes_new(uint64_t seed);
void nodes_run(struct nodes *b, unsigned clocks);
void nodes_drain(struct nodes *b);
void nodes_store(struct nodes *b, unsigned n, unsigned offset, uint64_t value);
uint64_t nodes_load(struct nodes *b, unsigned n, unsigned offset);
void nodes_make_queue(struct nodes *b, unsigned n, unsigned q, unsigned log2_slots, unsigned log2_size);
/* Writes a descriptor to the other node into the request queue for it. */
void nodes_post(struct nodes *b, unsigned n, uint64_t word0, uint64_t word1);
/* An operation with its payload in the descriptor, started. */
void nodes_immediate(struct nodes *b, unsigned n, unsigned operation, unsigned object, unsigned operand,
                     uint64_t payload, uint64_t flags);
uint64_t *nodes_at(struct nodes *b, unsigned n, uint64_t address);

#endif
