/* A PCI-X host as programs of coherent nodes see it (NODE=mixed): the platform of sw/coherent on a host with a NIC that
 * has queues, counters and words (SYNC=1).
 *
 * "Coherent memory" is a piece of the host's memory, which its processor and the NIC's DMA keep coherent anyway;
 * packets name it by bus address (nc_options.base). Registers of part A are those of BAR1. A send queue is software:
 * the store to its doorbell posts the slots as descriptors, and CONSUMED counts those that have left. So programs run
 * with NI=memory and SEND=doorbell, on processor 0. Loads and stores to memory take LOAD_PS each, as of a cache. */
#ifndef SIM_APP_COHERENT_COHERENT_HOST_H
#define SIM_APP_COHERENT_COHERENT_HOST_H

#include "nc.h"
#include "nx_sync.h"
#include "sim/system/nodes/node.h"

typedef struct coherent_host {
    node *n;
    nx_sync *sync;
    nc_options options; /* of its programs */
    struct nc_platform platform;
    uint32_t base; /* bus address of its memory */
    uint32_t send_base[2], send_control[2];
    uint32_t posted[2], left[2];
    nx_ticket ticket[2][16]; /* of the slots posted last */
    sim_time ahead;          /* [ps] the processor is ahead of the simulation */
} coherent_host;

/* From a task, when the node is up: 0, or -1: no memory, or the NIC has no queues (sim_fail). */
int coherent_host_open(coherent_host *h, node *n, const nc_options *options);
/* From a task, before the node stops. */
void coherent_host_close(coherent_host *h);

#endif
