/* Remote notifications, interrupts and waiting for events, against the fake device. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "driver_bench.h"

START_TEST(a_damaged_or_missing_packet_flags_the_next_notification)
{
    nx_notification n;
    nx_status status;
    open_both();
    if (_i) host[0].nic->damage_packet_at = 1;
    else host[0].nic->drop_packet_at = 1;
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, 0, NULL));
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_REMOTE, NULL));
    ck_assert_int_eq(nx_notification_wait(dev[1], 0, &n), NX_ERROR_FLAGGED);
    ck_assert_int_eq(n.flagged, 1);
    ck_assert_uint_eq(n.sequence, 1);
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_REMOTE, NULL));
    must(dev[1], nx_notification_wait(dev[1], 0, &n));
    ck_assert_int_eq(n.flagged, 0);
    must(dev[1], nx_status_read(dev[1], &status));
    ck_assert_ptr_nonnull(strstr(status.text, _i ? "BODY_CRC_ERRORS 1: " : "SEQUENCE_GAPS 1: "));
    ck_assert_ptr_nonnull(strstr(status.text, "FLAGGED_NOTIFICATIONS 1: "));
}
END_TEST

START_TEST(a_notification_that_does_not_come_times_out)
{
    nx_notification n;
    open_both();
    ck_assert_int_eq(nx_notification_wait(dev[1], 0, &n), NX_ERROR_TIMEOUT);
    ck_assert_int_eq(nx_notification_poll(dev[1], 128, &n), NX_ERROR_ARGUMENT);
    must(dev[1], nx_use_interrupts(dev[1], 1));
    ck_assert_int_eq(nx_notification_wait(dev[1], 0, &n), NX_ERROR_TIMEOUT);
}
END_TEST

/* Ping pong by interrupts at random moments: none is missed, so nobody ever sleeps until the slice ends. */
enum { ROUNDS = 500 };
static void ping(void *arg)
{
    unsigned me = *(unsigned *)arg;
    for (unsigned i = 0; i < ROUNDS; i++) {
        nx_notification n;
        if (me || i) must(dev[me], nx_notification_wait(dev[me], 1 - me, &n));
        for (uint64_t k = mock_random(&net) % 20; k; k--) host[me].platform.wait(&host[me]);
        must(dev[me], nx_transfer(dev[me], 1 - me, SOURCE, DESTINATION, 8, NX_REMOTE | NX_INTERRUPT, NULL));
        for (uint64_t k = mock_random(&net) % 20; k; k--) host[me].platform.wait(&host[me]);
    }
}

START_TEST(interrupts_are_never_missed)
{
    unsigned ids[2] = {0, 1};
    struct mock_task tasks[2] = {{ping, &ids[0]}, {ping, &ids[1]}};
    mock_allow(&net.node[0], DESTINATION, 4096);
    open_both();
    for (int i = 0; i < 2; i++) must(dev[i], nx_use_interrupts(dev[i], 1));
    mock_run(tasks, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(nx_wait_counts(dev[i]).late, 0);
        ck_assert_uint_gt(nx_wait_counts(dev[i]).interrupts, ROUNDS / 8);
        ck_assert_uint_le(nx_wait_counts(dev[i]).interrupts, ROUNDS);
        ck_assert_uint_eq(nx_wait_counts(dev[i]).idles, 0);
    }
}
END_TEST

/* The checker of the test above must see a sleep that an arrival does not end. */
static int count_down(void *arg)
{
    return --*(int *)arg < 0;
}
START_TEST(a_missed_interrupt_is_counted_as_late)
{
    int left = 2;
    open_both();
    must(dev[0], nx_use_interrupts(dev[0], 1));
    must(dev[0], nx_wait_event(dev[0], count_down, &left));
    ck_assert_uint_eq(nx_wait_counts(dev[0]).late, 1);
}
END_TEST

START_TEST(interrupts_need_a_platform_that_has_them)
{
    host[0].platform.wait_interrupt = NULL;
    open_both();
    ck_assert_int_eq(nx_use_interrupts(dev[0], 1), NX_ERROR_ARGUMENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("notify");
    TCase *t = tcase_create("notifications");
    int failed;
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_damaged_or_missing_packet_flags_the_next_notification, 0, 2);
    tcase_add_test(t, a_notification_that_does_not_come_times_out);
    tcase_add_test(t, interrupts_are_never_missed);
    tcase_add_test(t, a_missed_interrupt_is_counted_as_late);
    tcase_add_test(t, interrupts_need_a_platform_that_has_them);
    suite_add_tcase(suite, t);

    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
