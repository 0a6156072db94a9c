/* Where the clocks go: per instance of a module that declares probes, clocks busy, stalled and idle, why it stalls, how
 * much it does, how long that takes, how full it is, and in which states it is.
 *
 * A module is measured by declaring wires (nothing else is needed, see rtl/common for examples):
 *
 *     wire       probe_busy        = ...;   has work in hand                                                needed
 *     wire       probe_stall       = ...;   has work in hand but a neighbour keeps it from advancing           optional
 *     wire       probe_stall_NAME  = ...;   the same, and why; there may be several                            optional
 *     wire       probe_start       = ...;   one clock: a unit of work enters                                   optional
 *     wire       probe_done        = ...;   one clock: a unit of work leaves, in the order of entry            optional
 *     wire [n:0] probe_level       = ...;   how much it holds, up to 32 bits                                   optional
 *     wire [n:0] probe_state       = ...;   the state of its state machine, up to 8 bits                       optional
 *     wire [n:0] probe_state_NAME  = ...;   ... of another one                                                 optional
 *
 * A module from elsewhere is counted without them, as a file MODULE.probes in its folder says (scripts/handshakes.py).
 *
 * They count with the module's clock `clk`. A module between two clocks declares them for each side, wr_probe_busy for
 * one that has the clock `wr_clk`, and each side is a row of its own. Names of states are the module's localparams that
 * count 0, 1, 2 ..., the first group that fits for the first machine, the next one for the next (scripts/states.py).
 *
 * Every clock of a measurement counts once: stalled if a stall is, else busy if probe_busy is, else idle; so the three
 * add up to the clocks. If several reasons to stall are there, the first in the file counts; with probe_stall alone it
 * is "other". The values are those the flip-flops see at the rising edge of the clock the instance runs on.
 *
 * An operation counts when it is done, or if there is no probe_done, when it starts. Its latency is the number of
 * clocks from its start to its done; both in one clock is 0. A done without a start since the measurement began is no
 * operation; a start without its done is `open` at the end.
 *
 * What is counted can be restricted to windows (sim_cycles_window). Starts and dones are followed outside of them, too,
 * and the time line has all from start to stop: up to 128 slices of one length.
 *
 * Costs nothing while it is not started, and changes nothing in the simulation. */
#ifndef SIM_CORE_KERNEL_CYCLES_H
#define SIM_CORE_KERNEL_CYCLES_H

#include "sim/core/kernel/histogram.h"
#include "sim/core/kernel/model.h"

typedef struct sim_cycles sim_cycles;

/* Clocks stalled for one reason. */
typedef struct {
    const char *name; /* "other": none was said */
    uint64_t clocks;
} sim_cycles_reason;

/* Clocks in each state of a state machine. */
typedef struct {
    const char *name;   /* "": the only one */
    const char *states; /* names from 0 on, a space between */
    const uint64_t *clocks;
    size_t count; /* of values that there may be */
} sim_cycles_machine;

/* One instance, or a side of it. */
typedef struct {
    const char *model;  /* instance name of the model */
    const char *path;   /* hierarchical name in it, from the top module on */
    const char *side;   /* "": it has one clock */
    const char *module; /* module name */
    const char *clock;  /* name of the sim_clock */
    const char *by;     /* "": its own probes; else "handshakes of s_axis, m_axis", for instance */
    uint64_t clocks, busy, stalled, idle;
    const sim_cycles_reason *reason; /* they add up to `stalled` */
    size_t reasons;
    int has_operations; /* declares probe_start or probe_done */
    uint64_t operations, open;
    const histogram *latency; /* NULL: does not declare both */
    const histogram *level;   /* NULL: declares none */
    const sim_cycles_machine *machine;
    size_t machines;
} sim_cycles_row;

sim_cycles *sim_cycles_new(sim *s);
/* Before the models it measures are freed. NULL is allowed. */
void sim_cycles_free(sim_cycles *c);

/* Adds every instance of a model that declares probes, after its clocks are connected; its clocks count from then on.
 * Returns how many, or -1 if one of their clocks is not connected (sim_error). */
int sim_cycles_add(sim_cycles *c, sim_model *m);

/* Two instances, "nic0.nic.link", that are joined outside of the models; for pictures. */
void sim_cycles_link(sim_cycles *c, const char *from, const char *to);

/* Sets all counts to 0 and counts from the next edge on; stop keeps the counts. From outside of sample and drive (a
 * task may). */
void sim_cycles_start(sim_cycles *c);
void sim_cycles_stop(sim_cycles *c);
/* Between start and stop: opens or closes a window. Start opens one, clocks outside of all count in the time line only.
 * NULL is allowed. Not while groups run in windows: from a task without a group. */
void sim_cycles_window(sim_cycles *c, int open);

/* Results so far, in the order of adding; the row is filled in, what it points to stays until the next start. Returns
 * 0, or -1 if there is no row i. */
int sim_cycles_get(const sim_cycles *c, size_t i, sim_cycles_row *row);
size_t sim_cycles_count(const sim_cycles *c);

/* All of it, as sim/observe/cycles/cycles_report.h describes it: one simulation. The caller owns it. */
json_t *sim_cycles_json(sim_cycles *c, const char *name);

#endif
