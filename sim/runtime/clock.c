/* Clocks: where the edges lie. */
#include "sim/runtime/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static uint64_t below(uint64_t *state, uint64_t n)
{
    /* The bias of a remainder is below n / 2^64: nothing for picoseconds. */
    return splitmix64(state) % n;
}

/* The next edge: the ideal place, kept with 64 fractional bits so that it never drifts, plus this edge's own jitter. */
static void place(sim_clock *c)
{
    sim_time edge = c->ideal_whole;
    if (c->jitter) {
        uint64_t j = below(&c->random, 2 * c->jitter + 1);
        edge = edge + j > c->s->now + c->jitter ? edge + j - c->jitter : c->s->now;
    }
    c->s->edges.at[c->index] = edge;
}

void clock_advance(sim_clock *c)
{
    c->ideal_frac += c->step_frac;
    c->ideal_whole += c->step_whole + (c->ideal_frac < c->step_frac);
    place(c);
}

sim_clock *sim_clock_new(sim *s, const sim_clock_params *p)
{
    const char *name = p->name ? p->name : "clock";
    if (p->period < 4) {
        sim_fail(s, "clock %s: period is %" PRIu64 " ps, must be 4 ps or more", name, p->period);
        return NULL;
    }
    if (!(fabs(p->ppm) <= 10000)) {
        sim_fail(s, "clock %s: offset is %g ppm, must be within +-10000", name, p->ppm);
        return NULL;
    }
    if (p->jitter * 2 >= p->period || p->jitter > p->period) {
        sim_fail(s, "clock %s: jitter is %" PRIu64 " ps, must be less than half the period of %" PRIu64 " ps", name, p->jitter, p->period);
        return NULL;
    }
    if (p->phase < -1) {
        sim_fail(s, "clock %s: phase is %" PRId64 " ps, must be -1 (random) or more", name, p->phase);
        return NULL;
    }
    sim_clock *c = new_zeroed(sizeof *c);
    c->s = s;
    c->name = new_string(name);
    c->period = p->period;
    c->jitter = p->jitter;
    c->random = random_hash(s->params.seed, name);
    long double step = (long double)p->period / (1.0L + (long double)p->ppm * 1e-6L);
    c->step_whole = (uint64_t)step;
    c->step_frac = (uint64_t)ldexpl(step - (long double)c->step_whole, 64);
    sim_time phase = p->phase >= 0 ? (sim_time)p->phase : p->jitter + below(&c->random, p->period);
    c->ideal_whole = s->now + phase;
    c->fall = SIM_FOREVER;
    c->index = s->clocks.count;
    *list_add(&s->clocks) = c;
    *list_add(&s->edges) = 0;
    place(c);
    return c;
}

void clock_free(sim_clock *c)
{
    list_free(&c->attachments);
    list_free(&c->ports);
    list_free(&c->waiting);
    free(c->name);
    free(c);
}

void sim_clock_attach(sim_clock *c, void (*sample)(void *), void (*drive)(void *), void *self)
{
    *list_add(&c->attachments) = (attachment){sample, drive, self};
}

void sim_clock_detach(sim_clock *c, void *self)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->attachments.count; i++)
        if (c->attachments.at[i].self != self) c->attachments.at[kept++] = c->attachments.at[i];
    c->attachments.count = kept;
}

uint64_t sim_clock_cycles(const sim_clock *c)
{
    return c->cycles;
}

sim_time sim_clock_period(const sim_clock *c)
{
    return c->period;
}

const char *sim_clock_name(const sim_clock *c)
{
    return c->name;
}
