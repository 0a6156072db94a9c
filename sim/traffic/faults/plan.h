/* Faults by plan: which fault, where and when, as text. The one grammar of FAULTS, of `--faults` and of tests; each
 * system has its table of classes and its places.
 *
 *     plan    = fault { ";" fault }
 *     fault   = CLASS place [KIND] [value] [when] { option }      CLASS and KIND: the tables that fault_plan_help
 * prints place   = nodeN                     a node; for faults on a cable both its directions | nodeN.linkL the same
 * of one of several links; of a bundle by byte for cuts and words only | nodeN>switch | switch>nodeN | nodeN>nodeM one
 * direction; the last one without a switch | hostN                     the bus of node N | chip | peer | line RoCE:
 * frames from that end of the line, or from both | target | hostN            disk: host 0, which serves, or an
 * initiator; guests: host1 is the first when    = "at" TIME                 once | "every" ( TIME | NUMBER [UNIT] )
 * UNIT: what the class counts: words, packets, credits, ... | "random" ( TIME | NUMBER [UNIT] )                the same
 * on average, from the seed | NUMBER "%"                each one with this probability | NUMBER [ ".." NUMBER ] frames
 * of an Ethernet line, by their number from 0 option  = "for" ( TIME | "ever" )   how long a cut or a stop lasts; for
 * ever: at a time | "from" TIME | "times" NUMBER                     not before; at most so often (with "at": in a row)
 * | "by" NUMBER | "bit" NUMBER                       of a numbered frame: how many later ones overtake it; the bit TIME
 * = NUMBER ( "ns" | "us" | "ms" )                    from the start of the traffic; RoCE: of the simulation
 *
 *     cut node1 at 200us for 5us; biterror node0>switch every 10000 words; credit node2 drop at 300us; ppm node2 +80
 *     lose line 0.1%; delay chip 25..27 by 3; cut peer at 20us for 5us
 *     packet host1 drop at 4ms times 3; crash target at 8ms
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

typedef enum fault_when { FAULT_ALWAYS, FAULT_AT, FAULT_EVERY, FAULT_RANDOM, FAULT_PART, FAULT_NUMBERED } fault_when;

/* One fault of a plan. */
typedef struct fault {
    const struct fault_class *class;
    unsigned node;  /* of the line from one end: that end */
    int directions; /* of a cable, a line */
    int link;       /* -1: all of the node */
    double value;
    fault_when when;
    uint64_t number; /* EVERY, RANDOM: things; 0: a time; NUMBERED: the first frame */
    uint64_t last;   /* NUMBERED */
    sim_time time;   /* AT; EVERY, RANDOM without a number */
    double part;     /* PART: 0..1 */
    uint64_t which;  /* "by", "bit" */
    sim_time length; /* "for"; SIM_FOREVER */
    sim_time from;
    uint64_t times;        /* UINT64_MAX: no limit */
    char text[FAULT_TEXT]; /* as it was given */
} fault;

typedef struct fault_plan {
    fault fault[FAULT_PLAN_MOST];
    unsigned count;
    int lossy; /* faults that may lose data are allowed: losses are indicated */
} fault_plan;

/* It may raise error counters and cost data. A completion that is late, but comes before the NIC gives it up, does not.
 */
int fault_is_lossy(const fault *f);

/* Classes and places of a system: the NIC and its switch, an Ethernet line, a disk, guests (classes.h). */
struct fault_system;
extern const struct fault_system fault_nic, fault_line, fault_disk, fault_linux;
/* Reads a plan for a system of `nodes` nodes or hosts. 0, or -1 with one line that names the column, the text there and
 * the text expected. */
int fault_plan_read_for(const struct fault_system *system, const char *text, unsigned nodes, int has_switch,
                        fault_plan *plan, char error[FAULT_ERROR]);
/* The same for fault_nic. */
int fault_plan_read(const char *text, unsigned nodes, int has_switch, fault_plan *plan, char error[FAULT_ERROR]);
/* The same for the option `faults` of a program: no text is an empty plan, "help" prints the classes and ends the
 * program. The error, of 400 characters, begins with the option's name. */
int fault_plan_asked(const struct fault_system *system, const char *text, unsigned nodes, fault_plan *plan,
                     char *error);
/* All classes, one line each. */
void fault_plan_help(const struct fault_system *system, FILE *out);

#endif
