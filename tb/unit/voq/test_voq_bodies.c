/* VOQs whose bodies are in external memory: order kept, nothing lost, other queues unaffected, no more memory than
 * allowed. */
#include "voq_bench.h"

TEST_CASE("bodies", .timeout = 120);

/* Lanes stop and go at random, so that bodies grow and come back all the time. */
TEST(bodies_come_and_go, .to = 12)
{
    struct voq_bench *b = voq_bench_new(_i % VOQ_KINDS, 100 + (uint64_t)_i);
    voq_bench_body_limit(b, b->size.blocks);
    b->fail_percent = _i % 3 ? 10 : 0;
    b->eager_percent = _i % 2 ? 30 : 0;
    b->never_percent = 3;
    b->drain_percent = _i % 3 == 1 ? 100 : 40;
    b->memory_percent = (unsigned[]){100, 50, 10}[_i % 3];
    b->memory_latency = (unsigned[]){1, 10, 60}[(_i / 2) % 3];
    for (unsigned i = 0; i < 30 || (b->migrated < 500 && i < 100); i++) {
        b->stopped = (unsigned)sim_random(b->s);
        if (b->size.voqs == 1 && i % 3) b->stopped = 0;
        voq_bench_run(b, i % 8 == 7 ? 20000 : 1000 + sim_random_below(b->s, 4000));
    }
    voq_bench_drain(b, 3000000);
    ck_assert_uint_ge(b->migrated, 500);
    ck_assert_uint_eq(b->migrated, b->fetched);
    for (unsigned v = 0; v < b->size.voqs; v++) {
        ck_assert_uint_eq(voq_bench_blocks(b, v), 0);
        ck_assert_uint_eq(voq_bench_level(b, v), 0);
    }
}

/* Words come back with one wrong bit: a packet with such a word is marked for the link to corrupt; a transfer whose
 * header it was is gone, is reported and leaves a gap in the numbers of its destination; nothing else happens. */
TEST(damaged_words_are_found, .to = 8)
{
    struct voq_bench *b = voq_bench_new(_i % VOQ_KINDS, 400 + (uint64_t)_i);
    voq_bench_body_limit(b, b->size.blocks);
    b->length_most = 40;
    b->limit_most = 10;
    b->fail_percent = _i / 4 ? 10 : 0;
    b->reset_per_10000 = (_i ^ _i / 4) & 1;
    b->damage_per_1000 = 50;
    b->queues_used = 0x35;
    b->credit_percent = b->drain_percent = 100;
    for (unsigned i = 0; i < 40 || ((b->header_damages < 20 || b->ref.bad_words <= 50) && i < 400); i++) {
        b->stopped = i % 2 ? 0 : b->size.voqs == 1 ? ~0u : (unsigned)sim_random(b->s);
        voq_bench_run(b, 3000 + sim_random_below(b->s, 5000));
    }
    voq_bench_drain(b, 3000000);
    ck_assert_uint_ge(b->header_damages, 20);
    ck_assert_uint_gt(b->data_damages, 100);
    ck_assert_uint_gt(b->kind_damages, 5);
    ck_assert_uint_gt(b->ref.lost, 10);
    ck_assert_uint_gt(b->ref.bad_words, 50);
    ck_assert_uint_eq(b->damages_seen, b->damages);
    ck_assert_uint_eq(voq_bench_free_blocks(b), b->size.blocks);
}

/* Software resets while bodies are outside, on their way out and on their way back. */
TEST(resets_drop_bodies, .to = 8)
{
    struct voq_bench *b = voq_bench_new(_i % VOQ_KINDS, 200 + (uint64_t)_i);
    voq_bench_body_limit(b, b->size.blocks);
    b->reset_per_10000 = b->size.ring_words < 512 ? 5 : 1;
    b->memory_percent = _i % 2 ? 100 : 40;
    b->memory_latency = 20;
    for (unsigned i = 0; i < 20 || (b->migrated < 1000 && i < 100); i++) {
        b->stopped = (unsigned)sim_random(b->s);
        voq_bench_run(b, i % 8 == 7 ? 30000 : 3000 + sim_random_below(b->s, 8000));
    }
    ck_assert_uint_gt(b->resets, 5);
    ck_assert_uint_ge(b->migrated, 1000);
    voq_bench_drain(b, 3000000);
    ck_assert_uint_eq(voq_bench_free_blocks(b), b->size.blocks);
}

/* Data that cannot leave yet are not read before data that can. */
TEST(bodies_offer_no_room_while_they_are_held)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 8);
    voq_bench_body_limit(b, b->size.blocks);
    b->stopped = 2;
    b->limit_most = 62;
    *b->p.voq_hold = 1;
    voq_bench_run(b, 20000);
    unsigned packets = b->ref.packets;
    ck_assert_uint_gt(packets, 100);
    ck_assert_uint_eq(b->migrated, 0);
    ck_assert_uint_lt(b->room[1], 514);
    *b->p.voq_hold = 0;
    voq_bench_run(b, 20000);
    ck_assert_uint_gt(b->migrated, 1000);
    voq_bench_drain(b, 3000000);
}

/* The queue that is stopped takes all the memory it may have; words reserved before it reached its limit, 1023 words of
 * staging at most, may come on top. Then its room is 0. The others go on. */
TEST(a_body_stops_at_its_limit)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 7);
    voq_bench_body_limit(b, 40);
    b->stopped = 2;
    b->limit_most = 62;
    voq_bench_run(b, 60000);
    unsigned most = voq_bench_blocks(b, 1), packets = b->ref.packets;
    ck_assert_uint_ge(most, 40);
    ck_assert_uint_le(most, 40 + 16);
    ck_assert_uint_eq(b->room[1], 0);
    ck_assert_uint_gt(b->exhausted, 1000);
    voq_bench_run(b, 20000);
    ck_assert_uint_eq(voq_bench_blocks(b, 1), most);
    ck_assert_uint_gt(b->ref.packets, packets + 80);
    for (unsigned v = 0; v < 8; v++)
        if (v != 1) ck_assert_uint_eq(voq_bench_blocks(b, v), 0);
}

/* 64 blocks of 16 words for four stopped queues: back-pressure instead of loss, and all comes out when the lanes go on.
 */
TEST(memory_that_is_full_loses_nothing, .to = 4)
{
    struct voq_bench *b = voq_bench_new(VOQ_SMALL, 8 + (uint64_t)_i);
    voq_bench_body_limit(b, 64);
    b->stopped = 0x99;
    b->fail_percent = 10;
    voq_bench_run(b, 60000);
    ck_assert_uint_le(voq_bench_free_blocks(b), 64 - 10);
    ck_assert_uint_gt(b->exhausted, 1000);
    uint64_t exhausted = b->exhausted;
    b->stopped = 0;
    voq_bench_run(b, 20000);
    voq_bench_drain(b, 300000);
    ck_assert_uint_eq(voq_bench_free_blocks(b), 64);
    ck_assert_uint_gt(b->exhausted, exhausted - 1);
}

/* A queue that has a body and credit again offers no room until the body is gone; then it works on chip, without the
 * memory. */
TEST(a_body_that_comes_back_is_not_fed)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 9);
    voq_bench_body_limit(b, 4096);
    b->stopped = 1;
    b->limit_most = 62;
    b->queues_used = 1;
    voq_bench_run(b, 30000);
    ck_assert_uint_gt(voq_bench_blocks(b, 0), 100);
    b->reserve_percent = 0;
    voq_bench_run(b, 3000);
    ck_assert_uint_ge(b->room[0], 514);
    b->reserve_percent = 100;
    b->stopped = 0;
    b->credit_percent = 100;
    voq_bench_run(b, 100);
    unsigned blocks = voq_bench_blocks(b, 0);
    uint64_t migrated = 0;
    unsigned closed = 0;
    for (unsigned i = 0; voq_bench_blocks(b, 0); i++) {
        ck_assert_uint_lt(i, 2000);
        voq_bench_run(b, 50);
        closed += b->room[0] == 0;
        if (voq_bench_blocks(b, 0) < blocks / 2 && !migrated) migrated = b->migrated;
    }
    ck_assert_uint_gt(closed, 100);
    ck_assert_uint_eq(b->migrated, migrated);
    voq_bench_run(b, 5000);
    ck_assert_uint_eq(b->migrated, migrated);
    ck_assert_uint_gt(b->ref.packets, 500);
}

/* While one queue's words go out to memory and come back the link stays as busy as without. */
TEST(bodies_cost_the_others_nothing)
{
    unsigned packets[2];
    for (int with = 0; with < 2; with++) {
        struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 10);
        voq_bench_body_limit(b, with ? 4096 : 0);
        b->stopped = 8;
        b->length_fixed = b->limit_fixed = 62;
        b->credit_percent = 100;
        b->drain_percent = 39;
        b->drain_even = 1;
        voq_bench_run(b, 5000);
        packets[with] = b->ref.packets;
        voq_bench_run(b, 50000);
        packets[with] = b->ref.packets - packets[with];
        ck_assert_uint_eq(b->migrated > 5000, with);
    }
    ck_assert_uint_ge(packets[1] * 100, packets[0] * 99);
}

static struct {
    uint64_t fetched, since, longest; /* words that have come back; clocks since the last one, at most */
} back;

static void watch_words_that_come_back(struct voq_bench *b, struct voq_output *o)
{
    (void)o;
    back.since = b->fetched == back.fetched && voq_bench_blocks(b, 0) ? back.since + 1 : 0;
    back.fetched = b->fetched;
    if (back.since > back.longest) back.longest = back.since;
}

/* A body comes back while an engine would write into the rings of others in every clock. Two packets of it fill its
 * ring: then words also wait for its grant, behind 7 packets of others. */
TEST(words_come_back_during_an_engine_that_never_pauses)
{
    enum { LENGTH = 500, PATIENCE = 1024, PIECES = 8 };
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 11);
    voq_bench_body_limit(b, 4096);
    b->length_fixed = b->limit_fixed = LENGTH;
    b->eager_percent = b->credit_percent = b->drain_percent = 100;
    b->queues_used = b->stopped = 1;
    voq_bench_run(b, 20000);
    unsigned blocks = voq_bench_blocks(b, 0);
    ck_assert_uint_gt(blocks, 100);
    b->queues_used = 0xfe;
    b->stopped = 0;
    b->corrupt = watch_words_that_come_back;
    voq_bench_run(b, 60000);
    ck_assert_uint_lt(back.longest, PATIENCE + PIECES * (LENGTH + 4) + 7 * (LENGTH + 2) + 100);
    ck_assert_uint_lt(voq_bench_blocks(b, 0), blocks - 60);
    ck_assert_uint_gt(b->ref.packets, 60000 / (LENGTH + 2) - 4);
    b->queues_used = 0xff;
    voq_bench_drain(b, 3000000);
}
