/* The bodies of the VOQs under random traffic, memories of several sizes, against body_reference. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "body_16.h"
#include "body_bench.h"
#include "body_single.h"
#include "body_small.h"
#include "body_tiny.h"
#include "sim.h"
#include "voq_body.h"

#define PERIOD (10 * SIM_NS)

/* A simulation with one of the models in it. */
struct world {
    sim *s;
    void *model;
    void (*model_free)(void *);
    body_bench *b;
};

static void free_default(void *m)
{
    voq_body_free(m);
}
static void free_tiny(void *m)
{
    body_tiny_free(m);
}
static void free_small(void *m)
{
    body_small_free(m);
}
static void free_16(void *m)
{
    body_16_free(m);
}
static void free_single(void *m)
{
    body_single_free(m);
}

enum { DEFAULT, TINY, SMALL, SIXTEEN, SINGLE, MODELS };

static struct world world_new(int which)
{
    struct world w;
    sim_params p;
    sim_clock_params c = {"clk", PERIOD, 0, 0, (int64_t)PERIOD / 2};
    sim_params_default(&p);
    p.watchdog = 0;
    p.quiet = 1;
    w.s = sim_new(&p);
    sim_clock *clk = sim_clock_new(w.s, &c);
#define MODEL(type, release, voqs, words, log2_blocks, segment)                                                                            \
    do {                                                                                                                                   \
        type *m = type##_new(w.s, "body");                                                                                                 \
        w.model = m;                                                                                                                       \
        w.model_free = release;                                                                                                            \
        w.b = body_bench_new(w.s, clk, BODY_PINS(m), voqs, words, log2_blocks, segment);                                                   \
    } while (0)
    switch (which) {
    case DEFAULT:
        MODEL(voq_body, free_default, 8, 64, 12, 128);
        break;
    case TINY:
        MODEL(body_tiny, free_tiny, 8, 16, 4, 16);
        break;
    case SMALL:
        MODEL(body_small, free_small, 8, 16, 6, 48);
        break;
    case SIXTEEN:
        MODEL(body_16, free_16, 16, 32, 7, 128);
        break;
    default:
        MODEL(body_single, free_single, 1, 512, 5, 512);
        break;
    }
    return w;
}

static void world_free(struct world *w)
{
    body_bench_free(w->b);
    w->model_free(w->model);
    sim_free(w->s);
}

/* ---- everything at once ---- */

START_TEST(words_return_in_order_and_blocks_are_never_shared_or_lost)
{
    struct world w = world_new(_i);
    body_bench *b = w.b;
    static const struct {
        int word, ready, latency, out_ready, drain;
    } mixes[] = {{80, 90, 8, 80, 50}, {100, 100, 3, 100, 100}, {30, 40, 20, 90, 90}, {100, 100, 1, 20, 100}, {95, 70, 30, 60, 10}};
    for (unsigned i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        b->loads.word = mixes[i].word;
        b->loads.ready = mixes[i].ready;
        b->loads.latency_max = mixes[i].latency;
        b->loads.out_ready = mixes[i].out_ready;
        b->loads.drain = mixes[i].drain;
        b->loads.piece_words = i & 1 ? 514 : 60;
        body_bench_run(b, 12000);
        body_bench_drain(b);
    }
    ck_assert_uint_gt(b->windows, 100);
    ck_assert_uint_gt(body_reference_handed(b->ref), _i == TINY ? 10000 : 20000);
    ck_assert_uint_gt(body_reference_rolled_back(b->ref), 100);
    world_free(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("VOQ bodies");
    TCase *t = tcase_create("random");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, words_return_in_order_and_blocks_are_never_shared_or_lost, 0, MODELS);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
