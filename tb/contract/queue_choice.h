/* Common part of the slots "VOQ scheduler" and "DMA queue scheduler": a bench for a block that chooses one of several
 * queues, the rules of its choice in every clock, and the checks that both contracts ask for. To include this is to
 * have a suite checked by them.
 *
 * Both blocks show a choice among the eligible queues and get the used one as inputs: of the DMA queue scheduler any
 * piece, of the VOQ scheduler (whose `take` is `used` here) a packet of the queue chosen. */
#ifndef TB_CONTRACT_QUEUE_CHOICE_H
#define TB_CONTRACT_QUEUE_CHOICE_H

#include "suite.h"

#define QUEUES CONTRACT_MOST
#define ALL_LONG (QUEUES + 1)

/* Rules, in addition to the common ones. */
enum { ANY = CONTRACT_OWN, AMONG, ONE_HOT, STANDS, SAME_CLOCK, BESIDE, CHOICE_RULES };
extern const char *const choice_rules[CHOICE_RULES];

typedef struct choice_bench {
    contract_bench c;

    /* the candidate; used_queue and used_last are NULL where the choice itself is used */
    unsigned queues;
    const sim_port *rst, *eligible, *waiting, *any, *grant, *index, *used, *used_queue, *used_words, *used_last;

    const sim_port *level; /* of the VOQ scheduler; NULL of the other */
    unsigned was_shortest;
    unsigned shortest; /* a queue that stays short while the others are long; QUEUES: none; or ALL_LONG */
    bool follows;      /* the proposed choice is used: passed[] is checked */
    unsigned
        left[QUEUES]; /* pieces of each queue's transfer still to come; 0: the next one is a new transfer's first */
    unsigned passed[QUEUES]; /* pieces of others since it became eligible or was used */
    bool fresh;              /* after reset: nothing to compare with */
    bool was_used;           /* in the last clock; its outputs: */
    uint32_t shown_eligible, shown_waiting, shown_grant;
    struct choice_sequence *sequence; /* choices after the first reset */
} choice_bench;

/* One piece that was really taken up. */
struct used_piece {
    unsigned queue, words;
    bool last;
};

/* A candidate after power-up and reset. used, used_words: names of its ports; used_queue and used_last are the caller's
 * to set. */
choice_bench *choice_bench_new(const sim_config *config, unsigned fault, const char *used, const char *used_words);
void choice_reset(choice_bench *b, unsigned clocks);

/* One clock; waiting is taken to hold eligible. `used` may be NULL; else that is used in this clock. Returns the queue
 * proposed, -1 if there was none. */
int choice_step(choice_bench *b, uint32_t eligible, uint32_t waiting, const struct used_piece *used);
/* The engine accepts the proposal after `wait` clocks, and uses it `later` clocks afterwards if it is still eligible
 * then: a piece of `words`, of a transfer that has `pieces` if it is its first. */
void choice_piece(choice_bench *b, uint32_t eligible, unsigned wait, unsigned later, unsigned words, unsigned pieces);

/* Of the long run. */
void choice_part(void *bench);
void choice_reset_sequence(void *bench);
void choice_all_ask(void *bench, unsigned each);

/* Queues as a mask: all, any of them. */
uint32_t choice_all(const choice_bench *b);
uint32_t choice_some(choice_bench *b);
/* Any piece, of any queue. */
struct used_piece choice_any_piece(choice_bench *b);

#endif
