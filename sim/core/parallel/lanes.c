/* Lanes: models of one configuration share a vector, one lane each, and are evaluated together (scripts/lanes.py).
 *
 * A model says that it has to be evaluated; the caller that runs edges has all of these evaluated at once. One lane
 * costs as much as all: so a model has its state itself until it is evaluated together with another one, or if it is to
 * stay alone. */
#include "sim/core/parallel/parallel.h"

#include <stdlib.h>

_Thread_local lane_set *lanes_waiting;
static _Thread_local lane_set *lanes_rising;

void lanes_take(sim_model *m)
{
    sim *s = m->s;
    const sim_lanes *kind = m->config->lanes;
    if (s->groups.at[s->groups.count - 1]->elsewhere) return; /* new instances belong to the group made last */
    if (!s->params.lanes || !kind || s->waves_base || s->params.pins) return;
    if (!kind->usable()) {
        sim_fail(s,
                 "%s was built with vectors that this processor does not have: build it here, or run it with --lanes 1",
                 kind->name);
        return;
    }
    lane_set *set = NULL;
    for (size_t i = 0; i < s->lane_sets.count && !set; i++)
        if (s->lane_sets.at[i]->kind == kind && s->lane_sets.at[i]->taken < kind->width) set = s->lane_sets.at[i];
    if (!set) {
        void *lanes = kind->make();
        if (!lanes) return;
        set = new_zeroed(sizeof *set);
        *set = (lane_set){.kind = kind, .lanes = lanes};
        *list_add(&s->lane_sets) = set;
    }
    m->set = set;
    m->lane = set->taken++;
    set->model[m->lane] = m;
    kind->take(set->lanes, m->lane, m->impl, m->binding);
}

void lanes_free(sim *s)
{
    for (size_t i = 0; i < s->lane_sets.count; i++) {
        s->lane_sets.at[i]->kind->free(s->lane_sets.at[i]->lanes);
        free(s->lane_sets.at[i]);
    }
    list_free(&s->lane_sets);
    lanes_waiting = lanes_rising = NULL;
}

void lanes_leave(sim_model *m, bool leaves)
{
    if (!m->set || m->stays_alone == leaves) return;
    lanes_show(m);
    if (leaves) {
        m->set->joined &= ~(1u << m->lane);
        m->in_lane = false;
    }
    m->stays_alone = leaves;
}

static void join(lane_set *set, uint32_t lanes)
{
    for (unsigned k = 0; k < set->taken; k++) {
        if (!(lanes >> k & 1)) continue;
        set->kind->join(set->lanes, k);
        set->model[k]->in_lane = true;
    }
    set->joined |= lanes;
}

/* Comparing all of the state takes much longer than evaluating: not each time. Instances that differ once do so for a
 * while. */
static void check(lane_set *set, uint32_t lanes)
{
    bool all = set->evaluations++ % 256 == 0;
    for (unsigned k = 0; k < set->taken; k++) {
        const char *what = lanes >> k & 1 ? set->kind->differs(set->lanes, k, all) : NULL;
        if (what)
            sim_fail(set->model[k]->s, "lanes: %s in lane %u of %s is not as in a model that is evaluated alone", what,
                     k, set->kind->name);
    }
}

void lanes_run(bool edge)
{
    lane_set *of = edge ? lanes_rising : lanes_waiting;
    lanes_rising = edge ? NULL : of;
    lanes_waiting = NULL;
    for (lane_set *set; (set = of) != NULL;) {
        const uint32_t lanes = edge ? set->rises : set->due, fresh = lanes & ~set->joined;
        sim_model *m = set->model[__builtin_ctz(lanes)];
        of = set->next;
        set->rises = lanes;
        set->due = 0;
        if (fresh && !(lanes & (lanes - 1))) {
            model_evaluate(m, sim_now(m->s));
            continue;
        }
        evaluation_begin(m);
        if (fresh) join(set, fresh);
        (edge ? set->kind->edge : set->kind->settle)(set->lanes, lanes, set->joined);
        if (m->s->params.lanes == SIM_LANES_CHECK) check(set, lanes);
        evaluation_end();
    }
}

void lanes_show(const sim_model *m)
{
    if (m->in_lane) m->set->kind->show(m->set->lanes, m->lane);
}
