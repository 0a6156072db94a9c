/* What every C agent needs besides its initiator and target: PAR and PAR64 follow one clock after what it drove on AD (section 10). */
#ifndef NICXBAR_PCIX_AGENT_H
#define NICXBAR_PCIX_AGENT_H

#include "pcix.h"

/* What the agent drove in the clock before; all zero = nothing. */
typedef struct pcix_parity_state {
    uint64_t ad;
    uint16_t oe;
    uint8_t cbe;
} pcix_parity_state;

/* Last thing in a step: adds PAR for the clock before and remembers this one. A target that drives read data leaves out->cbe at ones. */
static inline void pcix_drive_parity(pcix_parity_state *p, pcix_drive *out)
{
    if (p->oe & PCIX_BIT(PCIX_AD)) pcix_put(out, PCIX_BIT(PCIX_PAR), pcix_parity((uint32_t)p->ad, p->cbe));
    if (p->oe & PCIX_BIT(PCIX_AD64)) pcix_put(out, PCIX_BIT(PCIX_PAR64), pcix_parity((uint32_t)(p->ad >> 32), p->cbe >> 4));
    p->ad = out->ad;
    p->oe = out->oe;
    p->cbe = out->cbe;
}

#endif
