/* External memory behind the memory port of the NIC: 72-bit words (64 bits of data, 8 of tag), requests one per clock,
 * reads answered in order some clocks later.
 *
 *     external_params p = external_params_sdram();
 *     external_pins pins = EXTERNAL_PINS(nic);
 *     external *m = external_new(sim, pci_clock, &pins, &p);
 *
 * The port. A request is on mem_valid, mem_we, mem_addr (number of the 64-bit word), mem_wdata and mem_be (bit 8: the
 * tag byte). It is taken at the end of a clock in which mem_valid and mem_ready are both high; mem_ready does not
 * depend on mem_valid. Each read is answered by one clock of mem_rvalid with mem_rdata, in the order of the requests. A
 * read sees every write taken before it. The NIC may have 16 reads outstanding.
 *
 * "A clock" is the time between two rising edges: values shown in clock n are sampled by the edge that ends it.
 *
 * Two kinds: zbt.h, a zero-bus-turnaround SRAM that takes a request in every clock; sdram.h, a synchronous DRAM, single
 * or double data rate, with banks, rows and refresh behind a controller. Above the word that a part has its address
 * bits are not connected: higher addresses show it again. A broken promise of the NIC (too many reads) or of the
 * controller (a timing of the chips) ends the run with sim_fail.
 */
#ifndef SIM_MODEL_EXTERNAL_EXTERNAL_H
#define SIM_MODEL_EXTERNAL_EXTERNAL_H

#include <stdint.h>

#include "sim/core/kernel/sim.h"
#include "sim/model/external/sdram.h"
#include "sim/model/external/zbt.h"

enum { EXTERNAL_READS = 16 /* outstanding at most */ };

typedef enum external_kind { EXTERNAL_ZBT, EXTERNAL_SDRAM } external_kind;

typedef struct external_params {
    external_kind kind;
    zbt_params zbt;
    sdram_params sdram;
    /* share of clocks in which mem_ready is low at random, on top of what the kind does [percent], 0..99; default 0 */
    unsigned stall_percent;
} external_params;

/* The defaults of the two kinds. */
external_params external_params_zbt(void);
external_params external_params_sdram(void);
/* EXTERNAL_SDRAM with the sizes and timings of a DDR DIMM (sdram_chip.h), 256 MB. */
external_params external_params_ddr(void);
/* NULL if usable, else what is wrong. */
const char *external_params_check(const external_params *p);

/* The pins, named as the ports of rtl/nic/nic.v; words wider than 64 bits are arrays of 32-bit words, lowest first. */
typedef struct external_pins {
    const uint8_t *mem_valid, *mem_we;
    const uint32_t *mem_addr;
    const uint32_t *mem_wdata; /* 3 words */
    const uint16_t *mem_be;
    uint8_t *mem_ready, *mem_rvalid;
    uint32_t *mem_rdata; /* 3 words */
} external_pins;

/* The pins of any generated binding that has these ports. */
#define EXTERNAL_PINS(m)                                                                                               \
    ((external_pins){(m)->mem_valid, (m)->mem_we, (m)->mem_addr, (m)->mem_wdata, (m)->mem_be, (m)->mem_ready,          \
                     (m)->mem_rvalid, (m)->mem_rdata})

typedef struct external_stats {
    uint64_t clocks, reads, writes;
    uint64_t refused; /* clocks in which a request met mem_ready low */
    sdram_stats sdram;
} external_stats;

typedef struct external external;

/* A memory on clock `clock`. The pins must outlive it, the params are copied. NULL: params are wrong (the reason goes
 * to sim_fail), or no memory is left. */
external *external_new(sim *s, sim_clock *clock, const external_pins *pins, const external_params *params);
void external_free(external *m);

/* Its contents. `word` is the number of the 64-bit word; the tag may be NULL. */
uint64_t external_get(external *m, uint64_t word, uint8_t *tag);
void external_put(external *m, uint64_t word, uint64_t data, uint8_t tag);

external_stats external_get_stats(const external *m);
sdram_chip *external_chip(external *m); /* the chips of a SDRAM, for tests; NULL if it is of the other kind */

/* Calls `fn` with every command to the chips of a SDRAM. */
void external_on_command(external *m, sdram_on_command fn, void *arg);

#endif
