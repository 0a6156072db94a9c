/* NICs with several links by packet, for a switch per link or for two nodes and a cable: the kinds of NIC (--nic) of
 * the programs that have them. */
#ifndef SIM_SYSTEM_CHIPS_NIC_BY_PACKET_H
#define SIM_SYSTEM_CHIPS_NIC_BY_PACKET_H

#include "sim/system/chips/nic_chip.h"

/* A new one: its line in sim/system/chips/models, its row here. `make sim LINKS=4 SWITCHES=4` asks for 4paths. */
extern const nic_kind nic_by_packet[];

#endif
