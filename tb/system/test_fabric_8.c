/* Eight nodes around a switch of eight ports: the short form of the long run (make soak NODES=8), and many senders to
 * one. */

#include "crossbar8.h"
#include "scenario_bench.h"
#include "test.h"

static const char *const patterns[] = {"uniform", "round-robin", "unbalanced", "hot-spot"};

TEST_CASE("eight", .timeout = 200);

TEST(eight_saturated_ports, .to = COUNT(patterns))
{
    fabric_params p;
    fabric_params_default(&p, 8, &crossbar8_config);
    p.sim.seed += (uint64_t)_i;
    scenario_bench *b = scenario_bench_new(&p);
    SET(b, "scenario", patterns[_i], "sizes", "8..496", "packets", "1200", "warmup", "20", "outstanding", "4");
    scenario_bench_good(b);
    ck_assert_uint_ge(b->x->row[0].all.packets, 1200);
}

TEST(seven_senders_share_one_receiver)
{
    const scenario *x =
        GOOD(8, &crossbar8_config, "scenario", "n-to-one", "sizes", "8..496", "measure", "200", "warmup", "60");
    const statistics_result *flow[7];
    for (unsigned i = 0; i < 7; i++) flow[i] = &x->row[0].flow[i][7];
    for (unsigned i = 0; i < 7; i++)
        for (unsigned k = 0; k < 7; k++) ck_assert_uint_le(flow[i]->packets, flow[k]->packets + 2);
    ck_assert_double_gt(x->row[0].all.mib_per_s, 265);
}
