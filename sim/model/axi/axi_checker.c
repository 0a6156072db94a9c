/* See axi_checker.h. */
#include "sim/model/axi/axi_checker.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void axi_checker_init(axi_checker *j, sim *s, sim_clock *clock, const char *port)
{
    *j = (axi_checker){.s = s, .clock = clock};
    snprintf(j->port, sizeof j->port, "%s", port);
}

void axi_break(axi_checker *j, const axi_rule *rule, const char *format, ...)
{
    axi_violation v = {.rule = rule, .port = j->port, .clock = sim_clock_cycles(j->clock), .time = sim_now(j->s)};
    va_list list;
    va_start(list, format);
    vsnprintf(v.detail, sizeof v.detail, format, list);
    va_end(list);
    j->violations++;
    if (j->report) j->report(j->arg, &v);
    else
        sim_fail(j->s, "%s: clock %" PRIu64 ", %" PRIu64 ".%03" PRIu64 " ns: %s (%s, %s): %s%s%s", v.port, v.clock,
                 v.time / SIM_NS, v.time % SIM_NS, rule->name, rule->by, rule->section, rule->text,
                 v.detail[0] ? ": " : "", v.detail);
}

void axi_channel_add(axi_channel *c, const sim_port *p)
{
    if (p->at) c->payload[c->pins++] = p;
}

/* Bytes of the C type that carries a port; at most 64 are held. */
static size_t bytes_of(const sim_port *p)
{
    return p->bits <= 8 ? 1 : p->bits <= 16 ? 2 : p->bits <= 32 ? 4 : p->bits <= 64 ? 8 : (p->bits + 31) / 32 * 4;
}

unsigned axi_channel_check(axi_channel *c, axi_checker *j, bool reset, const axi_rule *held_rule,
                           const axi_rule *reset_rule)
{
    bool valid = axi_bit(c->valid), ready = !c->ready || axi_bit(c->ready), waited = c->waiting;
    c->waiting = false;
    if (c->was_reset) { /* the edge before was one of reset: VALID may rise after this one at the earliest */
        if (valid) axi_break(j, reset_rule, "%s", c->valid->name);
        c->was_reset = reset;
        return 0;
    }
    c->was_reset = reset;
    if (reset) return 0;
    if (waited && !valid) axi_break(j, held_rule, "%s falls", c->valid->name);
    if (!valid) return 0;
    for (unsigned i = 0; waited && i < c->pins; i++)
        if (memcmp(c->held[i], c->payload[i]->at, bytes_of(c->payload[i])) != 0)
            axi_break(j, held_rule, "%s changes", c->payload[i]->name);
    c->waiting = !ready;
    for (unsigned i = 0; !ready && i < c->pins; i++) memcpy(c->held[i], c->payload[i]->at, bytes_of(c->payload[i]));
    return AXI_VALID | (waited ? 0 : AXI_SHOWN) | (ready ? AXI_TAKEN : 0);
}
