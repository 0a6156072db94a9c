/* The queue scheduler that ships: round robin over transfers, pieces of a transfer together. Compared in every clock with a reference
 * that walks the queues one by one. */
#include <stdlib.h>
#include <string.h>

#include "dma_queue_scheduler.h"
#include "dma_queue_scheduler_16.h"
#include "sim.h"
#include "simulation.h"
#include "test.h"

struct scheduler_bench {
    sim *s;
    sim_clock *clk;
    unsigned queues;
    dma_queue_scheduler *m;
    const dma_queue_scheduler_ports *p; /* those whose width depends on the number of queues */
    uint32_t waiting, eligible, grant;
    int begun;           /* the first use has been seen: before it the order is not known */
    unsigned last, more; /* queue used last; its transfer has more pieces */
    unsigned checked, stayed, mistakes;
};

static unsigned expected(const struct scheduler_bench *b)
{
    if (b->more && b->eligible >> b->last & 1) return b->last;
    for (unsigned i = 1; i <= b->queues; i++)
        if (b->eligible >> (b->last + i) % b->queues & 1) return (b->last + i) % b->queues;
    return b->queues;
}

static void sample(void *self)
{
    struct scheduler_bench *b = self;
    if (*b->m->rst) return;
    b->grant = (uint32_t)sim_port_get(&b->p->grant);
    if (*b->m->any != (b->eligible != 0)) b->mistakes++;
    if (b->begun && b->eligible) {
        unsigned want = expected(b);
        b->mistakes += *b->m->index != want || b->grant != 1u << want;
        b->stayed += want == b->last && b->more;
        b->checked++;
    }
    if (*b->m->used) {
        b->last = *b->m->used_queue;
        b->more = !*b->m->used_last;
        b->begun = 1;
    }
    if (b->mistakes) sim_fail(b->s, "queue %u of %x, last %u", *b->m->index, b->eligible, b->last);
}

static void drive(void *self)
{
    struct scheduler_bench *b = self;
    uint32_t mask = (1u << b->queues) - 1;
    *b->m->rst = sim_clock_cycles(b->clk) < 3;
    b->waiting = (b->waiting | (uint32_t)sim_random(b->s)) & (uint32_t)sim_random(b->s) & mask;
    b->eligible = b->waiting & ((uint32_t)sim_random(b->s) | (uint32_t)sim_random(b->s));
    *b->m->used = sim_random_below(b->s, 3) == 0;
    /* mostly what is proposed, as the engine does; now and then another */
    *b->m->used_queue = (uint8_t)(sim_random_below(b->s, 4) && b->begun && b->eligible ? expected(b) : sim_random_below(b->s, b->queues));
    *b->m->used_last = (uint8_t)sim_random_below(b->s, 2);
    sim_port_set(&b->p->waiting, b->waiting);
    sim_port_set(&b->p->eligible, b->eligible);
}

TEST(transfers_take_turns, .to = 2)
{
    struct scheduler_bench b;
    memset(&b, 0, sizeof b);
    b.s = quiet_sim(0);
    b.clk = make_clock(b.s, "clk", 10000, 0);
    b.queues = _i ? 16 : 8;
    sim_model *model = make_model(b.s, _i ? &dma_queue_scheduler_16_config : &dma_queue_scheduler_config, "dut");
    b.m = MODEL_AS(dma_queue_scheduler, model, "waiting eligible grant");
    b.p = PORTS_AS(dma_queue_scheduler, model);
    sim_model_clock(model, b.clk, b.m->clk);
    *b.m->rst = 1;
    *b.m->used = 0;
    sim_clock_attach(b.clk, sample, drive, &b);
    int r = sim_run(b.s, 50000 * 10000ull);
    ck_assert_msg(r == SIM_TIME_LIMIT, "%s", sim_error(b.s));
    ck_assert_uint_gt(b.checked, 20000);
    ck_assert_uint_gt(b.stayed, 1000);
    /* the check can fail */
    for (unsigned k = 0; k < 200 && r == SIM_TIME_LIMIT; k++) {
        b.last ^= 1;
        r = sim_run(b.s, sim_now(b.s) + 10 * 10000);
    }
    ck_assert_int_ne(r, SIM_TIME_LIMIT);
}
