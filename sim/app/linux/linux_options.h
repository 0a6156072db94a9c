/* Options of nicxbar-linux. */
#ifndef SIM_APP_LINUX_LINUX_OPTIONS_H
#define SIM_APP_LINUX_LINUX_OPTIONS_H

#include "sim/app/linux/linux_faults.h"
#include "sim/core/kernel/sim.h"
#include "sim/traffic/workload/option.h"

enum { LINUX_HOSTS = 8 };

typedef struct linux_options {
    const char *run, *workload, *job, *fs, *kernel, *init, *mem, *bridge, *out, *logs, *faults, *waves, *wave_scopes;
    unsigned nodes, console, skip, scale;
    uint64_t seed;
    linux_faults plan; /* of `faults` */
    int help;
    double connect,
        silence; /* [s] of wall time: to the first message of a guest (10), and without one while it runs (30) */
    /* `logs`: folder of the guests' logs, filled in by the program */
    int (*guest)(int argc, char **argv); /* NULL; in tests what runs instead of a kernel, with its arguments */
} linux_options;

extern const option linux_options_table[];
#define LINUX_OPTIONS_HEAD "nicxbar-linux: Linux kernels as hosts of NICs around a switch"

/* The arguments of a program, with defaults for what is not given. With help nothing else is looked at. -1: one of them
 * is wrong, or does not go with the others. */
int linux_options_read(linux_options *o, int argc, char **argv, char error[OPTION_ERROR]);
/* Whether kernel and init are there. 0, or -1. */
int linux_options_here(const linux_options *o, char error[OPTION_ERROR]);

#endif
