#include "chip_switch12.h"

#include "crossbar12.h"

SWITCH_KIND(chip_switch12, crossbar12, 12, 0xfc0);
