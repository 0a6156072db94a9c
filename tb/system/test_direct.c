/* DIRECT switched while packets are on their way to the link: refused, so that output queues and link never count one on different lanes;
 * and switched between packets. */
#include "cable.h"
#include "moves.h"
#include "test.h"

static uint32_t control(bench *b)
{
    return bench_get(b, 0, NIC_CONTROL);
}

TEST_CASE("direct", .timeout = 60);

/* The cable's way back is cut, so the link is down and packets stand before it. */
MOVES_TEST(a_change_is_refused_while_packets_stand_before_the_link)
{
    enum { COUNT_OF_MOVES = 6 };
    static move m[COUNT_OF_MOVES];
    uint32_t mode = control(b);
    cable_cut(b->p->wire, CABLE_B_TO_A);
    bench_wait(b, 20 * SIM_US);
    for (int i = 0; i < COUNT_OF_MOVES; i++) move_post(b, &m[i], 0, 8 + 496 * (unsigned)(i % 2), NX_REMOTE | NX_LOCAL);
    bench_wait(b, 50 * SIM_US);
    bench_forgive(b, 0);
    bench_forgive(b, 1);
    ck_assert_uint_eq(bench_status(b, 0) & NIC_STATUS_DIRECT_REFUSED_MASK, 0);
    bench_set(b, 0, NIC_CONTROL, (mode & ~(uint32_t)NIC_CONTROL_DIRECT_MASK) | NIC_CONTROL_STORE_AND_FORWARD_MASK);
    ck_assert_uint_eq(control(b), mode | NIC_CONTROL_STORE_AND_FORWARD_MASK); /* all else is taken */
    ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_DIRECT_REFUSED_MASK);
    bench_set(b, 0, NIC_CONTROL, mode);
    ck_assert_uint_eq(bench_status(b, 0), 0);
    cable_reconnect(b->p->wire, CABLE_B_TO_A);
    ck_assert_int_eq(nx_drain(b->n[0]->dev, 1), NX_OK);
    bench_wait(b, 50 * SIM_US);
    for (int i = 0; i < COUNT_OF_MOVES; i++) ck_assert(move_arrived(b, &m[i]));
    ck_assert_int_eq(move_notified(b, 0), NX_OK);
    move_good(b, 0, 496);
    bench_forgive(b, 0);
    bench_forgive(b, 1);
    bench_prove(b);
}

/* At rest it changes at once, and back. */
MOVES_TEST(at_rest_it_changes_at_once)
{
    uint32_t mode = control(b);
    for (int i = 0; i < 5; i++) {
        move_good(b, 0, 496);
        bench_wait(b, 20 * SIM_US);
        bench_set(b, 0, NIC_CONTROL, mode & ~(uint32_t)NIC_CONTROL_DIRECT_MASK);
        ck_assert_uint_eq(control(b), mode & ~(uint32_t)NIC_CONTROL_DIRECT_MASK);
        bench_set(b, 0, NIC_CONTROL, mode);
        ck_assert_uint_eq(control(b), mode);
        move_good(b, 1, 24);
    }
    bench_expect_nothing(b, 0);
    bench_expect_nothing(b, 1);
    bench_prove(b);
}

/* Writes at any time, in traffic on a queue that has no lane of its own at the other NIC: while DIRECT is off nothing leaves. */
struct sender {
    bench *b;
    move m[60];
    int done;
};

static void send_all(void *arg)
{
    struct sender *s = arg;
    for (int i = 0; i < 60; i++) {
        move_post(s->b, &s->m[i], 0, 8 + 8 * (unsigned)sim_random_below(s->b->p->s, 200), NX_REMOTE | NX_LOCAL);
        sim_wait_time(s->b->p->s, sim_random_below(s->b->p->s, 8 * SIM_US));
    }
    ck_assert_int_eq(nx_drain(s->b->n[0]->dev, 1), NX_OK);
    s->done = 1;
}

MOVES_TEST(no_change_in_traffic_splits_the_accounts)
{
    static struct sender s;
    uint32_t mode = control(b);
    unsigned refused = 0, taken = 0;
    s = (struct sender){.b = b};
    sim_task *task = sim_task_new(b->p->s, "sender", send_all, &s);
    while (!s.done) {
        bench_wait(b, sim_random_below(b->p->s, 4 * SIM_US));
        bench_set(b, 0, NIC_CONTROL, mode & ~(uint32_t)NIC_CONTROL_DIRECT_MASK);
        if (control(b) == mode) refused++;
        else taken++;
        for (unsigned tries = 0; control(b) != mode; tries++) {
            ck_assert_uint_lt(tries, 100);
            bench_set(b, 0, NIC_CONTROL, mode);
        }
    }
    sim_join(task);
    ck_assert_uint_gt(refused, 10);
    ck_assert_uint_gt(taken, 10);
    bench_wait(b, 50 * SIM_US);
    for (int i = 0; i < 60; i++) ck_assert(move_arrived(b, &s.m[i]));
    ck_assert_int_eq(move_notified(b, 0), NX_OK);
    ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_DIRECT_REFUSED_MASK);
    bench_expect_nothing(b, 0);
    bench_expect_nothing(b, 1);
    bench_prove(b);
}
