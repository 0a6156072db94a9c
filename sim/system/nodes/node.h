/* One node of a system: a host (CPU, memory, bridge, bus), the NIC plugged into it as device 1, the external memory
 * behind the NIC, their clocks, and the platform through which the driver library of sw/ reaches them.
 *
 *     node *n = node_new(sim, 0, &params);
 *     ... join n->nic.gt to a cable on n->net_clock ...
 *     in a task: node_start(n, &nx_params);           reset, bus scan, driver
 *                nx_transfer(n->dev, ...);
 *     node_free(n);
 */
#ifndef SIM_SYSTEM_NODES_NODE_H
#define SIM_SYSTEM_NODES_NODE_H

#include "nx.h"
#include "sim/core/kernel/sim.h"
#include "sim/model/host/host.h"
#include "sim/system/chips/nic_chip.h"

enum {
    NODE_DEVICE = 1,                /* slot of the NIC */
    NODE_WINDOW = 0xe0000000u,      /* default place of BARs */
    NODE_WINDOW_BYTES = 0x10000000, /* 256 MB */
    NODE_MEMORY = 0x00100000,       /* bus memory handed out by the platform: from here ... */
    NODE_MEMORY_END = 0x70000000    /* ... to here */
};

typedef struct node_params {
    unsigned node_id;      /* 0..127: what receivers see as source; default the number of the node */
    const sim_config *nic; /* which build of the NIC; default nic_config */
    host_params host;
    uint32_t window;  /* where software places BARs: NODE_WINDOW_BYTES that memory leaves free; default NODE_WINDOW */
    unsigned pci_mhz; /* of the bus: 66, 100 or 133; its clock and the mode pattern, host.mode, follow. Default 100 */
    sim_time net_period; /* [ps] 12800 = 78.125 MHz */
    double pci_ppm, net_ppm;
    sim_time jitter;          /* [ps] of both clocks */
    external_params external; /* memory behind the NIC; default a ZBT SRAM */
} node_params;

/* Node `id` of a system with the documents' clocks, no jitter; the crystals of different nodes are off by up to +-100
 * ppm. */
node_params node_params_default(unsigned id);

typedef struct node {
    sim *s;
    unsigned id;
    char name[16], host_name[16], nic_name[16];
    int nic_agent; /* of the NIC on the bus */
    node_params params;
    sim_group *group; /* of both clocks */
    sim_clock *pci_clock, *net_clock;
    host *host;
    nic_chip nic;
    external *external;
    struct nx_platform platform;
    nx_bus *bus;             /* after node_start */
    nx_device *dev;          /* after node_start */
    uint64_t next;           /* allocator */
    int (*awake)(void *arg); /* not NULL: a sleep for an interrupt ends, too, when this says so; asked at each clock of
                                the bus */
    void *awake_arg;
    char error[256];
} node;

/* The clock period [ps] of a bus of 66, 100 or 133 MHz, 0 for another; *mode (NULL is allowed): its pattern, see
 * host_params. */
sim_time node_pci_period(unsigned mhz, int *mode);

/* NULL: no memory, or a parameter is wrong (the reason goes to sim_fail). */
node *node_new(sim *s, unsigned id, const node_params *params);
void node_free(node *n);

/* From a task: RST#, bus scan, nx_open with the node ID of the parameters (NULL = defaults). 0, or negative with the
 * reason in n->error. */
int node_start(node *n, const nx_params *params);
/* From a task: the first half of it, up to the bus scan. */
int node_scan(node *n);

/* Fills in the functions of n->platform (platform.c). */
void node_platform(node *n);

#endif
