/* Requests that a host makes by itself, one as soon as another has ended: what make disk-bench measures with, and
 * tests. */
#ifndef SIM_APP_DISK_DISK_LOAD_H
#define SIM_APP_DISK_DISK_LOAD_H

#include "sim/app/disk/disk_service.h"

enum { DISK_LOAD_DEPTH = 128 };

typedef struct disk_load {
    unsigned host, operation, depth;
    uint32_t size;         /* [bytes] of a request */
    uint64_t first, bytes; /* part of the disk, gone through in order and again */
    uint64_t requests;     /* number of requests in all */
    /* out */
    uint64_t done, failed, interrupts, interrupts_target, sleeps;
    sim_time began, ended; /* the first request submitted, the last one answered */
    double mib_per_s;      /* between the first quarter and the last one */
    double least_us, median_us, most_us;
    uint64_t submitted;
    sim_time quarter, three_quarters;
    uint64_t *latency; /* [ps] */
} disk_load;

/* Runs these loads at once to their ends: 0, or -1 with the reason on stderr. */
int disk_load_run(disk_service *s, disk_load *loads, unsigned count);

#endif
