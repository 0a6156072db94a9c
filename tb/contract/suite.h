/* What all contract suites share: the test program around a slot's checks.
 *
 * A suite has a bench, checks that each run on a fresh candidate, and candidates: the block in the slot in several sizes, perhaps other
 * blocks that keep the contract, and a broken one whose port `fault` switches on one mistake at a time. The program has three test cases:
 * slot (what make contract runs), other (blocks that ship beside it or are examples), broken (each fault is caught by its check). */
#ifndef TB_CONTRACT_SUITE_H
#define TB_CONTRACT_SUITE_H

#include "contract.h"

typedef struct contract_candidate {
    const char *name;                               /* as a message calls it */
    enum { IN_SLOT, OTHER_BLOCK, BROKEN_BLOCK } is; /* a broken one has `fault` */
    const sim_config *config;
} contract_candidate;

/* A fault number, the check that must find it, a part of what it says. */
typedef struct contract_fault {
    unsigned fault;
    const char *check, *says;
} contract_fault;

/* What contract.c must know of a suite; there is one in each program. */
typedef struct contract {
    unsigned candidates, faults;
    const contract_candidate *candidate; /* those in the slot first, then others, then broken ones */
    const contract_fault *fault;
    unsigned (*checks)(void);
    const char *(*check_name)(unsigned check);
    /* Runs one check on a fresh candidate, a broken one with the fault (0 = none): 0, or not with what is wrong. */
    int (*judge)(unsigned candidate, unsigned fault, unsigned check, char complaint[CONTRACT_COMPLAINT]);
} contract;
extern const contract contract_of_suite;

/* Makes it of candidates[], faults[] and the checks of the bench called `prefix`. */
#define CONTRACT(prefix)                                                                                                                   \
    static unsigned checks(void)                                                                                                           \
    {                                                                                                                                      \
        return (unsigned)prefix##_check_count;                                                                                             \
    }                                                                                                                                      \
    static const char *check_name(unsigned check)                                                                                          \
    {                                                                                                                                      \
        return prefix##_checks[check].name;                                                                                                \
    }                                                                                                                                      \
    static int judge(unsigned candidate, unsigned fault, unsigned check, char complaint[CONTRACT_COMPLAINT])                               \
    {                                                                                                                                      \
        return prefix##_judge(candidates[candidate].config, fault, &prefix##_checks[check], complaint);                                    \
    }                                                                                                                                      \
    const contract contract_of_suite = {                                                                                                   \
        .candidates = COUNT(candidates),                                                                                                   \
        .candidate = candidates,                                                                                                           \
        .faults = COUNT(faults),                                                                                                           \
        .fault = faults,                                                                                                                   \
        .checks = checks,                                                                                                                  \
        .check_name = check_name,                                                                                                          \
        .judge = judge,                                                                                                                    \
    }

#endif
