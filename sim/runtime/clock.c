/* Clocks: where the edges lie; groups of them. */
#include "sim/runtime/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static uint64_t below(uint64_t *state, uint64_t n)
{
    /* The bias of a remainder is below n / 2^64: nothing for picoseconds. */
    return splitmix64(state) % n;
}

/* An edge not before `now`: the ideal place, kept with 64 fractional bits so that it never drifts, plus this edge's own jitter. */
static void place(const sim_clock *c, clock_edge *e, sim_time now)
{
    sim_time time = e->ideal_whole;
    if (c->jitter) {
        uint64_t j = below(&e->random, 2 * c->jitter + 1);
        time = time + j > now + c->jitter ? time + j - c->jitter : now;
    }
    e->time = time;
}

void clock_edge_next(const sim_clock *c, clock_edge *e)
{
    e->ideal_frac += c->step_frac;
    e->ideal_whole += c->step_whole + (e->ideal_frac < c->step_frac);
    place(c, e, e->time);
}

sim_time clock_not_before(const sim_clock *c, uint64_t n)
{
    sim_time least = c->next.ideal_whole + (n - 1) * c->step_whole;
    return n == 1 || least < c->next.time + c->jitter ? c->next.time : least - c->jitter;
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
    c->group = p->group ? p->group : s->groups.at[0];
    c->name = new_string(name);
    c->period = p->period;
    c->jitter = p->jitter;
    c->next.random = random_hash(s->params.seed, name);
    long double step = (long double)p->period / (1.0L + (long double)p->ppm * 1e-6L);
    c->step_whole = (uint64_t)step;
    c->step_frac = (uint64_t)ldexpl(step - (long double)c->step_whole, 64);
    sim_time phase = p->phase >= 0 ? (sim_time)p->phase : p->jitter + below(&c->next.random, p->period);
    c->next.ideal_whole = s->now + phase;
    c->fall = SIM_FOREVER;
    c->index = s->clocks.count;
    *list_add(&s->clocks) = c;
    *list_add(&c->group->clocks) = c;
    place(c, &c->next, s->now);
    if (c->next.time < c->group->next) c->group->next = c->next.time;
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

/* ---- groups ---- */

sim_group *group_new(sim *s, const char *name)
{
    sim_group *g = new_zeroed(sizeof *g);
    g->s = s;
    g->name = new_string(name);
    g->next = g->heard_at = g->next_wait = SIM_FOREVER;
    g->index = s->groups.count;
    if (g->index && s->ranks) ranks_place(g);
    *list_add(&s->groups) = g;
    return g;
}

sim_group *sim_group_new(sim *s, const char *name)
{
    return group_new(s, name);
}

void group_free(sim_group *g)
{
    list_free(&g->clocks);
    list_free(&g->rising);
    list_free(&g->told);
    list_free(&g->events);
    list_free(&g->ended);
    free(g->error);
    free(g->name);
    free(g);
}

void clock_add(clock_list *rising, sim_clock *c)
{
    *list_add(rising) = c;
    for (size_t k = rising->count - 1; k && rising->at[k - 1]->index > c->index; k--) {
        rising->at[k] = rising->at[k - 1];
        rising->at[k - 1] = c;
    }
}

void group_rising(const sim_group *g, sim_time now, clock_list *rising)
{
    for (size_t i = 0; i < g->clocks.count; i++)
        if (g->clocks.at[i]->next.time == now) clock_add(rising, g->clocks.at[i]);
}
