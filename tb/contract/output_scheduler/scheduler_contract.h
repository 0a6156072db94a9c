/* Contract of the slot "output scheduler" as checks that check any candidate alone (rtl/switch/contracts.md has it in
 * words).
 *
 * A bench holds one candidate and a reference that knows only how many packets wait at each input. Every clock it looks
 * whether the candidate keeps to the rules. */
#ifndef TB_CONTRACT_SCHEDULER_H
#define TB_CONTRACT_SCHEDULER_H

#include "contract.h"
#include "slot_scheduler_8.h"

#define SCHEDULER_INPUTS CONTRACT_MOST
#define ALL_FULL (SCHEDULER_INPUTS + 1)

/* Its rules, in addition to the common ones. */
enum { ONE_HOT = CONTRACT_OWN, STANDS, GAP, ELIGIBLE, IN_TIME, COUNTS, REGISTERS, OVERFLOWS, SCHEDULER_RULES };

typedef struct scheduler_bench {
    contract_bench c;

    /* the candidate, by the names of its ports */
    unsigned inputs;
    const slot_scheduler_8_ports *p;

    /* the reference */
    unsigned packets[SCHEDULER_INPUTS]; /* waiting, the chosen one included */
    unsigned served[SCHEDULER_INPUTS];
    uint64_t units[SCHEDULER_INPUTS];
    bool begun; /* something has arrived since reset */
    bool asked; /* `choose` in the last clock */
    unsigned weight[SCHEDULER_INPUTS];
    unsigned passed[SCHEDULER_INPUTS]; /* packets of others since it waits and is enabled */
    unsigned words[SCHEDULER_INPUTS];  /* in its crosspoint, if it has packets */
    unsigned shown[SCHEDULER_INPUTS];  /* of them */
    unsigned emptiest; /* an input whose crosspoint is nearly empty all the time while the others are full;
                          SCHEDULER_INPUTS: none; or ALL_FULL */
    uint32_t enabled;
    unsigned
        could[2]; /* inputs that could have been chosen in this clock and the one before; 0 also if `choose` was low */
    unsigned present; /* inputs with packets a clock ago */
    bool choice;      /* valid, of the input `chosen_now` */
    bool was_taken;   /* ... and has been taken in the last clock */
    unsigned chosen_now;
    unsigned idle;       /* clocks in which it could have chosen and did not */
    unsigned overflowed; /* clocks for which `overflow` may still rise */
    bool overflow_seen;
} scheduler_bench;

/* A candidate after reset: all inputs enabled, all weights 1. */
void *scheduler_bench_new(const sim_config *config, unsigned fault);

/* ---- driving; each step looks at all the rules ---- */

/* One clock: packets arrive (mask), the port can use a choice or not, and takes a valid one (units > 0). */
void scheduler_step(scheduler_bench *b, uint32_t arrived, bool choose, unsigned take_units);
void scheduler_reset(scheduler_bench *b);
void scheduler_enable(scheduler_bench *b, uint32_t mask);
void scheduler_weight(scheduler_bench *b, unsigned input, unsigned weight);
/* No output may follow `choose` and `taken` within the clock. */
void scheduler_wires(scheduler_bench *b);
/* Serves whatever is enabled until nothing is left; packets of `units`, one per units + 1 clocks. */
void scheduler_drain(scheduler_bench *b, unsigned units);

#endif
