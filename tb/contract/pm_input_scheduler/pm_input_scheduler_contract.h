/* The contract of the slot "input scheduler" of packet mode (rtl/packet_mode/contracts.md has it in words). */
#ifndef TB_CONTRACT_PM_INPUT_SCHEDULER_H
#define TB_CONTRACT_PM_INPUT_SCHEDULER_H

#include "pm_turns.h"

enum { AMONG = CONTRACT_OWN, AT_ONCE, STAYS, TELLS, INPUT_RULES };
extern const contract_slot pm_input_scheduler_slot;

#endif
