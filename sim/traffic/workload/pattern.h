/* Where packets go, how long they are and when they come: the random part of a scenario, without any simulation.
 *
 * Each sender has a random stream of its own, from the seed and its number, so that one sender's choices do not depend
 * on when another makes its own.
 */
#ifndef SIM_TRAFFIC_WORKLOAD_PATTERN_H
#define SIM_TRAFFIC_WORKLOAD_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/kernel/sim.h"

enum { PATTERN_NODES = 16, PATTERN_MOST_WORDS = 512 };

typedef struct pattern pattern;
typedef struct pattern_source pattern_source;

enum {
    PATTERN_PART = 1,    /* takes `part` */
    PATTERN_HOT = 2,     /* takes `hot` */
    PATTERN_ANSWERS = 4, /* one packet in play between nodes 0 and 1, in turns: no load, no queues */
    PATTERN_PAIR = 8,    /* two nodes without a switch can run it: none sends to itself */
    PATTERN_STEADY = 16, /* a packet to the same receiver is sure to follow soon: a saturated host waits for it, to post
                            four at once */
    PATTERN_SWEEP = 32   /* without sizes given: from the smallest packet to the largest, a row each */
};

/* One row of the table in pattern.c; nothing else knows a pattern by name. */
typedef struct pattern_kind {
    const char *name;
    const char *sentence; /* senders and receivers; "@part" and "@hot" stand for these parameters */
    unsigned nodes;       /* at least */
    unsigned traits;
    /* The part of the packets of `from` that go to `to`, in the long run: 0 to 1. A node that sends none has 0
     * everywhere. */
    double (*share)(const pattern *p, unsigned from, unsigned to);
    unsigned (*destination)(pattern_source *s); /* of the sender's next packet */
} pattern_kind;

/* In the order of the help text; beyond the last: one without a name. */
extern const pattern_kind pattern_kinds[];
int pattern_count(void);
/* NULL: there is none of that name. */
const pattern_kind *pattern_find(const char *name);
/* The names of those with all of these traits, as "a, b or c". Returns text. */
const char *pattern_names(unsigned traits, char *text, size_t size);
/* The sentence with the values of its parameters; with p NULL, in the words of the options: "P", "NODE". Returns text.
 */
const char *pattern_sentence(const pattern_kind *kind, const pattern *p, char *text, size_t size);

/* Payload lengths in 64-bit words. */
typedef enum { SIZES_FIXED, SIZES_UNIFORM, SIZES_BIMODAL } size_kind;
typedef struct size_choice {
    size_kind kind;
    unsigned low, high; /* fixed: both the same; uniform: between; bimodal: one or the other */
    double part_low;    /* bimodal: share of packets with `low` words */
} size_choice;

struct pattern {
    const pattern_kind *kind;
    unsigned nodes;
    unsigned hot;
    double part;
    size_choice sizes;
    double load; /* of the link, SOP, header and CRCs included: 1 = back to back. 0: saturated, packets as fast as they
                    are taken */
    sim_time word_time; /* [ps] of 32 bits on the link */
    uint64_t seed;
};

/* Bit i: node i sends. */
uint32_t pattern_senders(const pattern *p);
/* Bit i: node i may send to `to`. */
uint32_t pattern_senders_to(const pattern *p, unsigned to);
/* Several saturated senders with equal traffic for `to`: their shares of it show whether the network is fair. */
int pattern_contended(const pattern *p, unsigned to);
/* Link words of a packet with `words` payload words: SOP, header, two CRCs. */
unsigned pattern_link_words(unsigned words);
double pattern_mean_link_words(const pattern *p);

/* Payload that `load` asks of each sender [MiB/s]. */
double pattern_load_mib(const pattern *p);

/* One sender. */
struct pattern_source {
    const pattern *p;
    unsigned node;
    uint64_t random;
    unsigned turn;
};

void pattern_source_start(pattern_source *s, const pattern *p, unsigned node);
unsigned pattern_destination(pattern_source *s);
unsigned pattern_words(pattern_source *s);
/* [ps] from one arrival to the next, exponential; load > 0. */
sim_time pattern_gap(pattern_source *s);

#endif
