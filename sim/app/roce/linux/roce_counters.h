/* The chip's counters of packets (S5 Table 2-7), compared with Linux' counters of the same packets. */
#ifndef SIM_APP_ROCE_LINUX_ROCE_COUNTERS_H
#define SIM_APP_ROCE_LINUX_ROCE_COUNTERS_H

#include <stdio.h>

#include "rn.h"
#include "sim/app/roce/linux/roce_late.h"
#include "sim/app/roce/linux/roce_linux.h"
#include "sim/model/rnic/rnic.h"

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

/* Counters of the same packets at both ends, modulo 2^16: the chip, or the NIC in C. */
enum { ROCE_COUNTERS_BOTH = 6 };
typedef struct roce_counters_both {
    const char *end; /* its name */
    uint32_t value[ROCE_COUNTERS_BOTH];
} roce_counters_both;
roce_counters_both roce_counters_of_chip(const roce_counters *c);
roce_counters_both roce_counters_of_nic(const rnic_counters *n);
/* Compares with Linux and prints a table, unless `out` is NULL. Returns how many rows differ, apart from packets that
 * came after Linux had ended their connection. Linux must have fewer by the packets behind its DREQs, and may have
 * fewer by repeated ones before them. */
unsigned roce_counters_compare(const roce_counters_both *e, const roce_late_counts *late, const roce_linux *l,
                               FILE *out);

#endif
