/* The DMA arbiter: reads first, but no write waits for more than two reads, or for more than one if built so. */
#include <stdlib.h>
#include <string.h>

#include "dma_arbiter.h"
#include "dma_arbiter_1.h"
#include "sim.h"
#include "simulation.h"
#include "test.h"

struct arbiter_bench {
    sim *s;
    sim_clock *clk;
    dma_arbiter *m;
    unsigned reads_passed, worst; /* reads that started while a write could have, since the last write */
    unsigned reads, writes, read_beaten;
};

/* The initiator: starts what is picked after a random time; what could start comes and goes. */
static void drive(void *self)
{
    struct arbiter_bench *b = self;
    dma_arbiter *m = b->m;
    *m->rst = sim_clock_cycles(b->clk) < 3;
    int started = *m->arb_started;
    *m->arb_started = 0;
    if (*m->rst || started) return;
    sim_model_eval(m->model);
    if ((*m->arb_read || *m->arb_write) && sim_random_below(b->s, 4) == 0) {
        int write = *m->arb_write && (!*m->arb_read || *m->arb_pick_write);
        b->read_beaten += *m->arb_read && write;
        if (write) b->reads_passed = 0;
        else if (*m->arb_write && ++b->reads_passed > b->worst) b->worst = b->reads_passed;
        b->reads += !write;
        b->writes += (unsigned)write;
        *m->arb_started = 1;
        *m->arb_started_write = (uint8_t)write;
        if (sim_random_below(b->s, 3)) {
            if (write) *m->arb_write = 0;
            else *m->arb_read = 0;
        }
    } else {
        *m->arb_read |= sim_random_below(b->s, 3) == 0;
        *m->arb_write |= sim_random_below(b->s, 3) == 0;
    }
}

TEST(a_write_waits_for_few_reads, .from = 1, .to = 3)
{
    struct arbiter_bench b;
    memset(&b, 0, sizeof b);
    b.s = quiet_sim(0);
    b.clk = make_clock(b.s, "clk", 10000, 0);
    b.m = MODEL_AS(dma_arbiter, make_model(b.s, _i == 1 ? &dma_arbiter_1_config : &dma_arbiter_config, "dut"), NULL);
    sim_model_clock(b.m->model, b.clk, b.m->clk);
    sim_clock_attach(b.clk, NULL, drive, &b);
    *b.m->rst = 1;
    *b.m->arb_read = *b.m->arb_write = *b.m->arb_started = *b.m->arb_started_write = 0;
    ck_assert_int_eq(sim_run(b.s, 200000000), SIM_TIME_LIMIT);
    ck_assert_uint_eq(b.worst, (unsigned)_i);
    ck_assert_uint_gt(b.reads, 1000);
    ck_assert_uint_gt(b.writes, 1000);
    ck_assert_uint_gt(b.read_beaten, 100);
}
