/* rtl/nic.v with its default parameters. */
#ifndef SIM_CHIPS_CHIP_NIC_H
#define SIM_CHIPS_CHIP_NIC_H

#include "nic_chip.h"

extern const nic_kind chip_nic;

#endif
