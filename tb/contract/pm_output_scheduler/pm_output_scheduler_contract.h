/* The contract of the slot "output scheduler" of packet mode (rtl/packet_mode/contracts.md has it in words). */
#ifndef TB_CONTRACT_PM_OUTPUT_SCHEDULER_H
#define TB_CONTRACT_PM_OUTPUT_SCHEDULER_H

#include "pm_turns.h"

enum { AMONG = CONTRACT_OWN, AT_ONCE, STAYS, PAIRS, TELLS, SURE, OUTPUT_RULES };
extern const contract_slot pm_output_scheduler_slot;

#endif
