/* Contract of the slot "output scheduler" as checks that judge any candidate alone (rtl/switch/README.md has it in words).
 *
 * A bench holds one candidate and a reference that knows only how many packets wait at each input. Every clock it looks whether the
 * candidate keeps to the rules; a check is a story that brings it into a situation. What is wrong is not a failure of the test program but
 * a complaint, so that broken candidates can be judged, too. */
#ifndef TB_CONTRACT_SCHEDULER_H
#define TB_CONTRACT_SCHEDULER_H

#include <stdbool.h>

#include "contract.h"
#include "sim.h"
#include "wires.h"

#define SCHEDULER_INPUTS 16

typedef struct scheduler_bench {
    sim *s;
    sim_clock *clk;

    /* the candidate, filled in by its opener */
    unsigned inputs;
    void *model;
    sim_model *binding;
    void (*close)(void *model);
    wires rst, arrived, enable, weight, choose, chosen, chosen_input, chosen_onehot, taken, taken_units, waiting, overflow;

    /* the reference */
    unsigned packets[SCHEDULER_INPUTS]; /* waiting, the chosen one included */
    unsigned served[SCHEDULER_INPUTS];
    uint64_t units[SCHEDULER_INPUTS];
    unsigned passed[SCHEDULER_INPUTS]; /* packets of others since it waits and is enabled */
    unsigned most_passed;
    uint32_t enabled;
    unsigned could[2]; /* inputs that could have been chosen in this clock and the one before; 0 also if `choose` was low */
    unsigned present;  /* inputs with packets a clock ago */
    bool choice;       /* one stands, of the input `chosen_now` */
    bool was_taken;    /* ... and has been taken in the last clock */
    unsigned chosen_now;
    unsigned idle;       /* clocks in which it could have chosen and did not */
    unsigned overflowed; /* clocks for which `overflow` may still rise */
    bool overflow_seen;
    uint64_t clock;
    char complaint[CONTRACT_COMPLAINT]; /* "" = none; the first one stands */
} scheduler_bench;

typedef void scheduler_opener(scheduler_bench *b);

/* Opener of a model generated for `type`, called open_TYPE. */
#define SCHEDULER_CANDIDATE(type, n)                                                                                                       \
    static void close_##type(void *model)                                                                                                  \
    {                                                                                                                                      \
        type##_free(model);                                                                                                                \
    }                                                                                                                                      \
    static void open_##type(scheduler_bench *b)                                                                                            \
    {                                                                                                                                      \
        type *m = type##_new(b->s, "scheduler");                                                                                           \
        sim_model_clock(m->model, b->clk, m->clk);                                                                                         \
        b->inputs = n, b->model = m, b->binding = m->model, b->close = close_##type;                                                       \
        b->rst = WIRES(m, rst), b->arrived = WIRES(m, arrived), b->enable = WIRES(m, enable), b->weight = WIRES(m, weight);                \
        b->choose = WIRES(m, choose), b->chosen = WIRES(m, chosen), b->chosen_input = WIRES(m, chosen_input);                              \
        b->chosen_onehot = WIRES(m, chosen_onehot), b->taken = WIRES(m, taken), b->taken_units = WIRES(m, taken_units);                    \
        b->waiting = WIRES(m, waiting), b->overflow = WIRES(m, overflow);                                                                  \
    }

/* A candidate after reset: all inputs enabled, all weights 1. */
scheduler_bench *scheduler_bench_new(scheduler_opener *open);
void scheduler_bench_free(scheduler_bench *b);

/* ---- driving; each step looks at all the rules ---- */

/* One clock: packets arrive (mask), the port can use a choice or not, it takes the one that stands (only if one does; units > 0). */
void scheduler_step(scheduler_bench *b, uint32_t arrived, bool choose, unsigned take_units);
void scheduler_reset(scheduler_bench *b);
void scheduler_enable(scheduler_bench *b, uint32_t mask);
void scheduler_weight(scheduler_bench *b, unsigned input, unsigned weight);
/* Serves whatever is enabled until nothing is left; packets of `units`, one per units + 1 clocks. */
void scheduler_drain(scheduler_bench *b, unsigned units);
void scheduler_complain(scheduler_bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
