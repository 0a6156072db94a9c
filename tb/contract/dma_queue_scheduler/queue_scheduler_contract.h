/* Contract of the slot "DMA queue scheduler" as checks that judge any candidate alone (the head of rtl/dma/dma_queue_scheduler.v has it in
 * words).
 *
 * A bench holds one candidate, plays the engine and looks in every clock whether the candidate keeps to the rules; a check
 * (queue_scheduler_checks.h) is a story that brings it into a situation. What is wrong is not a failure of the test program but a
 * complaint, so that broken candidates can be judged, too. */
#ifndef TB_CONTRACT_QUEUE_SCHEDULER_H
#define TB_CONTRACT_QUEUE_SCHEDULER_H

#include <stdbool.h>

#include "contract.h"
#include "sim.h"
#include "slot_queue_scheduler_8.h"

#define QUEUE_SCHEDULER_QUEUES 16
/* Pieces of others, per queue, that may pass a queue that stays eligible. */
#define QUEUE_SCHEDULER_PATIENCE 64
/* Pieces of a transfer, at most. */
#define QUEUE_SCHEDULER_PIECES 16

typedef struct queue_scheduler_bench {
    sim *s;
    sim_clock *clk;

    /* the candidate, by the names of its ports */
    unsigned queues;
    sim_model *model;
    const slot_queue_scheduler_8_ports *p;

    /* the engine */
    unsigned left[QUEUE_SCHEDULER_QUEUES]; /* pieces of each queue's transfer still to come; 0: the next one is a new transfer's first */

    /* what happened */
    unsigned passed[QUEUE_SCHEDULER_QUEUES]; /* pieces of others since it became eligible or was used */
    bool follows;                            /* what is used is what was proposed: passed[] is judged */
    bool fresh;                              /* after reset: nothing to compare with */
    bool was_used;                           /* in the last clock; what it showed: */
    uint32_t shown_eligible, shown_waiting, shown_grant;
    uint64_t clock;
    char complaint[CONTRACT_COMPLAINT]; /* "" = none; the first one stands */
} queue_scheduler_bench;

/* One piece that was really taken up. */
struct used_piece {
    unsigned queue, words;
    bool last;
};

/* A candidate after power-up and reset. */
queue_scheduler_bench *queue_scheduler_bench_new(const sim_config *config, unsigned fault);
void queue_scheduler_bench_free(queue_scheduler_bench *b);

/* One clock; waiting is taken to hold eligible. `used` may be NULL; else that is used in this clock. Returns the queue proposed, -1 if
 * there was none. */
int queue_scheduler_step(queue_scheduler_bench *b, uint32_t eligible, uint32_t waiting, const struct used_piece *used);
/* The engine takes up what is proposed after `wait` clocks, and uses it `later` clocks afterwards if it is still eligible then: a piece of
 * `words`, of a transfer that has `pieces` if it is its first. */
void queue_scheduler_piece(queue_scheduler_bench *b, uint32_t eligible, unsigned wait, unsigned later, unsigned words, unsigned pieces);
void queue_scheduler_reset(queue_scheduler_bench *b, unsigned clocks);
uint32_t queue_scheduler_all(const queue_scheduler_bench *b);
unsigned queue_scheduler_below(queue_scheduler_bench *b, unsigned n);
void queue_scheduler_complain(queue_scheduler_bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
