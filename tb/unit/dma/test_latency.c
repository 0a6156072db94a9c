/* Latencies of the DMA engine in clocks, as its heads and README state them. Printed, and pinned so that a change is
 * noticed. */
#include <stdio.h>

#include "dma_bench.h"

static void report(const char *what, uint64_t clocks, uint64_t expected)
{
    printf("%-60s %3llu clocks\n", what, (unsigned long long)clocks);
    ck_assert_msg(clocks == expected, "%s: %llu clocks, expected %llu", what, (unsigned long long)clocks,
                  (unsigned long long)expected);
}

/* A quick bus: acknowledged at once, words from the second clock on, end one clock after the last word. */
static struct dma_bench *quick_bench(unsigned splits)
{
    struct dma_bench *b = dma_bench_new(0, splits);
    b->read_latency = b->write_latency = 1;
    return b;
}

TEST(descriptor_to_read_request, .to = 2)
{
    struct dma_bench *b = quick_bench(_i ? 4 : 1);
    for (unsigned i = 0; i < 20; i++) {
        dma_bench_post(b, i % QUEUES, 3, 0, 1);
        dma_bench_finish(b, 1000);
        if (b->ack_clock - b->post_clock != 4 || i == 19)
            report("start flag written (q_wr_valid) -> rd_req", b->ack_clock - b->post_clock, 4);
    }
}

TEST(descriptor_to_header_in_benchmark_mode, .to = 2)
{
    struct dma_bench *b = quick_bench(_i ? 4 : 1);
    *b->m->cfg_benchmark = 1;
    for (unsigned i = 0; i < 20; i++) {
        dma_bench_post(b, i % QUEUES, 1 + 25 * i, 0, 1);
        dma_bench_finish(b, 2000);
        if (b->header_clock - b->post_clock != 3 || i == 19)
            report("start flag written -> header in benchmark mode", b->header_clock - b->post_clock, 3);
    }
}

TEST(acknowledge_to_header, .to = 2)
{
    struct dma_bench *b = quick_bench(_i ? 4 : 1);
    b->read_latency = 40;
    dma_bench_post(b, 1, 3, 0, 1);
    dma_bench_finish(b, 1000);
    report("rd_ack -> header in the output queue", b->header_clock - b->ack_clock, 1);
}

TEST(last_word_to_commit, .to = 2)
{
    struct dma_bench *b = quick_bench(_i ? 4 : 1);
    uint64_t best = 100, worst = 0;
    for (unsigned i = 0; i < 200; i++) {
        dma_bench_post(b, 1, 1 + i % 62, 0, 1);
        dma_bench_finish(b, 1000);
        /* the bench ends some reads late, by 3 clocks at most, which counts here as well */
        uint64_t t = b->commit_clock - b->last_word_clock;
        best = t < best ? t : best;
        worst = t > worst ? t : worst;
    }
    report("last word of a transfer (rd_data_valid) -> voq_wr_commit", best, 1);
    ck_assert_uint_le(worst, 4);
}

/* Between pieces and between transfers: the next request is high in the clock after the end of a read. With four reads,
 * whose words follow each other here with hardly a gap, its tag becomes free later if words were still on their way
 * through the buffer: they go one per clock, from one read to the next 2 clocks pass (test below), and the end takes
 * one, in the clock before the request. Words behind are fewer than a read has, so no more than one such change lies
 * among them. How many are behind is up to the bus. */
TEST(end_of_read_to_next_request, .to = 2)
{
    struct dma_bench *b = quick_bench(_i ? 4 : 1);
    b->voq_words = 4096;
    b->in_order = 1;
    b->read_percent = _i ? 90 : 100;
    *b->m->cfg_max_read_words = 128;
    for (unsigned i = 0; i < 40; i++) dma_bench_post(b, i % QUEUES, i < 20 ? 512 : 62, 0, i == 39);
    for (unsigned q = 0; q < QUEUES; q++) dma_bench_post(b, q, 1, 0, 1);
    dma_bench_finish(b, 60000);
    double mean = (double)b->idle_sum / (double)b->idle_count;
    printf("%-60s %5.2f clocks mean\n", _i ? "rd_done -> next rd_req, four reads" : "rd_done -> next rd_req", mean);
    ck_assert_msg(mean < (_i ? 3 : 1.5), "%.2f clocks mean", mean);
    if (_i) ck_assert_uint_le(b->idle_worst_behind, 2 + 1 + 1);
    else ck_assert_uint_le(b->idle_worst, 3);
    ck_assert_uint_gt(b->idle_count, 90);
}

/* From a word of a read that had to wait behind the end of an older one. */
TEST(end_of_read_to_buffered_word)
{
    struct dma_bench *b = quick_bench(4);
    dma_bench_post(b, 1, 62, 0, 1);
    dma_bench_post(b, 2, 62, 0, 1);
    b->reads_allowed = 2;
    while (b->reading_count < 2) dma_bench_run(b, 1);
    for (unsigned i = 0; i < MAX_READS; i++)
        if (b->reading[i].active) b->reading[i].wait = b->reading[i].of->flow == 1 ? 300 : 1;
    dma_bench_run(b, 200);
    ck_assert_uint_eq(b->voq[2].written, 0);
    while (!b->posted[1][0].whole) dma_bench_run(b, 1);
    uint64_t end = b->commit_clock;
    dma_bench_finish(b, 1000);
    report("end of a read -> commit of the next one's 62 words, buffered", b->commit_clock - end, 1 + 62 + 1);
}

TEST(header_to_write_request)
{
    struct dma_bench *b = quick_bench(1);
    b->n2h_rate = 8;
    dma_bench_packet(b, dma_bench_header(3, 0, 3, NOTIFY_REMOTE, 0x1000), 0, 0);
    dma_bench_finish(b, 1000);
    report("header shown by N2H -> wr_req, words there", b->writes[0].begun - b->n2h_arrival[0] - 1, 3);
    report("payload written (wr_done) -> wr_req of its notification", b->writes[1].begun - b->writes[0].ended, 1);
}

TEST(departure_to_local_notification)
{
    struct dma_bench *b = quick_bench(1);
    dma_bench_post(b, 5, 3, NOTIFY_LOCAL, 1);
    dma_bench_finish(b, 1000);
    report("departed_valid -> wr_req of the local notification", b->writes[0].begun - b->departure_clock, 2);
}
