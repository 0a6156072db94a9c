/* The coherent node's chip as a system sees it, whatever the size of its caches: the pins of one instance.
 *
 * A kind is a configuration of rtl/coherent_node.v: a line `coherent_node_X coherent_node PARAMETER=VALUE` in
 * sim/system/chips/models. Pins are found by name, so only the program that names a kind is linked with its model. */
#ifndef SIM_SYSTEM_CHIPS_COHERENT_CHIP_H
#define SIM_SYSTEM_CHIPS_COHERENT_CHIP_H

#include "sim/core/kernel/model.h"
#include "sim/model/cable/cable.h"
#include "sim/model/external/external.h"
#include "sim/model/ppc405/plb_pins.h"

enum { COHERENT_CPUS = 2 };

typedef struct coherent_chip {
    sim_model *model;
    uint8_t *clk, *net_clk, *rst_n;
    plb_master_pins plb[COHERENT_CPUS];        /* of the processors */
    plb_slave_pins private_plb[COHERENT_CPUS]; /* behind the chip: memory of its own for each processor */
    external_pins memory;
    gt_pins gt;
} coherent_chip;

/* 0, or -1: the name of the instance is refused, memory is exhausted, or the kind is no coherent node (sim_error says
 * which). */
int coherent_chip_make(const sim_config *kind, sim *s, const char *instance, coherent_chip *chip);

#endif
