/* Tasks: blocking C on stacks of its own, resumed in the drive phase. */
#include "simulation.h"
#include "test.h"

#include <signal.h>
#include <string.h>

struct bench {
    sim *s;
    sim_clock *c;
    char text[256];
    sim_task *one, *two;
    int flag, phase; /* phase: 1 between sample and drive of the clock */
    uint64_t value;
};

static void say(struct bench *b, const char *text)
{
    ck_assert_uint_lt(strlen(b->text) + strlen(text), sizeof b->text);
    strcat(b->text, text);
}

static struct bench new_bench(void)
{
    struct bench b = {.s = quiet_sim(0)};
    b.c = make_clock(b.s, "c", 1000, 0);
    return b;
}

static void wait_and_tell(void *arg)
{
    struct bench *b = arg;
    ck_assert_uint_eq(sim_clock_cycles(b->c), 1); /* started at the first edge */
    sim_wait_cycles(b->c, 3);
    ck_assert_uint_eq(sim_clock_cycles(b->c), 4);
    sim_wait_cycles(b->c, 0);
    ck_assert_uint_eq(sim_clock_cycles(b->c), 4);
    sim_wait_time(b->s, 1);
    ck_assert_uint_eq(sim_now(b->s), 4000);
    sim_wait_time(b->s, 2000);
    ck_assert_uint_eq(sim_now(b->s), 6000);
    say(b, "end");
}

TEST(waits_end_at_the_edge_they_name)
{
    struct bench b = new_bench();
    sim_task *t = sim_task_new(b.s, "t", wait_and_tell, &b);
    ck_assert_str_eq(sim_task_name(t), "t");
    ck_assert(!sim_task_done(t));
    ck_assert_int_eq(sim_run(b.s, SIM_US), SIM_OK);
    ck_assert(sim_task_done(t));
    ck_assert_str_eq(b.text, "end");
    ck_assert_ptr_null(sim_task_current(b.s));
}

static int flag_is_set(void *arg) { return ((struct bench *)arg)->flag; }

static void raise_flag_at_five(void *self)
{
    struct bench *b = self;
    if (sim_clock_cycles(b->c) == 5) b->flag = 1;
}

static void wait_for_flag(void *arg)
{
    struct bench *b = arg;
    sim_wait_until(b->c, flag_is_set, b);
    b->value = sim_clock_cycles(b->c);
    sim_wait_until(b->c, flag_is_set, b); /* true: goes on in the same clock */
    ck_assert_uint_eq(sim_clock_cycles(b->c), b->value);
}

TEST(a_condition_set_by_a_drive_is_seen_in_the_same_clock)
{
    struct bench b = new_bench();
    sim_clock_attach(b.c, NULL, raise_flag_at_five, &b);
    sim_task_new(b.s, "t", wait_for_flag, &b);
    ck_assert_int_eq(sim_run(b.s, SIM_US), SIM_OK);
    ck_assert_uint_eq(b.value, 5);
}

static void take_flag(void *arg)
{
    struct bench *b = arg;
    sim_wait_until(b->c, flag_is_set, b);
    ck_assert_int_eq(b->flag, 1); /* a task that took it in the same clock makes this one wait on */
    b->flag = 0;
    b->value++;
}

TEST(a_condition_undone_by_another_task_does_not_hold)
{
    struct bench b = new_bench();
    sim_clock_attach(b.c, NULL, raise_flag_at_five, &b);
    sim_task_new(b.s, "t1", take_flag, &b);
    sim_task_new(b.s, "t2", take_flag, &b);
    ck_assert_int_eq(sim_run(b.s, 20000), SIM_TIME_LIMIT);
    ck_assert_uint_eq(b.value, 1);
    b.flag = 1;
    ck_assert_int_eq(sim_run(b.s, 40000), SIM_OK);
    ck_assert_uint_eq(b.value, 2);
}

static void sleeper(void *arg)
{
    struct bench *b = arg;
    ck_assert_ptr_eq(sim_task_current(b->s), b->one);
    sim_block(b->s);
    say(b, "a");
    sim_block(b->s); /* woken already: the wake is remembered */
    say(b, "c");
    b->value = sim_clock_cycles(b->c);
}

static void waker(void *arg)
{
    struct bench *b = arg;
    sim_wait_cycles(b->c, 4);
    sim_wake(b->one);
    sim_wake(b->one);
    say(b, "w");
    sim_wait_cycles(b->c, 1);
    say(b, "b");
    sim_wake(b->one);
    sim_join(b->one);
    say(b, "j");
    sim_join(b->one); /* ended: returns at once */
}

TEST(block_wake_and_join)
{
    struct bench b = new_bench();
    b.one = sim_task_new(b.s, "one", sleeper, &b);
    b.two = sim_task_new(b.s, "two", waker, &b);
    ck_assert_int_eq(sim_run(b.s, SIM_US), SIM_OK);
    ck_assert_str_eq(b.text, "wabcj");
    ck_assert_uint_eq(b.value, 6);
}

static void wake_from_drive(void *self)
{
    struct bench *b = self;
    if (sim_clock_cycles(b->c) == 7) sim_wake(b->one);
}

static void sleep_once(void *arg)
{
    struct bench *b = arg;
    sim_block(b->s);
    b->value = sim_clock_cycles(b->c);
}

TEST(a_wake_from_a_drive_takes_effect_in_that_clock)
{
    struct bench b = new_bench();
    sim_clock_attach(b.c, NULL, wake_from_drive, &b);
    b.one = sim_task_new(b.s, "one", sleep_once, &b);
    ck_assert_int_eq(sim_run(b.s, SIM_US), SIM_OK);
    ck_assert_uint_eq(b.value, 7);
}

static void use_stack(void *arg)
{
    struct bench *b = arg;
    volatile char deep[128 * 1024];
    for (size_t i = 0; i < sizeof deep; i++) deep[i] = (char)i;
    sim_wait_cycles(b->c, 2);
    for (size_t i = 0; i < sizeof deep; i++) b->value += deep[i] == (char)i;
}

static void parent(void *arg)
{
    struct bench *b = arg;
    sim_task *t[20];
    for (int i = 0; i < 20; i++) t[i] = sim_task_new(b->s, "child", use_stack, b);
    for (int i = 0; i < 20; i++) sim_join(t[i]);
    say(b, "all");
}

TEST(tasks_make_tasks_and_keep_their_stacks)
{
    struct bench b = new_bench();
    sim_task_new(b.s, "parent", parent, &b);
    ck_assert_int_eq(sim_run(b.s, SIM_US), SIM_OK);
    ck_assert_str_eq(b.text, "all");
    ck_assert_uint_eq(b.value, 20 * 128 * 1024);
}

static void overflow(void *arg)
{
    volatile char deep[4096];
    volatile unsigned *left = arg;
    deep[0] = 1;
    if (--*left) overflow(arg);
    deep[1] = deep[0]; /* no tail call */
}

TEST(a_stack_that_overflows_hits_the_guard_page, .signal = SIGSEGV)
{
    struct bench b = new_bench();
    volatile unsigned left = 1000; /* 4 MB */
    signal(SIGSEGV, SIG_DFL);      /* ThreadSanitizer has a handler, which exits */
    sim_task_new(b.s, "deep", overflow, (void *)&left);
    sim_run(b.s, SIM_US);
}

static void without_clocks(void *arg)
{
    struct bench *b = arg;
    sim_wait_time(b->s, 500);
    b->value = sim_now(b->s);
}

TEST(without_clocks_tasks_make_time_pass)
{
    struct bench b = {.s = quiet_sim(0)};
    sim_task_new(b.s, "t", without_clocks, &b);
    ck_assert_int_eq(sim_run(b.s, SIM_US), SIM_OK);
    ck_assert_uint_eq(b.value, 500);
    b.one = sim_task_new(b.s, "one", sleep_once, &b);
    ck_assert_int_eq(sim_run(b.s, SIM_US), SIM_FAILED); /* waits for ever */
    ck_assert_ptr_nonnull(strstr(sim_error(b.s), "1 tasks wait"));
}
