/* Two NICs of two links each, bundled by byte: lengths, clocks of the bus, skew, a link that is cut, the counters of
 * link 1. The bundle itself is checked in tb/unit/link/test_bundle.c. */
#include "nic_2links.h"
#include "system_space.h"
#include "test.h"

static const unsigned mhz[] = {66, 100, 133};

static void two_links(pair_params *p, int variation)
{
    p->driver.payload_words = 512;
    p->cable.skew[0][1] = p->cable.skew[1][0] = 5 * 12800;
    for (int i = 0; i < 2; i++) {
        p->node[i].nic = &nic_2links_config;
        p->node[i].pci_mhz = mhz[variation % 3];
    }
}

static void finish(bench *b)
{
    bench_forgive(b, ALL);
    bench_prove(b);
}

TEST_CASE("links_by_byte", .timeout = 120);

SOFTWARE_TEST_ON(two_links, every_length_arrives_on_any_bus, .to = COUNT(mhz))
{
    static const unsigned words[] = {1, 2, 3, 4, 5, 6, 7, 8, 61, 62, 63, 255, 256, 511, 512, 512, 512};
    for (int i = 0; i < COUNT(words); i++)
        for (unsigned flow = 0; flow < 2; flow++) bench_send(b, flow, words[i], NX_REMOTE | NX_LOCAL);
    bench_wait(b, 400 * SIM_US);
    for (unsigned flow = 0; flow < 2; flow++) ck_assert_uint_eq(bench_missing(b, b->flow[flow].piece, COUNT(words)), 0);
    bench_expect_nothing(b, ALL);
}

SOFTWARE_TEST_ON(two_links, registers_tell_links_and_skew)
{
    uint32_t build = bench_get(b, 0, NIC_BUILD);
    ck_assert_uint_eq((build & NIC_BUILD_LINKS_MASK) >> NIC_BUILD_LINKS_SHIFT, 2);
    ck_assert_uint_eq(build & NIC_BUILD_BOND_MASK, 0);
    bench_good(b, 0, 62);
    bench_good(b, 1, 62);
    for (int i = 0; i < 2; i++) {
        uint32_t waits = bench_get(b, i, NIC_LINK_WAITS);
        int late = (int)(waits & 15) -
                   (int)(waits >> 4 & 15); /* of link 1; elastic buffers add up to a word and lanes another one */
        ck_assert_int_ge(i ? late : -late, 4);
        ck_assert_int_le(i ? late : -late, 7);
    }
}

static unsigned any_piece(bench *b, unsigned flow, piece *p)
{
    *p = bench_make(b, flow, 1 + (unsigned)sim_random_below(b->s, 150));
    return NX_REMOTE | NX_LOCAL;
}

SOFTWARE_TEST_ON(two_links, a_link_that_is_cut_loses_packets_but_no_space, .to = 2)
{
    for (unsigned i = 0; i < 2; i++) bench_stream(b, i, 80, any_piece, 0);
    bench_wait(b, 30 * SIM_US);
    cable_cut_links(b->wire, CABLE_BOTH, 1u << _i);
    bench_wait(b, 30 * SIM_US);
    for (int i = 0; i < 2; i++) ck_assert_uint_eq(bench_get(b, i, NIC_LINK_STATUS) & NIC_LINK_STATUS_UP_MASK, 0);
    cable_reconnect_links(b->wire, CABLE_BOTH, 1u << _i);
    bench_join(b);
    bench_wait(b, 200 * SIM_US);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_lt(bench_missing(b, b->flow[i].piece, 80), 40);
        ck_assert_uint_gt(bench_risen(b, (int)i, _i ? NIC_GT1_LOSS_OF_SYNC : NIC_GT0_LOSS_OF_SYNC), 0);
        ck_assert_uint_gt(bench_get(b, (int)i, NIC_ALIGNMENT_ERRORS), 0);
        ck_assert_uint_eq(bench_get(b, (int)i, _i ? NIC_GT0_LOSS_OF_SYNC : NIC_GT1_LOSS_OF_SYNC), 0);
        bench_take(b, i);
        bench_next(b, i, 9);
    }
    finish(b);
}
