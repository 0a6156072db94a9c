/* The checks of the contract of the slot "crosspoint". */
#ifndef TB_CONTRACT_CROSSPOINT_CHECKS_H
#define TB_CONTRACT_CROSSPOINT_CHECKS_H

#include "crosspoint_contract.h"

typedef struct {
    const char *name;
    void (*run)(crosspoint_bench *b);
    crosspoint_clocks clocks;
} crosspoint_check;

extern const crosspoint_check crosspoint_checks[];
extern const unsigned crosspoint_check_count;

/* Runs one check on a candidate. Returns 0, or -1 with what is wrong in `complaint`. */
int crosspoint_judge(const sim_config *config, unsigned fault, const crosspoint_check *check, char complaint[CONTRACT_COMPLAINT]);

#endif
