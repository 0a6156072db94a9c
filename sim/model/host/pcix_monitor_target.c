/* Monitor: the target's answer (pcix.md 4, 5, 8.1). Called for every clock of a running transaction, before
 * mon_initiator. */
#include "sim/model/host/pcix_monitor_private.h"

static void early(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    for (int i = 0; i < PCIX_AGENTS; i++)
        if (s->oe[i] & MON_TARGET)
            mon_violate(m, PCIX_RULE_TARGET_EARLY, "%s by %s", pcix_signal_name(__builtin_ctz(s->oe[i] & MON_TARGET)),
                        mon_name(m, i));
}

/* First clock with DEVSEL# low. */
static void claimed(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    const pcix_transaction *t = m->t;
    uint64_t after = s->clock - t->address_clock;
    unsigned need = PCIX_OE_TARGET;
    if (after != 2 && after != 3 && after != 4 && after != 6)
        mon_violate(m, PCIX_RULE_DEVSEL_WINDOW, "%s at A+%u", mon_name(m, t->target), (unsigned)after);
    if (t->command == PCIX_SPECIAL || t->command == PCIX_RESERVED4 || t->command == PCIX_RESERVED5)
        mon_violate(m, PCIX_RULE_DEVSEL_COMMAND, "%s: %s", mon_name(m, t->target), pcix_command_name(t->command));
    if (t->target == t->initiator) mon_violate(m, PCIX_RULE_TARGET_SELF, "%s", mon_name(m, t->target));
    if (pcix_low(s, PCIX_TRDY) || pcix_low(s, PCIX_STOP))
        mon_violate(m, PCIX_RULE_RESPONSE_EARLY, "%s", mon_name(m, t->target));
    if (t->target >= 0 && (s->oe[t->target] & need) != need)
        mon_violate(m, PCIX_RULE_TARGET_DRIVE, "%s", mon_name(m, t->target));
    if (t->ack64 && !t->req64) mon_violate(m, PCIX_RULE_ACK64_ALONE, "%s", mon_name(m, t->target));
    if (t->command == PCIX_SPLIT_COMPLETION) mon_completion_claim(m);
}

/* Is this way to answer allowed for the command? (5.6) */
static bool allowed(const pcix_monitor *m, int end)
{
    const pcix_transaction *t = m->t;
    bool bridge = t->target >= 0 && m->agents[t->target].bridge;
    if (t->command == PCIX_SPLIT_COMPLETION)
        return end == PCIX_END_COUNT || end == PCIX_END_TARGET_ABORT ||
               (bridge && (end == PCIX_END_TARGET || end == PCIX_END_RETRY));
    if (end == PCIX_END_SPLIT) return !pcix_is_memory_write(t->command);
    if (end == PCIX_END_TARGET) return !pcix_is_dword(t->command);
    return true;
}

/* The first response after DEVSEL#. */
static void first_response(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    const pcix_transaction *t = m->t;
    bool devsel = pcix_low(s, PCIX_DEVSEL), trdy = pcix_low(s, PCIX_TRDY), stop = pcix_low(s, PCIX_STOP);
    unsigned after = (unsigned)(s->clock - t->start);
    int end = !trdy    ? (devsel ? PCIX_END_RETRY : PCIX_END_TARGET_ABORT)
              : devsel ? (stop ? PCIX_END_TARGET : PCIX_END_COUNT)
                       : (stop ? PCIX_END_SINGLE : PCIX_END_SPLIT);
    if (!trdy && !stop) {
        mon_violate(m, PCIX_RULE_RESPONSE_LOST, "%s", mon_name(m, t->target));
        return;
    }
    if (!allowed(m, end))
        mon_violate(m, PCIX_RULE_RESPONSE_COMMAND, "%s to %s by %s", pcix_end_name(end), pcix_command_name(t->command),
                    mon_name(m, t->target));
    bool data = s->phase == PCIX_PH_DATA;
    if (!data && after > 7) mon_violate(m, PCIX_RULE_LATENCY_END, "%s after %u clocks", pcix_end_name(end), after);
    if (data && after > 15) mon_violate(m, PCIX_RULE_LATENCY_DATA, "%u clocks", after);
    if (data && ((s->clock - t->devsel - 1) & 1) &&
        (pcix_is_memory_write(t->command) || t->command == PCIX_SPLIT_COMPLETION))
        mon_violate(m, PCIX_RULE_WAIT_PAIR, "%u by %s", (unsigned)(s->clock - t->devsel - 1), mon_name(m, t->target));
    if (end == PCIX_END_SPLIT && pcix_is_read(t->command)) {
        uint64_t lines = t->ack64 ? ~0ull : 0xffffffffull;
        if ((s->ad & lines) != lines || !mon_drives(s, t->target, PCIX_BIT(PCIX_AD)))
            mon_violate(m, PCIX_RULE_SPLIT_ONES, "%016llx", (unsigned long long)s->ad);
    }
}

static void later_response(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    bool devsel = pcix_low(s, PCIX_DEVSEL), trdy = pcix_low(s, PCIX_TRDY), stop = pcix_low(s, PCIX_STOP);
    const char *target = mon_name(m, m->t->target);
    if (!devsel && stop && !trdy) return; /* Target-Abort: any phase */
    if ((!devsel && trdy) || (devsel && stop && !trdy)) mon_violate(m, PCIX_RULE_RESPONSE_LATER, "%s", target);
    else if (!trdy) mon_violate(m, PCIX_RULE_TARGET_WAIT, "%s", target);
    else if (m->stop_seen && !stop) mon_violate(m, PCIX_RULE_STOP_STICKY, "%s", target);
}

static void ack64(pcix_monitor *m, bool responding)
{
    const pcix_sample *s = &m->now;
    const pcix_transaction *t = m->t;
    bool low = pcix_low(s, PCIX_ACK64), devsel = pcix_low(s, PCIX_DEVSEL);
    if (low ? !t->ack64 || (!devsel && !responding) : t->ack64 && devsel)
        mon_violate(m, t->req64 ? PCIX_RULE_ACK64_DEVSEL : PCIX_RULE_ACK64_ALONE, "%s", mon_name(m, t->target));
}

static void over(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    unsigned low = ~(unsigned)s->level & MON_TARGET;
    if (low != 0) mon_violate(m, PCIX_RULE_TARGET_STOP, "%s", pcix_signal_name(__builtin_ctz(low)));
    if (s->clock > m->target_end + 1 && mon_drives(s, m->t->target, MON_TARGET))
        mon_violate(m, PCIX_RULE_STS_RELEASE, "by the target %s", mon_name(m, m->t->target));
}

void mon_target(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    const pcix_transaction *t = m->t;
    uint64_t n = s->clock;

    if (t->devsel == 0) {
        if (s->driven & MON_TARGET) early(m);
        return;
    }
    for (int i = 0; i < m->agent_count; i++)
        if (i != t->target && (s->oe[i] & MON_TARGET)) mon_violate(m, PCIX_RULE_TARGET_ONLY, "%s", mon_name(m, i));
    if (n == t->devsel) {
        claimed(m);
        return;
    }
    if (m->target_end != 0 && n > m->target_end) {
        over(m);
        return;
    }
    if (s->phase == PCIX_PH_WAIT) {
        if (n > t->start + 15) mon_violate(m, PCIX_RULE_LATENCY_DATA, "%s", mon_name(m, t->target));
    } else if (n == t->response) {
        first_response(m);
    } else {
        later_response(m);
    }
    ack64(m, n == t->response || s->phase == PCIX_PH_TERMINATE);
    m->stop_seen |= pcix_low(s, PCIX_STOP) && s->phase == PCIX_PH_DATA;
    if (s->phase == PCIX_PH_TERMINATE) m->target_end = n;
    else if (s->phase == PCIX_PH_DATA &&
             (t->data_phases > pcix_tracker_last_index(m->tracker) || t->end == PCIX_END_SINGLE))
        m->target_end = n;
}
