/* The device side of a guest: its accesses become transactions of the CPU of a simulated host (host.h), one after the
 * other in the order of their making, so a store is on the bus before a later read.
 *
 *     guest_bus *b = guest_bus_new(sim, group, host, NODE_DEVICE);
 *     guest_bus_set_front(b, &front);            answers and INTA#
 *     guest_device d = guest_bus_device(b);      what a front end calls (guest_access.h), between two runs of the sim
 *     ... sim_run ...
 *     guest_bus_free(b);                         before the host
 *
 * Configuration accesses are type 0 cycles. Up to 8 bytes within 8 are one uncached access; more are written through
 * the CPU's write-combining buffers, with a fence behind them, and read as Memory Read Blocks. Stores are posted: the
 * bridge has them when the next access begins. BARs are where the guest has written that they are; a BAR of 64 bits has
 * the lower half only.
 *
 * Memory of the guest is lent to the host's memory; the bridge claims no address outside of it (master abort).
 *
 * A read that the bus has not answered within GUEST_BUS_PATIENCE ends in ones, and what the bus says later is dropped:
 * virt-pci itself would give up after 40 ms, and take a late answer for that of its next read.
 *
 * INTA# is a level, and front ends send messages: raised() is called when it falls and every 10 us while it is low.
 */
#ifndef SIM_MODEL_GUEST_GUEST_BUS_H
#define SIM_MODEL_GUEST_GUEST_BUS_H

#include "sim/core/kernel/sim.h"
#include "sim/model/guest/guest_access.h"
#include "sim/model/host/host.h"

#define GUEST_BUS_AGAIN (10 * SIM_US) /* from a message of INTA# to the next, while it is low */
#define GUEST_BUS_PATIENCE (38 * SIM_MS)

typedef struct guest_bus guest_bus;

typedef struct guest_bus_counts {
    uint64_t config_reads, config_writes, reads, writes,
        combined;    /* accesses carried out; combined: of more than 8 bytes */
    uint64_t failed; /* of them without an answer on the bus: all ones */
    uint64_t raised, resets;
} guest_bus_counts;

/* NULL: no memory left. Its task and its clock are those of the host's group. */
guest_bus *guest_bus_new(sim *s, sim_group *group, host *h, int device);
void guest_bus_free(guest_bus *b);
void guest_bus_set_front(guest_bus *b, const guest_front *front);
void guest_bus_set_patience(guest_bus *b, sim_time patience);
guest_device guest_bus_device(guest_bus *b);

/* Accesses that are not carried out yet. */
unsigned guest_bus_open(const guest_bus *b);
/* When the bus has ended its last transaction, or INTA# was last reported. */
sim_time guest_bus_active(const guest_bus *b);
const guest_bus_counts *guest_bus_get_counts(const guest_bus *b);

#endif
