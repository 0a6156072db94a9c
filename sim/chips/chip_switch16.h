/* rtl/crossbar.v with 16 ports. */
#ifndef SIM_CHIPS_CHIP_SWITCH16_H
#define SIM_CHIPS_CHIP_SWITCH16_H

#include "switch_chip.h"

extern const switch_kind chip_switch16;

#endif
