/* rtl/crossbar.v with 2 ports. */
#ifndef SIM_CHIPS_CHIP_SWITCH2_H
#define SIM_CHIPS_CHIP_SWITCH2_H

#include "switch_chip.h"

extern const switch_kind chip_switch2;

#endif
