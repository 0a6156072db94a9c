/* Shared by the benches of all contract suites. The program around a slot's checks is in suite.h. */
#ifndef TB_CONTRACT_CONTRACT_H
#define TB_CONTRACT_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "simulation.h"
#include "test.h"

/* Rules that several contracts have; those of its own a suite numbers from CONTRACT_OWN on. */
enum { CONTRACT_KEPT, CONTRACT_ENDS, CONTRACT_STARVES, CONTRACT_RESET, CONTRACT_OWN };

/* Largest number of inputs, queues or virtual channels. */
#define CONTRACT_MOST 16

/* Every bench begins with one; `bench` below is any of them. An error of a candidate is not a failure of the test
 * program but a complaint, so that broken candidates can be checked as well. */
typedef struct contract_bench {
    sim *s;
    sim_clock *clk;
    sim_model *model;
    uint64_t turns; /* grants of the candidate so far: packets, pieces, starts, credits */
    struct {
        uint64_t choices;
        double clocks, most;                  /* in sum; of one */
    } latency;                                /* from the moment a choice is possible to the choice */
    unsigned turns_of[CONTRACT_MOST], asking; /* grants of each while `asking` request */
    struct {
        uint64_t passed, limit;
    } longest_wait;      /* the one nearest to its limit */
    int rule;            /* the one that was broken first; CONTRACT_KEPT: none */
    uint64_t clock;      /* ... in this clock, */
    sim_time time;       /* [ps] at this time */
    char complaint[200]; /* ... and how */
} contract_bench;

/* When waves begin in benches made from now on, if there are to be any (SIM_WAVES); SIM_FOREVER = none. */
extern sim_time contract_waves_from;

/* A bench of `size` bytes, 0 behind its beginning: a simulation with one clock of this period [ps] (0: none), on it a
 * candidate, the port `fault` of which, if it has one, is as given (0 = none), and all other inputs 0. */
void *contract_bench_new(size_t size, sim_time period, const sim_config *config, unsigned fault);
/* Lets this many clocks pass; none after a complaint. */
void contract_clocks(void *bench, unsigned clocks);
/* 0 .. n - 1 at random */
unsigned contract_below(void *bench, unsigned n);
/* One more turn, of this one. */
void contract_turn(void *bench, unsigned who);
/* From now on all of this many ask, with equal rights. */
void contract_all_ask(void *bench, unsigned asking);
/* A choice came this many clocks after it was possible. */
void contract_chosen(void *bench, double clocks);
/* The waiting bound of every slot (README.md): while a requester could be granted, at most this many grants of each
 * other one pass, in sum.
 */
#define CONTRACT_PATIENCE 32
/* One more turn has passed `who` (of this number; -1: there is but one), the `passed`th of `limit` that may. */
void contract_passed(void *bench, const char *who, int number, uint64_t passed, uint64_t limit);
/* The rule is broken. */
void contract_complain(void *bench, int rule, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
