/* The checks of the contract of the slot "DMA arbiter". */
#ifndef TB_CONTRACT_ARBITER_CHECKS_H
#define TB_CONTRACT_ARBITER_CHECKS_H

#include "arbiter_contract.h"

typedef struct {
    const char *name;
    void (*run)(arbiter_bench *b);
} arbiter_check;

extern const arbiter_check arbiter_checks[];
extern const unsigned arbiter_check_count;

/* Runs one check on a candidate. Returns 0, or -1 with what is wrong in `complaint`. */
int arbiter_judge(const sim_config *config, unsigned fault, const arbiter_check *check, char complaint[CONTRACT_COMPLAINT]);

#endif
