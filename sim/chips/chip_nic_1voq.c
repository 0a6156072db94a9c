#include "chip_nic_1voq.h"

#include "nic_1voq.h"

NIC_KIND(chip_nic_1voq, nic_1voq);
