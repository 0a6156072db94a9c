/* The monitor's life, its reports, and the order in which one clock is checked. See pcix_monitor.h. */
#include "sim/model/host/pcix_monitor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/host/pcix_monitor_private.h"

enum { QUIET = 4 /* idle clocks that end the silence after a violation */ };

static const struct {
    const char *name, *section, *text;
} rules[PCIX_RULES] = {
#define RULE(id, section, text) {#id, section, text},
    PCIX_RULE_LIST(RULE)
#undef RULE
};

const char *pcix_rule_name(int rule) { return rule >= 0 && rule < PCIX_RULES ? rules[rule].name : "?"; }
const char *pcix_rule_section(int rule) { return rule >= 0 && rule < PCIX_RULES ? rules[rule].section : "?"; }
const char *pcix_rule_text(int rule) { return rule >= 0 && rule < PCIX_RULES ? rules[rule].text : "?"; }
const char *mon_name(const pcix_monitor *m, int agent) { return pcix_bus_agent_name(m->bus, agent); }

void mon_violate(pcix_monitor *m, int rule, const char *format, ...)
{
    if (m->muted || m->off[rule]) return;
    m->muted = true;
    m->quiet = 0;
    if (m->expected[rule] > 0) {
        m->expected[rule]--;
        m->missing--;
        return;
    }
    m->violations++;
    if (m->report == NULL) return;
    pcix_violation v = {.clock = m->now.clock,
                        .rule = rule,
                        .name = rules[rule].name,
                        .section = rules[rule].section,
                        .text = rules[rule].text};
    va_list list;
    va_start(list, format);
    vsnprintf(v.detail, sizeof v.detail, format, list);
    va_end(list);
    m->report(m->report_arg, &v);
}

static void in_reset(pcix_monitor *m)
{
    if (m->reset_low == 0) m->reset_low = m->now.clock;
    m->reset_rise = 0;
    m->running = m->frame_up = false;
    m->tail_initiator = m->tail_target = -1;
    m->bad_data = m->bad_address = 0;
    m->muted = false;
    m->gnt_owner = -1;
    mon_sequence_reset(m);
    if (m->now.clock < m->reset_low + 2) /* RST# has to reach the output enables */
        return;
    for (int i = 0; i < pcix_bus_agents(m->bus); i++)
        if (!m->agents[i].bridge && m->now.oe[i] != 0) mon_violate(m, PCIX_RULE_RESET_FLOAT, "%s", mon_name(m, i));
}

static void unmute(pcix_monitor *m)
{
    if (!m->muted) return;
    m->quiet = m->now.phase == PCIX_PH_IDLE ? m->quiet + 1 : 0;
    if (m->now.phase == PCIX_PH_ADDRESS || m->quiet >= QUIET) m->muted = false;
}

/* Nothing is driven, or the parked agent keeps driving what was checked in the clock before. */
static bool still(const pcix_monitor *m, const pcix_sample *s)
{
    const pcix_sample *b = &m->now;
    const unsigned parked = PCIX_OE_AD | PCIX_OE_CBE | PCIX_BIT(PCIX_PAR) | PCIX_BIT(PCIX_PAR64);
    if ((s->driven | b->driven) == 0) return true;
    return ((s->driven | b->driven) & ~parked) == 0 && s->ad == b->ad && s->cbe == b->cbe && s->level == b->level &&
           s->gnt_n == pcix_bus_at(m->bus, s->clock - 2)->gnt_n && memcmp(s->oe, b->oe, sizeof s->oe) == 0;
}

/* Nothing happens in this clock, and nothing of before is due in it. */
static bool quiet(const pcix_monitor *m, const pcix_sample *s)
{
    return still(m, s) && s->gnt_n == m->now.gnt_n && !m->running && m->tail_initiator < 0 && !m->muted && s->rst_n &&
           m->reset_rise != 0 && ((m->bad_data | m->bad_address) & 0xff) == 0 && s->clock < m->next_look;
}

/* In the middle of a burst, in which all continue as in the clock before: only data, C/BE# and parity can be wrong. */
static bool steady(const pcix_monitor *m)
{
    static const pcix_sample control = {.level = PCIX_PULLED_UP & ~(PCIX_BIT(PCIX_PAR) | PCIX_BIT(PCIX_PAR64)),
                                        .gnt_n = 0xffff};
    const pcix_sample *s = &m->now, *b = &m->before;
    return s->phase == PCIX_PH_DATA && b->phase == PCIX_PH_DATA && ((s->wires ^ b->wires) & control.wires) == 0 &&
           s->index >= 3 && s->index + 3u < m->seen_plan && m->running && !m->frame_up && !m->muted &&
           m->tail_initiator < 0 && memcmp(s->oe, b->oe, sizeof s->oe) == 0;
}

static void watch(void *self, const pcix_sample *s)
{
    pcix_monitor *m = self;
    if (quiet(m, s)) {
        m->now.clock = s->clock;
        return;
    }
    m->agent_count = pcix_bus_agents(m->bus);
    m->before = m->now;
    m->now = *s;
    if (pcix_bus_flipped(m->bus) == s->clock) {
        const pcix_flip *f = pcix_bus_flip_at(m->bus, s->clock);
        m->now.ad ^= f->ad;
        m->now.cbe ^= f->cbe;
        m->now.level ^= f->level;
    }
    if (steady(m)) {
        mon_enables(m);
        mon_timer(m);
        mon_parity(m);
        return;
    }
    if (!s->rst_n) {
        in_reset(m);
        return;
    }
    if (m->reset_rise == 0) {
        m->reset_rise = s->clock;
        m->reset_low = 0;
    }
    unmute(m);
    mon_drive(m);
    mon_grants(m);
    mon_tail(m);
    if (s->phase == PCIX_PH_ADDRESS) {
        mon_start(m);
        mon_address(m);
    } else if (s->phase == PCIX_PH_ADDRESS2) {
        mon_address(m);
    } else if (s->phase == PCIX_PH_ATTRIBUTE) {
        mon_attribute(m);
    }
    if (m->running) {
        mon_target(m);
        mon_initiator(m);
        if (s->phase == PCIX_PH_IDLE) mon_end(m);
    } else {
        mon_idle(m);
    }
    mon_parity(m);
    if (s->clock >= m->next_look) mon_sequence_look(m);
}

pcix_monitor *pcix_monitor_new(pcix_bus *bus)
{
    pcix_monitor *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    m->bus = bus;
    m->tracker = pcix_bus_tracker(bus);
    m->t = pcix_tracker_now(m->tracker);
    m->tail_initiator = m->tail_target = m->gnt_owner = -1;
    m->bus_number = -1;
    if (pcix_bus_add_watcher(bus, watch, m) < 0) {
        free(m);
        return NULL;
    }
    return m;
}

void pcix_monitor_free(pcix_monitor *m) { free(m); }

void pcix_monitor_on_violation(pcix_monitor *m, void (*fn)(void *arg, const pcix_violation *v), void *arg)
{
    m->report = fn;
    m->report_arg = arg;
}

void pcix_monitor_set_agent(pcix_monitor *m, int agent, unsigned id, unsigned command)
{
    struct mon_agent *a = &m->agents[agent];
    a->id_known = a->command_known = true;
    a->id = id;
    a->command = command;
}

void pcix_monitor_set_bridge(pcix_monitor *m, int agent, int bus_number, bool parity_response)
{
    pcix_monitor_set_agent(m, agent, PCIX_ID(bus_number, 0, 0), 0x4 | (parity_response ? 0x140u : 0));
    m->agents[agent].bridge = true;
    m->bus_number = bus_number;
}

void pcix_monitor_set_capability(pcix_monitor *m, int agent, int offset) { m->agents[agent].capability = offset; }
void pcix_monitor_enable(pcix_monitor *m, int rule, bool on) { m->off[rule] = !on; }
unsigned pcix_monitor_missing(const pcix_monitor *m) { return m->missing; }
uint64_t pcix_monitor_violations(const pcix_monitor *m) { return m->violations; }

void pcix_monitor_expect(pcix_monitor *m, int rule)
{
    m->expected[rule]++;
    m->missing++;
}
