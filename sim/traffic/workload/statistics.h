/* Packets, rates, latencies and backlog of a time window, per flow (sender, receiver), with confidence intervals.
 *
 *     statistics *st = statistics_new(nodes, 20);
 *     statistics_open(st, now, now + length);                       the window; earlier packets are dropped
 *     statistics_created(st, from, to, created);                    for every packet made, statistics_landed for every
 * one in memory statistics_landed(st, from, to, bytes, created, landed); statistics_offered(st, from, to, bytes,
 * arrived);             with arrivals of their own: when a packet is ready to be sent while
 * (statistics_open_packets(st)) ...                       packets of the window still on their way statistics_get(st,
 * from, to, &s);                             STATISTICS_ALL: over all senders, all receivers
 *
 * Throughput counts packets that are in memory within the window, and with statistics_link the part of each that came
 * over the receiver's link within it; latency those created within it, wherever their end is (drain). The window is cut
 * into equal batches whose means give the half-widths of 95 % confidence intervals (Student's t); with saturated or
 * correlated traffic they hold as long as a batch is long against a buffer's filling time.
 *
 * The backlog is all that was offered and has neither landed nor been lost, wherever it waits: in a host, in its NIC,
 * in the switch.
 */
#ifndef SIM_TRAFFIC_WORKLOAD_STATISTICS_H
#define SIM_TRAFFIC_WORKLOAD_STATISTICS_H

#include "sim/core/kernel/sim.h"

enum { STATISTICS_ALL = -1, STATISTICS_BATCHES = 64 /* most */ };

typedef struct statistics statistics;

typedef struct statistics_result {
    uint64_t packets, bytes;                /* payload, in memory within the window */
    double packets_per_s, packets_per_s_ci; /* rates: see statistics_link */
    double mib_per_s, mib_per_s_ci; /* payload; half-width of the 95 % interval, NAN with less than two batches */
    uint64_t timed;                 /* packets with a latency */
    double latency_min, latency_median, latency_p99, latency_max, latency_mean,
        latency_mean_ci; /* [ns]; NAN with timed 0 */
} statistics_result;

/* `batches` 1..STATISTICS_BATCHES. NULL: no memory. */
statistics *statistics_new(unsigned nodes, unsigned batches);
/* Each receiver has one link, which needs so long for a packet: `word` [ps] for each 32 bits of payload and of
 * `overhead` words. Packets may land in bursts behind it, so at the edges of a short window more seem to come than the
 * link carries. With this a packet counts where it was on the link: at the latest place before its landing at which
 * those behind it still had room. For rates only. */
void statistics_link(statistics *st, sim_time word, unsigned overhead);
void statistics_free(statistics *st);

/* `to` SIM_FOREVER: statistics_cut ends the window; batches grow with it, their number is `batches` to twice that. */
void statistics_open(statistics *st, sim_time from, sim_time to);
/* Ends the window early, at a run that is interrupted, or a window that is open. Whole batches only count for the
 * intervals. */
void statistics_cut(statistics *st, sim_time now);
void statistics_created(statistics *st, unsigned from, unsigned to, sim_time created);
void statistics_landed(statistics *st, unsigned from, unsigned to, unsigned bytes, sim_time created, sim_time landed);
/* Packets created in the window that have not landed. */
uint64_t statistics_open_packets(const statistics *st);
/* A packet has arrived at its host, to be sent now or later. */
void statistics_offered(statistics *st, unsigned from, unsigned to, unsigned bytes, sim_time arrived);
/* One that was created will never land, as is known now. */
void statistics_lost(statistics *st, unsigned from, unsigned to, unsigned bytes, sim_time created, sim_time now);

void statistics_get(const statistics *st, int from, int to, statistics_result *out);

/* Backlog over the window. Random arrivals hide its growth: a load 3 % too high shows only in tens of thousands of
 * packets. So a line of least squares relates the growth of each batch to its arrivals, and is read at the requested
 * load: a system that carries its load delivers all arrivals, an overloaded one its capacity. Overloaded: the growth is
 * more than three of its standard errors. A system near its capacity that is still filling up looks the same; a longer
 * warm-up distinguishes the two. */
typedef struct statistics_backlog {
    double offered;           /* payload that arrived in the window [MiB/s], all flows */
    double growth, growth_ci; /* of the backlog at the load asked for [MiB/s]; half-width of the 95 % interval, NAN
                                 below three batches */
    int overloaded;
} statistics_backlog;
/* `load`: requested payload of all senders [MiB/s]. */
statistics_backlog statistics_get_backlog(const statistics *st, double load);

/* How evenly a receiver's packets come from `senders` nodes (mask): the largest deviation from an equal share, as a
 * part of that share (0 = even), for packets and for bytes; and the smallest and largest share of bytes. */
typedef struct statistics_fairness {
    double packets, bytes;
    double smallest_bytes, largest_bytes;
} statistics_fairness;
statistics_fairness statistics_fair(const statistics *st, unsigned to, uint32_t senders);

/* Mean of n values, and the half-width of its 95 % confidence interval (NAN with less than two). */
double statistics_mean(const double *value, unsigned n, double *half_width);
/* The same of the line through n points that has the least squares of errors in y, at x = `at` (NAN with less than
 * three). */
double statistics_line(const double *x, const double *y, unsigned n, double at, double *half_width);

#endif
