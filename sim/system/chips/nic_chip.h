/* A NIC as a system sees it, whatever it was built with: the pins of one instance.
 *
 * A kind is a configuration of rtl/nic/nic.v: a line `nic_X nic PARAMETER=VALUE` in sim/system/chips/models (or another
 * file `models`). To use one, include nic_X.h and name nic_X_config; only the programs that do so verilate and link
 * that model. nic.h, the default, comes with this.
 */
#ifndef SIM_SYSTEM_CHIPS_NIC_CHIP_H
#define SIM_SYSTEM_CHIPS_NIC_CHIP_H

#include "nic.h"
#include "sim/core/kernel/sim.h"
#include "sim/model/cable/cable.h"
#include "sim/model/external/external.h"
#include "sim/model/host/pcix_bus.h"
#include "sim/system/chips/nic_kind.h"

typedef struct nic_chip {
    sim_model *model;
    uint8_t *pci_clk, *pci_run_clk, *net_clk, *net_run_clk;
    const uint8_t *pci_run, *net_run;
    pcix_pins bus;
    external_pins memory;
    gt_pins gt;
} nic_chip;

/* 0, or -1: the name of the instance is refused, memory is exhausted, or the kind is no NIC (sim_error says which). */
int nic_chip_make(const sim_config *kind, sim *s, const char *instance, nic_chip *chip);

#endif
