/* The network counters: which input counts where, clearing, and the round in which they are handed over. A reference in
 * C counts the same inputs; every value handed over must be a counter's at that clock. */
#include <string.h>

#include "counters21.h"
#include "counters33.h"
#include "network_counters.h"
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "test.h"

#define PERIOD (10 * SIM_NS)

enum { PLACES = 33 /* most of them */, KINDS = 3 };
static const uint64_t all = (UINT64_C(1) << PLACES) - 1;

/* The same for all configurations. */
struct bench {
    sim *s;
    network_counters *m;
    const network_counters_ports *ports;
    uint64_t places; /* bit i: there is a counter i */
    unsigned count;
    int twice;
    uint32_t counts[PLACES];
};

/* One clock with these inputs; the reference follows. */
static void step(struct bench *b, uint64_t events, int clear, int taken)
{
    uint32_t index = *b->m->copy_index, value = *b->m->copy_value, next = (index + 1) % b->count,
             taken_value = b->counts[next];
    uint64_t twice = b->twice ? events & (b->twice > 1 ? all : sim_random(b->s)) : 0;
    sim_port_set(&b->ports->event_vector, events & b->places);
    sim_port_set(&b->ports->twice_vector, twice & b->places);
    *b->m->clear = (uint8_t)clear;
    *b->m->copy_taken = (uint8_t)taken;
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + PERIOD), SIM_TIME_LIMIT);
    for (unsigned i = 0; i < b->count; i++) {
        uint32_t more = (uint32_t)(events >> i & 1) + (uint32_t)(twice >> i & 1);
        b->counts[i] = clear ? 0 : b->counts[i] + more;
    }
    ck_assert_uint_eq(*b->m->copy_index, taken ? next : index);
    ck_assert_uint_eq(*b->m->copy_value, taken ? taken_value : value);
}

static struct bench *bench_new(int kind)
{
    static const sim_config *const kinds[] = {&network_counters_config, &counters21_config, &counters33_config};
    struct bench *b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    sim_model *model = make_model(b->s, kinds[kind], "counters");
    b->m = MODEL_AS(network_counters, model, "event_vector twice_vector");
    b->ports = PORTS_AS(network_counters, model);
    sim_clock *clk = make_clock(b->s, "clk", PERIOD, PERIOD / 2);
    sim_model_clock(b->m->model, clk, b->m->clk);
    sim_model_clock(b->m->model, clk, b->m->copy_clk);
    b->count = (unsigned[KINDS]){32, 21, 33}[kind];
    b->places = (UINT64_C(1) << b->count) - 1;
    *b->m->rst = 1;
    sim_port_set(&b->ports->event_vector, b->places);
    sim_port_set(&b->ports->twice_vector, 0);
    *b->m->clear = *b->m->copy_taken = 0;
    ck_assert_int_eq(sim_run(b->s, 3 * PERIOD), SIM_TIME_LIMIT);
    *b->m->rst = 0;
    ck_assert_uint_eq(*b->m->copy_index, 0);
    ck_assert_uint_eq(*b->m->copy_value, 0);
    return b;
}

/* Values at the destination after a whole round. */
static void collect(struct bench *b, uint32_t copy[PLACES])
{
    for (unsigned i = 0; i < b->count; i++) {
        step(b, 0, 0, 1);
        copy[*b->m->copy_index] = *b->m->copy_value;
    }
}

static void expect_all(struct bench *b, uint32_t count)
{
    uint32_t copy[PLACES];
    collect(b, copy);
    for (unsigned i = 0; i < b->count; i++) ck_assert_uint_eq(copy[i], count);
}

TEST_CASE("counters", .timeout = 60);

TEST(each_input_counts_in_its_place_only, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    uint32_t copy[PLACES];
    for (unsigned i = 0; i < b->count; i++) {
        for (unsigned n = 0; n < 3 + i; n++) step(b, UINT64_C(1) << i, 0, 0);
        collect(b, copy);
        for (unsigned k = 0; k < b->count; k++)
            ck_assert_msg(copy[k] == b->counts[k], "after input %u: place %u has %u, expected %u", i, k, copy[k],
                          b->counts[k]);
    }
}

TEST(clear_sets_all_to_zero_and_wins_over_an_event, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    for (unsigned n = 0; n < 100; n++) step(b, all, 0, 0);
    expect_all(b, 100);
    step(b, all, 1, 0);
    expect_all(b, 0);
    step(b, all, 0, 0);
    expect_all(b, 1);
}

/* Inputs, clears and a destination that takes at its own pace, all at random; step() compares each clock. */
TEST(what_is_handed_over_is_always_a_count_of_that_clock, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    unsigned taken = 0;
    b->twice = _i == 2;
    for (unsigned n = 0; n < 20000; n++) {
        int take = sim_random_below(b->s, 10) == 0;
        step(b, sim_random(b->s), sim_random_below(b->s, 2000) == 0, take);
        taken += (unsigned)take;
    }
    ck_assert_uint_gt(taken, 1000);
}

/* All inputs high, nothing handed over, then one after the other at every pace from the fastest to every 40th clock:
 * what a place gathers between two looks never overflows. */
TEST(no_pace_of_handing_over_loses_an_event, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    b->twice = _i == 2 ? 2 : 0;
    for (unsigned n = 0; n < 500; n++) step(b, all, 0, 0);
    for (unsigned pace = 1; pace <= 40; pace++)
        for (unsigned n = 0; n < 70 * pace; n++) step(b, all, 0, n % pace == 0);
    for (unsigned n = 0; n < 3000; n++) step(b, all, 0, n / 31 % 2 == 0);
}
