/* Shared by all contract suites: the test program around a slot's checks.
 *
 * A slot's contract is its rules, a bench that holds one candidate and says which rule it breaks, checks that each run
 * on a fresh candidate, and the parts of a long run on one and the same. Two programs link them. test_SLOT_contract has
 * the block in the slot in several sizes: it is what make contract runs. test_SLOT_faults has other blocks that keep
 * the contract, and a broken one: its port `fault` switches on one mistake at a time, and each must be rejected for the
 * rule that it breaks. */
#ifndef TB_CONTRACT_SUITE_H
#define TB_CONTRACT_SUITE_H

#include "contract.h"

typedef struct contract_slot {
    const char *words; /* the file that has the contract in words */
    const char *turns; /* unit of the module's grants: "packets" */
    const char *const
        *rules; /* as a message calls them, by number, from CONTRACT_STARVES on; NULL: none of that number */
    int rule_count;
    void *(*bench_new)(const sim_config *config, unsigned fault);
    /* Some hundred turns or more of the long run, with random manners, on a candidate that may have been through others
     * before. */
    void (*part)(void *bench);
    void (*reset)(void *bench);
    /* The last of the long run: all ask all the time (contract_all_ask), until each has had its turn so often on
     * average. NULL without a starvation rule. */
    void (*all_ask)(void *bench, unsigned each);
    /* A block may be for some of the sizes only: it refuses the others by $finish, before the first clock. */
    bool may_refuse;
} contract_slot;

typedef struct contract_candidate {
    const char *name;                               /* as a message calls it; in the slot: its size, "8 inputs" */
    enum { IN_SLOT, OTHER_BLOCK, BROKEN_BLOCK } is; /* a broken one has `fault` */
    const sim_config *config; /* the part behind the last _ of its name is the SIZE of make contract */
} contract_candidate;

/* Bits [4:0] of `fault` are its number. It is active always, or (faulty_when.v) ... */
enum {
    RARELY = 1 << 5, /* for one turn of 8192 */
    LATE = 2 << 5,   /* from 4096 turns after reset on */
    RESETS = 3 << 5  /* from the second reset on */
};
/* A fault number, the check that must find it, the rule that it breaks. The long run must find it if it is active LATE
 * or after RESETS; also if it is active RARELY, unless stated otherwise: a single faulty grant need not break a rule.
 */
typedef struct contract_fault {
    unsigned fault;
    const char *check;
    int rule;
    enum {
        ALSO_RARELY,
        NOT_RARELY,
        NOT_LATE,
        NOT_RESETS = 16, /* the long run has no such situation */
        FIRST_ONLY = 32, /* of the broken blocks; or of two of them, as a sum */
        SECOND_ONLY = 64,
        THIRD_ONLY = 128,
        AS_ANOTHER = 4, /* the long run may find another rule broken first */
        ANY_RULE = 12   /* ... and any check */
    } but;
} contract_fault;

/* Data of a program for suite.c; there is one in each. */
typedef struct contract {
    const contract_slot *slot;
    const contract_candidate *candidate; /* those in the slot first, then others, then broken ones */
    const contract_fault *fault;
    int candidates, faults;
} contract;
extern const contract contract_of_program;

/* A check is a sequence that brings the candidate of a bench `b` of this type into a situation; to define it is to have
 * it checked. With .ways = mask it runs once for each bit of the mask, on a fresh candidate; a broken one must be
 * caught with the lowest. */
#define CONTRACT_CHECK(type, name, ...)                                                                                \
    static void name(type *b);                                                                                         \
    static void name##_on(void *b) { name(b); }                                                                        \
    __attribute__((constructor)) static void name##_add(void)                                                          \
    {                                                                                                                  \
        contract_check_add(#name, name##_on, (contract_options){__VA_ARGS__});                                         \
    }                                                                                                                  \
    static void name(type *b)
typedef struct contract_options {
    unsigned ways;
} contract_options;
void contract_check_add(const char *name, void (*run)(void *bench), contract_options options);
/* Number of the bit of .ways that a bench is made for. */
extern unsigned contract_way;

#endif
