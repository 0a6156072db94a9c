/* The whole VOQ block: random transfers against the reference, and the latencies and rates it promises. */
#include "voq_bench.h"

/* Variables of a run. */
static void vary(struct voq_bench *b, int i)
{
    b->fail_percent = i % 2 ? 15 : 0;
    b->never_percent = i % 4 ? 5 : 0;
    b->eager_percent = i % 3 ? 0 : 50;
    b->write_percent = i % 5 ? 100 : 60;
    b->drain_percent = (unsigned[]){40, 100, 20}[i % 3];
    b->credit_percent = (unsigned[]){20, 3, 100}[(i / 2) % 3];
    b->wrong_percent = i % 3 == 1 ? 30 : 0;
    b->limit_most = (unsigned[]){1, 4, 62, b->piece_most}[i % 4];
}

/* So many random transfers, and all of them have left. */
static struct voq_bench *traffic(struct voq_bench *b, int i, unsigned transfers)
{
    vary(b, i);
    b->transfers_wanted = transfers;
    voq_bench_finish(b, 2000000);
    return b;
}

TEST_CASE("random", .timeout = 120);

TEST(random_transfers_leave_as_the_right_packets, .to = 12)
{
    struct voq_bench *b = traffic(voq_bench_new(VOQ_DEFAULT, 1 + (uint64_t)_i), _i, 300);
    ck_assert_uint_gt(b->ref.packets, 300);
    ck_assert_uint_gt(b->ref.transfers, 150);
    if (b->fail_percent) ck_assert_uint_gt(b->aborts, 10);
    if (b->eager_percent) ck_assert_uint_gt(b->eagers, 50);
}

TEST(sixteen_queues, .to = 4)
{
    struct voq_bench *b = traffic(voq_bench_new(VOQ_16, 1 + (uint64_t)_i), _i, 300);
    for (unsigned q = 0; q < 16; q++) ck_assert_uint_gt(b->ref.queue_packets[q], 0);
}

TEST(one_shared_queue, .to = 6) { traffic(voq_bench_new(VOQ_SHARED, 1 + (uint64_t)_i), _i, 200); }

TEST(small_rings, .to = 6) { traffic(voq_bench_new(VOQ_SMALL, 1 + (uint64_t)_i), _i, 300); }

TEST(direct_mode_has_one_sequence_and_one_lane, .to = 4)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 1 + (uint64_t)_i);
    b->ref.direct = *b->p.cfg_direct = 1;
    traffic(b, _i, 200);
}

/* One lane, and a buffer that hardly holds the longest packet: credit comes back in small parts. Whatever the sizes of
 * their packets, no queue of any pair waits for more than a round of turns. */
TEST(direct_mode_gives_every_queue_its_turn, .to = 7)
{
    static const unsigned words[][2] = {{62, 62}, {500, 62}, {62, 500}, {500, 1}, {1, 62}, {500, 500}};
    for (unsigned i = 0; i < 8; i++) {
        unsigned first = i, second = (i + 1 + (unsigned)_i) % 8;
        const unsigned *w = words[(i + (unsigned)_i) % COUNT(words)];
        struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 1 + i);
        b->ref.direct = *b->p.cfg_direct = 1;
        b->ref.capacity = 2 * (w[0] > w[1] ? w[0] : w[1]) + 4 + 40;
        *b->p.cfg_tx_capacity = (uint16_t)b->ref.capacity;
        b->queues_used = 1u << first | 1u << second;
        b->queue_length[first] = w[0];
        b->queue_length[second] = w[1];
        b->limit_fixed = 512;
        voq_bench_run(b, 10000);
        ck_assert_uint_gt(b->ref.queue_packets[first], 2);
        ck_assert_uint_gt(b->ref.queue_packets[second], 2);
        ck_assert_msg(b->ref.most_passed <= 8, "queues %u and %u, %u and %u words: passed by %u packets", first, second,
                      w[0], w[1], b->ref.most_passed);
    }
}

TEST(sequence_numbers_can_be_switched_off)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 3);
    b->ref.sequence_zero = 1;
    *b->p.cfg_sequence_zero = 1;
    b->transfers_wanted = 100;
    voq_bench_finish(b, 1000000);
}

/* Counters have 12 bits: many more units than 4096 per lane, with buffers from just enough for a packet to nearly all
 * that 12 bits allow.
 */
TEST(credits_wrap_around, .to = 5)
{
    static const unsigned capacity[] = {160, 512, 2048, 2900, 4095};
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 4 + (uint64_t)_i);
    b->ref.capacity = capacity[_i];
    *b->p.cfg_tx_capacity = (uint16_t)capacity[_i];
    b->queues_used = 5;
    b->limit_most = 62;
    b->credit_percent = 30;
    b->transfers_wanted = 250;
    voq_bench_finish(b, 2000000);
    ck_assert_uint_gt(2 * b->ref.queue_words[0], 5 * 4096);
}

/* A queue without credit waits; the others do not. */
TEST(a_queue_without_credit_stops_no_other)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 5);
    b->stopped = 4;
    b->limit_most = 62;
    voq_bench_run(b, 20000);
    unsigned before = b->ref.packets, waiting = b->ref.queue_packets[2];
    voq_bench_run(b, 20000);
    ck_assert_uint_eq(b->ref.queue_packets[2], waiting);
    ck_assert_uint_gt(b->ref.packets - before, 80);
    ck_assert_uint_gt(voq_bench_level(b, 2), 400);
    b->stopped = 0xff;
    voq_bench_run(b, 40000);
    ck_assert_uint_gt(b->backpressure, 1000);
    voq_bench_drain(b, 100000);
    ck_assert_uint_eq(voq_bench_level(b, 2), 0);
}

TEST_CASE("reset", .timeout = 120);

TEST(software_resets_at_any_time, .to = 12)
{
    static const enum voq_kind mix[] = {VOQ_DEFAULT, VOQ_DEFAULT, VOQ_SMALL, VOQ_SHARED};
    struct voq_bench *b = voq_bench_new(mix[_i % 4], 50 + (uint64_t)_i);
    vary(b, _i);
    b->ref.direct = *b->p.cfg_direct = _i % 5 == 4;
    b->reset_per_10000 = 10;
    voq_bench_run(b, 60000);
    ck_assert_uint_gt(b->resets, 20);
    b->reset_per_10000 = 0;
    b->transfers_wanted = b->made + 20;
    voq_bench_finish(b, 1000000);
}

/* Eight lanes are cleared, one in a clock; a software reset leaves credits alone. */
TEST(a_credit_waits_while_lanes_are_cleared_after_reset)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 62);
    unsigned waited = 0;
    b->transfers_wanted = 0;
    do voq_bench_run(b, 1);
    while (*b->p.rst);
    for (; !*b->p.credit_taken && waited < 100; waited++) voq_bench_run(b, 1);
    ck_assert_uint_eq(waited, 8);
    b->reset_now = 1;
    for (unsigned clock = 0; clock < 200; clock++) {
        voq_bench_run(b, 1);
        ck_assert_uint_eq(*b->p.credit_taken, 1);
    }
    ck_assert_uint_eq(b->resets, 1);
}

/* ---- latencies and rates ---- */

TEST_CASE("rates", .timeout = 120);

/* Header written in clock n with voq_wr_eager, the queue empty, credit there, the link FIFO empty: header out in n + 1.
 */
TEST(an_eager_header_comes_out_in_the_next_clock)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 6);
    unsigned lone = 0;
    b->eager_percent = 100;
    b->length_fixed = 3;
    b->drain_percent = b->credit_percent = 100;
    b->transfers_wanted = 0;
    voq_bench_run(b, 200);
    for (unsigned i = 0; i < 60; i++) {
        unsigned packets = b->ref.packets;
        b->transfers_wanted++;
        while (b->ref.packets == packets) voq_bench_run(b, 1);
        lone += b->ref.last_header_clock == b->header_put_clock + 1;
        voq_bench_run(b, 20 + (unsigned)i % 7);
    }
    ck_assert_uint_eq(lone, 60);
}

static double clocks_per_packet(struct voq_bench *b, unsigned words, unsigned queues)
{
    b->length_fixed = words;
    b->queues_used = queues;
    b->drain_percent = b->credit_percent = 100;
    b->ref.capacity = 4000;
    *b->p.cfg_tx_capacity = 4000;
    voq_bench_run(b, 2000);
    unsigned packets = b->ref.packets;
    voq_bench_run(b, 50000);
    return 50000.0 / (b->ref.packets - packets);
}

/* The engine of this bench needs 3 clocks for a one-word transfer, the least that its reservations allow. */
TEST(packets_of_one_word_leave_every_9_clocks)
{
    ck_assert_double_le(clocks_per_packet(voq_bench_new(VOQ_DEFAULT, 7), 1, 0xff), 9);
    ck_assert_double_le(clocks_per_packet(voq_bench_new(VOQ_DEFAULT, 7), 1, 0x08), 9);
    ck_assert_double_le(clocks_per_packet(voq_bench_new(VOQ_16, 7), 1, 0xffff), 9);
    ck_assert_double_le(clocks_per_packet(voq_bench_new(VOQ_SHARED, 7), 1, 0x01), 9);
}

TEST(packets_of_62_words_leave_every_68_clocks)
{
    ck_assert_double_le(clocks_per_packet(voq_bench_new(VOQ_DEFAULT, 8), 62, 0xff), 68);
    ck_assert_double_le(clocks_per_packet(voq_bench_new(VOQ_DEFAULT, 8), 62, 0x80), 68);
    ck_assert_double_le(clocks_per_packet(voq_bench_new(VOQ_16, 8), 62, 0xffff), 68);
}
