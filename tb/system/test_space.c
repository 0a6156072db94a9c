/* The checkers of the system tests themselves: the proof of whole buffer space on a pair without faults, and the
 * checker of notifications fed with its faults. */
#include "system_space.h"
#include "test.h"

TEST_CASE("space", .timeout = 60);

SOFTWARE_TEST(space_is_whole_after_undisturbed_traffic, .to = 3)
{
    for (unsigned i = 0; i <= 7 * (unsigned)_i; i++) bench_good(b, i & 1, 1 + (unsigned)sim_random_below(b->s, 512));
    bench_prove(b);
}

SOFTWARE_TEST(every_word_of_the_receive_buffer_can_be_used)
{
    bench_put(b, 0, NIC_TX_CAPACITY, 2048); /* 1023 words and the CRCs of one packet, which need no place */
    bench_fill(b, 0);
}

/* Data that change between sending and arriving act as data that never came. */
SOFTWARE_TEST(a_good_notification_for_missing_data_is_caught, .to = 2)
{
    flow *f = &b->flow[0];
    f->sender_reports = _i;
    for (unsigned i = 0; i < 3; i++) {
        piece p = bench_make(b, 0, 20);
        if (i == 1) bench_initiator(b, 1, 0);
        bench_post(b, &p, i == 1 && !_i ? 0 : NX_REMOTE);
        bench_wait(b, 5 * SIM_US);
        if (i == 1) memory_put64(host_memory(b->n[0]->host), p.source + 8, 0, 0xff);
        bench_initiator(b, 1, 1);
        bench_wait(b, 5 * SIM_US);
    }
    /* without reports of the sender the third notification also covers the second piece */
    ck_assert_uint_eq(f->lies, 1);
    ck_assert_uint_eq(f->good, _i ? 2 : 1);
    ck_assert_uint_eq(f->strangers, 0);
    piece unknown = bench_make(b, 0, 2);
    bench_post(b, &unknown, NX_REMOTE);
    f->posted = 0; /* of no piece that is known */
    bench_wait(b, 5 * SIM_US);
    ck_assert_uint_eq(f->strangers, 1);
    f->lies = 0; /* it was asked for */
}
