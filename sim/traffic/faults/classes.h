/* What can go wrong: one row for each class of faults. The row is all there is to a class: its words in a plan, its help, what it does, who
 * has to see it. A new one is a row in classes.c, and a function there if no other one does the like. */
#ifndef SIM_TRAFFIC_FAULTS_CLASSES_H
#define SIM_TRAFFIC_FAULTS_CLASSES_H

#include "sim/model/cable/frame_tap.h"
#include "sim/traffic/faults/plan.h"

struct faults;
struct fault_line;

/* Of a NIC; of an Ethernet line, the end that frames come from; of a disk, any host or the target alone. */
enum fault_place { FAULT_AT_LINK, FAULT_AT_NODE, FAULT_AT_HOST, FAULT_AT_END, FAULT_AT_SEAT, FAULT_AT_TARGET };
enum fault_value { FAULT_NO_VALUE, FAULT_VALUE_PPM, FAULT_VALUE_TIME /* [us] */ };

/* Who sees a fault: a counter, with its offset in the registers, summed where it can be. */
typedef struct fault_witness {
    enum {
        FAULT_SEEN_NOWHERE,
        FAULT_SEEN_AT_RECEIVER, /* the NIC or the port of the switch at the end of the direction */
        FAULT_SEEN_AT_NODE,
        FAULT_SEEN_ANYWHERE, /* all NICs */
        FAULT_SEEN_OUTSIDE   /* `count` */
    } where;
    unsigned nic, port; /* registers; of the port of the switch that of port 0, 0: it has none */
    int beside;         /* shown only: what another witness counts shows here again */
    const char *name;   /* OUTSIDE: what, and how to count it */
    uint64_t (*count)(const struct fault_line *line);
} fault_witness;
enum { FAULT_WITNESSES = 4 };

/* While completions are to fail the NIC waits so long for them, instead of 10 ms, which many runs are shorter than. */
enum { FAULT_TIMER_US = 200 };

/* What is expected of the witnesses together. */
enum fault_seen {
    FAULT_SEEN_EACH, /* they count each strike */
    FAULT_SEEN_SOME, /* several strikes in a row may count as one */
    FAULT_SEEN_MAYBE /* it is made good without a word: later credits, records, retries */
};

typedef struct fault_class {
    const char *name, *kind; /* kind: NULL, or the word behind the place */
    enum fault_place place;
    const char *unit; /* what "every", "random" and "%" count; NULL: they take times only */
    enum fault_value value;
    int timed;      /* lasts: "for" must be given, */
    sim_time lasts; /* ... or this is meant */
    int ever;       /* it may last for ever */
    int lossy;      /* error counters rise, and it may cost data */
    int intact;     /* ... but it does not */
    int reads;      /* may cost transfers before they have left: no reference model follows that */
    int timer;      /* what it hits hangs until the completion timer of the NIC runs out: FAULT_TIMER_US */
    enum fault_seen seen;
    const char *text; /* help */
    /* of systems without an account: */
    unsigned whens;   /* bits of fault_when; 0: at, every, random, and with a unit a percentage */
    unsigned most;    /* "times"; 0: any number */
    const char *with; /* a word and a number that belong to a numbered frame; NULL: none */
    unsigned least;   /* ... of this number */
    /* of those with one: */
    const char *repair; /* how it is made good */
    fault_witness witness[FAULT_WITNESSES];
    /* what it does */
    int (*start)(struct fault_line *line); /* 0, or -1; NULL: nothing to prepare */
    int kinds, with_credit;                /* frames; only those with a credit word */
    frame_damage damage;                   /* of a chosen frame; arg: the argument */
    unsigned argument;
    void (*turn)(struct fault_line *line, int on); /* from a task: one that lasts begins, ends */
} fault_class;

typedef struct fault_system {
    const char *heading; /* of its help */
    const fault_class *classes;
    unsigned count;
    const char *ends[2]; /* names of FAULT_AT_END */
} fault_system;

#endif
