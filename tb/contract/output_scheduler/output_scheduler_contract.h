/* The contract of the slot "output scheduler". */
#ifndef TB_CONTRACT_OUTPUT_SCHEDULER_H
#define TB_CONTRACT_OUTPUT_SCHEDULER_H

#include "scheduler_contract.h"
#include "suite.h"

extern const contract_slot output_scheduler_slot;

#endif
