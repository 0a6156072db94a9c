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

/* What suite.c must know of a suite; there is one in each program. */
typedef struct contract {
    unsigned candidates, faults;
    const contract_candidate *candidate; /* those in the slot first, then others, then broken ones */
    const contract_fault *fault;
    void *(*bench_new)(const sim_config *config, unsigned fault);
} contract;
extern const contract contract_of_suite;

/* Makes it of candidates[] and faults[]. */
#define CONTRACT(bench_new) const contract contract_of_suite = {COUNT(candidates), COUNT(faults), candidates, faults, bench_new}

/* A check is a story that brings the candidate of a bench `b` of this type into a situation; to define it is to have it judged. With
 * .ways = mask it is told once for each bit of the mask, on a fresh candidate; a broken one must be caught with the lowest. */
#define CONTRACT_CHECK(type, name, ...)                                                                                                    \
    static void name(type *b);                                                                                                             \
    static void name##_on(void *b)                                                                                                         \
    {                                                                                                                                      \
        name(b);                                                                                                                           \
    }                                                                                                                                      \
    __attribute__((constructor)) static void name##_add(void)                                                                              \
    {                                                                                                                                      \
        contract_check_add(#name, name##_on, (contract_options){__VA_ARGS__});                                                             \
    }                                                                                                                                      \
    static void name(type *b)
typedef struct contract_options {
    unsigned ways;
} contract_options;
void contract_check_add(const char *name, void (*run)(void *bench), contract_options options);
/* Number of the bit of .ways that a bench is made for. */
extern unsigned contract_way;

#endif
