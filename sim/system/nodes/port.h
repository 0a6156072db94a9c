/* One node whose cable ends in a link partner (sim/model/far_end): a host and its NIC against a switch port with
 * destinations that can be stopped, slowed and watched.
 *
 *     port *p = port_new(&params, deliver, self);
 *     sim_task_new(p->s, "host", software, p);      in it: port_start, nx_transfer(p->n->dev, destination, ...)
 *     sim_run(p->s, SIM_FOREVER);
 *     port_free(p);
 */
#ifndef SIM_SYSTEM_NODES_PORT_H
#define SIM_SYSTEM_NODES_PORT_H

#include "sim/model/far_end/far_end.h"
#include "sim/system/nodes/node.h"

typedef struct port_params {
    sim_params sim;
    node_params node;
    cable_params cable;
    nx_params driver; /* node_id is that of the node; tx_capacity 0: what the link partner has */
    far_end_params far_end;
    double far_ppm; /* crystal of the link partner */
} port_params;

/* The documents' clocks, a server2004 host, 23 clocks of cable, through a switch (not DIRECT), 8 destinations of 512
 * units. */
void port_params_default(port_params *p);

typedef struct port {
    port_params params;
    sim *s;
    node *n;
    cable *wire; /* end 0 = the node */
    sim_clock *far_clock;
    far_end *far;
} port;

/* NULL when something is out of range or memory is exhausted; the reason goes to stderr. `deliver` is called for each
 * packet that has reached its destination (far_end.h). */
port *port_new(const port_params *params, far_end_deliver deliver, void *self);
void port_free(port *p);

/* From a task: starts the node and waits until the link carries packets both ways. 0, or the failure; the text is in
 * the node. */
int port_start(port *p);
/* From a task: closes the driver. */
void port_stop(port *p);

#endif
