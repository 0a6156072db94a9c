/* Assignment of work in a window: teams of groups, distributed to threads by cost, and trials that find the fastest
 * assignment.
 *
 * Groups whose models are in lanes together are one team, which one thread runs, and lanes cost the same however many
 * are in use. So a thread that has less to do may take groups out of the lanes, whose models are evaluated alone then.
 * How the work is spread is a level:
 *
 *   0   this thread alone, all in lanes
 *   1   several threads, all in lanes
 *   2.. several threads, one group out of the lanes, two ...
 *
 * The fastest level depends on the machine, on what else runs there and on the traffic. So from time to time the next
 * one is tried, by turns with the one that was the best up to now, then the one before; and first of all the least one:
 * on a machine that has got something else to do several threads are slower at every level. Results do not depend on
 * it. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "sim/core/parallel/parallel.h"

#include <sched.h>
#include <stdlib.h>

enum { WEIGH = 64 /* windows from one in which teams are weighed to the next */ };
/* A trial runs A, B, B, A (only A, B if B is much slower). In the first windows of a turn the
 * new teams are weighed, and what they need comes into the processors' caches. Of the others of both turns the middle
 * one counts, by time: what else the machine does makes some much longer. Then there is no trial for this many windows,
 * and for twice as many after the next one. */
enum { WARM = 4, TURN = WARM + TRIAL_WINDOWS / 2, TRIAL = 4 * TURN, PAUSE = 512, LONGEST_PAUSE = 8192 };
#define MUCH_SLOWER 1.1

unsigned sim_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

void sim_threads(sim *s, unsigned threads)
{
    thread_pool_free(s->thread_pool);
    s->thread_pool = NULL;
    s->threads = threads ? threads : sim_processors();
    if (s->threads > MOST_THREADS) s->threads = MOST_THREADS;
    s->least_level = threads > 1;
    s->trial = (trial){.level = s->least_level, .other = s->least_level, .pause = PAUSE};
}

/* ---- teams ---- */

/* The lanes that models of a group are in; its team: groups with the same ones. */
static const lane_set *lanes_of(const sim_group *g)
{
    for (size_t i = 0; i < g->clocks.count; i++)
        for (size_t k = 0; k < g->clocks.at[i]->ports.count; k++) {
            const sim_model *m = g->clocks.at[i]->ports.at[k].model;
            if (m->set && !m->stays_alone) return m->set;
        }
    return NULL;
}

static void leave_lanes(const sim_group *g, bool leaves)
{
    for (size_t i = 0; i < g->clocks.count; i++)
        for (size_t k = 0; k < g->clocks.at[i]->ports.count; k++)
            lanes_leave(g->clocks.at[i]->ports.at[k].model, leaves);
}

static unsigned fastest(const sim_group *g)
{
    size_t fast = 0;
    for (size_t i = 1; i < g->clocks.count; i++)
        if (g->clocks.at[i]->period < g->clocks.at[fast]->period) fast = i;
    return CLOCK_DUE(fast);
}

/* As a level says. */
static void make_teams(sim *s, unsigned level)
{
    unsigned in_lanes = 0;
    for (size_t i = 0; i < s->groups.count; i++) {
        leave_lanes(s->groups.at[i], false);
        in_lanes += lanes_of(s->groups.at[i]) != NULL;
    }
    s->most_level = s->threads < 2 ? 0 : 1 + (in_lanes > 1 ? in_lanes : 0);
    for (size_t i = s->groups.count; i-- && level > 1;) {
        if (!lanes_of(s->groups.at[i])) continue;
        leave_lanes(s->groups.at[i], true);
        level--;
    }
    s->teams.count = 0;
    for (size_t i = 0; i < s->groups.count; i++) {
        sim_group *g = s->groups.at[i];
        if (g->elsewhere) continue;
        const lane_set *set = lanes_of(g);
        size_t k = 0;
        while (k < s->teams.count &&
               !(set && lanes_of(s->teams.at[k].at[0]) == set && s->teams.at[k].count < SIM_LANES_MOST))
            k++;
        if (k == s->teams.count) *list_add(&s->teams) = (team){.fast = fastest(g)};
        s->teams.at[k].at[s->teams.at[k].count++] = g;
    }
    for (size_t i = 0; i < s->teams.count; i++)
        if (s->teams.at[i].count == 1) leave_lanes(s->teams.at[i].at[0], true);
    s->teams_models = s->models.count;
    s->teams_groups = s->groups.count;
}

/* The largest team that is left goes to the thread with the least to do. */
static void share_out(sim *s, unsigned threads)
{
    uint64_t load[MOST_THREADS] = {0};
    for (size_t i = 0; i < s->teams.count; i++) s->teams.at[i].thread = threads;
    for (;;) {
        team *largest = NULL;
        unsigned least = 0;
        for (size_t i = 0; i < s->teams.count; i++) {
            team *t = &s->teams.at[i];
            if (t->thread == threads && (!largest || t->cost > largest->cost)) largest = t;
        }
        if (!largest) break;
        for (unsigned i = 1; i < threads; i++)
            if (load[i] < load[least]) least = i;
        largest->thread = least;
        load[least] += largest->cost + 1;
    }
    for (size_t i = 0; i < s->teams.count; i++) s->teams.at[i].cost /= 2;
}

/* ---- levels ---- */

static bool others_turn(const trial *t) { return t->other != t->level && t->windows >= TURN && t->windows < 3 * TURN; }

/* Windows count that are as long as most will be. */
static bool counts(const sim *s, sim_time time) { return time >= window_longest(s) / 2; }

thread_pool *balance_begin(sim *s, sim_time time)
{
    const trial *t = &s->trial;
    const unsigned level = others_turn(t) ? t->other : t->level;
    const bool weighed = s->weighs,
               anew = level != s->level || s->teams_models != s->models.count || s->teams_groups != s->groups.count;
    if (anew) make_teams(s, level);
    s->level = level;
    s->weigh_next |= s->windows++ % WEIGH == 0 || anew;
    s->weighs = s->weigh_next && counts(s, time);
    if (s->weighs) s->weigh_next = false;
    if (!level) return NULL;
    if (!s->thread_pool)
        s->thread_pool = thread_pool_new(s->threads < s->groups.count ? s->threads : (unsigned)s->groups.count - 1);
    if (anew || weighed) share_out(s, thread_pool_threads(s->thread_pool));
    return s->thread_pool;
}

/* To be tried next: a level, or the present one for none now. */
static void try_next(sim *s, unsigned level)
{
    trial *t = &s->trial;
    t->other = level >= s->least_level && level <= s->most_level ? level : t->level;
    t->windows = 0;
    t->seen[0] = t->seen[1] = 0;
    if (t->other != t->level) return;
    t->next = s->windows + t->pause;
    if (t->pause < LONGEST_PAUSE) t->pause *= 2;
}

static unsigned neighbour(const sim *s)
{
    return s->trial.level < s->most_level ? s->trial.level + 1 : s->trial.level - 1;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(double *pace, unsigned count)
{
    qsort(pace, count, sizeof *pace, compare);
    return pace[count / 2];
}

void balance_end(sim *s, double wall, sim_time time)
{
    trial *t = &s->trial;
    if (t->other == t->level) {
        if (s->windows >= t->next) {
            t->moved = false;
            t->least = t->level > s->least_level + 1;
            try_next(s, t->least ? s->least_level : neighbour(s));
        }
        return;
    }
    if (!counts(s, time)) return;
    const bool other = others_turn(t);
    if (t->windows % TURN >= WARM) t->pace[other][t->seen[other]++] = wall / (double)time;
    if (++t->windows != 2 * TURN && t->windows < TRIAL) return;
    const double one = middle(t->pace[0], t->seen[0]), two = middle(t->pace[1], t->seen[1]);
    if (t->windows < TRIAL && two < one * MUCH_SLOWER) return;
    const bool least = t->least, up = t->other > t->level, faster = two < one;
    t->least = false;
    if (faster) t->level = t->other;
    if (least) try_next(s, neighbour(s));
    else if (faster) {
        t->moved = true;
        try_next(s, up ? t->level + 1 : t->level - 1);
    } else try_next(s, up && !t->moved ? t->level - 1 : t->level);
}
