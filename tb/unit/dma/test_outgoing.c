/* Outgoing half of the DMA engine: descriptors in, transfers in the output queues out. For the checks of every clock
 * see dma_bench.h and dma_bench_voq.h. Cases that depend on it run with one, four and two outstanding reads. */
#include "dma_bench.h"

static const unsigned lengths[] = {1, 2, 3, 31, 32, 33, 61, 62, 63, 64, 124, 125, 128, 256, 496, 511, 512};

static void post_random(struct dma_bench *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned length =
            dma_bench_below(b, 2) ? lengths[dma_bench_below(b, COUNT(lengths))] : 1 + dma_bench_below(b, 512);
        int start = i + 40 >= n || dma_bench_below(b, 3) == 0;
        dma_bench_post(b, dma_bench_below(b, QUEUES), length, dma_bench_below(b, 8), start);
    }
    for (unsigned q = 0; q < QUEUES; q++) dma_bench_post(b, q, 1 + q, 0, 1);
}

TEST_CASE("outgoing", .timeout = 120);

TEST(one_transfer_becomes_one_packet, .to = 3)
{
    struct dma_bench *b = dma_bench_new(0, dma_bench_builds[_i]);
    dma_bench_post(b, 3, 3, NOTIFY_LOCAL | NOTIFY_REMOTE, 1);
    dma_bench_finish(b, 1000);
    ck_assert_uint_eq(b->packets, 1);
    ck_assert_uint_eq(b->ev.transfer_read, 1);
    ck_assert_uint_eq(b->local_seen[3], 1);
}

/* Worked by hand: three flags, flow 5, limit 62 = 3eh at [51:42], length, address. One header, then the words, the last
 * one marked. */
TEST(headers_are_those_of_the_contract, .to = 3)
{
    static const struct {
        unsigned at;
        uint64_t data;
    } expected[] = {
        {0, 0x7050f80312345678}, {4, 0x7050f80312345678}, {8, 0x0050f80112345600}, {10, 0x2050f80212345610}};
    struct dma_bench *b = dma_bench_new(0, dma_bench_builds[_i]);
    dma_bench_post(b, 5, 3, 7, 0)->destination = 0x12345678;
    dma_bench_post(b, 5, 3, 7, 0)->destination = 0x12345678;
    dma_bench_post(b, 5, 1, 0, 0)->destination = 0x12345600;
    dma_bench_post(b, 5, 2, NOTIFY_LOCAL, 1)->destination = 0x12345610;
    dma_bench_finish(b, 3000);
    ck_assert_uint_eq(b->voq[5].written, 13);
    for (unsigned i = 0; i < 4; i++) {
        const struct stream_word *w = &b->voq[5].ring[expected[i].at];
        ck_assert_msg(w->data == expected[i].data, "header %u is %016llx, expected %016llx", i,
                      (unsigned long long)w->data, (unsigned long long)expected[i].data);
        ck_assert_uint_eq(w->mark, 1);
    }
    ck_assert_uint_eq(b->voq[5].ring[2].mark, 0);
    ck_assert_uint_eq(b->voq[5].ring[3].mark, 2);
}

/* 130 words at 62 with reads of 64: one header, read as 62, 62, 6; one mark at the very end. */
TEST(long_transfers_have_one_header, .to = 3)
{
    struct dma_bench *b = dma_bench_new(0, dma_bench_builds[_i]);
    *b->m->cfg_max_read_words = 64;
    struct descriptor *d = dma_bench_post(b, 2, 130, 7, 1);
    dma_bench_finish(b, 3000);
    ck_assert_uint_eq(b->voq[2].written, 131);
    for (unsigned i = 0; i <= 130; i++) ck_assert_uint_eq(b->voq[2].ring[i].mark, i == 0 ? 1 : i == 130 ? 2 : 0);
    ck_assert_uint_eq(d->piece_count, 3);
    ck_assert_uint_eq(d->pieces[2].words, 6);
    ck_assert_uint_eq(b->packets, 3);
}

static const unsigned limits[] = {1, 2, 31, 32, 33, 62, 511, 512};
static const unsigned max_reads[] = {64, 128, 256, 512};

static void only_limit(struct dma_bench *b, unsigned limit)
{
    dma_bench_limit(b, limit);
    b->limits[62] = limit == 62;
    b->limit_count = 1;
}

/* Every limit with every read size, on a bus at full speed and on a slow one; each build with every limit and every
 * read size. */
TEST(transfers_are_cut_at_the_limit, .to = 64)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i % 3]);
    unsigned limit = limits[_i / 4 % 8];
    only_limit(b, limit);
    *b->m->cfg_max_read_words = (uint16_t)max_reads[_i % 4];
    if (_i / 32 % 2) {
        b->ack_percent = 20;
        b->read_percent = 60;
        b->read_latency = 60;
        b->drain_percent = 45;
    } else {
        b->read_latency = 1;
        b->in_order = _i % 5 == 0;
    }
    b->flicker_percent = _i % 5 * 10;
    post_random(b, limit < 31 ? 24 : 48);
    dma_bench_finish(b, 600000);
    ck_assert_uint_eq(b->ev.transfer_read, b->transfers);
    ck_assert_uint_eq(b->aborts, 0);
}

/* Each kind of illegal descriptor between two good ones, on its own queue and with others under way. */
TEST(illegal_descriptors_are_skipped, .to = 3)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i]);
    for (unsigned round = 0; round < 20; round++)
        for (unsigned q = 0; q < QUEUES; q++) {
            dma_bench_post(b, q, 5, NOTIFY_LOCAL, 0);
            struct descriptor *d = dma_bench_post(b, q, 7, 7, 0);
            static const unsigned lengths_of[] = {0, 513, 1023};
            if (q < 3) d->length = lengths_of[q];
            else if (q == 3) d->source |= 1u << round % 3;
            else if (q == 4) d->destination |= 1u << round % 3;
            else if (q == 5) d->flow = 4;
            else if (q == 6) d->flow = 6 + 8 * (1 + round % 15);
            dma_bench_post(b, q, 9, 0, round % 4 != 0 || round == 19);
        }
    dma_bench_finish(b, 60000);
    ck_assert_uint_eq(b->ev.bad_length, 60);
    ck_assert_uint_eq(b->ev.bad_address, 40);
    ck_assert_uint_eq(b->ev.bad_flow, 40);
    ck_assert_uint_eq(b->transfers, 20 * (24 - 7));
}

/* ---- read errors ---- */

struct failure {
    unsigned word, status; /* of transfers of 130 words: the word before which the read ends */
};

static void fail_at(struct dma_bench *b, const struct descriptor *d, unsigned words, unsigned *deliver,
                    unsigned *status)
{
    const struct failure *f = b->user;
    unsigned from = d->asked - words;
    if (d->length != 130 || f->word < from || f->word > d->asked || (f->word == d->asked && f->word < d->length))
        return;
    *deliver = f->word - from;
    *status = f->status;
}

/* A transfer of 130 words whose read fails after 0..130 of them, read in pieces of 62, with every status; others before
 * and after, also on its own queue: the abort mark is alone, after whole packets, or in place of the last packet. */
TEST(failed_read_becomes_an_abort_mark, .to = 12)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i / 4]);
    struct failure f = {0, 1 + (unsigned)_i % 4};
    *b->m->cfg_max_read_words = 64;
    b->user = &f;
    b->read_plan = fail_at;
    for (; f.word <= 130; f.word += f.word % 62 < 3 || f.word % 62 > 59 || f.word > 125 ? 1 : 9) {
        unsigned failed = b->ev.read_failed, transfers = b->transfers;
        dma_bench_post(b, 1, 20, 2, 1);
        struct descriptor *d = dma_bench_post(b, 2, 130, 7, 1);
        dma_bench_post(b, 2, 30, 2, 1);
        dma_bench_post(b, 3, 20, 2, 1);
        dma_bench_finish(b, 5000);
        ck_assert_uint_eq(b->ev.read_failed, failed + 1);
        ck_assert_uint_eq(b->transfers, transfers + 3);
        ck_assert_uint_eq(d->sent, f.word / 62 * 62);
        if (b->splits == 1) ck_assert_uint_eq(d->piece_count, f.word < 124 ? f.word / 62 + 1 : 3);
    }
    ck_assert_uint_eq(b->aborts, b->ev.read_failed);
}

TEST(random_read_errors, .to = 16)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i % 3]);
    only_limit(b, limits[_i % 8]);
    *b->m->cfg_max_read_words = _i % 5 ? 128 : 64;
    b->fail_one_in = 5;
    b->read_latency = _i % 2 ? 1 : 40;
    b->read_percent = _i % 2 ? 100 : 70;
    b->flicker_percent = _i % 4 * 10;
    post_random(b, limits[_i % 8] < 31 ? 60 : 300);
    dma_bench_finish(b, 900000);
    ck_assert_uint_gt(b->ev.read_failed, 10);
}

/* Transfers of many pieces on one or two queues, several of them in flight, failing often: pieces of a failed transfer
 * that are under way or prepared are dropped, the next transfer of the queue is not. */
TEST(failures_with_several_pieces_in_flight, .to = 16)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i % 3]);
    *b->m->cfg_max_read_words = 64;
    b->voq_words = 2000;
    b->fail_one_in = 5;
    b->read_latency = 1 + (unsigned)_i % 4 * 40;
    b->in_order = _i / 8;
    for (unsigned i = 0; i < 400; i++)
        dma_bench_post(b, _i / 4 % 2 ? 3 : i % 2, i % 5 ? 60 + dma_bench_below(b, 140) : i % 3 ? 5 : 0, 2, 1);
    dma_bench_finish(b, 400000);
    ck_assert_uint_gt(b->ev.read_failed, 80);
    ck_assert_uint_eq(b->most_reads, b->splits);
}

/* ---- room ---- */

/* The link takes words so slowly that the output queues are full nearly all the time, or not at all for a while. Every
 * limit with every read size; each build with every limit and every read size. */
TEST(room_is_never_overrun, .to = 32)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i % 3]);
    unsigned limit = limits[_i % 8];
    only_limit(b, limit);
    *b->m->cfg_max_read_words = (uint16_t)max_reads[_i / 8 % 4];
    b->voq_words = _i % 5 ? 1024 : 514;
    b->read_latency = 1;
    b->drain_percent = 0;
    b->flicker_percent = 20;
    for (unsigned i = 0; i < 60; i++) dma_bench_post(b, i % QUEUES, 100 + 3 * i, 0, 1);
    post_random(b, 60);
    dma_bench_run(b, 10000);
    for (unsigned q = 0; q < QUEUES; q++) ck_assert_uint_gt(dma_bench_in_voq(b, q), 100);
    for (unsigned i = 0; i < 8; i++) {
        b->drain_percent = 1 + dma_bench_below(b, 60);
        dma_bench_run(b, 1000);
    }
    b->drain_percent = 100;
    dma_bench_finish(b, 400000);
    ck_assert_uint_le(b->most_pieces, 8);
}

/* One destination is stopped: its queue fills, the seven others are not affected. */
TEST(blocked_queue_blocks_only_itself, .to = QUEUES)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i % 3]);
    unsigned stopped = (unsigned)_i, departed[2];
    b->voq[stopped].blocked = 1;
    for (unsigned i = 0; i < 400; i++) dma_bench_post(b, i % QUEUES, 62, 0, 1);
    dma_bench_run(b, 60000);
    for (unsigned q = 0; q < QUEUES; q++) ck_assert_uint_eq(b->voq[q].departed, q == stopped ? 0 : 50);
    ck_assert_uint_gt(dma_bench_in_voq(b, stopped), 1024 - 64);
    departed[0] = dma_bench_departed(b, stopped);
    b->voq[stopped].blocked = 0;
    dma_bench_finish(b, 20000);
    departed[1] = dma_bench_departed(b, stopped);
    ck_assert_uint_eq(departed[0], 0);
    ck_assert_uint_eq(departed[1], 50);
}

/* Pieces of a transfer stay together as long as there is room for them; transfers of the queues take turns. */
TEST(queues_take_turns, .to = 3)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i]);
    *b->m->cfg_max_read_words = 64;
    b->voq_words = 4096;
    *b->m->cfg_initiator_enable = 0;
    for (unsigned i = 0; i < 6 * QUEUES; i++) dma_bench_post(b, i / 6, 300, 0, 1);
    dma_bench_run(b, 200);
    *b->m->cfg_initiator_enable = 1;
    while (b->transfers < 6 * QUEUES) {
        dma_bench_run(b, 10);
        unsigned most = 0, least = 100, asked_in_part = 0;
        for (unsigned q = 0; q < QUEUES; q++) {
            unsigned done = 0;
            for (unsigned k = 0; k < 6; k++) {
                const struct descriptor *d = &b->posted[q][k];
                done += d->whole != 0;
                asked_in_part += d->asked && d->asked < d->length;
            }
            most = done > most ? done : most;
            least = done < least ? done : least;
        }
        ck_assert_uint_le(most - least, 1);
        ck_assert_uint_le(asked_in_part, 1);
    }
    dma_bench_finish(b, 60000);
}

/* ---- several reads ---- */

/* Four reads outstanding, their words interleaved: each comes into its queue whole and in order. */
TEST(interleaved_completions, .to = 12)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, 4);
    *b->m->cfg_max_read_words = (uint16_t)max_reads[_i % 4];
    b->voq_words = 4096;
    b->read_latency = _i % 3 ? 200 : 3;
    b->read_percent = _i % 2 ? 100 : 60;
    b->reads_allowed = _i < 8 ? 4 : 1 + (unsigned)_i % 3;
    post_random(b, 200);
    dma_bench_finish(b, 400000);
    ck_assert_uint_eq(b->most_reads, b->reads_allowed);
}

/* With room in the output queues a word comes in nearly every clock in which the bus could bring one. */
TEST(reads_follow_without_a_gap)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, 4);
    b->voq_words = 4096;
    b->read_latency = 1;
    b->in_order = 1;
    for (unsigned i = 0; i < 24; i++) dma_bench_post(b, i % QUEUES, 512, 0, 1);
    while (b->transfers < 2) dma_bench_run(b, 10);
    uint64_t begin = b->clocks, words = b->word_clocks;
    dma_bench_run(b, 9000);
    double rate = (double)(b->word_clocks - words) / (double)(b->clocks - begin);
    ck_assert_msg(rate > 0.98, "words in %.3f of all clocks", rate);
    dma_bench_finish(b, 60000);
}

/* ---- settings that change ---- */

/* Changing the payload limit while transfers are under way disturbs none: each keeps the one it began with. */
TEST(limit_changes_between_transfers, .to = 3)
{
    struct dma_bench *b = dma_bench_new(0, dma_bench_builds[_i]);
    *b->m->cfg_max_read_words = 512;
    b->read_latency = 1;
    for (unsigned i = 0; i < 200; i++)
        dma_bench_post(b, dma_bench_below(b, QUEUES), 300 + dma_bench_below(b, 213), 0, 1);
    for (unsigned i = 0; i < 400; i++) {
        dma_bench_limit(b, limits[dma_bench_below(b, 8)]);
        dma_bench_run(b, 1 + dma_bench_below(b, 300));
    }
    dma_bench_limit(b, 62);
    dma_bench_finish(b, 200000);
}

/* Bus mastering or the initiator off: no request, nothing lost; on again: all goes on. */
TEST(nothing_is_asked_while_off, .to = 6)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i, dma_bench_builds[_i / 2]);
    uint8_t *bit = _i % 2 ? b->m->cfg_bus_master : b->m->cfg_initiator_enable;
    post_random(b, 200);
    for (unsigned i = 0; i < 60; i++) {
        dma_bench_run(b, 1 + dma_bench_below(b, 400));
        /* an acknowledge is never given while the switch moves, as in the bus interface */
        unsigned ack = b->ack_percent;
        b->ack_percent = 0;
        dma_bench_run(b, 1);
        *bit = 0;
        dma_bench_run(b, 2);
        b->ack_percent = ack;
        for (unsigned k = 0; k < 50; k++) {
            dma_bench_run(b, 1);
            ck_assert_uint_eq(*b->m->rd_req | *b->m->wr_req, 0);
        }
        *bit = 1;
    }
    dma_bench_finish(b, 200000);
}

/* ---- the checks can fail ---- */

/* The bench gets other inputs than the engine: each check must notice. */
TEST(checker_sees_wrong_transfers, .to = 13)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->no_fail = 1;
    *b->m->cfg_max_read_words = 64;
    b->read_latency = 1;
    dma_bench_post(b, 1, 100, 7, 1);
    dma_bench_run(b, 20);
    ck_assert_uint_eq(b->mistakes, 0);
    struct descriptor *d = &b->posted[1][0];
    if (_i == 0) d->flags = 3;
    else if (_i == 1) d->destination ^= 8;
    else if (_i == 2) d->length = 101;
    else if (_i == 3) b->limits[62] = 0;
    else if (_i == 4) d->source ^= 8;
    else if (_i == 5) d->bad = 1;
    else if (_i == 6) d->whole = 1;
    else if (_i == 7) d->zeros = 1;
    else if (_i == 8) d->failed = 1;
    else if (_i == 9) b->pieces[0].words = 40;
    else if (_i == 10) b->piece_count = 0;
    else if (_i == 11) {
        b->eager = 1;
        dma_bench_run(b, 1);
        b->read_percent = 0;
    } else b->voq[1].write_limit = 20;
    dma_bench_run(b, 400);
    ck_assert_uint_gt(b->mistakes, 0);
}
