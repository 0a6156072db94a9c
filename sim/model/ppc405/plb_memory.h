/* Memory behind a PLB: the slave of a processor's private data, or of a test. 64 bits, big-endian as the bus. It takes
 * up to two reads and one write at a time and serves them in their order; reads of lines begin with the doubleword
 * asked for. An address outside of its range is acknowledged with err. */
#ifndef SIM_MODEL_PPC405_PLB_MEMORY_H
#define SIM_MODEL_PPC405_PLB_MEMORY_H

#include "sim/core/kernel/sim.h"
#include "sim/model/ppc405/plb_pins.h"

typedef struct plb_memory_params {
    uint64_t from, to; /* range of addresses [from, to); default all */
    unsigned address;  /* [clocks] from the first clock of a request to addrack, >= 1; default 1 */
    unsigned data;     /* [clocks] from addrack to the first data of a read, >= 1; default 3 */
    unsigned gap;      /* [clocks] between two data, default 0 */
    unsigned write;    /* [clocks] from addrack to the first wrdack, default 1 */
    unsigned spread;   /* up to this many clocks more each, at random; default 0 */
} plb_memory_params;

plb_memory_params plb_memory_defaults(void);

typedef struct plb_memory plb_memory;

/* params NULL: the defaults. NULL: no memory is left. */
plb_memory *plb_memory_new(sim *s, sim_clock *clock, const plb_slave_pins *pins, const plb_memory_params *params);
void plb_memory_free(plb_memory *m);
/* Its contents. */
uint32_t plb_memory_get(plb_memory *m, uint32_t address);
void plb_memory_put(plb_memory *m, uint32_t address, uint32_t value);
/* Requests served. */
uint64_t plb_memory_served(const plb_memory *m);

#endif
