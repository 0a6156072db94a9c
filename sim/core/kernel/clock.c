/* Clocks: where the edges lie; groups of them. */
#include "sim/core/parallel/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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
        sim_fail(s, "clock %s: jitter is %" PRIu64 " ps, must be less than half the period of %" PRIu64 " ps", name,
                 p->jitter, p->period);
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
    sim_time phase = p->phase >= 0 ? (sim_time)p->phase : p->jitter + splitmix64_below(&c->next.random, p->period);
    c->next.ideal_whole = s->now + phase;
    c->fall = SIM_FOREVER;
    c->index = s->clocks.count;
    *list_add(&s->clocks) = c;
    *list_add(&c->group->clocks) = c;
    clock_edge_place(c, &c->next, s->now);
    group_find_next(c->group);
    return c;
}

void clock_free(sim_clock *c)
{
    list_free(&c->samples);
    list_free(&c->drives);
    list_free(&c->models);
    list_free(&c->ports);
    list_free(&c->waiting);
    free(c->name);
    free(c);
}

void sim_clock_attach(sim_clock *c, void (*sample)(void *), void (*drive)(void *), void *self)
{
    if (sample) *list_add(&c->samples) = (attachment){sample, self};
    if (drive) *list_add(&c->drives) = (attachment){drive, self};
}

static void detach(attachments *l, const void *self)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (l->at[i].self != self) l->at[kept++] = l->at[i];
    l->count = kept;
}

void sim_clock_detach(sim_clock *c, void *self)
{
    detach(&c->samples, self);
    detach(&c->drives, self);
}

uint64_t sim_clock_cycles(const sim_clock *c) { return c->cycles; }

sim_time sim_clock_period(const sim_clock *c) { return c->period; }

const char *sim_clock_name(const sim_clock *c) { return c->name; }

/* ---- groups ---- */

sim_group *group_new(sim *s, const char *name)
{
    sim_group *g = new_zeroed(sizeof *g);
    g->s = s;
    g->name = new_string(name);
    g->next = g->delivered_at = g->next_wait = SIM_FOREVER;
    g->index = s->groups.count;
    if (g->index && s->ranks) ranks_place(g);
    *list_add(&s->groups) = g;
    return g;
}

sim_group *sim_group_new(sim *s, const char *name) { return group_new(s, name); }

void group_free(sim_group *g)
{
    list_free(&g->clocks);
    list_free(&g->rising);
    list_free(&g->posted);
    list_free(&g->events);
    list_free(&g->ended);
    free(g->error);
    free(g->name);
    free(g);
}
