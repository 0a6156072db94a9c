/* Load of each of several links by packet in a run, and how far packets overtook each other. With one link all calls do
 * nothing. */
#ifndef SIM_TRAFFIC_SCENARIO_PATHS_H
#define SIM_TRAFFIC_SCENARIO_PATHS_H

#include "sim/system/nodes/fabric.h"

/* Distance of a landed packet from the oldest one of its flow that has not landed; 1023: that or more. */
typedef struct overtaking {
    uint64_t ahead[1024]; /* packets by distance */
} overtaking;

void overtaking_add(overtaking *o, unsigned ahead);
void overtaking_get(const overtaking *o, unsigned *median, unsigned *most);

typedef struct paths_report {
    unsigned links; /* 0: there is one, or the run was not finished */
    struct paths_path {
        uint64_t packets; /* sent by all nodes, warm-up and drain included */
        double share;     /* of the words of all paths */
        double use;       /* of the words on the wires from the nodes, in windows: those that are not idle */
    } path[FABRIC_LINKS];
    unsigned depth_median, depth_most; /* of an overtaking */
    uint64_t lost, late;               /* sequence numbers that timed out at receivers; packets that came after that */
} paths_report;

/* Since RST#. */
typedef struct paths_counts {
    uint64_t packets[FABRIC_LINKS], units[FABRIC_LINKS]; /* of each link */
    uint64_t lost, late;
} paths_counts;

/* All zero before the first run. */
typedef struct paths {
    fabric *f;
    paths_counts counts; /* at the end of the run before */
    uint64_t words[FABRIC_LINKS],
        busy[FABRIC_LINKS]; /* that nodes sent in windows of this run; ... that were not idle */
    char error[200];
} paths;

/* From a task: a run begins; a window begins, 1, and ends, 0. Words on the wires are counted in windows only. */
void paths_begin(paths *p, fabric *f);
void paths_window(paths *p, int open);
/* The run has ended: fills in all except the depth of overtaking. Takes 20 us for each link. Not 0: a node's registers
 * cannot be read (`error`). */
int paths_end(paths *p, paths_report *report);

#endif
