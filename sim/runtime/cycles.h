/* Where the clocks go: per instance of a module that declares probes, clocks busy, stalled and idle, and how long its work takes.
 *
 * A module is measured by declaring one-bit wires (nothing else is needed, see rtl/common for examples):
 *
 *     wire probe_busy  = ...;   has work in hand                                        needed
 *     wire probe_stall = ...;   has work in hand but a neighbour keeps it from advancing   optional
 *     wire probe_start = ...;   one clock: a unit of work enters                        optional, together with
 *     wire probe_done  = ...;   one clock: a unit of work leaves, in the order of entry
 *
 * Every clock of a measurement counts once: stalled if probe_stall, else busy if probe_busy, else idle; so the three add up to the
 * clocks. The values are those the flip-flops see at the rising edge of the clock the instance runs on. The latency of an operation is
 * the number of clocks from its start to its done; both in one clock is 0. A done without a start since the measurement began is no
 * operation; a start without its done is `open` at the end.
 *
 * Costs nothing while it is not started. */
#ifndef SIM_RUNTIME_CYCLES_H
#define SIM_RUNTIME_CYCLES_H

#include "sim/runtime/model.h"

#include <jansson.h>

typedef struct sim_cycles sim_cycles;

/* One instance. Latency [clocks] is valid if operations > 0. */
typedef struct {
    const char *model;  /* instance name of the model */
    const char *path;   /* hierarchical name in it, from the top module on */
    const char *module; /* module name */
    const char *clock;  /* name of the sim_clock */
    uint64_t clocks, busy, stalled, idle;
    int has_latency; /* declares probe_start and probe_done */
    uint64_t operations, open;
    uint64_t latency_min, latency_max;
    double latency_mean;
} sim_cycles_row;

sim_cycles *sim_cycles_new(sim *s);
/* Before the models it measures are freed. NULL is allowed. */
void sim_cycles_free(sim_cycles *c);

/* Adds every instance of a model that declares probes, after its clocks are connected; its clocks count from then on. Returns how many, or
 * -1 if one of their clocks is not connected (sim_error). */
int sim_cycles_add(sim_cycles *c, sim_model *m);

/* Sets all counts to 0 and counts from the next edge on; stop keeps the counts. From outside of sample and drive (a task may). */
void sim_cycles_start(sim_cycles *c);
void sim_cycles_stop(sim_cycles *c);

/* Results so far, in the order of adding; the row is filled in. Returns 0, or -1 if there is no row i. */
int sim_cycles_get(const sim_cycles *c, size_t i, sim_cycles_row *row);
size_t sim_cycles_count(const sim_cycles *c);

/* A table for people; 0, or -1 if writing failed. */
int sim_cycles_table(const sim_cycles *c, FILE *f);
/* An array with an object per row, keys as in sim_cycles_row (latency_* only where there are operations); the caller owns it. */
json_t *sim_cycles_json(const sim_cycles *c);

#endif
