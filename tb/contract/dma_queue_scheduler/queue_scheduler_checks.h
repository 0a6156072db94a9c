/* The checks of the contract of the slot "DMA queue scheduler". */
#ifndef TB_CONTRACT_QUEUE_SCHEDULER_CHECKS_H
#define TB_CONTRACT_QUEUE_SCHEDULER_CHECKS_H

#include "queue_scheduler_contract.h"

typedef struct {
    const char *name;
    void (*run)(queue_scheduler_bench *b);
} queue_scheduler_check;

extern const queue_scheduler_check queue_scheduler_checks[];
extern const unsigned queue_scheduler_check_count;

/* Runs one check on a candidate. Returns 0, or -1 with what is wrong in `complaint`. */
int queue_scheduler_judge(const sim_config *config, unsigned fault, const queue_scheduler_check *check, char complaint[CONTRACT_COMPLAINT]);

#endif
