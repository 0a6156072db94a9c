/* Contract of the slot "credit scheduler" as checks that check any candidate alone (rtl/switch/contracts.md has it in
 * words).
 *
 * A bench holds one candidate and a reference of the units forwarded per virtual channel; every clock it looks whether
 * the candidate keeps to the rules, at every word that is taken whether its credits are right. */
#ifndef TB_CONTRACT_CREDITS_H
#define TB_CONTRACT_CREDITS_H

#include "contract.h"
#include "slot_credits_8.h"

#define CREDIT_LANES CONTRACT_MOST
#define CREDIT_REFRESH 600 /* [clocks] from one `refresh` to the next */
#define CREDIT_AGE                                                                                                     \
    6 /* [clocks] how old a credit may be when its word is taken; and how soon a modified lane is known */

/* Its rules, in addition to the common ones. */
enum { FORM = CONTRACT_OWN, RIGHT, MODIFIED_FIRST, PERIODIC, IN_TIME, STAYS, OCCUPIED, CREDIT_RULES };

typedef struct credit_lane {
    uint16_t received, forwarded;  /* 12 bits */
    uint16_t past[CREDIT_AGE + 1]; /* `forwarded` of the last clocks, newest first */
    uint16_t repair;               /* units added by the last record ... */
    unsigned repaired;             /* ... clocks since then, at most CREDIT_AGE + 1 */
    unsigned last_sent;            /* bits [11:5] */
    unsigned modified;             /* clocks since it has become modified and was not sent, 0 = it is not */
    bool maybe;                    /* it was sent as it was modified (again): the candidate may think it still is */
    unsigned quiet;                /* clocks since its last credit */
    unsigned credits;              /* how many since reset */
    unsigned waited;               /* credits of other lanes since it has become modified */
} credit_lane;

typedef struct credit_bench {
    contract_bench c;

    /* the candidate, by the names of its ports */
    unsigned lanes;
    const slot_credits_8_ports *p;

    credit_lane lane[CREDIT_LANES];
    unsigned credits; /* words are two */
    unsigned most_quiet;
    unsigned idle; /* clocks without a request though a lane is modified */
    bool touched;  /* something has departed since reset, or there was a record */
} credit_bench;

void *credit_bench_new(const sim_config *config, unsigned fault);

/* Inputs of one clock. */
typedef struct {
    uint32_t departed; /* mask */
    unsigned units[CREDIT_LANES];
    bool stored, record; /* not both */
    unsigned lane, amount;
    bool take; /* only counts while the candidate requests */
} credit_clock;

void credit_step(credit_bench *b, const credit_clock *c);
/* `occupied` for a lane, without a clock. */
unsigned credit_occupied(credit_bench *b, unsigned lane);
/* Clocks without events, words taken as they come. */
void credit_idle(credit_bench *b, unsigned clocks);
void credit_reset(credit_bench *b);

#endif
