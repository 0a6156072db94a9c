/* Transmitter, line and receiver clock by clock, without the simulator: latency, alignment, clock correction, errors.
 * The reference is the list of bytes that was sent; the receiver's output is compared with it after both have been
 * stripped of K28.5. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/cable/code8b10b.h"
#include "sim/model/cable/transceiver.h"
#include "test.h"

enum { PERIOD = 12800, QUARTER = PERIOD / 4, CLOCKS = 22, LOCK = 64 * PERIOD, K28_5 = 0x1bc };

/* A transmitter and a receiver with clocks of their own, and a FIFO of the characters that must still come out. */
static struct {
    gt_line line;
    gt_receiver receiver;
    gt_output seen;
    struct {
        uint32_t data, k, not_in_table, disparity, loss_of_sync, buf_status;
    } output; /* `seen`, field by field */
    double tx_period, rx_period, tx_next, rx_next;
    uint64_t tx_clocks, rx_clocks;
    uint64_t random;
    uint64_t (*next)(void);     /* K flags in [35:32], data in [31:0] */
    unsigned idle_every, count; /* of busy() */
    uint32_t counter;           /* of counting() */
    uint64_t flip;              /* for the next word only */
    uint16_t sent[1 << 16];
    uint64_t sent_count, seen_count, wrong;
    int comparing;
} b;

static uint64_t random64(void)
{
    b.random ^= b.random << 13;
    b.random ^= b.random >> 7;
    b.random ^= b.random << 17;
    return b.random * 0x2545f4914f6cdd1dull;
}

static uint64_t idle_word(void) { return 0xfbcbcbcbcull; }

static void free_line(void *none)
{
    (void)none;
    gt_line_free(&b.line);
}

static void start(double tx_ppm, double rx_ppm, double rx_phase, uint64_t seed)
{
    clean_up();
    memset(&b, 0, sizeof b);
    b.random = seed * 0x9e3779b97f4a7c15ull + 1;
    b.tx_period = PERIOD / (1 + tx_ppm * 1e-6);
    b.rx_period = PERIOD / (1 + rx_ppm * 1e-6);
    b.tx_next = b.tx_period;
    b.rx_next = b.rx_period + rx_phase;
    b.next = idle_word;
    ck_assert_int_eq(gt_line_init(&b.line, 128), 0);
    after_test(free_line, NULL);
    gt_receiver_init(&b.receiver, QUARTER, LOCK, random64());
    gt_receiver_connect(&b.receiver, &b.line, gt_delay(QUARTER, CLOCKS), 0);
}

static void send_clock(void)
{
    uint64_t word = b.next();

    gt_transmit(&b.line, (uint64_t)b.tx_next, (uint32_t)word, (unsigned)(word >> 32), b.flip);
    b.flip = 0;
    for (int lane = 3; lane >= 0; lane--) {
        unsigned symbol = (unsigned)(word >> (32 + lane) & 1) << 8 | (unsigned)(word >> 8 * lane & 0xff);

        if (symbol != K28_5 && b.comparing) b.sent[b.sent_count++ & 0xffff] = (uint16_t)symbol;
    }
    b.tx_clocks++;
    b.tx_next += b.tx_period;
}

static void receive_clock(void)
{
    b.seen = gt_receive(&b.receiver, (uint64_t)b.rx_next);
    b.output.data = b.seen.data;
    b.output.k = b.seen.flags >> GT_K & 15;
    b.output.not_in_table = b.seen.flags >> GT_NOT_IN_TABLE & 15;
    b.output.disparity = b.seen.flags >> GT_DISPARITY & 15;
    b.output.loss_of_sync = b.seen.flags >> GT_LOSS_OF_SYNC & 1;
    b.output.buf_status = b.seen.flags >> GT_BUF_STATUS & 3;
    for (int lane = 3; lane >= 0; lane--) {
        unsigned symbol = (unsigned)(b.output.k >> lane & 1) << 8 | (unsigned)(b.output.data >> 8 * lane & 0xff);

        if (symbol != K28_5 && b.comparing && b.seen_count < b.sent_count)
            b.wrong += b.sent[b.seen_count++ & 0xffff] != symbol;
    }
    b.rx_clocks++;
    b.rx_next += b.rx_period;
}

/* Runs until the receiver has had `clocks` more clocks; at one instant the transmitter comes first. */
static void run(uint64_t clocks)
{
    uint64_t until = b.rx_clocks + clocks;

    while (b.rx_clocks < until) {
        if (b.tx_next <= b.rx_next) send_clock();
        else receive_clock();
    }
}

static void bring_up(void)
{
    run(200);
    ck_assert_int_eq(b.receiver.state, GT_SYNC);
    ck_assert_int_eq(b.output.loss_of_sync, 0);
}

/* Data words that count up, with nothing else. */
static uint64_t counting(void) { return b.counter++; }

TEST_CASE("transceiver", .timeout = 60);

TEST(latency_is_exact_in_every_lane, .to = 4)
{
    uint64_t word = 0, sent_clock = 0;

    start(0, 0, 0, (uint64_t)_i + 1);
    b.receiver.alignment = _i;
    bring_up();
    ck_assert_int_eq(gt_receiver_alignment(&b.receiver), _i);
    run(10);
    b.counter = 0x01020300;
    b.next = counting;
    for (int i = 0; i < 60 && (b.output.k >> (3 - _i) & 1); i++) {
        run(1);
        if (b.tx_clocks && b.counter == 0x01020301) sent_clock = b.tx_clocks;
    }
    /* the first byte of the first data word is in lane _i of this output; the word was the sent_clock-th */
    ck_assert_uint_eq(b.rx_clocks - sent_clock, CLOCKS);
    ck_assert_uint_eq(b.output.data >> 8 * (3 - _i) & 0xff, 0x01);
    word = b.output.data;
    run(1);
    word = word << 32 | b.output.data;
    ck_assert_uint_eq((uint32_t)(word >> (32 - 8 * _i)), 0x01020300);
}

TEST(bring_up_chooses_each_lane_and_shows_loss_of_sync_before)
{
    int lanes[4] = {0};

    for (uint64_t seed = 1; seed <= 200; seed++) {
        start(0, 0, (double)(random64() % PERIOD), seed);
        while (b.receiver.state != GT_SYNC) {
            ck_must(b.rx_clocks < 200, "no synchronisation");
            run(1);
            ck_must(b.output.loss_of_sync == (b.receiver.state != GT_SYNC), "loss_of_sync is %d",
                    b.output.loss_of_sync);
        }
        ck_assert_uint_ge(b.rx_clocks, LOCK / PERIOD);
        lanes[gt_receiver_alignment(&b.receiver)]++;
        ck_assert_uint_eq(b.receiver.stats.bring_ups, 1);
    }
    for (int lane = 0; lane < 4; lane++) ck_assert_int_gt(lanes[lane], 20);
}

static uint64_t zeros(void) { return 0; }

TEST(without_a_comma_sync_never_comes)
{
    start(0, 0, 100, 5);
    b.next = zeros;
    run(5000);
    ck_assert_int_eq(b.output.loss_of_sync, 1);
    ck_assert_int_eq(gt_receiver_alignment(&b.receiver), -1);
    ck_assert_uint_eq(b.receiver.stats.bring_ups, 0);
}

/* Random data and K27.7; one idle word per idle_every words, or none. */
static uint64_t busy(void)
{
    uint64_t r = random64();

    if (b.idle_every && ++b.count % b.idle_every == 0) return idle_word();
    if ((r >> 40 & 0xff) == 0) return 0x8fb5aa55aull;
    return r & 0xffffffff;
}

/* The pairs of clock offsets, and the expected result. */
static const struct {
    double tx, rx;
} offsets[] = {{200, -200}, {-200, 200}, {100, -100}, {0, 0}, {200, 0}, {0, -100}, {-13, 6}};

TEST(no_byte_but_k28_5_is_lost_or_doubled, .to = COUNT(offsets))
{
    uint64_t clocks = 400000;
    double drift = (offsets[_i].tx - offsets[_i].rx) * 1e-6 * 4 * (double)clocks;

    start(offsets[_i].tx, offsets[_i].rx, 1234, (uint64_t)_i + 1);
    bring_up();
    b.next = busy;
    b.idle_every = 2048;
    b.comparing = 1;
    while (b.rx_clocks < clocks) {
        gt_receiver_stats before = b.receiver.stats, *s = &b.receiver.stats;
        uint64_t lane = (uint64_t)gt_receiver_alignment(&b.receiver);

        run(1);
        /* each correction moves the lane by one: earlier for a removed byte, later for a repeated one */
        ck_must(gt_receiver_alignment(&b.receiver) ==
                    (int)((lane - (s->removed - before.removed) + (s->repeated - before.repeated)) & 3),
                "the lane is %d", gt_receiver_alignment(&b.receiver));
        ck_must(!b.output.loss_of_sync && !b.output.not_in_table && !b.output.disparity && !(b.output.buf_status & 2),
                "an error in clock %llu", (unsigned long long)b.rx_clocks);
    }
    ck_assert_uint_eq(b.wrong, 0);
    /* all has come out except the bits in flight */
    ck_assert_uint_lt(b.sent_count - b.seen_count, 4 * CLOCKS + 8);
    /* exactly the drift has been corrected, except for the buffer's filling */
    ck_assert_double_eq_tol(drift - (double)b.receiver.stats.removed + (double)b.receiver.stats.repeated, 0, 16.1);
    if (drift >= 100) ck_assert_uint_eq(b.receiver.stats.repeated, 0);
    if (drift == 0) ck_assert_uint_eq(b.receiver.stats.removed + b.receiver.stats.repeated, 0);
}

TEST(without_idles_the_buffer_error_is_reported, .to = 2)
{
    unsigned error_clocks = 0;
    int lost = 0;

    start(_i ? 200 : -200, _i ? -200 : 200, 0, 3);
    bring_up();
    b.next = busy;
    while (b.receiver.stats.overflows + b.receiver.stats.underflows < 2) {
        ck_must(b.rx_clocks < 200000, "no buffer error");
        run(1);
        error_clocks += b.output.buf_status >> 1;
        lost |= b.output.loss_of_sync;
    }
    run(20);
    ck_assert_uint_eq(_i ? b.receiver.stats.overflows : b.receiver.stats.underflows, 2);
    ck_assert_uint_eq(error_clocks, GT_BUFFER_ERROR_CLOCKS + 1);
    ck_assert(lost);
    b.next = idle_word;
    run(60);
    ck_assert_int_eq(b.output.loss_of_sync, 0);
}

TEST(a_flipped_bit_shows_in_its_byte_only)
{
    uint64_t silent = 0;

    start(0, 0, 0, 9);
    bring_up();
    b.next = busy;
    b.idle_every = 16;
    for (int bit = 0; bit < 40; bit++) {
        b.comparing = 1;
        b.sent_count = b.seen_count = b.wrong = 0;
        run(20);
        b.flip = 1ull << bit;
        uint64_t errors = b.receiver.stats.not_in_table + b.receiver.stats.disparity;
        run(100);
        /* at most one byte is wrong; with an error, now or at a later byte (which is right itself) */
        ck_assert_uint_le(b.wrong, 1);
        errors = b.receiver.stats.not_in_table + b.receiver.stats.disparity - errors;
        ck_assert_uint_ge(errors, 1);
        ck_assert_uint_le(errors, 3);
        silent += b.wrong == 1;
        ck_assert_int_eq(b.output.loss_of_sync, 0);
        b.comparing = 0;
        b.next = idle_word;
        run(60);
        b.next = busy;
    }
    ck_assert_uint_gt(silent, 10);
}

TEST(four_invalid_characters_lose_sync_and_three_do_not)
{
    for (int bad = 3; bad <= 4; bad++) {
        start(0, 0, 0, 7);
        b.receiver.alignment = 0;
        bring_up();
        /* 001111 1010 becomes 001111 1111, 110000 0101 becomes 110000 0000: in no table, and the disparity goes on as
         * sent */
        b.flip = bad == 4 ? 5ull << 30 | 5ull << 20 | 5ull << 10 | 5ull : 5ull << 30 | 5ull << 20 | 5ull << 10;
        run(40);
        ck_assert_uint_eq(b.receiver.stats.not_in_table, bad);
        ck_assert_int_eq(b.receiver.stats.sync_losses != 0, bad == 4);
        ck_assert_int_eq(b.output.loss_of_sync, 0); /* the commas behind have brought it back */
    }
}

TEST(a_cut_shows_noise_and_a_new_bring_up_follows)
{
    int moved = 0;

    for (uint64_t seed = 1; seed <= 30; seed++) {
        unsigned errors = 0;

        start(0, 0, 17, seed);
        bring_up();
        int lane = gt_receiver_alignment(&b.receiver);
        gt_receiver_connect(&b.receiver, NULL, 0, (uint64_t)b.rx_next);
        for (int i = 0; i < 300; i++) {
            run(1);
            ck_must(b.output.loss_of_sync == 1, "in synchronisation with nothing");
            errors += (b.output.not_in_table | b.output.disparity) != 0;
        }
        ck_assert_uint_gt(errors, 150);
        ck_assert_uint_eq(b.receiver.stats.sync_losses, 1);
        gt_receiver_connect(&b.receiver, &b.line, gt_delay(QUARTER, CLOCKS), (uint64_t)b.rx_next);
        bring_up();
        moved += gt_receiver_alignment(&b.receiver) != lane;
        ck_assert_uint_eq(b.receiver.stats.bring_ups, 2);
    }
    ck_assert_int_gt(moved, 10);
}

static uint64_t bad_control(void) { return 0x401000000ull; }

TEST(a_control_character_that_does_not_exist_is_counted_and_caught)
{
    start(0, 0, 0, 2);
    b.receiver.alignment = 0;
    bring_up();
    b.next = bad_control;
    run(1);
    b.next = idle_word;
    run(CLOCKS + 4);
    ck_assert_uint_ge(b.line.bad_controls, 1);
    ck_assert_uint_ge(b.receiver.stats.not_in_table, 1);
}

/* ---- steps with less work ---- */

/* Words of all kinds, each kind for a while. */
static uint64_t mixed(void)
{
    uint64_t r = random64();

    if (r >> 54 == 0) b.count = (unsigned)(r >> 8 & 3);
    switch (b.count) {
    case 0:
        return idle_word();
    case 1:
        return r >> 60 ? r & 0xffffffff : r >> 58 & 1 ? idle_word() : 0x8fb5aa55aull;
    case 2:
        return r >> 61 ? r & 0xffffffff : 0xf3c3c3c3cull; /* commas, but nothing to drop or to repeat */
    default:
        return r >> 60 ? (r >> 56 & 1 ? 0xffbbcbcfbull : 0x3bcfbbcbcull) : r & 0xfffffffff;
    }
}

static void count_frame(void *self, uint64_t word) { *(uint64_t *)self += word; }

TEST(in_step_the_output_is_that_of_the_general_way, .to = COUNT(offsets))
{
    uint64_t frames = 0, frames_general = 0, in_step = 0;

    start(20 * offsets[_i].tx, 20 * offsets[_i].rx, 567, (uint64_t)_i + 1);
    b.receiver.frame_begins = count_frame;
    b.receiver.frame_self = &frames;
    gt_receiver general = b.receiver;
    general.frame_self = &frames_general;
    b.next = mixed;
    while (b.rx_clocks < 100000) {
        uint64_t r = random64();

        if (b.tx_next <= b.rx_next) {
            if (r >> 53 == 0) b.flip = random64() & random64() & (((uint64_t)1 << 40) - 1);
            send_clock();
            continue;
        }
        if (r >> 51 == 0) { /* another listener, another delay */
            const gt_line *line = r & 3 ? &b.line : NULL;
            uint64_t delay = gt_delay(QUARTER, CLOCKS + (r >> 2 & 3));

            b.receiver.frame_begins = general.frame_begins = r & 16 ? count_frame : NULL;
            gt_receiver_connect(&b.receiver, line, delay, (uint64_t)b.rx_next);
            gt_receiver_connect(&general, line, delay, (uint64_t)b.rx_next);
        }
        gt_output expected = gt_receive_any(&general, (uint64_t)b.rx_next);

        in_step += b.receiver.in_step != 0;
        receive_clock();
        ck_must(b.seen.data == expected.data && b.seen.flags == expected.flags,
                "clock %" PRIu64 ": %08" PRIx32 " %04" PRIx32 ", the general way %08" PRIx32 " %04" PRIx32, b.rx_clocks,
                b.seen.data, b.seen.flags, expected.data, expected.flags);
        ck_must(frames == frames_general && b.receiver.read == general.read && b.receiver.state == general.state,
                "clock %" PRIu64 ": frames, groups read or state", b.rx_clocks);
    }
    ck_assert_mem_eq(&b.receiver.stats, &general.stats, sizeof general.stats);
    ck_assert_uint_gt(in_step, b.rx_clocks / 4);
    ck_assert_uint_lt(in_step, b.rx_clocks * 99 / 100);
}
