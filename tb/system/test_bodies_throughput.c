/* What waits in external memory costs nobody his throughput: reads of what cannot leave yet share the bus with what arrives. */
#include "crossbar4.h"
#include "nic.h"
#include "nic_4splits.h"
#include "scenario_bench.h"
#include "test.h"

TEST_CASE("bodies", .timeout = 120);

static double payload(const sim_config *nic, const char *blocks)
{
    fabric_params p;
    fabric_params_default(&p, 4, &crossbar4_config);
    for (int i = 0; i < 4; i++) p.node[i].nic = nic;
    scenario_bench *b = scenario_bench_new(&p);
    SET(b, "scenario", "round-robin", "sizes", "496", "outstanding", "0", "warmup", "120", "measure", "150", "body-limit", blocks);
    return scenario_bench_good(b)->row[0].all.mib_per_s;
}

static const sim_config *const kinds[] = {&nic_config, &nic_4splits_config};

TEST(bodies_of_any_length_cost_a_saturated_system_no_throughput, .to = COUNT(kinds))
{
    static const char *const blocks[] = {"8", "512", "4096"};
    double without = payload(kinds[_i], "0");
    ck_assert_double_gt(without, 4 * 280);
    for (int i = 0; i < COUNT(blocks); i++) {
        double with = payload(kinds[_i], blocks[i]);
        ck_assert_msg(with >= 0.99 * without, "%s: %.1f MiB/s with bodies of %s blocks, %.1f without", kinds[_i]->name, with, blocks[i],
                      without);
    }
}
