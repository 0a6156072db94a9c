/* Remote notifications, interrupts and waiting for events, against the fake device. */
#include <stdlib.h>
#include <string.h>

#include "driver_bench.h"
#include "test.h"

TEST_CASE("notifications", .timeout = 120, .setup = set_up, .teardown = tear_down);

TEST(a_damaged_or_missing_packet_flags_the_next_notification, .to = 2)
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

TEST(a_notification_that_does_not_come_times_out)
{
    nx_notification n;
    open_both();
    ck_assert_int_eq(nx_notification_wait(dev[1], 0, &n), NX_ERROR_TIMEOUT);
    ck_assert_int_eq(nx_notification_poll(dev[1], 128, &n), NX_ERROR_ARGUMENT);
    must(dev[1], nx_use_interrupts(dev[1], 1));
    ck_assert_int_eq(nx_notification_wait(dev[1], 0, &n), NX_ERROR_TIMEOUT);
}

/* Ping pong by interrupts at random moments: none is missed, so no sleep lasts until the slice ends. */
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

static void ping_pong(void)
{
    unsigned ids[2] = {0, 1};
    struct mock_task tasks[2] = {{ping, &ids[0]}, {ping, &ids[1]}};
    mock_allow(&net.node[0], DESTINATION, 4096);
    open_both();
    for (int i = 0; i < 2; i++) must(dev[i], nx_use_interrupts(dev[i], 1));
    mock_run(tasks, 2);
}

/* With _i the bridge keeps the device's writes for some steps, so that an interrupt overtakes its data. */
TEST(interrupts_are_never_missed, .to = 3)
{
    for (int i = 0; i < 2; i++) host[i].nic->write_delay = (unsigned)_i * 7;
    ping_pong();
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(nx_wait_counts(dev[i]).late, 0);
        ck_assert_uint_gt(nx_wait_counts(dev[i]).interrupts, ROUNDS / 8);
        ck_assert_uint_le(nx_wait_counts(dev[i]).interrupts, ROUNDS);
        ck_assert_uint_eq(nx_wait_counts(dev[i]).idles, 0);
    }
}

/* The same without the effect of the driver's register read: the word is still under way when the driver reads again,
 * the interrupt is used up. */
TEST(a_driver_that_pushes_no_posted_writes_is_caught)
{
    for (int i = 0; i < 2; i++) {
        host[i].nic->write_delay = 7;
        host[i].nic->reads_push_nothing = 1;
    }
    ping_pong();
    ck_assert_uint_gt(nx_wait_counts(dev[0]).late + nx_wait_counts(dev[1]).late, 0);
}

/* The same with no second look after the interrupt was enabled. `ready` is asked before and after that, and after the
 * sleep. */
struct look {
    unsigned count, forget; /* the look that finds nothing */
};
static unsigned forgotten;
static int look_once(void *arg)
{
    struct look *l = arg;
    uint64_t words = host[1].nic->reg[NIC_REMOTE_NOTIFY_LOW / 4];
    return ++l->count != l->forget && mock_get64(host[1].nic, words) != 0;
}

static void forgetful(void *arg)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct look l = {0, forgotten};
        nx_notification n;
        while (!nx_notification_poll(dev[1], 0, &n)) {
            l.count = 0;
            for (uint64_t k = mock_random(&net) % 20; k; k--) host[1].platform.wait(&host[1]);
            must(dev[1], nx_wait_event(dev[1], look_once, &l));
        }
        *(unsigned *)arg = i + 1;
    }
}

static void steady(void *arg)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_REMOTE | NX_INTERRUPT, NULL));
        while (*(volatile unsigned *)arg <= i) host[0].platform.wait(&host[0]);
        for (uint64_t k = mock_random(&net) % 20; k; k--) host[0].platform.wait(&host[0]);
    }
}

TEST(only_a_driver_that_does_not_look_again_is_late, .to = 2)
{
    unsigned taken = 0;
    forgotten = _i ? 0 : 2;
    struct mock_task tasks[2] = {{steady, &taken}, {forgetful, &taken}};
    open_both();
    must(dev[1], nx_use_interrupts(dev[1], 1));
    mock_run(tasks, 2);
    if (forgotten) ck_assert_uint_gt(nx_wait_counts(dev[1]).late, 0);
    else ck_assert_uint_eq(nx_wait_counts(dev[1]).late, 0);
}

/* The checker of the test above must see a sleep that an arrival does not end. */
static int count_down(void *arg) { return --*(int *)arg < 0; }
TEST(a_missed_interrupt_is_counted_as_late)
{
    int left = 2;
    open_both();
    must(dev[0], nx_use_interrupts(dev[0], 1));
    must(dev[0], nx_wait_event(dev[0], count_down, &left));
    ck_assert_uint_eq(nx_wait_counts(dev[0]).late, 1);
}

/* After a wait the line is low, and stays low whatever arrives until the next wait. */
TEST(nothing_interrupts_while_nobody_waits)
{
    nx_notification n;
    open_both();
    must(dev[1], nx_use_interrupts(dev[1], 1));
    for (unsigned i = 0; i < 20; i++) {
        uint64_t before = nx_wait_counts(dev[1]).interrupts;
        for (unsigned k = 0; k < 1 + i % 4; k++) {
            must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_REMOTE | NX_INTERRUPT, NULL));
            must(dev[1], nx_notification_wait(dev[1], 0, &n));
            ck_assert_int_eq(mock_interrupt(host[1].nic), 0);
        }
        ck_assert_uint_le(nx_wait_counts(dev[1]).interrupts - before, 1 + i % 4);
    }
    ck_assert_uint_eq(nx_wait_counts(dev[1]).late, 0);
}

/* Two threads wait at one device, each for a word of its own; each round the peer writes one of them or both. */
static unsigned woken[2], asked[2];
static int word_written(void *arg)
{
    unsigned me = *(unsigned *)arg;
    return mock_get64(host[1].nic, DESTINATION + 8 * me) == woken[me] + 1;
}

static void sleeper(void *arg)
{
    unsigned me = *(unsigned *)arg;
    while (woken[me] < ROUNDS) {
        while (!word_written(&me)) must(dev[1], nx_wait_event(dev[1], word_written, &me));
        woken[me]++;
        for (uint64_t k = mock_random(&net) % 20; k; k--) host[1].platform.wait(&host[1]);
    }
}

static void waker(void *arg)
{
    (void)arg;
    while (asked[0] < ROUNDS || asked[1] < ROUNDS) {
        unsigned me = (unsigned)(mock_random(&net) % 2);
        if (asked[me] < ROUNDS && asked[me] == woken[me]) {
            mock_set64(host[0].nic, SOURCE + 8 * me, ++asked[me]);
            must(dev[0],
                 nx_transfer(dev[0], 1, SOURCE + 8 * me, DESTINATION + 8 * me, 8, NX_REMOTE | NX_INTERRUPT, NULL));
        }
        for (uint64_t k = mock_random(&net) % 30; k; k--) host[0].platform.wait(&host[0]);
    }
}

TEST(two_threads_wait_at_one_device_and_none_is_late)
{
    static unsigned two[2] = {0, 1};
    struct mock_task tasks[3] = {{waker, NULL}, {sleeper, &two[0]}, {sleeper, &two[1]}};
    open_both();
    mock_allow(&net.node[0], DESTINATION, 4096);
    must(dev[1], nx_use_interrupts(dev[1], 1));
    mock_run(tasks, 3);
    ck_assert_uint_eq(nx_wait_counts(dev[1]).late, 0);
    ck_assert_uint_gt(nx_wait_counts(dev[1]).interrupts, ROUNDS / 2);
}

TEST(interrupts_need_a_platform_that_has_them)
{
    host[0].platform.wait_interrupt = NULL;
    open_both();
    ck_assert_int_eq(nx_use_interrupts(dev[0], 1), NX_ERROR_ARGUMENT);
}
