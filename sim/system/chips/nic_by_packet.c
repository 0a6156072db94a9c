#include "sim/system/chips/nic_by_packet.h"

#include "nic_2paths.h"
#include "nic_4paths.h"
#include "nic_monitored_2paths.h"
#include "nic_monitored_4paths.h"

const nic_kind nic_by_packet[] = {{"2paths", &nic_2paths_config},
                                  {"4paths", &nic_4paths_config},
                                  {"monitored-2paths", &nic_monitored_2paths_config},
                                  {"monitored-4paths", &nic_monitored_4paths_config},
                                  {NULL, NULL}};
