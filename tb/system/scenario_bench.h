/* Shared by the tests of fabrics and of scenarios on them: a fabric, a scenario on it, a run that must end well. All go
 * after the test. */
#ifndef TB_SYSTEM_SCENARIO_BENCH_H
#define TB_SYSTEM_SCENARIO_BENCH_H

#include "sim/traffic/scenario/scenario.h"
#include "test.h"

typedef struct scenario_bench {
    fabric *f;
    scenario *x;
    scenario_params p;
    void (*software)(struct scenario_bench *, int);
    int variation;
} scenario_bench;

/* Parameters of a quiet fabric: nodes with this NIC around this switch, one for each of their links (NULL: two nodes
 * and a cable). `latency` of each link [clocks]; NULL: as it is. */
void scenario_bench_params(fabric_params *p, unsigned nodes, const sim_config *nic, const sim_config *chip,
                           const unsigned *latency);
/* A fabric, and default parameters of a scenario. */
scenario_bench *scenario_bench_new(const fabric_params *p);
/* A register of a node's NIC. */
uint32_t read_register(const node *n, unsigned offset);
void write_register(const node *n, unsigned offset, uint32_t value);
/* The cable of a node's link. */
cable *link_of(const scenario_bench *b, unsigned node, unsigned link);
/* Waits that long; the watchdog knows that it is meant. */
void pause_for(scenario_bench *b, sim_time us);
/* All that has been posted has departed or is counted as skipped. */
void all_departed(scenario_bench *b, const char *what);
/* Starts the fabric, runs `software` in a task, closes the drivers. The result of sim_run, within 200 ms; fabric_good:
 * must be SIM_OK. */
int fabric_run(scenario_bench *b, void (*software)(scenario_bench *, int), int variation);
void fabric_good(scenario_bench *b, void (*software)(scenario_bench *, int), int variation);

/* Options by name and value. */
#define SET(b, ...) scenario_bench_set(b, (const char *const[]){__VA_ARGS__, NULL})
void scenario_bench_set(scenario_bench *b, const char *const *options);
/* With a quiet fabric of this many nodes around this switch (NULL: two nodes and a cable), and these options. */
#define OPEN(nodes, chip, ...) scenario_bench_open(nodes, chip, (const char *const[]){__VA_ARGS__, NULL})
scenario_bench *scenario_bench_open(unsigned nodes, const sim_config *chip, const char *const *options);
/* Parameters that do not fit each other fail the test. */
void scenario_bench_complete(scenario_bench *b);
/* Completes the options and runs the scenario: the result of sim_run. */
int scenario_bench_run(scenario_bench *b);
/* The same, and it must end well: every packet made has landed, none flagged. */
const scenario *scenario_bench_good(scenario_bench *b);
#define GOOD(nodes, chip, ...) scenario_bench_good(OPEN(nodes, chip, __VA_ARGS__))
/* It must not, and say this. */
void scenario_bench_fails(scenario_bench *b, const char *text);

#endif
