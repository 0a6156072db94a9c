/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The sampling facility of the network interface (S1 3.1.4.2, S4 4.3; rtl/nic/monitor): bandwidth over time. Only a
 * device that was built with it has one (MONITORING=1).
 *
 *     nx_samples_start(dev, 100, 2048);          // a sample every 100 PCI clocks, from the first DMA transfer on
 *     ...
 *     nx_samples_take(dev, &samples);
 *     nx_samples_print(&samples, 20, stdout);
 */
#ifndef NX_SAMPLES_H
#define NX_SAMPLES_H

#include <stdio.h>

#include "nx.h"

enum { NX_SAMPLES = 2048, NX_SAMPLE_LINKS = 4 };

/* Sums since the start, modulo 2^32. */
typedef struct nx_sample {
    uint32_t out, in; /* 64-bit words, headers included */
    uint32_t stalled; /* PCI clocks in which packets waited and none had credit */
    uint32_t link_out[NX_SAMPLE_LINKS], link_in[NX_SAMPLE_LINKS]; /* of several links by packet; these are the sums */
} nx_sample;

typedef struct nx_samples {
    unsigned node;
    unsigned pci_khz;
    uint32_t interval; /* [PCI clocks] */
    uint32_t taken;    /* since the start; the last `count` of them are here */
    unsigned links;    /* by packet, else 1 */
    unsigned count;
    nx_sample sample[NX_SAMPLES]; /* oldest first */
} nx_samples;

/* Takes `count` samples `interval` PCI clocks apart, from the first DMA transfer on; of more than 2048 the last ones
 * stay. ARGUMENT: the device has no sampling facility. */
int nx_samples_start(nx_device *dev, uint32_t interval, uint32_t count);
/* Stops and reads what there is. */
int nx_samples_take(nx_device *dev, nx_samples *samples);

/* Text, a line for a sample, a version at its start and a line at its end; version 1, which had one link, is read, too.
 * 0, or -1: errno; with one line in `why`. */
int nx_samples_save(const nx_samples *samples, FILE *file);
int nx_samples_load(nx_samples *samples, FILE *file, char *why, size_t size);

/* Words between sample a (-1: the start, if it is still there) to sample b. */
typedef struct nx_rate {
    double from_us, to_us; /* since the start */
    double out_mibs, in_mibs;
    double stalled_percent;
} nx_rate;
nx_rate nx_samples_rate(const nx_samples *samples, int a, int b);

/* A table of at most this many rows, and the links. */
void nx_samples_print(const nx_samples *samples, unsigned rows, FILE *file);
/* The same as a picture, SVG. */
void nx_samples_draw(const nx_samples *samples, FILE *file);

#endif
