/* The receiver of link_port: alignment, storing, and every kind of bad packet of design.md 3. */
#include <stdlib.h>
#include <string.h>

#include "link_bench.h"
#include "test.h"

#ifndef BENCH /* test_link_kept.c has another one */
#define BENCH link_bench_new(1)
#endif

static struct link_bench *b;
static struct link_end *e;
static struct stored_log stored;
static uint64_t payload[1024];
static struct frame f;

static void setup(void)
{
    b = BENCH;
    e = &b->end[0];
    stored_log_start(e, &stored);
    for (int i = 0; i < 1024; i++) payload[i] = sim_random(b->s) | 1; /* never a zero word: padding is seen */
    bench_open(b);
}

/* A packet of `length` words as a frame in f. */
static uint64_t build(unsigned length, unsigned sequence)
{
    uint64_t header = header_of(1, 0, sequence, length, 0x1000);

    frame_start(&f);
    frame_packet(&f, header, payload);
    return header;
}

/* The same, on the wire. */
static uint64_t put(unsigned length, unsigned sequence)
{
    uint64_t header = build(length, sequence);

    wire_frame(e, &f);
    return header;
}

static void idle(unsigned words) { wire_idle(e, words); }

/* Puts a right packet of five words on the wire. Bad packets are followed by one: nothing of the fault may be left. */
static void right_packet(unsigned sequence) { put(5, sequence); }

/* The n-th stored packet is right_packet(sequence). */
static void expect_right(unsigned n, unsigned sequence)
{
    ck_assert_uint_gt(stored.n, n);
    ck_assert_uint_eq(stored.packets[n].header, header_of(1, 0, sequence, 5, 0x1000));
    ck_assert_mem_eq(stored.packets[n].payload, payload, 40);
    ck_assert(!stored.packets[n].bad);
}

/* Puts one on the wire, and it is stored as the n-th, the last one. */
static void right_packet_is_stored(unsigned n, unsigned sequence)
{
    right_packet(sequence);
    bench_run(b, 120);
    ck_assert_uint_eq(stored.n, n + 1);
    expect_right(n, sequence);
}

/* The n-th stored packet has header `header`, `good` words of payload, then zeros, and is marked bad. */
static void expect_padded(unsigned n, uint64_t header, unsigned good)
{
    ck_assert_uint_gt(stored.n, n);
    ck_assert_uint_eq(stored.packets[n].header, header);
    ck_assert(stored.packets[n].bad);
    ck_assert_mem_eq(stored.packets[n].payload, payload, 8 * good);
    for (unsigned i = good; i < header_length(header); i++)
        ck_assert_msg(stored.packets[n].payload[i] == 0, "word %u is not zero", i);
}

/* ---- right frames ---- */

TEST_CASE("receive", .timeout = 60, .setup = setup);

TEST(a_right_packet_is_stored_unchanged)
{
    static const unsigned lengths[] = {1, 2, 3, 62, 511, 512};
    uint64_t header[6];

    for (unsigned i = 0; i < 6; i++) {
        header[i] = put(lengths[i], i);
    }
    bench_run(b, 2400);
    ck_assert_uint_eq(stored.n, 6);
    for (unsigned i = 0; i < 6; i++) {
        ck_assert_uint_eq(stored.packets[i].header, header[i]);
        ck_assert_mem_eq(stored.packets[i].payload, payload, 8 * lengths[i]);
        ck_assert(!stored.packets[i].bad);
    }
    ck_assert_uint_eq(e->events.in_packet, 6);
    ck_assert_uint_eq(e->events.n2h_start, 6);
    ck_assert_uint_eq(e->events.in_word, 6 + 1 + 2 + 3 + 62 + 511 + 512);
    ck_assert_uint_eq(e->events.in_cycle, 6 * 5 + 2 * (1 + 2 + 3 + 62 + 511 + 512));
    ck_assert_uint_eq(e->events.alignment_error + e->events.header_crc_error + e->events.body_crc_error, 0);
}

TEST(a_packet_behind_a_credit_word_is_stored)
{
    frame_start(&f);
    frame_credits(&f, credit_of(0, 0), credit_of(0, 0));
    frame_packet(&f, header_of(1, 0, 9, 5, 0x1000), payload);
    wire_frame(e, &f);
    bench_run(b, 60);
    expect_right(0, 9);
    ck_assert_uint_eq(e->events.credit_accepted, 2);
    ck_assert_uint_eq(e->events.alignment_error, 0);
}

TEST(header_and_words_are_stored_at_once)
{
    e->pop_percent = 0;
    for (unsigned lane = 0; lane < 4; lane++) {
        build(62, lane);
        idle(4);
        wire_characters(e, lane, 0xbc, 1);
        uint64_t start =
            e->cycle + 5 +
            (lane ? 1 : 0); /* clock in which the first (lane > 0: the last) bytes of the SOP are at the port */
        wire_frame(e, &f);
        wire_characters(e, (4 - lane) % 4, 0xbc, 1);
        bench_run(b, 200);
        ck_assert_uint_eq(e->header_stored_cycle - (start + 3), lane ? 2 : 3); /* after the header CRC's last byte */
        ck_assert_uint_eq(e->last_stored_cycle - (start + 3 + 125), lane ? 2 : 3);
    }
}

/* ---- alignment ---- */

TEST(packets_are_found_at_every_byte_offset)
{
    for (unsigned i = 0; i < 64; i++) {
        /* idle bytes between frames: every change from one offset to another, with as little idle as there can be */
        wire_characters(e, 4 + (i % 16) / 4 + i / 16, 0xbc, 1);
        right_packet(i);
    }
    bench_run(b, 64 * 20);
    ck_assert_uint_eq(stored.n, 64);
    for (unsigned i = 0; i < 64; i++) expect_right(i, i);
    ck_assert_uint_eq(e->events.alignment_error, 0);
}

TEST(clock_correction_in_idle_moves_nothing)
{
    for (unsigned i = 0; i < 500; i++) {
        wire_characters(e, 1 + (unsigned)sim_random_below(b->s, 9), 0xbc,
                        1); /* a word more or less, down to a single byte of idle */
        right_packet(i);
    }
    bench_run(b, 500 * 20);
    ck_assert_uint_eq(stored.n, 500);
    for (unsigned i = 0; i < 500; i++) expect_right(i, i);
    ck_assert_uint_eq(e->events.alignment_error, 0);
}

TEST(frames_follow_each_other_without_idle)
{
    for (unsigned i = 0; i < 20; i++) right_packet(i);
    bench_run(b, 20 * 20);
    ck_assert_uint_eq(stored.n, 20);
    ck_assert_uint_eq(e->events.alignment_error, 0);
}

TEST(only_the_whole_sop_is_a_sop)
{
    /* each byte of it wrong, or with a wrong K flag: the frame is not seen, and counted once */
    unsigned wrong = 0;
    for (unsigned byte = 0; byte < 4; byte++)
        for (int flag = 0; flag < 2; flag++) {
            build(5, 0);
            if (flag) f.k[0] ^= (uint8_t)(8 >> byte);
            else f.data[0] ^= 0x01000000u >> 8 * byte;
            wire_frame(e, &f);
            idle(3);
            wrong++;
            bench_run(b, 40);
            ck_assert_uint_eq(stored.n, 0);
            ck_assert_uint_eq(e->events.alignment_error, wrong);
        }
    right_packet_is_stored(0, 1);
}

TEST(a_sop_with_a_character_not_in_the_table_is_none)
{
    unsigned at = e->wire_in;
    put(5, 0);
    wire_at(e, at, 2)->not_in_table = 1;
    idle(2);
    right_packet_is_stored(0, 1);
    ck_assert_uint_eq(e->events.gt_unknown, 1);
}

/* ---- bad packets, by the names of design.md 3 ---- */

/* The unit balance after a fault: everything whose header was good is received, and all of it is forwarded once N2H is
 * empty. */
static void expect_units(unsigned units)
{
    ck_assert_uint_eq(*e->port->rx_units, units & UNITS_MASK);
    ck_assert_uint_eq(*e->port->rx_forwarded, units & UNITS_MASK);
}

static void expect_broken(unsigned frames, unsigned units)
{
    ck_assert_uint_eq(e->events.alignment_error, frames);
    expect_units(units);
}

TEST(bad_header_crc_drops_all_up_to_the_next_k)
{
    for (int bit = 1; bit < 96; bit++) { /* any bit of header and CRC but [63], which makes it a credit word */
        build(5, 0);
        f.data[1 + bit / 32] ^= 0x80000000u >> bit % 32;
        wire_frame(e, &f);
        idle(1);
    }
    right_packet(7);
    bench_run(b, 96 * 20);
    ck_assert_uint_eq(stored.n, 1);
    expect_right(0, 7);
    ck_assert_uint_eq(e->events.header_crc_error, 95);
    expect_broken(0, 14);
}

TEST(lost_sop_is_discarded_and_counted_once)
{
    build(20, 0);
    idle(1);
    wire_part(e, &f, 1, f.words);
    idle(1);
    right_packet_is_stored(0, 1);
    expect_broken(1, 14);
}

TEST(truncated_body_is_padded_and_marked)
{
    for (unsigned cut = 0; cut <= 41; cut++) { /* words of payload and body CRC that are left */
        uint64_t header = build(20, 0);
        stored.n = 0;
        wire_part(e, &f, 0, 4 + cut);
        idle(8);
        bench_run(b, 80);
        if (cut < 41) {
            expect_padded(0, header, cut / 2);
        } else {
            ck_assert(!stored.packets[0].bad);
        }
        expect_broken(cut < 41 ? cut + 1 : 41, (cut + 1) * 44);
    }
    ck_assert_uint_eq(e->events.body_crc_error, 41);
    ck_assert_uint_eq(e->events.in_packet, 42);
}

TEST(padding_is_as_fast_as_the_line)
{
    uint64_t header = build(512, 0);

    wire_part(e, &f, 0, 4 + 2);
    idle(2 * 511);
    right_packet(1); /* comes when the rest of the packet would have ended */
    bench_run(b, 1200);
    ck_assert_uint_eq(stored.n, 2);
    expect_padded(0, header, 1);
    expect_right(1, 1);
}

TEST(truncated_in_the_header_is_dropped)
{
    for (unsigned words = 1; words < 4; words++) {
        build(5, 0);
        wire_part(e, &f, 0, words);
        idle(2);
        right_packet_is_stored(words - 1, words);
        ck_assert_uint_eq(e->events.alignment_error, words);
    }
    expect_units(3 * 14);
}

TEST(overlong_packet_is_stored_and_the_surplus_discarded)
{
    right_packet(0);
    for (unsigned i = 0; i < 9; i++) wire_characters(e, 4, 0x77, 0);
    right_packet(1);
    bench_run(b, 80);
    ck_assert_uint_eq(stored.n, 2);
    expect_right(0, 0);
    expect_right(1, 1);
    expect_broken(1, 28);
}

TEST(bad_body_crc_is_stored_and_marked)
{
    for (unsigned i = 0; i < 11; i++) { /* a bit in every word of payload and CRC */
        build(5, i);
        f.data[4 + i] ^= 1u << (i * 7 % 32);
        wire_frame(e, &f);
        bench_run(b, 40);
        ck_assert_uint_eq(stored.n, i + 1);
        ck_assert(stored.packets[i].bad);
    }
    ck_assert_uint_eq(e->events.body_crc_error, e->by_packet ? 0 : 11);
    right_packet_is_stored(11, 1);
    expect_units(12 * 14);
}

TEST(a_k_in_the_middle_ends_the_packet_wherever_it_is)
{
    for (unsigned at = 4; at < 14; at++)
        for (unsigned byte = 0; byte < 4; byte++) {
            stored.n = 0;
            uint64_t header = build(5, 0);
            f.k[at] = (uint8_t)(1u << byte);
            wire_frame(e, &f); /* the words behind it are surplus */
            idle(1);
            right_packet(3);
            bench_run(b, 60);
            ck_assert_uint_eq(stored.n, 2);
            expect_padded(0, header, (at - 4) / 2);
            expect_right(1, 3);
        }
    expect_broken(40, 40 * 28);
}

TEST(a_flag_k_on_a_character_not_in_the_table_is_no_k)
{
    unsigned at = e->wire_in;
    put(5, 0);
    struct character *c = wire_at(e, at, 4 * 6 + 1);
    c->k = 1;
    c->not_in_table = 1;
    c->byte ^= 0xff;
    bench_run(b, 60);
    ck_assert_uint_eq(stored.n, 1);
    ck_assert(stored.packets[0].bad); /* but all five words have come */
    ck_assert_uint_eq(stored.packets[0].payload[4], payload[4]);
    ck_assert_uint_eq(e->events.alignment_error, 0);
}

TEST(a_sop_in_the_middle_starts_the_next_frame)
{
    /* as early as the padding is over in time for the next packet: what keeps CRCs pads at the speed of the line only
     */
    uint64_t header = build(4, 0);
    unsigned here = e->by_packet ? 8 : 5;

    wire_part(e, &f, 0, 4 + here);
    right_packet(2);
    bench_run(b, 60);
    ck_assert_uint_eq(stored.n, 2);
    expect_padded(0, header, here / 2);
    expect_right(1, 2);
    expect_broken(1, 12 + 14);
}

TEST(a_packet_that_comes_while_another_is_padded_is_dropped_whole_and_its_units_returned)
{
    uint64_t header = build(60, 0);

    wire_part(e, &f, 0, 4 + 10);
    right_packet(2);
    bench_run(b, 200);
    ck_assert_uint_eq(stored.n, 1);
    expect_padded(0, header, 5);
    ck_assert_uint_eq(e->events.drop_space, 1);
    expect_units(124 + 14);
    right_packet_is_stored(1, 3);
}

TEST(loss_of_sync_ends_the_packet)
{
    uint64_t header = build(20, 0);

    wire_part(e, &f, 0, 4 + 10);
    while (wire_waiting(e)) bench_run(b, 1);
    e->rx_loss_of_sync = 1;
    wire_part(e, &f, 4 + 10, f.words); /* goes by unseen */
    bench_run(b, 100);
    expect_padded(
        0, header,
        4); /* the last word is in doubt when sync is lost in the clock after it: alignment needs two clocks */
    ck_assert_uint_eq(e->events.alignment_error, 1);
    ck_assert_uint_eq(e->events.gt_loss_of_sync, 1);
    e->rx_loss_of_sync = 0;
    bench_run(b, 20);
    right_packet_is_stored(1, 1);
    expect_units(44 + 14);
}

TEST(sixteen_clocks_without_data_end_the_packet_and_fifteen_do_not)
{
    /* The word before the error is lost as well: the aligner needs two good clocks for a word. */
    for (unsigned silent = 15; silent <= 16; silent++) {
        stored.n = 0;
        uint64_t header = build(20, 0);
        idle(1);
        wire_part(e, &f, 0, 10);
        wire_characters(e, 4, 0x11, 0);
        e->buf_error_from = e->wire_in;
        wire_characters(e, 4 * (silent - 1), 0x22, 0);
        e->buf_error_to = e->wire_in;
        wire_part(e, &f, 10, f.words);
        bench_run(b, 100);
        ck_assert_uint_eq(stored.n, 1);
        if (silent == 16) {
            expect_padded(0, header, 3);
        } else {
            ck_assert(!stored.packets[0].bad);
            ck_assert_mem_eq(stored.packets[0].payload, payload, 160);
        }
        ck_assert_uint_eq(e->events.alignment_error, silent == 16);
        bench_run(b, 200);
    }
}

TEST(illegal_length_is_dropped_whole_and_its_units_returned)
{
    *e->port->cfg_max_words = 62;
    put(63, 0);
    right_packet(1);
    put(62, 2);
    put(1023, 3);
    right_packet(4);
    bench_run(b, 2600);
    ck_assert_uint_eq(e->events.drop_length, 2);
    ck_assert_uint_eq(stored.n, 3);
    expect_right(0, 1);
    expect_right(2, 4);
    ck_assert_uint_eq(e->events.alignment_error + e->events.body_crc_error, 0);
    expect_units(130 + 14 + 128 + 2050 + 14);
}

/* Of a NIC with 8 lanes too. Of one that knows fewer: test_link_sources.c. */
TEST(every_node_id_is_known_as_a_source)
{
    for (unsigned id = 0; id < 128; id++) {
        wire_packet(e, header_of(id, 0, 0, 5, 0x1000), payload);
        bench_run(b, 100);
        ck_assert_uint_eq(stored.n, id + 1);
        ck_assert_uint_eq(stored.packets[id].header >> 56, id);
    }
    ck_assert_uint_eq(e->events.drop_flow, 0);
    expect_units(128 * 14 % 4096);
}

TEST(no_space_drops_the_packet_whole_and_returns_its_units)
{
    unsigned second = 1023 - n2h_places(e, 512) - n2h_places(e, 0); /* payload of the packet that fills the rest */
    e->pop_percent = 0;
    put(512, 0);
    build(second, 1);
    wire_frame(e, &f);
    bench_run(b, 2200);
    ck_assert_uint_eq(n2h_count(e), 1023); /* the last word of the FIFO */
    ck_assert_uint_eq(e->events.drop_space, 0);
    ck_assert_uint_eq(*e->port->rx_units, 1028 + 2 * second + 4);
    ck_assert_uint_eq(*e->port->rx_forwarded, (1028 + 2 * second + 4 - 2046) & UNITS_MASK);
    right_packet(2);
    bench_run(b, 60);
    ck_assert_uint_eq(e->events.drop_space, 1);
    ck_assert_uint_eq(*e->port->rx_forwarded, (1028 + 2 * second + 4 + 14 - 2046) & UNITS_MASK);
    e->n2h_out += n2h_places(e, 5) - 1; /* one word is missing */
    bench_run(b, 2);
    right_packet(3);
    bench_run(b, 60);
    ck_assert_uint_eq(e->events.drop_space, 2);
    ck_assert_uint_eq(n2h_count(e), 1023 - n2h_places(e, 5) + 1);
    e->n2h_out += 1;
    bench_run(b, 2);
    right_packet(4); /* fits exactly */
    bench_run(b, 60);
    ck_assert_uint_eq(e->events.drop_space, 2);
    ck_assert_uint_eq(n2h_count(e), 1023);
}

TEST(a_second_credit_word_is_malformed)
{
    frame_start(&f);
    frame_credits(&f, credit_of(0, 0), credit_of(0, 0));
    frame_credits(&f, credit_of(0, 0), credit_of(0, 0));
    frame_packet(&f, header_of(1, 0, 0, 5, 0), payload);
    wire_frame(e, &f);
    idle(1);
    right_packet_is_stored(0, 1);
    ck_assert_uint_eq(e->events.alignment_error, 1);
    ck_assert_uint_eq(e->events.header_crc_error, 0);
}

TEST(transceiver_errors_are_counted_by_clock)
{
    unsigned at = e->wire_in;
    wire_characters(e, 40, 0xbc, 1);
    wire_at(e, at, 4)->disparity = 1;
    wire_at(e, at, 6)->disparity = 1; /* same word */
    wire_at(e, at, 9)->not_in_table = 1;
    wire_at(e, at, 13)->not_in_table = 1;
    bench_run(b, 20);
    ck_assert_uint_eq(e->events.gt_disparity, 1);
    ck_assert_uint_eq(e->events.gt_unknown, 2);
    ck_assert_uint_eq(e->events.alignment_error, 0);
}

/* Garbage of every kind in front of right frames: never a wrong packet that counts as good, never a stuck receiver. */
TEST(random_faults_never_make_a_good_packet_of_wrong_data)
{
    unsigned good = 0;

    for (unsigned i = 0; i < 3000; i++) {
        stored.n = 0;
        build(1 + (unsigned)sim_random_below(b->s, 20), i);
        unsigned at = e->wire_in;
        wire_frame(e, &f);
        for (unsigned n = (unsigned)sim_random_below(b->s, 4); n > 0; n--) {
            struct character *c = wire_at(e, at, sim_random_below(b->s, 4 * f.words));
            c->byte ^= (uint8_t)(1u << sim_random_below(b->s, 8));
            c->k ^= sim_random_below(b->s, 4) == 0;
        }
        idle((unsigned)sim_random_below(b->s, 3));
        bench_run(b, 80);
        for (unsigned j = 0; j < stored.n; j++)
            if (!stored.packets[j].bad) {
                good++;
                ck_assert_uint_eq(stored.packets[j].header,
                                  header_of(1, 0, i, header_length(stored.packets[j].header), 0x1000));
                ck_assert_mem_eq(stored.packets[j].payload, payload, 8 * header_length(stored.packets[j].header));
            }
    }
    ck_assert_uint_gt(good, 500);
    idle(2);
    stored.n = 0;
    right_packet_is_stored(0, 1);
    ck_assert_uint_eq(*e->port->rx_units, *e->port->rx_forwarded);
}
