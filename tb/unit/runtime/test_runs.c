/* End of a run: what it prints; its waves: test_run_waves. */
#include <time.h>

#include "endless.h"
#include "probe_counter.h"
#include "runs_bench.h"

/* ---- ends ---- */

static void stop_at_ten(void *self)
{
    struct bench *b = self;
    if (sim_clock_cycles(b->k) == 10) sim_stop(b->s);
}

TEST_CASE("runs", .teardown = shell_clean);

TEST(a_stop_ends_the_run_after_its_edge_and_the_next_run_goes_on)
{
    struct bench *b = new_bench(0, NULL, 0, 0);
    sim_clock_attach(b->k, NULL, stop_at_ten, b);
    ck_assert_int_eq(sim_run(b->s, SIM_US), SIM_STOPPED);
    ck_assert_uint_eq(sim_clock_cycles(b->k), 10);
    ck_assert_int_eq(sim_run(b->s, 20000), SIM_TIME_LIMIT);
    ck_assert_uint_eq(sim_clock_cycles(b->k), 20);
}

static void progress_until_twenty(void *self)
{
    struct bench *b = self;
    if (sim_clock_cycles(b->k) <= 20) sim_progress(b->s);
}

static void count_report(void *self, FILE *f)
{
    struct bench *b = self;
    b->reports++;
    fprintf(f, "state of the block\n");
}

TEST(the_watchdog_ends_a_run_without_progress)
{
    struct bench *b = new_bench(5000, NULL, 0, 0);
    sim_clock_attach(b->k, progress_until_twenty, NULL, b);
    ck_assert_int_eq(sim_run(b->s, SIM_US), SIM_WATCHDOG);
    ck_assert_uint_eq(sim_clock_cycles(b->k),
                      27); /* the edge with cycles() == 20 is the 21st; five later are allowed */
    ck_assert_ptr_nonnull(strstr(sim_error(b->s), "no progress for 0.006 us"));
}

TEST(a_bad_end_prints_seed_time_reason_and_every_report)
{
    FILE *f = tmpfile();
    int saved = dup(STDERR_FILENO);
    sim_params p;
    sim_params_default(&p);
    p.seed = 77;
    p.watchdog = 5000;
    struct bench b = {.s = sim_of(&p)};
    b.k = make_clock(b.s, "k", 1000, 0);
    sim_report(b.s, NULL, count_report, &b, "a block");
    dup2(fileno(f), STDERR_FILENO);
    int result = sim_run(b.s, SIM_US);
    dup2(saved, STDERR_FILENO);
    ck_assert_int_eq(result, SIM_WATCHDOG);
    ck_assert_int_eq(b.reports, 1);
    char text[1024];
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "watchdog at 0.006 us, seed 77: no progress"));
    ck_assert_ptr_nonnull(strstr(text, "a block"));
    ck_assert_ptr_nonnull(strstr(text, "state of the block"));
    fclose(f);
}

static void fail_twice(void *self)
{
    struct bench *b = self;
    if (sim_clock_cycles(b->k) != 3) return;
    sim_fail(b->s, "first %d", 1);
    sim_fail(b->s, "second");
}

TEST(the_first_failure_stands)
{
    struct bench *b = new_bench(0, NULL, 0, 0);
    sim_clock_attach(b->k, NULL, fail_twice, b);
    ck_assert_int_eq(sim_run(b->s, SIM_US), SIM_FAILED);
    ck_assert_uint_eq(sim_clock_cycles(b->k), 3);
    ck_assert_str_eq(sim_error(b->s), "first 1");
    ck_assert_int_eq(sim_run(b->s, SIM_US), SIM_FAILED);
}

static void raise_signal(void *self)
{
    struct bench *b = self;
    if (sim_clock_cycles(b->k) != 50) return;
    for (int i = 0; i < 3; i++) raise(b->signal); /* make hands on what its caller has sent to all */
}

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

TEST(an_interrupt_ends_the_run_and_leaves_readable_waves, .to = COUNT(stops))
{
    struct bench *b = new_bench(0, shell_folder(), 0, SIM_FOREVER);
    b->signal = stops[_i];
    signal(b->signal, SIG_DFL); /* nohup make test */
    sim_clock_attach(b->k, NULL, raise_signal, b);
    ck_assert_int_eq(sim_run(b->s, SIM_MS), SIM_INTERRUPTED);
    ck_assert_uint_eq(sim_clock_cycles(b->k), 50);
    raise(b->signal); /* while results are written */
    show("w.fst");    /* before anything is freed */
    ck_output_has("#49500\n");
}

TEST(a_second_interrupt_kills, .signal = SIGTERM)
{
    struct bench *b = new_bench(0, NULL, 0, 0);
    b->signal = SIGTERM;
    sim_clock_attach(b->k, NULL, raise_signal, b);
    ck_assert_int_eq(sim_run(b->s, SIM_MS), SIM_INTERRUPTED);
    usleep(600000);
    raise(SIGTERM);
}

TEST(a_signal_between_two_runs_kills_as_ever, .signal = SIGTERM)
{
    struct bench *b = new_bench(0, NULL, 0, 0);
    ck_assert_int_eq(sim_run(b->s, 10000), SIM_TIME_LIMIT);
    ck_assert_int_eq(sim_run(b->s, 20000), SIM_TIME_LIMIT);
    raise(SIGTERM);
}

TEST(a_run_under_nohup_goes_on_when_the_terminal_goes)
{
    struct bench *b = new_bench(0, NULL, 0, 0);
    b->signal = SIGHUP;
    signal(SIGHUP, SIG_IGN);
    sim_clock_attach(b->k, NULL, raise_signal, b);
    ck_assert_int_eq(sim_run(b->s, 100000), SIM_TIME_LIMIT);
}

/* ---- Verilog that does not come back ---- */

static sim *endless_sim(int quiet)
{
    sim_params p = quiet_params();
    p.patience = 0.3;
    p.quiet = quiet;
    return sim_of(&p);
}

static endless *new_endless(sim *s, sim_clock *k, const char *name)
{
    endless *e = endless_new(s, name);
    *e->spin = *e->swing = *e->length = 0;
    sim_model_clock(e->model, k, e->clk);
    return e;
}

struct trap {
    sim_clock *k;
    uint8_t *port;
};

static void spring(void *self)
{
    struct trap *t = self;
    if (sim_clock_cycles(t->k) == 7) *t->port = 1;
}

#if !defined __SANITIZE_THREAD__ /* it holds back what interrupts a loop */
TEST(a_loop_without_end_ends_the_run_with_its_block_and_line)
{
    sim *s = endless_sim(1);
    sim_clock *k = make_clock(s, "k", 1000, 500);
    endless *e = new_endless(s, k, "block");
    sim_clock_attach(k, NULL, spring, &(struct trap){k, e->spin});
    ck_assert_int_eq(sim_run(s, SIM_US), SIM_FAILED);
    ck_assert_uint_eq(sim_clock_cycles(k), 7);
    ck_assert_str_eq(
        sim_error(s),
        "block (endless): one evaluation has taken 0.3 s of processor time: a loop in its Verilog does not end; "
        "it has tb/unit/runtime/endless.v:14");
    ck_assert_int_eq(sim_run(s, SIM_US), SIM_FAILED);
}

static void watch(void *arg) { sim_wait_time(arg, SIM_MS); }

TEST(a_loop_without_end_is_found_in_every_thread, .to = 2)
{
    sim *s = endless_sim(1);
    struct trap trap;
    for (int i = 0; i < 3; i++) {
        char name[] = {'a' + (char)i, 0};
        sim_clock_params p = {
            .name = name, .period = 1000 + 10 * (sim_time)i, .phase = -1, .group = sim_group_new(s, name)};
        sim_clock *k = sim_clock_new(s, &p);
        endless *e = new_endless(s, k, name);
        if (i == 1) sim_clock_attach(k, NULL, spring, &trap), trap = (struct trap){k, e->spin};
    }
    sim_task_new(s, "watch", watch, s);
    sim_lookahead(s, 16000);
    sim_threads(s, 1 + 2 * (unsigned)_i);
    ck_assert_int_eq(sim_run(s, SIM_US), SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(s), "b (endless): one evaluation"));
}

TEST(a_loop_without_end_outside_of_a_run_ends_the_program, .exit = 1)
{
    endless *e = endless_new(endless_sim(0), "block");
    *e->spin = 1;
    sim_model_eval(e->model);
}
#endif

TEST(a_block_that_does_not_settle_ends_the_run_with_its_line)
{
    sim *s = endless_sim(1);
    sim_clock *k = make_clock(s, "k", 1000, 500);
    endless *e = new_endless(s, k, "block");
    sim_clock_attach(k, NULL, spring, &(struct trap){k, e->swing});
    ck_assert_int_eq(sim_run(s, SIM_US), SIM_FAILED);
    static const char place[] = "block (endless): tb/unit/runtime/endless.v:3: ";
    ck_assert_msg(!strncmp(sim_error(s), place, strlen(place)) && strstr(sim_error(s), "NBA region did not converge"),
                  "%s", sim_error(s));
}

/* Many evaluations without a clock are no loop. */
TEST(patience_is_with_one_evaluation)
{
    endless *e = endless_new(endless_sim(1), "block");
    *e->spin = *e->swing = *e->length = 0;
    for (clock_t began = clock(); clock() - began < CLOCKS_PER_SEC * 6 / 10;)
        for (unsigned i = 0; i < 1000; i++) sim_model_eval(e->model);
}

/* ---- models ---- */

TEST(instance_names_are_checked)
{
    sim *s = quiet_sim(0);
    sync_bit *a = sync_bit_new(s, "a");
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_null(sync_bit_new(s, "a"));
    ck_assert_ptr_nonnull(strstr(sim_error(s), "taken"));
    s = quiet_sim(0);
    ck_assert_ptr_null(sync_bit_new(s, "two words"));
    ck_assert_ptr_null(sync_bit_new(s, ""));
}

/* Verilator looks some state up by the thread: each simulation's must be found while its models go. */
TEST(simulations_go_in_any_order, .to = 2)
{
    sim_params p = quiet_params();
    sim *s[2];
    for (int i = 0; i < 2; i++) probe_counter_new(s[i] = sim_new(&p), "a");
    sim_free(s[_i]);
    sim_free(s[!_i]);
}

TEST(undriven_state_is_random_by_seed_and_by_instance)
{
    unsigned ones = 0, same = 0;
    for (unsigned seed = 1; seed <= 200; seed++) {
        sim_params p = quiet_params();
        p.seed = seed;
        sim *s = sim_of(&p);
        probe_counter *a = probe_counter_new(s, "a"), *b = probe_counter_new(s, "b");
        ones += *a->left >= 128;
        same += *a->left == *b->left;
        clean_up();
    }
    ck_assert_uint_gt(ones, 60);
    ck_assert_uint_lt(ones, 140);
    ck_assert_uint_lt(same, 10);
}
