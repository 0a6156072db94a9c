/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A look at a network interface: what all its registers, counters and states are, in words, and what has moved since
 * another look.
 *
 *     nx_stat_take(dev, &before);
 *     ...
 *     nx_stat_take(dev, &after);
 *     nx_stat_print(&after, 0, stdout);
 *     nx_stat_moved(&before, &after, stdout);
 */
#ifndef NX_STAT_H
#define NX_STAT_H

#include <stdio.h>

#include "nx.h"

enum { NX_STAT_WORDS = 0x2000 / 4, NX_STAT_LANES = 16 };

typedef struct nx_stat {
    unsigned node;
    uint64_t from_ns, to_ns;          /* registers are read one after the other: when that began and ended */
    uint32_t value[NX_STAT_WORDS];    /* by offset / 4, where the map has a register */
    int sync;                         /* it has rtl/sync: its registers too, but for arrays of more than 64 */
    unsigned lanes;                   /* credit lanes: 1 in direct mode, else one per queue */
    uint32_t tx_space[NX_STAT_LANES]; /* TX_SPACE of each */
} nx_stat;

/* Reads everything. Changes nothing in the device: VIEW_FLOW, which goes through the lanes, is put back. */
int nx_stat_take(nx_device *dev, nx_stat *stat);

/* Text, a line for a value, a version at its start and a line at its end. 0, or -1: errno; with one line in `why`. */
int nx_stat_save(const nx_stat *stat, FILE *file);
int nx_stat_load(nx_stat *stat, FILE *file, char *why, size_t size);

/* When, whether the link is up, which error counters are not 0; and the registers with their fields, states and what
 * they mean: with all = 0 only registers that differ from their reset values, and fields that are not 0. */
void nx_stat_print(const nx_stat *stat, int all, FILE *file);
/* Changes, a line for each register, field or state. Returns how many lines. */
unsigned nx_stat_moved(const nx_stat *before, const nx_stat *after, FILE *file);

/* One line of these, for the map of another chip. access: as in the map; "" for a register that has fields, "field" for
 * one of them. A counter (rc, nc) that falls was cleared or has wrapped around. */
void nx_value_print(const char *name, const char *access, uint32_t value, const char *text, FILE *file);
void nx_moved_print(const char *name, const char *access, uint32_t before, uint32_t after, const char *text,
                    FILE *file);

#endif
