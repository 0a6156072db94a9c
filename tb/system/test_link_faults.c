/* Each fault of the cable: losses are counted and reported, nothing else is disturbed, and the views of the receive
 * buffer agree again without a reset. */
#include "system_space.h"
#include "test.h"

static frame_tap *tap;

/* Frames of that node are damaged from now on. */
static void arm(bench *b, int from, int kinds, unsigned count, frame_damage damage, unsigned arg)
{
    static unsigned argument;
    argument = arg;
    tap = tap_on(b->wire);
    frame_tap_arm(tap, from, kinds, 0, count, damage, &argument);
}

static void disarm(int from)
{
    ck_assert_msg(frame_tap_done(tap, from) > 0, "the fault did not happen");
    frame_tap_arm(tap, from, 0, 0, 0, NULL, NULL);
}

static void fill(bench *b)
{
    bench_forgive(b, ALL);
    bench_fill(b, 0);
}

/* ---- packets that never arrive ---- */

static void lost(bench *b, int kinds, unsigned count, frame_damage damage)
{
    bench_good(b, 0, 62);
    bench_good(b, 1, 62);
    arm(b, 0, kinds, count, damage, 0);
    piece p = bench_send(b, 0, 62, NX_REMOTE);
    bench_wait(b, 8 * SIM_US);
    disarm(0);
    ck_assert_int_eq(bench_take(b, 0), 0); /* none, neither good nor bad */
    ck_assert(!bench_arrived(b, &p));
    bench_wait(b, 20 * SIM_US); /* counters are copies */
    ck_assert_uint_eq(bench_risen(b, 1, NIC_HEADER_CRC_ERRORS), damage == frame_bad_header_crc);
    /* the next transfer of that source arrives, and its notification reports the loss */
    ck_assert_int_eq(bench_next(b, 0, 62), 1);
    ck_assert_uint_eq(bench_risen(b, 1, NIC_SEQUENCE_GAPS), 1);
    ck_assert(bench_status(b, 1) & NIC_STATUS_SEQUENCE_GAP_MASK);
    bench_good(b, 0, 3); /* only the next one is flagged */
    bench_forgive(b, ALL);
    bench_prove(b);
}

TEST_CASE("faults", .timeout = 120);

SOFTWARE_TEST(a_bad_header_crc_drops_the_packet_and_its_space_comes_back)
{
    lost(b, FRAME_DATA, 1, frame_bad_header_crc);
}
SOFTWARE_TEST(a_lost_sop_loses_the_packet_and_its_space_comes_back) { lost(b, FRAME_DATA, 1, frame_lose_sop); }
SOFTWARE_TEST(a_packet_lost_on_the_wire_is_reported_and_its_space_comes_back) { lost(b, FRAME_ANY, ~0u, frame_lose); }

/* ---- packets that arrive damaged ---- */

static void damaged(bench *b, frame_damage damage, unsigned arg)
{
    bench_good(b, 0, 62);
    arm(b, 0, FRAME_DATA, 1, damage, arg);
    piece bad = bench_send(b, 0, 62, NX_REMOTE);
    bench_notified(b, &bad, 1);
    disarm(0);
    ck_assert(!bench_arrived(b, &bad));
    ck_assert_uint_eq(bench_risen(b, 1, NIC_BODY_CRC_ERRORS), 1);
    ck_assert(bench_status(b, 1) & NIC_STATUS_BODY_CRC_MASK);
    bench_good(b, 0, 62);
    fill(b);
}

SOFTWARE_TEST(a_bad_body_crc_is_counted_and_its_notification_flagged) { damaged(b, frame_bad_body, 0); }
SOFTWARE_TEST(a_truncated_packet_is_padded_counted_and_flagged) { damaged(b, frame_truncate, 4); }

SOFTWARE_TEST(surplus_words_behind_a_packet_are_discarded_and_counted)
{
    bench_good(b, 0, 62);
    arm(b, 0, FRAME_DATA, 1, frame_surplus, 6);
    bench_good(b, 0, 62); /* surplus words do no harm */
    disarm(0);
    bench_expect(b, 1, 0, CHANGES({NIC_ALIGNMENT_ERRORS, 1}));
    bench_good(b, 0, 62);
    bench_expect_nothing(b, ALL);
    bench_fill(b, 0);
}

/* ---- credits ---- */

static void credit(bench *b, frame_damage damage)
{
    bench_good(b, 0, 62);
    arm(b, 1, FRAME_ANY, ~0u, damage, 3);
    for (int i = 0; i < 10; i++) bench_good(b, 0, 62); /* nine packets fit without any credit */
    disarm(1);
    bench_wait(b, 20 * SIM_US);
    if (damage == frame_credit_parity) {
        ck_assert_uint_gt(bench_risen(b, 0, NIC_CREDITS_REJECTED), 0);
        ck_assert(bench_status(b, 0) & NIC_STATUS_CREDIT_REJECTED_MASK);
    }
    bench_agree(b, 0, 8);
    for (int i = 0; i < 30; i++) bench_good(b, 0, 62);
    fill(b);
}

SOFTWARE_TEST(corrupted_credits_are_rejected_and_replaced) { credit(b, frame_credit_parity); }
SOFTWARE_TEST(lost_credits_are_replaced) { credit(b, frame_lose); }

/* ---- the cable ---- */

SOFTWARE_TEST(a_cable_cut_for_microseconds_only_loses_what_was_on_it)
{
    bench_good(b, 0, 62);
    bench_good(b, 1, 62);
    for (unsigned i = 0; i < 20; i++) {
        for (unsigned from = 0; from < 2; from++) bench_send(b, from, 62, 0);
        if (i == 8) cable_cut(b->wire, CABLE_BOTH);
    }
    bench_wait(b, 5 * SIM_US);
    cable_reconnect(b->wire, CABLE_BOTH);
    bench_wait(b, 200 * SIM_US);
    for (int from = 0; from < 2; from++) bench_agree(b, from, 8);
    for (unsigned from = 0; from < 2; from++) {
        /* the loss, if there was one, is reported by the next notification */
        ck_assert_int_eq(bench_missing(b, b->flow[from].piece, 21) > 0, bench_next(b, from, 62));
        bench_good(b, from, 62);
    }
    bench_forgive(b, ALL);
    bench_prove(b);
}

SOFTWARE_TEST(a_receiver_switched_off_and_on_loses_nothing)
{
    bench_good(b, 0, 62);
    for (int round = 0; round < 3; round++)
        for (int from = 0; from < 2; from++) bench_fill(b, from);
    ck_assert_uint_eq(bench_status(b, 0) | bench_status(b, 1), 0);
}
