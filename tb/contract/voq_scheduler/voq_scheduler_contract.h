/* The contract of the slot "VOQ scheduler" (the head of rtl/nic/voq/voq_scheduler.v has it in words). */
#ifndef TB_CONTRACT_VOQ_SCHEDULER_H
#define TB_CONTRACT_VOQ_SCHEDULER_H

#include "queue_choice.h"

extern const contract_slot voq_scheduler_slot;

#endif
