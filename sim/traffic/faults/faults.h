/* A plan of faults applied to a system, and its account: times of strikes, counters that rose, lost data, time of
 * recovery.
 *
 *     fault_plan_read(text, nodes, has_switch, &plan, error);
 *     fault_plan_clocks(&plan, params.node, nodes);               before the system is built
 *     faults *x = faults_new(&plan, fabric);
 *     ... in a task: fabric_start; faults_begin(x);                time 0 of the plan
 *     faults_landed(x, from, to); faults_lost(x, from, to); ...    called by the checker of the traffic
 *     faults_end(x);                                               no more strikes; counters are read
 *     faults_print(x, stdout); faults_good(x, text, sizeof text);
 *
 * Every strike is accounted for. The verdict is bad if a fault never struck, if counters did not rise though something
 * was changed, or if packets are lost on a path without a fault. Loss indications are checked by the scoreboard or the
 * reference model of the traffic. */
#ifndef SIM_TRAFFIC_FAULTS_FAULTS_H
#define SIM_TRAFFIC_FAULTS_FAULTS_H

#include "sim/system/nodes/fabric.h"
#include "sim/traffic/faults/plan.h"

typedef struct faults faults;

/* Sets the nodes' clocks by the plan. */
void fault_plan_clocks(const fault_plan *plan, node_params *node, unsigned nodes);

/* NULL: no memory. The fabric must outlive it; the plan is copied. Free it before the system. */
faults *faults_new(const fault_plan *plan, fabric *f);
void faults_free(faults *x);

/* Called at each strike that may cost data; one at most. */
void faults_on_strike(faults *x, void (*fn)(void *arg), void *arg);

/* From a task: 0, or -1 with the reason in faults_error. */
int faults_begin(faults *x);
/* Ends the strikes; cuts and stops under way last until their time is over. */
void faults_cease(faults *x);
/* From a task: cuts and stops under way end when their time is over; then the counters are read. 0 or -1. */
int faults_end(faults *x);
const char *faults_error(const faults *x);
/* Since when the plan has been idle: no cut, no stop, no transfer that waits for its timeout. Now, or later, if not
 * idle; 0 if x is NULL.
 */
sim_time faults_calm_since(const faults *x);

/* Fate of a packet; x may be NULL. A lost packet is attributed to the most recent fault on its path. If none of these
 * is ever called, the account has no packets and no recovery. */
void faults_landed(faults *x, unsigned from, unsigned to);
void faults_lost(faults *x, unsigned from, unsigned to);
void faults_damaged(faults *x, unsigned from, unsigned to);

/* ---- the account, after faults_end */

typedef struct fault_sight {
    const char *place; /* "node 1", "port 1", "cable" */
    const char *name;  /* of the counter */
    uint64_t count;    /* by which it rose; strikes of other lines of the plan that it sees are in it */
} fault_sight;

typedef struct fault_account {
    const fault *fault;
    uint64_t struck;
    sim_time first, last; /* strikes, from faults_begin */
    const fault_sight *sight;
    unsigned sights;
    uint64_t lost, damaged; /* packets */
    sim_time recovery;      /* at most, from a strike to the next packet on its way that landed */
    int recovered;          /* 0: none has since the last strike */
    const char *repair;     /* how the system repairs it */
    const char *wrong;      /* "": nothing */
} fault_account;
unsigned faults_count(const faults *x);
fault_account faults_get(const faults *x, unsigned line);
/* 0: it has struck, was seen and explains the losses; else the first reason is in `text`. */
int faults_good(const faults *x, char *text, size_t size);
void faults_print(const faults *x, FILE *out);
struct json_t *faults_json(const faults *x);

#endif
