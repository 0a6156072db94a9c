/* Limits of systems of nodes (fabric.h). */
#ifndef SIM_SYSTEM_NODES_FABRIC_SIZES_H
#define SIM_SYSTEM_NODES_FABRIC_SIZES_H

#include "sim/system/chips/switch_chip.h"

enum { FABRIC_WINDOW = 16 /* default lookahead of fabric_lookahead [clocks] */ };
enum { FABRIC_NODES = SWITCH_PORTS, FABRIC_IDS = 128 /* node IDs */, FABRIC_LINKS = 4 /* most of a node */ };

#endif
