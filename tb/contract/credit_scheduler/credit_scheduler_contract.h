/* The contract of the slot "credit scheduler". */
#ifndef TB_CONTRACT_CREDIT_SCHEDULER_H
#define TB_CONTRACT_CREDIT_SCHEDULER_H

#include "credit_contract.h"
#include "suite.h"

extern const contract_slot credit_scheduler_slot;

#endif
