/* The proof of whole buffer space itself: on an undisturbed pair it holds; with a capacity told wrong it fails. */
#include "system_space.h"

static void undisturbed(bench *b, int variation)
{
    for (int i = 0; i <= variation; i++) bench_good(b, i & 1, 1 + (unsigned)sim_random_below(b->p->s, 512));
    bench_prove(b);
}

START_TEST(space_is_whole_after_undisturbed_traffic)
{
    bench_run(NULL, undisturbed, 7 * _i);
}
END_TEST

static void larger(bench *b, int variation)
{
    (void)variation;
    bench_put(b, 0, NIC_TX_CAPACITY, 2048); /* 1023 words and the CRCs of one packet, which need no place */
    bench_fill(b, 0);
}

START_TEST(every_word_of_the_receive_buffer_can_be_used)
{
    bench_run(NULL, larger, 0);
}
END_TEST

static void add(TCase *t)
{
    tcase_add_loop_test(t, space_is_whole_after_undisturbed_traffic, 0, 3);
    tcase_add_test(t, every_word_of_the_receive_buffer_can_be_used);
}

int main(void)
{
    return bench_main("space", add);
}
