/* Do all views of buffer space agree? To be asked without traffic, some check records after the last packet.
 *
 * Towards the switch: what a NIC has transmitted on a lane is what the switch has credited (credits name multiples of
 * 32 units). Towards a NIC: what the switch has transmitted is what the NIC has received and forwarded, and the credit
 * the switch holds says so. A link that is cut is left out.
 */
#ifndef SIM_SYSTEM_NODES_FABRIC_SPACE_H
#define SIM_SYSTEM_NODES_FABRIC_SPACE_H

#include "sim/system/nodes/fabric.h"

/* From a task: 1 if they agree; else 0 and which do not, and how. -1: registers cannot be read. */
int fabric_agrees(fabric *f, char *text, size_t size);
/* From a task: 1 once they do, 0 with the last text if they do not within `time`. `took` [ps], may be NULL: how long it
 * took. */
int fabric_settle(fabric *f, sim_time time, sim_time *took, char *text, size_t size);

#endif
