/* Software resets of either node, or both, at random moments of traffic in both directions: they end, no good
 * notification belongs to lost data, losses are indicated, and traffic continues with whole buffer space. */
#include "system_space.h"
#include "test.h"

enum { PIECES = 60, LOST = NIC_STATUS_SEQUENCE_GAP_MASK };

static unsigned any_piece(bench *b, unsigned flow, piece *p)
{
    *p = bench_make(b, flow, 1 + (unsigned)sim_random_below(b->s, 512));
    return NX_REMOTE;
}

static void seeded(pair_params *p, int variation) { p->sim.seed += (uint64_t)variation << 32; }

static void seeded_hosts(pair_params *p, int variation)
{
    seeded(p, variation);
    if (variation & 1) p->node[0].host = p->node[1].host = host_params_ideal();
}

static void reset_node_1(void *b) { bench_soft_reset(b, 1); }

TEST_CASE("reset_storm", .timeout = 60);

SOFTWARE_TEST_ON(seeded_hosts, resets_at_random_moments_of_traffic_both_ways, .to = 12)
{
    int who = _i % 3 + 1; /* bit 0 resets node 0, bit 1 node 1; the rest is luck */
    for (unsigned i = 0; i < 2; i++) bench_stream(b, i, PIECES, any_piece, 1);
    for (unsigned k = 0; k < 4; k++) {
        bench_wait(b, 1 + sim_random_below(b->s, 60 * SIM_US));
        sim_task *other = who == 3 && sim_random_below(b->s, 2) ? sim_task_new(b->s, "reset", reset_node_1, b) : NULL;
        bench_soft_reset(b, who == 2 || (who == 3 && !other && k & 1) ? 1 : 0);
        if (other) sim_join(other);
    }
    bench_join(b);
    bench_wait(b, 20 * SIM_US);
    for (int i = 0; i < 2; i++) bench_agree(b, i, 4);
    for (int i = 0; i < 2; i++) {
        uint32_t skipped = bench_accounted(b, i);
        ck_assert_uint_eq(bench_get(b, i, NIC_STATUS) & ~(uint32_t)LOST, 0);
        unsigned lost = bench_missing(b, b->flow[i].piece, PIECES);
        /* departed words that did not arrive were dropped by the receiver's reset, or are the rest of an abandoned
         * transfer */
        if (!(who >> !i & 1))
            ck_assert_msg(lost <= skipped, "node %d lost %u pieces, %u are reported", i, lost, skipped);
        if (!(who >> i & 1)) ck_assert_uint_eq(skipped, 0);
        bench_sound(b, (unsigned)i);
        ck_assert_uint_gt(b->flow[i].good, 0);
        uint32_t flagged = bench_risen(b, !i, NIC_FLAGGED_NOTIFICATIONS);
        piece next = bench_send(b, (unsigned)i, 9, NX_REMOTE);
        bench_wait(b, 10 * SIM_US);
        bench_must_arrive(b, &next);
        uint32_t more = bench_risen(b, !i, NIC_FLAGGED_NOTIFICATIONS);
        ck_assert_uint_ge(more, flagged);
        if (lost > skipped)
            ck_assert_msg(more > 0, "node %d: %u pieces lost, %u reported, none flagged", i, lost, skipped);
    }
    for (unsigned i = 0; i < 2; i++) bench_take(b, i);
    bench_forgive(b, ALL);
    bench_prove(b);
}

/* The driver's reset in mid-traffic: afterwards its accounts start afresh and agree with the device's. */
SOFTWARE_TEST_ON(seeded, the_driver_resets_its_device_in_mid_traffic, .to = 6)
{
    int node = _i & 1;
    b->flow[0].sender_reports = 1;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 20; i++) {
            piece p;
            unsigned flags = any_piece(b, 0, &p);
            bench_post(b, &p, flags);
        }
        bench_wait(b, sim_random_below(b->s, 60 * SIM_US));
        bench_ok(b, node, nx_reset(b->n[node]->dev));
        bench_ok(b, node, nx_wait_link(b->n[node]->dev));
        ck_assert_uint_eq((unsigned)nx_free_slots(b->n[node]->dev, (unsigned)!node), nx_slots(b->n[node]->dev));
        bench_ok(b, 0, nx_drain(b->n[0]->dev, 1));
        bench_wait(b, 30 * SIM_US);
        bench_take(b, 0);
        bench_next(b, 0, 100);
        bench_good(b, 0, 100);
        bench_good(b, 1, 100);
    }
    bench_forgive(b, ALL);
    bench_prove(b);
}

/* A reset while the bus does not let the NIC write, or does not answer its read. */
SOFTWARE_TEST(a_reset_on_a_blocked_bus_ends_when_the_bus_does, .to = 4)
{
    int reader = _i & 1; /* node 0 is the one that cannot read, else node 1 cannot write */
    bench_range(b, !reader, BENCH_SOURCES, 0x70000000, HOST_RANGE_RETRY, _i & 2 ? 1500 : 300);
    for (unsigned i = 0; i < 20; i++) bench_send(b, 0, 100, NX_REMOTE);
    bench_wait(b, 30 * SIM_US);
    bench_ask_reset(b, !reader);
    bench_wait(b, 10 * SIM_US);
    host_clear_ranges(b->n[!reader]->host); /* earlier retries go on to their end */
    for (unsigned tries = 0; bench_get(b, !reader, NIC_CONTROL) & NIC_CONTROL_SOFT_RESET_MASK; tries++) {
        ck_assert_msg(tries < 500, "the software reset of node %d does not end", !reader);
        bench_wait(b, SIM_US);
    }
    /* the reset may have cost descriptors, which ends the wait; the others are served behind them */
    int result = nx_drain(b->n[0]->dev, 1);
    for (unsigned tries = 0; result == NX_ERROR_ABANDONED && tries < 20; tries++) result = nx_drain(b->n[0]->dev, 1);
    ck_assert_msg(result == NX_OK, "%s", nx_last_error(b->n[0]->dev));
    bench_wait(b, 50 * SIM_US);
    bench_take(b, 0);
    piece next = bench_send(b, 0, 30, NX_REMOTE);
    bench_wait(b, 10 * SIM_US);
    bench_must_arrive(b, &next);
    bench_take(b, 0);
    bench_forgive(b, ALL);
    bench_prove(b);
}
