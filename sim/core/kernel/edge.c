/* One edge: models settle, blocks sample, clocks rise, blocks drive. */
#include "sim/core/kernel/edge.h"

/* ---- models ---- */

static void end_of_model(const sim_model *m, int how)
{
    sim_fail(m->s, "a model called %s", how == 2 ? "$error or $stop" : "$finish");
}

/* Its messages ($error, $finish) appear in its own context and with this time. */
void model_evaluate(sim_model *m, sim_time now)
{
    int ended = 0;
    evaluation_begin(m);
    if (!m->set) ended = m->config->eval(m->impl, m->context, now);
    else if (m->in_lane) m->set->kind->settle(m->set->lanes, 1u << m->lane, m->set->joined);
    else {
        m->s->engine->context_time(m->context, now);
        m->set->kind->alone(m->set->lanes, m->lane);
        ended = m->s->engine->context_ended(m->context);
    }
    evaluation_end();
    if (ended) end_of_model(m, ended);
}

void model_settle(sim_model *m, sim_time now)
{
    model_clocks_low(m);
    model_evaluate(m, now);
}

void models_fall(sim_clock *c)
{
    for (size_t i = 0; i < c->ports.count; i++) {
        sim_model *m = c->ports.at[i].model;
        if (m->recorder) {
            model_evaluate(m, c->s->now);
            waves_show(m);
        }
        *c->ports.at[i].port = 0;
        model_evaluate(m, c->s->now);
        m->edge = c->s->now;
    }
}

/* ---- edges of several clocks ---- */

void edges_settle(const clock_list *rising, sim_time now)
{
    for (size_t i = 0; i < rising->count; i++)
        for (size_t k = 0; k < rising->at[i]->models.count; k++) {
            sim_model *m = rising->at[i]->models.at[k];
            if (m->settled) continue; /* for another of its clocks */
            model_settles(m, now);
            m->settled = true;
        }
}

void edges_rise(const clock_list *rising, sim_time now, size_t *order)
{
    sim_clock *const *at = rising->at;
    const size_t count = rising->count;
    for (size_t i = 0; i < count; i++) clock_samples(at[i], order);
    for (size_t i = 0; i < count; i++) {
        clock_goes_on(at[i]);
        if (i + 1 == count || at[i + 1]->group != at[i]->group) group_find_next(at[i]->group);
    }
    for (size_t i = 0; i < count; i++) clock_ports_rise(at[i], now);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < at[i]->models.count; k++) {
            sim_model *m = at[i]->models.at[k];
            if (!m->settled) continue; /* already evaluated at this edge, for another of its clocks */
            model_rises(m, now);
            m->settled = false;
        }
}

void edges_drive(const clock_list *rising, size_t *order)
{
    for (size_t i = 0; i < rising->count; i++) clock_drives(rising->at[i], order);
    *order = ORDER_TASKS;
}
