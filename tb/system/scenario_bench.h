/* What the tests of scenarios share: a fabric, a scenario on it, a run that must end well. */
#ifndef TB_SYSTEM_SCENARIO_BENCH_H
#define TB_SYSTEM_SCENARIO_BENCH_H

#include <check.h>

#include "scenario.h"

typedef struct scenario_bench {
    fabric *f;
    scenario *x;
    scenario_params p;
} scenario_bench;

/* A fabric made of `p` (quiet), and default parameters of a scenario. */
void scenario_bench_open(scenario_bench *b, fabric_params *p);
/* Options by name and value. */
#define SET(b, ...) scenario_bench_set(b, (const char *const[]){__VA_ARGS__, NULL})
void scenario_bench_set(scenario_bench *b, const char *const *options);
/* Both, with a fabric of so many nodes around this switch (NULL: two nodes and a cable). */
#define OPEN(b, nodes, chip, ...) scenario_bench_open_with(b, nodes, chip, (const char *const[]){__VA_ARGS__, NULL})
void scenario_bench_open_with(scenario_bench *b, unsigned nodes, const sim_config *chip, const char *const *options);
/* Completes the options and runs in a task of its own: the result of sim_run. */
int scenario_bench_run(scenario_bench *b);
/* The same, and it must end well: every packet made has landed, none flagged. */
void scenario_bench_good(scenario_bench *b);
void scenario_bench_close(scenario_bench *b);

#endif
