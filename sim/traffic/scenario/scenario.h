/* Traffic over a fabric, checked to the last word and measured: the five validation tests of S1 4.2, and patterns as in
 * the literature.
 *
 *     scenario_params p;
 *     scenario_params_default(&p);
 *     scenario_set(&p, "scenario", "uniform", error) ... "load" and the others of scenario_options
 *     scenario_complete(&p, nodes, has_switch, payload_words, seed, error);
 *     scenario *x = scenario_new(fabric);
 *     in a task, after fabric_start: scenario_run(x, &p);        may be called again with other parameters
 *     scenario_print(...) (scenario_report.h); scenario_free(x);
 *
 * A run has one row for each choice of sizes: warm-up, measurement, drain. Hosts post through the driver of sw/,
 * write-combined by four where packets follow each other; every word that lands is checked (scoreboard.h). Nothing is
 * left on its way between two rows.
 *
 * Each sender has a queue for each receiver: one that is behind does not stop the others. Saturated senders draw
 * packets as fast as they are taken, and no fewer than their links carry.
 *
 * Created, for latency: with Poisson arrivals when the packet arrives at its host, waiting in the host included; else
 * when it is posted.
 */
#ifndef SIM_TRAFFIC_SCENARIO_SCENARIO_H
#define SIM_TRAFFIC_SCENARIO_SCENARIO_H

#include "sim/system/nodes/fabric.h"
#include "sim/traffic/scenario/paths.h"
#include "sim/traffic/scenario/scenario_params.h"
#include "sim/traffic/scenario/scoreboard.h"
#include "sim/traffic/workload/statistics.h"

typedef struct scenario_row {
    size_choice sizes;
    sim_time from, to; /* of the window */
    int complete;      /* 0: the run was stopped in this row */
    statistics_result all;
    statistics_backlog backlog; /* with Poisson arrivals */
    statistics_result flow[FABRIC_NODES][FABRIC_NODES];
    statistics_fairness fair[FABRIC_NODES]; /* of each receiver that saturated senders contend for */
    uint64_t packets;                       /* checked in this row, warm-up and drain included */
    uint64_t unsent;                        /* arrived at their hosts, never posted: more load than the system takes */
    double round_trip_min, round_trip_median, round_trip_p99; /* ping-pong [ns] */
    uint64_t round_trips;
} scenario_row;

typedef struct scenario {
    fabric *f;
    scenario_params params;
    scenario_row *row; /* [rows] of the last run */
    unsigned rows;     /* begun */
    void (*window)(void *arg,
                   int open); /* called when the window of a row begins, 1, and when it ends, 0; may be NULL */
    void *arg;
    scoreboard_counts counts; /* of the last run */
    paths_report paths;       /* the same */
    int good;
    char error[1200];
    struct scenario_state *state;
} scenario;

/* Before fabric_start or after. NULL: no memory. */
scenario *scenario_new(fabric *f);
void scenario_free(scenario *x);
/* From a task, with the fabric started: all rows. 0, or -1: x->error, and the simulation ends with it. */
int scenario_run(scenario *x, const scenario_params *p);
/* After a run that was interrupted: closes the row that was open, so that it can be reported. */
void scenario_interrupted(scenario *x);

#endif
