/* Windows: each group of clocks runs alone for a while, then the next one, and the results are those of going edge by edge together.
 *
 * A window is a time in which no group can see what another one does: shorter than the least time from an end of a cable to the other
 * (sim_meet), and over before a task of no group may go on, since that may look at everything. Then each group has its own time, tasks and
 * progress, and what it tells the others (sim_tell) is kept with its time; heard is in the order in which it would have been told edge by
 * edge. A task that must know at once what others have told (sim_hear) keeps its group back until all have come as far. */
#include "sim/runtime/internal.h"

#include <stdlib.h>
#include <string.h>

_Thread_local sim_group *group_running;

void sim_apart(sim *s, sim_time window)
{
    s->window = window;
}

void sim_meet(sim *s, const sim_clock *a, const sim_clock *b, sim_time after)
{
    if (a->group != b->group && after < s->meeting) s->meeting = after;
}

/* ---- what is told ---- */

void sim_tell(sim *s, void (*hear)(void *self, const void *event), void *self, const void *event, size_t size)
{
    sim_group *g = group_here(s);
    if (!g) {
        hear(self, event);
        return;
    }
    *list_add(&g->told) = (told){g->now, g->order, hear, self, g->events.count};
    for (size_t at = 0; at < size; at += sizeof(told_piece)) {
        size_t left = size - at;
        memcpy(list_add(&g->events), (const char *)event + at, left < sizeof(told_piece) ? left : sizeof(told_piece));
    }
}

static const told *first_told(const sim_group *g)
{
    return g->heard < g->told.count ? &g->told.at[g->heard] : NULL;
}

static bool before(const told *a, sim_time time, size_t order)
{
    return a->time < time || (a->time == time && a->order < order);
}

/* All that was told before this, in order; and by tasks of `own` at this time, too. */
static void hear(sim *s, sim_time time, size_t order, const sim_group *own)
{
    while (!s->error) {
        sim_group *first = NULL;
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_group *g = s->groups.at[i];
            const told *n = first_told(g), *m = first ? first_told(first) : NULL;
            if (!n || !before(n, time, g == own ? order + 1 : order)) continue;
            if (!m || before(n, m->time, m->order)) first = g;
        }
        if (!first) return;
        const told *t = first_told(first);
        first->heard++;
        s->now = t->time;
        t->hear(t->self, &first->events.at[t->at]);
    }
}

/* ---- a group ---- */

static void group_run(sim_group *g)
{
    group_running = g;
    if (g->waits) group_tasks_go_on(g);
    while (!g->waits && !g->error && !g->stop) {
        sim_time t = g->next < g->wake ? g->next : g->wake;
        if (t >= g->until) break;
        g->now = t;
        g->rising.count = 0;
        group_rising(g, t, &g->rising);
        edges_run(&g->rising, t, &g->order);
        group_tasks_run(g);
    }
    group_running = NULL;
}

/* All edges up to this time have been run in the group; those after it have not. */
static sim_time reached(const sim_group *g)
{
    if (g->waits) return g->now;
    if (g->error || g->stop) return SIM_FOREVER;
    return (g->next < g->wake ? g->next : g->wake) - 1;
}

static bool finished(const sim_group *g)
{
    return g->waits ? g->now >= g->until : reached(g) >= g->until - 1;
}

/* ---- a window ---- */

sim_time window_edge(const sim *s, sim_time time)
{
    sim_time first = SIM_FOREVER;
    for (size_t i = 0; i < s->clocks.count; i++) {
        clock_edge e = s->clocks.at[i]->opened;
        while (e.time < time) clock_edge_next(s->clocks.at[i], &e);
        if (e.time < first) first = e.time;
    }
    return first;
}

static void open_window(sim *s, sim_time until)
{
    for (size_t i = 0; i < s->clocks.count; i++) s->clocks.at[i]->opened = s->clocks.at[i]->next;
    for (size_t i = 0; i < s->groups.count; i++) {
        sim_group *g = s->groups.at[i];
        g->until = until;
        g->last_progress = 0;
        g->told.count = g->heard = g->events.count = 0;
        group_tasks_wake(g);
    }
}

/* The sim goes on from where its groups are. */
static void close_window(sim *s)
{
    const sim_group *failed = NULL;
    sim_time last = 0;
    for (size_t i = 0; i < s->groups.count; i++) {
        const sim_group *g = s->groups.at[i];
        if (g->error && (!failed || g->now < failed->now || (g->now == failed->now && g->order < failed->order))) failed = g;
        if (g->now > last) last = g->now;
    }
    hear(s, failed ? failed->now : SIM_FOREVER, failed ? failed->order : 0, NULL);
    if (!s->error) s->now = failed ? failed->now : last;
    if (failed) sim_fail(s, "%s", failed->error);
    for (size_t i = 0; i < s->groups.count; i++) {
        sim_group *g = s->groups.at[i];
        if (g->last_progress > s->last_progress) s->last_progress = g->last_progress;
        s->stop |= g->stop;
        g->stop = false;
        for (size_t k = 0; k < g->queue.ready.count; k++) *list_add(&s->queue.ready) = g->queue.ready.at[k];
        g->queue.ready.count = 0;
    }
}

/* The run ends here: groups that have not come as far go no further. */
static void shorten(sim *s, sim_time until)
{
    for (size_t i = 0; i < s->groups.count; i++)
        if (s->groups.at[i]->until > until) s->groups.at[i]->until = until;
}

/* Groups one after the other, as far as each can; again, until all are through. */
static void run_groups(sim *s)
{
    for (bool more = true; more;) {
        sim_time all = SIM_FOREVER;
        more = false;
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_time r = reached(s->groups.at[i]);
            if (r < all) all = r;
        }
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_group *g = s->groups.at[i];
            if (finished(g)) continue;
            more = true;
            if (g->waits && g->now > all) continue;
            if (g->waits) hear(s, g->now, ORDER_TASKS, g);
            group_run(g);
            if (g->error || g->stop) shorten(s, g->now + 1);
        }
    }
}

bool window_run(sim *s, sim_time t, sim_time limit)
{
    if (!s->window || s->groups.count < 3 || s->groups.at[0]->clocks.count || s->waves_base || s->params.pins) return false;
    sim_time until = t + (s->window < s->meeting ? s->window : s->meeting), bound = tasks_bound(s);
    if (s->params.watchdog && until - s->last_progress > s->params.watchdog) until = s->last_progress + s->params.watchdog + 1;
    if (until > bound) until = bound;
    if (until > limit) until = limit == SIM_FOREVER ? limit : limit + 1;
    if (until <= t) return false;
    open_window(s, until);
    run_groups(s);
    close_window(s);
    return true;
}
