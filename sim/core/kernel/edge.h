/* Execution of an edge, clock by clock and model by model. Inline: all of this is done some million times in a second's
 * run. Private. */
#ifndef SIM_CORE_KERNEL_EDGE_H
#define SIM_CORE_KERNEL_EDGE_H

#include "sim/core/parallel/parallel.h"
#include "sim/core/waves/waves.h"

/* It is evaluated in lanes_run, which is called next. */
static inline bool model_in_lanes(const sim_model *m) { return m->set && !m->stays_alone; }

/* A byte that is written might be any variable, for all that the compiler knows: so the ends of lists are noted first.
 */
static inline void model_clocks_low(const sim_model *m)
{
    uint8_t *const *port = m->low.at, *const *const end = port + m->low.count;
    for (; port < end; port++) **port = 0;
}

static inline void model_settles(sim_model *m, sim_time now)
{
    model_clocks_low(m);
    if (model_in_lanes(m)) lanes_due(m);
    else model_evaluate(m, now);
    if (m->s->params.pins) pins_record(m);
    if (m->recorder) waves_show(m);
}

static inline void model_rises(sim_model *m, sim_time now)
{
    if (!model_in_lanes(m)) model_evaluate(m, now);
    m->edge = now;
}

static inline void call_all(const attachments *l)
{
    for (size_t k = 0; k < l->count; k++) l->at[k].fn(l->at[k].self);
}

static inline void clock_samples(const sim_clock *c, size_t *order)
{
    *order = c->index;
    call_all(&c->samples);
}

static inline void clock_goes_on(sim_clock *c)
{
    c->cycles++;
    clock_edge_next(c, &c->next);
}

static inline void clock_ports_rise(sim_clock *c, sim_time now)
{
    const clocked_port *p = c->ports.at, *const end = p + c->ports.count;
    for (; p < end; p++) *p->port = *p->enable;
    if (c->stream) waves_edge(c, now);
}

static inline void clock_drives(const sim_clock *c, size_t *order)
{
    *order = ORDER_DRIVES + c->index;
    call_all(&c->drives);
}

/* An edge: settle, sample, rise; then drive. Between them lanes_run evaluates what is due. *order: see posted. Settle:
 * inputs driven since the last edge pass through, with all clocks low (those that fall do so in their own time). Of
 * several clocks at once: */
void edges_settle(const clock_list *rising, sim_time now);
void edges_rise(const clock_list *rising, sim_time now, size_t *order);
void edges_drive(const clock_list *rising, size_t *order);

/* The same of a group in a window, whose `rising` is filled in: mostly one clock. */
static inline void group_settles(const sim_group *g)
{
    if (g->rising.count != 1) {
        edges_settle(&g->rising, g->now);
        return;
    }
    const sim_clock *c = g->rising.at[0];
    for (size_t k = 0; k < c->models.count; k++) model_settles(c->models.at[k], g->now);
}

static inline void group_rises(sim_group *g)
{
    if (g->rising.count != 1) {
        edges_rise(&g->rising, g->now, &g->order);
        return;
    }
    sim_clock *c = g->rising.at[0];
    clock_samples(c, &g->order);
    clock_goes_on(c);
    group_find_next(g);
    clock_ports_rise(c, g->now);
    for (size_t k = 0; k < c->models.count; k++) model_rises(c->models.at[k], g->now);
}

static inline void group_drives(sim_group *g)
{
    if (g->rising.count != 1) {
        edges_drive(&g->rising, &g->order);
        return;
    }
    clock_drives(g->rising.at[0], &g->order);
    g->order = ORDER_TASKS;
}

#endif
