/* A PowerPC 405 as the data-side PLB port shows it (UG018 2.3): blocking C coroutines load, store and sync; what they
 * compute takes the core clocks that they name. Instructions are not fetched, and there is no internal data cache: each
 * access appears on the pins.
 *
 *     ppc405 *c = ppc405_new(sim, clk, &pins, NULL, "cpu0");
 *     ... in a task, one per processor:
 *     while (!(ppc405_load32(c, flag) & 1)) ppc405_compute(c, 2);
 *     ppc405_store32(c, data, 7);
 *     ppc405_sync(c);
 *
 * The pins, in clocks of the PLB:
 *
 *              1   2   3   4   5   6
 *     request  __|^^^|___|^^^|_______    2: asked, and acknowledged in the same clock; then off for one clock at least
 *     abus     --| a |---| b |-------
 *     addrack  __|^^^|___|^^^|_______    4: pipelined: a is not complete
 *     rddack   ______________|^^^|^^^    the earliest is the clock behind addrack; answers in the order of the requests
 *     busy     ______|^^^^^^^^^^^^^^^    from the clock behind addrack up to that of the last data
 *
 *   - a request and all that belongs to it stay until the end of the clock with addrack; the next one is two clocks
 *     behind it at the earliest;
 *   - up to two reads and one write are acknowledged and incomplete: a third read is requested in the clock behind the
 *     last data of the first one at the earliest, a second write behind the last data of the first;
 *   - data of a write are on wrdbus from its request on; each wrdack, the first with addrack at the earliest, brings
 * the next doubleword of a line. A word is on both halves of the bus, `be` says which is meant;
 *   - a line read may come in any order, rdwdaddr says which doubleword; a line write goes up from the first one;
 *   - abort is up for one clock beside the request, which is off for at least one clock behind it; a slave that
 *     acknowledges in that clock ignores the request;
 *   - err with a data acknowledge, or at any time for a write, is counted, with the address (a machine check); the data
 *     of such a read are ones.
 *
 * Up to the first access the processor is in reset and looks at no pin.
 *
 * Core clocks are `ratio` to a PLB clock. An access is on the pins `issue` core clocks after its instruction at the
 * earliest, the value of a load is there `bypass` core clocks behind the end of the clock with its data. Stores are
 * posted: the program goes on unless two requests wait. Loads and stores keep the order of the program. */
#ifndef SIM_MODEL_PPC405_PPC405_H
#define SIM_MODEL_PPC405_PPC405_H

#include "sim/core/kernel/sim.h"
#include "sim/model/ppc405/plb_pins.h"

typedef struct ppc405_params {
    unsigned ratio;    /* [core clocks] to a clock of the PLB, 1..4; default 3: 300 MHz */
    unsigned issue;    /* [core clocks] 1..8; default 2: effective address, then the data-cache unit */
    unsigned bypass;   /* [core clocks] 0..8; default 1 */
    unsigned priority; /* CCR0[DPP1], 0 or 1: the high bit of the request's priority; default 0 */
} ppc405_params;

ppc405_params ppc405_defaults(void);

/* One access as the pins had it, once it is complete; in clocks of the PLB. */
typedef struct ppc405_access {
    uint32_t address;
    uint64_t value; /* of a word; of a line its first doubleword */
    unsigned write, line, error;
    uint64_t requested, acknowledged, done; /* first clock of the request, clock of addrack, clock of the last data */
} ppc405_access;

typedef struct ppc405_stats {
    uint64_t clocks; /* of the PLB */
    uint64_t loads, stores, line_reads, line_writes, aborts, syncs, errors;
    uint64_t load_clocks;  /* of the PLB, from request to data, of all loads */
    uint64_t stall_clocks; /* of the core: waiting for loads, for room for a store, for sync */
    uint32_t error_address;
} ppc405_stats;

typedef struct ppc405 ppc405;

/* params NULL: the defaults. NULL: a parameter is out of range (sim_fail), or no memory is left. The pins must outlive
 * it. */
ppc405 *ppc405_new(sim *s, sim_clock *clock, const plb_master_pins *pins, const ppc405_params *params,
                   const char *name);
void ppc405_free(ppc405 *c);

/* --- from the one task that is its program. Unaligned words are two accesses where they cross a word (UG018 2.3). ---
 */
uint32_t ppc405_load32(ppc405 *c, uint32_t address);
uint16_t ppc405_load16(ppc405 *c, uint32_t address);
uint8_t ppc405_load8(ppc405 *c, uint32_t address);
void ppc405_store32(ppc405 *c, uint32_t address, uint32_t value);
void ppc405_store16(ppc405 *c, uint32_t address, uint16_t value);
void ppc405_store8(ppc405 *c, uint32_t address, uint8_t value);
/* A load whose value is used later: other accesses may go between. Aligned words. */
typedef struct ppc405_ticket {
    unsigned slot;
} ppc405_ticket;
ppc405_ticket ppc405_load_begin(ppc405 *c, uint32_t address);
uint32_t ppc405_load_end(ppc405 *c, ppc405_ticket t);
/* Lines of 32 bytes, as the internal cache moves them; the address is that of the word wanted first. */
void ppc405_line_read(ppc405 *c, uint32_t address, uint8_t line[32]);
ppc405_ticket ppc405_line_begin(ppc405 *c, uint32_t address);
void ppc405_line_end(ppc405 *c, ppc405_ticket t, uint8_t line[32]);
void ppc405_line_write(ppc405 *c, uint32_t address, const uint8_t line[32]);
/* A load that is aborted when its request has been on the pins for `clocks` PLB clocks, 0 = in its first. 1: aborted;
 * 0: it was acknowledged before, and its value is dropped. */
int ppc405_load_aborted(ppc405 *c, uint32_t address, unsigned clocks);
/* Returns when all accesses before are complete and the slave is not busy. */
void ppc405_sync(ppc405 *c);
void ppc405_compute(ppc405 *c, uint64_t core_clocks);

/* Core clocks since the start. */
uint64_t ppc405_now(const ppc405 *c);
/* Clock of the PLB that has begun, as in ppc405_access. */
uint64_t ppc405_clock(const ppc405 *c);
ppc405_stats ppc405_get_stats(const ppc405 *c);
/* Accesses that are not complete, a line each. */
void ppc405_print(const ppc405 *c, FILE *f);
/* Called in the sample phase with every complete access. NULL removes it. */
void ppc405_on_access(ppc405 *c, void (*fn)(void *self, const ppc405_access *a), void *self);

#endif
