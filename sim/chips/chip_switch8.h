/* rtl/crossbar.v with 8 ports. */
#ifndef SIM_CHIPS_CHIP_SWITCH8_H
#define SIM_CHIPS_CHIP_SWITCH8_H

#include "switch_chip.h"

extern const switch_kind chip_switch8;

#endif
