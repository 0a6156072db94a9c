/* Flow control of link_port: credits received, and the order of things after reset; then the receiver's half: credits
 * sent, and the check records received. */
#include <stdlib.h>
#include <string.h>

#include "link_bench.h"
#include "test.h"

static struct link_bench *b;
static struct link_end *e;
static struct sent_log sent;
static uint64_t payload[512];
static struct frame f;

static void setup(void)
{
    b = link_bench_new(1);
    e = &b->end[0];
    sent_log_start(e, &sent);
    for (int i = 0; i < 512; i++) payload[i] = sim_random(b->s);
}

static void credits(uint16_t first, uint16_t second)
{
    frame_start(&f);
    frame_credits(&f, first, second);
    wire_frame(e, &f);
}

/* Sends a credit and returns its result: 1 accepted, 0 rejected (both of the word), -1 neither. */
static int verdict(uint16_t credit)
{
    struct link_events before = e->events;

    credits(credit, credit);
    bench_run(b, 16);
    unsigned good = e->events.credit_accepted - before.credit_accepted,
             bad = e->events.credit_rejected - before.credit_rejected;
    ck_assert_msg(good + bad == 0 || (good == 2 && bad == 0) || (good == 0 && bad == 2), "%u accepted, %u rejected",
                  good, bad);
    if (good) { /* and handed on */
        ck_assert_uint_eq(e->accepted_lane, credit >> 7 & 127);
        ck_assert_uint_eq(e->accepted_value, credit & 127);
        ck_assert_uint_eq(e->accepted_again, 1); /* it comes twice */
    }
    return good ? 1 : bad ? 0 : -1;
}

static unsigned transmitted(unsigned flow)
{
    *e->port->view_flow = (uint8_t)flow;
    bench_run(b, 3);
    return *e->port->view_tx_units;
}

static void packet_to(unsigned flow, unsigned length) { h2n_packet(e, header_of(flow, 0, 0, length, 0), payload, 0); }

/* ---- received credits ---- */

TEST_CASE("credits", .timeout = 120, .setup = setup);

TEST(a_credit_says_whether_its_lane_had_it_before)
{
    *e->port->cfg_direct = 0;
    bench_run(b, 3000);
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned lane = 0; lane < 8; lane += 2) {
            credits(credit_of(lane + 1, 0), credit_of(lane, 0));
            bench_run(b, 16);
            ck_assert_uint_eq(e->accepted_lane, lane);
            ck_assert_uint_eq(e->accepted_again, turn);
        }
    packet_to(0, 62); /* 128 units */
    bench_run(b, 300);
    for (unsigned value = 1; value <= 4; value++) {
        credits(credit_of(1, 0), credit_of(0, 32 * value));
        bench_run(b, 16);
        ck_assert_uint_eq(e->accepted_value, value);
        ck_assert_uint_eq(e->accepted_again, 0);
    }
    ck_assert_int_eq(verdict(credit_of(0, 128)), 1);
}

TEST(no_data_before_the_first_valid_credit)
{
    packet_to(0, 5);
    bench_run(b, 3000);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 0);
    ck_assert_uint_gt(e->events.backpressure, 2500);
    ck_assert(!*e->port->view_credit_seen);
    ck_assert_int_eq(verdict(credit_of(0, 0) ^ 0x4000), 0);
    bench_run(b, 100);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 0);
    ck_assert_int_eq(verdict(credit_of(0, 0)), 1);
    bench_run(b, 30);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 1);
    ck_assert(*e->port->view_credit_seen);
}

TEST(credits_are_silently_ignored_until_512_clocks_after_the_record)
{
    uint64_t opened = 0;

    while (sent_count(&sent, ITEM_RECORD) == 0) {
        bench_run(b, 1);
        if (e->cycle % 16 == 0) wire_credit(e, 0, 0);
    }
    uint64_t record = sent_nth(&sent, ITEM_RECORD, 0)->cycle;
    while (e->cycle < record + 700 && !e->events.credit_accepted) {
        wire_credit(e, 0, 0);
        bench_run(b, 2);
        opened = e->cycle;
    }
    ck_assert_uint_eq(e->events.credit_rejected, 0);
    ck_assert_uint_ge(opened - record, 512);
    ck_assert_uint_le(opened - record, 530);
}

TEST(a_new_reset_discards_credits_again)
{
    bench_open(b);
    packet_to(0, 20);
    bench_run(b, 60);
    ck_assert_uint_eq(transmitted(0), 44);
    link_reset(e, 3);
    memset(&e->events, 0, sizeof e->events);
    ck_assert_uint_eq(transmitted(0), 0);
    packet_to(0, 20);
    sent.n = 0;
    bench_run(b, 200);
    ck_assert_int_eq(verdict(credit_of(0, 0)), -1);
    bench_run(b, 500);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 0);
    ck_assert_int_eq(verdict(credit_of(0, 0)), 1);
    bench_run(b, 60);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 1);
    /* the record is ahead of everything else */
    ck_assert_uint_eq(sent.items[0].kind == ITEM_RECORD || sent.items[1].kind == ITEM_RECORD, 1);
}

TEST(every_single_bit_error_of_a_credit_is_rejected)
{
    /* On eight lanes with 1024 units out on each, so that most of the broken credits would be right but for their
     * parity. */
    *e->port->cfg_direct = 0;
    bench_open(b);
    for (unsigned flow = 0; flow < 8; flow++)
        for (int i = 0; i < 8; i++) packet_to(flow, 62);
    bench_run(b, 64 * 130);
    for (unsigned flow = 0; flow < 8; flow++) {
        ck_assert_uint_eq(transmitted(flow), 1024);
        for (unsigned value = 0; value <= 1024; value += 256) {
            uint16_t right = credit_of(flow, value);
            for (int bit = 0; bit < 15; bit++)
                ck_assert_msg(verdict((uint16_t)(right ^ 1u << bit)) == 0, "flow %u, value %u, bit %d", flow, value,
                              bit);
            /* bit 15 of the first one makes it a header; of the second one it is wrong */
            memset(&e->events, 0, sizeof e->events);
            credits(right, right & 0x7fff);
            bench_run(b, 16);
            ck_assert_uint_eq(e->events.credit_accepted, 1);
            ck_assert_uint_eq(e->events.credit_rejected, 1);
            ck_assert_int_eq(verdict(right), 1);
        }
    }
}

TEST(the_window_is_exact_for_all_values)
{
    static const unsigned capacities[] = {2046, 512, 4064, 0};

    bench_open(b);
    for (unsigned round = 0; round < 12; round++) {
        unsigned t = transmitted(0);
        for (unsigned c = 0; c < 4; c++) {
            *e->port->cfg_tx_capacity = (uint16_t)capacities[c];
            for (unsigned value = 0; value < 4096; value += 32) {
                int expected = ((t - value) & 4095) <= capacities[c];
                ck_assert_msg(verdict(credit_of(0, value)) == expected, "T %u, capacity %u, value %u", t, capacities[c],
                              value);
            }
        }
        *e->port->cfg_tx_capacity = 2046;
        ck_assert_int_eq(verdict(credit_of(0, t)), 1);
        packet_to(0, 200 + (unsigned)sim_random_below(b->s, 200));
        bench_run(b, 900);
    }
}

TEST(only_configured_flows_are_believed)
{
    bench_open(b);
    for (unsigned flow = 1; flow < 128; flow++)
        ck_assert_int_eq(verdict(credit_of(flow, 0)), 0); /* DIRECT: lane 0 alone */
    ck_assert_int_eq(verdict(credit_of(0, 0)), 1);
    *e->port->cfg_direct = 0;
    *e->port->cfg_flow_enable = 0x25;
    bench_run(b, 700);
    for (unsigned flow = 0; flow < 128; flow++)
        ck_assert_int_eq(verdict(credit_of(flow, 0)), flow == 0 || flow == 2 || flow == 5);
}

TEST(a_code_error_anywhere_in_the_frame_rejects_its_credits)
{
    bench_open(b);
    for (unsigned round = 0; round < 8; round++) {
        unsigned with_packet = round & 1;
        frame_start(&f);
        frame_credits(&f, credit_of(0, 0), credit_of(0, 0));
        if (with_packet) frame_packet(&f, header_of(1, 0, 0, 3, 0), payload);
        frame_word(&f, IDLE_WORD); /* what ends the frame counts as well: a broken bit may show that late */
        f.k[f.words - 1] = IDLE_K;
        for (unsigned at = 0; at < 4 * f.words; at++)
            for (int kind = 0; kind < 2; kind++) {
                memset(&e->events, 0, sizeof e->events);
                wire_characters(e, round / 2, 0xbc, 1); /* the byte offset */
                unsigned from = e->wire_in;
                wire_frame(e, &f);
                if (kind) wire_at(e, from, at)->disparity = 1;
                else wire_at(e, from, at)->not_in_table = 1;
                bench_run(b, 40);
                ck_assert_msg(e->events.credit_accepted == 0, "character %u", at);
                ck_assert_uint_eq(e->events.credit_rejected, at < 4 && !kind ? 0 : 2); /* no SOP: no frame, no credit */
            }
        memset(&e->events, 0, sizeof e->events);
        wire_characters(e, round / 2, 0xbc, 1);
        unsigned from = e->wire_in;
        wire_frame(e, &f);
        wire_characters(e, 8, 0xbc, 1);
        wire_at(e, from, 4 * f.words)->disparity = 1; /* a word later is not its affair */
        bench_run(b, 40);
        ck_assert_uint_eq(e->events.credit_accepted, 2);
    }
}

TEST(a_credit_of_a_frame_cut_by_loss_of_sync_is_rejected)
{
    bench_open(b);
    frame_start(&f);
    frame_credits(&f, credit_of(0, 0), credit_of(0, 0));
    frame_packet(&f, header_of(1, 0, 0, 30, 0), payload);
    wire_frame(e, &f);
    bench_run(b, 30);
    e->rx_loss_of_sync = 1;
    bench_run(b, 100);
    ck_assert_uint_eq(e->events.credit_accepted, 0);
    ck_assert_uint_eq(e->events.credit_rejected, 2);
}

TEST(credits_at_the_greatest_rate_are_all_taken)
{
    bench_open(b);
    for (int i = 0; i < 100; i++) wire_credit(e, 0, 0);
    bench_run(b, 220);
    ck_assert_uint_eq(e->events.credit_accepted, 200);
}

TEST(a_lane_is_filled_to_its_capacity_and_not_beyond)
{
    for (unsigned capacity = 500; capacity < 2100; capacity += 97) {
        bench_open(b);
        unsigned start = transmitted(0), room = capacity;
        *e->port->cfg_tx_capacity = (uint16_t)capacity;
        ck_assert_int_eq(verdict(credit_of(0, start)), 1);
        room -= start % 32; /* the credit's low bits are cut off */
        sent.n = 0;
        while (room >= 260) { /* packets of 128 units, then one that fits to the last (even) unit, then one too many */
            packet_to(0, 62);
            room -= 128;
        }
        packet_to(0, (room - 4) / 2);
        packet_to(0, 1);
        bench_run(b, 2600);
        ck_assert_uint_eq((transmitted(0) - start) & 4095, (capacity - start % 32) & ~1u);
        ck_assert_uint_eq(h2n_waiting(e), 2);
        ck_assert_int_eq(verdict(credit_of(0, transmitted(0))), 1);
        bench_run(b, 40);
        ck_assert_uint_eq(h2n_waiting(e), 0);
    }
}

TEST(a_wrong_credit_heals_downward_with_the_next_right_one)
{
    bench_open(b);
    for (int i = 0; i < 8; i++) packet_to(0, 62);
    bench_run(b, 1100);
    ck_assert_uint_eq(transmitted(0), 1024);
    ck_assert_int_eq(verdict(credit_of(0, 1024)), 1); /* the lie: everything has been forwarded */
    ck_assert_uint_eq(*e->port->view_tx_credit, 1024);
    ck_assert_int_eq(verdict(credit_of(0, 64)), 1); /* the truth */
    bench_run(b, 3);
    ck_assert_uint_eq(*e->port->view_tx_credit, 64);
    for (int i = 0; i < 12; i++) packet_to(0, 62);
    bench_run(b, 2000);
    ck_assert_uint_eq(transmitted(0), 1024 + 8 * 128); /* the last that is <= 64 + 2046 */
}

TEST(a_healing_credit_may_meet_the_start_of_a_packet)
{
    /* Lie and truth around the very clock in which a packet starts: it may be out then, beyond the capacity, but no
     * other one follows. */
    unsigned blocked = 0, started = 0;

    for (unsigned shift = 0; shift < 20; shift++) {
        bench_open(b);
        unsigned truth = transmitted(0) & ~31u;
        ck_assert_int_eq(verdict(credit_of(0, truth)), 1);
        for (unsigned i = 0; i < 15; i++) packet_to(0, 62);
        bench_run(b, 15 * 130 + 100);
        ck_assert_uint_eq(h2n_waiting(e), 0);
        ck_assert_int_eq(verdict(credit_of(0, transmitted(0))), 1);
        wire_credit(e, 0, truth);
        bench_run(b, shift);
        packet_to(0, 500);
        bench_run(b, 1100);
        packet_to(0, 60);
        bench_run(b, 200);
        if (*e->port->view_tx_credit == truth) {
            ck_assert_uint_eq(h2n_waiting(e) % 501, 61);
            started += h2n_waiting(e) == 61;
        }
        blocked += h2n_waiting(e) > 61;
        ck_assert_int_eq(verdict(credit_of(0, transmitted(0))), 1);
        bench_run(b, 1300);
        ck_assert_uint_eq(h2n_waiting(e), 0);
        ck_assert_int_eq(verdict(credit_of(0, transmitted(0))), 1);
    }
    ck_assert_uint_ge(started, 1); /* the clock was hit */
    ck_assert_uint_ge(blocked, 5);
}

TEST(lanes_are_independent)
{
    *e->port->cfg_direct = 0;
    *e->port->cfg_tx_capacity = 512;
    bench_open(b);
    unsigned sum[8] = {0};
    for (int i = 0; i < 28; i++) {
        unsigned flow = (unsigned)i % 7;
        packet_to(flow, 60 + flow % 3);
        sum[flow] += 2 * (60 + flow % 3) + 4;
    }
    bench_run(b, 28 * 130);
    ck_assert_uint_eq(h2n_waiting(e), 0);
    for (unsigned flow = 0; flow < 8; flow++) ck_assert_uint_eq(transmitted(flow), sum[flow]);
    packet_to(3, 60);
    packet_to(7, 60);
    bench_run(b, 200);
    ck_assert_uint_eq(h2n_waiting(e), 122); /* lane 3 is full, and it is the head */
    ck_assert_int_eq(verdict(credit_of(2, sum[2])), 1);
    bench_run(b, 200);
    ck_assert_uint_eq(h2n_waiting(e), 122);
    ck_assert_int_eq(verdict(credit_of(3, 128)), 1);
    bench_run(b, 300);
    ck_assert_uint_eq(h2n_waiting(e), 0);
}

static uint64_t total; /* transmitted units, without wrap */
static uint64_t last;  /* last accepted credit, without wrap */

static void count_sent(void)
{
    for (unsigned n = 0; n < sent_count(&sent, ITEM_PACKET); n++) {
        total += header_units(sent_nth(&sent, ITEM_PACKET, n)->header);
        ck_assert_msg(total - last <= 2046, "%llu units are out", (unsigned long long)(total - last));
    }
    sent.n = 0;
}

/* Random packets and random credits, right and wrong, over many wraps of the counters, against a model written from the
 * rules. */
TEST(long_traffic_follows_the_rules_through_many_wraps)
{
    unsigned accepted = 0, rejected = 0;

    bench_open(b);
    total = last = 0;
    for (int i = 0; i < 6000; i++) {
        if (h2n_waiting(e) < 600) packet_to(0, 1 + (unsigned)sim_random_below(b->s, 300));
        bench_run(b, (unsigned)sim_random_below(b->s, 200));
        /* wait until the line is quiet, so that the model's total is exact */
        unsigned before;
        do {
            before = e->events.out_packet;
            bench_run(b, 700);
        } while (before != e->events.out_packet);
        count_sent();
        uint64_t value =
            sim_random_below(b->s, 3) ? last + sim_random_below(b->s, total - last + 1) : sim_random(b->s) & 4095;
        value &= ~31ull;
        uint64_t behind = (total - value) & 4095;
        int got = verdict(credit_of(0, (unsigned)value & 4095));
        ck_assert_int_eq(got, behind <= 2046);
        if (got) {
            last = total - behind;
            accepted++;
        } else {
            rejected++;
        }
        if (total / 4096 > 60) break;
    }
    ck_assert_uint_gt(total / 4096, 10);
    ck_assert_uint_gt(accepted, 100);
    ck_assert_uint_gt(rejected, 20);
}

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
