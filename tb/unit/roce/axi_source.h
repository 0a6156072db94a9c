/* Memory that is only read, behind an AXI4 read channel: what each byte is follows from its address, so there is no room to keep.
 *
 * Every burst is checked against AXI4: INCR of whole words, aligned, at most 256 beats, not across 4 KB (A3.4.1); ARVALID, once high, stays
 * with its address until it is taken (A3.2.1). What is wrong stands in `wrong`. */
#ifndef TB_ROCE_AXI_SOURCE_H
#define TB_ROCE_AXI_SOURCE_H

#include "simulation.h"

enum { AXI_SOURCE_BURSTS = 256 };

typedef struct axi_source {
    /* the ports; rlast may be NULL */
    const sim_port *arvalid, *arready, *araddr, *arlen, *rvalid, *rready, *rdata, *rresp, *rlast;
    unsigned bytes;                /* of a word */
    unsigned latency;              /* [clocks] from the address to its first beat, at least 1 */
    unsigned address_stall, stall; /* [%] of the clocks in which no address is taken, no beat given */
    uint32_t error_from, error_to; /* words that begin in error_from .. error_to - 1 have SLVERR */
    uint32_t salt;                 /* other data at the same addresses */
    /* what happened */
    const char *wrong;   /* the first violation; NULL: none */
    unsigned beats_most; /* of the longest burst */
    uint64_t bursts, beats;
    uint64_t waited; /* beats that came later than they might have, because RREADY was low */

    sim *s;
    uint64_t clock;
    struct {
        uint32_t address;
        unsigned beats;
        uint64_t due;
    } burst[AXI_SOURCE_BURSTS];
    unsigned first, count; /* of `burst`, a ring */
    int taken;             /* the beat that stands there */
    int held;              /* an address that was not taken in the clock before */
    uint32_t held_address;
    uint64_t held_length;
} axi_source;

/* The ports, bytes, latency and so on are set before. */
void axi_source_attach(axi_source *a, sim *s, sim_clock *clk);
/* The byte at this address. */
uint8_t axi_source_byte(const axi_source *a, uint32_t address);
/* What is wrong with a burst; NULL: nothing. */
const char *axi_burst_violation(uint32_t address, unsigned beats, unsigned bytes);

#endif
