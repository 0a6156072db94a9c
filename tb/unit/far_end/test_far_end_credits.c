/* The link partner's destinations: room, credits, stops, rates; and its own packets, good and damaged. */
#include <string.h>

#include "far_end_bench.h"
#include "test.h"

static unsigned forwarded(unsigned destination) { return far_end_view(b.f, destination).forwarded; }

TEST_CASE("credits");

TEST(a_stopped_destination_fills_to_its_last_unit_and_no_further)
{
    start(NULL);
    far_end_stop(b.f, 3);
    idle(200);
    for (unsigned i = 0; i < 4; i++) put_packet(3, 62, 0x1000 * i); /* 4 x 128 units */
    put_packet(2, 62, 0x8000);
    idle(300);
    ck_assert_msg(!far_end_wrong(b.f), "%s", far_end_first_wrong(b.f));
    ck_assert_uint_eq(b.deliveries, 1); /* the other destination's */
    ck_assert_uint_eq(b.delivered[0].p.flow, 2);
    ck_assert_uint_eq(far_end_view(b.f, 3).received, 512);
    ck_assert_uint_eq(forwarded(3), 0);
    ck_assert_int_eq(last_credit(3), 0);
    ck_assert_int_eq(last_credit(2), 128);
    put_packet(3, 1, 0x9000);
    ck_assert_uint_eq(far_end_get_stats(b.f)->overrun, 1);
    ck_assert_uint_eq(far_end_wrong(b.f), 1);
    ck_assert_uint_eq(forwarded(3), 6); /* dropped: its space is free at once */
    far_end_go(b.f, 3);
    idle(1);
    ck_assert_uint_eq(forwarded(3), 6 + 128); /* credited when its transmission starts */
    ck_assert_uint_eq(b.deliveries, 1);
    idle(4 * 129 + 10);
    ck_assert_uint_eq(b.deliveries, 5);
    for (unsigned i = 0; i < 4; i++) ck_assert_uint_eq(b.delivered[1 + i].p.address, 0x1000 * i);
    ck_assert_uint_eq(forwarded(3), 518);
    ck_assert_int_eq(last_credit(3), 512);
}

TEST(a_destination_takes_its_rate, .to = 5)
{
    static const unsigned rates[] = {256, 128, 100, 13, 1};
    far_end_params p = far_end_params_default();
    p.units = 4000;
    unsigned rate = rates[_i], words = 10;
    start(&p);
    far_end_stop(b.f, 0);
    far_end_rate(b.f, 0, rate);
    idle(10);
    for (unsigned i = 0; i < 21; i++) put_packet(0, words, 8 * i);
    far_end_go(b.f, 0);
    for (unsigned i = 0; i < 200000 && b.deliveries < 21; i++) idle(1);
    ck_assert_uint_eq(b.deliveries, 21);
    uint64_t took = b.delivered[20].clock - b.delivered[0].clock, expected = 20ull * (2 * words + 5) * 256 / rate;
    ck_assert_msg(took >= expected - 2 && took <= expected + 2, "%lu clocks, expected %lu", (unsigned long)took,
                  (unsigned long)expected);
}

TEST(an_odd_credit_is_sent_twice_and_two_share_a_word)
{
    start(NULL);
    idle(200);
    ck_assert_uint_eq(b.credits, 8); /* one of each at first */
    for (unsigned i = 0; i < 8; i++) ck_assert_uint_eq(b.credit[i], credit_of((i + 1) % 8, 0));
    put_packet(5, 20, 0);
    idle(100);
    ck_assert_uint_eq(b.credits, 10);
    ck_assert_uint_eq(b.credit[8], credit_of(5, 44));
    ck_assert_uint_eq(b.credit[9], credit_of(5, 44));
    far_end_stop(b.f, 1);
    far_end_stop(b.f, 6);
    put_packet(6, 20, 0);
    put_packet(1, 20, 0);
    idle(50);
    far_end_go(b.f, 1);
    far_end_go(b.f, 6);
    idle(50);
    ck_assert_uint_eq(b.credits, 12);
    ck_assert_uint_eq(b.credit[10], credit_of(6, 44)); /* round robin: after 5 */
    ck_assert_uint_eq(b.credit[11], credit_of(1, 44));
    put_packet(4, 1, 0); /* 6 units: no bit of the credit changes */
    idle(50);
    ck_assert_uint_eq(b.credits, 12);
}

TEST(unchanged_credits_are_refreshed)
{
    start(NULL);
    idle(4000);
    ck_assert_uint_eq(b.credits, 8);
    idle(200);
    ck_assert_uint_eq(b.credits, 16);
    unsigned seen = 0;
    for (unsigned i = 8; i < 16; i++) seen |= 1u << (b.credit[i] >> 7 & 127);
    ck_assert_uint_eq(seen, 0xff);
    idle(3 * 4096);
    ck_assert_uint_eq(b.credits, 16 + 3 * 8);
}

TEST(a_check_record_makes_good_what_was_lost)
{
    start(NULL);
    idle(200);
    far_end_stop(b.f, 2);
    put_packet(2, 62, 0);
    idle(10);
    put_record(2, 128); /* nothing new, but answered */
    unsigned before = b.credits;
    idle(50);
    ck_assert_uint_eq(far_end_get_stats(b.f)->records, 1);
    ck_assert_uint_eq(far_end_wrong(b.f), 0);
    ck_assert_uint_eq(b.credits, before + 2);
    ck_assert_uint_eq(b.credit[before], credit_of(2, 0));
    put_record(2, 128 + 3900); /* packets of 3900 units were lost */
    idle(50);
    ck_assert_uint_eq(far_end_get_stats(b.f)->repairs, 1);
    ck_assert_uint_eq(far_end_view(b.f, 2).received, 4028);
    ck_assert_uint_eq(forwarded(2), 3900); /* stored units still wait */
    ck_assert_int_eq(last_credit(2), 3900 & ~31);
    put_record(2, (4028 + 100) & 4095);
    far_end_go(b.f, 2);
    idle(300);
    ck_assert_uint_eq(forwarded(2), 32); /* counters wrap */
    ck_assert_int_eq(last_credit(2), 32);
    ck_assert_uint_eq(b.deliveries, 1);
}

/* ---- its own packets */

static void queue(unsigned source, unsigned words, uint32_t address, enum far_end_fault fault)
{
    uint64_t payload[512];
    for (unsigned i = 0; i < words; i++) payload[i] = word_of(address, i);
    far_end_packet p = {
        .flow = source, .words = words, .address = address, .remote_notify = source & 1, .payload = payload};
    ck_assert_int_eq(far_end_send(b.f, &p, fault), 0);
}

TEST(nothing_leaves_before_a_credit_that_may_be_believed)
{
    start(NULL);
    queue(4, 10, 0x40, FAR_END_GOOD);
    idle(127);
    ck_assert_uint_eq(b.records, 0); /* the link is not up */
    idle(10);
    ck_assert_uint_eq(b.records, 1);
    ck_assert_uint_eq(b.record[0], 0);
    put_credit(0, 0); /* within the hold */
    idle(100);
    ck_assert_uint_eq(b.packets, 0);
    idle(500);
    ck_assert_uint_eq(b.records, 2); /* the second, whose answer is believed */
    ck_assert_uint_eq(b.packets, 0);
    put_credit(0, 0);
    idle(50);
    ck_assert_uint_eq(b.packets, 1);
    const seen *s = &b.sent[0];
    ck_assert_uint_eq(s->p.header, header_of(4, 0, 0, 10, 0x40));
    ck_assert(!s->header_bad && !s->body_bad);
    for (unsigned i = 0; i < 10; i++) ck_assert_uint_eq(s->payload[i], word_of(0x40, i));
    ck_assert_uint_eq(far_end_transmitted(b.f), 24);
}

TEST(the_nic_s_buffer_is_used_to_its_last_unit_and_no_further)
{
    far_end_params p = far_end_params_default();
    p.nic_units = 300;
    start(&p);
    bring_up();
    put_credit(0, 0);
    for (unsigned i = 0; i < 30; i++) queue(i % 3, 23, 0x1000 * i, FAR_END_GOOD); /* 50 units each */
    idle(1000);
    ck_assert_uint_eq(b.packets, 6);
    ck_assert_uint_eq(far_end_waiting(b.f), 24);
    put_credit(32, 32);
    idle(100);
    ck_assert_uint_eq(b.packets, 6);
    put_credit(64, 32); /* the newer value of a lane is the one that came last */
    idle(100);
    ck_assert_uint_eq(b.packets, 6);
    put_credit(64, 64);
    idle(100);
    ck_assert_uint_eq(b.packets, 7);
    for (unsigned n = 7; n < 30; n++) {
        put_credit(50 * n, 50 * n);
        idle(300);
    }
    ck_assert_uint_eq(b.packets, 30);
    for (unsigned i = 0; i < 30; i++)
        ck_assert_uint_eq(b.sent[i].p.header, header_of(i % 3, i % 3 == 1 ? 4 : 0, i / 3, 23, 0x1000 * i));
    ck_assert_msg(!far_end_wrong(b.f), "%s", far_end_first_wrong(b.f));
}

/* A damaged packet between two good ones of its source. */
TEST(damage_is_done_as_it_is_named, .to = FAR_END_FAULTS)
{
    enum far_end_fault fault = (enum far_end_fault)_i;
    start(NULL);
    bring_up();
    put_credit(0, 0);
    queue(2, 8, 0x100, FAR_END_GOOD);
    queue(2, 8, 0x200, fault);
    queue(2, 8, 0x300, FAR_END_GOOD);
    idle(200);
    int leaves = fault != FAR_END_DROPPED && fault != FAR_END_LOST, twice = fault == FAR_END_REPEATED;
    ck_assert_uint_eq(b.packets, 2 + (unsigned)(leaves + twice));
    ck_assert_uint_eq(b.sent[0].p.header, header_of(2, 0, 0, 8, 0x100));
    const seen *last = &b.sent[b.packets - 1];
    ck_assert_uint_eq(last->p.header, header_of(2, 0, 2, 8, 0x300));
    ck_assert(!last->header_bad && !last->body_bad);
    for (int i = 0; i < leaves + twice; i++) {
        const seen *s = &b.sent[1 + i];
        ck_assert_int_eq(s->p.header != header_of(2, 0, 1, 8, 0x200), fault == FAR_END_BAD_HEADER);
        ck_assert_int_eq(s->header_bad, fault == FAR_END_BAD_HEADER || fault == FAR_END_BAD_HEADER_CRC);
        ck_assert_int_eq(s->body_bad,
                         fault == FAR_END_BAD_BODY || fault == FAR_END_BAD_BODY_CRC || fault == FAR_END_CUT_SHORT);
        ck_assert_int_eq(s->short_of > 0, fault == FAR_END_CUT_SHORT);
        int same = 1;
        for (unsigned k = 0; k < 8; k++) same &= s->payload[k] == word_of(0x200, k);
        ck_assert_int_eq(!same, fault == FAR_END_BAD_BODY || fault == FAR_END_CUT_SHORT);
    }
    ck_assert_uint_eq(far_end_transmitted(b.f), 20u * (fault == FAR_END_DROPPED ? 2 : twice ? 4 : 3));
}

TEST(records_of_its_own_come_every_2048_clocks_and_idle_words_too)
{
    start(NULL);
    bring_up();
    put_credit(0, 0);
    unsigned transmitted = 0, records = b.records;
    for (unsigned i = 0; i < 9; i++) queue(0, 512, 0, FAR_END_GOOD);
    for (unsigned i = 0; i < 9; i++) {
        transmitted = far_end_transmitted(b.f);
        put_credit(transmitted & ~31u, transmitted & ~31u);
        for (unsigned k = 0; k < 1100; k++) {
            put_packet(k % 8, 60, 0);
            k += 130;
        }
    }
    idle(2100);
    ck_assert_uint_eq(b.packets, 9);
    ck_assert_uint_ge(b.records, records + 5);
    ck_assert_uint_eq(b.record[b.records - 1], far_end_transmitted(b.f));
    ck_assert_uint_gt(b.longest_without_idle, 1028);
}

TEST(a_packet_is_handed_on_as_it_came, .to = 2)
{
    uint64_t payload[4] = {1, 2, 3, 4};
    far_end_packet p = {
        .flow = 6, .sequence = 77, .words = 4, .address = 0x80, .local_notify = 1, .payload = payload, .damaged = _i};
    start(NULL);
    bring_up();
    put_credit(0, 0);
    ck_assert_int_eq(far_end_forward(b.f, &p, 3, FAR_END_GOOD), 0);
    ck_assert_int_eq(far_end_forward(b.f, &p, 128, FAR_END_GOOD), -1);
    idle(100);
    ck_assert_uint_eq(b.packets, 1);
    ck_assert_uint_eq(b.sent[0].p.header, header_of(3, 2, 77, 4, 0x80));
    ck_assert_int_eq(b.sent[0].body_bad, _i);
}

TEST(what_cannot_be_sent_is_refused)
{
    uint64_t payload[600] = {0};
    far_end_packet p = {.words = 1, .payload = payload}, long_one = p, odd = p, none = p, flow = p;
    long_one.words = 513;
    none.words = 0;
    odd.address = 4;
    flow.flow = 128;
    start(NULL);
    ck_assert_int_eq(far_end_send(b.f, &long_one, FAR_END_GOOD), -1);
    ck_assert_int_eq(far_end_send(b.f, &none, FAR_END_GOOD), -1);
    ck_assert_int_eq(far_end_send(b.f, &odd, FAR_END_GOOD), -1);
    ck_assert_int_eq(far_end_send(b.f, &flow, FAR_END_GOOD), -1);
    ck_assert_int_eq(far_end_send(b.f, &p, FAR_END_FAULTS), -1);
    ck_assert_uint_eq(far_end_waiting(b.f), 0);
}
