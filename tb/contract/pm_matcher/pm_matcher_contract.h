/* The contract of the slot "matcher" of packet mode (rtl/packet_mode/contracts.md has it in words). */
#ifndef TB_CONTRACT_PM_MATCHER_H
#define TB_CONTRACT_PM_MATCHER_H

#include "suite.h"

enum { AMONG = CONTRACT_OWN, ONE_EACH, SOME, ASKED, MATCHER_RULES };
extern const contract_slot pm_matcher_slot;

#endif
