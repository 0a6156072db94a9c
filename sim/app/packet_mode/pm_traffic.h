/* Traffic for the packet-mode switches (S3, appendix): when packets come, how long they are and where they go. A stream
 * per input, from the seed and the input's number, so that the arrivals are the same whatever switch takes them.
 *
 * With two priorities there are two streams, and the line takes a packet of high priority first whenever it is free.
 * Sets of outputs have random numbers of their own: packets are as long, and their first output is the same, with and
 * without sets.
 *
 * Time is in clocks; a line carries a word of 64 bits in each. Nothing here knows a simulation. */
#ifndef SIM_APP_PACKET_MODE_PM_TRAFFIC_H
#define SIM_APP_PACKET_MODE_PM_TRAFFIC_H

#include <stdint.h>

#include "sim/traffic/workload/pattern.h"

enum { PM_PORTS = 16 };

typedef enum {
    PM_POISSON,   /* Poisson instants; a packet that comes while the line is busy waits outside, and its delay begins at
                     the switch */
    PM_ONOFF,     /* a geometric number of grains between packets, 0 too (S3 has this for IQ) */
    PM_SATURATED, /* back to back */
    PM_INSTANT, /* Poisson instants; the whole packet arrives at its instant, at least a grain after the previous one */
    PM_STAIRCASE /* S3 V: VOQs that are never empty, longest packets, and the first ones so short that no two end
                    together (pm_run) */
} pm_process;

typedef struct pm_traffic {
    pattern pattern; /* kind (NULL: Zipf), nodes, hot, part, sizes, seed */
    double zipf; /* exponent: the share of output (i + r - 1) mod nodes in the packets of input i goes with r^-zipf, r =
                    1 .. nodes */
    pm_process process;
    double load; /* of the line; with sets of the line out: a packet counts once for each output. 0 with high_load only:
                    no packets */
    unsigned grain;   /* [words] gaps and packets are multiples of it: 1, or the cell of IQ */
    int padded;       /* sizes are drawn as with a grain of 1, and filled up to multiples of it: more than `load` */
    double high_load; /* additional load of high-priority packets, Poisson; 0: none */
    double multicast; /* the part of the packets that name a set of outputs ... */
    unsigned fanout;  /* ... number of destinations: 1 to nodes, drawn at random; ... */
    uint32_t outputs; /* ... or this one: bit o for output o. 0: drawn */
} pm_traffic;

typedef struct pm_packet {
    uint64_t first; /* clock of its first word */
    unsigned words, output;
    unsigned priority; /* 0: low; 1: high */
    uint32_t set;      /* multicast: bit o for each output that it names; 0: it goes to `output` */
} pm_packet;

enum { PM_PRIORITIES = 2 };
#define PM_NEVER UINT64_MAX /* `first` where no packet comes any more */

/* The packets of one input. */
typedef struct pm_stream {
    const pm_traffic *t;
    double share[PM_PORTS];
    unsigned input;
    uint64_t line_free;
    struct pm_substream { /* of a priority; on a line of its own */
        pattern_source source;
        uint64_t random, set_random;
        double gap;       /* from the first word of a packet to that of the next one, in the mean [clocks] */
        double log_stays; /* PM_ONOFF: ln of the probability that a gap goes on for a grain more; 0: no gaps */
        double instant;
        uint64_t line_free;
        pm_packet next; /* not used without high_load */
    } of[PM_PRIORITIES];
} pm_stream;

/* Mean length of a packet [words], as drawn in the long run. */
double pm_traffic_mean_words(const pm_traffic *t);
/* Lines that never rest: more may come than leaves, and there is no ideal to compare with. */
int pm_traffic_full(const pm_traffic *t);
/* The part of an input's packets that goes to an output (with sets: whose first output it is). */
double pm_traffic_share(const pm_traffic *t, unsigned input, unsigned output);

/* Offered load of the busiest output as a part of its line's rate: with 1 or more even the backlog of the ideal switch
 * grows without bound. With packets filled up to cells it is the requested load. */
double pm_traffic_most(const pm_traffic *t);
/* Outputs per packet, in the long run. */
double pm_traffic_copies(const pm_traffic *t);
/* Outputs that a packet goes to: bit o for output o. */
uint32_t pm_packet_outputs(const pm_packet *p);

void pm_stream_start(pm_stream *s, const pm_traffic *t, unsigned input);
/* The next packet; its first word comes at or after the last one of the packet before. */
pm_packet pm_stream_next(pm_stream *s);

/* All inputs' packets in order of their first words; those of the same clock in the order of the inputs. */
typedef struct pm_arrivals {
    pm_stream stream[PM_PORTS];
    pm_packet next[PM_PORTS];
    unsigned ports;
    uint64_t heap[PM_PORTS]; /* inputs by the first word of their next packet; the root is first */
} pm_arrivals;

void pm_arrivals_start(pm_arrivals *a, const pm_traffic *t);
/* Takes the next one; its input is returned. */
unsigned pm_arrivals_take(pm_arrivals *a, pm_packet *packet);

/* The ideal switch: each output is a line that never rests while it has a packet, in the order of first words. A packet
 * that names several outputs is at all of them with its first word. Words of high priority go before all others, also
 * within a packet of low priority. */
typedef struct pm_ideal {
    uint64_t line_free[PM_PORTS]; /* with two priorities: of packets of high priority */
    struct pm_ideal_low {         /* packets of low priority that are not known to have left; a ring */
        struct pm_ideal_packet {
            uint64_t first;
            unsigned words, left;
        } * ring;
        uint64_t known; /* clock up to which the line is known */
        uint32_t size, put, take;
    } low[PM_PORTS];
    /* Called for each output of each packet of low priority, in the order in which they start, when its delay is known.
     */
    void (*started)(void *self, uint64_t first, unsigned words, uint64_t delay);
    void *self;
} pm_ideal;

/* Without priorities, and for packets of high priority: clocks that this packet waits for its output in it. In the
 * order of pm_arrivals. */
uint64_t pm_ideal_delay(pm_ideal *ideal, const pm_packet *packet, unsigned output);
/* With two priorities: a packet of low priority. 0, or -1: no memory. */
int pm_ideal_low(pm_ideal *ideal, const pm_packet *packet, unsigned output);
/* Words that are in it at the end of a clock, of packets that have come up to then. */
double pm_ideal_backlog(pm_ideal *ideal, uint64_t clock);
/* Ends the arrivals: waiting packets start. */
void pm_ideal_end(pm_ideal *ideal);
void pm_ideal_free(pm_ideal *ideal);

/* Mean delays in the ideal switch in the long run [clocks]: over packets, over words, over packets up to `segment`
 * words, over longer ones; and the half-widths of their intervals, 0 for a closed form. An output that a packet names
 * counts as a packet. */
typedef struct pm_ideal_means {
    double mean, weighted, shorter, longer;
    double mean_ci, weighted_ci, shorter_ci, longer_ci;
} pm_ideal_means;

/* By Pollaczek and Khinchine: arrivals of whole packets at Poisson instants, destinations drawn one by one. INFINITY
 * for more than a line carries. 0, or -1: there is no closed form for this traffic. */
int pm_ideal_closed(const pm_traffic *t, pm_ideal_means *means);
/* The ideal switch alone for `clocks` clocks, after a tenth of that as warm-up; packet by packet, not clock by clock.
 * `priority`: of these packets; -1: of all. 0, or -1: no memory. */
int pm_ideal_simulate(const pm_traffic *t, uint64_t clocks, unsigned segment, int priority, pm_ideal_means *means);
/* The closed form where there is one, else simulated. */
int pm_ideal_long_run(const pm_traffic *t, uint64_t clocks, unsigned segment, int priority, pm_ideal_means *means);

#endif
