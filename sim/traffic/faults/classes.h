/* Classes of faults, one row each: words in a plan, help, action, and the counters that must see it. A new class is a
 * row in classes.c, and a function there unless an existing one fits. */
#ifndef SIM_TRAFFIC_FAULTS_CLASSES_H
#define SIM_TRAFFIC_FAULTS_CLASSES_H

#include "sim/model/cable/frame_tap.h"
#include "sim/traffic/faults/plan.h"

struct faults;
struct fault_line;

/* Of a NIC; of an Ethernet line, the end that frames come from; of guests, which count from 1; of a disk, any host or
 * the target alone. */
enum fault_place {
    FAULT_AT_LINK,
    FAULT_AT_NODE,
    FAULT_AT_HOST,
    FAULT_AT_END,
    FAULT_AT_GUEST,
    FAULT_AT_SEAT,
    FAULT_AT_TARGET
};
enum fault_value { FAULT_NO_VALUE, FAULT_VALUE_PPM, FAULT_VALUE_TIME /* [us] */ };

/* A counter that sees a fault, with its offset in the registers; summed over the places where it exists. */
typedef struct fault_witness {
    enum {
        FAULT_SEEN_NOWHERE,
        FAULT_SEEN_AT_RECEIVER, /* the NIC or the port of the switch at the end of the direction */
        FAULT_SEEN_AT_NODE,
        FAULT_SEEN_ANYWHERE, /* all NICs */
        FAULT_SEEN_OUTSIDE   /* `count` */
    } where;
    unsigned nic, port; /* registers; of the port of the switch that of port 0, 0: it has none */
    int shown_only;     /* not checked: it counts the same strikes as another witness */
    const char *name;   /* OUTSIDE: what, and how to count it */
    uint64_t (*count)(const struct fault_line *line);
} fault_witness;
enum { FAULT_WITNESSES = 4 };

/* Completion timer of the NIC in plans with lost completions; by default it is 10 ms, longer than many runs. */
enum { FAULT_TIMER_US = 200 };

/* Expected count of all witnesses together. */
enum fault_seen {
    FAULT_SEEN_EACH, /* they count each strike */
    FAULT_SEEN_SOME, /* several strikes in a row may count as one */
    FAULT_SEEN_MAYBE /* repaired without a report: later credits, records, retries */
};

typedef struct fault_class {
    const char *name, *kind; /* kind: NULL, or the word behind the place */
    enum fault_place place;
    const char *unit; /* what "every", "random" and "%" count; NULL: they take times only */
    enum fault_value value;
    int timed;      /* lasts: "for" is required, */
    sim_time lasts; /* ... or this is the default */
    int ever;       /* it may last for ever */
    int lossy;      /* error counters rise, and it may cost data */
    int intact;     /* ... but it does not */
    int reads;      /* may lose transfers before they have left, which no reference model covers */
    int timer;      /* its transfer hangs until the completion timer of the NIC expires: FAULT_TIMER_US */
    enum fault_seen seen;
    const char *text; /* help */
    /* of systems without an account: */
    unsigned whens;   /* bits of fault_when; 0: at, every, random, and with a unit a percentage */
    unsigned most;    /* "times"; 0: any number */
    const char *with; /* a word and a number that belong to a numbered frame; NULL: none */
    unsigned least;   /* ... of this number */
    /* of those with one: */
    const char *repair; /* how the system repairs it */
    fault_witness witness[FAULT_WITNESSES];
    /* action */
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
