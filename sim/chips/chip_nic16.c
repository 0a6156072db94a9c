#include "chip_nic16.h"

#include "nic16.h"

NIC_KIND(chip_nic16, nic16);
