/* A bus of 66, 100 or 133 MHz: the receiver starts its burst just late enough never to run dry, without configuration.
 */
#include "system_bench.h"
#include "test.h"

static const unsigned mhz[] = {66, 100, 133};
/* 64-bit words per PCI clock in 1/256: half a word per network clock of 78.125 MHz, less 4 % for clocks that are off
 * and idle words */
static const uint32_t ratio[] = {144, 96, 72};

static void speeds(pair_params *p, int variation)
{
    p->driver.payload_words = 512;
    for (int i = 0; i < 2; i++) {
        p->node[i].pci_mhz = mhz[variation];
        p->node[i].host = variation & 1 ? host_params_server2004() : host_params_ideal();
    }
    /* the fastest bus that its crystal allows, the slowest link */
    p->node[1].pci_ppm = 100;
    p->node[0].net_ppm = -100;
}

TEST_CASE("bus_speed", .timeout = 120);

SOFTWARE_TEST_ON(speeds, a_long_packet_never_runs_dry_on_its_way_into_memory, .to = COUNT(mhz))
{
    enum { N = 12 };
    for (unsigned i = 0; i < N; i++) bench_send(b, 0, 512 - i % 3, NX_REMOTE);
    bench_wait(b, N * 20 * SIM_US);
    for (unsigned i = 0; i < N; i++) bench_must_arrive(b, &b->flow[0].piece[i]);
    bench_expect_nothing(b, ALL);
}

SOFTWARE_TEST_ON(speeds, the_ratio_follows_the_pattern_at_reset_unless_software_sets_it, .to = COUNT(mhz))
{
    ck_assert_uint_eq(bench_get(b, 1, NIC_CUT_THROUGH), ratio[_i]);
    ck_assert_uint_eq(bench_get(b, 1, NIC_BUS_CLASS), (uint32_t)_i + 1);
    /* software may say otherwise; only RST# brings the hardware's own back */
    bench_set(b, 1, NIC_CUT_THROUGH, 33);
    ck_assert_int_eq(nx_reset(b->n[1]->dev), NX_OK);
    ck_assert_uint_eq(bench_get(b, 1, NIC_CUT_THROUGH), 33);
    ck_assert_int_eq(node_start(b->n[1], &b->p->params.driver), 0);
    ck_assert_uint_eq(bench_get(b, 1, NIC_CUT_THROUGH), ratio[_i]);
}
