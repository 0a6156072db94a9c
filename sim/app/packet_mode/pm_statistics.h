/* Delays with their intervals, throughput and backlog in the window of a run. Independent of any simulation.
 *
 *     pm_statistics *s = pm_statistics_new(16, from, clocks, 1);
 *     pm_statistics_packet(s, &packet);                    each packet whose first word came in the window, when it
 * leaves pm_statistics_ideal(s, first, words, delay);         ... in the ideal switch, where that is not known before
 * it leaves pm_statistics_word(s, clock, input, output);         each word that leaves in the window
 *     pm_statistics_backlog(s, clock, words, &ideal);      words in the switch and in the ideal one, in each clock of
 * the window pm_statistics_results(s, &long_run, &result);
 *
 * Where a window may be prolonged, what comes behind it is counted, too, and belongs to the window once it is
 * prolonged; so whether it is good enough is checked when all that came in it has left.
 */
#ifndef SIM_APP_PACKET_MODE_PM_STATISTICS_H
#define SIM_APP_PACKET_MODE_PM_STATISTICS_H

#include "sim/app/packet_mode/pm_traffic.h"
#include "sim/traffic/workload/batches.h"

enum {
    PM_UNIT = 64,
    PM_BATCHES = 20 /* of a window; it may be prolonged by as much again */,
    PM_PROLONGED = 4 /* times at most */
};

#define PM_P99_MOST 132095 /* units; a 99 % quantile is not known above */

/* A mean with its interval. In units of 64 clocks; the throughput in [words per line and clock]. */
typedef enum {
    PM_MEAN,       /* delay, over packets */
    PM_WEIGHTED,   /* over words */
    PM_SHORTER,    /* over packets up to a segment */
    PM_LONGER,     /* over longer ones */
    PM_REASSEMBLY, /* of longer packets, in the egress card */
    PM_THROUGHPUT,
    PM_MEASURES
} pm_measure;
extern const char *const pm_measure_names[PM_MEASURES];

/* Delays, in units. */
typedef struct pm_delays {
    uint64_t packets;
    double words; /* of a packet, in the mean */
    double mean;
    double weighted; /* by length */
    double p99;      /* NAN: above PM_P99_MOST */
    double deviation;
} pm_delays;

typedef struct pm_result {
    const char *error; /* NULL: good. Valid until the next run */
    const char *rule;  /* ... the violated rule; with an error `clocks` is its clock */
    int interrupted;
    uint64_t clocks;                   /* simulated */
    double throughput, offered;        /* words per line and clock, in the window */
    int unstable;                      /* the backlog grew, or filled a card's memory: delays are NAN */
    pm_delays all, shorter, longer;    /* of packets up to a segment; longer ones */
    batches_mean measure[PM_MEASURES]; /* plain, and with the ideal switch on the same arrivals as control variate */
    batch_sums batch[PM_MEASURES][BATCHES_MOST]; /* of which they are made: PM_BATCHES for each window */
    unsigned windows;                            /* 1, and how often it was prolonged */
    pm_delays ideal;                             /* of the ideal switch on these arrivals */
    pm_ideal_means long_run;                     /* ... and in the long run [clocks] */
    double in_voq, in_crosspoint, in_reassembly; /* means */
    double weighted_voq, weighted_crosspoint, weighted_reassembly;
    double least_flow, most_flow;     /* means of single flows */
    double share[PM_PORTS][PM_PORTS]; /* of all words that left in the window */
    uint64_t pairs, cancelled, refused,
        dropped;          /* in the window; dropped: packets for a full VOQ, saturated traffic only */
    uint64_t ended, lone; /* IQ: cells in which just one packet ended; ... and its pair was made again at once */
    uint64_t packets_of_segments; /* packets longer than a segment, in the window */
    unsigned most_reassembly;     /* words in an egress card */
    /* Words in a VOQ; in a crosspoint and on the cable to it, which is what credit is for. 0: packets name sets; IQ has
     * no crosspoints. */
    unsigned most_voq, most_crosspoint;
    double wall; /* seconds */
} pm_result;

/* A packet that has left. Times in clocks. */
typedef struct pm_left {
    unsigned input, output, words;
    uint64_t first; /* when its first word came */
    double delay, voq, crosspoint, reassembly;
    double ideal; /* below 0: set by pm_statistics_ideal */
} pm_left;

/* Counts of the window. */
typedef enum {
    PM_PAIRS,
    PM_CANCELLED,
    PM_REFUSED,
    PM_ENDED,       /* IQ: cells in which just one packet ended; ... */
    PM_LONE,        /* ... and its pair was made again at once */
    PM_DROPPED,     /* packets for a full VOQ */
    PM_OF_SEGMENTS, /* packets longer than a segment */
    PM_COUNTS
} pm_count;

typedef struct pm_statistics pm_statistics;

/* The window begins with the clock `from` and has `clocks`; most: largest length after prolonging, in
 * windows, 1 to PM_PROLONGED + 1. NULL: no memory. */
pm_statistics *pm_statistics_new(unsigned ports, uint64_t from, uint64_t clocks, unsigned most);
void pm_statistics_free(pm_statistics *s);
/* Prolongs by one window. 0, or -1: limit reached. */
int pm_statistics_prolong(pm_statistics *s);
/* 1 if a half-width that is `wide` times its limit cannot reach the limit: it falls with the square root of the window.
 * A factor of two is left to chance, and one window is not enough to decide. */
int pm_statistics_hopeless(const pm_statistics *s, double wide);
/* The first clock behind the window. */
uint64_t pm_statistics_end(const pm_statistics *s);
/* 0: in the window; 1: in its possible extension; -1: neither, values of such a clock are ignored. */
int pm_statistics_part(const pm_statistics *s, uint64_t clock);
void pm_statistics_packet(pm_statistics *s, const pm_left *packet);
void pm_statistics_ideal(pm_statistics *s, uint64_t first, unsigned words, double delay);
void pm_statistics_word(pm_statistics *s, uint64_t clock, unsigned input, unsigned output);
void pm_statistics_count(pm_statistics *s, uint64_t clock, pm_count what, unsigned n);
void pm_statistics_backlog(pm_statistics *s, uint64_t clock, double words, pm_ideal *ideal);
/* The backlog grows over the window, by more than chance, by more than a longest packet per line, and by more than that
 * of the ideal switch on the same arrivals explains. `overloaded`: the ideal switch is not asked, its own grows. */
int pm_statistics_grows(const pm_statistics *s, int overloaded);
/* As it is so far. `ideal`: in the long run; NULL: not known, there is no control variate. */
batches_mean pm_statistics_mean(const pm_statistics *s, pm_measure m, const pm_ideal_means *ideal);
/* Fills in delays, intervals, throughput, shares and flows; `unstable` is set before. */
void pm_statistics_results(const pm_statistics *s, const pm_ideal_means *ideal, pm_result *out);

#endif
