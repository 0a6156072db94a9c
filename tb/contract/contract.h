/* What all contract suites share: the test program around a slot's checks.
 *
 * A suite has a bench, checks that each run on a fresh candidate, and candidates: the block in the slot in several sizes, perhaps other
 * blocks that keep the contract, and a broken one whose port `fault` switches on one mistake at a time. The program has three test cases:
 * slot (what make contract runs), other (blocks that ship beside it or are examples), broken (each fault is caught by its check). */
#ifndef TB_CONTRACT_CONTRACT_H
#define TB_CONTRACT_CONTRACT_H

#include <check.h>
#include <stdarg.h>
#include <stdint.h>

#include "sim.h"

enum { CONTRACT_COMPLAINT = 200 /* bytes */ };

typedef struct contract_candidate {
    const char *name;                               /* as a message calls it */
    enum { IN_SLOT, OTHER_BLOCK, BROKEN_BLOCK } is; /* a broken one has `fault` */
} contract_candidate;

/* A fault number, the check that must find it, a part of what it says. */
typedef struct contract_fault {
    unsigned fault;
    const char *check, *says;
} contract_fault;

typedef struct contract {
    const char *slot;
    unsigned candidates, checks, faults;
    const contract_candidate *candidate;
    const contract_fault *fault;
    unsigned *switched_on; /* the fault that broken candidates are opened with; 0 = none */
    const char *(*check_name)(unsigned check);
    /* Runs one check on a fresh candidate: 0, or not with what is wrong. */
    int (*judge)(unsigned candidate, unsigned check, char complaint[CONTRACT_COMPLAINT]);
    void (*more)(Suite *suite); /* NULL, or adds tests of this slot alone */
} contract;

/* check_name() and judge() of a suite named `prefix`, whose candidates are opened by opener[]. */
#define CONTRACT_CHECKS(prefix)                                                                                                            \
    static const char *check_name(unsigned check)                                                                                          \
    {                                                                                                                                      \
        return prefix##_checks[check].name;                                                                                                \
    }                                                                                                                                      \
    static int judge(unsigned candidate, unsigned check, char complaint[CONTRACT_COMPLAINT])                                               \
    {                                                                                                                                      \
        return prefix##_judge(opener[candidate], &prefix##_checks[check], complaint);                                                      \
    }

/* The whole program: its exit code. */
int contract_main(const contract *c);

/* A simulation with one clock of this period [ps], for a bench. */
sim *contract_sim(sim_time period, sim_clock **clk);

/* Writes the complaint, with the clock before it, unless there is one already. */
void contract_complain(char complaint[CONTRACT_COMPLAINT], uint64_t clock, const char *format, va_list list);

#endif
