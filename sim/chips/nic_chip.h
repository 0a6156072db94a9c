/* A NIC as a system sees it, whatever it was built with: the pins of one instance, and the kinds that there are.
 *
 * Each configuration of rtl/nic.v is a model with a binding of its own type (scripts/README.md). A kind hides the type: node.h takes
 * any of them. A program that includes nic_chip.h gets the default kind; another one comes with its header, chip_X.h, and only the
 * programs that include it verilate and link that model.
 *
 * A new kind: a line `nic_X nic PARAMETER=VALUE` in sim/chips/models, a file chip_X.c of three lines (see chip_nic.c) and chip_X.h. */
#ifndef SIM_CHIPS_NIC_CHIP_H
#define SIM_CHIPS_NIC_CHIP_H

#include "cable.h"
#include "external.h"
#include "pcix_bus.h"
#include "sim.h"

typedef struct nic_chip {
    sim_model *model;
    void *binding; /* of the kind's own type */
    uint8_t *pci_clk, *net_clk;
    pcix_pins bus;
    external_pins memory;
    gt_pins gt;
} nic_chip;

typedef struct nic_kind {
    const char *name; /* of the configuration */
    /* 0, or -1: the name of the instance is refused or memory is exhausted (sim_error says which). */
    int (*make)(sim *s, const char *instance, nic_chip *chip);
    void (*destroy)(nic_chip *chip);
} nic_kind;

/* Defines the kind `KIND` of the configuration whose binding is CONFIG.h. */
#define NIC_KIND(KIND, CONFIG)                                                                                                             \
    static int CONFIG##_make(sim *s, const char *instance, nic_chip *chip)                                                                 \
    {                                                                                                                                      \
        CONFIG *m = CONFIG##_new(s, instance);                                                                                             \
        if (!m) return -1;                                                                                                                 \
        *chip = (nic_chip){m->model, m, m->pci_clk, m->net_clk, PCIX_PINS(m), EXTERNAL_PINS(m), *GT_PINS(m)};                              \
        return 0;                                                                                                                          \
    }                                                                                                                                      \
    static void CONFIG##_destroy(nic_chip *chip)                                                                                           \
    {                                                                                                                                      \
        CONFIG##_free(chip->binding);                                                                                                      \
        chip->binding = NULL;                                                                                                              \
    }                                                                                                                                      \
    const nic_kind KIND = {#CONFIG, CONFIG##_make, CONFIG##_destroy}

#endif
