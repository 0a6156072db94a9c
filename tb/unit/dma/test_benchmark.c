/* Benchmark mode of the DMA engine (S2 5.3): the host's memory is not read, zeros are sent in its place; all else is as
 * ever. The bench checks that no read is asked for, that every word is zero and that none is late after its header. */
#include "dma_bench.h"

static void post_random(struct dma_bench *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned length = dma_bench_below(b, 3) ? 1 + dma_bench_below(b, 130) : 1 + dma_bench_below(b, 512);
        unsigned q = dma_bench_below(b, QUEUES);
        struct descriptor *d = dma_bench_post(b, q, length, dma_bench_below(b, 8), 1);
        if (dma_bench_below(b, 12) == 0) d->length = dma_bench_below(b, 2) ? 0 : 600;
    }
}

static unsigned zero_transfers(struct dma_bench *b)
{
    unsigned n = 0;
    for (unsigned q = 0; q < QUEUES; q++)
        for (unsigned i = 0; i < b->posts[q]; i++) n += b->posted[q][i].zeros != 0;
    return n;
}

TEST_CASE("benchmark", .timeout = 120);

TEST(zeros_are_sent_and_nothing_is_read, .to = 12)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i % 3]);
    *b->m->cfg_benchmark = 1;
    *b->m->cfg_max_read_words = _i / 2 % 2 ? 512 : 128;
    b->voq_words = _i / 4 ? 514 : 2000;
    b->flicker_percent = _i / 4 * 20;
    post_random(b, 300);
    dma_bench_finish(b, 200000);
    ck_assert_uint_eq(b->reads, 0);
    ck_assert_uint_eq(zero_transfers(b), b->transfers);
    ck_assert_uint_gt(b->transfers, 200);
    ck_assert_uint_eq(b->ev.transfer_read, b->transfers);
}

/* A single descriptor of every kind at an idle engine: room is reserved before its kind is known. */
TEST(idle_engine_takes_any_descriptor, .to = 6)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i % 3]);
    *b->m->cfg_benchmark = 1;
    *b->m->cfg_max_read_words = _i / 2 ? 64 : 512;
    for (unsigned i = 0; i < 200; i++) {
        struct descriptor *d = dma_bench_post(b, i % QUEUES, 1 + dma_bench_below(b, 512), 2, 1);
        if (i % 7 == 1) d->length = 0;
        else if (i % 7 == 2) d->length = 513;
        else if (i % 7 == 3) d->flow++;
        else if (i % 7 == 4) d->source |= 4;
        dma_bench_finish(b, 3000);
        ck_assert_uint_eq(b->voq[i % QUEUES].reserved, 0);
    }
    ck_assert_uint_gt(b->transfers, 70);
}

/* The first packet is visible one clock per word after the header, and so on: a piece takes a clock per word. */
TEST(one_word_per_clock)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    *b->m->cfg_benchmark = 1;
    static const unsigned lengths[] = {1, 2, 61, 62, 63, 124, 512};
    for (unsigned i = 0; i < (unsigned)COUNT(lengths); i++) {
        dma_bench_post(b, 1, lengths[i], 0, 1);
        dma_bench_finish(b, 3000);
        ck_assert_uint_eq(b->commit_clock - b->header_clock, lengths[i]);
        ck_assert_uint_eq(b->header_clock - b->post_clock, 3);
    }
}

/* Switched to and fro in traffic, with failing reads: each transfer is read as a whole or not at all. */
TEST(switching_disturbs_nothing, .to = 12)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i % 3]);
    *b->m->cfg_max_read_words = _i / 2 % 2 ? 512 : 64;
    b->read_latency = _i / 4 ? 60 : 1;
    b->flicker_percent = _i / 4 * 10;
    b->fail_one_in = 12;
    for (unsigned i = 0; i < 250; i++) {
        post_random(b, 3);
        *b->m->cfg_benchmark = (uint8_t)dma_bench_below(b, 2);
        dma_bench_run(b, 1 + dma_bench_below(b, dma_bench_below(b, 2) ? 20 : 1000));
    }
    dma_bench_finish(b, 300000);
    unsigned zeros = zero_transfers(b);
    ck_assert_uint_gt(zeros, 100);
    ck_assert_uint_gt(b->transfers - zeros, 100);
    ck_assert_uint_gt(b->ev.read_failed, 10);
}

/* A blocked queue does not stop the others in this mode either. */
TEST(blocked_queue_blocks_only_itself, .to = 3)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i]);
    *b->m->cfg_benchmark = 1;
    b->voq[2].blocked = 1;
    for (unsigned i = 0; i < 400; i++) dma_bench_post(b, i % QUEUES, 62, NOTIFY_LOCAL, 1);
    dma_bench_run(b, 60000);
    for (unsigned q = 0; q < QUEUES; q++) ck_assert_uint_eq(b->local_seen[q], q == 2 ? 0 : 50);
    b->voq[2].blocked = 0;
    dma_bench_finish(b, 20000);
}

/* The check of eager headers can fail: the bench takes one for eager. */
TEST(checker_sees_a_gap)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->no_fail = 1;
    b->read_latency = 30;
    dma_bench_post(b, 1, 40, 0, 1);
    while (!b->voq[1].written) dma_bench_run(b, 1);
    ck_assert_uint_eq(b->mistakes, 0);
    b->eager = 1;
    dma_bench_run(b, 10);
    ck_assert_uint_gt(b->mistakes, 0);
}
