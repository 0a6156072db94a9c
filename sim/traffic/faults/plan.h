/* Faults by plan: what is to go wrong, where and when, as text. The one grammar of `--faults`, `make sim FAULTS=` and of tests:
 *
 *     plan    = fault { ";" fault }
 *     fault   = CLASS place [KIND] [value] [when] { option }      CLASS and KIND: the table that fault_plan_help prints
 *     place   = nodeN                     a node; for faults on a cable both its directions
 *             | nodeN.linkL               the same of one of several links; of a bundle by byte for a cut only
 *             | nodeN>switch | switch>nodeN | nodeN>nodeM        one direction; the last one without a switch
 *             | hostN                     the bus of node N
 *     when    = "at" TIME                 once
 *             | "every" ( TIME | NUMBER [UNIT] )                 UNIT: what the class counts: words, packets, credits, ...
 *             | "random" ( TIME | NUMBER [UNIT] )                the same on average, from the seed
 *             | NUMBER "%"                each one with this probability
 *     option  = "for" ( TIME | "ever" )   how long a cut or a stop lasts; for ever: a cut "at" a time
 *             | "from" TIME | "times" NUMBER                     not before; at most so often (with "at": in a row)
 *     TIME    = NUMBER ( "ns" | "us" | "ms" )                    from the moment when all links are up and the traffic begins
 *
 *     cut node1 at 200us for 5us; biterror node0>switch every 10000 words; credit node2 drop at 300us; ppm node2 +80
 *
 * What strikes at a time strikes the first thing of its kind from then on. The same plan and seed strike the same.
 */
#ifndef SIM_TRAFFIC_FAULTS_PLAN_H
#define SIM_TRAFFIC_FAULTS_PLAN_H

#include <stdint.h>
#include <stdio.h>

#include "sim/core/kernel/sim.h"

enum { FAULT_PLAN_MOST = 24, FAULT_ERROR = 240, FAULT_TEXT = 96 };
enum { FAULT_OUT = 1, FAULT_IN = 2 /* directions of a node's cable */ };

struct fault_class; /* classes.h */

typedef enum fault_when { FAULT_ALWAYS, FAULT_AT, FAULT_EVERY, FAULT_RANDOM, FAULT_PART } fault_when;

/* One fault of a plan. */
typedef struct fault {
    const struct fault_class *class;
    unsigned node;
    int directions; /* of a cable */
    int link;       /* -1: all of the node */
    double value;
    fault_when when;
    uint64_t number; /* EVERY, RANDOM: things; 0: a time */
    sim_time time;   /* AT; EVERY, RANDOM without a number */
    double part;     /* PART: 0..1 */
    sim_time length; /* "for"; SIM_FOREVER */
    sim_time from;
    uint64_t times;        /* UINT64_MAX: no limit */
    char text[FAULT_TEXT]; /* as it was given */
} fault;

typedef struct fault_plan {
    fault fault[FAULT_PLAN_MOST];
    unsigned count;
    int lossy; /* some of it may cost data, if that is told */
} fault_plan;

/* It may raise error counters and cost data. A completion that is late, but comes before the NIC gives it up, does not. */
int fault_is_lossy(const fault *f);
/* Reads a plan for a system of so many nodes. 0, or -1 with one line that names the column, what stands there and what is expected. */
int fault_plan_read(const char *text, unsigned nodes, int has_switch, fault_plan *plan, char error[FAULT_ERROR]);
/* All classes, one line each. */
void fault_plan_help(FILE *out);

#endif
