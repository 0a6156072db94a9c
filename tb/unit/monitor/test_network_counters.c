/* The network counters: which input counts where, clearing, and the round in which they are handed over. A reference in C counts the
 * same inputs; everything that is handed over must be what a counter was at that clock. With several links: the sum of those of the links
 * that are chosen, but for the four that each link shows by itself. */
#include <string.h>

#include "counters21.h"
#include "counters33.h"
#include "counters4.h"
#include "network_counters.h"
#include "sim.h"
#include "simulation.h"
#include "test.h"

#define PERIOD (10 * SIM_NS)

enum { PLACES = 33 /* most of them */, LINKS = 4, KINDS = 4, ALONE = 2 /* four of each link are shown alone, from this one on */ };
static const uint64_t all = (UINT64_C(1) << PLACES) - 1;

/* The same for all configurations. */
struct bench {
    sim *s;
    network_counters *m;
    const network_counters_ports *ports;
    uint64_t places; /* bit i: each link has a counter i */
    unsigned count;  /* places that are handed over */
    unsigned own;    /* counters of each link */
    unsigned links;
    unsigned counted; /* links in the sums */
    int twice;
    uint32_t counts[LINKS][PLACES];
};

/* What is handed over of this place. */
static uint32_t shown(const struct bench *b, unsigned place)
{
    uint32_t sum = 0;
    if (b->links == 1) return b->counts[0][place];
    if (place >= b->own) return b->counts[1 + (place - b->own) / 4][ALONE + (place - b->own) % 4];
    if (place >= ALONE && place < ALONE + 4) return b->counts[0][place];
    for (unsigned l = 0; l < b->links; l++) sum += b->counted >> l & 1 ? b->counts[l][place] : 0;
    return sum;
}

/* Those inputs of link l that are high: of the first link `events`, of the others other ones. */
static uint64_t of_link(const struct bench *b, uint64_t events, unsigned l)
{
    return (l == 0 ? events : events << l | events >> (b->own - l)) & b->places;
}

/* One clock with these inputs; the reference follows. */
static void step(struct bench *b, uint64_t events, int clear, int taken)
{
    uint32_t index = *b->m->copy_index, value = *b->m->copy_value, next = (index + 1) % b->count, taken_value = shown(b, next);
    uint64_t twice = b->twice ? events & (b->twice > 1 ? all : sim_random(b->s)) : 0;
    for (unsigned l = 0; l < b->links; l++) sim_port_set_field(&b->ports->event_vector, b->own * l, b->own, of_link(b, events, l));
    sim_port_set(&b->ports->twice_vector, twice & b->places);
    *b->m->clear = (uint8_t)clear;
    *b->m->copy_taken = (uint8_t)taken;
    *b->m->counted = (uint8_t)b->counted;
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + PERIOD), SIM_TIME_LIMIT);
    for (unsigned l = 0; l < b->links; l++)
        for (unsigned i = 0; i < b->own; i++) {
            uint32_t more = (uint32_t)(of_link(b, events, l) >> i & 1) + (uint32_t)(twice >> i & 1);
            b->counts[l][i] = clear ? 0 : b->counts[l][i] + more;
        }
    ck_assert_uint_eq(*b->m->copy_index, taken ? next : index);
    ck_assert_uint_eq(*b->m->copy_value, taken ? taken_value : value);
}

static struct bench *bench_new(int kind)
{
    static const sim_config *const kinds[] = {&network_counters_config, &counters21_config, &counters33_config, &counters4_config};
    struct bench *b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    sim_model *model = make_model(b->s, kinds[kind], "counters");
    b->m = MODEL_AS(network_counters, model, "event_vector twice_vector");
    b->ports = PORTS_AS(network_counters, model);
    sim_clock *clk = make_clock(b->s, "clk", PERIOD, PERIOD / 2);
    sim_model_clock(b->m->model, clk, b->m->clk);
    sim_model_clock(b->m->model, clk, b->m->copy_clk);
    b->count = (unsigned[KINDS]){32, 21, 33, 33}[kind];
    b->links = kind == 3 ? LINKS : 1;
    b->own = b->count - 4 * (b->links - 1);
    b->counted = (1u << b->links) - 1;
    b->places = (UINT64_C(1) << b->own) - 1;
    *b->m->rst = 1;
    for (unsigned l = 0; l < b->links; l++) sim_port_set_field(&b->ports->event_vector, b->own * l, b->own, b->places);
    sim_port_set(&b->ports->twice_vector, 0);
    *b->m->clear = *b->m->copy_taken = 0;
    ck_assert_int_eq(sim_run(b->s, 3 * PERIOD), SIM_TIME_LIMIT);
    *b->m->rst = 0;
    ck_assert_uint_eq(*b->m->copy_index, 0);
    ck_assert_uint_eq(*b->m->copy_value, 0);
    return b;
}

/* Clocks between two that are handed over, at least. */
static unsigned gap(const struct bench *b)
{
    return b->links > 1 ? 4 : 1;
}

/* What the destination has after a whole round. */
static void collect(struct bench *b, uint32_t copy[PLACES])
{
    for (unsigned i = 0; i < b->count; i++) {
        step(b, 0, 0, 1);
        copy[*b->m->copy_index] = *b->m->copy_value;
        for (unsigned n = 1; n < gap(b); n++) step(b, 0, 0, 0);
    }
}

static void expect_all(struct bench *b, uint32_t count)
{
    uint32_t copy[PLACES];
    b->counted = 1u << (b->links - 1);
    collect(b, copy);
    for (unsigned i = 0; i < b->count; i++) ck_assert_uint_eq(copy[i], count);
}

TEST_CASE("counters", .timeout = 60);

TEST(each_input_counts_in_its_place_only, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    uint32_t copy[PLACES];
    for (unsigned i = 0; i < b->own; i++) {
        for (unsigned n = 0; n < 3 + i; n++) step(b, UINT64_C(1) << i, 0, 0);
        b->counted = b->links == 1 ? 1 : i % 16;
        collect(b, copy);
        for (unsigned k = 0; k < b->count; k++)
            ck_assert_msg(copy[k] == shown(b, k), "after input %u: place %u has %u, expected %u", i, k, copy[k], shown(b, k));
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
    unsigned taken = 0, since = 0;
    b->twice = _i == 2;
    for (unsigned n = 0; n < 20000; n++) {
        int take = ++since >= gap(b) && sim_random_below(b->s, 10) == 0;
        if (take) since = 0;
        if (b->links > 1) b->counted = (unsigned)sim_random_below(b->s, 1 << LINKS);
        step(b, sim_random(b->s), sim_random_below(b->s, 2000) == 0, take);
        taken += (unsigned)take;
    }
    ck_assert_uint_gt(taken, 1000);
}

/* All inputs high, nothing handed over, then one after the other at every pace from the fastest to every 40th clock: what a place gathers
 * between two looks never overflows. */
TEST(no_pace_of_handing_over_loses_an_event, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    b->twice = _i == 2 ? 2 : 0;
    for (unsigned n = 0; n < 500; n++) step(b, all, 0, 0);
    for (unsigned pace = gap(b); pace <= 40; pace++)
        for (unsigned n = 0; n < 70 * pace; n++) step(b, all, 0, n % pace == 0);
    for (unsigned n = 0; n < 3000; n++) step(b, all, 0, n / 31 % 2 == 0 && n % gap(b) == 0);
}
