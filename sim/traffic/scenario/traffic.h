/* Random traffic between the two nodes of a pair, both ways, all queues, compared word by word with a reference model
 * (traffic_model.h).
 *
 *     traffic_params p = traffic_params_default();
 *     p.seed = 7; p.packets = 1000000;
 *     traffic_result r;
 *     if (traffic_run(&p, &r)) fail(r.error);
 *
 * Everything follows from the seed: payload limit, slots, way of posting, node IDs, builds of the NICs, kind of hosts,
 * arbiters and external memories, limits of the bodies there, jitter; then each transfer's length (8 to 4096 bytes; of
 * some queues always long or always short), source, destination and flags, the grouping by start flags and the pauses
 * of the senders; and the disturbance: bridges that retry, disconnect, cut completions and change their latencies,
 * initiators that are switched off for a while, with `cuts` a cable that is cut, or some of several links, which differ
 * in skew.
 */
#ifndef SIM_TRAFFIC_SCENARIO_TRAFFIC_H
#define SIM_TRAFFIC_SCENARIO_TRAFFIC_H

#include <stdio.h>

#include "sim/system/nodes/pair.h"
#include "sim/traffic/scenario/traffic_model.h"

typedef struct traffic_params {
    uint64_t packets;     /* on the wire, both directions together; then everything is drained. Default 10000 */
    uint64_t seed;        /* default: environment SIM_SEED, else 1 */
    const nic_kind *nics; /* further builds of the NIC: 4splits and 1voq are required, or those with `links` links */
    unsigned links;       /* of each NIC: 1, 2 or 4. Default 1 */
    int by_packet;        /* each packet has one of these links; 0: they share its bytes. Default 0 */
    unsigned patience;    /* of fairness_bound; default 0: 1, with another block in a slot of the NIC 32 */
    int calm;             /* 1: no disturbance. Default 0 */
    int cuts;             /* 1: the cable is cut from time to time, packets are lost and must be flagged. Default 0 */
    const struct fault_plan
        *plan;     /* further faults (sim/traffic/faults), with an account; NULL: none. Lossy ones only with `cuts` */
    FILE *account; /* where the faults' account goes; NULL: nowhere */
    int quiet;     /* 0: progress line on a terminal, state of everything when it ends badly. Default 1 */
    const char *waves;             /* FST file; default: environment SIM_WAVES (sim.h) */
    const char *waves_scopes;      /* NULL: all */
    sim_time waves_from, waves_to; /* [ps] */
    uint64_t before,
        all; /* packets of runs before this one and of all runs, for the progress line; default 0: this run alone */
    /* Called when both nodes are up, before the traffic: the place for faults; may be NULL. */
    void (*started)(void *arg, pair *p);
    /* Called when all has arrived and been checked, both nodes still up; counts of node 0 and 1 as senders. From a
     * task; may be NULL. */
    void (*ended)(void *arg, pair *p, const traffic_counts counts[2]);
    void *arg;
} traffic_params;
traffic_params traffic_params_default(void);

typedef struct traffic_result {
    traffic_counts from[2];
    uint64_t migrated[2]; /* words of output queues that went to external memory, at each node */
    unsigned limit;       /* payload limit of this seed [64-bit words] */
    uint64_t passed;      /* most words of other queues between two packets of one (fairness.h) */
    sim_time time;        /* simulated [ps] */
    int result;           /* of sim_run */
    char error[600];      /* "" if all went well */
} traffic_result;

/* 0, or -1 with the reason in result->error. */
int traffic_run(const traffic_params *params, traffic_result *result);
/* One closing line. */
void traffic_print(const traffic_params *params, const traffic_result *result, FILE *out);
/* The disturbance: another behaviour of a host, at random; its arbiter, bus mode and hole are those of `normal`. */
host_params traffic_host(sim *s, const host_params *normal);

#endif
