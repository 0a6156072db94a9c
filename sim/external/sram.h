/* External memory behind the NIC's memory port (the window of BAR0): a zero-bus-turnaround SRAM, seen through the
 * synchronous request/acknowledge port of rtl/nic.v.
 *
 * The NIC holds mem_req (with mem_we, mem_addr, mem_wdata, mem_be) until mem_ack is high for one clock; on reads mem_rdata is
 * valid in that clock. One access at a time; the acknowledge comes `latency` clocks after the request was sampled.
 */
#ifndef SIM_EXTERNAL_SRAM_H
#define SIM_EXTERNAL_SRAM_H

#include <stdint.h>

#include "memory.h"
#include "sim.h"

typedef struct sram sram;

/* The pins, named as the ports of rtl/nic.v. */
typedef struct sram_pins {
    const uint8_t *mem_req, *mem_we, *mem_be;
    const uint32_t *mem_addr; /* address of the 64-bit word: bits [26:3] of the byte address */
    const uint64_t *mem_wdata;
    uint8_t *mem_ack;
    uint64_t *mem_rdata;
} sram_pins;

/* The pins of any generated binding that has these ports. */
#define SRAM_PINS(m) ((sram_pins){(m)->mem_req, (m)->mem_we, (m)->mem_be, (m)->mem_addr, (m)->mem_wdata, (m)->mem_ack, (m)->mem_rdata})

/* A memory on clock `clock`; latency >= 1 [clocks] from request to acknowledge. The pins must outlive it. */
sram *sram_new(sim_clock *clock, const sram_pins *pins, unsigned latency);
void sram_free(sram *);

/* Its contents, byte addressed from 0. Owned by the sram. */
memory *sram_contents(sram *);

#endif
