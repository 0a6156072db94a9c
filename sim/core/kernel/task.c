/* Tasks: host software on stacks of its own. */
#include "sim/core/kernel/stack.h"
#include "sim/core/parallel/parallel.h"

#include <stdlib.h>
#include <string.h>

/* Condition that a task waits for. */
typedef enum {
    TASK_RUNS,
    TASK_CYCLES,
    TASK_CONDITION,
    TASK_TIME,
    TASK_OTHERS /* a wake, an end, or all groups */
} task_wait;

struct sim_task {
    sim *s;
    sim_group *group; /* NULL: none */
    char *name;
    void (*fn)(void *);
    void *arg;
    stack *stack;  /* NULL: it runs in another rank, or no more */
    size_t number; /* in sim.tasks */
    bool done, queued, sleeping, woken;
    bool over; /* done as far as its own rank knows */
    task_wait waits;
    sim_clock *clock; /* CYCLES, CONDITION */
    sim_group *by;    /* OTHERS: of this group, NULL: of any */
    bool by_common;   /* ... or it is a task of no group */
    uint64_t cycle;
    int (*ready)(void *);
    void *ready_arg;
    sim_time time, since; /* TIME */
    uint64_t turn;        /* of those that wait since the same time */
    sim_time wake;        /* the edge of any clock at which it goes on, as far as that is known; else SIM_FOREVER */
    LIST(sim_task *) joiners;
};

/* Where those that may run now are. */
static task_queue *queue_here(sim *s)
{
    sim_group *g = group_here(s);
    return g ? &g->queue : &s->queue;
}

static void queue(sim_task *t)
{
    sim_group *g = group_here(t->s);
    if (t->queued || t->done) return;
    if (g && g->leads && !t->group) {
        g->calls = t->queued = true;
        *list_add(&t->s->queue.ready) = t;
        return;
    }
    if (g && t->group != g) {
        fprintf(stderr, "sim: group %s wakes task %s, which is not its own, in a lookahead window\n", g->name, t->name);
        abort();
    }
    t->queued = true;
    *list_add(&queue_here(t->s)->ready) = t;
}

static void leave(sim_task *t, task_wait waits)
{
    t->waits = waits;
    stack_leave(t->stack, t->done);
}

static void enter(task_queue *q, sim_task *t)
{
    q->current = t;
    t->waits = TASK_RUNS;
    stack_enter(q->home, t->stack);
    q->current = NULL;
}

/* A task is over when all ranks know: tasks of no group go the same way in each. */
static void end_in_rank(sim_task *t)
{
    t->over = true;
    *list_add(&t->group->ended) = t->number;
    for (size_t i = 0; i < t->joiners.count; i++)
        if (t->joiners.at[i]->group) queue(t->joiners.at[i]);
        else t->group->calls = true;
    leave(t, TASK_OTHERS);
}

static void task_main(void *self)
{
    sim_task *t = self;
    sim *s = t->s;
    t->fn(t->arg);
    if (s->ranks && t->group) end_in_rank(t);
    t->done = true;
    if (t->group) {
        t->group->live--;
        if (!group_here(s)) s->grouped = tasks_grouped(s);
    } else {
        size_t kept = 0;
        for (size_t i = 0; i < s->common.count; i++)
            if (s->common.at[i] != t) s->common.at[kept++] = s->common.at[i];
        s->common.count = kept;
    }
    for (size_t i = 0; i < t->joiners.count; i++) queue(t->joiners.at[i]);
    leave(t, TASK_OTHERS);
}

static void task_end(sim_task *t)
{
    stack_free(t->stack);
    t->stack = NULL;
}

static sim_task *make(sim *s, sim_group *group, const char *name, void (*fn)(void *), void *arg)
{
    task_queue *own = group ? &group->queue : &s->queue;
    if (group_here(s)) {
        fprintf(stderr, "sim: task %s is made in a lookahead window\n", name);
        abort();
    }
    if (!own->home) own->home = stack_of_caller();
    if (!s->queue.home) s->queue.home = stack_of_caller();
    sim_task *t = new_zeroed(sizeof *t);
    t->s = s;
    t->group = group;
    t->name = new_string(name);
    t->fn = fn;
    t->arg = arg;
    t->number = s->tasks.count;
    *list_add(&s->tasks) = t;
    if (group) {
        group->live++;
        s->grouped = true;
    } else *list_add(&s->common) = t;
    if (group && group->elsewhere) return t;
    t->stack = stack_new(task_main, t);
    queue(t);
    return t;
}

sim_task *sim_task_new(sim *s, const char *name, void (*fn)(void *), void *arg) { return make(s, NULL, name, fn, arg); }

sim_task *sim_task_new_in(sim_group *g, const char *name, void (*fn)(void *), void *arg)
{
    return make(g->s, g, name, fn, arg);
}

bool tasks_grouped(const sim *s)
{
    for (size_t i = 0; i < s->groups.count; i++)
        if (s->groups.at[i]->live) return true;
    return false;
}

size_t tasks_live(const sim *s)
{
    size_t live = s->common.count;
    for (size_t i = 0; i < s->groups.count && s->grouped; i++) live += s->groups.at[i]->live;
    return live;
}

static void queue_free(task_queue *q)
{
    list_free(&q->ready);
    list_free(&q->timed);
    stack_free(q->home);
    q->home = NULL;
}

void task_over(sim *s, size_t number)
{
    sim_task *t = s->tasks.at[number];
    t->done = true;
    t->group->live--;
    s->grouped = tasks_grouped(s);
    task_end(t);
    for (size_t i = 0; i < t->joiners.count; i++)
        if (!t->joiners.at[i]->group) queue(t->joiners.at[i]);
}

void tasks_free(sim *s)
{
    for (size_t i = 0; i < s->tasks.count; i++) {
        sim_task *t = s->tasks.at[i];
        task_end(t);
        list_free(&t->joiners);
        free(t->name);
        free(t);
    }
    list_free(&s->tasks);
    list_free(&s->common);
    queue_free(&s->queue);
    for (size_t i = 0; i < s->groups.count; i++) queue_free(&s->groups.at[i]->queue);
}

int sim_task_done(const sim_task *t) { return t->done; }

const char *sim_task_name(const sim_task *t) { return t->name; }

sim_task *sim_task_current(sim *s) { return queue_here(s)->current; }

/* ---- waiting ---- */

static sim_task *current(sim *s, const char *what)
{
    sim_task *t = queue_here(s)->current;
    if (!t) {
        fprintf(stderr, "sim: %s outside of a task\n", what);
        abort();
    }
    return t;
}

static sim_task *current_on(sim_clock *c, const char *what)
{
    sim_task *t = current(c->s, what);
    if (t->group && t->group != c->group) {
        fprintf(stderr, "sim: %s: task %s of group %s waits for clock %s, which is not of that group\n", what, t->name,
                t->group->name, c->name);
        abort();
    }
    return t;
}

static void wait_at(sim_clock *c, sim_task *t, uint64_t look)
{
    *list_add(&c->waiting) = t;
    if (look < c->look) c->look = look;
}

void sim_wait_cycles(sim_clock *c, uint64_t n)
{
    sim_task *t = current_on(c, "sim_wait_cycles");
    if (!n) return;
    t->clock = c;
    t->cycle = c->cycles + n;
    t->ready = NULL;
    wait_at(c, t, t->cycle);
    leave(t, TASK_CYCLES);
}

void sim_wait_until(sim_clock *c, int (*ready)(void *), void *arg)
{
    sim_task *t = current_on(c, "sim_wait_until");
    t->clock = c;
    while (!ready(arg)) { /* again after the switch: a task that went on first may have undone it */
        t->ready = ready;
        t->ready_arg = arg;
        wait_at(c, t, 0);
        leave(t, TASK_CONDITION);
    }
}

void sim_wait_time(sim *s, sim_time ps)
{
    sim_task *t = current(s, "sim_wait_time");
    if (!ps) return;
    t->since = sim_now(s);
    t->time = t->since + ps;
    t->turn = queue_here(s)->turn++;
    t->wake = SIM_FOREVER;
    *list_add(t->group ? &t->group->queue.timed : &s->queue.timed) = t;
    leave(t, TASK_TIME);
}

void sim_join(sim_task *other)
{
    sim_task *t = current(other->s, "sim_join");
    while (!other->done && !(other->over && other->group == t->group)) {
        *list_add(&other->joiners) = t;
        t->by = other->group;
        t->by_common = !other->group;
        leave(t, TASK_OTHERS);
    }
}

static void block(sim *s, sim_group *by)
{
    sim_task *t = current(s, "sim_block");
    t->by = by;
    t->by_common = false;
    if (!t->woken) {
        t->sleeping = true;
        leave(t, TASK_OTHERS);
        t->sleeping = false;
    }
    t->woken = false;
}

void sim_block(sim *s) { block(s, NULL); }

void sim_block_on(const sim_clock *c) { block(c->s, c->group); }

void sim_wake(sim_task *t)
{
    t->woken = true;
    if (t->sleeping) queue(t);
}

void sim_deliver(sim *s)
{
    sim_group *g = group_here(s);
    sim_task *t = current(s, "sim_deliver");
    if (!g || g->delivered_at == g->now) return; /* all are here */
    g->waits = true;
    leave(t, TASK_OTHERS);
}

/* ---- running ---- */

/* Moves the tasks of a list whose wait is over to the ready queue, keeps the others in order. */
#define COLLECT(list, t, over)                                                                                         \
    do {                                                                                                               \
        size_t kept = 0;                                                                                               \
        for (size_t i = 0; i < (list)->count; i++) {                                                                   \
            sim_task *t = (list)->at[i];                                                                               \
            if (over) queue(t);                                                                                        \
            else (list)->at[kept++] = t;                                                                               \
        }                                                                                                              \
        (list)->count = kept;                                                                                          \
    } while (0)

static void collect_waiting(const clock_list *rising)
{
    for (size_t r = 0; r < rising->count; r++) {
        sim_clock *c = rising->at[r];
        if (c->cycles < c->look) continue;
        COLLECT(&c->waiting, t, t->ready ? t->ready(t->ready_arg) : c->cycles >= t->cycle);
        c->look = UINT64_MAX;
        for (size_t i = 0; i < c->waiting.count; i++) {
            const sim_task *t = c->waiting.at[i];
            if (t->ready) c->look = 0;
            else if (t->cycle < c->look) c->look = t->cycle;
        }
    }
}

/* Those in the ready queue from `first` on have waited for a time, group by group: they go on in the order in which
 * they began to. */
static void sort_timed(task_queue *q, size_t first)
{
    for (size_t i = first + 1; i < q->ready.count; i++) {
        sim_task *t = q->ready.at[i];
        size_t k = i;
        for (; k > first; k--) {
            sim_task *before = q->ready.at[k - 1];
            if (before->since < t->since || (before->since == t->since && before->turn <= t->turn)) break;
            q->ready.at[k] = before;
        }
        q->ready.at[k] = t;
    }
}

/* Work left by a stop goes on in the next run. */
static void forget_run(task_queue *q)
{
    size_t kept = 0;
    for (size_t i = q->ready_next; i < q->ready.count; i++) q->ready.at[kept++] = q->ready.at[i];
    q->ready.count = kept;
    q->ready_next = 0;
}

static void run_ready(task_queue *q, const bool *stop, char *const *error, const bool *waits)
{
    while (q->ready_next < q->ready.count && !*error && !*stop && !*waits) {
        sim_task *t = q->ready.at[q->ready_next++];
        t->queued = false;
        enter(q, t);
    }
    if (!*waits) forget_run(q);
}

void tasks_collect(sim *s, size_t last)
{
    collect_waiting(&s->rising);
    size_t first = s->queue.ready.count;
    COLLECT(&s->queue.timed, t, t->time <= s->now);
    if (s->grouped) {
        for (size_t g = 0; g < s->groups.count; g++) COLLECT(&s->groups.at[g]->queue.timed, t, t->time <= s->now);
        sort_timed(&s->queue, first);
    }
    for (; last; last--) {
        sim_task *t = s->queue.ready.at[0];
        memmove(s->queue.ready.at, s->queue.ready.at + 1, (s->queue.ready.count - 1) * sizeof(sim_task *));
        s->queue.ready.at[s->queue.ready.count - 1] = t;
    }
}

void tasks_run(sim *s, size_t last)
{
    static const bool never;
    tasks_collect(s, last);
    run_ready(&s->queue, &s->stop, &s->error, &never);
}

/* ---- in ranks ---- */

static void run_in_group(sim_task *t)
{
    sim_group *g = group_running = t->group;
    bool asks = g->asks;
    g->now = g->delivered_at = t->s->now;
    g->order = ORDER_TASKS;
    *list_add(&g->queue.ready) = t;
    group_tasks_go_on(g);
    g->asks = asks;
    group_running = NULL;
}

void tasks_run_first(sim *s)
{
    task_queue *q = &s->queue;
    while (q->ready_next < q->ready.count && q->ready.at[q->ready_next]->group)
        run_in_group(q->ready.at[q->ready_next++]);
}

void tasks_run_all(sim *s)
{
    task_queue *q = &s->queue;
    while (q->ready_next < q->ready.count && !s->error && !s->stop) {
        sim_task *t = q->ready.at[q->ready_next++];
        if (t->group) run_in_group(t);
        else {
            t->queued = false;
            enter(q, t);
        }
    }
    forget_run(q);
}

bool tasks_common(const sim *s)
{
    for (size_t i = s->queue.ready_next; i < s->queue.ready.count; i++)
        if (!s->queue.ready.at[i]->group) return true;
    return false;
}

bool tasks_join(const sim *s)
{
    for (size_t i = 0; i < s->common.count; i++)
        if (s->common.at[i]->waits == TASK_OTHERS && s->common.at[i]->by) return true;
    return false;
}

void sim_do_in(sim_group *g, void (*fn)(void *arg), void *arg, void *result, size_t size)
{
    if (!g->s->ranks || group_here(g->s)) {
        fn(arg);
        return;
    }
    sim_join(sim_task_new_in(g, "call", fn, arg));
    sim_same(g, result, size);
}

/* Without clocks, tasks alone make time pass. */
sim_time tasks_next(const sim *s)
{
    sim_time t = s->queue.ready.count ? s->now : SIM_FOREVER;
    for (size_t i = 0; i < s->queue.timed.count; i++)
        if (s->queue.timed.at[i]->time < t) t = s->queue.timed.at[i]->time;
    return t;
}

/* ---- groups in windows ---- */

sim_time tasks_bound(const sim *s, sim_group **leader)
{
    *leader = NULL;
    sim_time bound = s->queue.ready.count || !s->common.count ? 0 : SIM_FOREVER;
    for (size_t i = 0; i < s->common.count; i++) {
        const sim_task *t = s->common.at[i];
        sim_time at = 0;
        if (t->waits == TASK_TIME) at = t->time;
        if (t->waits == TASK_CONDITION) at = t->clock->next.time;
        if (t->waits == TASK_CYCLES) at = clock_not_before(t->clock, t->cycle - t->clock->cycles);
        if (t->waits == TASK_OTHERS && (t->by_common || (t->by && (!*leader || *leader == t->by)))) {
            if (t->by) *leader = t->by;
            continue;
        }
        if (at < bound) bound = at;
    }
    return bound;
}

sim_time group_tasks_next(const sim_group *g)
{
    sim_time first = SIM_FOREVER;
    for (size_t i = 0; i < g->clocks.count; i++) {
        const sim_clock *c = g->clocks.at[i];
        for (size_t k = 0; k < c->waiting.count; k++) {
            const sim_task *t = c->waiting.at[k];
            uint64_t n = t->cycle - c->cycles;
            sim_time latest = t->waits == TASK_CYCLES ? clock_not_before(c, n) + n + 2 * c->jitter : SIM_FOREVER;
            if (latest < first) first = latest;
        }
    }
    return first;
}

void group_tasks_wake(sim_group *g)
{
    g->wake = SIM_FOREVER;
    for (size_t i = 0; i < g->queue.timed.count; i++) {
        sim_task *t = g->queue.timed.at[i];
        if (t->wake == SIM_FOREVER && t->time < g->until) t->wake = window_edge(g->s, t->time);
        if (t->wake < g->wake) g->wake = t->wake;
    }
}

void group_tasks_go_on(sim_group *g)
{
    if (g->waits) {
        g->waits = false;
        g->delivered_at = g->now;
        enter(&g->queue, g->queue.ready.at[g->queue.ready_next - 1]);
    }
    if (g->queue.ready.count) {
        run_ready(&g->queue, &g->stop, &g->error, &g->waits);
        g->asks = g->delivered_at == g->now;
    }
    group_tasks_wake(g);
}

void group_tasks_run(sim_group *g)
{
    collect_waiting(&g->rising);
    COLLECT(&g->queue.timed, t, t->time <= g->now);
    if (g->queue.ready.count) group_tasks_go_on(g);
}
