/* A crossbar switch of any size as the testbench sees it, whatever the widths of its vectors.
 *
 * A size is a configuration of rtl/crossbar.v, crossbar8 of sim/system/chips/models for instance: a program that
 * includes crossbar8.h and names crossbar8_config gets that model compiled and linked, and no other size. Port p of the
 * switch is element p of each vector (first_link of gt_pins). */
#ifndef SIM_SYSTEM_CHIPS_SWITCH_CHIP_H
#define SIM_SYSTEM_CHIPS_SWITCH_CHIP_H

#include <stdint.h>

#include "sim/core/kernel/model.h"
#include "sim/core/kernel/sim.h"
#include "sim/model/cable/cable.h"

enum {
    SWITCH_PORTS = 16 /* most ports of any size */,
    SWITCH_CROSSPOINT_UNITS = 512 /* [link words] what a sender may have in one */
};

typedef struct switch_chip {
    const sim_config *kind;
    unsigned ports;
    uint32_t domain; /* bit p: port p is on clk_b */
    sim_model *model;
    uint8_t *clk_a, *clk_b, *rst_n;
    uint8_t *run_clk_a, *run_clk_b; /* the clocks behind buffers with enables */
    const uint8_t *run_a, *run_b;
    gt_pins pins; /* of port 0 */
    uint8_t *mon_valid, *mon_we;
    uint16_t *mon_addr; /* of 32-bit words */
    uint32_t *mon_wdata;
    const uint8_t *mon_ready, *mon_rvalid;
    const uint32_t *mon_rdata;
} switch_chip;

/* Of a kind, as its parameters say. */
unsigned switch_ports(const sim_config *kind);
uint32_t switch_domain(const sim_config *kind);
/* 0, or -1 (sim_error) */
int switch_chip_make(const sim_config *kind, sim *s, const char *instance, switch_chip *chip);

#endif
