/* Data in external memory cost no throughput: reads of data that cannot leave yet share the bus with arrivals. */
#include "crossbar4.h"
#include "nic.h"
#include "nic_4splits.h"
#include "scenario_bench.h"
#include "test.h"

TEST_CASE("bodies", .timeout = 120);

static double payload(scenario_bench *b, const char *blocks)
{
    scenario_params_default(&b->p);
    SET(b, "scenario", "round-robin", "sizes", "496", "outstanding", "64", "warmup", "120", "measure", "150",
        "body-limit", blocks);
    scenario_bench_complete(b);
    ck_assert_msg(!scenario_run(b->x, &b->p), "%s", b->x->error);
    return b->x->row[0].all.mib_per_s;
}

static const sim_config *const kinds[] = {&nic_config, &nic_4splits_config};

static void with_and_without(scenario_bench *b, int kind)
{
    static const char *const blocks[] = {"8", "4096"};
    double without = payload(b, "0");
    ck_assert_double_gt(without, 4 * 280);
    for (int i = 0; i < COUNT(blocks); i++) {
        double with = payload(b, blocks[i]);
        ck_assert_msg(with >= 0.99 * without, "%s: %.1f MiB/s with bodies of %s blocks, %.1f without",
                      kinds[kind]->name, with, blocks[i], without);
    }
}

TEST(bodies_of_any_length_cost_a_saturated_system_no_throughput, .to = COUNT(kinds))
{
    fabric_params p;
    fabric_params_default(&p, 4, &crossbar4_config);
    for (int i = 0; i < 4; i++) p.node[i].nic = kinds[_i];
    fabric_good(scenario_bench_new(&p), with_and_without, _i);
}
