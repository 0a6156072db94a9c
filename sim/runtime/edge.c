/* One edge: models settle, blocks sample, clocks rise, blocks drive. All of this is done some million times in a second's run. */
#include "sim/runtime/internal.h"

/* ---- models ---- */

static void end_of_model(const sim_model *m, int how)
{
    sim_fail(m->s, "a model called %s", how == 2 ? "$error or $stop" : "$finish");
}

/* What it says ($error, $finish) is said in its own context and with this time. */
static inline void evaluate(sim_model *m, sim_time now)
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

void model_evaluate(sim_model *m, sim_time now)
{
    evaluate(m, now);
}

/* ... or in lanes_run, which is called next. */
static inline void evaluate_soon(sim_model *m, sim_time now)
{
    if (m->set && !m->stays_alone) lanes_due(m);
    else evaluate(m, now);
}

static inline void clocks_low(const sim_model *m)
{
    for (size_t k = 0; k < m->low.count; k++) *m->low.at[k] = 0;
}

void model_settle(sim_model *m, sim_time now)
{
    clocks_low(m);
    evaluate(m, now);
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

/* ---- edges ---- */

static inline void call(const attachments *l)
{
    for (size_t k = 0; k < l->count; k++) l->at[k].fn(l->at[k].self);
}

static inline __attribute__((always_inline)) void settle(sim_clock *const *rising, size_t count, sim_time now)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rising[i]->models.count; k++) {
            sim_model *m = rising[i]->models.at[k];
            if (m->settled) continue; /* for another of its clocks */
            clocks_low(m);
            evaluate_soon(m, now);
            m->settled = true;
            if (m->s->params.pins) pins_record(m);
            if (m->recorder) waves_show(m);
        }
}

static inline __attribute__((always_inline)) void rise(sim_clock *const *rising, size_t count, sim_time now, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        *order = rising[i]->index;
        call(&rising[i]->samples);
    }
    for (size_t i = 0; i < count; i++) {
        rising[i]->cycles++;
        clock_edge_next(rising[i], &rising[i]->next);
        if (i + 1 == count || rising[i + 1]->group != rising[i]->group) group_find_next(rising[i]->group);
    }
    for (size_t i = 0; i < count; i++) {
        sim_clock *c = rising[i];
        for (size_t k = 0; k < c->ports.count; k++) *c->ports.at[k].port = *c->ports.at[k].enable;
        if (c->stream) waves_edge(c, now);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rising[i]->models.count; k++) {
            sim_model *m = rising[i]->models.at[k];
            if (!m->settled) continue; /* already evaluated at this edge, for another of its clocks */
            evaluate_soon(m, now);
            m->settled = false;
            m->edge = now;
        }
}

static inline __attribute__((always_inline)) void drive(sim_clock *const *rising, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        *order = ORDER_DRIVES + rising[i]->index;
        call(&rising[i]->drives);
    }
    *order = ORDER_TASKS;
}

/* Mostly one clock rises at a time. */
void edges_settle(const clock_list *rising, sim_time now)
{
    if (rising->count == 1) settle(rising->at, 1, now);
    else settle(rising->at, rising->count, now);
}

void edges_rise(const clock_list *rising, sim_time now, size_t *order)
{
    if (rising->count == 1) rise(rising->at, 1, now, order);
    else rise(rising->at, rising->count, now, order);
}

void edges_drive(const clock_list *rising, size_t *order)
{
    if (rising->count == 1) drive(rising->at, 1, order);
    else drive(rising->at, rising->count, order);
}
