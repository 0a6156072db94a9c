/* What the benches of all contract suites share. The program around a slot's checks is in suite.h. */
#ifndef TB_CONTRACT_CONTRACT_H
#define TB_CONTRACT_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "simulation.h"
#include "test.h"

/* Every bench begins with one; `bench` below is any of them. What is wrong with a candidate is not a failure of the test program but a
 * complaint, so that broken candidates can be judged, too. */
typedef struct contract_bench {
    sim *s;
    sim_clock *clk;
    sim_model *model;
    uint64_t clock;      /* how many so far */
    char complaint[200]; /* "" = none; the first one stands */
    struct {
        unsigned turns, limit;
    } longest_wait; /* the one nearest to its limit */
} contract_bench;

/* A bench of `size` bytes, 0 behind its beginning: a simulation with one clock of this period [ps] (0: none), on it a candidate, the
 * port `fault` of which, if it has one, is as told (0 = none), and all other inputs 0. */
void *contract_bench_new(size_t size, sim_time period, const sim_config *config, unsigned fault);
/* Lets so many clocks pass; none after a complaint. */
void contract_clocks(void *bench, unsigned clocks);
/* 0 .. n - 1 at random */
unsigned contract_below(void *bench, unsigned n);
/* The waiting bound of every slot (README.md): while somebody could have the next turn, at most so many turns of each other one pass, in
 * sum. A turn is what the slot gives away: a packet, a piece, a start. */
#define CONTRACT_PATIENCE 32
/* One more turn has passed `who` (of this number; -1: there is but one), the `passed`th; `others` could have turns beside it. */
void contract_passed(void *bench, const char *who, int number, unsigned passed, unsigned others);
void contract_complain(void *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
