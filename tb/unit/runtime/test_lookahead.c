/* Lookahead windows of groups of clocks: for any windows and threads the results are those of a run edge by edge. */
#include "simulation.h"
#include "test.h"

#include "sim/core/kernel/splitmix64.h"

#include <stdatomic.h>
#include <string.h>

enum {
    MOST_THREADS = 5 /* more than there are groups */,
    GROUPS = 3,
    CLOCKS = 2,
    WORDS = 1 << 12,
    DISTANCE = 16000 /* [ps] between groups */
};

TEST_CASE("lookahead", .timeout = 60);

struct world;

/* Writes a word at each edge of its first clock, and reads those of the others some time later at each edge of its
 * second. */
struct place {
    struct world *w;
    unsigned number;
    sim_group *group;
    sim_clock *clock[CLOCKS];
    sim_time when[WORDS];
    uint64_t word[WORDS], read[GROUPS];
    _Atomic uint64_t written;
    uint64_t seen; /* follows from all that it has seen, and when */
    uint64_t random;
    sim_time delivered;       /* the last sim_delivered of its task */
    sim_task *task, *sleeper; /* sleeper: of no group, woken by a drive */
};

struct world {
    sim *s;
    struct place place[GROUPS];
    uint64_t events, delivered; /* sum over the blocks' events in their order; their number */
    uint64_t events_of_tasks;
    uint64_t all;            /* sum of the observations of the task of no group */
    _Atomic sim_time latest; /* that any block has seen */
    atomic_uint back;        /* times that a block has seen an earlier time: groups run in windows */
    int stop, fail_at;
};

static void mix(uint64_t *sum, uint64_t value) { *sum = splitmix64_mix(*sum ^ value); }

static void deliver(void *self, const void *event)
{
    struct world *w = self;
    uint64_t event_words[4];
    memcpy(event_words, event, sizeof event_words);
    ck_assert_uint_eq(sim_now(w->s), event_words[1]);
    for (unsigned i = 0; i < GROUPS; i++) ck_assert_uint_ge(event_words[1], w->place[i].delivered);
    if (event_words[3]) {
        mix(&event_words[0], event_words[1]);
        w->events_of_tasks += event_words[0]; /* of two at the same time either may be the first */
        return;
    }
    mix(&w->events, event_words[0] ^ event_words[2]);
    mix(&w->events, event_words[1]);
    w->delivered++;
}

static void post(struct place *p, uint64_t what, int task)
{
    uint64_t event_words[4] = {what, sim_now(p->w->s), p->number, (uint64_t)task};
    sim_post(p->w->s, deliver, p->w, event_words, sizeof event_words);
}

static void sample(void *self)
{
    struct place *p = self;
    struct world *w = p->w;
    sim_time now = sim_now(w->s);
    if (now < w->latest) w->back++;
    w->latest = now;
    if (p->written == WORDS) return;
    p->when[p->written] = now;
    p->word[p->written] = p->seen;
    p->written++;
    if (p->seen % 8 == 0) post(p, p->seen, 0);
}

static void drive(void *self)
{
    struct place *p = self;
    sim_time now = sim_now(p->w->s);
    for (unsigned i = 0; i < GROUPS; i++) {
        const struct place *other = &p->w->place[i];
        while (p->read[i] < other->written && other->when[p->read[i]] + DISTANCE <= now)
            mix(&p->seen, other->word[p->read[i]++]);
    }
    mix(&p->seen, now);
    if (p->seen % 4 == 0) post(p, p->seen + 1, 0);
    if (p->seen % 16 == 0) sim_progress(p->w->s);
    if (p->sleeper && p->seen % 8 == 0) {
        sim_task *sleeper = p->sleeper;
        p->sleeper = NULL;
        sim_wake(sleeper);
    }
    if (p->number == 1 && p->w->fail_at && sim_clock_cycles(p->clock[1]) == (uint64_t)p->w->fail_at)
        sim_fail(p->w->s, "edge %d of group 1", p->w->fail_at);
}

static int odd(void *arg) { return (int)((struct place *)arg)->seen & 1; }

static void work(void *arg)
{
    struct place *p = arg;
    sim *s = p->w->s;
    while (!p->w->stop) {
        switch (splitmix64(&p->random) % 5) {
        case 0:
            sim_wait_cycles(p->clock[splitmix64(&p->random) % CLOCKS], 1 + splitmix64(&p->random) % 40);
            break;
        case 1:
            sim_wait_time(s, 1 + splitmix64(&p->random) % 60000);
            break;
        case 2:
            sim_wait_until(p->clock[0], odd, p);
            sim_wait_cycles(p->clock[1], 1);
            break;
        case 3:
            sim_deliver(s);
            p->delivered = sim_delivered(s);
            ck_assert_uint_eq(p->delivered, sim_now(s));
            mix(&p->seen, p->w->delivered);
            break;
        default:
            mix(&p->seen, sim_now(s));
            sim_wait_time(s, 1);
        }
        mix(&p->seen, sim_clock_cycles(p->clock[0]));
        p->delivered = sim_delivered(s);
        ck_assert_uint_le(p->delivered, sim_now(s));
        if (p->seen % 3 == 0) post(p, p->seen + 2, 1);
    }
}

/* Ends by itself. */
static void errand(void *arg)
{
    struct place *p = arg;
    sim_wait_cycles(p->clock[p->seen & 1], 1 + p->seen % 30);
    if (p->seen % 3 == 0) sim_wait_time(p->w->s, 1 + p->seen % 10000);
    if (p->seen % 5 == 0) sim_deliver(p->w->s);
    mix(&p->seen, p->seen % 5 == 0 ? p->w->delivered : 1);
}

static int many_delivered(void *arg)
{
    struct world *w = arg;
    return w->delivered % 50 > 40;
}

static void look(struct world *w)
{
    mix(&w->all, sim_now(w->s));
    mix(&w->all, w->events + w->events_of_tasks);
    for (unsigned i = 0; i < GROUPS; i++) {
        mix(&w->all, w->place[i].seen);
        mix(&w->all, sim_clock_cycles(w->place[i].clock[1]));
    }
}

/* Of no group: sees everything, and changes it. */
static void lead(void *arg)
{
    struct world *w = arg;
    for (unsigned i = 0; i < GROUPS; i++) {
        sim_wait_time(w->s, 7777);
        w->place[i].task = sim_task_new_in(w->place[i].group, "work", work, &w->place[i]);
    }
    for (unsigned round = 0; round < 12; round++) { /* each kind of them twice */
        look(w);
        sim_wait_time(w->s, 1 + 40000 * (round % 3));
        look(w);
        sim_wait_cycles(w->place[round % GROUPS].clock[round & 1], 1 + 5 * round);
        mix(&w->place[round % GROUPS].seen, round);
        sim_wait_until(w->place[0].clock[0], many_delivered, w);
        struct place *p = &w->place[(round / 2) % GROUPS];
        sim_task *task = sim_task_new_in(p->group, "errand", errand, p);
        if (round & 1) {
            sim_join(task);
            look(w);
        }
        p->sleeper = sim_task_current(w->s);
        sim_block_on(p->clock[0]);
        look(w);
        sim_join(task);
    }
    w->stop = 1;
    for (unsigned i = 0; i < GROUPS; i++) sim_join(w->place[i].task);
    look(w);
}

/* Jitter, edges at the same time, and clocks of which one is many times as fast; by seed. */
static struct world *world(uint64_t seed, sim_time window, unsigned threads, sim_time watchdog)
{
    static const char *const names[GROUPS][CLOCKS] = {{"a0", "a1"}, {"b0", "b1"}, {"c0", "c1"}};
    static const sim_time periods[] = {1000, 1300, 5000, 1000, 999, 20000};
    struct world *w = test_memory(sizeof *w);
    sim_params params;
    sim_params_default(&params);
    params.seed += seed;
    params.quiet = 1;
    params.waves = NULL;
    params.watchdog = watchdog;
    w->s = sim_of(&params);
    for (unsigned i = 0; i < GROUPS; i++) {
        struct place *p = &w->place[i];
        *p = (struct place){.w = w, .number = i, .random = params.seed + i, .seen = i};
        p->group = sim_group_new(w->s, names[i][0]);
        for (unsigned k = 0; k < CLOCKS; k++) {
            sim_time period = periods[(seed + CLOCKS * i + k) % COUNT(periods)];
            sim_clock_params c = {names[i][k],       period,  seed & 1 ? 100.0 * i - k : 0, seed & 2 ? period / 3 : 0,
                                  seed & 4 ? -1 : 0, p->group};
            p->clock[k] = sim_clock_new(w->s, &c);
            sim_clock_attach(p->clock[k], k ? NULL : sample, k ? drive : NULL, p);
        }
    }
    for (unsigned i = 0; i < GROUPS; i++)
        for (unsigned k = 0; k < i; k++) sim_latency(w->s, w->place[i].clock[0], w->place[k].clock[1], DISTANCE);
    sim_lookahead(w->s, window);
    sim_threads(w->s, threads);
    return w;
}

static void same(const struct world *a, const struct world *b)
{
    ck_assert_uint_eq(a->all, b->all);
    ck_assert_uint_eq(a->events, b->events);
    ck_assert_uint_eq(a->events_of_tasks, b->events_of_tasks);
    ck_assert_uint_eq(a->delivered, b->delivered);
    ck_assert_uint_eq(sim_now(a->s), sim_now(b->s));
    for (unsigned i = 0; i < GROUPS; i++) {
        ck_assert_uint_eq(a->place[i].seen, b->place[i].seen);
        for (unsigned k = 0; k < CLOCKS; k++)
            ck_assert_uint_eq(sim_clock_cycles(a->place[i].clock[k]), sim_clock_cycles(b->place[i].clock[k]));
    }
}

static const sim_time windows[] = {1, 999, 1000, 3001, 8000, 15999, 16000, SIM_US};

TEST(windows_change_nothing, .to = 8)
{
    struct world *together = world((uint64_t)_i, 0, 1, 0);
    sim_task_new(together->s, "lead", lead, together);
    ck_assert_int_eq(sim_run(together->s, SIM_FOREVER), SIM_OK);
    ck_assert_uint_eq(together->back, 0);
    ck_assert_uint_gt(together->delivered, 100);
    for (unsigned i = 0; i < COUNT(windows);
         i++) { /* each window with threads in one half of the worlds, without in the other */
        sim_time window = windows[i];
        unsigned alone = window < 3000 || (i + (unsigned)_i) % 2; /* for less, threads would only wait for each other */
        struct world *w = world((uint64_t)_i, window, alone ? 1 : (i + (unsigned)_i / 2) % MOST_THREADS, 0);
        sim_task_new(w->s, "lead", lead, w);
        ck_assert_int_eq(sim_run(w->s, SIM_FOREVER), SIM_OK);
        same(together, w);
        if (window > 3000) ck_assert_uint_gt(w->back, 20);
    }
}

static void idle(void *arg)
{
    struct world *w = arg;
    for (;;) sim_wait_time(w->s, SIM_US);
}

/* With a task of no group that waits for nothing else. */
static struct world *idle_world(int variation, sim_time window, unsigned threads, sim_time watchdog)
{
    struct world *w = world((uint64_t)variation, window, threads, watchdog);
    sim_task_new(w->s, "idle", idle, w);
    for (unsigned i = 0; i < GROUPS; i++) sim_task_new_in(w->place[i].group, "work", work, &w->place[i]);
    return w;
}

TEST(a_run_ends_at_its_limit_and_goes_on, .to = 8)
{
    struct world *a = idle_world(_i, 0, 1, 0), *b = idle_world(_i, SIM_US, (unsigned)_i % MOST_THREADS, 0);
    for (sim_time limit = 12345; limit < 400000; limit += limit / 2) {
        ck_assert_int_eq(sim_run(a->s, limit), SIM_TIME_LIMIT);
        ck_assert_int_eq(sim_run(b->s, limit), SIM_TIME_LIMIT);
        same(a, b);
    }
    ck_assert_uint_gt(b->back, 20);
}

TEST(the_watchdog_bites_at_the_same_edge, .to = 8)
{
    struct world *a = idle_world(_i, 0, 1, 30000), *b = idle_world(_i, SIM_US, (unsigned)_i % MOST_THREADS, 30000);
    ck_assert_int_eq(sim_run(a->s, SIM_MS), SIM_WATCHDOG);
    ck_assert_int_eq(sim_run(b->s, SIM_MS), SIM_WATCHDOG);
    same(a, b);
    ck_assert_str_eq(sim_error(a->s), sim_error(b->s));
}

TEST(a_failure_has_the_same_time_and_text, .to = 8)
{
    struct world *a = idle_world(_i, 0, 1, 0), *b = idle_world(_i, SIM_US, (unsigned)_i % MOST_THREADS, 0);
    a->fail_at = b->fail_at = 10;
    ck_assert_int_eq(sim_run(a->s, SIM_MS), SIM_FAILED);
    ck_assert_int_eq(sim_run(b->s, SIM_MS), SIM_FAILED);
    ck_assert_str_eq(sim_error(a->s), "edge 10 of group 1");
    ck_assert_str_eq(sim_error(b->s), sim_error(a->s));
    ck_assert_uint_eq(sim_now(b->s), sim_now(a->s));
    ck_assert_uint_eq(b->place[1].seen, a->place[1].seen);
    ck_assert_uint_eq(b->events, a->events);
}

static void draw(void *self) { sim_random(((struct world *)self)->s); }

TEST(random_numbers_are_refused_in_windows)
{
    struct world *w = idle_world(0, 0, 1, 0);
    sim_clock_attach(w->place[2].clock[0], draw, NULL, w);
    ck_assert_int_eq(sim_run(w->s, 100000), SIM_TIME_LIMIT);
    sim_lookahead(w->s, SIM_US);
    ck_assert_int_eq(sim_run(w->s, SIM_MS), SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(w->s), "random"));
}

static void stop(void *self) { sim_stop(((struct world *)self)->s); }

TEST(a_run_that_a_group_stops_goes_on, .to = 2)
{
    struct world *w = idle_world(_i, SIM_US, 1 + (unsigned)_i, 0);
    ck_assert_int_eq(sim_run(w->s, 100000), SIM_TIME_LIMIT);
    sim_clock_attach(w->place[1].clock[0], stop, NULL, w);
    uint64_t cycles = sim_clock_cycles(w->place[1].clock[0]);
    ck_assert_int_eq(sim_run(w->s, SIM_MS), SIM_STOPPED);
    ck_assert_uint_eq(sim_clock_cycles(w->place[1].clock[0]), cycles + 1);
    ck_assert_uint_lt(sim_now(w->s), 100000 + 2 * 20000 + DISTANCE);
    sim_clock_detach(w->place[1].clock[0], w);
    ck_assert_int_eq(sim_run(w->s, 300000), SIM_TIME_LIMIT);
    uint64_t written = 0;
    for (unsigned i = 0; i < GROUPS; i++) written += w->place[i].written;
    ck_assert_uint_gt(written, 0);
}

/* ---- conditions that synchronise groups */

enum { NO_WINDOW, ONE_GROUP, LOOSE_CLOCK, SLEEPING_TASK, JOINING_TASKS, NO_TASK, TOGETHER };

static void sleep_for_ever(void *arg) { sim_block(((struct world *)arg)->s); }

static void join_task(void *arg) { sim_join(arg); }

TEST(all_go_together, .to = TOGETHER)
{
    struct world *w = world(1, _i == NO_WINDOW ? 0 : SIM_US, 2, 0);
    w->place[0].task = sim_task_new_in(w->place[0].group, "work", work, &w->place[0]);
    if (_i != NO_TASK) sim_task_new(w->s, "idle", idle, w);
    if (_i == LOOSE_CLOCK) make_clock(w->s, "loose", 5000, 0);
    if (_i == SLEEPING_TASK) sim_task_new(w->s, "sleep", sleep_for_ever, w);
    w->place[1].task = sim_task_new_in(w->place[1].group, "work", work, &w->place[1]);
    for (int i = 0; i < 2 && _i == JOINING_TASKS; i++) sim_task_new(w->s, "join", join_task, w->place[i].task);
    if (_i == ONE_GROUP) {
        sim_params params;
        sim_params_default(&params);
        params.quiet = 1;
        sim *s = sim_of(&params);
        sim_group *g = sim_group_new(s, "g");
        struct place p = {.w = w, .group = g};
        w->s = s;
        for (unsigned k = 0; k < CLOCKS; k++)
            p.clock[k] = sim_clock_new(s, &(sim_clock_params){k ? "y" : "x", 1000 + k, 0, 0, 0, g});
        sim_clock_attach(p.clock[0], sample, NULL, &p);
        sim_clock_attach(p.clock[1], sample, NULL, &p);
        sim_lookahead(s, SIM_US);
        sim_task_new(s, "idle", idle, w);
        ck_assert_int_eq(sim_run(s, 100000), SIM_TIME_LIMIT);
    } else {
        ck_assert_int_eq(sim_run(w->s, 100000), SIM_TIME_LIMIT);
    }
    ck_assert_uint_eq(w->back, 0);
}

/* ---- actions forbidden to a task of a group */

static void wait_elsewhere(void *arg)
{
    struct world *w = arg;
    sim_wait_cycles(w->place[1].clock[0], 1);
}

TEST(a_task_waits_for_clocks_of_its_group_only, .signal = SIGABRT)
{
    struct world *w = world(0, 0, 1, 0);
    sim_task_new_in(w->place[0].group, "stray", wait_elsewhere, w);
    sim_run(w->s, SIM_US);
}

static void make_task(void *arg)
{
    struct world *w = arg;
    for (;;) {
        sim_wait_cycles(w->place[0].clock[0], 100);
        if (w->back) sim_task_new_in(w->place[0].group, "late", idle, w);
    }
}

TEST(a_task_is_made_while_all_are_together, .signal = SIGABRT)
{
    struct world *w = idle_world(0, SIM_US, 1, 0);
    sim_task_new_in(w->place[0].group, "maker", make_task, w);
    sim_run(w->s, SIM_MS);
}
