/* sync_pulse and sync_held: pulses at least three destination clocks apart, none lost, none doubled, each with its
 * value, in time. */
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "sync_held.h"
#include "sync_held_same.h"
#include "test.h"

enum { PERIOD = 12800, VALUES = 8 };

static struct {
    sim *s;
    uint8_t *src_pulse, *src_data;
    const uint8_t *dst_pulse, *dst_data;
    unsigned sent, seen, wrong, gap, least_gap;
    uint8_t value[VALUES];
    sim_time at[VALUES], longest,
        shortest; /* from the edge that ended the source's pulse to the edge that ended the destination's */
} p;

static void sample_source(void *self)
{
    (void)self;
    if (!*p.src_pulse) return;
    p.value[p.sent % VALUES] = *p.src_data;
    p.at[p.sent++ % VALUES] = sim_now(p.s);
}

static void drive_source(void *self)
{
    (void)self;
    *p.src_pulse = p.gap == 0;
    if (p.gap-- == 0) {
        *p.src_data = (uint8_t)sim_random(p.s); /* from here on it is held */
        p.gap = p.least_gap + (unsigned)sim_random_below(p.s, 3);
    }
}

static void sample_destination(void *self)
{
    (void)self;
    if (!*p.dst_pulse) return;
    sim_time t = sim_now(p.s) - p.at[p.seen % VALUES];
    p.wrong += p.seen >= p.sent || p.value[p.seen % VALUES] != *p.dst_data;
    if (!p.seen || t > p.longest) p.longest = t;
    if (!p.seen || t < p.shortest) p.shortest = t;
    p.seen++;
}

static void run(int same, double src_ppm, double dst_ppm, int64_t phase, unsigned least_gap)
{
    sim_clock_params a = {.name = "src", .period = PERIOD, .ppm = src_ppm, .phase = 0, .jitter = phase < 0 ? 300 : 0};
    sim_clock_params b = {
        .name = "dst", .period = PERIOD, .ppm = dst_ppm, .phase = phase, .jitter = phase < 0 ? 300 : 0};

    p.s = loud_sim(0);
    p.sent = p.seen = p.wrong = 0;
    p.gap = p.least_gap = least_gap;
    sim_clock *src = sim_clock_new(p.s, &a), *dst = same ? src : sim_clock_new(p.s, &b);
    sync_held *m =
        MODEL_AS(sync_held, make_model(p.s, same ? &sync_held_same_config : &sync_held_config, "cell"), NULL);
    sim_model_clock(m->model, src, m->src_clk);
    sim_model_clock(m->model, dst, m->dst_clk);
    p.src_pulse = m->src_pulse, p.src_data = m->src_data, p.dst_pulse = m->dst_pulse, p.dst_data = m->dst_data;
    *m->src_rst = *m->dst_rst = 1;
    *p.src_pulse = 0;
    sim_run(p.s, 5 * PERIOD);
    *m->src_rst = *m->dst_rst = 0;
    sim_clock_attach(src, sample_source, drive_source, &p);
    sim_clock_attach(dst, sample_destination, NULL, &p);
    sim_run(p.s, 20000 * (sim_time)PERIOD);
    ck_assert_uint_gt(p.sent, 1000);
}

TEST_CASE("pulses", .timeout = 120);

TEST(no_pulse_is_lost_or_doubled, .to = 4)
{
    static const double ppm[][2] = {{100, -100}, {-100, 100}, {1000, 0}, {0, 1000}};

    run(0, ppm[_i][0], ppm[_i][1], -1, 4);
    ck_assert_uint_eq(p.wrong, 0);
    ck_assert_uint_le(p.sent - p.seen, 1);
}

TEST(latency_at_every_phase)
{
    for (int i = 0; i < 16; i++) {
        run(0, 0, 0, i * PERIOD / 16, 4);
        ck_assert_uint_eq(p.wrong, 0);
        ck_assert_uint_le(p.longest, 3 * PERIOD);
        ck_assert_uint_gt(p.shortest, 2 * PERIOD);
    }
    run(1, 0, 0, 0, 4);
    ck_assert_uint_eq(p.wrong, 0);
    ck_assert_uint_eq(p.longest, PERIOD);
}

/* The cell's condition, broken: a value that changes too early is noticed. */
TEST(values_that_are_not_held_would_be_noticed)
{
    run(0, 0, 0, PERIOD / 2, 1);
    ck_assert_uint_gt(p.wrong, 0);
}
