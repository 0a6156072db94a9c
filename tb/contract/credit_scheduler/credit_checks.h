/* The checks of the contract of the slot "credit scheduler". */
#ifndef TB_CONTRACT_CREDIT_CHECKS_H
#define TB_CONTRACT_CREDIT_CHECKS_H

#include "credit_contract.h"

typedef struct {
    const char *name;
    void (*run)(credit_bench *b);
} credit_check;

extern const credit_check credit_checks[];
extern const unsigned credit_check_count;

/* Runs one check on a candidate. Returns 0, or -1 with what is wrong in `complaint`. */
int credit_judge(const sim_config *config, unsigned fault, const credit_check *check, char complaint[CONTRACT_COMPLAINT]);

#endif
