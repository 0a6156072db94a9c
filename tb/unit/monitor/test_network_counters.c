/* The network counters: which input counts where, clearing, and the round in which they are handed over. A reference in C counts the
 * same inputs; everything that is handed over must be what a counter was at that clock. */
#include <stdlib.h>
#include <string.h>

#include "counters21.h"
#include "network_counters.h"
#include "sim.h"
#include "test.h"

#define PERIOD (10 * SIM_NS)

/* The same for both configurations. */
struct bench {
    sim *s;
    network_counters *all;
    counters21 *some;
    uint8_t *rst, *clear, *copy_taken;
    uint32_t *event_vector;
    const uint8_t *copy_index;
    const uint32_t *copy_value;
    uint32_t places; /* bit i: there is a place i */
    unsigned count;
    uint32_t counts[32];
};

#define PORTS(b, m)                                                                                                                        \
    ((b)->rst = (m)->rst, (b)->clear = (m)->clear, (b)->copy_taken = (m)->copy_taken, (b)->event_vector = (m)->event_vector,               \
     (b)->copy_index = (m)->copy_index, (b)->copy_value = (m)->copy_value, sim_model_clock((m)->model, clk, (m)->clk))

/* One clock with these inputs; the reference follows. */
static void step(struct bench *b, uint32_t events, int clear, int taken)
{
    uint32_t before[32], index = *b->copy_index, value = *b->copy_value;
    memcpy(before, b->counts, sizeof before);
    *b->event_vector = events & b->places;
    *b->clear = (uint8_t)clear;
    *b->copy_taken = (uint8_t)taken;
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + PERIOD), SIM_TIME_LIMIT);
    for (unsigned i = 0; i < 32; i++) b->counts[i] = clear ? 0 : b->counts[i] + (events & b->places) / (1u << i) % 2;
    uint32_t next = (index + 1) % b->count;
    ck_assert_uint_eq(*b->copy_index, taken ? next : index);
    ck_assert_uint_eq(*b->copy_value, taken ? before[next] : value);
}

static struct bench *bench_new(int some)
{
    struct bench *b = calloc(1, sizeof *b);
    sim_params p;
    sim_clock_params c = {"clk", PERIOD, 0, 0, (int64_t)PERIOD / 2};
    sim_params_default(&p);
    p.watchdog = 0;
    b->s = sim_new(&p);
    sim_clock *clk = sim_clock_new(b->s, &c);
    if (some) {
        b->some = counters21_new(b->s, "counters");
        PORTS(b, b->some);
    } else {
        b->all = network_counters_new(b->s, "counters");
        PORTS(b, b->all);
    }
    b->count = some ? 21 : 32;
    b->places = 0xffffffff >> (32 - b->count);
    *b->rst = 1;
    *b->event_vector = b->places;
    *b->clear = *b->copy_taken = 0;
    ck_assert_int_eq(sim_run(b->s, 3 * PERIOD), SIM_TIME_LIMIT);
    *b->rst = 0;
    ck_assert_uint_eq(*b->copy_index, 0);
    ck_assert_uint_eq(*b->copy_value, 0);
    return b;
}

static void bench_free(struct bench *b)
{
    if (b->all) network_counters_free(b->all);
    if (b->some) counters21_free(b->some);
    sim_free(b->s);
    free(b);
}

/* What the destination has after a whole round. */
static void collect(struct bench *b, uint32_t copy[32])
{
    for (unsigned i = 0; i < b->count; i++) {
        step(b, 0, 0, 1);
        copy[*b->copy_index] = *b->copy_value;
    }
}

TEST_CASE("counters", .timeout = 60);

TEST(each_input_counts_in_its_place_only, .to = 2)
{
    struct bench *b = bench_new(_i);
    uint32_t copy[32], expected[32] = {0};
    for (unsigned i = 0; i < b->count; i++) {
        for (unsigned n = 0; n < 3 + i; n++) step(b, 1u << i, 0, 0);
        expected[i] = 3 + i;
        collect(b, copy);
        for (unsigned k = 0; k < b->count; k++)
            ck_assert_msg(copy[k] == expected[k], "after input %u: place %u has %u, expected %u", i, k, copy[k], expected[k]);
    }
    bench_free(b);
}

TEST(clear_sets_all_to_zero_and_wins_over_an_event, .to = 2)
{
    struct bench *b = bench_new(_i);
    uint32_t copy[32];
    for (unsigned n = 0; n < 100; n++) step(b, 0xffffffff, 0, 0);
    collect(b, copy);
    for (unsigned i = 0; i < b->count; i++) ck_assert_uint_eq(copy[i], 100);
    step(b, 0xffffffff, 1, 0);
    collect(b, copy);
    for (unsigned i = 0; i < b->count; i++) ck_assert_uint_eq(copy[i], 0);
    step(b, 0xffffffff, 0, 0);
    collect(b, copy);
    for (unsigned i = 0; i < b->count; i++) ck_assert_uint_eq(copy[i], 1);
    bench_free(b);
}

/* Inputs, clears and a destination that takes at its own pace, all at random; step() compares each clock. */
TEST(what_is_handed_over_is_always_a_count_of_that_clock, .to = 2)
{
    struct bench *b = bench_new(_i);
    unsigned taken = 0;
    for (unsigned n = 0; n < 20000; n++) {
        int take = sim_random_below(b->s, 10) == 0;
        step(b, (uint32_t)sim_random(b->s), sim_random_below(b->s, 2000) == 0, take);
        taken += (unsigned)take;
    }
    ck_assert_uint_gt(taken, 1000);
    bench_free(b);
}

/* All inputs high, nothing handed over, then one after the other at every pace from each clock to every 40th: what a place gathers between
 * two looks never overflows. */
TEST(no_pace_of_handing_over_loses_an_event, .to = 2)
{
    struct bench *b = bench_new(_i);
    for (unsigned n = 0; n < 500; n++) step(b, 0xffffffff, 0, 0);
    for (unsigned pace = 1; pace <= 40; pace++)
        for (unsigned n = 0; n < 70 * pace; n++) step(b, 0xffffffff, 0, n % pace == 0);
    for (unsigned n = 0; n < 3000; n++) step(b, 0xffffffff, 0, n / 31 % 2 == 0);
    bench_free(b);
}
