/* Common part of every C agent besides its initiator and target: PAR and PAR64 follow one clock after what it drove on
 * AD (section 10). */
#ifndef SIM_MODEL_HOST_PCIX_AGENT_H
#define SIM_MODEL_HOST_PCIX_AGENT_H

#include "sim/model/host/pcix.h"

/* Signals driven in the clock before; all zero = nothing. */
typedef struct pcix_parity_state {
    uint64_t ad;
    uint16_t oe;
    uint8_t cbe;
} pcix_parity_state;

/* Last thing in a step: adds PAR for the clock before and remembers this one. A target that drives read data leaves
 * out->cbe at ones. */
static inline void pcix_drive_parity(pcix_parity_state *p, pcix_drive *out)
{
    unsigned halves = p->oe >> PCIX_AD & 3; /* AD and AD64, PAR and PAR64 are neighbours */
    if (halves != 0) {
        pcix_put(out, halves << PCIX_PAR, 0);
        out->level = (uint16_t)(out->level | (pcix_parity(p->ad, p->cbe) & halves) << PCIX_PAR);
    }
    p->ad = out->ad;
    p->oe = out->oe;
    p->cbe = out->cbe;
}

#endif
