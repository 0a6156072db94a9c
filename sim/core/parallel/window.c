/* Lookahead windows: each group of clocks runs alone for a while, then the next one, with the results of a run edge by
 * edge.
 *
 * In a window no group can see what another one does: it is shorter than the least latency of a cable (sim_latency),
 * and ends before a task of no group may go on, since that task may access everything. In a window each group has its
 * own time, tasks and progress. Events that it posts (sim_post) are kept with their time and delivered in the order of
 * a run edge by edge. A task that needs the events of other groups (sim_deliver) stops its group until all groups have
 * reached the same time. */
#include "sim/core/kernel/edge.h"
#include "sim/core/parallel/parallel.h"
#include "sim/core/waves/waves.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

_Thread_local sim_group *group_running;

void sim_lookahead(sim *s, sim_time window) { s->window = window; }

void sim_latency(sim *s, const sim_clock *a, const sim_clock *b, sim_time after)
{
    if (a->group != b->group && after < s->least_latency) s->least_latency = after;
}

/* ---- events ---- */

void keep_posted(sim_group *g, const posted *t, const void *event)
{
    posted *kept = list_add(&g->posted);
    *kept = *t;
    kept->at = g->events.count;
    for (size_t at = 0; at < t->size; at += sizeof(event_piece)) {
        size_t left = t->size - at;
        memcpy(list_add(&g->events), (const char *)event + at, left < sizeof(event_piece) ? left : sizeof(event_piece));
    }
}

void sim_post(sim *s, void (*deliver)(void *self, const void *event), void *self, const void *event, size_t size)
{
    sim_group *g = group_here(s);
    if (!g) {
        deliver(self, event);
        return;
    }
    keep_posted(g, &(posted){.time = g->now, .order = g->order, .deliver = deliver, .self = self, .size = size}, event);
}

void sim_post_others(sim *s, void (*deliver)(void *self, const void *event), void *self, const void *event, size_t size)
{
    sim_group *g = group_here(s);
    if (!g || !sim_has_others(s)) return;
    keep_posted(
        g, &(posted){.time = g->now, .order = g->order, .deliver = deliver, .self = self, .size = size, .others = true},
        event);
}

static const posted *first_posted(const sim_group *g)
{
    return g->delivered < g->posted.count ? &g->posted.at[g->delivered] : NULL;
}

static bool before(const posted *a, sim_time time, size_t order)
{
    return a->time < time || (a->time == time && a->order < order);
}

/* Delivers all events before this, in order. */
static void deliver(sim *s, sim_time time, size_t order)
{
    while (!s->error) {
        sim_group *first = NULL;
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_group *g = s->groups.at[i];
            const posted *n = first_posted(g), *m = first ? first_posted(first) : NULL;
            if (n && before(n, m ? m->time : time, m ? m->order : order)) first = g;
        }
        if (!first) return;
        const posted *t = first_posted(first);
        first->delivered++;
        s->now = t->time;
        if (!t->others || first->elsewhere) t->deliver(t->self, &first->events.at[t->at]);
    }
}

sim_time sim_delivered(const sim *s) { return group_here(s) ? s->delivered : s->now; }

/* ---- a group ---- */

static uint64_t cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void window_shorten(sim *s, sim_time until)
{
    for (size_t i = 0; i < s->groups.count; i++)
        if (s->groups.at[i]->until > until) s->groups.at[i]->until = until;
}

/* It may change what would have happened later in the window. */
void window_call(sim_group *g)
{
    sim *s = g->s;
    window_shorten(s, g->now + 1);
    for (size_t i = 0; i < s->groups.count; i++)
        if (s->groups.at[i] != g) s->groups.at[i]->joins = g->now;
    g->wake = SIM_FOREVER;
}

/* Calls of a task, after all edges of this time. */
static void meet(sim *s, sim_time now, size_t last)
{
    window_rising(s, now);
    tasks_run(s, last);
}

void window_rising(sim *s, sim_time now)
{
    s->now = now;
    s->rising.count = 0;
    for (size_t i = 0; i < s->groups.count; i++) {
        const sim_group *g = s->groups.at[i];
        for (size_t k = 0; g->tasks_due && k < g->rising.count; k++) clock_add(&s->rising, g->rising.at[k]);
    }
}

static sim_time next_of(const sim_group *g) { return g->next < g->wake ? g->next : g->wake; }

/* Next step of a group: an edge of which of its clocks; 0: tasks only. */
static unsigned step_of(const sim_group *g) { return g->next <= g->wake ? g->due : 0; }

/* It goes no further in this round, whatever `halt` was. */
static inline void stop_here(sim_group *g)
{
    if (g->waits || g->calls || g->error || g->stop) g->halt = 0;
}

/* Those of a team that go next: who has no edge of the fast clock before it; all, when all have come to one. So nearly
 * each edge of that clock is one of all, and between two of them as many go together as have an edge of another clock
 * there. */
static size_t next_step(const team *t, sim_group **next)
{
    sim_group *fast[SIM_LANES_MOST];
    size_t n = 0, come = 0;
    for (size_t i = 0; i < t->count; i++) {
        sim_group *g = t->at[i];
        if (next_of(g) >= g->halt) continue;
        if (step_of(g) & t->fast) fast[come++] = g;
        else next[n++] = g;
    }
    if (n) return n;
    memcpy(next, fast, come * sizeof *next);
    return come;
}

/* The next edge of a group, up to where its blocks have sampled and its models are due; and the rest. */
static inline void step_begins(sim_group *g)
{
    group_running = g;
    g->now = next_of(g);
    g->rising.count = 0;
    if (g->now == g->next) group_rising(g, &g->rising);
    group_settles(g);
}

static inline void step_ends(sim_group *g)
{
    group_running = g;
    group_drives(g);
    if (g->calls || g->now == g->joins) {
        g->tasks_due = true;
        g->wake = SIM_FOREVER;
    } else if (group_tasks_due(g)) group_tasks_run(g);
    if (g->calls) window_call(g);
    stop_here(g);
}

/* A task of this one waits for all: those that share its lanes stop as well, and go on together with it in the next
 * round. */
static void wait_for(team *t, const sim_group *waits)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->at[i]->halt > waits->now + 1) t->at[i]->halt = waits->now + 1;
}

/* Each group up to `halt`, or until a task of it waits for others; step by step together, each with its own time. */
static void team_steps(void *arg)
{
    team *t = arg;
    sim_group *next[SIM_LANES_MOST];
    for (size_t i = 0; i < t->count; i++) {
        sim_group *g = group_running = t->at[i];
        if (g->runs && g->waits) group_tasks_go_on(g);
        if (g->runs && g->calls) window_call(g);
        stop_here(g);
    }
    for (sim_group *g = t->at[0]; t->count == 1 && next_of(g) < g->halt;) { /* no lanes */
        step_begins(g);
        group_rises(g);
        step_ends(g);
    }
    for (size_t n; t->count > 1 && (n = next_step(t, next)) > 0;) {
        for (size_t i = 0; i < n; i++) step_begins(next[i]);
        lanes_run(false);
        for (size_t i = 0; i < n; i++) {
            group_running = next[i];
            group_rises(next[i]);
        }
        lanes_run(true);
        for (size_t i = 0; i < n; i++) {
            step_ends(next[i]);
            if (next[i]->waits) wait_for(t, next[i]);
        }
    }
}

static void team_run(team *t, bool weigh)
{
    const uint64_t began = weigh ? cpu_time() : 0;
    const bool back = guard_run(team_steps, t);
    for (size_t i = 0; i < t->count && !back; i++) { /* they may share the model, as lanes */
        group_running = t->at[i];
        sim_fail(t->at[i]->s, "%s", guard_complaint());
    }
    group_running = NULL;
    if (weigh) t->cost += cpu_time() - began;
}

/* All edges up to this time have been run in the group; those after it have not. */
static sim_time reached(const sim_group *g)
{
    if (g->waits) return g->now;
    if (g->error || g->stop) return SIM_FOREVER;
    return next_of(g) - 1;
}

static bool finished(const sim_group *g) { return g->waits ? g->now >= g->until : reached(g) >= g->until - 1; }

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

/* joins: a group that reaches this edge runs its tasks together with those of all groups. */
static void open_window(sim *s, sim_time until, const sim_group *leader, sim_time joins)
{
    for (size_t i = 0; i < s->clocks.count; i++) s->clocks.at[i]->opened = s->clocks.at[i]->next;
    for (size_t i = 0; i < s->groups.count; i++) {
        sim_group *g = s->groups.at[i];
        g->until = until;
        g->leads = g == leader;
        g->calls = g->tasks_due = false;
        g->joins = joins;
        if (!g->elsewhere) group_tasks_wake(g);
    }
}

void window_close(sim *s)
{
    const sim_group *failed = NULL;
    sim_time last = 0;
    for (size_t i = 0; i < s->groups.count; i++) {
        const sim_group *g = s->groups.at[i];
        if (g->error && (!failed || g->now < failed->now || (g->now == failed->now && g->order < failed->order)))
            failed = g;
        if (g->now > last) last = g->now;
    }
    deliver(s, failed ? failed->now : SIM_FOREVER, failed ? failed->order : 0);
    if (!s->error) s->now = failed ? failed->now : last;
    if (failed) sim_fail(s, "%s", failed->error);
    for (size_t i = 0; i < s->groups.count; i++) {
        sim_group *g = s->groups.at[i];
        if (g->last_progress > s->last_progress) s->last_progress = g->last_progress;
        s->stop |= g->stop;
        g->stop = false;
        g->posted.count = g->delivered = g->sent = g->events.count = 0;
        for (size_t k = 0; k < g->queue.ready.count; k++) *list_add(&s->queue.ready) = g->queue.ready.at[k];
        g->queue.ready.count = 0;
    }
    s->grouped = tasks_grouped(s);
}

/* One thread's part of a round. */
static void run_part(void *arg, unsigned thread)
{
    sim *s = arg;
    for (size_t i = 0; i < s->teams.count; i++)
        if (s->teams.at[i].thread == thread) team_run(&s->teams.at[i], s->weighs);
    atomic_fetch_sub(&s->at_work, 1);
    waves_help(s, thread);
}

static void run_round(sim *s, thread_pool *c)
{
    s->rounds++;
    if (c) {
        atomic_store(&s->at_work, thread_pool_threads(c));
        thread_pool_run(c, run_part, s);
    }
    for (size_t i = 0; i < s->teams.count; i++) {
        const team *t = &s->teams.at[i];
        if (!c) team_run(&s->teams.at[i], s->weighs);
        for (size_t k = 0; k < t->count; k++)
            if (t->at[k]->error || t->at[k]->stop) window_shorten(s, t->at[k]->now + 1);
    }
}

static sim_time next_wait(const sim_group *g) { return g->elsewhere ? g->next_wait : group_tasks_next(g); }

/* Groups as far as each can; again, until all are through. A leader first, and alone; others meanwhile only as far as
 * it waits for them. */
static void run_groups(sim *s, const sim_group *leader, thread_pool *c)
{
    for (;;) {
        sim_time all = SIM_FOREVER, halt = SIM_FOREVER; /* all: have come up to it */
        bool more = false;
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_time r = reached(s->groups.at[i]);
            if (r < all) all = r;
        }
        bool leading = leader && !finished(leader), stuck = leading && leader->waits && leader->now > all;
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_group *g = s->groups.at[i];
            bool may = !finished(g) && !(g->waits && g->now > all);
            g->runs = may && (!leading || stuck || g == leader);
            if (g->runs && g->waits) {
                deliver(s, g->now, ORDER_TASKS);
                if (g->now > s->delivered) s->delivered = g->now;
            }
            sim_time wait = !may && g->waits ? g->now : g->runs && g->asks ? next_wait(g) : SIM_FOREVER;
            if ((c || s->lane_sets.count || s->ranks || stuck) && wait < halt && wait >= g->now) halt = wait + 1;
            more |= g->runs;
        }
        if (!more) return;
        /* threads and lanes: up to the first one that waits, or is about to, so that all can go on from there and none
         * is waited for by all
         */
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_group *g = s->groups.at[i];
            g->halt = !g->runs ? 0 : halt < g->until ? halt : g->until;
        }
        run_round(s, leading && !stuck ? NULL : c);
        if (s->ranks) ranks_exchange(s);
    }
}

/* A whole number of periods of the fastest clock, if it is longer than one: so groups with such a clock, whatever its
 * phase, have equally many edges of it, and those that share lanes go through all of them together. */
sim_time window_longest(const sim *s)
{
    const sim_time longest = s->window < s->least_latency ? s->window : s->least_latency;
    sim_time period = SIM_FOREVER;
    for (size_t i = 0; i < s->clocks.count; i++)
        if (s->clocks.at[i]->period < period) period = s->clocks.at[i]->period;
    return longest > period ? longest - longest % period : longest;
}

/* Of a window whose first edge is at `t`: it begins where the last one ended, though nothing happens just then. */
static sim_time window_next_end(const sim *s, sim_time t)
{
    const sim_time longest = window_longest(s), since = t - s->window_end;
    return t + longest - (t >= s->window_end && since < longest / 4 ? since : 0);
}

sim_window_counts sim_windows(const sim *s) { return (sim_window_counts){s->windows, s->rounds}; }

bool window_run(sim *s, sim_time t, sim_time limit)
{
    if (s->falls && s->ranks)
        sim_fail(s, "a model on a clock of this run works on falling edges: expected no ranks with it");
    if (s->falls) return false;
    if (!s->ranks && (!s->window || s->groups.count < 3 || s->groups.at[0]->clocks.count || s->params.pins))
        return false;
    if (s->waves_base && s->params.waves_from == SIM_FOREVER) return false; /* recording may start at any time */
    sim_group *leader;
    sim_time until = window_next_end(s, t), bound = tasks_bound(s, &leader);
    if (s->params.watchdog && until - s->last_progress > s->params.watchdog)
        until = s->last_progress + s->params.watchdog + 1;
    if (until > bound) until = bound;
    if (until > limit) until = limit == SIM_FOREVER ? limit : limit + 1;
    bool edge = until <= t; /* a task of no group may go on now */
    if (edge && !s->ranks) return false;
    if (edge) {
        until = t + 1;
        leader = NULL;
    }
    s->window_end = until;
    thread_pool *c = balance_begin(s, until - t);
    double began = sim_wall();
    s->delivered = t;
    open_window(s, until, leader, edge ? t : SIM_FOREVER);
    run_groups(s, leader, c);
    if (s->ranks) ranks_skip(s);
    window_close(s);
    if (edge) ranks_meet(s, t, 0);
    else if (leader && leader->calls && !s->error)
        (s->ranks ? ranks_meet : meet)(s, leader->now, leader->tasks_due ? 0 : s->queue.ready.count);
    balance_end(s, sim_wall() - began, until - t);
    return true;
}
