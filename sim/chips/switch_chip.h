/* A crossbar switch of any size as the testbench sees it: the pins of a generated binding, whatever the widths of its vectors.
 *
 * A size is a file of this folder, chip_switch8.h and chip_switch8.c for instance: a program that includes the header gets that model
 * compiled and linked, and no other size. The names of a binding's ports are those of rtl/crossbar.v; port p of the switch is element p of
 * each vector (first_link of gt_pins).
 */
#ifndef SIM_CHIPS_SWITCH_CHIP_H
#define SIM_CHIPS_SWITCH_CHIP_H

#include <stdint.h>

#include "cable.h"
#include "sim.h"

enum { SWITCH_PORTS = 16 /* most ports of any size */ };

typedef struct switch_chip {
    const struct switch_kind *kind;
    void *binding;
    sim_model *model;
    uint8_t *clk_a, *clk_b, *rst_n;
    gt_pins pins; /* of port 0 */
    uint8_t *mon_valid, *mon_we;
    uint16_t *mon_addr; /* of 32-bit words */
    uint32_t *mon_wdata;
    const uint8_t *mon_ready, *mon_rvalid;
    const uint32_t *mon_rdata;
} switch_chip;

typedef struct switch_kind {
    const char *name; /* of the model */
    unsigned ports;
    uint32_t domain;                                              /* bit p: port p is on clk_b */
    int (*make)(sim *s, const char *instance, switch_chip *chip); /* 0, or -1 (sim_error) */
    void (*free)(void *binding);
} switch_kind;

/* The functions and the kind of a size: SWITCH_KIND(chip_switch8, crossbar8, 8, 0xf0); in chip_switch8.c. */
#define SWITCH_KIND(name_, model_, ports_, domain_)                                                                                        \
    static int name_##_make(sim *s, const char *instance, switch_chip *chip)                                                               \
    {                                                                                                                                      \
        model_ *m = model_##_new(s, instance);                                                                                             \
        if (!m) return -1;                                                                                                                 \
        *chip = (switch_chip){.kind = &name_,                                                                                              \
                              .binding = m,                                                                                                \
                              .model = m->model,                                                                                           \
                              .clk_a = m->clk_a,                                                                                           \
                              .clk_b = m->clk_b,                                                                                           \
                              .rst_n = m->rst_n,                                                                                           \
                              .pins = *GT_PINS(m),                                                                                         \
                              .mon_valid = m->mon_valid,                                                                                   \
                              .mon_we = m->mon_we,                                                                                         \
                              .mon_addr = m->mon_addr,                                                                                     \
                              .mon_wdata = m->mon_wdata,                                                                                   \
                              .mon_ready = m->mon_ready,                                                                                   \
                              .mon_rvalid = m->mon_rvalid,                                                                                 \
                              .mon_rdata = m->mon_rdata};                                                                                  \
        return 0;                                                                                                                          \
    }                                                                                                                                      \
    static void name_##_free(void *binding)                                                                                                \
    {                                                                                                                                      \
        model_##_free(binding);                                                                                                            \
    }                                                                                                                                      \
    const switch_kind name_ = {#model_, ports_, domain_, name_##_make, name_##_free}

#endif
