/* The transmitter of link_port: frames bit by bit, order and timing, idle words, check records, and its reaction to a
 * wrong H2N FIFO. */
#include <stdlib.h>
#include <string.h>

#include "link_bench.h"
#include "test.h"

static struct link_bench *b;
static struct link_end *e;
static struct sent_log sent;
static uint64_t payload[513];

static void setup(void)
{
    b = link_bench_new(1);
    e = &b->end[0];
    sent_log_start(e, &sent);
    for (int i = 0; i < 513; i++) payload[i] = sim_random(b->s);
}

/* Gives credit for everything sent so far, so that the next packet finds an empty buffer. */
static void credit_all(void)
{
    for (unsigned flow = 0; flow < 8; flow++) {
        *e->port->view_flow = (uint8_t)flow;
        bench_run(b, 3);
        wire_credit(e, flow, *e->port->view_tx_units);
    }
    bench_run(b, 60);
}

/* Raw words sent, to compare bit by bit. */
static struct {
    uint32_t data[4096];
    uint8_t k[4096];
    unsigned n;
} raw;
static void record_raw(void *self)
{
    (void)self;
    if (raw.n < 4096 && !*e->port->rst) {
        raw.data[raw.n] = *e->port->gt_tx_data;
        raw.k[raw.n++] = *e->port->gt_tx_k;
    }
}

TEST_CASE("transmit", .timeout = 60, .setup = setup);

TEST(a_packet_is_bit_exact)
{
    /* Worked by hand: flow 3, remote notification, sequence 5, two words, address 12345678. The CRCs are those of an
     * independent program (Python: binascii.crc_hqx(header, 0xffff), and CRC-32/MPEG-2 bit by bit). */
    static const uint32_t want[] = {0xfb5aa55a, 0x03481402, 0x12345678, 0x00005b80, 0x01234567,
                                    0x89abcdef, 0xfedcba98, 0x76543210, 0x16e11a02};
    static const uint64_t words[] = {0x0123456789abcdefull, 0xfedcba9876543210ull};

    *e->port->cfg_direct = 0;
    bench_open(b);
    raw.n = 0;
    b->before = record_raw;
    h2n_packet(e, 0x0348140212345678ull, words, 0);
    bench_run(b, 40);
    unsigned i = 0;
    while (i < raw.n && raw.k[i] == IDLE_K) i++;
    for (unsigned j = 0; j < 9; j++)
        ck_assert_msg(raw.data[i + j] == want[j] && raw.k[i + j] == (j ? 0 : 8), "word %u is %08x/%x, expected %08x", j,
                      raw.data[i + j], raw.k[i + j], want[j]);
    ck_assert_uint_eq(raw.data[i + 9], IDLE_WORD);
    ck_assert_uint_eq(raw.k[i + 9], IDLE_K);
}

TEST(packets_carry_header_and_payload_unchanged)
{
    *e->port->cfg_direct = 0;
    bench_open(b);
    for (unsigned i = 0; i < 40; i++) {
        unsigned length = i == 0 ? 1 : i == 1 ? 512 : 1 + (unsigned)sim_random_below(b->s, 200);
        uint64_t header = header_of(i % 8, i % 8, i, length, (uint32_t)sim_random(b->s));
        sent.n = 0;
        h2n_packet(e, header, payload + (512 - length), 0);
        bench_run(b, 2 * length + 40);
        ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 1);
        const struct link_item *p = sent_nth(&sent, ITEM_PACKET, 0);
        ck_assert_uint_eq(p->header, header);
        ck_assert_mem_eq(p->payload, payload + (512 - length), 8 * length);
        ck_assert(!p->body_bad);
        credit_all();
    }
}

TEST(direct_mode_puts_the_node_id_into_the_header)
{
    *e->port->cfg_node_id = 0x5a;
    bench_open(b);
    h2n_packet(e, header_of(3, 7, 1, 4, 0x1000), payload, 0);
    bench_run(b, 40);
    const struct link_item *p = sent_nth(&sent, ITEM_PACKET, 0);
    ck_assert_uint_eq(p->header, header_of(0x5a, 7, 1, 4, 0x1000));
    *e->port->view_flow = 0;
    bench_run(b, 3);
    ck_assert_uint_eq(*e->port->view_tx_units, 12); /* and lane 0 counts it */
}

TEST(a_packet_leaves_one_clock_after_it_shows)
{
    bench_open(b);
    for (int i = 0; i < 50; i++) {
        bench_run(b, 20 + (unsigned)sim_random_below(b->s, 40));
        h2n_packet(e, header_of(0, 0, 0, 3, 0), payload, 0);
        bench_run(b, 1);
        uint64_t shown = e->head_cycle;
        bench_run(b, 20);
        const struct link_item *p = sent_nth(&sent, ITEM_PACKET, (unsigned)i);
        if (p->words == 11) /* no credit word or record came in between */
            ck_assert_uint_le(p->cycle - shown, 4);
        if (i == 0) ck_assert_uint_eq(p->cycle - shown, 1);
        if (i % 40 == 0) credit_all();
    }
}

TEST(waiting_packets_of_62_words_take_129_clocks)
{
    bench_open(b);
    for (int i = 0; i < 8; i++) h2n_packet(e, header_of(0, 0, (unsigned)i, 62, 0), payload, 0);
    bench_run(b, 1100);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 8);
    for (unsigned i = 1; i < 8; i++)
        ck_assert_uint_eq(sent_nth(&sent, ITEM_PACKET, i)->cycle - sent_nth(&sent, ITEM_PACKET, i - 1)->cycle, 129);
}

TEST(departure_is_reported_once_per_transfer)
{
    bench_open(b);
    for (int i = 0; i < 6; i++) h2n_packet(e, header_of(0, 0, (unsigned)i, 5, 0), payload, i % 3 == 2);
    bench_run(b, 15 * 6 - 2);
    unsigned before = e->departed;
    ck_assert_uint_eq(before, 1);
    bench_run(b, 20);
    ck_assert_uint_eq(e->departed, 2);
}

TEST(an_idle_word_comes_at_least_every_2048_words)
{
    bench_open(b);
    e->parser.longest_without_idle = 0;
    for (int i = 0; i < 200; i++) {
        unsigned length = i < 100 ? 62 : 1 + (unsigned)sim_random_below(b->s, 512);
        while (h2n_waiting(e) > 2000) {
            bench_run(b, 16);
            wire_credit(e, 0, *e->port->view_tx_units); /* credit for all but the last 1000 units */
        }
        h2n_packet(e, header_of(0, 0, 0, length, 0), payload, 0);
    }
    ck_assert_uint_gt(e->events.out_packet, 150);
    ck_assert_uint_le(e->parser.longest_without_idle, 2047);
    ck_assert_uint_gt(e->parser.longest_without_idle, 1000); /* the line was busy: the rule was needed */
}

TEST(an_idle_word_is_not_sent_more_often_than_needed)
{
    bench_open(b);
    /* a line that never rests: 62-word packets wait, and credits come in time */
    e->parser.longest_without_idle = 0;
    for (int i = 0; i < 60; i++) h2n_packet(e, header_of(0, 0, 0, 62, 0), payload, 0);
    for (int i = 0; i < 60 * 129 / 32; i++) {
        bench_run(b, 32);
        wire_credit(e, 0, *e->port->view_tx_units);
    }
    ck_assert_uint_gt(e->parser.longest_without_idle, 1900);
    ck_assert_uint_le(e->parser.longest_without_idle, 2047);
}

TEST(records_leave_at_link_up_for_all_lanes_then_one_every_2048_clocks)
{
    *e->port->cfg_direct = 0;
    bench_run(b, 300);
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), 8);
    for (unsigned i = 0; i < 8; i++) ck_assert_uint_eq(sent_nth(&sent, ITEM_RECORD, i)->header, (uint64_t)i << 56);
    bench_run(b, 500);
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), 16); /* once more when the hold after reset is over */
    sent.n = 0;
    bench_run(b, 2048 * 20);
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), 20);
    unsigned seen = 0;
    for (unsigned i = 0; i < 20; i++) {
        const struct link_item *r = sent_nth(&sent, ITEM_RECORD, i);
        seen |= 1u << (r->header >> 56);
        if (i) ck_assert_uint_eq(r->cycle - sent_nth(&sent, ITEM_RECORD, i - 1)->cycle, 2048);
    }
    ck_assert_uint_eq(seen, 0xff);
}

TEST(records_carry_the_units_transmitted)
{
    bench_open(b);
    h2n_packet(e, header_of(0, 0, 0, 62, 0), payload, 0);
    h2n_packet(e, header_of(0, 0, 0, 7, 0), payload, 0);
    sent.n = 0;
    bench_run(b, 2300);
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), 1);
    ck_assert_uint_eq(sent_nth(&sent, ITEM_RECORD, 0)->header, 128 + 18);
}

TEST(when_a_lane_is_enabled_all_that_are_get_a_record)
{
    *e->port->cfg_direct = 0;
    *e->port->cfg_flow_enable = 0x01;
    bench_run(b, 300);
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), 1);
    *e->port->cfg_flow_enable = 0x81;
    bench_run(b, 20);
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), 3);
    ck_assert_uint_eq(sent_nth(&sent, ITEM_RECORD, 1)->header, 0);
    ck_assert_uint_eq(sent_nth(&sent, ITEM_RECORD, 2)->header, (uint64_t)7 << 56);
}

TEST(nothing_is_sent_while_the_link_is_down)
{
    e->rx_loss_of_sync = 1;
    bench_run(b, 1000);
    ck_assert_uint_eq(*e->port->link_up, 0);
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), 0);
    e->rx_loss_of_sync = 0;
    bench_open(b);
    ck_assert_uint_eq(*e->port->link_up, 1);
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), 2);
    e->rx_loss_of_sync = 1;
    bench_run(b, 5);
    h2n_packet(e, header_of(0, 0, 0, 5, 0), payload, 0);
    bench_run(b, 500);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 0);
    ck_assert_uint_eq(e->events.gt_loss_of_sync, 1);
    e->rx_loss_of_sync = 0;
    bench_run(b, 300);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 1); /* it waited */
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), 3); /* and the record went first */
    ck_assert_uint_lt(sent_nth(&sent, ITEM_RECORD, 2)->cycle, sent_nth(&sent, ITEM_PACKET, 0)->cycle);
}

/* ---- remote fault ---- */

/* Four words, two of them of remote fault. */
static void wire_faults(unsigned times, int damaged)
{
    while (times--) {
        wire_characters(e, 4, FAULT_WORD & 0xff, 1);
        wire_at(e, e->wire_in - 1, 0)->disparity = (uint8_t)damaged;
        wire_characters(e, 4, FAULT_WORD & 0xff, 1);
        wire_idle(e, 2);
    }
}

static unsigned link_status(void)
{
    return (unsigned)(*e->port->link_up << 2 | *e->port->in_sync << 1 | *e->port->remote_fault);
}

TEST(nothing_is_sent_to_a_far_end_that_hears_nothing, .to = 4)
{
    bench_open(b);
    ck_assert_uint_eq(link_status(), 6);
    unsigned records = sent_count(&sent, ITEM_RECORD);
    wire_characters(e, (unsigned)_i, 0xbc, 1); /* at any byte */
    wire_faults(100, 0);
    wire_characters(e, (4 - (unsigned)_i) % 4, 0xbc, 1);
    bench_run(b, 8);
    ck_assert_uint_eq(link_status(), 3);
    h2n_packet(e, header_of(0, 0, 0, 5, 0), payload, 0);
    bench_run(b, 392);
    ck_assert_uint_eq(link_status(), 3);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 0);
    bench_run(b, 28); /* 32 clocks behind the last one */
    ck_assert_uint_eq(link_status(), 3);
    bench_run(b, 8);
    ck_assert_uint_eq(link_status(), 6);
    bench_run(b, 60);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 1); /* it waited */
    ck_assert_uint_eq(sent_count(&sent, ITEM_RECORD), records + 1);
    ck_assert_uint_eq(e->parser.faults, 0); /* remote fault is not reported back */
}

TEST(what_only_looks_like_remote_fault_is_none)
{
    bench_open(b);
    for (unsigned n = 0; n < 40; n++) {
        wire_characters(e, 1 + n % 3, FAULT_WORD & 0xff, 1); /* less than a word */
        wire_idle(e, 2);
    }
    for (unsigned n = 0; n < 20; n++) {
        wire_faults(1, 0);
        for (unsigned c = 0; c < 8; c += 3)
            wire_at(e, e->wire_in - 16, c)->disparity = 1; /* no word whole at any byte */
    }
    struct frame f;
    frame_start(&f);
    for (unsigned n = 0; n < 8; n++) frame_word(&f, FAULT_WORD); /* data */
    wire_frame(e, &f);
    for (unsigned n = 0; n < 300; n++) {
        bench_run(b, 1);
        ck_assert_uint_eq(link_status(), 6);
    }
}

TEST(the_link_partner_is_notified_that_nothing_is_received)
{
    bench_open(b);
    b->before = record_raw;
    *e->port->tx_fault = 1;
    bench_run(b, 4);
    raw.n = 0;
    bench_run(b, 400);
    unsigned idle = 0, pairs = 0;
    for (unsigned n = 0; n < raw.n; n++) idle += raw.data[n] == IDLE_WORD;
    for (unsigned n = 1; n < raw.n; n++) pairs += raw.data[n] == FAULT_WORD && raw.data[n - 1] == FAULT_WORD;
    ck_assert_uint_eq(idle, 200);
    ck_assert_uint_eq(pairs, 100);
    wire_packet(e, header_of(0, 0, 0, 62, 0), payload); /* credits go on */
    bench_run(b, 400);
    ck_assert_uint_gt(sent_count(&sent, ITEM_CREDIT), 0);
    *e->port->tx_fault = 0;
    bench_run(b, 4);
    unsigned faults = e->parser.faults;
    ck_assert_uint_gt(faults, 350);
    bench_run(b, 400);
    ck_assert_uint_eq(e->parser.faults, faults);
}

TEST(a_packet_shorter_than_its_header_goes_out_with_a_bad_body)
{
    bench_open(b);
    h2n_put(e, header_of(0, 0, 0, 6, 0), 1);
    for (unsigned i = 0; i < 4; i++) h2n_put(e, payload[i], i == 3 ? 2 : 0);
    h2n_packet(e, header_of(0, 0, 1, 3, 0), payload, 0);
    bench_run(b, 80);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 2);
    const struct link_item *p = sent_nth(&sent, ITEM_PACKET, 0);
    ck_assert(p->body_bad);
    ck_assert_mem_eq(p->payload, payload, 32);
    ck_assert_uint_eq((e->by_packet ? 0 : p->payload[4]) | p->payload[5], 0); /* its CRC is in the place of a word */
    p = sent_nth(&sent, ITEM_PACKET, 1);
    ck_assert(!p->body_bad);
    ck_assert_uint_eq(header_length(p->header), 3);
    ck_assert_uint_eq(e->events.tx_step, 1);
}

/* As voq_departure leaves it when it is halted and the link takes nothing: no last word, no CRC behind it. */
TEST(a_packet_that_was_cut_goes_out_with_a_bad_body, .to = 6)
{
    bench_open(b);
    h2n_put(e, header_of(0, 0, 0, 6, 0), 1);
    for (int i = 0; i < _i; i++) h2n_put(e, payload[i], 0);
    if (sim_random_below(b->s, 2)) bench_run(b, 40); /* the next one has come when it ends, or not */
    h2n_packet(e, header_of(0, 0, 1, 3, 0), payload, 0);
    bench_run(b, 80);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 2);
    const struct link_item *p = sent_nth(&sent, ITEM_PACKET, 0);
    ck_assert(p->body_bad);
    ck_assert_mem_eq(p->payload, payload, 8 * (size_t)_i);
    for (int i = _i; i < 6; i++) ck_assert_uint_eq(p->payload[i], 0);
    ck_assert(!sent_nth(&sent, ITEM_PACKET, 1)->body_bad);
    ck_assert_uint_eq(e->events.tx_step, 1);
}

TEST(a_packet_longer_than_its_header_goes_out_with_a_bad_body_and_its_rest_is_dropped)
{
    bench_open(b);
    h2n_put(e, header_of(0, 0, 0, 3, 0), 1);
    for (unsigned i = 0; i < 5; i++) h2n_put(e, payload[i], i == 4 ? 2 : 0);
    h2n_packet(e, header_of(0, 0, 1, 3, 0), payload, 0);
    bench_run(b, 80);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 2);
    ck_assert(sent_nth(&sent, ITEM_PACKET, 0)->body_bad);
    ck_assert(!sent_nth(&sent, ITEM_PACKET, 1)->body_bad);
    ck_assert_uint_eq(e->events.tx_step,
                      e->by_packet ? 1 : 2); /* a word in the place of the CRC is not noticed, the rest is */
}

TEST(a_packet_that_runs_dry_is_never_good_with_wrong_data)
{
    unsigned good = 0, bad = 0;

    for (unsigned delay = 0; delay < 24; delay++) {
        bench_open(b);
        memset(&e->events, 0, sizeof e->events);
        sent.n = 0;
        h2n_put(e, header_of(0, 0, 0, 6, 0), 1);
        for (unsigned i = 0; i < 3; i++) h2n_put(e, payload[i], 0);
        bench_run(b, delay);
        for (unsigned i = 3; i < 6; i++) h2n_put(e, payload[i], i == 5 ? 2 : 0);
        bench_run(b, 60);
        const struct link_item *p = sent_nth(&sent, ITEM_PACKET, 0);
        if (p->body_bad) {
            bad++;
            ck_assert_uint_ge(e->events.tx_step, 1);
        } else {
            good++;
            ck_assert_mem_eq(p->payload, payload, 48);
            ck_assert_uint_eq(e->events.tx_step, 0);
        }
        credit_all();
    }
    ck_assert_uint_gt(good, 5);
    ck_assert_uint_gt(bad, 5);
}

TEST(an_end_flag_in_the_middle_corrupts_the_packet)
{
    bench_open(b);
    h2n_put(e, header_of(0, 0, 0, 6, 0), 1);
    for (unsigned i = 0; i < 6; i++) h2n_put(e, payload[i], i == 2 || i == 5 ? 2 : 0);
    bench_run(b, 60);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 1);
    ck_assert(sent_nth(&sent, ITEM_PACKET, 0)->body_bad);
    ck_assert_uint_eq(e->events.tx_step, 1);
}

TEST(a_reserved_bit_corrupts_the_packet)
{
    static const unsigned header_flags[] = {1, 9, 1, 1, 1}, first[] = {0, 0, 8, 4, 0}, last[] = {2, 2, 2, 2, 10};

    bench_open(b);
    for (unsigned i = 0; i < 5; i++) {
        h2n_put(e, header_of(0, 0, i, 2, 0), header_flags[i]);
        h2n_put(e, payload[0], first[i]);
        h2n_put(e, payload[1], last[i]);
    }
    bench_run(b, 100);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 5);
    for (unsigned i = 0; i < 5; i++) /* voq_crc makes no difference of [66], which is never set */
        ck_assert_int_eq(sent_nth(&sent, ITEM_PACKET, i)->body_bad, i != 0 && !(i == 3 && e->by_packet));
}

TEST(packets_that_cannot_be_sent_are_dropped_and_counted)
{
    *e->port->cfg_direct = 0;
    *e->port->cfg_flow_enable = 0x0f;
    bench_open(b);
    h2n_put(e, payload[0], 0);                             /* a word without a header */
    h2n_packet(e, header_of(5, 0, 0, 3, 0), payload, 0);   /* lane not enabled */
    h2n_packet(e, header_of(9, 0, 0, 3, 0), payload, 0);   /* no such lane */
    h2n_put(e, header_of(1, 0, 0, 0, 0), 1);               /* no payload */
    h2n_packet(e, header_of(1, 0, 0, 513, 0), payload, 0); /* too long */
    h2n_packet(e, header_of(1, 0, 0, 3, 0), payload, 0);   /* right */
    bench_run(b, 700);
    ck_assert_uint_eq(sent_count(&sent, ITEM_PACKET), 1);
    ck_assert_uint_eq(sent_nth(&sent, ITEM_PACKET, 0)->header, header_of(1, 0, 0, 3, 0));
    ck_assert_uint_eq(e->events.tx_discard, 4);
    ck_assert_uint_eq(e->events.tx_step, 1);
    ck_assert_uint_eq(e->events.out_word, 4);
}

TEST(a_departure_names_the_flow_and_the_local_flag_of_the_header_as_it_came)
{
    static const struct {
        unsigned flow, flags; /* flags: header [54:52] */
        int last;
    } sent_packets[] = {{3, 2, 1}, {5, 5, 1}, {3, 2, 0}, {7, 7, 1}, {0, 0, 1}};
    unsigned departed = 0;

    *e->port->cfg_node_id = 1; /* DIRECT replaces the flow on the wire, not in the departure */
    bench_open(b);
    for (unsigned i = 0; i < 5; i++) {
        h2n_packet(e, header_of(sent_packets[i].flow, sent_packets[i].flags, i, 4, 0), payload, sent_packets[i].last);
        for (int clock = 0; clock < 40; clock++) {
            unsigned before = e->departed;

            bench_run(b, 1);
            if (e->departed == before) continue;
            ck_assert_uint_eq(e->departed_flow, e->by_packet ? 1 : sent_packets[i].flow); /* replaced before it came */
            ck_assert_uint_eq(e->departed_local, sent_packets[i].flags >> 1 & 1);
        }
        departed += (unsigned)sent_packets[i].last;
        ck_assert_uint_eq(e->departed, departed);
    }
}

TEST(the_counters_of_the_transmitter_count)
{
    bench_open(b);
    for (int i = 0; i < 3; i++) h2n_packet(e, header_of(0, 0, 0, 10, 0), payload, 0);
    bench_run(b, 200);
    ck_assert_uint_eq(e->events.out_packet, 3);
    ck_assert_uint_eq(e->events.out_word, 33);
    ck_assert_uint_eq(e->events.h2n_start, 3);
    ck_assert_uint_eq(e->events.out_cycle, 75);
    ck_assert_uint_eq(e->events.backpressure, 0);
    *e->port->gt_tx_buf_err = 1;
    bench_run(b, 7);
    *e->port->gt_tx_buf_err = 0;
    bench_run(b, 7);
    ck_assert_uint_eq(e->events.gt_tx_buffer, 7);
}

/* The checkers themselves: frames with one fault each must be called wrong. */
static unsigned wrong_items;
static void count_wrong(void *self, const struct link_item *item)
{
    (void)self;
    wrong_items += item->kind == ITEM_WRONG || (item->kind == ITEM_PACKET && item->body_bad);
}
static unsigned faults_found(const struct frame *f)
{
    struct link_parser p = {.sink = count_wrong};

    wrong_items = 0;
    for (unsigned i = 0; i < f->words; i++) link_parser_word(&p, i, f->data[i], f->k[i]);
    link_parser_word(&p, f->words, IDLE_WORD, IDLE_K);
    return wrong_items;
}

TEST(the_parser_finds_a_fault_in_any_bit_of_a_frame)
{
    struct frame f;

    frame_start(&f);
    frame_credits(&f, credit_of(0, 64), credit_of(0, 64));
    frame_packet(&f, header_of(1, 2, 3, 4, 5), payload);
    ck_assert_uint_eq(faults_found(&f), 0);
    for (unsigned i = 0; i < f.words; i++)
        for (int bit = 0; bit < 32; bit++) {
            if (i == 1 && bit != 31) /* the contents of a credit are checked by its parity, not here */
                continue;
            f.data[i] ^= 1u << bit;
            ck_assert_msg(faults_found(&f) > 0, "word %u bit %d", i, bit);
            f.data[i] ^= 1u << bit;
        }
    for (unsigned i = 0; i < f.words; i++) {
        f.k[i] ^= 1;
        ck_assert_msg(faults_found(&f) > 0, "K of word %u", i);
        f.k[i] ^= 1;
    }
    f.words--;
    ck_assert_uint_gt(faults_found(&f), 0);
}
