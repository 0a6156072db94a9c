#include "chip_nic.h"

#include "nic.h"

NIC_KIND(chip_nic, nic);
