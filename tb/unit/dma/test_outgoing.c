#include <check.h>
#include <stdlib.h>

#include "dma_bench.h"

START_TEST(one_transfer_becomes_one_packet)
{
    struct dma_bench *b = dma_bench_new_splits(0, _i ? 4 : 1);
    dma_bench_post(b, 3, 3, NOTIFY_LOCAL | NOTIFY_REMOTE, 1);
    dma_bench_finish(b, 1000);
    ck_assert_uint_eq(b->packets, 1);
    ck_assert_uint_eq(b->ev.transfer_read, 1);
    ck_assert_uint_eq(b->local_seen[3], 1);
    dma_bench_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("outgoing");
    TCase *t = tcase_create("outgoing");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, one_transfer_becomes_one_packet, 0, 2);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
