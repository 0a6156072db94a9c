/* Local notifications of the DMA engine. dma_bench checks each value against departures; here: which come, how many,
 * and when. */
#include "dma_bench.h"

static unsigned local_writes(struct dma_bench *b)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->write_count; i++)
        n += b->writes[i].address >= LOCAL_NOTIFY && b->writes[i].address < LOCAL_NOTIFY + 8 * QUEUES;
    return n;
}

TEST_CASE("notifier", .timeout = 120);

/* With a quick bus each asked-for departure is reported by itself, in order, with the count of its queue. */
TEST(each_departure_is_reported)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    unsigned asked[QUEUES] = {0}, count[QUEUES] = {0};
    for (unsigned i = 0; i < 100; i++) {
        unsigned q = dma_bench_below(b, QUEUES), flags = dma_bench_below(b, 8), before = b->write_count;
        dma_bench_post(b, q, 1 + i % 70, flags, 1);
        dma_bench_finish(b, 2000);
        count[q]++;
        ck_assert_uint_eq(b->write_count, before + (flags >> 1 & 1));
        if (flags & NOTIFY_LOCAL) {
            ck_assert_uint_eq(b->writes[before].address, LOCAL_NOTIFY + 8 * q);
            ck_assert_uint_eq(b->writes[before].data[0], count[q]);
            asked[q]++;
        }
    }
    unsigned sum = 0;
    for (unsigned q = 0; q < QUEUES; q++) sum += asked[q];
    ck_assert_uint_eq(b->ev.local_notified, sum);
}

/* With a slow bus, notifications that meet one still waiting are merged; the last value of each queue is its last
 * asked-for count. */
TEST(waiting_notifications_are_merged)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->write_latency = 2000;
    for (unsigned i = 0; i < 400; i++) dma_bench_post(b, i % 3, 2, NOTIFY_LOCAL, 1);
    dma_bench_finish(b, 100000);
    ck_assert_uint_lt(b->ev.local_notified, 100);
    ck_assert_uint_eq(b->ev.local_notified, local_writes(b));
    for (unsigned q = 0; q < 3; q++) ck_assert_uint_eq(b->local_seen[q], b->posts[q]);
}

/* Departures of queues with very different counts, many of them in consecutive clocks: none is reported with another's
 * count. */
TEST(counts_are_not_mixed_up, .to = 3)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, 1);
    b->write_latency = 1;
    for (unsigned q = 0; q < QUEUES; q++)
        for (unsigned i = 0; i < 30 * q; i++) dma_bench_post(b, q, 1, 0, 1);
    dma_bench_finish(b, 60000);
    for (unsigned i = 0; i < 600; i++) dma_bench_post(b, dma_bench_below(b, QUEUES), 1, i % 3 ? NOTIFY_LOCAL : 0, 1);
    dma_bench_finish(b, 60000);
    for (unsigned q = 0; q < QUEUES; q++) ck_assert_uint_eq(dma_bench_departed(b, q), b->posts[q]);
    ck_assert_uint_gt(b->ev.local_notified, 100);
}

/* Skipped and failed transfers are not counted as departed and not notified. */
TEST(skipped_transfers_are_not_reported)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    for (unsigned i = 0; i < 10; i++) dma_bench_post(b, 4, i % 2 ? 0 : 3, NOTIFY_LOCAL, 1);
    dma_bench_finish(b, 10000);
    ck_assert_uint_eq(b->local_seen[4], 5);
    ck_assert_uint_eq(dma_bench_departed(b, 4), 5);
    ck_assert_uint_eq(dma_bench_skipped(b, 4), 5);
}

static unsigned fail_local(struct dma_bench *b, uint64_t address, unsigned words)
{
    (void)words;
    return address >= LOCAL_NOTIFY && address < LOCAL_NOTIFY + 8 * QUEUES && b->ev.write_error < 3
               ? 1 + b->ev.write_error
               : 0;
}

/* A notification that the bus refuses is an error, not a notification. */
TEST(failed_notifications_are_errors)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->write_plan = fail_local;
    for (unsigned i = 0; i < 4; i++) {
        dma_bench_post(b, 1, 3, NOTIFY_LOCAL, 1);
        dma_bench_run(b, 1000);
    }
    dma_bench_finish(b, 1000);
    ck_assert_uint_eq(b->ev.write_error, 3);
    ck_assert_uint_eq(b->ev.local_notified, 1);
    ck_assert_uint_eq(b->local_seen[1], 4);
}

/* Incoming packets and local notifications, both always waiting, alternate. */
TEST(neither_kind_of_write_starves)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->n2h_rate = 1;
    for (unsigned i = 0; i < 300; i++) {
        dma_bench_post(b, i % QUEUES, 1, NOTIFY_LOCAL, 1);
        dma_bench_packet(b, dma_bench_header(2, i, 8, 0, 64 * i), 0, 0);
    }
    dma_bench_finish(b, 60000);
    unsigned run = 0, worst = 0, locals = local_writes(b), seen = 0;
    for (unsigned i = 0; i < b->write_count && seen < locals; i++) {
        int local = b->writes[i].address >= LOCAL_NOTIFY && b->writes[i].address < LOCAL_NOTIFY + 8 * QUEUES;
        seen += (unsigned)local;
        run = local && seen > 1 ? run + 1 : 0;
        worst = run > worst ? run : worst;
    }
    ck_assert_uint_gt(locals, 50);
    ck_assert_msg(worst <= 2, "%u local notifications in a row", worst);
}

/* The initiator is switched off, or a software reset comes, in any clock of a notification: the last count of each
 * queue comes all the same (dma_bench_finish), and no count goes back. */
TEST(no_notification_is_lost_when_the_engine_is_switched_off_or_reset, .to = 4)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, 1);
    b->expect_resets = 1;
    b->ack_percent = 20;
    for (unsigned i = 0; i < 300; i++) {
        dma_bench_post(b, dma_bench_below(b, QUEUES), 1, NOTIFY_LOCAL, 1);
        dma_bench_run(b, 1 + dma_bench_below(b, 60));
        while (*b->m->wr_ack || *b->m->rd_ack) dma_bench_run(b, 1); /* the bench has said so for the next clock */
        *b->m->cfg_initiator_enable = dma_bench_below(b, 2);
        if (dma_bench_below(b, 3)) continue;
        unsigned resets = b->ev.resets;
        *b->m->soft_reset = 1;
        for (unsigned k = 0; k < 300 && b->ev.resets == resets; k++) dma_bench_run(b, 20);
        ck_assert_uint_eq(b->ev.resets, resets + 1);
    }
    *b->m->cfg_initiator_enable = 1;
    dma_bench_finish(b, 20000);
    ck_assert_uint_gt(b->ev.local_notified, 20);
}

/* The bench's check can fail: a departure it has not seen. */
TEST(checker_sees_a_wrong_count)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->no_fail = 1;
    dma_bench_post(b, 6, 1, NOTIFY_LOCAL, 1);
    dma_bench_run(b, 5);
    b->voq[6].departed = 0u - 1;
    dma_bench_run(b, 300);
    ck_assert_uint_gt(b->mistakes, 0);
}
