#include "chip_switch8.h"

#include "crossbar8.h"

SWITCH_KIND(chip_switch8, crossbar8, 8, 0xf0);
