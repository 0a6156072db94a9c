/* Two nodes and their connection: a cable, or the switch of a fabric of which they are a part.
 *
 *     pair *p = pair_new(&params);
 *     sim_task_new(p->s, "host 0", software, p->node[0]);
 *     sim_run(p->s, SIM_FOREVER);
 *     pair_free(p);
 */
#ifndef SIM_SYSTEM_NODES_PAIR_H
#define SIM_SYSTEM_NODES_PAIR_H

#include "sim/model/cable/cable.h"
#include "sim/system/nodes/fabric.h"
#include "sim/system/nodes/node.h"

typedef struct pair_params {
    sim_params sim;
    node_params node[2];
    cable_params cable;
    nx_params driver; /* of both nodes; node_id is that of each node's parameters */
} pair_params;

/* The documents' clocks with ppm offsets, server2004 hosts, 23 clocks of cable, DIRECT mode, driver defaults. */
void pair_params_default(pair_params *p);

typedef struct pair {
    pair_params params;
    sim *s;
    node *node[2];
    cable *wire; /* end 0 = node 0 */
    cable *far;  /* the cable of node 1: the same, or in a fabric its own, with node 1 at end 0 */
    fabric *f;   /* that it is, or of which it is a part: then there is a switch */
    int own;     /* its fabric is freed with it */
} pair;

/* NULL when something is out of range or memory is exhausted; the reason goes to stderr. */
pair *pair_new(const pair_params *params);
/* Two nodes of a fabric, with the switch between them, or all of one without a switch. The fabric must outlive the
 * pair. NULL: no memory.
 */
pair *pair_in(fabric *f, unsigned a, unsigned b);
void pair_free(pair *p);

/* From one task: starts both nodes at once (node_start in two tasks) and returns when both are up. 0, or the first
 * failure; the text is in the node. */
int pair_start(pair *p); /* of a part: fabric_start */
/* From a task: closes both drivers; those of a part stay open. */
void pair_stop(pair *p);

#endif
