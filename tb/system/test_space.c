/* The checkers of the system tests themselves: the proof of whole buffer space on an undisturbed pair, and the watch over notifications fed
 * with what it must catch. */
#include "system_space.h"
#include "test.h"
#include "watch.h"

static void undisturbed(bench *b, int variation)
{
    for (int i = 0; i <= variation; i++) bench_good(b, i & 1, 1 + (unsigned)sim_random_below(b->p->s, 512));
    bench_prove(b);
}

TEST_CASE("space", .timeout = 60);

TEST(space_is_whole_after_undisturbed_traffic, .to = 3)
{
    bench_run(NULL, undisturbed, 7 * _i);
}

SOFTWARE_TEST(every_word_of_the_receive_buffer_can_be_used)
{
    bench_put(b, 0, NIC_TX_CAPACITY, 2048); /* 1023 words and the CRCs of one packet, which need no place */
    bench_fill(b, 0);
}

/* Data that change between sending and arriving stand for data that never came. */
SOFTWARE_TEST(a_good_notification_for_missing_data_is_caught, .to = 2)
{
    static piece p[3];
    static unsigned count; /* static: the watch is called until the bus stands still, after this function */
    static watch w;
    count = 0;
    watch_start(&w, b, 0, p, &count, _i);
    for (; count < 3;) {
        p[count] = bench_make(b, 0, 20);
        count++;
        if (count == 2) bench_initiator(b, 1, 0);
        bench_post(b, &p[count - 1], count == 2 && !_i ? 0 : NX_REMOTE);
        bench_wait(b, 5 * SIM_US);
        if (count == 2) memory_put64(host_memory(b->n[0]->host), p[1].source + 8, 0, 0xff);
        bench_initiator(b, 1, 1);
        bench_wait(b, 5 * SIM_US);
    }
    /* without reports of the sender the third notification stands for the second piece too */
    ck_assert_uint_eq(w.lies, 1);
    ck_assert_uint_eq(w.good, _i ? 2 : 1);
    ck_assert_uint_eq(w.strangers, 0);
    piece unknown = bench_make(b, 0, 2);
    bench_post(b, &unknown, NX_REMOTE);
    bench_wait(b, 5 * SIM_US);
    ck_assert_uint_eq(w.strangers, 1);
}
