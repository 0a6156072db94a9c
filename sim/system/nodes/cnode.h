/* A coherent node of a system: the chip, its two processors, memory behind their private PLBs, and the DDR SDRAM of the
 * coherent range. The observer (sim/model/coherent) checks each clock of processors and interconnect, and ends the run
 * if a load gives another value than the newest one.
 *
 *     cnode *n = cnode_new(sim, 0, &params);
 *     ... join n->chip.gt to a cable on n->net_clock ...
 *     cnode_reset(n) in a task, then a task of n->group for each processor: ppc405_load32(n->cpu[0], ...)
 *     cnode_free(n);
 */
#ifndef SIM_SYSTEM_NODES_CNODE_H
#define SIM_SYSTEM_NODES_CNODE_H

#include "sim/core/kernel/sim.h"
#include "sim/model/coherent/observer.h"
#include "sim/model/ppc405/plb_memory.h"
#include "sim/model/ppc405/ppc405.h"
#include "sim/system/chips/coherent_chip.h"

typedef struct cnode_params {
    const sim_config *chip; /* which build of rtl/coherent_node.v */
    ppc405_params cpu;
    plb_memory_params private_memory;
    external_params memory;      /* default: DDR */
    sim_time period, net_period; /* [ps] 10000, 12800 */
    double ppm, net_ppm;
    sim_time jitter; /* [ps] of both clocks */
} cnode_params;

/* Node `id` with the clocks of S2, no jitter; the crystals of different nodes are off by up to +-100 ppm. */
cnode_params cnode_params_default(unsigned id, const sim_config *chip);

typedef struct cnode {
    sim *s;
    unsigned id;
    char name[16], chip_name[20];
    cnode_params params;
    sim_group *group; /* of both clocks */
    sim_clock *clock, *net_clock;
    coherent_chip chip;
    ppc405 *cpu[COHERENT_CPUS];
    plb_memory *private_memory[COHERENT_CPUS];
    external *memory;
    observer *observer; /* of pins and interconnect, in every clock */
    struct cnode_seen { /* pins of both processors, side by side */
        uint8_t rst, request, rnw, size2, cancel, addrack, rddack, wrdack, busy;
        uint16_t be;
        uint64_t abus;
        uint32_t wrdbus[4], rddbus[4];
    } seen;
} cnode;

/* NULL: no memory, or a parameter is wrong (the reason goes to sim_fail). */
cnode *cnode_new(sim *s, unsigned id, const cnode_params *params);
void cnode_free(cnode *n);

/* From a task of its group: releases the reset, and returns when the chip has cleared its memories. */
void cnode_reset(cnode *n);

#endif
