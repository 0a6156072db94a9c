/* Credits that a link port sends, and check records that it receives; received credits: test_link_credits. */
#include "credits_bench.h"

/* ---- sent credits ---- */

static void receive_packet(unsigned length) { wire_packet(e, header_of(1, 0, 0, length, 0), payload); }

TEST_CASE("credits_sent", .timeout = 120, .setup = setup);

TEST(a_forwarded_word_is_reported_in_an_own_frame_at_once)
{
    e->pop_percent = 0;
    bench_open(b);
    receive_packet(40);
    bench_run(b, 150);
    sent.n = 0;
    ck_assert_uint_eq(*e->port->rx_units, 84);
    ck_assert_uint_eq(*e->port->rx_forwarded, e->by_packet ? 0 : 2); /* the two CRCs */
    bench_run(b, 50);
    ck_assert_uint_eq(sent_count(&sent, ITEM_CREDIT), 0);
    e->n2h_out += 15 + e->by_packet; /* to 32 */
    bench_run(b, 1);
    uint64_t popped = e->cycle;
    bench_run(b, 12);
    ck_assert_uint_eq(sent_count(&sent, ITEM_CREDIT), 1);
    const struct link_item *c = sent_nth(&sent, ITEM_CREDIT, 0);
    ck_assert_uint_eq(c->cycle - popped, 3);
    ck_assert_uint_eq(c->credit[0], credit_of(0, 32));
    ck_assert_uint_eq(c->credit[1], credit_of(0, 32)); /* an odd one twice */
    e->n2h_out += 15;                                  /* 62: below the next step */
    bench_run(b, 20);
    ck_assert_uint_eq(sent_count(&sent, ITEM_CREDIT), 1);
    e->n2h_out += 1;
    bench_run(b, 20);
    ck_assert_uint_eq(sent_count(&sent, ITEM_CREDIT), 2);
    ck_assert_uint_eq(sent_nth(&sent, ITEM_CREDIT, 1)->credit[0], credit_of(0, 64));
}

TEST(a_waiting_credit_goes_with_the_next_packet)
{
    bench_open(b);
    for (int i = 0; i < 6; i++) packet_to(0, 62);
    for (int i = 0; i < 4; i++) receive_packet(62);
    sent.n = 0;
    bench_run(b, 900);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 6);
    for (unsigned i = 1; i < 5; i++) /* both directions busy: 130 clocks per packet */
        ck_assert_uint_eq(sent_nth(&sent, ITEM_PACKET, i)->cycle - sent_nth(&sent, ITEM_PACKET, i - 1)->cycle,
                          i == 1 ? 129 : 130);
    unsigned highest = 0;
    for (unsigned i = 0; i < sent_count(&sent, ITEM_CREDIT); i++) {
        unsigned value = (sent_nth(&sent, ITEM_CREDIT, i)->credit[0] & 127) * 32u;
        ck_assert_uint_ge(value, highest);
        highest = value;
    }
    ck_assert_uint_eq(highest, 512);
}

TEST(an_unchanged_credit_is_repeated_every_4096_clocks)
{
    bench_open(b);
    receive_packet(62);
    bench_run(b, 500);
    sent.n = 0;
    bench_run(b, 4096 * 5);
    ck_assert_uint_eq(sent_count(&sent, ITEM_CREDIT), 5);
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_uint_eq(sent_nth(&sent, ITEM_CREDIT, i)->credit[0], credit_of(0, 128));
        if (i)
            ck_assert_uint_eq(sent_nth(&sent, ITEM_CREDIT, i)->cycle - sent_nth(&sent, ITEM_CREDIT, i - 1)->cycle,
                              4096);
    }
}

TEST(reported_counts_are_right_through_many_wraps)
{
    uint64_t received = 0;
    unsigned seen = 0, steps = 0;

    bench_open(b);
    sent.n = 0;
    for (int i = 0; i < 400; i++) {
        unsigned length = 1 + (unsigned)sim_random_below(b->s, 200);
        e->pop_percent = 30 + (int)sim_random_below(b->s, 70);
        receive_packet(length);
        received += 2 * length + 4;
        bench_run(b, 2 * length + 10 + (unsigned)sim_random_below(b->s, 400));
        uint64_t inside = 2 * (n2h_count(e));
        for (; seen < sent.n; seen++) {
            if (sent.items[seen].kind != ITEM_CREDIT) continue;
            uint16_t c = sent.items[seen].credit[0];
            ck_assert_uint_eq(c, credit_of(0, (c & 127) * 32u)); /* form and parity */
            ck_assert_uint_eq(c, sent.items[seen].credit[1]);
            steps++;
        }
        if (inside == 0) {
            bench_run(b, 20);
            ck_assert_uint_eq(*e->port->rx_forwarded, received & 4095);
            ck_assert_uint_eq(sent.items[sent.n - 1].kind == ITEM_CREDIT ? (sent.items[sent.n - 1].credit[0] & 127)
                                                                         : (received >> 5 & 127),
                              received >> 5 & 127);
        }
        ck_assert_uint_eq(*e->port->rx_units, received & 4095);
    }
    ck_assert_uint_gt(received, 10 * 4096);
    ck_assert_uint_gt(steps, 500);
}

TEST(what_a_software_reset_empties_counts_as_forwarded)
{
    e->pop_percent = 0;
    bench_open(b);
    receive_packet(100);
    bench_run(b, 260);
    ck_assert_uint_eq(*e->port->rx_forwarded, e->by_packet ? 0 : 2);
    e->n2h_out = e->n2h_in; /* the FIFO is emptied */
    bench_run(b, 3);
    ck_assert_uint_eq(*e->port->rx_forwarded, 204);
    ck_assert_uint_eq(*e->port->rx_units, 204);
}

/* ---- check records received ---- */

TEST(a_check_record_makes_good_a_lost_packet)
{
    struct stored_log stored;

    bench_open(b);
    stored_log_start(e, &stored);
    receive_packet(62);
    /* one of 20 words is lost on the wire: 44 units */
    wire_record(e, 0, 128 + 44);
    bench_run(b, 300);
    ck_assert_uint_eq(*e->port->rx_units, 172);
    ck_assert_uint_eq(*e->port->rx_forwarded, 172);
    ck_assert_uint_eq(e->events.record_received, 1);
    ck_assert_uint_eq(stored.n, 1); /* a record is never stored */
    const struct link_item *c = sent_nth(&sent, ITEM_CREDIT, sent_count(&sent, ITEM_CREDIT) - 1);
    ck_assert_uint_eq(c->credit[0], credit_of(0, 172));
}

/* 512 smallest packets are 512 x 6 units. Losses before the first record after reset are unknown. */
TEST(the_next_header_says_when_so_much_was_lost_that_numbers_may_not_show_it)
{
    static const struct {
        unsigned more; /* units lost before this record */
        int reported;
    } steps[] = {{4000, 0}, {3071, 0}, {0, 0},   {1, 1},    {0, 0},    {1000, 0},
                 {1000, 0}, {1000, 0}, {100, 1}, {3072, 1}, {4095, 1}, {0, 0}};
    struct stored_log stored;
    unsigned units = 0;

    bench_open(b);
    stored_log_start(e, &stored);
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        units += steps[i].more;
        wire_record(e, 0, units % 4096);
        for (unsigned k = 0; k < 2; k++) {
            receive_packet(5);
            units += 14;
            bench_run(b, 100);
            ck_assert_uint_eq(stored.n, 2 * i + k + 1);
            ck_assert_msg(stored.packets[stored.n - 1].header >> 63 == (!k && steps[i].reported),
                          "step %u, packet %u: header %016llx", i, k,
                          (unsigned long long)stored.packets[stored.n - 1].header);
        }
    }
}

TEST(a_check_record_is_answered_with_a_credit_even_if_nothing_changed)
{
    bench_open(b);
    bench_run(b, 100);
    sent.n = 0;
    wire_record(e, 0, 0);
    bench_run(b, 20);
    ck_assert_uint_eq(sent_count(&sent, ITEM_CREDIT), 1);
}

TEST(a_check_record_is_exact_while_the_buffer_is_full_or_being_padded)
{
    e->pop_percent = 0;
    bench_open(b);
    receive_packet(100);
    receive_packet(300);
    /* the second breaks off: 250 words are padded while the record comes */
    e->wire_in -= 4 * 500;
    wire_record(e, 0, 204 + 604 + 10);
    bench_run(b, 330);
    ck_assert_uint_eq(*e->port->rx_units, 818);
    bench_run(b, 600);
    unsigned inside = n2h_places(e, 100) + n2h_places(e, 300);
    ck_assert_uint_eq(n2h_count(e), inside);
    ck_assert_uint_eq(*e->port->rx_forwarded, 818 - 2 * inside);
    e->pop_percent = 100;
    bench_run(b, 500);
    ck_assert_uint_eq(*e->port->rx_forwarded, 818);
}

TEST(a_check_record_of_a_lane_that_is_not_there_is_ignored)
{
    bench_open(b);
    receive_packet(5);
    wire_record(e, 1, 1000);
    wire_record(e, 127, 1000);
    bench_run(b, 60);
    ck_assert_uint_eq(*e->port->rx_units, 14);
    ck_assert_uint_eq(e->events.record_received, 0);
    ck_assert_uint_eq(e->events.record_unknown, 2);
}

TEST(a_check_record_with_a_wrong_crc_is_ignored)
{
    bench_open(b);
    for (int bit = 1; bit < 96; bit++) {
        frame_start(&f);
        frame_record(&f, 0, 1000);
        f.data[1 + bit / 32] ^= 0x80000000u >> bit % 32;
        wire_frame(e, &f);
        wire_characters(e, 4, 0xbc, 1);
    }
    bench_run(b, 600);
    ck_assert_uint_eq(e->events.record_received, 0);
    ck_assert_uint_eq(e->events.header_crc_error, 95);
    ck_assert_uint_eq(*e->port->rx_units, 0);
}
