/* DIRECT switched while packets are on their way to the link: refused, so that output queues and link never count one
 * on different lanes; and switched between packets. */
#include "system_space.h"
#include "test.h"

static uint32_t control(bench *b) { return bench_get(b, 0, NIC_CONTROL); }

TEST_CASE("direct", .timeout = 60);

/* The cable's way back is cut, so the link is down and packets wait for it. */
SOFTWARE_TEST(a_change_is_refused_while_packets_stand_before_the_link)
{
    enum { PIECES = 6 };
    uint32_t mode = control(b);
    cable_cut(b->wire, CABLE_B_TO_A);
    bench_wait(b, 20 * SIM_US);
    for (unsigned i = 0; i < PIECES; i++) bench_send(b, 0, 1 + 62 * (i % 2), NX_REMOTE | NX_LOCAL);
    bench_wait(b, 50 * SIM_US);
    bench_forgive(b, ALL);
    ck_assert_uint_eq(bench_status(b, 0) & NIC_STATUS_DIRECT_REFUSED_MASK, 0);
    bench_set(b, 0, NIC_CONTROL, (mode & ~(uint32_t)NIC_CONTROL_DIRECT_MASK) | NIC_CONTROL_STORE_AND_FORWARD_MASK);
    ck_assert_uint_eq(control(b), mode | NIC_CONTROL_STORE_AND_FORWARD_MASK); /* all else is taken */
    ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_DIRECT_REFUSED_MASK);
    bench_set(b, 0, NIC_CONTROL, mode);
    ck_assert_uint_eq(bench_status(b, 0), 0);
    cable_reconnect(b->wire, CABLE_B_TO_A);
    ck_assert_int_eq(nx_drain(b->n[0]->dev, 1), NX_OK);
    bench_wait(b, 50 * SIM_US);
    ck_assert_uint_eq(bench_missing(b, b->flow[0].piece, PIECES), 0);
    ck_assert_int_eq(bench_take(b, 0), 1);
    bench_good(b, 0, 62);
    bench_forgive(b, ALL);
    bench_prove(b);
}

/* At rest it changes at once, and back. */
SOFTWARE_TEST(at_rest_it_changes_at_once)
{
    uint32_t mode = control(b);
    for (int i = 0; i < 5; i++) {
        bench_good(b, 0, 62);
        bench_wait(b, 20 * SIM_US);
        bench_set(b, 0, NIC_CONTROL, mode & ~(uint32_t)NIC_CONTROL_DIRECT_MASK);
        ck_assert_uint_eq(control(b), mode & ~(uint32_t)NIC_CONTROL_DIRECT_MASK);
        bench_set(b, 0, NIC_CONTROL, mode);
        ck_assert_uint_eq(control(b), mode);
        bench_good(b, 1, 3);
    }
    bench_prove(b);
}

/* Writes at any time, in traffic on a queue that has no lane of its own at the other NIC: while DIRECT is off nothing
 * leaves. */
static unsigned any_piece(bench *b, unsigned flow, piece *p)
{
    bench_wait(b, sim_random_below(b->s, 8 * SIM_US));
    *p = bench_make(b, flow, 1 + (unsigned)sim_random_below(b->s, 200));
    return NX_REMOTE | NX_LOCAL;
}

SOFTWARE_TEST(no_change_in_traffic_splits_the_accounts)
{
    uint32_t mode = control(b);
    unsigned refused = 0, taken = 0;
    bench_stream(b, 0, 60, any_piece, 0);
    while (b->flow[0].posted < 60) {
        bench_wait(b, sim_random_below(b->s, 4 * SIM_US));
        bench_set(b, 0, NIC_CONTROL, mode & ~(uint32_t)NIC_CONTROL_DIRECT_MASK);
        if (control(b) == mode) refused++;
        else taken++;
        for (unsigned tries = 0; control(b) != mode; tries++) {
            ck_assert_uint_lt(tries, 100);
            bench_set(b, 0, NIC_CONTROL, mode);
        }
    }
    bench_join(b);
    ck_assert_uint_gt(refused, 10);
    ck_assert_uint_gt(taken, 10);
    bench_wait(b, 50 * SIM_US);
    ck_assert_uint_eq(bench_missing(b, b->flow[0].piece, 60), 0);
    ck_assert_int_eq(bench_take(b, 0), 1);
    ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_DIRECT_REFUSED_MASK);
    bench_prove(b);
}
