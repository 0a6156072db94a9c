/* Between the scenarios of operations. */
#ifndef SIM_TRAFFIC_SYNC_SYNC_PRIVATE_H
#define SIM_TRAFFIC_SYNC_SYNC_PRIVATE_H

#include "nx_sync.h"
#include "sim/traffic/sync/sync.h"

typedef struct sync_state {
    fabric *f;
    const sync_params *p;
    sync_result *r;
    nx_sync *sync[FABRIC_NODES];
    void *own; /* of the scenario */
    struct sync_node {
        struct sync_state *x;
        unsigned node;
        uint64_t random;
    } at[FABRIC_NODES];
} sync_state;

/* Times [ns] of one kind. */
typedef struct sync_times {
    double *at;
    size_t count, room;
} sync_times;
void sync_time_add(sync_times *t, double ns);
/* Adds "NAME min", "NAME median", "NAME p99" [ns] to the result, and frees the times. */
void sync_time_values(sync_state *x, const char *name, sync_times *t);
void sync_value_add(sync_state *x, const char *unit, double value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Ends the run; the first text is kept. */
void sync_fail(sync_state *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* 1 if a call of the driver of a node was good; else the run has failed. */
int sync_good(sync_state *x, unsigned node, int result);
int sync_failed(const sync_state *x);
/* Runs a task for each node in `mask` until all have ended. */
void sync_tasks(sync_state *x, void (*fn)(void *node), uint32_t mask);
/* A pause of the node's processor of 0..ns. */
void sync_pause(struct sync_node *n, unsigned ns);
uint64_t sync_random(struct sync_node *n, uint64_t below);

void sync_queue(sync_state *x);
void sync_barrier(sync_state *x);
void sync_lock(sync_state *x);
void sync_counter(sync_state *x);

#endif
