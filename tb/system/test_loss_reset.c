/* Software resets in traffic: what the NIC throws away, on its way out or in, is told by the next notification of each source that lost
 * something. */
#include "loss_bench.h"
#include "test.h"

static void reset(loss *l)
{
    loss_put(l, NIC_CONTROL, loss_get(l, NIC_CONTROL) | NIC_CONTROL_SOFT_RESET_MASK);
    for (unsigned tries = 0; loss_get(l, NIC_CONTROL) & NIC_CONTROL_SOFT_RESET_MASK; tries++)
        ck_assert_msg(tries < 1000, "the software reset does not end");
}

/* What the NIC holds of both directions is thrown away. */
static void resets(loss *l, int variation)
{
    /* some destinations are slow, so that packets wait in the NIC */
    for (unsigned i = 0; i < LOSS_FLOWS; i++)
        if (sim_random_below(l->p->s, 3) == 0) far_end_rate(l->p->far, i, 20);
    loss_struck(l, reset, 1 + variation % 3);
}

TEST_CASE("reset", .timeout = 60);

TEST(software_resets_in_traffic, .to = 12)
{
    port_params p;
    loss_params(&p);
    p.sim.seed += (uint64_t)_i << 32;
    loss_run(&p, resets, _i);
}
