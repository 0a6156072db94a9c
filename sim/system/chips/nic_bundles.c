#include "sim/system/chips/nic_bundles.h"

#include "nic_2links.h"
#include "nic_4links.h"
#include "nic_4splits_2links.h"
#include "nic_4splits_4links.h"
#include "nic_monitored_2links.h"
#include "nic_monitored_4links.h"

const nic_kind nic_bundles[] = {{"2links", &nic_2links_config},
                                {"4links", &nic_4links_config},
                                {"4splits-2links", &nic_4splits_2links_config},
                                {"4splits-4links", &nic_4splits_4links_config},
                                {"monitored-2links", &nic_monitored_2links_config},
                                {"monitored-4links", &nic_monitored_4links_config},
                                {NULL, NULL}};
