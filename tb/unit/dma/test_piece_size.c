/* Sizes of packets and pieces for every payload limit and every read size, and what is said while they are being found. */
#include <stdlib.h>
#include <string.h>

#include "dma_piece_size.h"
#include "dma_piece_size_100.h"
#include "sim.h"
#include "simulation.h"
#include "test.h"

struct size_bench {
    sim *s;
    sim_clock *clk;
    dma_piece_size *m;
};

static void drive(void *self)
{
    struct size_bench *b = self;
    *b->m->rst = sim_clock_cycles(b->clk) < 3;
}

static void run(struct size_bench *b, unsigned clocks)
{
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + clocks * 10000ull), SIM_TIME_LIMIT);
}

TEST(sizes_follow_the_settings, .to = 2)
{
    static const unsigned reads[] = {64, 128, 256, 512};
    struct size_bench b;
    unsigned most = _i ? 100 : 512;
    b.s = quiet_sim(0);
    b.clk = make_clock(b.s, "clk", 10000, 0);
    b.m = MODEL_AS(dma_piece_size, make_model(b.s, _i ? &dma_piece_size_100_config : &dma_piece_size_config, "dut"), NULL);
    sim_model_clock(b.m->model, b.clk, b.m->clk);
    sim_clock_attach(b.clk, NULL, drive, &b);
    *b.m->rst = 1;
    *b.m->cfg_payload_limit = 62;
    *b.m->cfg_max_read_words = 512;
    run(&b, 100);
    for (unsigned r = 0; r < 4; r++)
        for (unsigned limit = 1; limit <= 512; limit++) {
            unsigned longest = reads[r] < most ? reads[r] : most, packet = limit < longest ? limit : longest, clocks = 0;
            unsigned before = packet != *b.m->limit || longest != *b.m->longest;
            *b.m->cfg_payload_limit = (uint16_t)limit;
            *b.m->cfg_max_read_words = (uint16_t)reads[r];
            sim_model_eval(b.m->model);
            ck_assert_uint_eq(*b.m->settled, !before);
            for (; !*b.m->settled; clocks++) run(&b, 1);
            ck_assert_uint_le(clocks, longest + 2);
            ck_assert_uint_eq(*b.m->longest, longest);
            ck_assert_uint_eq(*b.m->limit, packet);
            ck_assert_uint_eq(*b.m->whole, longest / packet * packet);
        }
}
