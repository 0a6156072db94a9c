/* The checks of the contract of the slot "output scheduler". */
#ifndef TB_CONTRACT_SCHEDULER_CHECKS_H
#define TB_CONTRACT_SCHEDULER_CHECKS_H

#include "scheduler_contract.h"

typedef struct {
    const char *name;
    void (*run)(scheduler_bench *b);
} scheduler_check;

extern const scheduler_check scheduler_checks[];
extern const unsigned scheduler_check_count;

/* Runs one check on a candidate. Returns 0, or -1 with what is wrong in `complaint`. */
int scheduler_judge(const sim_config *config, unsigned fault, const scheduler_check *check, char complaint[CONTRACT_COMPLAINT]);

#endif
