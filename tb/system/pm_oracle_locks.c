#include "pm_oracle_locks.h"

/* Words of the head packet that came before this clock; *whole: it has all come, the last word in this clock perhaps.
 */
static unsigned stored(const oracle *s, const parts *q, int *whole, int *whole_before)
{
    unsigned words = 0;
    *whole = *whole_before = 0;
    for (uint32_t k = q->get; k != q->put && at(q, k)->came <= s->clock; k++) {
        const part *p = at(q, k);
        uint64_t there = s->clock - p->came;
        words += there < p->words ? (unsigned)there : p->words;
        if (!p->ends) continue;
        *whole = there + 1 >= p->words;
        *whole_before = there >= p->words;
        break;
    }
    return words;
}

/* From this clock on the output takes the packet at the head of this crosspoint. */
static void take_part(oracle *s, unsigned o)
{
    output *out = &s->out[o];
    flow *f = &s->flow[out->from][o];
    const part *p = head(&f->crosspoint);
    /* Within a packet nothing is chosen: its word may come in the clock before it leaves. */
    if (!p || p->came > s->clock + s->p.scheduling - 1) {
        oracle_fail(s, "output %u: the crosspoint of %u is empty within a packet", o, out->from);
        return;
    }
    if (out->first_part) oracle_leaves(s, p->packet, s->clock + s->p.scheduling);
    out->taken[out->put++ % 8] = (taken){s->clock + s->p.scheduling,     out->from,       p->words, out->locked,
                                         out->locked && out->first_part, out->first_part, p->packet};
    if (out->first_part) out->start = s->clock;
    out->first_part = 0;
    out->serves = !p->ends;
    out->free = s->clock + p->words;
    if (p->ends && out->free < out->start + s->p.scheduling) out->free = out->start + s->p.scheduling;
    /* It has one lock at a time: a decision that takes long does not begin before the end has come, though it may end
     * just in time. */
    if (p->ends && out->locked && out->free < p->came + p->words - 1) out->free = p->came + p->words - 1;
    f->crosspoint.get++;
}

static void begin(oracle *s, unsigned o, unsigned i, int locked)
{
    output *out = &s->out[o];
    out->from = out->last = i;
    out->locked = locked;
    out->first_part = 1;
    take_part(s, o);
}

/* Inputs with enough of a packet to request the lock, and not all of it. */
static unsigned in_part(const oracle *s, unsigned o)
{
    const output *out = &s->out[o];
    unsigned mask = 0;
    int whole, before;
    for (unsigned i = 0; i < s->p.ports; i++) {
        const parts *q = &s->flow[i][o].crosspoint;
        if (!head(q) || (out->serves && out->from == i)) continue;
        if (stored(s, q, &whole, &before) >= s->p.forward + s->p.back + s->p.segment && !whole && !before)
            mask |= 1u << i;
    }
    return mask;
}

/* When a part leaves, as choices know it: a bound that S3 does not have. A flow that was partial at two marks and has
 * not begun is overdue.
 */
static void count_part(oracle *s, unsigned o)
{
    output *out = &s->out[o];
    const taken *t = &out->taken[out->counted % 8];
    if (out->counted == out->put || t->sent + 2 - s->p.scheduling != s->clock) return;
    out->words += t->words;
    if (out->words >= s->p.period) {
        unsigned now = in_part(s, o);
        out->overdue |= out->marked & now;
        out->marked = now;
        out->words = 0;
    }
    if (t->begins) {
        out->marked &= ~(1u << t->from);
        out->overdue &= ~(1u << t->from);
    }
    out->counted++;
}

static void locking_output_step(oracle *s, unsigned o, unsigned overdue)
{
    output *out = &s->out[o];
    unsigned ready = 0, i;
    int whole, before;
    if (s->clock < out->free || out->asks != NOBODY) return;
    if (out->serves) {
        take_part(s, o);
        return;
    }
    for (i = 0; i < s->p.ports; i++) {
        const parts *q = &s->flow[i][o].crosspoint;
        unsigned words;
        if (!head(q)) continue;
        words = stored(s, q, &whole, &before);
        if (before) ready |= 1u << i;
        else if (words >= s->p.forward + s->p.back + s->p.segment && (whole || s->in[i].holder == NOBODY))
            ready |= 1u << i;
    }
    if (overdue & in_part(s, o)) ready &= overdue; /* it waits for that lock */
    if (!ready) return;
    i = round_robin(ready, out->last);
    stored(s, &s->flow[i][o].crosspoint, &whole, &before);
    if (whole) begin(s, o, i, 0);
    else out->asks = (int)(out->last = i); /* refused or not, its turn has passed: "proceeds serving the next" [IV-A] */
}

/* Outputs that asked in the clock before. */
static void lock_step(oracle *s, unsigned i)
{
    input *in = &s->in[i];
    unsigned asking = 0, o;
    if (in->holder != NOBODY && in->unlock < s->clock) in->holder = NOBODY;
    for (o = 0; o < s->p.ports; o++) asking |= (unsigned)(s->out[o].asks == (int)i) << o;
    if (!asking) return;
    for (unsigned k = 0; k < s->p.ports; k++)
        if (asking >> k & 1) s->out[k].asks = NOBODY;
    if (in->holder != NOBODY) return;
    const parts *q;
    o = round_robin(asking, in->holder_last);
    q = &s->flow[i][o].crosspoint;
    in->holder = (int)o;
    in->holder_last = o;
    in->locked_packet = head(q)->packet;
    in->unlock = UINT64_MAX;
    for (uint32_t k = q->get; k != q->put && at(q, k)->packet == in->locked_packet; k++)
        if (at(q, k)->ends) in->unlock = at(q, k)->came + at(q, k)->words - 1;
    s->clock--; /* it chose a clock ago */
    begin(s, o, i, 1);
    s->clock++;
    /* the output knows its sent words at once: a lock that is requested at the end of a decision is free then */
    if (s->p.lock_release) in->unlock = s->j[in->locked_packet].last - s->p.scheduling;
}

static void part_leaves(oracle *s, unsigned o)
{
    output *out = &s->out[o];
    const taken *t = &out->taken[out->get % 8];
    if (out->get == out->put || t->sent != s->clock) return;
    oracle_owe(s, &s->flow[t->from][o], t->words, t->locked, t->notice, t->packet);
    out->get++;
}

void oracle_locking_outputs(oracle *s)
{
    for (unsigned o = 0; o < s->p.ports; o++) part_leaves(s, o);
    for (unsigned i = 0; i < s->p.ports; i++) lock_step(s, i);
    for (unsigned o = 0; o < s->p.ports; o++) {
        unsigned overdue = s->out[o].overdue; /* as a choice of this clock knows it */
        count_part(s, o);
        locking_output_step(s, o, overdue);
    }
}
