/* Common part of the suites of packet mode's input scheduler and output scheduler: weights, how long a flow may wait,
 * and the same sequence after each reset. */
#ifndef TB_CONTRACT_PM_TURNS_H
#define TB_CONTRACT_PM_TURNS_H

#include "suite.h"

enum { TURN_FLOWS = 17, SEGMENT = 64, STORY = 400, NO_MODE = 0, PROBABILISTIC = 1, DETERMINISTIC = 2 };

typedef struct turn_bench {
    contract_bench c;
    unsigned flows, mode; /* parameters of the candidate */
    unsigned weight[TURN_FLOWS];
    uint64_t passed[TURN_FLOWS]; /* words of others since a flow could have had the turn */
    const sim_port *rst, *weight_write, *weight_flow, *weight_value;
    /* the sequence */
    uint64_t random_state; /* not 0: source of random values */
    bool known;
    uint64_t first[STORY];
} turn_bench;

/* A candidate, not reset yet. */
void *turn_bench_new(size_t size, const sim_config *config, unsigned fault);
unsigned turn_below(void *bench, unsigned n);
/* Flows as a mask: all, any of them. */
uint32_t turn_all(const turn_bench *b);
uint32_t turn_some(void *bench);
/* `who` has had a free grant of this many words; `could` had it as well. A flow may be passed by CONTRACT_PATIENCE
 * segments of each other flow, times that one's weight. */
void turn_passes(void *bench, unsigned who, unsigned words, uint32_t could);
/* This weight is written in the next clock. */
void turn_weight(void *bench, unsigned flow, unsigned weight);
/* Three clocks of reset; `step` lets one clock pass with random inputs and returns its observations. */
void turn_reset(void *bench);
void turn_sequence(void *bench, uint64_t (*step)(void *bench), void (*reset)(void *bench));

#endif
