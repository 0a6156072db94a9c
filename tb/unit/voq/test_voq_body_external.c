/* voq_body with the memories of sim/external: order and blocks judged as ever, words per clock measured. */
#include <stdlib.h>
#include <string.h>

#include "body_bench.h"
#include "external.h"
#include "sim.h"
#include "simulation.h"
#include "test.h"
#include "voq_body.h"

#define PERIOD (10 * SIM_NS)

struct world {
    sim *s;
    voq_body *m;
    body_bench *b;
    external *memory;
};

static struct world world_new(const external_params *params)
{
    struct world w;
    w.s = quiet_sim(0);
    sim_clock *clk = make_clock(w.s, "clk", PERIOD, PERIOD / 2);
    w.m = voq_body_new(w.s, "body");
    w.b = body_bench_new(w.s, clk, w.m->model, 8, 64, 12, 128);
    w.b->external = 1;
    w.b->loads.window = 0;
    external_pins pins = EXTERNAL_PINS(w.m);
    w.memory = external_new(w.s, clk, &pins, params);
    ck_assert_ptr_nonnull(w.memory);
    return w;
}

static void world_free(struct world *w)
{
    external_free(w->memory);
    body_bench_free(w->b);
}

static external_params params_of(int which)
{
    external_params p = which & 1 ? external_params_sdram() : external_params_zbt();
    p.stall_percent = which & 2 ? 30 : 0;
    return p;
}

TEST_CASE("external", .timeout = 120);

TEST(words_come_back_from_a_real_memory, .to = 4)
{
    external_params p = params_of(_i);
    struct world w = world_new(&p);
    for (int i = 0; i < 4; i++) {
        w.b->loads.piece_words = i & 1 ? 514 : 60;
        w.b->loads.blocked = (unsigned)sim_random_below(w.s, 256);
        body_bench_run(w.b, 10000);
        if (i == 2) body_bench_flush(w.b);
    }
    body_bench_drain(w.b);
    ck_assert_uint_gt(body_reference_handed(w.b->ref), 5000);
    world_free(&w);
}

/* The same three runs as in test_voq_body, with a memory that has latency, and with one that has rows and refresh. */
TEST(speed, .to = 2)
{
    external_params p = params_of(_i);
    struct world w = world_new(&p);
    body_bench *b = w.b;
    unsigned out, in;
    b->loads.out_ready = b->loads.exact = b->loads.drain = b->loads.reserve = b->loads.word = 100;
    b->loads.rollback = b->loads.late_end = b->loads.block_changes = 0;
    b->loads.piece_words = 64;
    b->loads.blocked = 0xff;
    body_bench_run(b, 12000);
    body_bench_measure(b, 40000, &out, &in);
    printf("%s: written out alone 0.%03u words per clock", _i ? "SDRAM" : "ZBT", out);
    ck_assert_uint_ge(out, _i ? 900 : 950);
    b->loads.blocked = 0;
    b->loads.keep = 600;
    b->loads.word = 49;
    body_bench_run(b, 1000);
    body_bench_measure(b, 15000, &out, &in);
    printf(", both 0.%03u and 0.%03u", out, in);
    ck_assert_uint_ge(out, _i ? 400 : 450);
    ck_assert_uint_ge(in, _i ? 400 : 450);
    b->stopped = 1;
    b->loads.keep = 0;
    body_bench_run(b, 1000);
    body_bench_measure(b, 15000, &out, &in);
    printf(", fetched alone 0.%03u\n", in);
    ck_assert_uint_ge(in, _i ? 900 : 950);
    world_free(&w);
}
