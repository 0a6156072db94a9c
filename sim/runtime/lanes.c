/* Lanes: models of one configuration share a vector, one lane each, and are evaluated together (scripts/lanes.pl).
 *
 * A model says that it has to be evaluated; whoever runs edges lets all that have said so be evaluated at once. */
#include "sim/runtime/internal.h"

#include <stdlib.h>

void lanes_take(sim_model *m)
{
    sim *s = m->s;
    const sim_lanes *kind = m->config->lanes;
    if (!s->params.lanes || !kind || s->waves_base || s->params.pins) return;
    if (!kind->usable()) {
        sim_fail(s, "%s was built with vectors that this processor does not have: build it here, or run it with --lanes 1", kind->name);
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
    kind->take(set->lanes, m->lane, m->impl, m->binding);
}

void lanes_free(sim *s)
{
    for (size_t i = 0; i < s->lane_sets.count; i++) {
        s->lane_sets.at[i]->kind->free(s->lane_sets.at[i]->lanes);
        free(s->lane_sets.at[i]);
    }
    list_free(&s->lane_sets);
}

/* Comparing all of the state takes much longer than evaluating: not each time. What differs once does so for a while. */
static void check(lane_set *set, sim *s)
{
    bool all = set->evaluations++ % 256 == 0;
    for (unsigned k = 0; k < set->taken; k++) {
        const char *what = set->due >> k & 1 ? set->kind->differs(set->lanes, k, all) : NULL;
        if (what) sim_fail(s, "lanes: %s in lane %u of %s is not as in a model that is evaluated alone", what, k, set->kind->name);
    }
}

void lanes_run(const clock_list *rising, bool edge)
{
    for (size_t i = 0; i < rising->count; i++)
        for (size_t k = 0; k < rising->at[i]->ports.count; k++) {
            const sim_model *m = rising->at[i]->ports.at[k].model;
            lane_set *set = m->set;
            if (!set || !set->due) continue;
            evaluation_begin(m);
            (edge ? set->kind->edge : set->kind->settle)(set->lanes, set->due);
            if (rising->at[i]->s->params.lanes == SIM_LANES_CHECK) check(set, rising->at[i]->s);
            evaluation_end();
            set->due = 0;
        }
}

void lanes_show(const sim_model *m)
{
    if (m->set) m->set->kind->show(m->set->lanes, m->lane);
}
