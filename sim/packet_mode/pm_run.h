/* One run of a packet-mode switch: traffic in at its lines, every word judged at its lines out, and what packets met on the way.
 *
 * The payload names input, output, number of the packet within its flow, and offset. A run fails at the first word that is lost, doubled,
 * torn, on the wrong line or out of its flow's order, and at the first error that the hardware tells.
 *
 * The delay of a packet is the time from its first word on the line in to its first word on the line out, less what a packet of 5 words
 * takes through an idle VPS: cable and scheduling (S3 VI-A). A unit is the time of a segment of 512 bytes, 64 clocks. */
#ifndef SIM_PACKET_MODE_PM_RUN_H
#define SIM_PACKET_MODE_PM_RUN_H

#include "model.h"
#include "pm_traffic.h"

enum { PM_UNIT = 64, PM_BATCHES = 20 };

typedef struct pm_run_params {
    const sim_config *model;
    pm_traffic traffic;
    uint64_t warmup, clocks; /* before the window, and the window */
    const char *waves;       /* NULL: none; a full model is needed */
    uint64_t wave_clocks;    /* recorded from the start on */
    int quiet;               /* no progress line */
    /* NULL, or called with each packet that has left: clock of its first and last word on the line out. */
    void (*seen)(void *self, unsigned input, unsigned output, uint32_t number, uint64_t first, uint64_t last);
    void *self;
} pm_run_params;

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

pm_result pm_run(const pm_run_params *params);

#endif
