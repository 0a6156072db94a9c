/* Options of disk. */
#ifndef SIM_APP_DISK_DISK_OPTIONS_H
#define SIM_APP_DISK_DISK_OPTIONS_H

#include "sim/app/disk/disk_faults.h"
#include "sim/app/disk/disk_record.h"
#include "sim/traffic/workload/option.h"

typedef struct disk_options {
    const char *image, *run, *queues, *cache, *disk, *host_cost, *record, *replay, *faults, *out, *waves, *wave_scopes;
    unsigned nodes, port, poll, threads;
    uint64_t seed;
    int help;
    double disk_us, disk_rate, interrupt_ns, request_ns; /* of disk and host_cost; rate [MiB/s] */
    disk_fault_plan plan;
} disk_options;

extern const option disk_options_table[];
#define DISK_OPTIONS_HEAD "disk: a file as a disk over RDMA, for NBD clients"

/* The arguments of a program. With help nothing else is looked at. -1: one of them is wrong, or does not go with the
 * others. */
int disk_options_read(disk_options *o, int argc, char **argv, char error[OPTION_ERROR]);
/* Files, command, port and socket as they are now. 0, or -1: one of them cannot be used. */
int disk_options_here(const disk_options *o, char error[OPTION_ERROR]);

#endif
