/* Ranks of a run, and the functions of their library in sim/bin/plugins. It is loaded by these names, with --ranks
 * only: nothing else needs MPI. */
#ifndef SIM_APP_NICXBAR_RANKS_H
#define SIM_APP_NICXBAR_RANKS_H

#include "sim/core/kernel/sim.h"

/* Once, in a process that mpirun has started: NULL if MPI does not come up. */
const sim_transport *ranks_mpi_begin(void);
/* Before it ends: waits for all. */
void ranks_mpi_end(void);

#endif
