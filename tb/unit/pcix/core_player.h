/* Plays a clock table (tb/pcix_tables/clock_table.h) to the core: drives the cells of the host's side, compares those of the NIC's side,
 * and in every clock checks that the NIC drives nothing it does not own. The bench drives the host's parity.
 */
#ifndef NICXBAR_TB_CORE_PLAYER_H
#define NICXBAR_TB_CORE_PLAYER_H

#include "core_bench.h"
#include "tb/pcix_tables/clock_table.h"

/* `nic` is the side that the core plays. 0, or -1 with the first difference in `why`. If the NIC is initiator, waits up to 40 clocks for
 * its FRAME#. */
int player_run(bench *b, const clock_table *t, enum table_side nic, const table_values *v, char *why, unsigned size);

#endif
