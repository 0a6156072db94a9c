/* Clock gating: when clock_gate stops a clock, and which edges a buffer with an enable passes. */
#include "simulation.h"
#include "test.h"

#include "clock_gate.h"
#include "fifo_async.h"

enum { STILL = 31 };

static sim *s;
static clock_gate *m;
static unsigned random_part; /* % of the clocks in which `busy` is high */

static void random_drive(void *self)
{
    (void)self;
    *m->busy = sim_random_below(s, 1000) < random_part;
}

static void rest_new(void)
{
    s = loud_sim(0);
    m = clock_gate_new(s, "rest");
    sim_clock *c = make_clock(s, "clk", 1000, 500);
    sim_model_clock(m->model, c, m->clk);
    sim_model_clock_buffered(m->model, c, m->run_clk, m->run);
    if (random_part) sim_clock_attach(c, NULL, random_drive, NULL);
    *m->rst = 1;
    *m->busy = 0;
    sim_run(s, 5000);
    ck_assert_uint_eq(*m->run, 1);
    *m->rst = 0;
}

static void clocks(unsigned n) { ck_assert_int_eq(sim_run(s, sim_now(s) + n * 1000), SIM_TIME_LIMIT); }

TEST_CASE("clock rest");

TEST(a_clock_stops_after_so_many_still_clocks_and_runs_in_the_clock_of_the_call)
{
    rest_new();
    clocks(STILL - 1);
    ck_assert_uint_eq(*m->run, 1);
    clocks(1);
    ck_assert_uint_eq(*m->run, 0);
    ck_assert_uint_eq(*m->slept, 0);
    clocks(300);
    ck_assert_uint_eq(*m->run, 0);
    ck_assert_uint_eq(*m->slept, 300 % 256);
    *m->busy = 1;
    sim_model_eval(m->model);
    ck_assert_uint_eq(*m->run, 1);
    ck_assert_uint_eq(*m->slept, 300 % 256);
    clocks(1);
    ck_assert_uint_eq(*m->slept, 0);
    *m->busy = 0;
    clocks(STILL - 1);
    ck_assert_uint_eq(*m->run, 1);
    clocks(1);
    ck_assert_uint_eq(*m->run, 0);
}

/* A counter on the gated clock that adds `slept` equals one on the free-running clock whenever it runs. */
static unsigned always, resting;

static void count(void *self)
{
    (void)self;
    if (*m->rst) {
        always = resting = 0;
        return;
    }
    if (*m->run) {
        resting = (resting + *m->slept) % 256;
        ck_assert_uint_eq(resting, always % 256);
        resting++;
    }
    always++;
}

TEST(a_counter_that_adds_what_was_missed_is_where_it_would_be)
{
    random_part = 20;
    rest_new();
    sim_clock_attach(sim_model_clock_at(m->model, "clk"), count, NULL, NULL);
    clocks(100000);
    ck_assert_uint_gt(always, 99000);
}

/* A fifo's reader whose clock stops unless words are on their way: it hands them over, but does not see that it is
 * asked for more. */
TEST(a_buffer_passes_only_edges_before_which_its_enable_is_high)
{
    s = loud_sim(0);
    fifo_async *f = fifo_async_new(s, "fifo");
    sim_clock *c = make_clock(s, "clk", 1000, 500);
    sim_model_clock(f->model, c, f->wr_clk);
    sim_model_clock(f->model, c, f->rd_clk);
    sim_model_clock_buffered(f->model, c, f->rd_run_clk, f->rd_wake);
    *f->wr_rst = *f->rd_rst = *f->wr_commit = 1;
    *f->wr_valid = *f->wr_rollback = *f->rd_pop = 0;
    clocks(20);
    *f->wr_rst = *f->rd_rst = 0;
    *f->wr_valid = 1;
    clocks(1);
    *f->wr_valid = 0;
    clocks(20);
    ck_assert_uint_eq(*f->rd_valid, 1);
    ck_assert_uint_eq(*f->rd_wake, 1);
    *f->rd_pop = 1;
    clocks(20);
    ck_assert_uint_eq(*f->rd_valid, 0);
    ck_assert_uint_eq(*f->rd_wake, 0);
    ck_assert_uint_eq(*f->rd_underflow, 0);
    ck_assert_ptr_eq(sim_model_clock_enable(f->model, "rd_run_clk"), f->rd_wake);
    ck_assert_uint_eq(*sim_model_clock_enable(f->model, "rd_clk"), 1);
    ck_assert_ptr_null(sim_model_clock_enable(f->model, "rd_pop"));
}
