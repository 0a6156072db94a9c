#include "chip_nic_4splits.h"

#include "nic_4splits.h"

NIC_KIND(chip_nic_4splits, nic_4splits);
