/* Contract of the slot "credit scheduler" as checks that judge any candidate alone (rtl/switch/README.md has it in words).
 *
 * A bench holds one candidate and a reference that keeps, per lane, what has been forwarded; every clock it looks whether the candidate
 * keeps to the rules, at every word that is taken whether its credits are right. What is wrong is a complaint, not a failure of the test
 * program, so that broken candidates can be judged, too. */
#ifndef TB_CONTRACT_CREDITS_H
#define TB_CONTRACT_CREDITS_H

#include <stdbool.h>

#include "contract.h"
#include "sim.h"
#include "wires.h"

#define CREDIT_LANES 16
#define CREDIT_REFRESH 600 /* [clocks] REFRESH_PERIOD of every candidate */
#define CREDIT_AGE 6       /* [clocks] how old a credit may be when its word is taken; and how soon a modified lane is known */

typedef struct credit_lane {
    uint16_t received, forwarded;  /* 12 bits */
    uint16_t past[CREDIT_AGE + 1]; /* `forwarded` of the last clocks, newest first */
    uint16_t repair;               /* what the last record has added ... */
    unsigned repaired;             /* ... so many clocks ago, at most CREDIT_AGE + 1 */
    unsigned last_sent;            /* bits [11:5] */
    unsigned modified;             /* clocks since it has become modified and was not sent, 0 = it is not */
    bool maybe;                    /* it was sent as it became modified: the candidate may think it still is */
    unsigned quiet;                /* clocks since its last credit */
    unsigned credits;              /* how many */
    unsigned waited;               /* credits of other lanes since it has become modified */
} credit_lane;

typedef struct credit_bench {
    sim *s;
    sim_clock *clk;

    /* the candidate, filled in by its opener */
    unsigned lanes;
    sim_model *binding;
    void *model;
    void (*close)(void *model);
    wires rst, departed, departed_units, stored, stored_output, stored_units, record, record_output, record_units, occupied, request, word,
        take;

    credit_lane lane[CREDIT_LANES];
    unsigned credits; /* words are two */
    unsigned most_waited, most_quiet;
    uint64_t clock;
    char complaint[CONTRACT_COMPLAINT]; /* "" = none; the first one stands */
} credit_bench;

typedef void credit_opener(credit_bench *b);

/* Opener of a model generated for `type`, called open_TYPE. */
#define CREDIT_CANDIDATE(type, n)                                                                                                          \
    static void close_##type(void *model)                                                                                                  \
    {                                                                                                                                      \
        type##_free(model);                                                                                                                \
    }                                                                                                                                      \
    static void open_##type(credit_bench *b)                                                                                               \
    {                                                                                                                                      \
        type *m = type##_new(b->s, "credits");                                                                                             \
        sim_model_clock(m->model, b->clk, m->clk);                                                                                         \
        b->lanes = n, b->model = m, b->binding = m->model, b->close = close_##type;                                                        \
        b->rst = WIRES(m, rst), b->departed = WIRES(m, departed), b->departed_units = WIRES(m, departed_units);                            \
        b->stored = WIRES(m, stored), b->stored_output = WIRES(m, stored_output), b->stored_units = WIRES(m, stored_units);                \
        b->record = WIRES(m, record), b->record_output = WIRES(m, record_output), b->record_units = WIRES(m, record_units);                \
        b->occupied = WIRES(m, occupied), b->request = WIRES(m, request), b->word = WIRES(m, word), b->take = WIRES(m, take);              \
    }

credit_bench *credit_bench_new(credit_opener *open);
void credit_bench_free(credit_bench *b);
void credit_complain(credit_bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What happens in one clock. */
typedef struct {
    uint32_t departed; /* mask */
    unsigned units[CREDIT_LANES];
    bool stored, record; /* not both */
    unsigned lane, amount;
    bool take; /* only counts while the candidate requests */
} credit_clock;

void credit_step(credit_bench *b, const credit_clock *c);
/* What `occupied` says of a lane, without a clock. */
unsigned credit_occupied(credit_bench *b, unsigned lane);
/* Clocks without events, words taken as they come. */
void credit_idle(credit_bench *b, unsigned clocks);
void credit_reset(credit_bench *b);

#endif
