/* Windows: each group of clocks runs alone for a while, then the next one, and the results are those of going edge by edge together.
 *
 * A window is a time in which no group can see what another one does: shorter than the least time from an end of a cable to the other
 * (sim_meet), and over before a task of no group may go on, since that may look at everything. Then each group has its own time, tasks and
 * progress, and what it tells the others (sim_tell) is kept with its time; heard is in the order in which it would have been told edge by
 * edge. A task that must know at once what others have told (sim_hear) keeps its group back until all have come as far. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "sim/runtime/internal.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* All that was told before this, in order. */
static void hear(sim *s, sim_time time, size_t order)
{
    while (!s->error) {
        sim_group *first = NULL;
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_group *g = s->groups.at[i];
            const told *n = first_told(g), *m = first ? first_told(first) : NULL;
            if (n && before(n, m ? m->time : time, m ? m->order : order)) first = g;
        }
        if (!first) return;
        const told *t = first_told(first);
        first->heard++;
        s->now = t->time;
        t->hear(t->self, &first->events.at[t->at]);
    }
}

/* ---- a group ---- */

static uint64_t cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Up to `halt`, or until a task of it waits for others. */
static void group_run(sim_group *g)
{
    const uint64_t began = g->s->weighs ? cpu_time() : 0;
    group_running = g;
    if (g->waits) group_tasks_go_on(g);
    while (!g->waits && !g->error && !g->stop) {
        sim_time t = g->next < g->wake ? g->next : g->wake;
        if (t >= g->halt) break;
        g->now = t;
        g->rising.count = 0;
        group_rising(g, t, &g->rising);
        edges_run(&g->rising, t, &g->order);
        group_tasks_run(g);
    }
    group_running = NULL;
    if (g->s->weighs) g->cost += cpu_time() - began;
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
    hear(s, failed ? failed->now : SIM_FOREVER, failed ? failed->order : 0);
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

/* One thread's part of a round. */
static void run_part(void *arg, unsigned thread)
{
    sim *s = arg;
    for (size_t i = 0; i < s->groups.count; i++) {
        sim_group *g = s->groups.at[i];
        if (g->runs && g->thread == thread) group_run(g);
    }
}

static void run_round(sim *s, crew *c)
{
    if (c) crew_run(c, run_part, s);
    for (size_t i = 0; i < s->groups.count; i++) {
        sim_group *g = s->groups.at[i];
        if (g->runs && !c) group_run(g);
        if (g->error || g->stop) shorten(s, g->now + 1);
    }
}

/* Groups as far as each can; again, until all are through. */
static void run_groups(sim *s, crew *c)
{
    for (;;) {
        sim_time all = SIM_FOREVER, halt = SIM_FOREVER; /* all: have come up to it */
        bool more = false;
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_time r = reached(s->groups.at[i]);
            if (r < all) all = r;
        }
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_group *g = s->groups.at[i];
            g->runs = !finished(g) && !(g->waits && g->now > all);
            if (g->runs && g->waits) hear(s, g->now, ORDER_TASKS);
            sim_time wait = finished(g) ? SIM_FOREVER : !g->runs ? g->now : g->asks ? group_tasks_next(g) : SIM_FOREVER;
            if (c && wait < halt && wait >= g->now) halt = wait + 1;
            more |= g->runs;
        }
        if (!more) return;
        /* threads: up to the first one that waits, or is about to, so that all can go on from there and none is waited for by all */
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_group *g = s->groups.at[i];
            g->halt = halt < g->until ? halt : g->until;
        }
        run_round(s, c);
    }
}

/* ---- threads ---- */

enum { WEIGH = 64 /* windows from one in which the groups' shares of the work are measured to the next */, TRIAL = 32 };

void sim_threads(sim *s, unsigned threads)
{
    crew_free(s->crew);
    s->crew = NULL;
    s->threads = threads;
    s->trial = (trial){0};
}

unsigned sim_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

static sim_time longest_window(const sim *s)
{
    return s->window < s->meeting ? s->window : s->meeting;
}

/* The largest group that is left goes to the thread with the least to do. */
static void share_out(sim *s, unsigned threads)
{
    uint64_t load[MOST_THREADS] = {0};
    for (size_t i = 0; i < s->groups.count; i++) s->groups.at[i]->thread = threads;
    for (;;) {
        sim_group *largest = NULL;
        unsigned least = 0;
        for (size_t i = 0; i < s->groups.count; i++) {
            sim_group *g = s->groups.at[i];
            if (g->thread == threads && (!largest || g->cost > largest->cost)) largest = g;
        }
        if (!largest) break;
        for (unsigned i = 1; i < threads; i++)
            if (load[i] < load[least]) least = i;
        largest->thread = least;
        load[least] += largest->cost + 1;
    }
    for (size_t i = 0; i < s->groups.count; i++) s->groups.at[i]->cost /= 2;
}

/* Who runs this window: NULL for this thread alone. */
static crew *crew_for(sim *s)
{
    size_t groups = s->groups.count - 1;
    unsigned threads = s->threads ? s->threads : sim_processors();
    bool weighed = s->weighs || !s->crew;
    s->weighs = false;
    if (threads > groups) threads = (unsigned)groups;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (threads < 2 || (s->trial.windows == TRIAL && !s->crew)) return NULL;
    if (!s->crew) s->crew = crew_new(threads);
    if (weighed) share_out(s, crew_threads(s->crew));
    s->weighs = s->windows++ % WEIGH == 0;
    return s->threads || s->trial.windows == TRIAL || s->trial.windows & 1 ? s->crew : NULL;
}

/* Every other window of the trial is run by this thread alone; only those count that are as long as most will be. */
static void try_out(sim *s, const crew *c, double wall, sim_time time)
{
    trial *t = &s->trial;
    if (s->threads || t->windows == TRIAL || time < longest_window(s) / 2 || !s->crew) return;
    t->wall[c != NULL] += wall;
    t->time[c != NULL] += time;
    if (++t->windows < TRIAL) return;
    if (t->wall[1] * (double)t->time[0] < t->wall[0] * (double)t->time[1]) return;
    crew_free(s->crew);
    s->crew = NULL;
}

bool window_run(sim *s, sim_time t, sim_time limit)
{
    if (!s->window || s->groups.count < 3 || s->groups.at[0]->clocks.count || s->waves_base || s->params.pins) return false;
    sim_time until = t + longest_window(s), bound = tasks_bound(s);
    if (s->params.watchdog && until - s->last_progress > s->params.watchdog) until = s->last_progress + s->params.watchdog + 1;
    if (until > bound) until = bound;
    if (until > limit) until = limit == SIM_FOREVER ? limit : limit + 1;
    if (until <= t) return false;
    crew *c = crew_for(s);
    double began = sim_wall();
    open_window(s, until);
    run_groups(s, c);
    close_window(s);
    try_out(s, c, sim_wall() - began, until - t);
    return true;
}
