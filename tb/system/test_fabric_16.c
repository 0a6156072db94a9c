/* Sixteen nodes, and twelve, with NICs of 16 queues, around a switch of 16 ports: all ports saturated, every packet
 * checked. */
#include "crossbar16.h"
#include "nic16.h"
#include "scenario_bench.h"
#include "test.h"

static const unsigned sizes[] = {12, 16};

TEST_CASE("sixteen", .timeout = 400);

TEST(all_flows_of_twelve_and_sixteen_nodes, .to = COUNT(sizes))
{
    unsigned nodes = sizes[_i];
    fabric_params p;
    fabric_params_default(&p, nodes, &crossbar16_config);
    for (unsigned i = 0; i < nodes; i++) p.node[i].nic = &nic16_config;
    scenario_bench *b = scenario_bench_new(&p);
    SET(b, "scenario", "round-robin", "sizes", "8..496", "packets", "1000", "warmup", "20", "outstanding", "4");
    const scenario *x = scenario_bench_good(b);
    ck_assert_uint_ge(x->row[0].all.packets, 1000);
    for (unsigned from = 0; from < nodes; from++)
        for (unsigned to = 0; to < nodes; to++) ck_assert_uint_gt(x->row[0].flow[from][to].packets, 0);
}
