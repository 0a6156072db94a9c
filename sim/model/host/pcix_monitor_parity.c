/* Monitor: PAR and PAR64 one clock after AD, PERR# and SERR# three clocks after the error (pcix.md section 10). */
#include "sim/model/host/pcix_monitor_private.h"

enum { SERR_WINDOW = 64, BOTH_ENABLES = 0x140 /* parity response and SERR# enable in the command register */ };

/* PAR of the clock before: driven by the right agent, with the right value. */
static void half(pcix_monitor *m, int ad, int par, bool meaningful)
{
    const pcix_sample *s = &m->now, *b = &m->before;
    bool upper = par == PCIX_PAR64;
    if (!((b->driven >> ad | s->driven >> par) & 1)) return;
    for (int i = 0; i < m->agent_count; i++)
        if ((b->oe[i] >> ad ^ s->oe[i] >> par) & 1) {
            mon_violate(m, PCIX_RULE_PAR_DRIVE, "%s by %s, AD by %s", pcix_signal_name(par),
                        mon_name(m, pcix_driver(s, par)), mon_name(m, pcix_driver(b, ad)));
            return;
        }
    if (meaningful && ((pcix_parity(b->ad, b->cbe) << PCIX_PAR ^ s->level) & PCIX_BIT(par)))
        mon_violate(m, upper ? PCIX_RULE_PAR64_VALUE : PCIX_RULE_PAR_VALUE, "clock before: %s",
                    pcix_phase_name(b->phase));
}

/* Both halves together: driven by whom they should be, and with the right values? Then half() need not look. */
static bool fine(const pcix_monitor *m)
{
    const pcix_sample *s = &m->now, *b = &m->before;
    unsigned wrong = pcix_parity(b->ad, b->cbe) ^ s->level >> PCIX_PAR;
    wrong &= b->driven >> PCIX_AD | s->driven >> PCIX_PAR;
    for (int i = 0; i < m->agent_count; i++) wrong |= (unsigned)(b->oe[i] >> PCIX_AD ^ s->oe[i] >> PCIX_PAR);
    return (wrong & 3) == 0;
}

/* Did those who sampled the clock before and this one see wrong parity? Only electrical faults can cause that. */
static bool seen_bad(const pcix_monitor *m)
{
    uint64_t n = m->now.clock;
    if (n - pcix_bus_flipped(m->bus) > 1) return false;
    const pcix_sample *b = pcix_bus_at(m->bus, n - 1), *s = pcix_bus_at(m->bus, n);
    unsigned halves = b->phase == PCIX_PH_DATA && m->t->req64 && m->t->ack64 ? 3 : 1;
    return ((pcix_parity(b->ad, b->cbe) ^ s->level >> PCIX_PAR) & halves) != 0;
}

static bool enabled(const pcix_monitor *m, int agent, unsigned bits)
{
    return agent >= 0 && m->agents[agent].command_known && (m->agents[agent].command & bits) == bits;
}

static void check_perr(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    bool low = pcix_low(s, PCIX_PERR), bad = m->bad_data >> 2 & 1;
    int receiver = m->receiver[(s->clock - 3) & 3];
    if (!low && !bad) return;
    if (low && (!bad || pcix_driver(s, PCIX_PERR) != receiver ||
                (m->agents[receiver].command_known && !(m->agents[receiver].command & 0x40))))
        mon_violate(m, PCIX_RULE_PERR_SPURIOUS, "%s", mon_name(m, pcix_driver(s, PCIX_PERR)));
    else if (!low && enabled(m, receiver, 0x40)) mon_violate(m, PCIX_RULE_PERR_MISSING, "%s", mon_name(m, receiver));
}

static void check_serr(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    bool low = pcix_low(s, PCIX_SERR), bad = m->bad_address >> 2 & 1;
    if (low && (m->last_error == 0 || s->clock > m->last_error + SERR_WINDOW))
        mon_violate(m, PCIX_RULE_SERR_SPURIOUS, "%s", mon_name(m, pcix_driver(s, PCIX_SERR)));
    if (low || !bad) return;
    for (int i = 0; i < pcix_bus_agents(m->bus); i++)
        if (i != m->t->initiator && enabled(m, i, BOTH_ENABLES)) {
            mon_violate(m, PCIX_RULE_SERR_MISSING, "%s", mon_name(m, i));
            return;
        }
}

void mon_parity(pcix_monitor *m)
{
    const pcix_sample *b = &m->before;
    const pcix_transaction *t = m->t;
    bool read = !mon_writes(m);
    if (!fine(m)) {
        bool waiting = b->phase == PCIX_PH_WAIT || b->phase == PCIX_PH_RESPONSE;
        half(m, PCIX_AD, PCIX_PAR, !(waiting && read));
        half(m, PCIX_AD64, PCIX_PAR64, !(waiting && read) && !(t->devsel != 0 && !t->ack64));
    }

    unsigned bad_data = 0, bad_address = 0;
    if (seen_bad(m)) {
        bad_data = b->phase == PCIX_PH_DATA;
        /* an attribute phase concerns the agent that answers; it may not have answered yet, or no target may */
        bad_address = b->phase == PCIX_PH_ADDRESS || b->phase == PCIX_PH_ADDRESS2;
        m->last_error = b->clock;
    }
    m->receiver[b->clock & 3] = (int8_t)(read ? t->initiator : t->target);
    m->bad_data = m->bad_data << 1 | bad_data;
    m->bad_address = m->bad_address << 1 | bad_address;
    check_perr(m);
    check_serr(m);
}
