/* A processor at an AXI4-Lite slave with 32 bits of data: registers read and written by blocking calls of tasks.
 *
 *     axi_cpu *cpu = axi_cpu_new(sim, clock, &pins, NULL, "cpu");       pins: axi_pins_of(chip, "s_axi_lite_", &pins)
 *     ... and in a task:
 *     if (axi_cpu_write32(cpu, ROCE_XRNICCONF, 1)) ...
 *
 * One access at a time; further tasks wait in the order in which they came. A write returns with its response, so it is
 * done.
 */
#ifndef SIM_MODEL_AXI_AXI_CPU_H
#define SIM_MODEL_AXI_AXI_CPU_H

#include "sim/model/axi/axi_pins.h"

enum {
    AXI_CPU_SLVERR = -2,
    AXI_CPU_DECERR = -3,
    AXI_CPU_BAD_ARGUMENT = -16 /* not aligned, off the port, or not called from a task */
};

typedef struct axi_cpu_params {
    unsigned latency; /* [clocks] from the call to the address on the pins; default 10 */
    unsigned spread;  /* [clocks] up to this many more, at random; default 0 */
    unsigned skew;  /* [clocks] up to this many between the address of a write and its data, either first; default 0 */
    unsigned stall; /* [percent] of clocks in which BREADY and RREADY are low, 0..99; default 0 */
} axi_cpu_params;

axi_cpu_params axi_cpu_defaults(void);

typedef struct axi_cpu axi_cpu;

/* params NULL: the defaults. NULL: the pins are none of a slave with 32 bits, a parameter is out of range (sim_fail),
 * or no memory is left.
 */
axi_cpu *axi_cpu_new(sim *s, sim_clock *clock, const axi_pins *pins, const axi_cpu_params *params, const char *name);
void axi_cpu_free(axi_cpu *c);

/* --- from tasks; 0 or negative. A read that fails gives all ones. --- */
int axi_cpu_read32(axi_cpu *c, uint64_t address, uint32_t *value);
int axi_cpu_write32(axi_cpu *c, uint64_t address, uint32_t value);
/* Only bytes whose bit is set in `strobes` (bit 0: the lowest). */
int axi_cpu_write_bytes(axi_cpu *c, uint64_t address, uint32_t value, unsigned strobes);

/* Accesses done. */
uint64_t axi_cpu_accesses(const axi_cpu *c);
/* An access is on the pins: its address or data are shown, or its response is awaited. */
int axi_cpu_busy(const axi_cpu *c);

#endif
