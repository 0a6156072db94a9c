/* Shared by the monitors of this folder: how a broken rule is reported, and a channel whose sender must hold what it
 * shows until it is taken.
 */
#ifndef SIM_MODEL_AXI_AXI_CHECKER_H
#define SIM_MODEL_AXI_AXI_CHECKER_H

#include <stdbool.h>

#include "sim/model/axi/axi_pins.h"

typedef struct axi_rule {
    const char *name, *by, *section, *text; /* by: "master", "slave" or "sender" */
} axi_rule;

typedef struct axi_violation {
    const axi_rule *rule;
    const char *port; /* the monitor's name */
    uint64_t clock;
    sim_time time;    /* [ps] */
    char detail[160]; /* the value, and the expected one; may be empty */
} axi_violation;

/* Where violations go. Without a function the first one ends the run: sim_fail with port, clock, time, rule and detail.
 */
typedef void (*axi_on_violation)(void *arg, const axi_violation *v);
typedef struct axi_checker {
    sim *s;
    sim_clock *clock;
    char port[64];
    axi_on_violation report;
    void *arg;
    uint64_t violations;
} axi_checker;

void axi_checker_init(axi_checker *j, sim *s, sim_clock *clock, const char *port);
void axi_break(axi_checker *j, const axi_rule *rule, const char *format, ...) __attribute__((format(printf, 3, 4)));

enum { AXI_HELD_PINS = 10 };
typedef struct axi_channel {
    const sim_port *valid, *ready; /* ready NULL: always */
    const sim_port *payload[AXI_HELD_PINS];
    unsigned pins;
    bool waiting; /* shown and not taken in the clock before */
    bool was_reset;
    uint8_t held[AXI_HELD_PINS][64];
} axi_channel;

/* Adds a pin that must be held; one that is not there (`at` NULL) is left out. */
void axi_channel_add(axi_channel *c, const sim_port *p);
/* Events of this clock, bits: */
enum { AXI_SHOWN = 1 /* valid, for the first time */, AXI_TAKEN = 2, AXI_VALID = 4 };
/* Checks the channel in a clock, as seen before the edge. `held` and `reset` are its rules. */
unsigned axi_channel_check(axi_channel *c, axi_checker *j, bool reset, const axi_rule *held_rule,
                           const axi_rule *reset_rule);
static inline unsigned axi_channel_look(axi_channel *c, axi_checker *j, bool reset, const axi_rule *held_rule,
                                        const axi_rule *reset_rule)
{
    if (!axi_bit(c->valid) && !c->waiting && !c->was_reset && !reset) return 0;
    return axi_channel_check(c, j, reset, held_rule, reset_rule);
}

#endif
