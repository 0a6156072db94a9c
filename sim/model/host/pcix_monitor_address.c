/* Monitor: what the address and attribute phases contain (pcix.md 2, 6, 8.2). */
#include "sim/model/host/pcix_monitor_private.h"

static void upper_halves(pcix_monitor *m)
{
    const pcix_sample *s = &m->now, *b = &m->before;
    unsigned both = PCIX_BIT(PCIX_AD64) | PCIX_BIT(PCIX_CBE64);
    if (s->phase == PCIX_PH_ADDRESS2) {
        unsigned command = s->cbe & 15;
        if (!m->t->req64 || (s->driven & both) != both || (b->driven & both) != both) return;
        if (s->ad >> 32 != (s->ad & 0xffffffffu) || b->ad >> 32 != s->ad >> 32 || s->cbe >> 4 != command ||
            b->cbe >> 4 != (int)command)
            mon_violate(m, PCIX_RULE_UPPER_DAC, "%s", mon_name(m, m->t->initiator));
    } else if (!m->t->dac || s->phase == PCIX_PH_ATTRIBUTE) {
        if (s->ad >> 32 != 0xffffffffu || s->cbe >> 4 != 15)
            mon_violate(m, PCIX_RULE_UPPER_HIGH, "%s, %s phase", mon_name(m, m->t->initiator),
                        pcix_phase_name(s->phase));
    }
}

static void config_address(pcix_monitor *m)
{
    uint32_t a = (uint32_t)m->now.ad;
    unsigned select = a >> 16, device = a >> 11 & 31;
    if (select == 0 || (select & (select - 1)) != 0 || device != (unsigned)__builtin_ctz(select) || (a & 3) != 0)
        mon_violate(m, PCIX_RULE_CONFIG_ADDRESS, "%08x", a);
}

/* Called for both address phases of a dual address cycle, for the only one otherwise. */
void mon_address(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    int command = s->cbe & 15, who = m->t->initiator;
    bool second = s->phase == PCIX_PH_ADDRESS2;

    upper_halves(m);
    if (m->t->dac && !second) return;
    if (command == PCIX_RESERVED4 || command == PCIX_RESERVED5 || command == PCIX_ALIAS_READ ||
        command == PCIX_ALIAS_WRITE || command == PCIX_DUAL_ADDRESS)
        mon_violate(m, PCIX_RULE_COMMAND, "%X by %s", (unsigned)command, mon_name(m, who));
    if (second && !pcix_is_memory_write(command) && !pcix_is_memory_read(command))
        mon_violate(m, PCIX_RULE_DAC_COMMAND, "%s by %s", pcix_command_name(command), mon_name(m, who));
    if (second && (s->ad & 0xffffffffu) == 0) mon_violate(m, PCIX_RULE_DAC_ZERO, "%s", mon_name(m, who));
    if (pcix_is_dword(command) && m->t->req64)
        mon_violate(m, PCIX_RULE_REQ64_COMMAND, "%s by %s", pcix_command_name(command), mon_name(m, who));
    if (pcix_is_config(command)) config_address(m);
    if (who >= 0 && command != PCIX_SPLIT_COMPLETION && m->agents[who].command_known && !(m->agents[who].command & 4))
        mon_violate(m, PCIX_RULE_BUS_MASTER, "%s", mon_name(m, who));
}

static void requester_attribute(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    uint32_t a = t->attribute;
    bool config = pcix_is_config(t->command), io = t->command == PCIX_IO_READ || t->command == PCIX_IO_WRITE;
    uint32_t reserved = 0x80000000u;
    if (config || io) reserved |= 0x60000000u;
    if (pcix_is_dword(t->command) && !config) reserved |= 0xff;
    if (a & reserved) mon_violate(m, PCIX_RULE_ATTRIBUTE_RESERVED, "%08x by %s", a, mon_name(m, t->initiator));
    if (t->initiator >= 0) {
        const struct mon_agent *g = &m->agents[t->initiator];
        if (g->id_known && (a >> 8 & 0xffff) != g->id)
            mon_violate(m, PCIX_RULE_REQUESTER_ID, "%04x instead of %04x by %s", a >> 8 & 0xffff, g->id,
                        mon_name(m, t->initiator));
    }
    if (config && m->bus_number >= 0 && (a & 0xff) != (unsigned)m->bus_number)
        mon_violate(m, PCIX_RULE_CONFIG_BUS, "%u", a & 0xff);
}

void mon_attribute(pcix_monitor *m)
{
    upper_halves(m);
    if (m->t->initiator < 0) return;
    if (m->t->command == PCIX_SPLIT_COMPLETION) {
        mon_completion_attribute(m);
    } else {
        requester_attribute(m);
        mon_sequence_attribute(m);
    }
}
