/* Flow control of link_port: credits received, and the order of things after reset; then the receiver's half: credits
 * sent, and the check records received. */
#include "credits_bench.h"

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
