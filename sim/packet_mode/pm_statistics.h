/* What packets met within the window of a run: delays with their intervals, throughput, backlog. Nothing here knows a simulation.
 *
 *     pm_statistics *s = pm_statistics_new(16, from, to);
 *     pm_statistics_packet(s, &packet);                    each packet whose first word came in the window, when it leaves
 *     pm_statistics_ideal(s, first, words, delay);         ... in the ideal switch, where that is not known before it leaves
 *     pm_statistics_word(s, input, output);                each word that leaves in the window
 *     pm_statistics_backlog(s, clock, words);              what is in the switch, in each clock of the window
 *     pm_statistics_results(s, &traffic, &result);
 */
#ifndef SIM_PACKET_MODE_PM_STATISTICS_H
#define SIM_PACKET_MODE_PM_STATISTICS_H

#include "pm_traffic.h"

enum { PM_UNIT = 64, PM_BATCHES = 20 };

/* Delays, in units. */
typedef struct pm_delays {
    uint64_t packets;
    double mean, mean_ci; /* half-width of the 95 % interval; NAN: too few batches */
    double weighted;      /* by length */
    double p99, deviation;
} pm_delays;

typedef struct pm_result {
    const char *error; /* NULL: good. Valid until the next run */
    int interrupted;
    uint64_t clocks;                                 /* simulated */
    double throughput, offered;                      /* words per line and clock, in the window */
    int unstable;                                    /* the backlog grew: delays mean nothing */
    pm_delays all, shorter, longer;                  /* of packets up to a segment; longer ones */
    double mean_cv, mean_cv_ci;                      /* all.mean with the ideal switch on the same arrivals as control variate */
    double weighted_ci, weighted_cv, weighted_cv_ci; /* the same for all.weighted */
    pm_delays ideal;                                 /* of the ideal switch on these arrivals */
    double ideal_long_mean, ideal_long_weighted;     /* ... and in the long run */
    double in_voq, in_crosspoint, in_reassembly;     /* means */
    double weighted_voq, weighted_crosspoint, weighted_reassembly;
    double least_flow, most_flow;                      /* means of single flows */
    double share[PM_PORTS][PM_PORTS];                  /* of all words that left in the window */
    uint64_t pairs, cancelled, refused, lone, dropped; /* in the window; dropped: packets for a full VOQ, saturated traffic only */
    uint64_t packets_of_segments;                      /* packets longer than a segment, in the window */
    unsigned most_reassembly;                          /* words in an egress card */
    double wall;                                       /* seconds */
} pm_result;

/* A packet that has left. Times in clocks. */
typedef struct pm_left {
    unsigned input, output, words;
    uint64_t first; /* when its first word came */
    double delay, voq, crosspoint, reassembly;
    double ideal; /* below 0: pm_statistics_ideal tells */
} pm_left;

typedef struct pm_statistics pm_statistics;

/* The window is the clocks from `from` to `to` - 1. NULL: no memory. */
pm_statistics *pm_statistics_new(unsigned ports, uint64_t from, uint64_t to);
void pm_statistics_free(pm_statistics *s);
int pm_statistics_in_window(const pm_statistics *s, uint64_t clock);
void pm_statistics_packet(pm_statistics *s, const pm_left *packet);
void pm_statistics_ideal(pm_statistics *s, uint64_t first, unsigned words, double delay);
void pm_statistics_word(pm_statistics *s, unsigned input, unsigned output);
void pm_statistics_backlog(pm_statistics *s, uint64_t clock, double words);
/* Fills in delays, intervals, throughput, shares and flows. `priority`: of the packets that were counted, -1: all. `waiting`: packets of
 * the window have not left. */
void pm_statistics_results(const pm_statistics *s, const pm_traffic *t, int priority, int waiting, pm_result *out);

#endif
