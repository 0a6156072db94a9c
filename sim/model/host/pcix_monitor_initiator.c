/* Monitor: FRAME#, IRDY#, REQ64#, AD and C/BE# of the running transaction (pcix.md 3 and 8). Called for every clock
 * from the first address phase to the clock in which FRAME# and IRDY# are both high again. */
#include "sim/model/host/pcix_monitor_private.h"

enum { TIMER_SLACK = 2 };

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t sooner(uint64_t a, uint64_t b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/* Terminations of all kinds end the initiator two clocks later, unless it ends sooner anyway. */
static void ends_by(pcix_monitor *m, uint64_t clock)
{
    m->frame_latest = sooner(m->frame_latest, clock);
    m->irdy_due = sooner(m->irdy_due, clock);
}

/* Determines when FRAME# and IRDY# are due to rise (3.5). */
static void expect_end(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    uint64_t n = m->now.clock;
    if (t->devsel == 0 && n == t->address_clock + 6 && m->irdy_due == 0) {
        ends_by(m, n + 2);
    } else if (m->now.phase == PCIX_PH_TERMINATE) {
        ends_by(m, n + 2);
    } else if (m->now.phase == PCIX_PH_DATA) {
        unsigned plan = pcix_tracker_planned_index(m->tracker);
        if (plan == m->seen_plan) return;
        m->seen_plan = plan;
        if (m->frame_up) return;
        m->frame_latest = t->response + later(plan, 3) - 1;
        if (plan <= 2) m->irdy_due = t->response + later(plan + 1, 2);
    }
}

/* FRAME# rises before it has to: only right before an ADB (5.5). A Target-Abort of this clock or the one before comes
 * too late to matter. */
static void early_end(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    uint64_t n = m->now.clock;
    bool moves = m->now.phase == PCIX_PH_DATA || (m->target_end != 0 && n <= m->target_end + 1);
    if (t->devsel == 0 || t->first_data == 0 || n < t->response + 2 || !moves) {
        mon_violate(m, t->devsel == 0 && n > t->address_clock + 6 ? PCIX_RULE_MASTER_ABORT : PCIX_RULE_FRAME_EARLY,
                    "%s", mon_name(m, t->initiator));
        return;
    }
    unsigned phases = (unsigned)(n - t->response) + 2;
    if (pcix_phases_to_adb(t->address, mon_width(m), phases) != phases)
        mon_violate(m, PCIX_RULE_ADB_END, "%s ends after %u data phases", mon_name(m, t->initiator), phases);
}

static void frame(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    uint64_t n = m->now.clock;
    bool low = pcix_low(&m->now, PCIX_FRAME);
    if (m->frame_up) {
        if (low) mon_violate(m, PCIX_RULE_FRAME_EARLY, "and falls again");
        return;
    }
    bool unanswered = t->devsel == 0 && n >= t->address_clock + 7;
    if (low) {
        if (m->frame_latest != 0 && n >= m->frame_latest)
            mon_violate(m, unanswered ? PCIX_RULE_MASTER_ABORT : PCIX_RULE_FRAME_LATE, "%s", mon_name(m, t->initiator));
        return;
    }
    m->frame_up = true;
    m->tail_frame = n;
    m->tail_initiator = t->initiator;
    if (m->frame_latest == 0 || n < m->frame_latest) early_end(m);
    if (t->first_data != 0 && m->now.phase == PCIX_PH_DATA)
        m->irdy_due = sooner(m->irdy_due, t->response + later(pcix_tracker_last_index(m->tracker) + 1, 2));
}

static void irdy(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    uint64_t n = m->now.clock;
    bool low = pcix_low(&m->now, PCIX_IRDY);
    if (n <= t->address_clock + 2) {
        if (low) mon_violate(m, PCIX_RULE_IRDY_START, "%s", mon_name(m, t->initiator));
    } else if (low) {
        if (m->irdy_due != 0 && n >= m->irdy_due)
            mon_violate(m, t->devsel == 0 ? PCIX_RULE_MASTER_ABORT : PCIX_RULE_IRDY_END, "%s",
                        mon_name(m, t->initiator));
    } else if (n != m->irdy_due) {
        mon_violate(m, n == t->address_clock + 3 ? PCIX_RULE_IRDY_START : PCIX_RULE_IRDY_WAIT, "%s",
                    mon_name(m, t->initiator));
    }
}

/* AD and C/BE#: driven by the right agent, as long as needed and no longer. */
static void owners(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    const pcix_transaction *t = m->t;
    uint64_t n = s->clock;
    int who = t->initiator;
    bool ended = m->irdy_due != 0 && n >= m->irdy_due;
    bool sends = n <= t->address_clock + 1 || (mon_writes(m) && !ended); /* the initiator's turn on AD */
    for (int i = 0; i < m->agent_count; i++) {
        unsigned oe = s->oe[i];
        if (oe == 0 || i == who) continue;
        if (oe & (MON_INITIATOR | PCIX_OE_CBE)) mon_violate(m, PCIX_RULE_INITIATOR_ONLY, "%s", mon_name(m, i));
        if (!(oe & PCIX_OE_AD)) continue;
        bool reply =
            !mon_writes(m) && i == t->target && n >= t->address_clock + 3 && (m->target_end == 0 || n <= m->target_end);
        if (!reply) mon_violate(m, PCIX_RULE_AD_OWNER, "%s", mon_name(m, i));
    }
    if (who < 0) return;
    if (ended) {
        if (s->oe[who] & (PCIX_OE_AD | PCIX_OE_CBE))
            mon_violate(m, PCIX_RULE_INITIATOR_RELEASE, "%s", mon_name(m, who));
        return;
    }
    if (!sends && (s->oe[who] & PCIX_OE_AD)) mon_violate(m, PCIX_RULE_AD_OWNER, "%s", mon_name(m, who));
    unsigned need = PCIX_BIT(PCIX_CBE) | (sends ? PCIX_BIT(PCIX_AD) : 0);
    if (t->req64 && n > t->address_clock + 1 && (t->devsel == 0 || t->ack64))
        need |= PCIX_BIT(PCIX_CBE64) | (sends ? PCIX_BIT(PCIX_AD64) : 0);
    if ((s->oe[who] & need) != need) mon_violate(m, PCIX_RULE_AD_DRIVEN, "by the initiator %s", mon_name(m, who));
    if (s->phase == PCIX_PH_DATA && !sends) {
        need = PCIX_BIT(PCIX_AD) | (t->ack64 ? PCIX_BIT(PCIX_AD64) : 0);
        if (!mon_drives(s, t->target, need) || (s->oe[t->target] & need) != need)
            mon_violate(m, PCIX_RULE_AD_DRIVEN, "by the target %s", mon_name(m, t->target));
    }
}

/* Bytes of this data phase below the start or after the end must be disabled (3.3). */
static void byte_enables(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    unsigned width = mon_width(m), index = m->now.index, enables = m->now.cbe;
    int64_t first = (int64_t)index * width - (int64_t)(t->address & (width - 1));
    if (first >= 0 && first + width <= (int64_t)t->byte_count) return;
    unsigned outside = 0;
    for (unsigned lane = 0; lane < width; lane++)
        if (first + lane < 0 || first + lane >= (int64_t)t->byte_count) outside |= 1u << lane;
    if (width == 8 && index == 0 && (t->address & 4) && (enables & 15) == enables >> 4)
        outside &= ~15u; /* the odd DWORD may show on both halves (8.3) */
    if ((enables & outside) != outside) mon_violate(m, PCIX_RULE_BYTE_ENABLES, "data phase %u", index);
}

void mon_enables(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    const pcix_transaction *t = m->t;
    uint64_t n = s->clock;
    if (n < t->address_clock + 2 || (m->irdy_due != 0 && n >= m->irdy_due)) return;
    if (t->command == PCIX_MEMORY_WRITE) {
        if (s->phase == PCIX_PH_DATA) byte_enables(m);
    } else if (s->cbe != 0xff) {
        mon_violate(m, PCIX_RULE_CBE_HIGH, "%02x", s->cbe);
    }
}

/* With the timer expired and GNT# high the initiator leaves at the next ADB it can still make (5.5): its FRAME# rises
 * two clocks after it has seen both at the earliest, one data phase before the last. TIMER_SLACK is what a slower
 * decision may take. */
void mon_timer(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    const pcix_transaction *t = m->t;
    if (s->clock < m->timer_due || m->frame_up || s->phase != PCIX_PH_DATA || pcix_is_dword(t->command)) return;
    if (!(s->gnt_n >> t->initiator & 1)) {
        m->timer_out = 0;
        return;
    }
    if (m->timer_out == 0) m->timer_out = s->clock;
    uint64_t seen = m->timer_out > t->response ? m->timer_out : t->response;
    unsigned last = pcix_phases_to_adb(t->address, mon_width(m), (unsigned)(seen - t->response) + 4 + TIMER_SLACK) - 1;
    if (s->index > last)
        mon_violate(m, PCIX_RULE_LATENCY_TIMER, "%s, timer %u", mon_name(m, t->initiator),
                    (unsigned)(m->timer_due - t->start));
}

/* D0 up to d+1, then D1 D0 D1 ... until the first response has been seen (3.4). */
static void write_hold(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    const pcix_transaction *t = m->t;
    uint64_t n = s->clock, a = t->address_clock;
    if (n < a + 2 || !mon_writes(m) || (t->response != 0 && n > t->response) || (t->devsel == 0 && n > a + 6)) return;
    if (n == a + 2) {
        m->d0 = s->ad;
        m->c0 = s->cbe;
    }
    bool known = t->devsel != 0 && n > t->devsel + 1;
    uint64_t lines = t->req64 && (!known || t->ack64) ? ~0ull : 0xffffffffull;
    unsigned lanes = lines >> 32 ? 0xff : 0x0f;
    if (t->req64 && (t->address & 4)) {
        if (!known && ((s->ad ^ s->ad >> 32) & 0xffffffffu) != 0)
            mon_violate(m, PCIX_RULE_UPPER_DUPLICATE, "%016llx", (unsigned long long)s->ad);
        if (known && t->ack64) {
            lines = 0xffffffffull << 32;
            lanes = 0xf0;
        }
    }
    unsigned phases = pcix_is_dword(t->command) ? 1 : pcix_phases(t->address, t->byte_count, mon_width(m));
    bool second = known && phases > 1 && ((n - t->devsel) & 1) == 0;
    if (second && n == t->devsel + 2) {
        m->d1 = s->ad;
        m->c1 = s->cbe;
        return;
    }
    if (((s->ad ^ (second ? m->d1 : m->d0)) & lines) != 0 || ((s->cbe ^ (second ? m->c1 : m->c0)) & lanes) != 0)
        mon_violate(m, PCIX_RULE_WRITE_HOLD, "expected D%d", second);
}

void mon_initiator(pcix_monitor *m)
{
    const pcix_sample *s = &m->now;
    expect_end(m);
    if (s->phase != PCIX_PH_ADDRESS) {
        frame(m);
        irdy(m);
    } else if (pcix_low(s, PCIX_IRDY)) {
        mon_violate(m, PCIX_RULE_IRDY_START, "in the address phase");
    }
    if (pcix_low(s, PCIX_REQ64) != (m->t->req64 && pcix_low(s, PCIX_FRAME)))
        mon_violate(m, PCIX_RULE_REQ64_FRAME, "%s", mon_name(m, m->t->initiator));
    owners(m);
    mon_enables(m);
    mon_timer(m);
    write_hold(m);
}

/* FRAME# and IRDY# are high again. */
void mon_end(pcix_monitor *m)
{
    m->running = false;
    m->tail_initiator = m->t->initiator;
    m->tail_irdy = m->now.clock;
    m->tail_target = m->t->target;
    m->tail_target_end = m->target_end;
    mon_sequence_end(m);
}
