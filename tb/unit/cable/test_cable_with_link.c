/*
 * Two link_ports joined by the cable: different crystals, real code errors, cuts. Rules that hold for any fault on the
 * wire: a packet that is called good is one that was sent, whole and in order; N2H never overflows; words of a chip are
 * well formed (the sniffer says so); an idle word comes at least once in 2048 words; and when the faults are over both
 * ends agree on every word again and all traffic arrives.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/model/cable/cable.h"
#include "sim/model/cable/frame.h"
#include "sim/model/cable/sniffer.h"
#include "simulation.h"
#include "tb/unit/link/link_traffic.h"
#include "test.h"

enum {
    FIRST_NODE = 3,       /* node ID of a; b has the next. Receivers know IDs below FLOWS */
    IDLE_DISTANCE = 2048, /* words, at most, from one idle word to the next */
    SETTLED = 40000       /* clocks after which faults are forgotten: all counters repaired, all packets through */
};

static struct {
    struct link_bench *link;
    struct traffic dir[2]; /* from chip 0, from chip 1 */
    cable *cable;
    sniffer *sniffer;
    unsigned frames[2], bad_frames[2]; /* sent by each, as the sniffer sees it */
    /* faults of the wire: chance per word in 1/100000 */
    int flip_chance, burst_chance, word_chance;
    unsigned burst_left[2];
    int forge_chance; /* two words changed so that the body CRC still fits */
    int forging[2];
    uint64_t faults;
} b;

/* ---- the wire ---- */

static void check_frame(void *self, const sniffer_frame *frame)
{
    (void)self;
    if (b.link->end[frame->from].cycle < 12) return; /* before and in reset */
    b.frames[frame->from]++;
    if (!sniffer_frame_is_good(frame)) {
        b.bad_frames[frame->from]++;
        sniffer_print_frame(stderr, frame);
    }
}

static int happens(int chance) { return chance && (int)sim_random_below(b.link->s, 100000) < chance; }

static void damage(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    static const struct {
        uint32_t data;
        uint8_t k;
    } word[] = {{FRAME_IDLE_DATA, 15}, {FRAME_SOP_DATA, 8}, {0xfbfbfbfb, 15}, {0, 0},
                {0xbcbcbc00, 14},      {0x81028102, 0}};
    (void)self, (void)word_index;
    if (happens(b.flip_chance)) {
        *flip = 1ull << sim_random_below(b.link->s, 40);
        b.faults++;
    }
    if (!b.burst_left[from] && happens(b.burst_chance)) {
        b.burst_left[from] = 1 + (unsigned)sim_random_below(b.link->s, 30);
        b.faults++;
    }
    if (b.burst_left[from]) {
        b.burst_left[from]--;
        *flip = sim_random(b.link->s) & sim_random(b.link->s) & 0xffffffffffull;
    }
    /* the generator polynomial itself, 33 bits over two words, is a multiple of the polynomial: no CRC sees it */
    if (b.forging[from]) *data ^= 0x04c11db7;
    b.forging[from] = !b.forging[from] && !*k && happens(b.forge_chance);
    if (b.forging[from]) *data ^= 1;
    if (happens(b.word_chance)) {
        unsigned i = (unsigned)sim_random_below(b.link->s, sizeof word / sizeof word[0]);

        *data = word[i].data;
        *k = word[i].k;
        b.faults++;
    }
}

/* ---- making and running ---- */

CLEANUP(cable_free);
CLEANUP(sniffer_free);

static void end_check(void *none)
{
    (void)none;
    for (int i = 0; i < 2; i++) {
        ck_assert(!b.bad_frames[i] || b.forge_chance);
        ck_assert_uint_gt(b.frames[i], 10);
        ck_assert_uint_le(b.link->end[i].parser.longest_without_idle, IDLE_DISTANCE);
    }
}

static void start(double ppm_a, double ppm_b)
{
    cable_params params;
    sim_clock *clk[2];

    memset(&b, 0, sizeof b);
    sim *s = loud_sim(0);
    for (int i = 0; i < 2; i++)
        clk[i] = sim_clock_new(
            s, &(sim_clock_params){
                   .name = i ? "b" : "a", .period = LINK_PERIOD, .ppm = i ? ppm_b : ppm_a, .jitter = 100, .phase = -1});
    cable_params_default(&params);
    b.link = link_bench_on_cable(s, clk);
    link_port *const port[] = {b.link->end[0].port, b.link->end[1].port};
    traffic_start(b.dir, b.link);
    for (int i = 0; i < 2; i++) {
        *port[i]->cfg_node_id = (uint8_t)(FIRST_NODE + i);
        sim_clock_attach(clk[i], NULL, traffic_feed, &b.dir[i]);
    }
    b.cable = cable_new(s, &params, clk[0], GT_PINS_PLAIN(port[0]), clk[1], GT_PINS_PLAIN(port[1]), "wire");
    ck_assert_ptr_nonnull(b.cable);
    b.sniffer = sniffer_new(check_frame, NULL);
    after_test(sniffer_free_cleanup, b.sniffer);
    after_test(cable_free_cleanup, b.cable);
    after_test(end_check, NULL);
    ck_assert_int_eq(sniffer_attach(b.sniffer, b.cable, 0), 0);
    cable_set_tap(b.cable, damage, NULL);
}

static void run(uint64_t clocks) { bench_run(b.link, (unsigned)clocks); }

static void load(int on) { b.dir[0].load = b.dir[1].load = on; }

static void settle(unsigned clocks)
{
    load(0);
    run(clocks);
    for (int i = 0; i < 2; i++) traffic_settled(&b.dir[i]);
}

/* The faults are over: waits until all is settled, then wants some thousand packets through without a loss. */
static void must_recover(void)
{
    struct traffic before[2];

    b.flip_chance = b.burst_chance = b.word_chance = 0;
    cable_reconnect(b.cable, CABLE_BOTH);
    settle(SETTLED);
    for (int i = 0; i < 2; i++) {
        struct traffic *d = &b.dir[i];
        d->missing += d->sent - d->next_expected; /* the last ones were lost */
        d->next_expected = d->sent;
        ck_assert_uint_eq(d->good + d->bad + d->missing, d->sent);
        before[i] = *d;
    }
    load(1);
    run(60000);
    settle(SETTLED);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_gt(b.dir[i].good_words,
                          before[i].good_words + 60000 / 2 * 9 / 10); /* the whole buffer is in use again */
        ck_assert_uint_eq(b.dir[i].bad, before[i].bad);
        ck_assert_uint_eq(b.dir[i].missing, before[i].missing);
        ck_assert_uint_eq(b.dir[i].next_expected, b.dir[i].sent);
    }
}

/* ---- tests ---- */

static const struct {
    double a, b;
} crystals[] = {{100, -100}, {-100, 100}, {0, 0}, {200, -200}};

TEST_CASE("link", .timeout = 300);

TEST(packets_cross_between_different_crystals_unharmed, .to = COUNT(crystals))
{
    start(crystals[_i].a, crystals[_i].b);
    load(1);
    run(200000);
    settle(SETTLED);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(b.dir[i].good, b.dir[i].sent);
        ck_assert_uint_gt(b.dir[i].good, 1000);
        const struct link_events *e = &b.link->end[i].events;
        ck_assert_uint_eq(e->credit_rejected, 0);
        ck_assert_uint_eq(e->drop_space + e->drop_length + e->drop_flow, 0);
        ck_assert_uint_eq(e->header_crc_error + e->body_crc_error + e->alignment_error, 0);
        cable_stats stats;
        cable_get_stats(b.cable, i, 0, &stats);
        ck_assert_uint_eq(stats.received.overflows + stats.received.underflows, 0);
        ck_assert_uint_eq(stats.received.sync_losses, 0);
        ck_assert_uint_le(stats.bad_controls, 4); /* one word before reset: registers hold anything then */
        if (crystals[_i].a != crystals[_i].b) ck_assert_uint_gt(stats.received.removed + stats.received.repeated, 100);
    }
}

TEST(both_directions_run_at_line_rate)
{
    uint64_t words[2];
    start(100, -100);
    b.dir[0].longest = b.dir[1].longest = 62;
    load(1);
    run(5000);
    for (int i = 0; i < 2; i++) words[i] = b.dir[i].good_words;
    run(100000);
    for (int i = 0; i < 2; i++)
        ck_assert_double_ge((double)(b.dir[i].good_words - words[i]) * 2 / 100000, 282.0 / 298.0);
}

TEST(a_sleepy_reader_is_waited_for)
{
    start(-100, 100);
    b.link->end[0].pop_percent = 20;
    load(1);
    for (int i = 0; i < 100; i++) {
        b.link->end[1].pop_percent = i % 2 ? 0 : 100;
        run(sim_random_below(b.link->s, 6000));
    }
    b.link->end[1].pop_percent = 100;
    settle(3 * SETTLED);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(b.dir[i].good, b.dir[i].sent);
        ck_assert_uint_eq(b.link->end[i].events.drop_space, 0);
    }
}

/* Chances per word in 1/100000: single bits, bursts, whole words. */
static const struct {
    int flip, burst, word;
} noise[] = {{100, 0, 0}, {1000, 0, 0}, {0, 30, 0}, {0, 0, 100}, {0, 0, 2000}, {100, 20, 100}};

TEST(no_fault_of_the_wire_harms_a_good_packet, .to = COUNT(noise))
{
    start(100, -100);
    b.flip_chance = noise[_i].flip;
    b.burst_chance = noise[_i].burst;
    b.word_chance = noise[_i].word;
    load(1);
    run(300000);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_gt(b.dir[i].bad + b.dir[i].missing, 10);
        ck_assert_uint_gt(b.dir[i].good, 10);
    }
    must_recover();
    ck_assert_uint_gt(b.faults, 50);
}

TEST(a_cut_cable_delays_and_loses_only_what_was_on_it)
{
    start(100, -100);
    load(1);
    run(5000);
    for (int n = 0; n < 60; n++) {
        cable_cut(b.cable, 1 + (int)sim_random_below(b.link->s, 3));
        run(1 + sim_random_below(b.link->s, 3000));
        cable_reconnect(b.cable, CABLE_BOTH);
        run(sim_random_below(b.link->s, 8000));
    }
    for (int i = 0; i < 2; i++) ck_assert_uint_gt(b.dir[i].good, 500);
    must_recover();
    for (int i = 0; i < 2; i++) ck_assert_uint_eq(b.link->end[i].events.drop_space, 0);
}

TEST(crystals_out_of_tolerance_lose_packets_but_harm_none)
{
    start(1500, -1500);
    load(1);
    run(200000);
    settle(SETTLED);
    for (int i = 0; i < 2; i++) {
        struct traffic *d = &b.dir[i];
        cable_stats stats;
        cable_get_stats(b.cable, i, 0, &stats);
        ck_assert_uint_gt(i ? stats.received.underflows : stats.received.overflows, 10);
        d->missing += d->sent - d->next_expected;
        ck_assert_uint_gt(d->bad + d->missing, 10);
        ck_assert_uint_gt(d->good, 100);
        ck_assert_uint_eq(d->good + d->bad + d->missing, d->sent);
    }
}

/* ---- each check of this bench sees its fault ---- */

TEST(a_forged_payload_is_noticed)
{
    start(0, 0);
    b.forge_chance = 100;
    b.dir[0].forged = b.dir[1].forged = 1;
    load(1);
    run(50000);
    ck_assert_uint_gt(b.dir[0].wrong + b.dir[1].wrong, 10);
}

TEST(an_overflow_is_noticed)
{
    start(0, 0);
    b.link->end[0].lies = 1;
    b.link->end[0].pop_percent = 0;
    load(1);
    run(10000);
    ck_assert_uint_gt(b.link->end[0].overflows, 0);
}

TEST(the_distance_between_idles_is_measured)
{
    start(0, 0);
    load(1);
    run(20000);
    for (int i = 0; i < 2; i++) ck_assert_uint_gt(b.link->end[i].parser.longest_without_idle, IDLE_DISTANCE / 2);
}
