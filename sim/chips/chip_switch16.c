#include "chip_switch16.h"

#include "crossbar16.h"

SWITCH_KIND(chip_switch16, crossbar16, 16, 0xff00);
