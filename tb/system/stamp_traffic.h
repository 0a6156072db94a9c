/* Random traffic with time stamps in its packets (S2 5.3), checked against pins and cables (sim/system/nodes/stages.h).
 */
#ifndef TB_SYSTEM_STAMP_TRAFFIC_H
#define TB_SYSTEM_STAMP_TRAFFIC_H

#include "scenario_bench.h"
#include "sim/system/nodes/stages.h"

typedef struct stamp_traffic {
    scenario_bench *b;
    unsigned transfers; /* that each node posts */
    unsigned mode;      /* of nx_benchmark_mode */
    int damage;         /* 1: words of packets are damaged on the way to the switch */
    int damage_stamps;  /* 1: only those where it puts its stamps */
    int switch_off;     /* 1: the switch does not put stamps in */
    /* observations */
    unsigned packets, stamped, crossed_clocks, damaged;
    unsigned replaced; /* of these: in the word that the switch replaces */
    unsigned bad;      /* packets with a wrong body on the last cable */
    stages *view;
    struct stamp_node {
        struct stamp_traffic *t;
        unsigned node;
        int known; /* of its clock: */
        uint32_t count;
        uint64_t clock;
        sim_time at; /* when it had that count; of the switch in node 0's */
        int done, switch_known;
        uint32_t switch_count;
        sim_time switch_at;
        frame_reader reader;  /* of its sent words */
        uint32_t place;       /* payload word of this packet that is to be damaged */
        uint64_t destination; /* where others write to this node */
    } node[FABRIC_NODES];
} stamp_traffic;

/* All nodes post random transfers to all, with and without notifications; returns when all have left. Every packet is
 * checked. From a task.
 */
void stamp_traffic_run(stamp_traffic *t);

#endif
