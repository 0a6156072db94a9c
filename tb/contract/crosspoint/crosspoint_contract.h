/* The contract of the slot "crosspoint" (rtl/switch/contracts.md has it in words). */
#ifndef TB_CONTRACT_CROSSPOINT_H
#define TB_CONTRACT_CROSSPOINT_H

#include "suite.h"

/* Its rules, in addition to the common ones. */
enum {
    WHOLE = CONTRACT_OWN,
    ANNOUNCED,
    IN_TIME,
    SHOWS,
    STREAMS,
    LEVELS,
    ROOM,
    EMPTY,
    OVERFLOWS,
    UNDERFLOWS,
    CROSSPOINT_RULES
};

extern const contract_slot crosspoint_slot;

#endif
