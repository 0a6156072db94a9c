/* sync_stable: the output is 0 or the final value, for at least a destination clock; the final value shows in the end.
 */
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "sync_stable.h"
#include "test.h"

enum { PERIOD = 12800, IDLE = 12 /* clocks of the slower side between two runs of the source */ };

static struct {
    sync_stable *m;
    sim *s;
    sim_time src_period, dst_period, changed;
    unsigned left, idle, runs, wrong, late, fallen;
    int asked, held, holds;
} p;

/* The source: waits for the hold, is busy for some clocks and changes the value in each of them; last when it is busy
 * no more. */
static void drive_source(void *self)
{
    (void)self;
    if (!*p.m->src_busy && p.asked) {
        *p.m->src_busy = 1;
        p.left = 8 + (unsigned)sim_random_below(p.s, 20); /* long enough to be seen */
        p.asked = 0;
    } else if (*p.m->src_busy) {
        *p.m->src_data = (uint8_t)(1 + sim_random_below(p.s, 255));
        p.changed = sim_now(p.s);
        if (--p.left) return;
        *p.m->src_busy = 0;
        p.fallen = 0;
        p.runs++;
    }
}

static void sample_destination(void *self)
{
    (void)self;
    uint8_t shown = *p.m->dst_data;
    if (shown && (shown != *p.m->src_data || *p.m->src_busy || sim_now(p.s) - p.changed < p.dst_period)) p.wrong++;
    if (!*p.m->src_busy && p.runs && !p.held && ++p.fallen > 4 && !shown) p.late++;
}

static void drive_destination(void *self)
{
    (void)self;
    if (*p.m->dst_busy) p.held = 0, p.idle = 0;
    else if (!p.held && !*p.m->src_busy && ++p.idle > IDLE) p.held = 1, p.asked = 1;
    *p.m->dst_hold = p.held && p.holds;
}

static void run(unsigned src, unsigned dst, int hold)
{
    p.s = loud_sim(0);
    p.src_period = src, p.dst_period = dst;
    p.left = p.idle = p.runs = p.wrong = p.late = p.fallen = 0;
    p.asked = p.held = 0;
    p.holds = hold;
    sim_clock_params a = {.name = "src", .period = src, .phase = src / 3}, b = {.name = "dst", .period = dst};
    sim_clock *source = sim_clock_new(p.s, &a), *clock = sim_clock_new(p.s, &b);
    p.m = MODEL_AS(sync_stable, make_model(p.s, &sync_stable_config, "cell"), NULL);
    sim_model_clock(p.m->model, clock, p.m->dst_clk);
    *p.m->dst_rst = 1;
    *p.m->src_busy = *p.m->dst_hold = *p.m->src_data = 0;
    sim_run(p.s, 5 * PERIOD);
    *p.m->dst_rst = 0;
    sim_clock_attach(source, NULL, drive_source, &p);
    sim_clock_attach(clock, sample_destination, drive_destination, &p);
    sim_run(p.s, 20000 * (sim_time)PERIOD);
}

TEST_CASE("stable", .timeout = 120);

/* 100 and 78.125 MHz, and neither more than twice as fast as the other; also of nearly one period. */
static const unsigned periods[][2] = {{12800, 10000}, {10000, 12800}, {12801, 12800},
                                      {12799, 12800}, {20000, 10001}, {10001, 20000}};

TEST(a_value_shows_only_while_it_is_stable, .to = COUNT(periods))
{
    run(periods[_i][0], periods[_i][1], 1);
    ck_assert_uint_gt(p.runs, 100);
    ck_assert_uint_eq(p.wrong, 0);
    ck_assert_uint_eq(p.late, 0);
}

/* Without the hold a changing value shows before the source is known to be busy: the check sees it. */
TEST(a_value_that_is_not_held_would_be_noticed)
{
    run(12800, 10000, 0);
    ck_assert_uint_gt(p.wrong, 0);
}
