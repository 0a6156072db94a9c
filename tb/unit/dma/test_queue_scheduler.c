/* The queue scheduler that ships: round robin over transfers, pieces of a transfer together. Compared in every clock with a reference
 * that walks the queues one by one. */
#include <stdlib.h>
#include <string.h>

#include "dma_queue_scheduler.h"
#include "dma_queue_scheduler_16.h"
#include "sim.h"
#include "test.h"

struct scheduler_bench {
    sim *s;
    sim_clock *clk;
    unsigned queues;
    uint8_t *rst, *used, *used_last, *used_queue;
    const uint8_t *any, *index;
    uint32_t waiting, eligible, grant;
    dma_queue_scheduler *m8;
    dma_queue_scheduler_16 *m16;
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
    if (*b->rst) return;
    b->grant = b->m8 ? *b->m8->grant : *b->m16->grant;
    if (*b->any != (b->eligible != 0)) b->mistakes++;
    if (b->begun && b->eligible) {
        unsigned want = expected(b);
        b->mistakes += *b->index != want || b->grant != 1u << want;
        b->stayed += want == b->last && b->more;
        b->checked++;
    }
    if (*b->used) {
        b->last = *b->used_queue;
        b->more = !*b->used_last;
        b->begun = 1;
    }
    if (b->mistakes) sim_fail(b->s, "queue %u of %x, last %u", *b->index, b->eligible, b->last);
}

static void drive(void *self)
{
    struct scheduler_bench *b = self;
    uint32_t mask = (1u << b->queues) - 1;
    *b->rst = sim_clock_cycles(b->clk) < 3;
    b->waiting = (b->waiting | (uint32_t)sim_random(b->s)) & (uint32_t)sim_random(b->s) & mask;
    b->eligible = b->waiting & ((uint32_t)sim_random(b->s) | (uint32_t)sim_random(b->s));
    *b->used = sim_random_below(b->s, 3) == 0;
    /* mostly what is proposed, as the engine does; now and then another */
    *b->used_queue = (uint8_t)(sim_random_below(b->s, 4) && b->begun && b->eligible ? expected(b) : sim_random_below(b->s, b->queues));
    *b->used_last = (uint8_t)sim_random_below(b->s, 2);
    if (b->m8) {
        *b->m8->waiting = (uint8_t)b->waiting;
        *b->m8->eligible = (uint8_t)b->eligible;
    } else {
        *b->m16->waiting = (uint16_t)b->waiting;
        *b->m16->eligible = (uint16_t)b->eligible;
    }
}

#define CONNECT(m)                                                                                                                         \
    do {                                                                                                                                   \
        sim_model_clock((m)->model, b.clk, (m)->clk);                                                                                      \
        b.rst = (m)->rst;                                                                                                                  \
        b.used = (m)->used;                                                                                                                \
        b.used_last = (m)->used_last;                                                                                                      \
        b.used_queue = (m)->used_queue;                                                                                                    \
        b.any = (m)->any;                                                                                                                  \
        b.index = (m)->index;                                                                                                              \
    } while (0)

TEST(transfers_take_turns, .to = 2)
{
    struct scheduler_bench b;
    sim_params p;
    sim_clock_params c = {.name = "clk", .period = 10000};
    memset(&b, 0, sizeof b);
    sim_params_default(&p);
    p.watchdog = 0;
    p.quiet = 1;
    b.s = sim_new(&p);
    b.clk = sim_clock_new(b.s, &c);
    b.queues = _i ? 16 : 8;
    if (_i) {
        b.m16 = dma_queue_scheduler_16_new(b.s, "dut");
        CONNECT(b.m16);
    } else {
        b.m8 = dma_queue_scheduler_new(b.s, "dut");
        CONNECT(b.m8);
    }
    *b.rst = 1;
    *b.used = 0;
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
    if (_i) dma_queue_scheduler_16_free(b.m16);
    else dma_queue_scheduler_free(b.m8);
    sim_free(b.s);
}
