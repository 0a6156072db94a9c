/* Where packets go, how long they are and when they come: the random part of a scenario, without any simulation.
 *
 * Each sender has a random stream of its own, from the seed and its number, so that one sender's choices do not depend on when another
 * makes its own.
 */
#ifndef SIM_TRAFFIC_PATTERN_H
#define SIM_TRAFFIC_PATTERN_H

#include <stdint.h>

#include "sim.h"

enum { PATTERN_NODES = 16, PATTERN_MOST_WORDS = 512 };

typedef enum pattern_kind {
    PATTERN_PING_PONG,    /* 0 and 1 in turns */
    PATTERN_ONE_WAY,      /* 0 > 1 */
    PATTERN_SELF,         /* 0 > 0 */
    PATTERN_THREE_TO_ONE, /* 0, 1, 2 > 3 */
    PATTERN_N_TO_ONE,     /* all others > the last node */
    PATTERN_ROUND_ROBIN,  /* all > all in turn, themselves included */
    PATTERN_UNIFORM,      /* all > any, themselves included, equally likely */
    PATTERN_HOT_SPOT,     /* all: `part` of the packets > node `hot`, the rest uniform over all */
    PATTERN_PERMUTATION,  /* all > one each, no two to the same, drawn from the seed */
    PATTERN_DIAGONAL,     /* node i: two thirds > i, one third > i + 1 */
    PATTERN_UNBALANCED,   /* node i: `part` > i, the rest uniform over all */
    PATTERN_KINDS
} pattern_kind;

/* "ping-pong" ...; NULL beyond the last. */
const char *pattern_name(int kind);
/* Needs at least so many nodes. */
unsigned pattern_nodes(pattern_kind kind);

/* Payload lengths in 64-bit words. */
typedef enum { SIZES_FIXED, SIZES_UNIFORM, SIZES_BIMODAL } size_kind;
typedef struct size_choice {
    size_kind kind;
    unsigned low, high; /* fixed: both the same; uniform: between; bimodal: one or the other */
    double part_low;    /* bimodal: share of packets with `low` words */
} size_choice;

typedef struct pattern {
    pattern_kind kind;
    unsigned nodes;
    unsigned hot;
    double part;
    size_choice sizes;
    double load;        /* of the link, SOP, header and CRCs included: 1 = back to back. 0: saturated, packets as fast as they are taken */
    sim_time word_time; /* [ps] of 32 bits on the link */
    uint64_t seed;
} pattern;

/* Bit i: node i sends. */
uint32_t pattern_senders(const pattern *p);
/* Bit i: node i may send to `to`. */
uint32_t pattern_senders_to(const pattern *p, unsigned to);
/* Saturated senders have as much for `to` as it takes (uniform: on average), and all the same: their shares of it tell whether the network
 * is fair. */
int pattern_contended(const pattern *p, unsigned to);
/* Words of the link that a packet of so many payload words takes: SOP, header, two CRCs. */
unsigned pattern_link_words(unsigned words);
double pattern_mean_link_words(const pattern *p);

/* One sender. */
typedef struct pattern_source {
    const pattern *p;
    unsigned node;
    uint64_t random;
    unsigned turn;
    unsigned partner; /* permutation */
} pattern_source;

void pattern_source_start(pattern_source *s, const pattern *p, unsigned node);
unsigned pattern_destination(pattern_source *s);
unsigned pattern_words(pattern_source *s);
/* [ps] from one arrival to the next, exponential; load > 0. */
sim_time pattern_gap(pattern_source *s);

#endif
