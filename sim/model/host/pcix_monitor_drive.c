/* Monitor: drivers, release of signals, arbitration, and the start of transactions (pcix.md 1.1, 3.5, 6.4, 9). */
#include <string.h>

#include "sim/model/host/pcix_monitor_private.h"

enum { STEPS = 4, HOLD = 5, AFTER_RESET = 5, PATTERN = 6 };

static const pcix_sample *ago(const pcix_monitor *m, unsigned clocks)
{
    return pcix_bus_at(m->bus, m->now.clock - clocks);
}

/* One driver per signal, a clock between two drivers, high before release. */
void mon_drive(pcix_monitor *m)
{
    const pcix_sample *s = &m->now, *b = &m->before;
    if (pcix_bus_conflict(m->bus) != 0) {
        int signal = __builtin_ctz(pcix_bus_conflict(m->bus));
        mon_violate(m, PCIX_RULE_ONE_DRIVER, "%s", pcix_signal_name(signal));
    }
    if (memcmp(s->oe, b->oe, sizeof s->oe) == 0) return;
    for (int i = 0; i < PCIX_AGENTS; i++) {
        unsigned taken = s->oe[i] & ~(unsigned)b->oe[i] & b->driven & ~PCIX_BIT(PCIX_SERR);
        unsigned left = b->oe[i] & ~(unsigned)s->oe[i] & MON_STS & ~(unsigned)b->level;
        if (taken != 0)
            mon_violate(m, PCIX_RULE_TURNAROUND, "%s by %s", pcix_signal_name(__builtin_ctz(taken)), mon_name(m, i));
        if (left != 0)
            mon_violate(m, PCIX_RULE_STS_HIGH, "%s by %s", pcix_signal_name(__builtin_ctz(left)), mon_name(m, i));
    }
}

/* Signals that must be released after the end of a transaction: each control signal in the clock after its high level.
 */
void mon_tail(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    uint64_t n = s->clock;
    unsigned late = 0;
    int who = m->tail_initiator;
    if (who < 0) return;
    if (n == m->tail_frame + 1) late |= s->oe[who] & (PCIX_BIT(PCIX_FRAME) | PCIX_BIT(PCIX_REQ64));
    if (n == m->tail_irdy + 1) late |= s->oe[who] & PCIX_BIT(PCIX_IRDY);
    if (late == 0 && m->tail_target >= 0 && n == m->tail_target_end + 2) {
        who = m->tail_target;
        late |= s->oe[who] & MON_TARGET;
    }
    if (late != 0)
        mon_violate(m, PCIX_RULE_STS_RELEASE, "%s by %s", pcix_signal_name(__builtin_ctz(late)), mon_name(m, who));
    if (n > m->tail_irdy + 1 && n > m->tail_target_end + 2) m->tail_initiator = m->tail_target = -1;
}

/* A clock in which no transaction runs. */
void mon_idle(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    uint64_t n = s->clock;
    if (s->driven == 0) return;
    for (int i = 0; i < PCIX_AGENTS; i++) {
        unsigned control = s->oe[i] & (MON_INITIATOR | MON_TARGET);
        if (m->agents[i].bridge && n < m->reset_rise + PATTERN)
            control &= ~(PCIX_OE_TARGET | PCIX_BIT(PCIX_REQ64)); /* the mode pattern is being held and released (1.2) */
        if (i == m->tail_initiator && n <= m->tail_irdy) control &= ~(unsigned)MON_INITIATOR;
        if (i == m->tail_target && n <= m->tail_target_end + 1) control &= ~(unsigned)MON_TARGET;
        if (control != 0)
            mon_violate(m, PCIX_RULE_IDLE_CONTROL, "%s by %s", pcix_signal_name(__builtin_ctz(control)),
                        mon_name(m, i));
        if ((s->oe[i] & (PCIX_OE_AD | PCIX_OE_CBE)) && (ago(m, 2)->gnt_n >> i & 1))
            mon_violate(m, PCIX_RULE_IDLE_AD, "%s", mon_name(m, i));
    }
}

void mon_grants(pcix_monitor *m)
{
    const pcix_sample *s = &m->now, *b = &m->before;
    unsigned low = (unsigned)~s->gnt_n & 0xffff, was = (unsigned)~b->gnt_n & 0xffff;
    if (low == was) return;
    if (low & (low - 1)) mon_violate(m, PCIX_RULE_GNT_ONE, "%s and others", mon_name(m, __builtin_ctz(low)));
    bool idle = s->phase == PCIX_PH_IDLE && b->phase == PCIX_PH_IDLE;
    if (low != 0 && was != 0 && idle)
        mon_violate(m, PCIX_RULE_GNT_GAP, "from %s to %s", mon_name(m, __builtin_ctz(was)),
                    mon_name(m, __builtin_ctz(low)));
    if (was != 0 && m->gnt_owner >= 0 && s->clock < m->gnt_since + HOLD) {
        bool asking = true, unused = true;
        for (uint64_t k = 0; k <= s->clock - m->gnt_since; k++) {
            asking &= !(ago(m, (unsigned)k)->req_n >> m->gnt_owner & 1);
            unused &= ago(m, (unsigned)k)->phase == PCIX_PH_IDLE;
        }
        if (asking && unused) mon_violate(m, PCIX_RULE_GNT_HOLD, "%s", mon_name(m, m->gnt_owner));
    }
    m->gnt_owner = low != 0 ? __builtin_ctz(low) : -1;
    m->gnt_since = s->clock;
}

static bool may_start(const pcix_monitor *m, unsigned clocks)
{
    const pcix_sample *two = ago(m, clocks + 2), *three = ago(m, clocks + 3);
    return pcix_idle(two) || (!pcix_low(three, PCIX_FRAME) && pcix_low(three, PCIX_IRDY));
}

static void check_steps(pcix_monitor *m, int who)
{
    for (unsigned k = 1; k <= STEPS; k++) {
        const pcix_sample *s = ago(m, k);
        unsigned need = PCIX_BIT(PCIX_AD) | PCIX_BIT(PCIX_CBE);
        if (s->phase != PCIX_PH_IDLE || (s->oe[who] & need) != need || (uint32_t)(s->ad ^ m->now.ad) != 0 ||
            ((s->cbe ^ m->now.cbe) & 15)) {
            mon_violate(m, PCIX_RULE_STEP, "%s, %u clocks before FRAME#", mon_name(m, who), k);
            return;
        }
    }
    if (ago(m, 2)->gnt_n >> who & 1) mon_violate(m, PCIX_RULE_STEP_GNT, "%s", mon_name(m, who));
}

/* First address phase. */
void mon_start(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    int who = m->t->initiator;
    m->running = true;
    m->frame_up = m->stop_seen = false;
    m->frame_latest = m->irdy_due = m->target_end = 0;
    m->seen_plan = ~0u;
    m->timer_out = 0;
    m->timer_due = UINT64_MAX;
    if (who < 0) return;
    if (m->agents[who].timer_known) m->timer_due = s->clock + m->agents[who].latency_timer;
    bool config = pcix_is_config(s->cbe & 15);
    unsigned first = config ? STEPS : 0;
    if (config) check_steps(m, who);
    if (ago(m, first + 2)->gnt_n >> who & 1) mon_violate(m, PCIX_RULE_START_GNT, "%s", mon_name(m, who));
    if (!may_start(m, first)) mon_violate(m, PCIX_RULE_START_IDLE, "%s", mon_name(m, who));
    if (s->clock < m->reset_rise + AFTER_RESET) mon_violate(m, PCIX_RULE_RESET_START, "%s", mon_name(m, who));
}
