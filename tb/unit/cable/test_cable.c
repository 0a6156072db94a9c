/* The cable on the clocks of a simulation, with chips that are C structs: ports, latency, skew, faults, loopback,
 * observers, statistics. */
#include <stdlib.h>
#include <string.h>

#include "sim/model/cable/cable.h"
#include "sim/model/cable/frame.h"
#include "simulation.h"
#include "test.h"

enum { PERIOD = 12800, LINKS = 8 /* width of the vectors of the chips here */ };
#define IDLE 0xfbcbcbcbcull

/* A chip: its ports are those of a module with vectors over 8 links. It registers its outputs at each edge, as RTL
 * does. */
typedef struct {
    uint32_t rx_data[LINKS], tx_data[LINKS];
    uint8_t rx_k[LINKS / 2], rx_notintable[LINKS / 2], rx_disperr[LINKS / 2], rx_loss_of_sync, rx_buf_status[LINKS / 4],
        tx_buf_err;
    uint8_t tx_k[LINKS / 2], loopback[LINKS / 4];
    sim_clock *clock;
    uint64_t next[LINKS];    /* K flags in [35:32], data in [31:0]: on the port after the next edge */
    uint64_t clocks;         /* edges so far */
    uint64_t edge_of_data;   /* edge after which tx_data[0] was first no idle */
    uint64_t seen_at[LINKS]; /* edge at which the first byte that is no idle was seen on rx_data; 0 = not yet */
    sim *sim;
    sim_time seen_time[LINKS];
    unsigned tx_errors, sync_clocks;
} chip;

static void chip_sample(void *self)
{
    chip *c = self;
    /* values before this edge: those that edge number `clocks` left */
    for (unsigned i = 0; i < LINKS; i++)
        if (!c->seen_at[i] && !(c->rx_loss_of_sync >> i & 1) && (c->rx_k[i / 2] >> 4 * (i & 1) & 15) != 15) {
            c->seen_at[i] = c->clocks;
            c->seen_time[i] = sim_now(c->sim);
        }
    c->tx_errors += c->tx_buf_err & 1;
    c->sync_clocks += !(c->rx_loss_of_sync & 1);
}

static void chip_drive(void *self)
{
    chip *c = self;
    c->clocks++;
    for (unsigned i = 0; i < LINKS; i++) {
        c->tx_data[i] = (uint32_t)c->next[i];
        c->tx_k[i / 2] = (uint8_t)(i & 1 ? (c->tx_k[i / 2] & 15) | c->next[i] >> 32 << 4
                                         : (c->tx_k[i / 2] & 0xf0) | c->next[i] >> 32);
    }
    if (!c->edge_of_data && c->next[0] != IDLE) c->edge_of_data = c->clocks;
}

static gt_pins pins_of(chip *c, unsigned first)
{
    gt_pins pins = {
        c->rx_data, c->rx_k, c->rx_notintable, c->rx_disperr, &c->rx_loss_of_sync, c->rx_buf_status, &c->tx_buf_err,
        c->tx_data, c->tx_k, c->loopback,      first};

    return pins;
}

static struct {
    sim *sim;
    sim_clock *clock[2];
    chip chip[2];
    cable *cable;
    cable_params params;
} b;

/* Two chips that send idles; clocks in step if both phases are 0. The cable is made by plug(). */
static void start(double ppm_a, double ppm_b, int64_t phase_b)
{
    clean_up();
    memset(&b, 0, sizeof b);
    b.sim = quiet_sim(0);
    for (int i = 0; i < 2; i++) {
        sim_clock_params cp = {
            .name = i ? "b" : "a", .period = PERIOD, .ppm = i ? ppm_b : ppm_a, .phase = i ? phase_b : 0};
        chip *c = &b.chip[i];

        b.clock[i] = sim_clock_new(b.sim, &cp);
        ck_assert_ptr_nonnull(b.clock[i]);
        c->clock = b.clock[i];
        c->sim = b.sim;
        for (int link = 0; link < LINKS; link++) c->next[link] = IDLE;
        sim_clock_attach(b.clock[i], chip_sample, chip_drive, c);
    }
    cable_params_default(&b.params);
}

CLEANUP(cable_free);

static void plug(unsigned first_a, unsigned first_b)
{
    gt_pins a = pins_of(&b.chip[0], first_a), z = pins_of(&b.chip[1], first_b);

    b.cable = cable_new(b.sim, &b.params, b.clock[0], &a, b.clock[1], &z, "wire");
    ck_assert_ptr_nonnull(b.cable);
    after_test(cable_free_cleanup, b.cable);
}

static void run(unsigned clocks)
{
    ck_assert_int_eq(sim_run(b.sim, sim_now(b.sim) + clocks * (sim_time)PERIOD), SIM_TIME_LIMIT);
}

static void bring_up(void)
{
    run(250);
    memset(b.chip[0].seen_at, 0, sizeof b.chip[0].seen_at);
    memset(b.chip[1].seen_at, 0, sizeof b.chip[1].seen_at);
}

/* A bench whose links are up. */
static void ready(double ppm_a, double ppm_b, int64_t phase_b)
{
    start(ppm_a, ppm_b, phase_b);
    plug(0, 0);
    bring_up();
}

static cable_stats stats(int from)
{
    cable_stats s;
    cable_get_stats(b.cable, from, 0, &s);
    return s;
}

TEST_CASE("cable", .timeout = 60);

TEST(a_word_takes_the_configured_clocks, .to = 4)
{
    static const unsigned clocks[] = {23, 20, 57, 300};

    start(0, 0, 0);
    b.params.alignment = 0;
    if (_i) b.params.latency_clocks = clocks[_i];
    plug(0, 0);
    run(700);
    bring_up();
    ck_assert_int_eq(cable_state(b.cable, 0, 0), GT_SYNC);
    b.chip[0].next[0] = 0x01020304;
    run(310);
    ck_assert_uint_eq(b.chip[1].seen_at[0] - b.chip[0].edge_of_data, clocks[_i]);
    ck_assert_uint_eq(b.chip[1].rx_data[0], 0x01020304);
    ck_assert_uint_eq(b.chip[1].rx_k[0] & 15, 0);
    ck_assert_uint_eq(b.chip[0].seen_at[0], 0);
}

TEST(phase_between_the_clocks_moves_a_word_by_less_than_a_clock)
{
    for (int64_t phase = 0; phase < PERIOD; phase += 700) {
        ready(0, 0, phase);
        b.chip[0].next[0] = 0x01020304;
        run(40);
        /* seen is sampled one clock after it came onto the port; the edge of the transmit clock has phase 0 */
        sim_time left = (b.chip[0].edge_of_data - 1) * (sim_time)PERIOD, came = b.chip[1].seen_time[0] - PERIOD;
        ck_assert_uint_ge(came - left, 22 * PERIOD);
        ck_assert_uint_le(came - left, 24 * PERIOD);
    }
}

TEST(links_take_their_own_elements_of_wide_ports)
{
    start(0, 0, 0);
    b.params.links = 3;
    b.params.alignment = 0;
    plug(1, 4);
    bring_up();
    for (unsigned i = 0; i < LINKS; i++) b.chip[0].next[i] = 0x8fb000000ull + i;
    for (unsigned i = 0; i < LINKS; i++) b.chip[1].next[i] = 0x8fb000100ull + i;
    run(60);
    for (unsigned i = 0; i < LINKS; i++) {
        int at_a = i >= 1 && i <= 3, at_b = i >= 4 && i <= 6;

        ck_assert_uint_eq(b.chip[0].rx_data[i], at_a ? 0xfb000100u + i + 3 : 0);
        ck_assert_uint_eq(b.chip[1].rx_data[i], at_b ? 0xfb000000u + i - 3 : 0);
        ck_assert_uint_eq(b.chip[0].rx_k[i / 2] >> 4 * (i & 1) & 15, at_a ? 8 : 0);
        ck_assert_uint_eq(b.chip[1].rx_k[i / 2] >> 4 * (i & 1) & 15, at_b ? 8 : 0);
    }
}

TEST(skew_moves_one_link_against_the_others)
{
    start(0, 0, 0);
    b.params.links = 2;
    b.params.alignment = 0;
    b.params.skew[0][1] = 3 * PERIOD;
    plug(0, 0);
    bring_up();
    b.chip[0].next[0] = b.chip[0].next[1] = 0x01020304;
    b.chip[1].next[0] = b.chip[1].next[1] = 0x01020304;
    run(60);
    ck_assert_uint_eq(b.chip[1].seen_at[1] - b.chip[1].seen_at[0], 3);
    ck_assert_uint_eq(b.chip[0].seen_at[1], b.chip[0].seen_at[0]); /* the other way has none */
}

/* ---- faults ---- */

typedef struct {
    int from;
    uint64_t word, flip;
    uint64_t calls[2];
    int swap;
} fault;

static void tap(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    fault *f = self;

    ck_must(word_index == f->calls[from], "the tap misses words");
    f->calls[from]++;
    if (from != f->from || word_index != f->word) return;
    *flip = f->flip;
    if (f->swap) {
        *data = 0xdeadbeef;
        *k = 0;
    }
}

TEST(a_tap_flips_bits_of_one_word_of_one_direction)
{
    fault f = {.from = 1, .word = 300, .flip = 5ull << 10}; /* K28.5 with 1111 or 0000 at its end: in no table */
    start(0, 0, 0);
    plug(0, 0);
    cable_set_tap(b.cable, tap, &f);
    run(500);
    ck_assert_uint_eq(stats(1).received.not_in_table, 1);
    ck_assert_uint_eq(stats(0).received.not_in_table + stats(0).received.disparity, 0);
    cable_set_tap(b.cable, NULL, NULL);
    run(10);
    ck_assert_uint_le(f.calls[0], 502);
}

TEST(a_tap_changes_words_before_coding)
{
    fault f = {.from = 0, .word = 300, .swap = 1};
    start(0, 0, 0);
    plug(0, 0);
    cable_set_tap(b.cable, tap, &f);
    bring_up();
    ck_assert_uint_eq(b.chip[1].seen_at[0], 0);
    run(250);
    ck_assert_uint_ne(b.chip[1].seen_at[0], 0);
    ck_assert_uint_eq(stats(0).received.not_in_table + stats(0).received.disparity, 0);
    ck_assert_uint_eq(stats(0).words - stats(0).idle_words,
                      2); /* that word, and the zeros before the chip's first edge */
}

TEST(a_cut_stops_one_direction_until_it_is_reconnected)
{
    int lanes = 0;

    ready(50, -50, 999);
    for (int i = 0; i < 40; i++) {
        cable_cut(b.cable, CABLE_A_TO_B);
        cable_cut(b.cable, CABLE_A_TO_B);
        run(30);
        ck_assert_int_eq(b.chip[1].rx_loss_of_sync, 1);
        ck_assert_int_eq(b.chip[0].rx_loss_of_sync, 0);
        cable_reconnect(b.cable, CABLE_BOTH);
        run(250);
        ck_assert_int_eq(b.chip[1].rx_loss_of_sync, 0);
        lanes |= 1 << cable_alignment(b.cable, 0, 0);
    }
    ck_assert_int_eq(lanes, 15);
    ck_assert_uint_eq(stats(0).received.sync_losses, 40);
    ck_assert_uint_eq(stats(0).received.bring_ups, 41);
    ck_assert_uint_eq(stats(1).received.sync_losses, 0);
}

TEST(words_on_the_wire_are_lost_at_a_cut)
{
    ready(0, 0, 0);
    b.chip[0].next[0] = 0x8fb5aa55aull;
    run(1);
    b.chip[0].next[0] = IDLE;
    run(10); /* halfway */
    cable_cut(b.cable, CABLE_A_TO_B);
    run(40);
    cable_reconnect(b.cable, CABLE_A_TO_B);
    run(250);
    ck_assert_int_eq(b.chip[1].rx_loss_of_sync, 0);
    ck_assert_uint_eq(b.chip[1].seen_at[0], 0);
}

TEST(loopback_returns_the_own_words_and_the_cable_comes_back, .to = 3)
{
    start(100, -100, 1);
    b.params.alignment = 0;
    plug(0, 0);
    bring_up();
    b.chip[0].loopback[0] = (uint8_t)(1 + _i);
    b.chip[0].next[0] = IDLE;
    run(250);
    memset(b.chip[0].seen_at, 0, sizeof b.chip[0].seen_at);
    b.chip[0].next[0] = 0x01020304;
    b.chip[1].next[0] = 0x05060708;
    run(60);
    ck_assert_uint_eq(b.chip[0].rx_data[0], 0x01020304);
    ck_assert_uint_eq(b.chip[0].seen_at[0] - b.chip[0].edge_of_data, 21);
    ck_assert_int_eq(b.chip[1].rx_loss_of_sync, 0); /* the link partner still receives */
    b.chip[1].next[0] = IDLE;
    b.chip[0].loopback[0] = 0;
    run(250);
    b.chip[1].next[0] = 0x05060708;
    run(60);
    ck_assert_uint_eq(b.chip[0].rx_loss_of_sync, 0);
    ck_assert_uint_eq(__builtin_popcount(b.chip[0].rx_data[0]), __builtin_popcount(0x05060708)); /* in some lane */
}

TEST(a_transmit_buffer_error_lasts_as_long_as_set)
{
    ready(0, 0, 0);
    cable_tx_buffer_error(b.cable, 0, 5);
    run(20);
    ck_assert_uint_eq(b.chip[0].tx_errors, 5);
    ck_assert_uint_eq(b.chip[1].tx_errors, 0);
}

/* ---- observers and statistics ---- */

typedef struct {
    uint64_t words[2], sop_word, sop_clock, arrival_word, arrival_clock;
    sim_time sop_time, arrival_time;
    unsigned arrivals;
} witness;

static void observe(void *self, int from, uint64_t word, sim_time time, uint64_t clock, const uint32_t *data,
                    const uint8_t *k)
{
    witness *w = self;

    ck_must(word == w->words[from], "the observer misses words");
    w->words[from]++;
    if (from == 0 && k[0] == FRAME_SOP_K && data[0] == FRAME_SOP_DATA) {
        w->sop_word = word;
        w->sop_time = time;
        w->sop_clock = clock;
    }
}

static void arrived(void *self, int from, unsigned link, uint64_t word, sim_time time, uint64_t clock)
{
    witness *w = self;

    ck_must(from == 0 && link == 0, "an arrival of another link");
    w->arrivals++;
    w->arrival_word = word;
    w->arrival_time = time;
    w->arrival_clock = clock;
}

TEST(observers_learn_when_a_frame_left_and_came, .to = 4)
{
    witness w = {0};
    start(0, 0, 0);
    b.params.alignment = _i;
    plug(0, 0);
    for (int i = 0; i < CABLE_OBSERVERS; i++) ck_assert_int_eq(cable_add_observer(b.cable, i ? NULL : observe, &w), 0);
    ck_assert_int_eq(cable_add_observer(b.cable, observe, &w), -1);
    start(0, 0, 0); /* a cable with observers that are NULL cannot run: a new one */
    b.params.alignment = _i;
    plug(0, 0);
    ck_assert_int_eq(cable_add_observer(b.cable, observe, &w), 0);
    cable_set_arrival(b.cable, arrived, &w);
    bring_up();
    b.chip[0].next[0] = (uint64_t)FRAME_SOP_K << 32 | FRAME_SOP_DATA;
    run(1);
    b.chip[0].next[0] = IDLE;
    run(60);
    ck_assert_uint_eq(w.sop_clock, b.chip[0].edge_of_data);
    ck_assert_uint_eq(w.sop_time, (w.sop_clock - 1) * PERIOD);
    ck_assert_uint_eq(w.arrivals, 1);
    ck_assert_uint_eq(w.arrival_word, w.sop_word);
    ck_assert_uint_eq(w.arrival_clock - w.sop_clock, 23);
    ck_assert_uint_eq(w.arrival_time - w.sop_time, 23 * PERIOD);
    ck_assert_uint_eq(stats(0).frames, 1);
    ck_assert_uint_eq(stats(0).words, w.words[0]);
    ck_assert_uint_eq(stats(0).idle_words, stats(0).words - 2); /* before the chip's first edge its port held zeros */
    ck_assert_uint_eq(stats(0).bytes, 8);
}

TEST(corrections_are_counted_between_clocks_that_differ)
{
    start(200, -200, 77);
    plug(0, 0);
    run(50000);
    cable_stats forth = stats(0), back = stats(1);
    ck_assert_uint_ge(forth.received.removed, 75); /* 50000 x 4 bytes x 400 ppm = 80 */
    ck_assert_uint_le(forth.received.removed, 84);
    ck_assert_uint_eq(forth.received.repeated, 0);
    ck_assert_uint_ge(back.received.repeated, 75);
    ck_assert_uint_le(back.received.repeated, 84);
    ck_assert_uint_eq(back.received.removed, 0);
}

TEST(parameters_out_of_range_fail_the_simulation, .to = 4)
{
    start(0, 0, 0);
    gt_pins pins = pins_of(&b.chip[0], 0);
    b.params.links = _i == 0 ? 5 : 1;
    b.params.latency_clocks = _i == 1 ? 19 : 23;
    b.params.alignment = _i == 2 ? 4 : 0;
    b.params.loopback_clocks = _i == 3 ? 0 : 21;
    ck_assert_ptr_null(cable_new(b.sim, &b.params, b.clock[0], &pins, b.clock[1], &pins, "wrong"));
    ck_assert_ptr_nonnull(strstr(sim_error(b.sim), "cable wrong"));
}
