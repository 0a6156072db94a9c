/* rtl/nic.v with 16 request queues of 64 descriptors. */
#ifndef SIM_CHIPS_CHIP_NIC16_H
#define SIM_CHIPS_CHIP_NIC16_H

#include "nic_chip.h"

extern const nic_kind chip_nic16;

#endif
