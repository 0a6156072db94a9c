/* Two hosts, two NICs, one cable: bring-up and the first transfers. */
#include "system_bench.h"
#include "test.h"

static const unsigned sizes[] = {8, 24, 496, 504, 4096, 8192};

static void hosts(pair_params *p, int variation)
{
    p->sim.watchdog = 200 * SIM_US;
    if (variation & 1) p->node[0].host = p->node[1].host = host_params_ideal();
}

TEST_CASE("transfers", .timeout = 60);

SOFTWARE_TEST_ON(hosts, a_transfer_arrives_with_its_notifications, .to = 2 * COUNT(sizes))
{
    ck_assert_int_eq(bench_transfer(b->n[0], b->n[1], 1, sizes[_i / 2]), NX_OK);
}
