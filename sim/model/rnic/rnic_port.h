/* Joins a NIC in C (rnic.h) to an end of an Ethernet wire, in a simulation.
 *
 *     rnic_params params = {..., .clock = rnic_port_clock, .clock_self = sim};
 *     rnic *r = rnic_new(&params, error);
 *     rnic_port *port = rnic_port_new(sim, clock, r, wire, 1);
 *
 * At each edge of the clock the wire runs, what has come is taken, and frames are sent as fast as the line takes them.
 * Frames with a wrong FCS are dropped. Work is posted and polled between edges: in a drive, or as a task.
 */
#ifndef SIM_MODEL_RNIC_RNIC_PORT_H
#define SIM_MODEL_RNIC_RNIC_PORT_H

#include "sim/model/ethernet/ethernet_wire.h"
#include "sim/model/rnic/rnic.h"

typedef struct rnic_port rnic_port;

/* For rnic_params: the time of the simulation. */
uint64_t rnic_port_clock(void *sim);
/* NULL: no memory; reported by sim_fail. Free it after the last sim_run, before the NIC and the wire. */
rnic_port *rnic_port_new(sim *sim, sim_clock *clock, rnic *r, ethernet_wire *wire, int end);
void rnic_port_free(rnic_port *port);
/* Frames dropped because of their FCS. */
uint64_t rnic_port_bad_fcs(const rnic_port *port);

#endif
