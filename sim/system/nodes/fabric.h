/* A system of nodes: each has a cable to a port of one crossbar switch, or two nodes share a cable without a switch.
 * NICs with several links by packet (their BOND is 1) have a cable per link: link l of each node goes to switch l, and
 * there are as many switches as links.
 *
 *     fabric_params p;
 *     fabric_params_default(&p, 8, &switch8);         8 nodes at ports 0..7; NULL for the switch: two nodes directly
 *     fabric *f = fabric_new(&p);
 *     ... in a task: fabric_start(f); nx_transfer(f->node[0]->dev, 5, ...); fabric_stop(f);
 *     fabric_free(f);
 *
 * Some nodes may be coherent ones instead (cnode.h): node[i] is NULL where cnode[i] is not. Their software is the
 * caller's: fabric_start releases their resets only.
 *
 * The two clocks of the switch come from crystals of their own, with phases drawn from the seed. Ports beyond the nodes
 * have no cable.
 */
#ifndef SIM_SYSTEM_NODES_FABRIC_H
#define SIM_SYSTEM_NODES_FABRIC_H

#include "sim/system/nodes/cnode.h"
#include "sim/system/nodes/fabric_sizes.h"
#include "sim/system/nodes/node.h"

typedef struct fabric_params {
    sim_params sim;
    unsigned nodes;         /* 2..16; at most the ports of the switch, 2 without one */
    const sim_config *chip; /* NULL: no switch */
    node_params
        node[FABRIC_NODES]; /* around a switch no two with the same ID; more than 8 nodes need a NIC with 16 queues */
    uint32_t coherent;      /* mask of nodes that are coherent ones; default 0 */
    cnode_params cnode[FABRIC_NODES];    /* of these */
    cable_params cable;                  /* of all cables */
    unsigned path_latency[FABRIC_LINKS]; /* [clocks] of the cables of link l, 0: as in `cable` */
    unsigned paths;                      /* mask of the links in use; 0: all */
    int watch_paths;         /* drivers exchange which links are down (nx_path.h), if packets have several paths */
    sim_time switch_period;  /* [ps] of both clocks of the switch */
    double switch_ppm[2];    /* clk_a, clk_b */
    int64_t switch_phase[2]; /* [ps], -1: random */
    const sim_transport
        *transport;   /* of this rank to others that have a part of the nodes; NULL, the default: there are none */
    nx_params driver; /* of all nodes; direct is filled in; node_id is that of each node */
} fabric_params;

/* The documents' clocks with ppm offsets, server2004 hosts, 23 clocks of cable, driver defaults. */
void fabric_params_default(fabric_params *p, unsigned nodes, const sim_config *chip);

/* Observer of a scenario on it; NULL: none. */
typedef struct fabric_watch {
    void (*landed)(void *self, unsigned from, unsigned to, sim_time created,
                   sim_time landed); /* a packet, that software made at `created` */
    void (*window)(void *self, const char *what, sim_time from, sim_time to); /* that has been measured */
    void *self;
} fabric_watch;

typedef struct fabric {
    fabric_params params;
    sim *s;
    unsigned nodes;
    node *node[FABRIC_NODES];
    cnode *cnode[FABRIC_NODES];
    unsigned links;            /* of a NIC with packets of their own, 1..4 */
    unsigned bundle;           /* links by byte that are one of them, 1..4 */
    cable *wire[FABRIC_NODES]; /* of node i: end 0 = node i, end 1 = port i; without a switch only wire[0], end 1 = node
                                  1 */
    sim_group *group;          /* of the switch */
    unsigned char rank[FABRIC_NODES + 1]; /* of each node, then of the switch */
    sim_ranks ranks;
    switch_chip chip;    /* .model is NULL without a switch */
    sim_clock *clock[2]; /* of the switch: clk_a, clk_b */
    struct fabric_path { /* links 1 and up: the same of each */
        cable *wire[FABRIC_NODES];
        switch_chip chip;
        sim_clock *clock[2];
    } path[FABRIC_LINKS - 1];
    struct fabric_monitor {
        struct fabric *f;
        unsigned path;
    } monitor[FABRIC_LINKS]; /* of each switch, for switch_platform */
    int started, stopping;
    sim_task *path_watch[FABRIC_NODES]; /* drivers that exchange the state of links */
    fabric_watch watch;
} fabric;

/* The rank of each node, among this many, and behind the nodes the switch: in the first one. */
void fabric_divide(const fabric_params *p, unsigned ranks, unsigned char rank[FABRIC_NODES + 1]);

/* NULL when something is out of range or memory is exhausted; the reason goes to stderr. */
fabric *fabric_new(const fabric_params *params);
void fabric_free(fabric *f);

/* From a task: releases the reset of the switch, starts all nodes at once and returns when all are up. 0, or the first
 * failure, whose text is in fabric_error. Does nothing the second time. */
int fabric_start(fabric *f);
/* The first part of it: the switch alone, for nodes whose software is not sw/. */
int fabric_start_switch(fabric *f);
/* From a task: closes all drivers. */
void fabric_stop(fabric *f);
/* Enables lookahead windows of nodes and switch (sim_lookahead) of at most `clocks` clocks (0: disables them) on
 * `threads` threads (sim_threads). The caller guarantees that nodes interact only through cables and sim_post: true of
 * files and scenarios without faults and sniffers. */
void fabric_lookahead(fabric *f, unsigned clocks, unsigned threads);
/* Why fabric_start failed. */
const char *fabric_error(const fabric *f);

/* The cable of a node, of its link 0 or another one, and the end at which it is. Without a switch a cable has all
 * links. */
cable *fabric_wire(const fabric *f, unsigned node, int *end);
cable *fabric_link(const fabric *f, unsigned node, unsigned link, int *end);

/* From a task: registers of the switch's monitor port by byte address, of switch 0 or another one. 0, or -1: no answer
 * within 1000 clocks.
 */
int fabric_monitor_read(fabric *f, unsigned address, uint32_t *value);
int fabric_monitor_write(fabric *f, unsigned address, uint32_t value);
int fabric_path_read(fabric *f, unsigned path, unsigned address, uint32_t *value);
int fabric_path_write(fabric *f, unsigned path, unsigned address, uint32_t value);

#endif
