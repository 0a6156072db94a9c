/* The kinds of NIC that a user of nicxbar-sim can choose by name (--nic), in addition to the default: for switches of
 * up to 8 ports. */
#ifndef SIM_SYSTEM_CHIPS_NIC_KINDS_H
#define SIM_SYSTEM_CHIPS_NIC_KINDS_H

#include "sim/system/chips/nic_chip.h"

/* A new one: its line in sim/system/chips/models, its row here. */
extern const nic_kind nic_kinds[];

#endif
