/* Software reset in the middle of traffic, at many moments: it ends, what was lost is told, and traffic goes on. */
#include "moves.h"
#include "test.h"

static void reset_node(bench *b, int node)
{
    uint32_t control = bench_get(b, node, NIC_CONTROL);
    bench_set(b, node, NIC_CONTROL, control | NIC_CONTROL_SOFT_RESET_MASK);
    for (int tries = 0; bench_get(b, node, NIC_CONTROL) & NIC_CONTROL_SOFT_RESET_MASK; tries++) ck_assert_int_lt(tries, 200);
}

/* A notification after the reset: flagged if and only if data of the burst are missing. */
static void told(bench *b, int from, int lost)
{
    static move next;
    move_post(b, &next, from, 496, NX_REMOTE);
    ck_assert_int_eq(move_notified(b, from), lost ? NX_ERROR_FLAGGED : NX_OK);
    ck_assert(move_arrived(b, &next));
}

static void sender_body(bench *b)
{
    static move m[24];
    node *sender = b->p->node[0];
    move_good(b, 0, 496);
    for (int i = 0; i < 24; i++) move_post(b, &m[i], 0, 8 * (unsigned)(1 + sim_random_below(b->p->s, 512)), 0);
    bench_wait(b, sim_random_below(b->p->s, 60 * SIM_US));
    reset_node(b, 0);
    nx_drain(sender->dev, 1); /* takes note of what was given up */
    /* every descriptor has departed or was skipped, none is forgotten: those that were not taken are served now */
    uint32_t done = 0, pointers = 0;
    for (int tries = 0; tries < 100; tries++) {
        bench_wait(b, 10 * SIM_US);
        done = bench_get(b, 0, NIC_QUEUE_DEPARTED + 4) + bench_get(b, 0, NIC_QUEUE_SKIPPED + 4);
        pointers = bench_get(b, 0, NIC_QUEUE_POINTERS + 4);
        if ((done & 0x7f) == (pointers >> 16 & 0x7f)) break;
    }
    ck_assert_uint_eq(pointers >> 24 & 0x7f, pointers >> 16 & 0x7f);
    ck_assert_uint_eq(done & 0x7f, pointers >> 24 & 0x7f);
    bench_wait(b, 20 * SIM_US);
    nx_notification note;
    ck_assert_int_eq(nx_notification_poll(b->p->node[1]->dev, 0, &note), 0);
    static move next;
    move_post(b, &next, 0, 496, NX_REMOTE);
    /* packets thrown away behind their sequence number show as a gap; transfers given up before that never had one */
    int r = move_notified(b, 0);
    ck_assert(r == NX_OK || r == NX_ERROR_FLAGGED);
    ck_assert(move_arrived(b, &next));
    move_good(b, 0, 4096);
    move_good(b, 1, 4096);
    move_fill(b, 0);
    move_fill(b, 1);
}

TEST_CASE("resets", .timeout = 120);

TEST(the_sender_is_reset_in_mid_transfer_and_goes_on)
{
    moves_run(NULL, sender_body, _i);
}

static void receiver_body(bench *b)
{
    static move m[24];
    move_good(b, 0, 496);
    for (int i = 0; i < 24; i++) move_post(b, &m[i], 0, 8 * (unsigned)(1 + sim_random_below(b->p->s, 512)), 0);
    bench_wait(b, sim_random_below(b->p->s, 60 * SIM_US));
    reset_node(b, 1);
    bench_wait(b, 300 * SIM_US);
    int lost = 0;
    for (int i = 0; i < 24; i++) lost += !move_arrived(b, &m[i]);
    told(b, 0, lost);
    move_good(b, 0, 4096);
    move_good(b, 1, 4096);
    move_fill(b, 0);
    move_fill(b, 1);
}

TEST(the_receiver_is_reset_in_mid_transfer_and_what_was_lost_is_told)
{
    moves_run(NULL, receiver_body, _i);
}

static void seeded(pair_params *p, int arg)
{
    p->sim.seed += 1000 * (uint64_t)arg;
}

TEST(resets_at_other_moments, .from = 1, .to = 21)
{
    moves_run(seeded, _i & 1 ? sender_body : receiver_body, _i);
}

TEST_CASE("unplugged", .timeout = 60);

/* Packets that cannot leave, since there is no link, do not hold up the reset; what it has cut off arrives as damaged, or not at all. */
MOVES_TEST(reset_ends_while_the_cable_is_out, .to = 4)
{
    static move m[12];
    move_good(b, 0, 496);
    move_good(b, 1, 496);
    cable_cut(b->p->wire, CABLE_BOTH);
    bench_wait(b, 20 * SIM_US);
    for (int i = 0; i < 12; i++) move_post(b, &m[i], 0, b->variation & 1 ? 496 : 8 * (unsigned)(1 + sim_random_below(b->p->s, 512)), 0);
    bench_wait(b, 50 * SIM_US);
    sim_time asked = sim_now(b->p->s);
    reset_node(b, 0);
    ck_assert_uint_lt(sim_now(b->p->s) - asked, 8192 * 10 * SIM_NS);
    nx_drain(b->p->node[0]->dev, 1);
    cable_reconnect(b->p->wire, CABLE_BOTH);
    bench_wait(b, 300 * SIM_US);
    bench_agree(b, 0, 8);
    bench_agree(b, 1, 8);
    int lost = 0;
    for (int i = 0; i < 12; i++) lost += !move_arrived(b, &m[i]);
    ck_assert_int_gt(lost, 0);
    if (b->variation & 1) ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_FIFO_ERROR_MASK);
    told(b, 0, 1);
    move_good(b, 0, 4096);
    move_good(b, 1, 4096);
    uint32_t done = bench_get(b, 0, NIC_QUEUE_DEPARTED + 4) + bench_get(b, 0, NIC_QUEUE_SKIPPED + 4);
    uint32_t pointers = bench_get(b, 0, NIC_QUEUE_POINTERS + 4);
    ck_assert_uint_eq(done & 0x7f, pointers >> 24 & 0x7f);
    move_fill(b, 0);
    move_fill(b, 1);
}
