/* rtl/crossbar.v with 4 ports. */
#ifndef SIM_CHIPS_CHIP_SWITCH4_H
#define SIM_CHIPS_CHIP_SWITCH4_H

#include "switch_chip.h"

extern const switch_kind chip_switch4;

#endif
