/* Electrical faults on a bus, aimed at a phase of a transaction: lines are inverted for one clock for everybody who
 * samples them.
 *
 *     pcix_fault f = { .initiator = nic, .commands = 1u << PCIX_WRITE_BLOCK, .phase = PCIX_PH_DATA, .index = 3, .ad = 1
 * }; pcix_faults_add(faults, &f);      // one wrong bit in the fourth word of the next DMA write
 *
 * The parity lines are left as driven, so every inverted AD or C/BE# line is a parity error; `parity` inverts PAR
 * itself instead.
 */
#ifndef SIM_MODEL_HOST_PCIX_FAULT_H
#define SIM_MODEL_HOST_PCIX_FAULT_H

#include "sim/model/host/pcix_bus.h"

typedef struct pcix_fault {
    int initiator;     /* agent whose transactions are meant; -1 = any */
    unsigned commands; /* bit per command; 0 = any */
    unsigned skip;     /* matching transactions to leave alone first */
    unsigned times;    /* how many to hit; 0 means 1 */
    int phase;         /* PCIX_PH_ADDRESS, _ADDRESS2, _ATTRIBUTE or _DATA */
    unsigned index;    /* of the data phase */
    uint64_t ad;       /* lines to invert */
    uint8_t cbe;
    bool parity; /* invert PAR (one clock later) */
    /* not NULL: asked for each matching transaction that gets to that phase, without end, instead of skip and times */
    bool (*choose)(void *arg);
    void *arg;
} pcix_fault;

typedef struct pcix_faults pcix_faults;

/* Takes the fault place of `bus`. */
pcix_faults *pcix_faults_new(pcix_bus *bus);
void pcix_faults_free(pcix_faults *x);
/* At most 16 wait at once; false if there are more. */
bool pcix_faults_add(pcix_faults *x, const pcix_fault *f);
/* How many have struck so far. */
uint64_t pcix_faults_done(const pcix_faults *x);

#endif
