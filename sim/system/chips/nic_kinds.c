#include "sim/system/chips/nic_kinds.h"

#include "nic_1voq.h"
#include "nic_4splits.h"
#include "nic_monitored.h"
#include "nic_sync.h"

const nic_kind nic_kinds[] = {{"4splits", &nic_4splits_config},
                              {"1voq", &nic_1voq_config},
                              {"monitored", &nic_monitored_config},
                              {"sync", &nic_sync_config},
                              {NULL, NULL}};
