/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* How long packets were on their way, from the time stamps in them (S2 5.3, nx_benchmark_mode): collected at their
 * receiver, by source.
 *
 *     nx_latency_add(&l, source, words, nx_stamps_read(payload));      // for each packet, of a source in the order of
 * its arrival nx_latency_print(&l, 1, stdout); nx_latency_clear(&l);
 */
#ifndef NX_LATENCY_H
#define NX_LATENCY_H

#include <stdio.h>

#include "nx.h"

enum { NX_IN_NIC, NX_IN_SWITCH, NX_LATENCY_STAGES };
enum { NX_LINK_KHZ = 78125 }; /* clock of the switch's stamps: words of 32 bits on a link of 3.125 Gbit/s */

typedef struct nx_latency_packet {
    unsigned source; /* node ID */
    unsigned words;  /* of its payload, 64 bits each */
    nx_stamps stamps;
} nx_latency_packet;

typedef struct nx_latency {
    unsigned node; /* of the receiver */
    unsigned count;
    nx_latency_packet *packet;
} nx_latency;

/* 0, or -1: no memory. */
int nx_latency_add(nx_latency *l, unsigned source, unsigned words, nx_stamps stamps);
void nx_latency_clear(nx_latency *l);

/* Text, a line for a packet, a version at its start and a line at its end. 0, or -1: errno; with one line in `why`. */
int nx_latency_save(const nx_latency *l, FILE *file);
int nx_latency_load(nx_latency *l, FILE *file, char *why, size_t size);

/* The clocks that the packets of a source were in a stage, sorted, into `clocks` (room for l->count); returns how many
 * there are. In the NIC PCI clocks of the sender, in the switch its network clocks; there are none if the switch puts
 * no stamps in. */
unsigned nx_latency_stage(const nx_latency *l, unsigned source, unsigned stage, uint32_t *clocks);
/* Of this many sorted ones: that which `percent` of them do not exceed; 0: the least, 100: the most. 0 of none. */
uint32_t nx_latency_percentile(const uint32_t *clocks, unsigned count, unsigned percent);
/* Clocks of the switch from the first packet of all to the last one, SOP to SOP; 0: no stamps of a switch. */
uint32_t nx_latency_span(const nx_latency *l);
/* Payload of a source in this time [MiB/s], all but the very last packet. Those of all sources add up to what the
 * receiver gets. */
double nx_latency_rate(const nx_latency *l, unsigned source);

/* A line for each source and stage: least, median, 99 % and most; with a histogram of each. And the rates. */
void nx_latency_print(const nx_latency *l, int histograms, FILE *file);

#endif
