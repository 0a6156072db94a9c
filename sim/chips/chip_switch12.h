/* rtl/crossbar.v with 12 ports. */
#ifndef SIM_CHIPS_CHIP_SWITCH12_H
#define SIM_CHIPS_CHIP_SWITCH12_H

#include "switch_chip.h"

extern const switch_kind chip_switch12;

#endif
