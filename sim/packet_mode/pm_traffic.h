/* Traffic for the packet-mode switches (S3, appendix): when packets come, how long they are and where they go. A stream per input, from the
 * seed and the input's number, so that the arrivals are the same whatever switch takes them.
 *
 * Time is in clocks; a line carries a word of 64 bits in each. Nothing here knows a simulation. */
#ifndef SIM_PACKET_MODE_PM_TRAFFIC_H
#define SIM_PACKET_MODE_PM_TRAFFIC_H

#include <stdint.h>

#include "pattern.h"

enum { PM_PORTS = 16 };

typedef enum {
    PM_POISSON,   /* Poisson instants; a packet that comes while the line is busy waits outside, and its delay begins at the switch */
    PM_ONOFF,     /* a geometric number of grains between packets, 0 too (S3 has this for IQ) */
    PM_SATURATED, /* back to back */
    PM_INSTANT    /* Poisson instants; all of the packet is there at its instant, at least a grain behind the one before */
} pm_process;

typedef struct pm_traffic {
    pattern pattern; /* kind (NULL: Zipf), nodes, hot, part, sizes, seed */
    double zipf;     /* exponent: the share of output (i + r - 1) mod nodes in the packets of input i goes with r^-zipf, r = 1 .. nodes */
    pm_process process;
    double load;    /* of the line */
    unsigned grain; /* [words] gaps and packets are multiples of it: 1, or the cell of IQ */
} pm_traffic;

typedef struct pm_packet {
    uint64_t first; /* clock of its first word */
    unsigned words, output;
} pm_packet;

/* The packets of one input. */
typedef struct pm_stream {
    const pm_traffic *t;
    pattern_source source;
    uint64_t random;
    double instant, share[PM_PORTS];
    uint64_t line_free;
    unsigned input;
} pm_stream;

/* Mean length of a packet [words], as drawn in the long run. */
double pm_traffic_mean_words(const pm_traffic *t);
/* The part of an input's packets that goes to an output. */
double pm_traffic_share(const pm_traffic *t, unsigned input, unsigned output);

void pm_stream_start(pm_stream *s, const pm_traffic *t, unsigned input);
/* The next packet; its first word comes at or after the last one of the packet before. */
pm_packet pm_stream_next(pm_stream *s);

/* All inputs' packets in order of their first words; those of the same clock in the order of the inputs. */
typedef struct pm_arrivals {
    pm_stream stream[PM_PORTS];
    pm_packet next[PM_PORTS];
    unsigned ports;
} pm_arrivals;

void pm_arrivals_start(pm_arrivals *a, const pm_traffic *t);
/* Takes the next one; its input is returned. */
unsigned pm_arrivals_take(pm_arrivals *a, pm_packet *packet);

/* The ideal switch: each output is a line that never rests while it has a packet, in the order of first words. */
typedef struct pm_ideal {
    uint64_t line_free[PM_PORTS];
} pm_ideal;

/* Clocks that this packet waits in it. Packets in the order of pm_arrivals. */
uint64_t pm_ideal_delay(pm_ideal *ideal, const pm_packet *packet);

/* The ideal switch alone for so many clocks, behind as many again of a tenth: mean delay over packets, and over words [clocks]. */
void pm_ideal_long_run(const pm_traffic *t, uint64_t clocks, double *mean, double *weighted);

#endif
