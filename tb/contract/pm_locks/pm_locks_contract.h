/* The contract of the slot "locks" of packet mode (rtl/packet_mode/contracts.md has it in words). */
#ifndef TB_CONTRACT_PM_LOCKS_H
#define TB_CONTRACT_PM_LOCKS_H

#include "suite.h"

enum { ONE_HOLDER = CONTRACT_OWN, GIVEN, FREE, LOCKS_RULES };
extern const contract_slot pm_locks_slot;

#endif
