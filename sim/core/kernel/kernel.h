/* Shared by the files of sim/core: its objects, and the functions of this folder. Others include sim.h or model.h. */
#ifndef SIM_CORE_KERNEL_KERNEL_H
#define SIM_CORE_KERNEL_KERNEL_H

#include "sim/core/kernel/model.h"
#include "sim/core/kernel/sim.h"
#include "sim/core/kernel/splitmix64.h"

#include <stdatomic.h>
#include <stdbool.h>

/* A growing array: LIST(type) l; *list_add(&l) = x. Memory exhaustion ends the program: a simulation cannot go on
 * without. */
#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        size_t count, room;                                                                                            \
    }
#define list_add(l)                                                                                                    \
    ((l)->count < (l)->room ? (void)0 : (void)((l)->at = list_grow((l)->at, &(l)->room, sizeof *(l)->at)),             \
     (l)->at + (l)->count++)
#define list_free(l) (free((l)->at), (l)->at = NULL, (l)->count = (l)->room = 0)
void *list_grow(void *at, size_t *room, size_t size);
/* calloc that ends the program with a message when memory is exhausted. */
void *new_zeroed(size_t size);
char *new_string(const char *text);

typedef struct thread_pool thread_pool;

typedef struct {
    void (*fn)(void *);
    void *self;
} attachment;
typedef LIST(attachment) attachments;

typedef struct {
    sim_model *model;
    uint8_t *port;
    const uint8_t *enable;
    uint32_t signal; /* in the waves file; 0: not there */
    bool shown;      /* ... and its value there */
} clocked_port;

typedef LIST(sim_clock *) clock_list;

/* An edge of a clock, and all that the ones behind it follow from. */
typedef struct {
    sim_time time;
    uint64_t ideal_whole, ideal_frac; /* without jitter, 64.64 fixed point */
    uint64_t random;                  /* state of the jitter's own stream */
} clock_edge;

struct sim_clock {
    sim *s;
    sim_group *group;
    char *name;
    sim_time period, jitter;
    uint64_t step_whole, step_frac; /* true period [ps], 64.64 fixed point */
    clock_edge next;
    clock_edge opened;         /* `next` as it was when the window began (window.c) */
    size_t index;              /* in sim.clocks */
    bool falls;                /* a model does something at its falling edges */
    sim_time fall;             /* next falling edge if it falls, else SIM_FOREVER */
    struct fst_stream *stream; /* NULL: no waves are written */
    sim_time fall_shown;       /* in the waves: its next falling edge; SIM_FOREVER: there is none before it rises */
    uint64_t cycles;
    attachments samples, drives;
    LIST(clocked_port) ports;
    LIST(sim_model *) models; /* of these ports, each once */
    LIST(sim_task *) waiting;
    uint64_t look; /* the cycle from which one of these may go on */
};

typedef struct {
    sim_clock *clock;
    uint8_t *port;
    const uint8_t *enable; /* of the clock buffer in front of the port */
} connection;

typedef struct {
    void (*dump)(void *self, FILE *f);
    void *self;
    const char *name;
    const sim_group *group; /* NULL: any */
} report;

struct sim_model {
    sim *s;
    const sim_config *config;
    void *impl;
    char *name;
    void *context;        /* of the engine */
    struct lane_set *set; /* NULL: evaluated alone */
    unsigned lane;
    bool stays_alone; /* ... though it has a lane */
    bool in_lane; /* its state is in the lane; as in lane_set.joined, which belongs to the thread that runs the set */
    bool settled; /* nothing has happened to it since its last evaluation with clocks low */
    LIST(connection) clocks;
    LIST(uint8_t *) low; /* ports of these that are low while it settles: clocks that fall do that in their own time */
    void *binding;
    LIST(sim_port) ports;
    LIST(void *) views; /* sim_model_as, sim_model_ports_as */
    sim_time edge;      /* its last one */
    void *recorder;     /* of its waves, NULL: none are written */
    uint64_t shown;     /* times that it has shown it */
    struct fst_stream *stream;
    FILE *pins;      /* where they are recorded, NULL: nowhere yet */
    bool pins_ended; /* ... nor later */
};

/* Models that are evaluated together. */
typedef struct lane_set {
    const sim_lanes *kind;
    void *lanes;
    sim_model *model[SIM_LANES_MOST];
    unsigned taken;
    uint32_t joined;       /* lanes that hold the state of their models */
    uint32_t due;          /* lanes that settle next */
    uint32_t rises;        /* ... that have settled, and whose clocks rise next */
    struct lane_set *next; /* of those with such lanes */
    unsigned evaluations;  /* so far, if they are checked */
} lane_set;

/* Tasks that go on, or wait for a time. */
typedef struct {
    LIST(sim_task *) ready, timed;
    size_t ready_next;
    uint64_t turn; /* waits for a time begun so far */
    sim_task *current;
    struct stack *home; /* where a task switches back to: the stack of sim_run, or of the caller that runs a group */
} task_queue;

/* An event posted to all (sim_post) and not delivered yet. */
typedef struct {
    sim_time time;
    size_t order; /* within this time, as if all groups went edge by edge */
    void (*deliver)(void *self, const void *event);
    void *self;
    size_t at, size; /* of the event in `events` */
    bool others;     /* delivered in other ranks only */
} posted;
typedef struct {
    _Alignas(16) unsigned char at[16];
} event_piece;

/* Which level of balance.c is the fastest. */
enum { TRIAL_WINDOWS = 24 /* of each of two levels */ };
typedef struct {
    unsigned level, other;         /* the best one up to now, and the one that is tried; the same: none is */
    bool moved;                    /* by this trial: no other direction is tried */
    bool least;                    /* that one is tried, from a level that is not its neighbour */
    unsigned windows;              /* of this trial */
    unsigned seen[2];              /* that count, of the one and of the other */
    double pace[2][TRIAL_WINDOWS]; /* [s per ps] of each of these */
    uint64_t next;                 /* window from which to try again */
    unsigned pause;                /* windows until then */
} trial;
enum { MOST_THREADS = 256 };

enum {
    ORDER_DRIVES = 1 << 16,
    ORDER_TASKS = 1 << 17
}; /* posted.order: index of the clock in phase 2, then in phase 4, then phase 5 */

/* Of the i-th clock in sim_group.due. */
#define CLOCK_DUE(i) (1u << (i) % 32)

struct sim_group {
    sim *s;
    char *name;
    size_t index;              /* in sim.groups */
    unsigned rank;             /* in which it runs */
    bool elsewhere;            /* not in this one: what follows is as that one says */
    clock_list clocks, rising; /* rising: with an edge now */
    unsigned due;              /* which of its clocks, one bit each, have an edge at `next` */
    sim_clock *alone;          /* the only one of them that has; NULL: several */
    sim_time next;             /* first edge of its clocks that has not been run */
    task_queue queue;
    size_t live; /* unfinished tasks of it */

    /* while it runs in a window */
    sim_time now, until; /* edges before `until` are run */
    sim_time halt;       /* ... those before `halt` now */
    sim_time wake;       /* when the first of its tasks that wait for a time goes on; SIM_FOREVER: not before `until` */
    sim_time last_progress;
    size_t order;
    bool leads; /* a task of no group may go on because of what this group does: it runs alone, ahead of all others */
    bool calls; /* ... and does now */
    sim_time joins;        /* edge at which its tasks run together with those of all groups; SIM_FOREVER: none */
    bool tasks_due;        /* of that time: all edges have been run, the tasks of all go on together */
    bool waits;            /* a task of it is in sim_deliver */
    sim_time delivered_at; /* ... or was, and all events up to then are delivered */
    bool asks;             /* its tasks called sim_deliver when they went on last */
    bool runs;             /* in this round */
    bool stop;
    char *error;
    LIST(posted) posted;
    size_t delivered;
    LIST(event_piece) events;
    size_t sent;        /* of `posted`, to other ranks */
    sim_time next_wait; /* elsewhere: group_tasks_next */
    LIST(size_t) ended; /* tasks of which other ranks do not know that they are over */
};

/* Groups that go step by step together in a window, in one thread. */
typedef struct {
    sim_group *at[SIM_LANES_MOST];
    size_t count;
    unsigned fast;   /* the bit in `due` of the clock with the shortest period */
    uint64_t cost;   /* time of a processor that it took lately [ns] */
    unsigned thread; /* that runs it */
} team;

struct sim {
    sim_params params;
    char *error; /* NULL: none */
    sim_time now, last_progress;
    uint64_t random[4];
    bool stop;
    bool on_terminal; /* stderr is; asked once, because a run may be of one clock */

    LIST(sim_group *) groups; /* the first one: of clocks without a group */
    LIST(sim_clock *) clocks;
    bool falls;        /* one of them falls */
    clock_list rising; /* clocks with an edge now */
    LIST(report) reports, waiting;
    report status; /* dump may be NULL */

    /* model.c */
    LIST(sim_model *) models;
    LIST(lane_set *) lane_sets;
    const sim_engine *engine;
    void *context; /* of the one that was made last */

    /* waves.c */
    char *waves_base;       /* file name without .fst, NULL: no waves */
    char *waves_path;       /* of the one that is being recorded */
    struct fst_file *waves; /* not NULL: recording */
    unsigned waves_files;
    bool waves_started;   /* the automatic start has happened */
    bool waves_left;      /* there is a file */
    bool waves_lost;      /* nothing has been recorded that should have been */
    bool waves_older;     /* files of an older ring are there */
    sim_time waves_asked; /* from then on events are looked at: each model with a signal of them has had an edge of each
                             of its clocks */
    struct event *waves_event[2]; /* by which recording begins and ends, NULL: none; while it is recorded */
    LIST(char *) scopes;          /* all that there are in the waves */

    /* cycles.c */
    struct sim_cycles *cycles; /* of all models (sim_params.cycles) */

    /* task.c */
    LIST(sim_task *) tasks, common; /* common: unfinished ones without a group */
    task_queue queue;               /* of those; while groups are synchronised, the ready ones of all */
    bool grouped;                   /* there are tasks of groups */

    /* window.c, balance.c */
    sim_time window;     /* longest lookahead window; 0: none */
    sim_time window_end; /* of the last one */
    LIST(team) teams;
    size_t teams_models, teams_groups;       /* how many there were when teams were made */
    sim_time least_latency;                  /* between two groups */
    unsigned threads;                        /* at most */
    unsigned level, least_level, most_level; /* how the work is spread (balance.c) */
    thread_pool *thread_pool;                /* NULL: this thread alone, up to now */
    atomic_uint at_work;                     /* threads of it that run groups in this round */
    sim_time delivered;                      /* in a window: all events posted before are delivered */
    uint64_t windows, rounds;                /* run so far */
    bool weighs, weigh_next; /* this window measures what each team costs, or the next one that counts */
    trial trial;

    struct ranks *ranks; /* ranks.c; NULL: this process alone */
};

uint64_t random_hash(uint64_t seed, const char *name);

/* sim.c */
/* The group that this thread runs in a window, NULL: none of this sim. */
sim_group *group_here(const sim *s);

/* guard.c */
/* Signals that end a run, from a run's begin to its end. */
void guard_signals(void);
void guard_signals_end(void);
/* The model that this thread evaluates. */
typedef struct {
    const sim_model *model; /* NULL: nothing */
    unsigned count;
} evaluation;
extern _Thread_local evaluation evaluating;
static inline void evaluation_begin(const sim_model *m)
{
    evaluating.model = m;
    evaluating.count++;
}
static inline void evaluation_end(void) { evaluating.model = NULL; }
/* This thread is going to evaluate models; may be called again. A thread that ends calls the other one. */
void guard_thread(void);
void guard_thread_end(void);
/* false: work(arg) was left in the middle, because a model did not come back, and is not going to be evaluated any
 * more. */
bool guard_run(void (*work)(void *arg), void *arg);
const char *guard_complaint(void);

/* clock.c */
sim_time clock_not_before(const sim_clock *c, uint64_t n); /* the n-th edge from now comes then or later; n >= 1 */
void clock_free(sim_clock *c);
sim_group *group_new(sim *s, const char *name);
void group_free(sim_group *g);

/* An edge not before `now`: the ideal place, kept with 64 fractional bits so that it never drifts, plus this edge's own
 * jitter. */
static inline void clock_edge_place(const sim_clock *c, clock_edge *e, sim_time now)
{
    sim_time time = e->ideal_whole;
    if (c->jitter) {
        uint64_t j = splitmix64_below(&e->random, 2 * c->jitter + 1);
        time = time + j > now + c->jitter ? time + j - c->jitter : now;
    }
    e->time = time;
}

static inline void clock_edge_next(const sim_clock *c, clock_edge *e)
{
    e->ideal_frac += c->step_frac;
    e->ideal_whole += c->step_whole + (e->ideal_frac < c->step_frac);
    clock_edge_place(c, e, e->time);
}

/* Fills in `next`, `due` and `alone`. */
static inline void group_find_next(sim_group *g)
{
    sim_time next = SIM_FOREVER;
    unsigned due = 0;
    sim_clock *alone = NULL, *const *at = g->clocks.at, *const *const end = at + g->clocks.count;
    if (g->clocks.count == 2 && at[0]->next.time != at[1]->next.time) { /* a node */
        const size_t first = at[1]->next.time < at[0]->next.time;
        g->next = at[first]->next.time;
        g->due = CLOCK_DUE(first);
        g->alone = at[first];
        return;
    }
    for (unsigned bit = CLOCK_DUE(0); at < end; at++, bit = bit << 1 | bit >> 31) {
        const sim_time t = (*at)->next.time;
        if (t < next) {
            next = t;
            due = bit;
            alone = *at;
        } else if (t == next) {
            due |= bit;
            alone = NULL;
        }
    }
    g->next = next;
    g->due = due;
    g->alone = alone;
}

/* In the order in which the clocks were made. */
static inline void clock_add(clock_list *rising, sim_clock *c)
{
    *list_add(rising) = c;
    for (size_t k = rising->count - 1; k && rising->at[k - 1]->index > c->index; k--) {
        rising->at[k] = rising->at[k - 1];
        rising->at[k - 1] = c;
    }
}

/* Adds those of its clocks that rise next. */
static inline void group_rising(const sim_group *g, clock_list *rising)
{
    if (g->alone) {
        clock_add(rising, g->alone);
        return;
    }
    for (size_t i = 0; i < g->clocks.count; i++)
        if (g->clocks.at[i]->next.time == g->next) clock_add(rising, g->clocks.at[i]);
}

/* edge.c, edge.h */
void models_fall(sim_clock *c);
void model_evaluate(sim_model *m, sim_time now);
void model_settle(sim_model *m, sim_time now); /* one, not before an edge: changes no state */

/* model.c */
void models_free(sim *s);

/* cycles.c, of a sim with sim_params.cycles */
void cycles_follow(sim *s); /* counts what has come since the last run, too */
void cycles_end(sim *s);    /* prints the table */
/* ports.c */
bool listed(const char *list, const char *name); /* stands it there, with a space between? NULL is an empty list */

/* pins.c */
void pins_record(sim_model *m); /* before an edge, its inputs have passed through, its clocks are low */
void pins_close(sim_model *m);

/* task.c */
void tasks_run(
    sim *s,
    size_t last); /* phase 5 of an edge; number that were ready before: they run behind those that become ready now */
/* The same in ranks, step by step: who goes on, those of groups before the first of none, all. A group's task goes on
 * as in a window. */
void tasks_collect(sim *s, size_t last);
void tasks_run_first(sim *s);
void tasks_run_all(sim *s);
bool tasks_common(const sim *s);       /* any that goes on is of no group */
bool tasks_join(const sim *s);         /* one of no group waits for the end of one of a group */
void task_over(sim *s, size_t number); /* known in all ranks */
sim_time tasks_next(const sim *s);
/* Earliest time at which a task without a group may go on; 0: any. If it also may by what one group does: that group,
 * else NULL. */
sim_time tasks_bound(const sim *s, sim_group **leader);
bool tasks_grouped(const sim *s); /* there are unfinished tasks of groups */
void tasks_free(sim *s);
size_t tasks_live(const sim *s);
/* About when the first of its tasks goes on that waits for clocks: then, or some picoseconds before. */
sim_time group_tasks_next(const sim_group *g);
void group_tasks_wake(sim_group *g); /* fills in `wake` */
/* At an edge: one of its tasks may go on. */
static inline bool group_tasks_due(const sim_group *g)
{
    sim_clock *const *at = g->rising.at, *const *const end = at + g->rising.count;
    for (; at < end; at++)
        if ((*at)->cycles >= (*at)->look) return true;
    return g->queue.ready.count || g->wake <= g->now;
}
void group_tasks_run(sim_group *g);   /* phase 5 of an edge of a group in a window */
void group_tasks_go_on(sim_group *g); /* the rest of it, from where a task waited in sim_deliver */

#endif
