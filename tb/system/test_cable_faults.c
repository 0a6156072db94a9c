/* A cable that is cut and joined again, one that makes wrong bits, and the remaining traffic. */
#include "system_space.h"
#include "test.h"

enum {
    LINK_ERRORS = NIC_STATUS_SEQUENCE_GAP_MASK | NIC_STATUS_BODY_CRC_MASK | NIC_STATUS_PACKET_DROPPED_MASK |
                  NIC_STATUS_CREDIT_REJECTED_MASK
};

/* The next notification of `from` after lost data has the loss indication, later ones are good; no FIFO has overflowed.
 * Returns how many were lost. */
static unsigned recover(bench *b, unsigned flow)
{
    int from = (int)flow;
    unsigned lost = bench_missing(b, b->flow[flow].piece, b->flow[flow].posted);
    uint32_t before = bench_risen(b, !from, NIC_FLAGGED_NOTIFICATIONS);
    bench_take(b, flow);
    int flagged = bench_next(b, flow, 9);
    uint32_t now = bench_risen(b, !from, NIC_FLAGGED_NOTIFICATIONS);
    ck_assert_msg(!lost || now, "%u transfers of node %d lost, none flagged", lost, from);
    ck_assert_uint_eq(now - before, flagged);
    ck_assert_uint_eq(bench_get(b, !from, NIC_STATUS) & ~(uint32_t)LINK_ERRORS, 0);
    ck_assert_uint_eq(bench_get(b, from, NIC_STATUS) & ~(uint32_t)LINK_ERRORS, 0);
    return lost;
}

static void finish(bench *b)
{
    bench_forgive(b, ALL);
    bench_prove(b);
}

/* ---- cuts */

struct cut {
    int directions;
    sim_time start, length; /* [ps] after the stream has begun */
};
static const struct cut cuts[] = {
    {CABLE_A_TO_B, 20 * SIM_US, 1 * SIM_US}, {CABLE_A_TO_B, 31 * SIM_US, 10 * SIM_US},
    {CABLE_B_TO_A, 20 * SIM_US, 1 * SIM_US}, {CABLE_B_TO_A, 33 * SIM_US, 15 * SIM_US},
    {CABLE_BOTH, 25 * SIM_US, 3 * SIM_US},   {CABLE_BOTH, 17 * SIM_US, 50 * SIM_US},
    {CABLE_BOTH, 22 * SIM_US, 300 * SIM_US}, {CABLE_BOTH, 0, 2 * SIM_US},
};

static unsigned short_piece(bench *b, unsigned flow, piece *p)
{
    *p = bench_make(b, flow, 1 + (unsigned)sim_random_below(b->s, 62));
    return NX_REMOTE | NX_LOCAL;
}

TEST_CASE("cable_faults", .timeout = 60);

SOFTWARE_TEST(a_cut_cable_loses_packets_but_no_space, .to = COUNT(cuts))
{
    const struct cut *c = &cuts[_i];
    for (unsigned i = 0; i < 2; i++) bench_stream(b, i, 100, short_piece, 0);
    bench_wait(b, c->start + 1000);
    cable_cut(b->wire, c->directions);
    bench_wait(b, c->length);
    cable_reconnect(b->wire, c->directions);
    bench_join(b);
    for (int i = 0; i < 2; i++) bench_agree(b, i, 4);
    for (unsigned i = 0; i < 2; i++) {
        unsigned lost = recover(b, i);
        if (!(c->directions & (i ? CABLE_B_TO_A : CABLE_A_TO_B))) ck_assert_uint_eq(lost, 0);
        if (c->directions & (i ? CABLE_B_TO_A : CABLE_A_TO_B))
            ck_assert_uint_gt(bench_get(b, !i, NIC_GT0_LOSS_OF_SYNC), 0);
        /* only words on the wire are lost: the sender's transceiver does not know of the cut, so it goes on for as long
         * as it has credit
         */
        ck_assert_uint_lt(lost, 60);
    }
    finish(b);
}

/* ---- a noisy cable */

struct noise {
    bench *b;
    uint64_t one_in; /* words */
    int heavy;       /* whole words are wrong, not one bit */
    uint64_t done;
};

static void noisy(void *arg, frame_word *w)
{
    struct noise *n = arg;
    if (sim_random_below(n->b->s, n->one_in)) return;
    n->done++;
    *w->flip ^= n->heavy ? sim_random(n->b->s) & 0xffffffffffu : (uint64_t)1 << sim_random_below(n->b->s, 40);
}

SOFTWARE_TEST(wrong_bits_lose_packets_but_no_space, .to = 8)
{
    static const unsigned one_in[] = {5000, 1000, 300, 100};
    struct noise n[2] = {{b, one_in[_i / 2], _i & 1, 0}, {b, one_in[_i / 2], _i & 1, 0}};
    frame_tap *tap = tap_on(b->wire);
    for (int i = 0; i < 2; i++) frame_tap_arm(tap, i, FRAME_ANY, 0, ~0u, noisy, &n[i]);
    for (unsigned i = 0; i < 2; i++) bench_stream(b, i, 100, short_piece, 0);
    bench_join(b);
    for (int i = 0; i < 2; i++) frame_tap_arm(tap, i, 0, 0, 0, NULL, NULL);
    ck_assert_uint_gt(n[0].done + n[1].done, 0);
    for (int i = 0; i < 2; i++) bench_agree(b, i, 6);
    for (unsigned i = 0; i < 2; i++) recover(b, i);
    finish(b);
}
