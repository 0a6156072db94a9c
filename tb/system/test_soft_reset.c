/* Software reset in the middle of traffic, at many moments: it ends, losses are indicated, and traffic continues. */
#include "system_space.h"
#include "test.h"

enum { BURST = 24, UNPLUGGED = 12 };

static void burst(bench *b, unsigned pieces)
{
    for (unsigned i = 0; i < pieces; i++) bench_send(b, 0, 1 + (unsigned)sim_random_below(b->s, 512), 0);
}

static void goes_on(bench *b)
{
    bench_good(b, 0, 512);
    bench_good(b, 1, 512);
    bench_forgive(b, ALL);
    bench_prove(b);
}

static void reset_sender(bench *b)
{
    bench_good(b, 0, 62);
    burst(b, BURST);
    bench_wait(b, sim_random_below(b->s, 60 * SIM_US));
    bench_soft_reset(b, 0);
    nx_drain(b->n[0]->dev, 1); /* accounts for abandoned transfers */
    /* every descriptor has departed or was skipped, none is forgotten: those that were not taken are served now */
    uint32_t done = 0, pointers = 0;
    for (int tries = 0; tries < 100; tries++) {
        bench_wait(b, 10 * SIM_US);
        done = bench_get(b, 0, NIC_QUEUE_DEPARTED + 4) + bench_get(b, 0, NIC_QUEUE_SKIPPED + 4);
        pointers = bench_get(b, 0, NIC_QUEUE_POINTERS + 4);
        if ((done & 0x7f) == (pointers >> 16 & 0x7f)) break;
    }
    ck_assert_uint_eq(pointers >> 24 & 0x7f, pointers >> 16 & 0x7f);
    ck_assert_uint_eq(done & 0x7f, pointers >> 24 & 0x7f);
    bench_wait(b, 20 * SIM_US);
    ck_assert_int_eq(bench_take(b, 0), 0);
    bench_next(b, 0, 62); /* packets dropped behind their sequence number show as a gap; transfers abandoned before that
                             never had one */
    goes_on(b);
}

static void reset_receiver(bench *b)
{
    bench_good(b, 0, 62);
    burst(b, BURST);
    bench_wait(b, sim_random_below(b->s, 60 * SIM_US));
    bench_soft_reset(b, 1);
    bench_wait(b, 300 * SIM_US);
    ck_assert_int_eq(bench_next(b, 0, 62), bench_missing(b, b->flow[0].piece, 1 + BURST) > 0);
    goes_on(b);
}

static void other_seed(pair_params *p, int variation) { p->sim.seed += 1000 * (uint64_t)variation; }

TEST_CASE("resets", .timeout = 120);

SOFTWARE_TEST(the_sender_is_reset_in_mid_transfer_and_goes_on) { reset_sender(b); }

SOFTWARE_TEST(the_receiver_is_reset_in_mid_transfer_and_what_was_lost_is_reported) { reset_receiver(b); }

SOFTWARE_TEST_ON(other_seed, resets_at_other_moments, .from = 1, .to = 21)
{
    if (_i & 1) reset_sender(b);
    else reset_receiver(b);
}

TEST_CASE("unplugged", .timeout = 60);

/* Packets that cannot leave, since there is no link, do not hold up the reset; cut packets arrive as damaged, or not at
 * all. */
SOFTWARE_TEST(reset_ends_while_the_cable_is_out, .to = 4)
{
    bench_good(b, 0, 62);
    bench_good(b, 1, 62);
    cable_cut(b->wire, CABLE_BOTH);
    bench_wait(b, 20 * SIM_US);
    if (_i & 1)
        for (unsigned i = 0; i < UNPLUGGED; i++) bench_send(b, 0, 62, 0);
    else burst(b, UNPLUGGED);
    bench_wait(b, 50 * SIM_US);
    bench_soft_reset(b, 0);
    nx_drain(b->n[0]->dev, 1);
    cable_reconnect(b->wire, CABLE_BOTH);
    bench_wait(b, 300 * SIM_US);
    bench_agree(b, 0, 8);
    bench_agree(b, 1, 8);
    ck_assert_uint_gt(bench_missing(b, &b->flow[0].piece[1], UNPLUGGED), 0);
    if (_i & 1) ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_FIFO_ERROR_MASK);
    ck_assert_int_eq(bench_next(b, 0, 62), 1);
    uint32_t done = bench_get(b, 0, NIC_QUEUE_DEPARTED + 4) + bench_get(b, 0, NIC_QUEUE_SKIPPED + 4);
    ck_assert_uint_eq(done & 0x7f, bench_get(b, 0, NIC_QUEUE_POINTERS + 4) >> 24 & 0x7f);
    goes_on(b);
}
