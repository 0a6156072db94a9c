/* The contract of the slot "DMA arbiter" (the head of rtl/nic/dma/dma_arbiter.v has it in words). */
#ifndef TB_CONTRACT_DMA_ARBITER_H
#define TB_CONTRACT_DMA_ARBITER_H

#include "slot_arbiter_2.h"
#include "suite.h"

/* Rules, in addition to the common ones. */
enum { SAME_CLOCK = CONTRACT_OWN, BESIDE, ARBITER_RULES };

enum { READ, WRITE };

enum { STORY = 400 }; /* clocks of the sequence after each reset */

typedef struct arbiter_bench {
    contract_bench c;

    /* the candidate, by the names of its ports */
    const slot_arbiter_2_ports *p;

    bool start_seen;    /* in the next clock: a sequence has started */
    int what;           /* ... this */
    bool steady;        /* arb_started_write is low when it means nothing */
    unsigned passed[2]; /* starts of the other past a read, a write that could start as well */
    unsigned starts[2];

    /* choices after the first reset */
    bool known;
    int chosen[STORY];
} arbiter_bench;

/* One clock in which nothing may start. Returns the choice. */
int arbiter_no_start(arbiter_bench *b, bool read, bool write);
/* One clock in which the bus is free: the choice starts, or the only candidate; with `hold` no write does. Returns what
 * started, -1 for nothing. */
int arbiter_start(arbiter_bench *b, bool read, bool write, bool hold);

extern const contract_slot dma_arbiter_slot;

#endif
