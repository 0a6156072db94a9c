/* Between the parts of a scenario's run. */
#ifndef SIM_TRAFFIC_SCENARIO_SCENARIO_PRIVATE_H
#define SIM_TRAFFIC_SCENARIO_SCENARIO_PRIVATE_H

#include "sim/traffic/scenario/scenario.h"

/* [us] without a landing until what faults have hit is taken for lost; by packet a number may be waited for, and one
 * behind it again */
enum { SCENARIO_LOST = 1000, SCENARIO_LOST_BY_PACKET = 4000 };
static inline sim_time scenario_lost(const fabric *f)
{
    return (f->links > 1 ? SCENARIO_LOST_BY_PACKET : SCENARIO_LOST) * SIM_US;
}
enum { SCENARIO_RING = 1 << 16 /* bytes of each flow at either end */ };

/* The writes of one NIC. */
struct scenario_watch {
    struct scenario_state *x;
    unsigned node;
};

/* Counters of the switch. */
enum { SCENARIO_EVENTS = 14 };
struct scenario_switch {
    uint32_t packets[FABRIC_NODES][FABRIC_NODES]; /* from, to */
    uint32_t event[FABRIC_NODES][SCENARIO_EVENTS];
};

struct scenario_state {
    scenario *run;
    fabric *f;
    scenario_params *p;
    scoreboard *scoreboard;
    statistics *statistics;
    int active; /* writes are checked */
    int stop;   /* senders end */
    uint64_t posted[FABRIC_NODES][FABRIC_NODES];
    uint64_t landed[FABRIC_NODES][FABRIC_NODES];
    uint32_t position[FABRIC_NODES][FABRIC_NODES]; /* of the last packet posted, in its request queue; 0: none */
    sim_time moved[FABRIC_NODES][FABRIC_NODES];    /* a packet of the flow was posted or landed last */
    struct scenario_switch before;                 /* this run; packets: less those that had landed */
    uint64_t errors[FABRIC_NODES];                 /* error counters of the NICs before this run, summed */
    paths paths;
    uint64_t landed_in_window;
    int64_t open;       /* Poisson arrivals of this row that have neither landed nor been lost, wherever they wait */
    uint64_t row_first; /* packets made before this row */
    pattern pattern;    /* of this row */
    struct scenario_watch watch[FABRIC_NODES];
    double *round_trip; /* [ns] of this row */
    size_t round_trips, round_trip_room;
    scoreboard_packet ball; /* ping-pong: the packet in flight, by the last delivered event */
    sim_time ball_posted;
    sim_time over; /* since then the initiator plays no more; SIM_FOREVER: it does */
};

/* Bodies of tasks, each of its node's group. A window may be under way (sim.h): what nodes share goes through sim_post.
 */
struct scenario_sender {
    struct scenario_state *x;
    unsigned node;
    uint64_t unsent; /* result: arrived, and not posted */
};
void scenario_source(void *arg);
void scenario_initiator(void *arg);
void scenario_target(void *arg);

/* Before and after a run: the counters of the switch rise by the landed packets, and those of errors stay. */
void scenario_switch_begin(struct scenario_state *x);
void scenario_switch_end(struct scenario_state *x);

/* Ends the run; the first text is kept. */
void scenario_fail(struct scenario_state *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a packet down and posts it: 0, or -1 after scenario_fail. `hold`: more follows in this queue. */
int scenario_post(struct scenario_state *x, const scoreboard_packet *packet, int notify, int hold);

#endif
