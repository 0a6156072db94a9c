/* Clocks: where edges lie, and the order of things at an edge. */
#include "simulation.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sync_bit.h"

/* Writes a letter per call into a text. */
struct letter {
    char *text, c;
};

static void write_letter(void *self)
{
    struct letter *l = self;
    size_t n = strlen(l->text);
    if (n < 100) l->text[n] = l->c, l->text[n + 1] = '\0';
}

static void attach_letters(sim_clock *c, struct letter *sample, struct letter *drive)
{
    /* Two attachments, as a block keeps one self. */
    sim_clock_attach(c, write_letter, NULL, sample);
    sim_clock_attach(c, NULL, write_letter, drive);
}

TEST(edges_come_in_time_order)
{
    sim *s = quiet_sim(0);
    char text[128] = "";
    struct letter a = {text, 'a'}, b = {text, 'b'};
    sim_clock_attach(make_clock(s, "a", 100, 0), write_letter, NULL, &a);
    sim_clock_attach(make_clock(s, "b", 70, 10), write_letter, NULL, &b);
    /* a: 0 100 200 300 ; b: 10 80 150 220 290 */
    ck_assert_int_eq(sim_run(s, 300), SIM_TIME_LIMIT);
    ck_assert_str_eq(text, "abbababba");
    ck_assert_uint_eq(sim_now(s), 300);
}

TEST(at_one_instant_all_samples_run_before_all_drives)
{
    sim *s = quiet_sim(0);
    char text[128] = "";
    struct letter a = {text, 'a'}, A = {text, 'A'}, b = {text, 'b'}, B = {text, 'B'};
    attach_letters(make_clock(s, "a", 100, 0), &a, &A);
    attach_letters(make_clock(s, "b", 200, 0), &b, &B);
    sim_run(s, 200);
    ck_assert_str_eq(text, "abABaAabAB");
}

struct edges {
    sim *s;
    sim_time first, last, shortest, longest;
    uint64_t count;
};

static void note_edge(void *self)
{
    struct edges *e = self;
    sim_time now = sim_now(e->s);
    if (e->count++) {
        sim_time d = now - e->last;
        if (d < e->shortest) e->shortest = d;
        if (d > e->longest) e->longest = d;
    } else {
        e->first = now;
        e->shortest = SIM_FOREVER;
    }
    e->last = now;
}

TEST(the_average_period_is_exact_with_ppm_and_jitter)
{
    static const struct {
        double ppm;
        sim_time jitter;
    } cases[] = {{0, 0}, {50, 0}, {-100, 0}, {37.5, 400}, {-0.01, 6399}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim *s = quiet_sim(0);
        sim_clock *c = sim_clock_new(
            s, &(sim_clock_params){
                   .name = "x", .period = 12800, .ppm = cases[i].ppm, .jitter = cases[i].jitter, .phase = 20000});
        struct edges e = {.s = s};
        sim_clock_attach(c, note_edge, NULL, &e);
        const double exact = 12800 / (1 + cases[i].ppm * 1e-6);
        ck_assert_int_eq(sim_run(s, 20000 + 200000 * (sim_time)12800), SIM_TIME_LIMIT);
        ck_assert_uint_eq(e.count, sim_clock_cycles(c));
        /* The last edge is where the exact period puts it, but for its own jitter and the first one's, and rounding to
         * a picosecond. */
        double drift = (double)(e.last - e.first) - exact * (double)(e.count - 1);
        ck_assert_double_le(fabs(drift), 2 * (double)cases[i].jitter + 1.1);
        ck_assert_double_le(fabs((double)e.count - 200000 * (1 + cases[i].ppm * 1e-6)), 2);
        ck_assert_uint_ge(e.shortest + 2 * cases[i].jitter + 2, 12800);
        ck_assert_uint_le(e.longest, 12800 + 2 * cases[i].jitter + 2);
        ck_assert_uint_gt(e.shortest, 0);
        if (cases[i].jitter > 100) ck_assert_uint_gt(e.longest, 12800 + cases[i].jitter); /* there is jitter at all */
    }
}

static uint64_t trace_of(uint64_t seed)
{
    sim_params p;
    sim_params_default(&p);
    p.seed = seed;
    p.quiet = 1;
    sim *s = sim_of(&p);
    sim_clock *c = sim_clock_new(s, &(sim_clock_params){.name = "x", .period = 1000, .jitter = 300, .phase = -1});
    struct edges e = {.s = s};
    sim_clock_attach(c, note_edge, NULL, &e);
    sim_run(s, 100000);
    return e.first * 31 + e.shortest * 7 + e.longest + sim_random(s);
}

TEST(a_seed_gives_the_same_run_and_another_seed_another)
{
    ck_assert_uint_eq(trace_of(1), trace_of(1));
    ck_assert_uint_ne(trace_of(1), trace_of(2));
}

TEST(random_numbers_are_even)
{
    sim *s = quiet_sim(0);
    unsigned seen[6] = {0};
    for (int i = 0; i < 60000; i++) seen[sim_random_below(s, 6)]++;
    for (int i = 0; i < 6; i++) ck_assert_uint_lt(abs((int)seen[i] - 10000), 500); /* 5 sigma */
    ck_assert_uint_eq(sim_random_below(s, 1), 0);
    unsigned chances = 0, sure = 0;
    for (int i = 0; i < 10000; i++) chances += (unsigned)sim_chance(s, 30), sure += (unsigned)sim_chance(s, 100);
    ck_assert_uint_ge(chances, 2800); /* 3000 +- 4 standard deviations of 46 */
    ck_assert_uint_le(chances, 3200);
    ck_assert_uint_eq(sure, 10000);
    sim *with = quiet_sim(7), *without = quiet_sim(7);
    ck_assert_int_eq(sim_chance(with, 0), 0);
    ck_assert_uint_eq(sim_random(with), sim_random(without));
    uint64_t high = (UINT64_C(1) << 63) + 1;
    for (int i = 0; i < 100; i++) ck_assert_uint_lt(sim_random_below(s, high), high);
}

TEST(clock_parameters_out_of_range_are_refused_by_name)
{
    static const sim_clock_params bad[] = {
        {.name = "slip", .period = 3},
        {.name = "slip", .period = 1000, .ppm = 10001},
        {.name = "slip", .period = 1000, .ppm = NAN},
        {.name = "slip", .period = 1000, .jitter = 500},
        {.name = "slip", .period = 1000, .jitter = UINT64_MAX / 2 + 2},
        {.name = "slip", .period = 1000, .phase = -2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sim *s = quiet_sim(0);
        ck_assert_ptr_null(sim_clock_new(s, &bad[i]));
        ck_assert_ptr_nonnull(strstr(sim_error(s), "slip"));
        ck_assert_int_eq(sim_run(s, 1000), SIM_FAILED);
    }
}

/* A flip-flop chain in RTL and one block before it, one behind it: a value driven after edge k is in the first
 * flip-flop at k + 1. */
struct chain {
    sync_bit *m;
    uint64_t driven, seen;
    unsigned bits;
};

static void chain_sample(void *self)
{
    struct chain *c = self;
    c->seen = c->seen << 1 | (*c->m->out & 1);
}

static void chain_drive(void *self)
{
    struct chain *c = self;
    uint8_t bit = (uint8_t)(0xb5a3u >> (c->bits++ & 15) & 1);
    c->driven = c->driven << 1 | bit;
    *c->m->in = bit;
}

TEST(blocks_sample_before_the_edge_and_drive_after_it)
{
    sim *s = quiet_sim(0);
    sim_clock *k = make_clock(s, "k", 1000, 0);
    struct chain c = {.m = sync_bit_new(s, "u")};
    *c.m->rst = 0;
    *c.m->in = 0;
    sim_model_clock(c.m->model, k, c.m->clk);
    sim_clock_attach(k, chain_sample, chain_drive, &c);
    sim_run(s, 39999);
    /* 40 edges. The bit driven after edge i is taken at i+1 into the first stage, at i+2 into the second, and sampled
     * at i+3. */
    ck_assert_uint_eq(c.seen & 0xffffffffff & ((UINT64_C(1) << 36) - 1), c.driven >> 3 & ((UINT64_C(1) << 36) - 1));
}

TEST(a_detached_block_is_not_called_any_more)
{
    sim *s = quiet_sim(0);
    char text[128] = "";
    struct letter a = {text, 'a'}, b = {text, 'b'};
    sim_clock *c = make_clock(s, "c", 100, 0);
    sim_clock_attach(c, write_letter, NULL, &a);
    sim_clock_attach(c, write_letter, NULL, &b);
    sim_run(s, 150);
    sim_clock_detach(c, &a);
    sim_run(s, 350);
    ck_assert_str_eq(text, "ababbb");
}
