#include "chip_switch2.h"

#include "crossbar2.h"

SWITCH_KIND(chip_switch2, crossbar2, 2, 0x2);
