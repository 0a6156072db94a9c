/* Lookahead windows, threads, ranks and SIMD batches, for the files of sim/core. */
#ifndef SIM_CORE_PARALLEL_PARALLEL_H
#define SIM_CORE_PARALLEL_PARALLEL_H

#include "sim/core/kernel/kernel.h"

/* window.c */
extern _Thread_local sim_group *group_running;
/* Runs all groups in a window, if they may: from the next edge at `t` up to `limit` at the latest. false: all go one
 * edge together. */
bool window_run(sim *s, sim_time t, sim_time limit);
sim_time window_longest(const sim *s);
/* In a window: the first edge of any clock at `time` or later. */
sim_time window_edge(const sim *s, sim_time time);
/* Is delivered with the other events. */
void keep_posted(sim_group *g, const posted *t, const void *event);
void window_call(sim_group *g);              /* a task of no group goes on because of what g has done now */
void window_shorten(sim *s, sim_time until); /* groups that have not come as far go no further */
void window_rising(sim *s, sim_time now);    /* all go on at `now`: fills in sim.rising */
void window_close(sim *s); /* all events are delivered, and the sim goes on from where its groups are */

/* balance.c: who runs what */
/* Before a window of such a length, which these threads run; NULL: this one alone. Fills in the teams. */
thread_pool *balance_begin(sim *s, sim_time time);
void balance_end(sim *s, double wall, sim_time time); /* ... and after it: what it took [s], and simulated */

/* ranks.c */
void ranks_new(sim *s);
void ranks_free(sim *s);
void ranks_place(sim_group *g); /* a new one */
void ranks_exchange(sim *s);    /* exchanges the progress of groups and tasks, and data on their way */
void ranks_agree(sim *s);       /* what has failed in one of them has failed in all */
void ranks_skip(sim *s);        /* at the end of a window, clocks of groups elsewhere */
void ranks_meet(sim *s, sim_time now,
                size_t last); /* all edges at `now` have been run: the tasks of all; `last`: see tasks_run */
void ranks_report(sim *s, const report *r, FILE *f); /* f NULL: for those of other ranks only */
void ranks_fail(const sim *s, const char *text);     /* this rank cannot go on: ends all */
bool ranks_interrupted(const sim *s);                /* any of them, at the last exchange */

/* thread_pool.c: threads that do the same work side by side */
thread_pool *thread_pool_new(unsigned threads); /* the calling one among them; fewer if the system has no more */
void thread_pool_free(thread_pool *c);          /* NULL is allowed */
unsigned thread_pool_threads(const thread_pool *c);
/* work(arg, i) in each thread i; returns when all are through. */
void thread_pool_run(thread_pool *c, void (*work)(void *arg, unsigned thread), void *arg);

/* lanes.c */
void lanes_take(sim_model *m);                   /* before anybody sees its ports */
extern _Thread_local lane_set *lanes_waiting;    /* in this thread */
static inline void lanes_due(const sim_model *m) /* settles in lanes_run */
{
    lane_set *set = m->set;
    if (!set->due) {
        set->next = lanes_waiting;
        lanes_waiting = set;
    }
    set->due |= 1u << m->lane;
}
/* Evaluates what edges_settle left due in this thread; and with `edge` the same models once more, behind edges_rise. */
void lanes_run(bool edge);
void lanes_leave(sim_model *m, bool leaves); /* it is evaluated alone from now on, or again as the others are */
void lanes_show(const sim_model *m);         /* what signals of it show is up to date */
void lanes_free(sim *s);

#endif
