#include "chip_switch4.h"

#include "crossbar4.h"

SWITCH_KIND(chip_switch4, crossbar4, 4, 0xc);
