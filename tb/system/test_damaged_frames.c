/* Reactions of a receiver to damaged packets, and of a sender to damaged credits (design.md 3); and that buffer space
 * is whole again afterwards without a reset. */
#include "system_space.h"
#include "test.h"

/* One kind of damage to one packet of node 0, between good ones. */
struct fault {
    const char *name;
    frame_damage damage;
    unsigned arg;
    int stored;      /* the packet arrives at all: padded or with a bad body, its own notification flagged */
    int payload;     /* ... and its payload is as sent */
    uint32_t status; /* at the receiver, besides the gap of packets that were not stored */
    change changes[4];
};

#define BODY NIC_STATUS_BODY_CRC_MASK
#define DROP NIC_STATUS_PACKET_DROPPED_MASK
#define GAP NIC_STATUS_SEQUENCE_GAP_MASK

static struct fault faults[] = {
    {"bad header CRC", frame_bad_header_crc, 0, 0, 0, DROP, {{NIC_HEADER_CRC_ERRORS, 1}}},
    {"bad header", frame_bad_header, 0, 0, 0, DROP, {{NIC_HEADER_CRC_ERRORS, 1}}},
    {"lost SOP", frame_lose_sop, 0, 0, 0, 0, {{NIC_ALIGNMENT_ERRORS, 1}}},
    {"lost packet", frame_lose, 0, 0, 0, 0, {{0, 0}}},
    {"truncated after the header",
     frame_truncate,
     0,
     1,
     0,
     BODY,
     {{NIC_ALIGNMENT_ERRORS, 1}, {NIC_BODY_CRC_ERRORS, 1}}},
    {"truncated at an odd word", frame_truncate, 7, 1, 0, BODY, {{NIC_ALIGNMENT_ERRORS, 1}, {NIC_BODY_CRC_ERRORS, 1}}},
    {"truncated at an even word",
     frame_truncate,
     60,
     1,
     0,
     BODY,
     {{NIC_ALIGNMENT_ERRORS, 1}, {NIC_BODY_CRC_ERRORS, 1}}},
    {"truncated before the body CRC",
     frame_truncate,
     80,
     1,
     1,
     BODY,
     {{NIC_ALIGNMENT_ERRORS, 1}, {NIC_BODY_CRC_ERRORS, 1}}},
    {"bad body CRC", frame_bad_body_crc, 0, 1, 1, BODY, {{NIC_BODY_CRC_ERRORS, 1}}},
    {"bad body", frame_bad_body, 0, 1, 0, BODY, {{NIC_BODY_CRC_ERRORS, 1}}},
};
enum { FAULTS = COUNT(faults), WORDS = 40 };

TEST_CASE("damaged_frames", .timeout = 60);

SOFTWARE_TEST(a_damaged_packet_is_counted_and_flagged_and_costs_no_space, .to = FAULTS)
{
    struct fault *f = &faults[_i];
    frame_tap *tap = tap_on(b->wire);
    bench_good(b, 0, WORDS);
    frame_tap_arm(tap, 0, FRAME_DATA, 0, 1, f->damage, &f->arg);
    piece bad = bench_send(b, 0, WORDS, NX_REMOTE | NX_LOCAL);
    ck_assert_int_eq(nx_wait(b->n[0]->dev, &bad.ticket), NX_OK);
    if (f->stored) bench_notified(b, &bad, 1);
    bench_wait(b, 5 * SIM_US);
    ck_assert_uint_eq(frame_tap_done(tap, 0), 1);
    if (!f->stored) bench_untouched(b, &bad);
    else if (f->payload) bench_must_arrive(b, &bad);
    else ck_assert(!bench_arrived(b, &bad));
    change all[6] = {{0, 0}};
    unsigned n = 0;
    for (; f->changes[n].offset; n++) all[n] = f->changes[n];
    if (f->stored) all[n] = (change){NIC_FLAGGED_NOTIFICATIONS, 1};
    bench_expect(b, 1, f->status, all);
    if (!f->stored) {
        ck_assert_int_eq(bench_take(b, 0), 0);
        bench_agree(b, 0, 3);
        bench_reported(b, 0, WORDS);
    }
    bench_prove(b);
}

SOFTWARE_TEST(surplus_words_behind_a_packet_are_discarded, .to = 2)
{
    frame_tap *tap = tap_on(b->wire);
    static unsigned words;
    words = _i ? 300 : 1;
    frame_tap_arm(tap, 0, FRAME_DATA, 0, 1, frame_surplus, &words);
    bench_good(b, 0, WORDS);
    bench_expect(b, 1, 0, CHANGES({NIC_ALIGNMENT_ERRORS, 1}));
    bench_prove(b);
}

/* The tap of these tests itself, put in while frames pass both ways. */
SOFTWARE_TEST(a_tap_that_does_nothing_tears_no_frame, .to = 8)
{
    enum { N = 20 };
    for (unsigned i = 0; i < N; i++)
        for (unsigned from = 0; from < 2; from++) bench_send(b, from, 62, 0);
    bench_wait(b, (sim_time)_i * 3700 * SIM_NS / 8);
    tap_on(b->wire);
    for (int from = 0; from < 2; from++) bench_ok(b, from, nx_drain(b->n[from]->dev, !from));
    for (int from = 0; from < 2; from++) bench_agree(b, from, 4);
    for (int from = 0; from < 2; from++) ck_assert_uint_eq(bench_missing(b, b->flow[from].piece, N), 0);
    bench_prove(b);
}

/* A stream of packets, in which some frames are damaged; damage must be indicated, everything else must arrive. */
SOFTWARE_TEST(damaged_packets_in_a_stream_do_not_touch_their_neighbours, .to = FAULTS)
{
    enum { N = 60 };
    struct fault *f = &faults[_i];
    frame_tap *tap = tap_on(b->wire);
    frame_tap_arm(tap, 0, FRAME_DATA, 17, 3, f->damage, &f->arg);
    for (unsigned i = 0; i < N; i++)
        bench_send(b, 0, i > 16 && i < 21 ? WORDS : 1 + (unsigned)sim_random_below(b->s, 62), NX_REMOTE);
    ck_assert_int_eq(nx_drain(b->n[0]->dev, 1), NX_OK);
    bench_agree(b, 0, 4);
    ck_assert_uint_eq(frame_tap_done(tap, 0), 3);
    const piece *p = b->flow[0].piece;
    ck_assert_uint_eq(bench_missing(b, p, 17) + bench_missing(b, p + 20, N - 20), 0);
    ck_assert_uint_eq(bench_missing(b, p + 17, 3), f->payload ? 0 : 3);
    ck_assert_uint_eq(bench_risen(b, 1, NIC_FLAGGED_NOTIFICATIONS), f->stored ? 3 : 1);
    bench_forgive(b, 1);
    bench_take(b, 0);
    bench_prove(b);
}

/* ---- credits */

static void send_many(bench *b, unsigned n)
{
    piece last;
    for (unsigned i = 0; i < n; i++) last = bench_send(b, 0, 62, i == n - 1 ? NX_REMOTE : 0);
    bench_notified(b, &last, 0);
    ck_assert_uint_eq(bench_missing(b, b->flow[0].piece, n), 0);
}

SOFTWARE_TEST(a_credit_with_wrong_parity_is_rejected, .to = 6)
{
    frame_tap *tap = tap_on(b->wire);
    static unsigned which;
    unsigned count = _i < 3 ? 1 : 20, rejected = _i % 3 == 2 ? 2 : 1;
    which = (unsigned)_i % 3 + 1;
    frame_tap_arm(tap, 1, FRAME_CREDIT, 3, count, frame_credit_parity, &which);
    send_many(b, 100);
    while (!frame_tap_finished(tap, 1)) bench_wait(b, SIM_US);
    bench_wait(b, 2 * SIM_US);
    bench_expect(b, 0, NIC_STATUS_CREDIT_REJECTED_MASK, CHANGES({NIC_CREDITS_REJECTED, rejected * count}));
    bench_prove(b);
}

SOFTWARE_TEST(lost_credits_are_made_good, .to = 4)
{
    static const unsigned counts[] = {1, 2, 12, 60};
    frame_tap *tap = tap_on(b->wire);
    frame_tap_arm(tap, 1, FRAME_CREDIT | FRAME_DATA, 5, counts[_i], frame_lose_credit, NULL);
    send_many(b, 120);
    bench_expect_nothing(b, ALL);
    frame_tap_arm(tap, 1, 0, 0, 0, NULL, NULL);
    bench_prove(b);
}

SOFTWARE_TEST(check_records_may_be_lost_too)
{
    frame_tap *tap = tap_on(b->wire);
    frame_tap_arm(tap, 0, FRAME_RECORD, 0, 5, frame_lose, NULL);
    send_many(b, 40);
    while (!frame_tap_finished(tap, 0)) bench_wait(b, SIM_US);
    bench_expect_nothing(b, ALL);
    frame_tap_arm(tap, 0, FRAME_RECORD, 0, 1, frame_bad_header_crc, NULL);
    while (!frame_tap_finished(tap, 0)) bench_wait(b, SIM_US);
    bench_wait(b, 2 * SIM_US);
    bench_expect(b, 1, DROP, CHANGES({NIC_HEADER_CRC_ERRORS, 1}));
    bench_prove(b);
}

/* A sender that assumes too much space: packets that do not fit are dropped whole, counted, flagged, and credited. */
SOFTWARE_TEST(packets_without_room_are_dropped_whole_and_credited)
{
    enum { N = 30 };
    bench_put(b, 0, NIC_TX_CAPACITY, 4064);
    bench_initiator(b, 1, 0);
    for (unsigned i = 0; i < N; i++) bench_send(b, 0, 62, 0);
    bench_wait(b, 100 * SIM_US);
    ck_assert_uint_gt(bench_get(b, 1, NIC_PACKETS_DROPPED), 0);
    bench_initiator(b, 1, 1);
    bench_wait(b, 20 * SIM_US);
    const piece *p = b->flow[0].piece;
    for (unsigned i = 0; i < N; i++)
        if (!bench_arrived(b, &p[i])) bench_untouched(b, &p[i]);
    ck_assert_uint_eq(bench_get(b, 1, NIC_PACKETS_DROPPED), bench_missing(b, p, N));
    bench_put(b, 0, NIC_TX_CAPACITY, 2046);
    ck_assert_int_eq(bench_next(b, 0, 9), 1);
    bench_expect(b, 1, DROP | GAP,
                 CHANGES({NIC_PACKETS_DROPPED, SOME}, {NIC_SEQUENCE_GAPS, SOME}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    bench_prove(b);
}
