/* The chips of a program (program.h), by their descriptions from the build. */
#ifndef SIM_APP_NICXBAR_CHIPS_H
#define SIM_APP_NICXBAR_CHIPS_H

#include "sim/system/chips/nic_kind.h"

typedef struct program_chips {
    const sim_config *chip;
    const sim_config *nic;  /* the default */
    const nic_kind *others; /* for --nic, NULL: none; ends with a NULL name */
} program_chips;

#endif
