/* Scenarios of remote queues, barriers, locks, counters and words (sw/sync) on the hosts of a fabric, with a scoreboard
 * of every operation.
 *
 *     sync_result *r = sync_new();
 *     in a task, after fabric_start: sync_run(f, &params, r);      0, or -1: r->error, and the simulation ends with it
 *     sync_free(r);
 *
 * queue: each message lands once, whole, in the order of its sender; refused ones are sent again. With faults that cost
 * packets a message may be missing, if the next slot of its sender says so.
 * barrier: no node passes before all have arrived. Four kinds: flat and a tree of two children, by counters and by
 * software.
 * lock: one node at a time has it.
 * counter: fetch-and-add, swap and compare-and-swap on words of any node, all nodes at once: their results are those of
 * one order that agrees with the order of each source. Then counters of each node count down what others add.
 */
#ifndef SIM_TRAFFIC_SYNC_SYNC_H
#define SIM_TRAFFIC_SYNC_SYNC_H

#include "sim/system/nodes/fabric.h"
#include "sim/traffic/scenario/scenario_params.h"

enum { SYNC_VALUES = 40 };

typedef struct sync_value {
    char name[40];
    double value;
    const char *unit;
} sync_value;

typedef struct sync_params {
    sync_run run;
    unsigned message; /* queue: words of a message */
    unsigned slots;   /* queue */
    uint64_t packets; /* operations, in all */
    uint64_t seed;
    int lossy;                           /* faults may cost packets */
    struct faults *faults;               /* begun and ended with the operations; NULL: none */
    sim_time stop_at, stop_for;          /* queue: the reader looks at nothing meanwhile, from the begin */
    sim_time reader_takes;               /* queue: for each message */
    const char *only;                    /* barrier: one kind, such as "counters flat"; NULL: all */
    void (*window)(void *arg, int open); /* called when operations begin, 1, and when they have ended, 0; may be NULL */
    void *arg;
} sync_params;

/* The defaults of the options. */
void sync_params_of(const scenario_params *p, sync_params *params);

typedef struct sync_result {
    int good;
    uint64_t operations; /* checked */
    uint64_t refused;    /* messages reported as refused, the repeated ones too */
    uint64_t lost, damaged;
    sim_time from, to;
    unsigned values;
    sync_value value[SYNC_VALUES];
    char error[1200];
} sync_result;

int sync_run_on(fabric *f, const sync_params *p, sync_result *r);
/* A value by name; NAN: there is none. */
double sync_get(const sync_result *r, const char *name);
void sync_print(const sync_params *p, const sync_result *r, FILE *out);
struct json_t *sync_json(const sync_params *p, const sync_result *r);

#endif
