/* What packets did between two moments, per flow (sender, receiver), with confidence intervals.
 *
 *     statistics *st = statistics_new(nodes, 20);
 *     statistics_open(st, now, now + length);                       the window; what was before is forgotten
 *     statistics_created(st, from, to, created);                    for every packet made, statistics_landed for every one in memory
 *     statistics_landed(st, from, to, bytes, created, landed);
 *     while (statistics_open_packets(st)) ...                       packets of the window still on their way
 *     statistics_get(st, from, to, &s);                             STATISTICS_ALL: over all senders, all receivers
 *
 * Throughput counts packets that are in memory within the window; latency those created within it, wherever their end is (drain). The
 * window is cut into equal batches whose means give the half-widths of 95 % confidence intervals (Student's t); with saturated or
 * correlated traffic they hold as long as a batch is long against a buffer's filling time.
 */
#ifndef SIM_TRAFFIC_STATISTICS_H
#define SIM_TRAFFIC_STATISTICS_H

#include "sim.h"

enum { STATISTICS_ALL = -1, STATISTICS_BATCHES = 64 /* most */ };

typedef struct statistics statistics;

typedef struct statistics_result {
    uint64_t packets, bytes; /* payload, in memory within the window */
    double packets_per_s, packets_per_s_ci;
    double mib_per_s, mib_per_s_ci; /* payload; half-width of the 95 % interval, NAN with less than two batches */
    uint64_t timed;                 /* packets with a latency */
    double latency_min, latency_median, latency_p99, latency_max, latency_mean, latency_mean_ci; /* [ns]; 0 with timed 0 */
} statistics_result;

/* `batches` 1..STATISTICS_BATCHES. NULL: no memory. */
statistics *statistics_new(unsigned nodes, unsigned batches);
void statistics_free(statistics *st);

/* `to` SIM_FOREVER: the end is where statistics_cut says; the batches grow with the window, at last there are `batches` to twice as many.
 */
void statistics_open(statistics *st, sim_time from, sim_time to);
/* Ends the window early, at a run that is interrupted, or a window that is open. Whole batches only count for the intervals. */
void statistics_cut(statistics *st, sim_time now);
void statistics_created(statistics *st, unsigned from, unsigned to, sim_time created);
void statistics_landed(statistics *st, unsigned from, unsigned to, unsigned bytes, sim_time created, sim_time landed);
/* Packets created in the window that have not landed. */
uint64_t statistics_open_packets(const statistics *st);
/* One that was created will never land. */
void statistics_lost(statistics *st, unsigned from, unsigned to, sim_time created);

void statistics_get(const statistics *st, int from, int to, statistics_result *out);

/* How evenly a receiver's packets come from `senders` nodes (mask): the largest deviation from an equal share, as a part of that share (0 =
 * even), for packets and for bytes; and the smallest and largest share of bytes. */
typedef struct statistics_fairness {
    double packets, bytes;
    double smallest_bytes, largest_bytes;
} statistics_fairness;
statistics_fairness statistics_fair(const statistics *st, unsigned to, uint32_t senders);

/* Mean of n values, and the half-width of its 95 % confidence interval (NAN with less than two). */
double statistics_mean(const double *value, unsigned n, double *half_width);

#endif
