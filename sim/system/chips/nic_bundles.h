/* NICs with several links by byte, for two nodes and a cable: the kinds of NIC (--nic) of the programs that have them.
 */
#ifndef SIM_SYSTEM_CHIPS_NIC_BUNDLES_H
#define SIM_SYSTEM_CHIPS_NIC_BUNDLES_H

#include "sim/system/chips/nic_chip.h"

/* A new one: its line in sim/system/chips/models, its row here. `make sim LINKS=4 NIC=4splits` asks for 4splits-4links.
 */
extern const nic_kind nic_bundles[];

#endif
