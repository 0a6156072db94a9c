/*
 * Two link_ports with two or four links each, bundled by byte, joined by the cable: skew, crystals, cuts, wrong bits.
 * Rules that hold for any fault on the wire are in link_traffic.h (each packet at most once, in order, whole or called
 * bad; loss is reported) and in link_reference.h (frames sent have the right format). When faults are over both ends
 * agree on every word and nothing more is lost.
 */
#include <stdlib.h>
#include <string.h>

#include "link_port2.h"
#include "link_port4.h"
#include "link_traffic.h"
#include "sim/model/cable/cable.h"
#include "sim/model/cable/frame.h"
#include "simulation.h"
#include "test.h"

enum {
    WORD = LINK_PERIOD, /* [ps] of skew */
    FIRST_NODE = 3,     /* node ID of a; b has the next */
    OPEN = 1200,        /* clocks from reset until packets may leave */
    SETTLED = 12000,    /* clocks after which faults are forgotten: records of both ends and a refresh of the credits */
    BITS = 40           /* of a word on the wire */
};

static struct {
    struct link_bench *link;
    struct traffic dir[2];
    cable *cable[CABLE_LINKS];
    unsigned cables, links;
    /* faults: chance per word of the bundle in 1/100000 */
    int flip_chance, word_chance;
    uint64_t faults;
    /* one: hit_left frames of end 0 from now on, its word hit_word (0: the SOP) gets this bit wrong on this link; then
     * both are 0 */
    int hit_link, hit_bit, hit_word, hit_left, hit_in;
    /* all words that are the first one behind a SOP, if they are credits, on this link (-1: all links, none: no such
     * fault) */
    int credits_on, credits_lost;
} b;

/* ---- the wire ---- */

static int happens(int chance) { return chance && (int)sim_random_below(b.link->s, 100000) < chance; }

static void damage(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    static int after_sop[2];
    (void)self, (void)word_index;
    int sop = k[0] == SOP_K, credit = after_sop[from] && !k[0] && data[0] >> 31;
    after_sop[from] = sop;
    for (unsigned l = 0; l < b.links; l++) {
        if (happens(b.flip_chance / (int)b.links)) flip[l] = 1ull << sim_random_below(b.link->s, BITS), b.faults++;
        if (happens(b.word_chance / (int)b.links)) {
            static const uint32_t words[] = {FRAME_IDLE_DATA, FRAME_SOP_DATA, 0};
            unsigned i = (unsigned)sim_random_below(b.link->s, 3);
            data[l] = words[i];
            k[l] = (uint8_t[]){15, 8, 0}[i];
            b.faults++;
        }
        if (credit && b.credits_lost && (b.credits_on < 0 || b.credits_on == (int)l)) data[l] ^= 0x01000000, b.faults++;
    }
    if (from) return;
    if (sop && b.hit_left && !--b.hit_left) b.hit_in = b.hit_word + 1;
    if (b.hit_in && !--b.hit_in) flip[b.hit_link] = 1ull << b.hit_bit, b.faults++;
}

/* ---- making and running ---- */

CLEANUP(cable_free);

static void end_check(void *none)
{
    (void)none;
    for (int i = 0; i < 2; i++) ck_assert_uint_le(b.link->end[i].parser.longest_without_idle, 2048);
}

static const sim_config *const kinds[] = {&link_port_config, &link_port2_config, &link_port4_config};

/* Without cables. */
static sim *start_ends(unsigned links, double ppm_a, double ppm_b, sim_clock *clk[2])
{
    memset(&b, 0, sizeof b);
    b.links = links;
    sim *s = loud_sim(0);
    for (int i = 0; i < 2; i++)
        clk[i] = sim_clock_new(
            s, &(sim_clock_params){
                   .name = i ? "b" : "a", .period = LINK_PERIOD, .ppm = i ? ppm_b : ppm_a, .jitter = 100, .phase = -1});
    b.link = link_bench_bundle(s, clk, kinds[links / 2]);
    traffic_start(b.dir, b.link);
    for (int i = 0; i < 2; i++) {
        *b.link->end[i].port->cfg_node_id = (uint8_t)(FIRST_NODE + i);
        sim_clock_attach(clk[i], NULL, traffic_feed, &b.dir[i]);
    }
    return s;
}

static void plug(sim *s, const cable_params *params, sim_clock *const clk[2], unsigned first_a, unsigned first_b)
{
    gt_pins a = link_pins(&b.link->end[0]), z = link_pins(&b.link->end[1]);
    a.first_link = first_a;
    z.first_link = first_b;
    cable *c = cable_new(s, params, clk[0], &a, clk[1], &z, "wire");
    ck_assert_ptr_nonnull(c);
    after_test(cable_free_cleanup, c);
    b.cable[b.cables++] = c;
}

/* skew [words] of each link, both ways; alignment as in cable_params. */
static void start_skewed(unsigned links, double ppm_a, double ppm_b, const unsigned *skew, int alignment)
{
    sim_clock *clk[2];
    cable_params params;
    sim *s = start_ends(links, ppm_a, ppm_b, clk);
    cable_params_default(&params);
    params.links = links;
    params.alignment = alignment;
    for (unsigned l = 0; skew && l < links; l++) params.skew[0][l] = params.skew[1][l] = (sim_time)skew[l] * WORD;
    plug(s, &params, clk, 0, 0);
    cable_set_tap(b.cable[0], damage, NULL);
    after_test(end_check, NULL);
}

static void start(unsigned links) { start_skewed(links, 100, -100, NULL, GT_ALIGNMENT_RANDOM); }

static void run(uint64_t clocks) { bench_run(b.link, (unsigned)clocks); }

static void load(int on) { b.dir[0].load = b.dir[1].load = on; }

static void settle(unsigned clocks)
{
    load(0);
    run(clocks);
    for (int i = 0; i < 2; i++) {
        struct traffic *d = &b.dir[i];
        traffic_settled(d);
        d->missing += d->sent - d->next_expected; /* the last ones were lost */
        d->next_expected = d->sent;
        ck_assert_uint_eq(d->good + d->bad + d->missing, d->sent);
    }
}

static void nothing_was_lost(void)
{
    for (int i = 0; i < 2; i++) {
        const struct link_events *e = &b.link->end[i].events;
        ck_assert_uint_eq(b.dir[i].good, b.dir[i].sent);
        ck_assert_uint_eq(e->credit_rejected + e->drop_space + e->drop_length + e->drop_flow, 0);
        ck_assert_uint_eq(e->header_crc_error + e->body_crc_error + e->alignment_error + e->tx_step, 0);
    }
}

/* The faults are over: all settles, and then nothing is lost any more and the whole buffer is in use. */
static void must_recover(void)
{
    struct traffic before[2];
    unsigned clocks = 20000;

    b.flip_chance = b.word_chance = b.credits_lost = 0;
    cable_reconnect(b.cable[0], CABLE_BOTH);
    settle(3 * SETTLED);
    memcpy(before, b.dir, sizeof before);
    load(1);
    run(clocks);
    settle(SETTLED);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_gt(b.dir[i].good_words, before[i].good_words + clocks * b.links / 2 * 4 / 5);
        ck_assert_uint_eq(b.dir[i].bad + b.dir[i].missing, before[i].bad + before[i].missing);
    }
}

static unsigned lost(unsigned i) { return b.dir[i].bad + b.dir[i].missing; }

TEST_CASE("bundle", .timeout = 300);

/* ---- without faults ---- */

TEST(both_ways_at_once_run_at_line_rate, .to = 2)
{
    unsigned links = 2u << _i;
    uint64_t words[2];
    start(links);
    b.dir[0].longest = b.dir[1].longest = 62;
    load(1);
    run(OPEN + 800);
    for (int i = 0; i < 2; i++) words[i] = b.dir[i].good_words;
    run(20000);
    /* SOP, a credit word now and then, one idle word in 2048 */
    for (int i = 0; i < 2; i++)
        ck_assert_double_ge((double)(b.dir[i].good_words - words[i]) / 20000, links == 2 ? 62 / 66.3 : 62 / 34.3);
    settle(SETTLED);
    nothing_was_lost();
}

static unsigned any_filling(unsigned k) { return k <= 16 ? k : 494 + k; }

/* Packets of each length that were sent, with a credit word in front of them and without; frames of a credit word
 * alone. */
static struct {
    unsigned packets[513][2], credits;
    uint64_t credit_cycle;
} places[2];

static void note_place(void *self, const struct link_item *item)
{
    struct link_end *e = self;
    int i = e == &b.link->end[1];

    ck_must(item->kind != ITEM_WRONG, "sent at clock %llu: %s", (unsigned long long)item->cycle, item->wrong);
    if (item->kind == ITEM_CREDIT) places[i].credit_cycle = item->cycle, places[i].credits++;
    if (item->kind != ITEM_PACKET) return;
    int with = item->cycle == places[i].credit_cycle;
    places[i].packets[header_length(item->header)][with]++;
    places[i].credits -= (unsigned)with;
}

/* 1..16, 511, 512 words: every filling of the last word, each with a credit word in front of the packet and without;
 * and any in between. */
TEST(every_length_arrives_whole_with_a_credit_word_and_without, .to = 2)
{
    start(2u << _i);
    for (int i = 0; i < 2; i++) b.link->end[i].parser.sink = note_place;
    run(OPEN);
    for (unsigned i = 0; i < 2; i++, run(5000)) /* one way: no credit words with packets */
        for (unsigned k = 1; k <= 18; k++)
            for (int round = 0; round < 3; round++) traffic_put(&b.dir[i], any_filling(k));
    for (unsigned i = 0; i < 2; i++) /* among packets that come from the other end */
        for (unsigned k = 1; k <= 18; k++)
            for (int round = 0; round < 30 && !places[i].packets[any_filling(k)][1]; round++) {
                traffic_put(&b.dir[i], any_filling(k));
                traffic_put(&b.dir[i ^ 1], 1 + k);
                run(sim_random_below(b.link->s, any_filling(k) < 511 ? 20 + k : 300));
            }
    load(1);
    run(20000);
    settle(SETTLED);
    nothing_was_lost();
    for (int i = 0; i < 2; i++) {
        for (unsigned k = 1; k <= 18; k++)
            for (int with = 0; with < 2; with++)
                ck_assert_msg(places[i].packets[any_filling(k)][with], "no packet of %u words with%s a credit word",
                              any_filling(k), with ? "" : "out");
        ck_assert_uint_gt(places[i].credits, 20);
    }
}

/* Crystals that differ by 200 ppm move the words of each link against those of the others between frames. */
TEST(skew_of_up_to_8_words_between_any_two_links_does_no_harm, .to = 9)
{
    for (unsigned links = 2; links <= 4; links *= 2)
        for (unsigned late = 1; late < (1u << links) - 1; late++) { /* every set of links */
            unsigned skew[4];
            for (unsigned l = 0; l < links; l++) skew[l] = late >> l & 1 ? (unsigned)_i : 0;
            start_skewed(links, late % 2 ? 100 : -100, late % 2 ? -100 : 100, skew, GT_ALIGNMENT_RANDOM);
            load(1);
            run(3000);
            settle(2500);
            nothing_was_lost();
            ck_assert_uint_gt(b.dir[0].good, 20);
            clean_up();
        }
}

TEST(crystals_that_differ_move_the_links_and_nothing_is_lost, .to = 2)
{
    start_skewed(2u << _i, 100, -100, (const unsigned[]){3, 0, 5, 1}, GT_ALIGNMENT_RANDOM);
    load(1);
    run(150000);
    settle(SETTLED);
    nothing_was_lost();
    for (int i = 0; i < 2; i++)
        for (unsigned l = 0; l < b.links; l++) {
            cable_stats stats;
            cable_get_stats(b.cable[0], i, l, &stats);
            ck_assert_uint_gt(stats.received.removed + stats.received.repeated, 80);
        }
}

static const unsigned too_much[] = {11, 12, 15, 20, 40, 70};

TEST(more_skew_is_reported_and_nothing_wrong_is_delivered, .to = COUNT(too_much))
{
    for (unsigned links = 2; links <= 4; links *= 2) {
        unsigned skew[4] = {0, 0, 0, 0};
        skew[links - 1] = too_much[_i];
        start_skewed(links, 100, -100, skew, GT_ALIGNMENT_RANDOM);
        load(1);
        run(30000);
        for (int i = 0; i < 2; i++) {
            ck_assert_uint_eq(*b.link->end[i].port->link_up, 0);
            ck_assert_uint_gt(b.link->end[i].events.alignment_error, 0);
            ck_assert_uint_eq(b.dir[i].good + b.dir[i].bad, 0);
            ck_assert_uint_eq(b.link->end[i].n2h_in, 0);
        }
        clean_up();
    }
}

/* Cables of 9 and 10 words: with their elastic buffers they may be good or not; in no case is anything wrong. */
TEST(skew_at_the_limit_is_good_or_reported, .from = 9, .to = 11)
{
    start_skewed(2, 100, -100, (const unsigned[]){0, (unsigned)_i}, GT_ALIGNMENT_RANDOM);
    load(1);
    run(30000);
    for (int i = 0; i < 2; i++)
        if (!*b.link->end[i].port->link_up) ck_assert_uint_gt(b.link->end[i].events.alignment_error, 0);
}

TEST(a_sleepy_reader_is_waited_for, .to = 2)
{
    start(2u << _i);
    b.link->end[0].pop_percent = 20;
    load(1);
    for (int i = 0; i < 30; i++) {
        b.link->end[1].pop_percent = i % 2 ? 0 : 100;
        run(sim_random_below(b.link->s, 3000));
    }
    b.link->end[1].pop_percent = 100;
    settle(3 * SETTLED);
    nothing_was_lost();
}

/* 2 x 1023 words and the CRCs of one packet; one link keeps CRCs here, and they take a word. */
TEST(the_receive_buffer_is_filled_to_its_last_word, .to = 3)
{
    start(1u << _i); /* including one link */
    run(OPEN);
    unsigned kept = b.link->end[1].by_packet;
    b.link->end[1].pop_percent = 0;
    *b.link->end[0].port->cfg_tx_capacity = kept ? 2046 : 2048;
    for (int n = 0; n < 15; n++) traffic_put(&b.dir[0], 62);
    traffic_put(&b.dir[0], kept ? 61 : 62);
    if (!kept) traffic_put(&b.dir[0], 14);
    for (int n = 0; n < 4; n++) traffic_put(&b.dir[0], 1);
    run(4000);
    ck_assert_uint_eq(n2h_count(&b.link->end[1]), N2H_WORDS);
    ck_assert_uint_gt(h2n_waiting(&b.link->end[0]), 0);
    b.link->end[1].pop_percent = 100;
    *b.link->end[0].port->cfg_tx_capacity = 2046;
    settle(SETTLED);
    nothing_was_lost();
}

/* ---- faults ---- */

/* One wrong bit on one link, each of the 40 of each word of a frame in turn, while the shortest frames follow each
 * other without a gap. */
TEST(a_wrong_bit_costs_its_frame_and_at_most_the_next, .to = 7)
{
    unsigned links = _i < 4 ? 2 : 4, with_loss = 0;
    start_skewed(links, 0, 0, (const unsigned[]){2, 0, 4, 1}, GT_ALIGNMENT_RANDOM);
    run(OPEN);
    for (unsigned link = 0; link < links; link++)
        for (int bit = 0; bit < BITS; bit++) {
            unsigned before = lost(0);
            for (int n = 0; n < 40; n++) traffic_put(&b.dir[0], 1);
            b.hit_word = _i % 4; /* of 4 with two links, of 3 with four */
            b.hit_link = (int)link;
            b.hit_bit = bit;
            b.hit_left = 20;
            run(400);
            ck_assert_int_eq(b.hit_left + b.hit_in, 0);
            if (bit % 8 == 7) run(2200); /* a record */
            ck_assert_uint_le(lost(0) + b.dir[0].sent - b.dir[0].next_expected, before + 2);
            with_loss += lost(0) > before;
        }
    /* half of the last word of four links is padding */
    ck_assert_uint_gt(with_loss, links * BITS * (_i == 6 ? 3 : 6) / 8);
    must_recover();
}

/* Chances per word of the bundle in 1/100000: single bits, whole words. */
static const struct {
    int flip, word;
} noise[] = {{100, 0}, {1000, 0}, {0, 100}, {0, 1500}};

TEST(no_fault_of_the_wire_harms_a_good_packet, .to = 2 * COUNT(noise))
{
    start(_i % 2 ? 4 : 2);
    b.flip_chance = noise[_i / 2].flip;
    b.word_chance = noise[_i / 2].word;
    load(1);
    run(30000);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_gt(lost(i), 5);
        ck_assert_uint_gt(b.dir[i].good, 5);
    }
    must_recover();
    ck_assert_uint_gt(b.faults, 30);
}

static const unsigned cuts[] = {78, 2344, 156250}; /* [clocks] 1 us, 30 us, 2 ms */

TEST(a_link_that_is_cut_stops_the_bundle_until_it_is_back, .to = 2 * COUNT(cuts))
{
    unsigned links = _i % 2 ? 4 : 2, clocks = cuts[_i / 2], cut = links - 1;
    start(links);
    load(1);
    run(5000);
    for (int directions = CABLE_A_TO_B; directions <= CABLE_BOTH; directions++) {
        cable_cut_links(b.cable[0], directions, 1u << cut);
        run(clocks);
        if (clocks > 1000) ck_assert_uint_eq(*b.link->end[directions == CABLE_B_TO_A ? 0 : 1].port->link_up, 0);
        cable_reconnect_links(b.cable[0], directions, 1u << cut);
        run(3000);
        if (clocks > 100000) break;
        cut = 0;
    }
    must_recover();
    for (unsigned i = 0; i < 2; i++) {
        /* only packets under way: a full buffer and the packets in front of it, for each cut */
        ck_assert_uint_lt(lost(i), 3 * 512);
        ck_assert_uint_eq(b.link->end[i].events.drop_space, 0);
    }
}

/* With links 0 and 2 of four crossed the word of credits is the same on both. */
TEST(crossed_links_deliver_nothing_and_the_counters_say_so, .to = 3)
{
    sim_clock *clk[2];
    cable_params params;
    unsigned links = _i ? 4 : 2, crossed = _i == 2 ? 2 : 1;
    sim *s = start_ends(links, 100, -100, clk);
    cable_params_default(&params);
    for (unsigned l = 0; l < links; l++) plug(s, &params, clk, l, l ^ crossed);
    load(1);
    run(30000);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(b.link->end[i].n2h_in, 0);
        ck_assert_uint_gt(b.link->end[i].events.header_crc_error, 0);
        ck_assert_uint_gt(b.link->end[i].events.alignment_error, 0);
        ck_assert_uint_eq(b.link->end[i].events.credit_accepted, 0);
    }
}

/* S4's fault: a FIFO behind a transceiver has no word. Crystals out of all tolerance empty and overfill the elastic
 * buffers in frames. */
TEST(a_deskew_fifo_that_runs_empty_in_a_frame_ends_it, .to = 2)
{
    start_skewed(2u << _i, 1500, -1500, NULL, GT_ALIGNMENT_RANDOM);
    load(1);
    run(150000);
    load(0);
    run(SETTLED);
    for (unsigned i = 0; i < 2; i++) {
        struct traffic *d = &b.dir[i];
        ck_assert_uint_gt(b.link->end[i].events.alignment_error, 5);
        ck_assert_uint_gt(d->bad, 0); /* padded and flagged */
        ck_assert_uint_gt(d->good, 50);
        ck_assert_uint_le(d->good + d->bad, d->next_expected);
    }
}

/* On one link, or on all: bytes of it are wrong, the others are as they were. */
TEST(credits_that_are_damaged_delay_and_lose_nothing, .from = -1, .to = 7)
{
    start(_i < 4 ? 4 : 2);
    load(1);
    run(3000);
    b.credits_on = _i < 4 ? _i : _i - 5;
    b.credits_lost = 1;
    run(10000);
    b.credits_lost = 0;
    ck_assert_uint_gt(b.faults, 5);
    ck_assert_uint_gt(b.link->end[0].events.credit_rejected + b.link->end[1].events.credit_rejected, 5);
    settle(SETTLED);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(b.dir[i].good, b.dir[i].sent);
        ck_assert_uint_eq(b.link->end[i].events.drop_space, 0);
    }
    must_recover();
}

TEST(a_reset_of_one_end_alone_is_repaired, .to = 2)
{
    start(2u << _i);
    load(1);
    run(6000);
    load(0);
    run(SETTLED);
    link_reset(&b.link->end[0], 20);
    run(SETTLED);
    load(1);
    run(20000);
    settle(SETTLED);
    for (unsigned i = 0; i < 2; i++) ck_assert_uint_eq(b.dir[i].good, b.dir[i].sent);
}
