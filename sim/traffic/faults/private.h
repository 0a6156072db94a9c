/* Between the engine and the classes. */
#ifndef SIM_TRAFFIC_FAULTS_PRIVATE_H
#define SIM_TRAFFIC_FAULTS_PRIVATE_H

#include "sim/traffic/faults/classes.h"
#include "sim/traffic/faults/faults.h"

/* One direction of a link that a line of the plan acts on. */
struct fault_site {
    struct fault_line *line;
    int from;        /* end of the cable */
    unsigned link;   /* by packet, of the node */
    uint32_t before; /* the word before */
};

/* A counter that a line's strikes are to raise. */
enum fault_point_place { POINT_NIC, POINT_PORT, POINT_OUTSIDE };
struct fault_point {
    enum fault_point_place where;
    unsigned at, offset; /* node or port; register */
    unsigned path;       /* which switch */
    char place[32];
    const fault_witness *witness;
    uint64_t before, looked, value; /* when all began, at the last look, read just before */
    uint64_t rise, fresh;           /* since `before`, since `looked` */
};
enum { FAULT_POINTS = FAULT_WITNESSES * (FABRIC_NODES + 1) };

struct fault_line {
    faults *all;
    const fault *f;
    struct fault_site site[2 * FABRIC_LINKS];
    unsigned sites, argument;
    uint32_t timer; /* of the completions, as it was; 0: untouched */
    uint64_t random, passed;
    sim_time due;
    sim_task *task;
    int on; /* it lasts */
    uint64_t struck, lost, damaged;
    uint64_t fresh;    /* strikes that are not checked yet */
    int failed_before; /* `wrong` is final */
    sim_time first, last, ended, since, recovery;
    int open; /* no packet has landed since the strike at `since` */
    struct fault_point point[FAULT_POINTS];
    unsigned points;
    fault_sight sight[FAULT_POINTS];
    unsigned sights;
    char wrong[160];
};

struct faults {
    fault_plan plan;
    sim *s;
    fabric *f;
    unsigned nodes;
    node *node[FABRIC_NODES];
    int end[FABRIC_NODES]; /* of the node's cable at which it is */
    struct fault_tapped {
        cable *wire;
        frame_tap *tap;
    } tap[FABRIC_NODES * FABRIC_LINKS];
    unsigned taps;
    struct fault_line line[FAULT_PLAN_MOST];
    int active, ending;
    uint64_t strikes; /* of all lines */
    sim_task *watch;
    sim_time began;
    void (*on_strike)(void *arg);
    void *on_strike_arg;
    int checked;      /* a checker reports packets: faults_landed and others were called */
    uint64_t strange; /* losses on paths without a fault */
    unsigned strange_from, strange_to;
    char error[200];
};

/* Counts one more unit of the line, or compares its time: 1 if it strikes now, which is recorded. */
int fault_strikes(struct fault_line *line);
/* The tap on a node's cable. NULL: no memory. */
frame_tap *fault_tap(faults *x, unsigned node, unsigned link);

#endif
