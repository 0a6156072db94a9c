/* The network counters of several links: which input counts where, clearing, the sums that are handed over, and how
 * fast. A reference in C counts the same inputs and remembers the last clocks: values handed over must be the sum of
 * the links' counts in their clocks. */
#include <string.h>

#include "link_counters.h"
#include "link_counters4.h"
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "test.h"

enum {
    PERIOD = 12800,
    LINKS = 4,
    OWN = 21,
    ALONE = 2, /* four of each link are shown alone, from this one on */
    KINDS = 2,
    BEFORE =
        6, /* clocks from the look at link 0 to the copy; each link is looked at a clock behind the one before it */
    ROUND = 16, /* clocks */
    CLOCKS = 8  /* remembered, a power of two above BEFORE */
};
static const uint32_t all = (UINT32_C(1) << OWN) - 1;

struct past {
    uint32_t counts[LINKS][OWN]; /* before the clock */
    unsigned counted;            /* links in the sums */
};

/* The same for both. */
struct bench {
    sim *s;
    link_counters *m;
    const link_counters_ports *ports;
    unsigned links;
    unsigned count;   /* places that are handed over */
    unsigned counted; /* from now on */
    unsigned clock;
    unsigned waits; /* clocks since a copy has been taken; 0: it has not been */
    struct past past[CLOCKS];
};

static struct past *at(struct bench *b, unsigned before) { return &b->past[(b->clock - before) % CLOCKS]; }

/* Value of this place handed over at the end of this clock. */
static uint32_t shown(struct bench *b, unsigned place)
{
    uint32_t sum = 0;
    for (unsigned l = 0; l < b->links; l++) {
        const struct past *p = at(b, BEFORE - l);
        if (place >= OWN) {
            if ((place - OWN) / 4 + 1 == l) sum += p->counts[l][ALONE + (place - OWN) % 4];
        } else if (place >= ALONE && place < ALONE + 4 ? l == 0 : p->counted >> l & 1) sum += p->counts[l][place];
    }
    return sum;
}

/* Those inputs of link l that are high: of the first link `events`, of the others other ones. */
static uint32_t of_link(uint32_t events, unsigned l)
{
    return (l == 0 ? events : events << l | events >> (OWN - l)) & all;
}

/* One clock with these inputs; the reference follows. */
static void step(struct bench *b, uint32_t events, int clear, int taken)
{
    uint32_t index = *b->m->copy_index, value = *b->m->copy_value;
    const struct past now = *at(b, 0);
    at(b, 0)->counted = b->counted;
    for (unsigned l = 0; l < b->links; l++)
        sim_port_set_field(&b->ports->event_vector, OWN * l, OWN, of_link(events, l));
    *b->m->clear = (uint8_t)clear;
    *b->m->copy_taken = (uint8_t)taken;
    *b->m->counted = (uint8_t)b->counted;
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + PERIOD), SIM_TIME_LIMIT);
    if (clear) {
        b->waits = 1;
        ck_assert_uint_eq(*b->m->copy_index, index);
        ck_assert_uint_eq(*b->m->copy_value, 0);
    } else if (*b->m->copy_index != index) {
        ck_assert_msg(b->waits > 0, "a copy that has not been taken is gone");
        ck_assert_uint_eq(*b->m->copy_index, (index + 1) % b->count);
        ck_assert_uint_eq(*b->m->copy_value, shown(b, *b->m->copy_index));
        b->waits = 0;
    } else {
        ck_assert_uint_eq(*b->m->copy_value, value);
        if (taken || b->waits > 0) b->waits++;
    }
    ck_assert_msg(b->waits <= ROUND + BEFORE + 2, "no copy for %u clocks", b->waits);
    b->clock++;
    *at(b, 0) = now;
    for (unsigned l = 0; l < b->links; l++)
        for (unsigned i = 0; i < OWN; i++)
            at(b, 0)->counts[l][i] = clear ? 0 : now.counts[l][i] + (of_link(events, l) >> i & 1);
}

static struct bench *bench_new(int kind)
{
    static const sim_config *const kinds[KINDS] = {&link_counters_config, &link_counters4_config};
    struct bench *b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    sim_model *model = make_model(b->s, kinds[kind], "counters");
    b->m = MODEL_AS(link_counters, model, "event_vector");
    b->ports = PORTS_AS(link_counters, model);
    sim_clock *clk = make_clock(b->s, "clk", PERIOD, PERIOD / 2);
    sim_model_clock(b->m->model, clk, b->m->clk);
    sim_model_clock(b->m->model, clk, b->m->copy_clk);
    b->links = kind == 0 ? 2 : LINKS;
    b->count = OWN + 4 * (b->links - 1);
    b->counted = (1u << b->links) - 1;
    b->waits = 1;
    *b->m->rst = 1;
    for (unsigned l = 0; l < b->links; l++) sim_port_set_field(&b->ports->event_vector, OWN * l, OWN, all);
    *b->m->clear = *b->m->copy_taken = 0;
    ck_assert_int_eq(sim_run(b->s, 3 * PERIOD), SIM_TIME_LIMIT);
    *b->m->rst = 0;
    ck_assert_uint_eq(*b->m->copy_index, 0);
    ck_assert_uint_eq(*b->m->copy_value, 0);
    return b;
}

/* Values at the destination after a whole round, and one more copy for values in flight. */
static void collect(struct bench *b, uint32_t copy[])
{
    for (unsigned i = 0; i <= b->count; i++) {
        uint32_t index = *b->m->copy_index;
        step(b, 0, 0, 1);
        while (*b->m->copy_index == index) step(b, 0, 0, 0);
        copy[*b->m->copy_index] = *b->m->copy_value;
    }
}

/* Each link has counted the same. */
static void expect_all(struct bench *b, uint32_t count)
{
    uint32_t copy[OWN + 4 * LINKS];
    b->counted = 1u << (b->links - 1);
    collect(b, copy);
    for (unsigned i = 0; i < b->count; i++) ck_assert_uint_eq(copy[i], count);
}

TEST_CASE("link counters", .timeout = 60);

TEST(each_input_of_a_link_counts_in_its_place_only, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    uint32_t copy[OWN + 4 * LINKS];
    for (unsigned i = 0; i < OWN; i++) {
        for (unsigned n = 0; n < 3 + i; n++) step(b, UINT32_C(1) << i, 0, 0);
        b->counted = i % (1u << b->links);
        collect(b, copy);
        for (unsigned k = 0; k < b->count; k++)
            ck_assert_msg(copy[k] == shown(b, k), "after input %u: place %u has %u, expected %u", i, k, copy[k],
                          shown(b, k));
    }
}

TEST(clear_of_link_counters_sets_all_to_zero_and_wins_over_an_event, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    for (unsigned n = 0; n < 1000; n++) step(b, all, 0, 0);
    expect_all(b, 1000);
    for (unsigned n = 0; n < 40; n++) step(b, 0, 0, n % 2); /* at another place of the round */
    step(b, all, 1, 0);
    expect_all(b, 0);
    step(b, all, 0, 0);
    expect_all(b, 1);
    step(b, 0, 1, 0);
    for (unsigned n = 0; n < 1000; n++) step(b, all, 0, 0);
    expect_all(b, 1000);
}

/* Inputs, clears and a destination that takes at its own pace, all at random; step() compares each clock. */
TEST(what_is_handed_over_of_links_is_what_each_had_in_its_clock, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    unsigned copies = 0;
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t index = *b->m->copy_index;
        b->counted = (unsigned)sim_random_below(b->s, 1u << b->links);
        step(b, (uint32_t)sim_random(b->s), sim_random_below(b->s, 2000) == 0, sim_random_below(b->s, 10) == 0);
        copies += *b->m->copy_index != index;
    }
    ck_assert_uint_gt(copies, 500);
}

/* All inputs high, nothing handed over, then at every pace from each clock to every 40th: no register comes round
 * between two visits. */
TEST(no_pace_of_handing_over_links_loses_an_event, .to = KINDS)
{
    struct bench *b = bench_new(_i);
    for (unsigned n = 0; n < 500; n++) step(b, all, 0, 0);
    for (unsigned pace = 1; pace <= 40; pace++)
        for (unsigned n = 0; n < 70 * pace; n++) step(b, all, 0, n % pace == 0);
}
