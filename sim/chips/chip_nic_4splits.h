/* rtl/nic.v with four outstanding split reads. */
#ifndef SIM_CHIPS_CHIP_NIC_4SPLITS_H
#define SIM_CHIPS_CHIP_NIC_4SPLITS_H

#include "nic_chip.h"

extern const nic_kind chip_nic_4splits;

#endif
