/* rtl/nic.v with one output queue shared by all destinations. */
#ifndef SIM_CHIPS_CHIP_NIC_1VOQ_H
#define SIM_CHIPS_CHIP_NIC_1VOQ_H

#include "nic_chip.h"

extern const nic_kind chip_nic_1voq;

#endif
