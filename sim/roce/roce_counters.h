/* The chip's counters of packets (S5 Table 2-7), and beside them what Linux has counted of the same packets. */
#ifndef SIM_ROCE_ROCE_COUNTERS_H
#define SIM_ROCE_ROCE_COUNTERS_H

#include <stdio.h>

#include "rn.h"
#include "roce_linux.h"

struct json_t;

/* Their places. The first eight say how a run went; the others, packets out by their kind, are for comparison. */
enum {
    ROCE_PACKETS_IN,
    ROCE_DROPPED,
    ROCE_INVALID,
    ROCE_DUPLICATES,
    ROCE_NAKS_IN,
    ROCE_NAKS_OUT, /* of all kinds */
    ROCE_RNR_OUT,
    ROCE_SENT_AGAIN,
    ROCE_COUNTED,
    ROCE_SENDS_OUT = ROCE_COUNTED,
    ROCE_READS_WRITES_OUT,
    ROCE_ACKS_OUT,
    ROCE_MADS_OUT,
    ROCE_COUNTERS
};

typedef struct roce_counters {
    uint32_t value[ROCE_COUNTERS]; /* most modulo 2^16, as they are */
} roce_counters;

/* From a task. 0 or an error of the driver (rn_last_error). */
int roce_counters_read(rn_device *dev, roce_counters *c);
/* The first `count` of them: a line "chip: packets in 10, ..."; numbers by name into an object. */
void roce_counters_print(const roce_counters *c, unsigned count, FILE *out);
void roce_counters_json(const roce_counters *c, unsigned count, struct json_t *object);

/* What both ends count of the same packets, as a table, modulo 2^16; without it if `out` is NULL. How many of its rows differ. In one way
 * they may: an ACK of what Linux has sent again without need (its timeouts are those of a clock on the wall) may come when its QP has
 * ended, and Linux counts it no more. So Linux may have fewer packets, at most by as many as the chip has counted as duplicates. */
enum { ROCE_COUNTERS_BOTH = 6 };
unsigned roce_counters_compare(const roce_counters *c, const roce_linux *l, FILE *out);

#endif
