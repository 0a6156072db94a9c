/* Options of roce-storage. */
#ifndef SIM_APP_ROCE_STORAGE_ROCE_STORAGE_OPTIONS_H
#define SIM_APP_ROCE_STORAGE_ROCE_STORAGE_OPTIONS_H

#include "sim/app/roce/board/roce_run.h"
#include "sim/app/roce/storage/roce_storage.h"
#include "sim/traffic/faults/plan.h"

typedef struct storage_options {
    unsigned bytes, depth, commands, pmtu, ip, timeout, reads, latency, stall;
    uint64_t seed;
    const char *faults, *pcap, *json, *waves, *wave_scopes, *wave_from, *wave_to;
    int help;
    fault_plan plan; /* of faults */
} storage_options;

extern const option storage_options_table[];
#define STORAGE_OPTIONS_HEAD "roce-storage: a storage node on the RoCE v2 chip, without a processor, and a host"
/* The arguments of a program, and their meaning. With help the others are not read. -1: one of them is wrong. */
int storage_options_read(storage_options *o, int argc, char **argv, roce_storage_params *storage,
                         char error[OPTION_ERROR]);

#endif
