/* The micro-benchmarks of S2 5.2, S2 5.3, S4 2.6 and S4 4.3: host programs of sw/programs on two nodes and a cable, or
 * four and a switch, on the servers of the documents, measured on the pins of buses and cable, and again by the
 * counters of the NICs. */
#ifndef SIM_APP_FIGURES_MICROBENCH_H
#define SIM_APP_FIGURES_MICROBENCH_H

#include <stdint.h>

#include "sim/core/kernel/model.h"

typedef struct microbench_params {
    const char *only;     /* one of them by its name; NULL: all */
    const char *sizes;    /* of the messages, as options of the programs; NULL: those of the documents */
    const char *programs; /* folder of the programs' shared objects */
    const char *json;
    uint64_t seed;
    const sim_config *nic;              /* of two nodes and a cable, with one link or two by byte; NULL: the default */
    const sim_config *chip, *monitored; /* switch, and NIC with time stamps; NULL: they are left out */
} microbench_params;

/* The names, with spaces between them. */
#define MICROBENCH_NAMES "pcix, throughput, capacity, latency or distribution"

/* Prints the tables, writes `json`. 0, or 1 if a figure misses its limit or a run failed, 130 after Ctrl-C. */
int microbench_run(const microbench_params *p);

#endif
