/* Registers, counters and states of the switch in words, as nx_stat.h has those of a NIC, and what moved between two
 * looks at them (sx_take).
 */
#ifndef SX_STAT_H
#define SX_STAT_H

#include "sx_print.h"

/* all = 0: only registers that differ from their reset values, and fields that are not 0. */
void sx_stat_print(const sx_switch *sw, const sx_dump_image *image, int all, FILE *file);
/* Changes, a line for each register or field. Returns how many lines. */
unsigned sx_stat_moved(const sx_switch *sw, const sx_dump_image *before, const sx_dump_image *after, FILE *file);

#endif
