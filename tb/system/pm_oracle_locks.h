/* Outputs that take packets, with locks: DPM [IV-A]. */
#ifndef TB_SYSTEM_PM_ORACLE_LOCKS_H
#define TB_SYSTEM_PM_ORACLE_LOCKS_H

#include "pm_oracle_state.h"

/* A clock of all outputs: parts that leave, locks of the clock before, choices. */
void oracle_locking_outputs(oracle *s);

#endif
