/* Prints clocks of a bus as a table, in the form of pcix.md section 12: one column per clock, `0` asserted (low), `1`
 * driven high, `z` released. AD and C/BE# are hexadecimal; `AD by` names who drives AD (number of the agent). Rows of
 * REQ# and GNT# appear per agent. */
#ifndef SIM_MODEL_HOST_PCIX_TABLE_H
#define SIM_MODEL_HOST_PCIX_TABLE_H

#include <stdio.h>

#include "sim/model/host/pcix_bus.h"

/* Clocks `from` .. `to`, at most the last PCIX_HISTORY. The clock row counts from `zero` (0: absolute bus clocks). */
void pcix_table_print(FILE *f, const pcix_bus *bus, uint64_t from, uint64_t to, uint64_t zero);

#endif
