/* One run: a system of the options, a program of sw/coherent on all of its processors, and what was counted.
 *
 *     coherent_run *r = coherent_run_new(&o, &chips, &sim, error);
 *     if (!coherent_run_simulate(r)) ... r->lines ...
 *     coherent_run_free(r);
 *
 * The time of a program: `prepare` on one processor of each node, then `run` on all processors that it has. */
#ifndef SIM_APP_COHERENT_COHERENT_RUN_H
#define SIM_APP_COHERENT_COHERENT_RUN_H

#include "sim/app/coherent/coherent_host.h"
#include "sim/app/coherent/coherent_options.h"
#include "sim/core/kernel/cycles.h"
#include "sim/system/nodes/fabric.h"

/* Builds that a program has. */
typedef struct coherent_chips {
    const sim_config *node, *crossbar, *nic;
} coherent_chips;

struct coherent_run;
/* A processor and the program on it. */
typedef struct coherent_processor {
    struct coherent_run *run;
    cnode *node; /* NULL: a PCI-X host */
    ppc405 *cpu;
    coherent_host *host; /* NULL: a coherent node */
    struct nc_platform platform;
    sim_task *task;
    int (*function)(nc_cpu *cpu); /* that it is to run, and what that has returned */
    int result;
    ppc405_stats before; /* of the run: at its begin */
    uint32_t polled[2];  /* addresses of the last two different loads */
    uint64_t errors;     /* accesses answered with an error */
    uint32_t error_address;
} coherent_processor;

typedef struct coherent_run {
    coherent_options o;
    /* NULL, or called with every complete access of a processor, in the sample phase */
    void (*on_access)(void *self, const coherent_processor *p, const ppc405_access *a);
    void *self;
    fabric *f;
    observer_stats before[COHERENT_NODES]; /* of the run: at its begin */
    sim_cycles *cycles;                    /* NULL: not counted */
    coherent_processor processor[COHERENT_NODES][COHERENT_CPUS];
    coherent_host host[COHERENT_NODES];         /* of a mixed fabric */
    nc_cpu cpu[COHERENT_NODES * COHERENT_CPUS]; /* of the processors that run, node by node */
    unsigned cpus;
    sim_time from, to; /* of `run` */
    double wall;       /* [s] */
    nc_result line[NC_RESULTS];
    unsigned lines;
} coherent_run;

/* The params of a simulation: seed, waves, cycles' models. NULL: `error` has the reason. */
coherent_run *coherent_run_new(const coherent_options *o, const coherent_chips *chips, const sim_params *sim,
                               char error[OPTION_ERROR]);
void coherent_run_free(coherent_run *r);
/* 0; 1: it has ended badly, which is printed as BAD; 130: interrupted. */
int coherent_run_simulate(coherent_run *r);

#endif
