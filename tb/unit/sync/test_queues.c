/* Remote queues against the model of sync_bench: who gets a slot, in which order, and who is told what. */
#include "sync_bench.h"

TEST_CASE("queues", .timeout = 120);

/* Every size of slot, every length that fits in it and the first that does not. */
TEST(messages_of_every_length_fill_slots_of_every_size, .to = 4)
{
    struct sync_bench *b = sync_bench_new((uint64_t)_i);
    sync_make_queue(b, 3, 4, (unsigned)_i, 0xff);
    unsigned most = (64u << _i) / 8 - 1;
    for (unsigned words = 1; words <= most && words <= MOST_WORDS; words++) {
        sync_message(b, words % 8, 3, words, 0);
        if (words % 3 == 0) {
            sync_drain(b);
            sync_read_queue(b, 3, (b->queue[3].tail - b->queue[3].head) & 8191);
        }
    }
    sync_drain(b);
    ck_assert_uint_eq(b->counts[0], most < MOST_WORDS ? most : MOST_WORDS);
    sync_message(b, 1, 3, most < 62 ? most + 1 : 63, 0);
    sync_drain(b);
    ck_assert_uint_eq(b->pair[1][3].told_reason, LONG);
    sync_good(b);
}

/* The smallest ring, many laps: phases turn, and nothing is written beside it. */
TEST(a_ring_of_two_slots_goes_round)
{
    struct sync_bench *b = sync_bench_new(1);
    sync_make_queue(b, 5, 1, 0, 0xff);
    for (unsigned i = 0; i < 300; i++) {
        sync_message(b, i % 8, 5, 1 + i % 7, 0);
        sync_drain(b);
        sync_read_queue(b, 5, 1);
    }
    sync_good(b);
    ck_assert_uint_eq(b->interrupts, 300);
}

/* A full queue refuses and never waits; the source is closed until it knows of all its refusals. */
TEST(a_full_queue_refuses_until_reopened)
{
    struct sync_bench *b = sync_bench_new(2);
    sync_make_queue(b, 0, 2, 1, 0xff);
    for (unsigned i = 0; i < 4; i++) sync_message(b, 2, 0, 3, 0);
    for (unsigned i = 0; i < 5; i++) sync_message(b, 2, 0, 3, 0);
    sync_message(b, 3, 0, 3, 0);
    sync_drain(b);
    ck_assert_uint_eq(b->pair[2][0].told_refused, 5);
    ck_assert_uint_eq(b->pair[2][0].told_taken, 4);
    ck_assert_uint_eq(b->pair[2][0].told_reason, FULL);
    sync_read_queue(b, 0, 4);
    sync_message(b, 2, 0, 3, 0);              /* still closed */
    sync_operation(b, 2, REOPEN, 0, 5, 0, 0); /* it knows of five, there are six */
    sync_message(b, 2, 0, 3, 0);
    sync_message(b, 4, 0, 3, 0); /* others may */
    sync_drain(b);
    ck_assert_uint_eq(b->pair[2][0].told_refused, 7);
    sync_operation(b, 2, REOPEN, 0, 7, 0, 0);
    sync_operation(b, 2, REOPEN, 0, 7, 0, 0);
    sync_message(b, 2, 0, 3, 0);
    sync_drain(b);
    ck_assert_uint_eq(b->pair[2][0].taken, 5);
    sync_good(b);
}

/* Off, illegal in base or size, not for this source, no such queue. */
TEST(what_may_not_be_is_refused)
{
    struct sync_bench *b = sync_bench_new(3);
    sync_message(b, 0, 1, 1, 0);
    sync_drain(b);
    ck_assert_uint_eq(b->pair[0][1].told_reason, OFF);
    sync_make_queue(b, 2, 4, 0, 0xfe);
    sync_message(b, 0, 2, 1, 0);
    sync_message(b, 1, 2, 1, 0);
    sync_message(b, 9, 2, 1, 0);
    sync_drain(b);
    ck_assert_uint_eq(b->pair[0][2].told_reason, SOURCE);
    sync_make_queue(b, 4, 4, 0, 0xff);
    b->queue[4].base += 0x200;
    sync_store(b, SYNC_QUEUE_BASE_LOW + 32 * 4, b->queue[4].base, 3);
    sync_message(b, 0, 4, 1, 0);
    sync_make_queue(b, 6, 13, 0, 0xff);
    sync_message(b, 0, 6, 1, 0);
    sync_make_queue(b, 8, 0, 0, 0xff);
    sync_message(b, 0, 8, 1, 0);
    sync_message(b, 5, 16 + 7, 1, 0);
    sync_drain(b);
    ck_assert_uint_eq(b->pair[0][4].told_reason, OFF);
    ck_assert_uint_eq(b->pair[0][6].told_reason, OFF);
    ck_assert_uint_eq(b->pair[0][8].told_reason, OFF);
    ck_assert_uint_eq(b->pair[5][7].told_reason, OBJECT);
    ck_assert_uint_eq(b->counts[0], 1);
    uint64_t status = sync_load(b, SYNC_STATUS);
    ck_assert_uint_eq(status,
                      SYNC_STATUS_REFUSED_OFF_MASK | SYNC_STATUS_REFUSED_SOURCE_MASK | SYNC_STATUS_BAD_OBJECT_MASK);
    sync_store(b, SYNC_STATUS, SYNC_STATUS_REFUSED_OFF_MASK, 1);
    sync_clocks(b, 2);
    ck_assert_uint_eq(sync_load(b, SYNC_STATUS), status & ~(uint64_t)SYNC_STATUS_REFUSED_OFF_MASK);
    sync_good(b);
}

/* A bad body leaves no trace but the mark on the next slot, whenever it ends relative to its neighbours. */
TEST(bad_bodies_leave_a_mark_only, .to = 8)
{
    struct sync_bench *b = sync_bench_new((uint64_t)_i);
    b->slow = (unsigned)_i;
    b->gaps = (unsigned)_i % 3;
    sync_make_queue(b, 1, 6, 3, 0xff);
    for (unsigned i = 0; i < 60; i++) sync_message(b, i % 3, 1, 1 + sync_below(b, 62), sync_below(b, 3) == 0);
    sync_drain(b);
    sync_good(b);
}

/* A failed write of the payload marks its own slot; a failed first word the next one. */
TEST(failed_writes_leave_a_mark)
{
    struct sync_bench *b = sync_bench_new(5);
    sync_make_queue(b, 1, 6, 0, 0xff);
    b->fail = 1;
    sync_message(b, 2, 1, 4, 0);
    b->expected[(b->expected_first + b->expected_count - 1) % EXPECTED].data[0] |= 1ull << 55;
    sync_drain(b);
    sync_message(b, 2, 1, 4, 0);
    sync_drain(b);
    b->fail = 0;
    sync_message(b, 2, 1, 4, 0);
    while (b->expected_count > 1) sync_clocks(b, 1);
    b->fail = 1;
    sync_drain(b);
    b->slot_mark[2] = 1;
    sync_message(b, 2, 1, 4, 0);
    sync_message(b, 2, 1, 4, 0);
    sync_drain(b);
    sync_good(b);
}

/* A software reset at any clock of a message: each claimed slot is filled, in order. */
TEST(a_reset_leaves_no_hole, .to = 60)
{
    struct sync_bench *b = sync_bench_new((uint64_t)_i);
    b->slow = 1;
    sync_make_queue(b, 1, 6, 1, 0xff);
    for (unsigned i = 0; i < 4; i++) sync_message(b, i, 1, 6, 0);
    sync_clocks(b, (unsigned)_i);
    *b->m->flush = 1;
    for (unsigned i = 0; i < 500 && !*b->m->idle; i++) sync_clocks(b, 1);
    ck_assert_uint_eq(*b->m->idle, 1);
    sync_clocks(b, 100);
    *b->m->flush = 0;
    sync_message(b, 5, 1, 6, 0);
    sync_drain(b);
    ck_assert_uint_eq(b->counts[0], 5);
    sync_good(b);
}

/* Random messages, losses, readers, REOPEN with right and wrong counts; then the counts of the registers. */
TEST(random_messages, .to = 12)
{
    struct sync_bench *b = sync_bench_new((uint64_t)_i);
    b->slow = _i % 4 * 3;
    b->gaps = _i % 3;
    for (unsigned q = 0; q < 6; q++) sync_make_queue(b, q, 1 + q, q % 4, q == 5 ? 0x0f : 0xff);
    for (unsigned i = 0; i < 1500 && !*b->wrong; i++) {
        unsigned s = sync_below(b, NODES), q = sync_below(b, 7);
        if (sync_below(b, 20) == 0) sync_loss(b, sync_below(b, 9));
        if (sync_below(b, 6) == 0) {
            unsigned lie = sync_below(b, 4) == 0;
            sync_operation(b, s, REOPEN, q, (b->pair[s][q].refused + lie) & 0x7fff, 0, 0);
        } else sync_message(b, s, q, 1 + sync_below(b, sync_below(b, 4) ? 8 : 62), sync_below(b, 10) == 0);
        if (sync_below(b, 10) == 0) {
            sync_drain(b);
            for (q = 0; q < 6; q++)
                sync_read_queue(b, q, sync_below(b, 1 + ((b->queue[q].tail - b->queue[q].head) & 8191)));
        }
        if (sync_below(b, 15) == 0) *b->m->answer_room = (uint8_t)sync_below(b, 256);
    }
    sync_drain(b);
    for (unsigned k = 0; k < 16; k += 2) {
        uint64_t shown = sync_load(b, SYNC_MESSAGES + 4 * k);
        if ((uint32_t)shown != b->counts[k] || shown >> 32 != b->counts[k + 1])
            sync_complain(b, "counts %u, %u are %u, %u, expected %u, %u", k, k + 1, (unsigned)shown,
                          (unsigned)(shown >> 32), b->counts[k], b->counts[k + 1]);
    }
    sync_good(b);
    for (unsigned s = 0; s < NODES; s++)
        for (unsigned q = 0; q < 7; q++)
            ck_assert_uint_eq((uint32_t)sync_load(b, SYNC_SOURCE_MESSAGES + 128 * s + 8 * q),
                              (uint32_t)b->pair[s][q].taken << 16 | b->pair[s][q].refused);
    sync_good(b);
    ck_assert_uint_gt(b->counts[8], 50);
}
