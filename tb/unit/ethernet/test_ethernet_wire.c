/* The line between two Ethernet ends: duration of a frame, and each fault, at random and by plan. Times are worked out
 * here by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/splitmix64.h"
#include "sim/model/ethernet/ethernet_wire.h"
#include "sim/traffic/faults/line.h"
#include "test.h"

enum { MOST = 4096 };

/* Frames that have arrived at b, in order: the number that the sender put into its first bytes. */
static struct {
    ethernet_wire *wire;
    char error[ETHERNET_ERROR];
    unsigned count;
    struct {
        uint32_t number;
        size_t length;
        int bad_fcs;
        sim_time time;
        uint8_t bytes[256];
    } got[MOST];
} b;

static void take(void *self, const uint8_t *frame, size_t length, int bad_fcs, sim_time time)
{
    (void)self;
    if (b.count == MOST) return;
    memcpy(&b.got[b.count].number, frame, 4);
    memcpy(b.got[b.count].bytes, frame, length < 256 ? length : 256);
    b.got[b.count].length = length;
    b.got[b.count].bad_fcs = bad_fcs;
    b.got[b.count++].time = time;
}

static ethernet_wire_params defaults(void)
{
    ethernet_wire_params p;

    ethernet_wire_params_default(&p);
    return p;
}

CLEANUP(ethernet_wire_free);

static void start(const ethernet_wire_params *p)
{
    clean_up();
    memset(&b, 0, sizeof b);
    b.wire = ethernet_wire_new(p, b.error);
    ck_assert_msg(b.wire != NULL, "%s", b.error);
    after_test(ethernet_wire_free_cleanup, b.wire);
    ethernet_wire_connect(b.wire, 1, take, NULL);
}

static void send_from(int from, uint32_t number, size_t length, sim_time time)
{
    static uint8_t frame[ETHERNET_LONGEST];

    memcpy(frame, &number, 4);
    ck_assert_int_eq(ethernet_wire_send(b.wire, from, frame, length, 0, time), 0);
}

/* So many frames of 100 bytes from a, numbered from 0; all that happens then. */
static void send_all(unsigned frames)
{
    for (unsigned i = 0; i < frames; i++) send_from(0, i, 100, 0);
    ethernet_wire_run(b.wire, SIM_MS * 100);
}

static void plan(const char *text) { ck_assert_msg(!ethernet_wire_plan(b.wire, text, b.error), "%s", b.error); }

/* The numbers that have arrived. */
static void expect(const char *numbers)
{
    char got[512] = "";
    size_t used = 0;

    for (unsigned i = 0; i < b.count && used < sizeof got - 16; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%u", i ? " " : "", b.got[i].number);
    ck_assert_str_eq(got, numbers);
}

TEST_CASE("line");

/* 10 Gb/s: 800 ps a byte; 100 Gb/s: 80. A frame of 60: 8 + 60 + 4 + 12 = 84 bytes of line, and arrives 72 after it
 * began. */
TEST(a_frame_takes_preamble_fcs_and_gap, .to = 3)
{
    static const struct {
        uint64_t rate;
        sim_time byte;
    } rates[] = {{10000000000u, 800}, {100000000000u, 80}, {1000000000u, 8000}};
    static const size_t lengths[] = {60, 61, 1514, 42, 9216, 60};
    ethernet_wire_params p = defaults();
    sim_time begin = 1000;

    p.rate = rates[_i].rate;
    start(&p);
    for (unsigned i = 0; i < 6; i++) send_from(0, i, lengths[i], 1000);
    ethernet_wire_run(b.wire, SIM_MS);
    ck_assert_uint_eq(b.count, 6);
    for (unsigned i = 0; i < 6; i++) {
        sim_time length = lengths[i] < 60 ? 60 : lengths[i],
                 expected = begin + (8 + length + 4) * rates[_i].byte + 500000;

        ck_assert_uint_eq(b.got[i].number, i);
        ck_assert_uint_eq(b.got[i].length, length);
        ck_assert_uint_le(b.got[i].time - expected + 100, 200); /* a frame starts with a whole bit */
        begin += (8 + length + 4 + 12) * rates[_i].byte;
    }
    ck_assert_uint_le(ethernet_wire_idle_at(b.wire, 0) - begin + 100, 1100);
    ck_assert_uint_eq(ethernet_wire_idle_at(b.wire, 1), 0); /* the other direction has a line of its own */
    ck_assert_uint_eq(ethernet_wire_next(b.wire), SIM_FOREVER);
}

TEST(a_line_does_not_drift)
{
    ethernet_wire_params p = defaults();

    p.rate = 7000000000u; /* a byte takes 1142.857 ps */
    start(&p);
    for (unsigned i = 0; i < 7000; i++) send_from(0, i, 976, 0);
    ck_assert_uint_eq(ethernet_wire_idle_at(b.wire, 0), 8 * SIM_MS);
}

TEST(frames_are_filled_up_or_left_short)
{
    ethernet_wire_params p = defaults();

    start(&p);
    send_from(0, 7, 42, 0);
    ethernet_wire_run(b.wire, SIM_MS);
    ck_assert_uint_eq(b.got[0].length, 60);
    p.pad = 0;
    start(&p);
    send_from(0, 7, 42, 0);
    ethernet_wire_run(b.wire, SIM_MS);
    ck_assert_uint_eq(b.got[0].length, 42);
}

TEST(nothing_happens_before_its_time)
{
    ethernet_wire_params p = defaults();

    start(&p);
    send_from(0, 0, 60, 0); /* 72 bytes of 800 ps, 500 ns */
    ck_assert_uint_eq(ethernet_wire_next(b.wire), 57600);
    ethernet_wire_run(b.wire, 557599);
    ck_assert_uint_eq(b.count, 0);
    ethernet_wire_run(b.wire, 557600);
    ck_assert_uint_eq(b.count, 1);
}

TEST(longer_than_a_frame_may_be_is_refused)
{
    static uint8_t frame[ETHERNET_LONGEST + 1];
    ethernet_wire_params p = defaults();

    start(&p);
    ck_assert_int_eq(ethernet_wire_send(b.wire, 0, frame, sizeof frame, 0, 0), -1);
    ck_assert_str_eq(ethernet_wire_error(b.wire), "a frame is longer than 9216 bytes");
}

TEST_CASE("plans");

TEST(a_plan_strikes_the_frames_it_names, .to = 11)
{
    static const struct {
        const char *plan, *arrived;
    } rows[] = {
        {"lose a 8", "0 1 2 3 4 5 6 7"},
        {"lose a 2", "0 1 3 4 5 6 7"},
        {"lose b 2", "0 1 2 3 4 5 6 7"},
        {"lose a 0; lose a 5..7", "1 2 3 4"},
        {"duplicate a 3", "0 1 2 3 3 4 5 6 7"},
        {"delay a 1 by 1", "0 2 1 3 4 5 6 7"},
        {"delay a 1 by 4;delay a 2 by 1 ", "0 3 2 4 5 6 1 7"},   /* one that is held does not pass */
        {"delay a 6 by 16", "0 1 2 3 4 5 7 6"},                  /* none come: it goes on after 10 us */
        {"lose a 3; duplicate a 3..4", "0 1 2 4 4 5 6 7"},       /* the first one counts */
        {"lose line 3; cut line at 684ns for 6ns", "0 2 4 5 7"}, /* 6 leaves at 684.8, 1 arrives at 688.8 */
        {"lose a 100%; lose a 0%", "0 1 2 3 4 5 6 7"},           /* the last one is in force */
    };
    ethernet_wire_params p = defaults();

    start(&p);
    plan(rows[_i].plan);
    send_all(8);
    expect(rows[_i].arrived);
}

TEST(a_held_frame_goes_on_after_the_time_for_it)
{
    ethernet_wire_params p = defaults();

    p.hold = 3 * SIM_US;
    start(&p);
    plan("delay a 0 by 2");
    send_all(1);
    ck_assert_uint_eq(b.got[0].time, (8 + 100 + 4) * 800 + 3 * SIM_US + 500 * SIM_NS);
    start(&p);
    plan("delay a 0..1 by 1"); /* the first one's going on does not count for the second */
    send_all(2);
    ck_assert_uint_eq(b.got[1].time - b.got[0].time, (8 + 100 + 4 + 12) * 800);
}

TEST(a_flip_turns_one_bit_and_the_fcs_tells_or_not, .to = 2)
{
    static const char *const plans[] = {"flip a 1 bit 83", "spoil a 1 bit 883"}; /* 883 = 83 + 8 x 100 */
    ethernet_wire_params p = defaults();

    start(&p);
    plan(plans[_i]);
    send_all(3);
    expect("0 1 2");
    for (unsigned i = 0; i < 3; i++) {
        uint8_t expected[100] = {(uint8_t)i};

        if (i == 1) expected[10] = 8;
        ck_assert_mem_eq(b.got[i].bytes, expected, 100);
        ck_assert_int_eq(b.got[i].bad_fcs, i == 1 && _i);
    }
}

/* Frame i of 100 bytes has left at 124 x 800 x i + 89600 ps and arrives 500 ns later. */
TEST(a_cut_takes_what_leaves_or_arrives_then)
{
    ethernet_wire_params p = defaults();

    start(&p);
    plan("cut a at 700ns for 300ns"); /* 7..9 leave then (784.0, 883.2, 982.4), 2..4 arrive (788.0, 887.2, 986.4) */
    send_all(12);
    expect("0 1 5 6 10 11");
    ck_assert_uint_eq(ethernet_wire_get_stats(b.wire, 0).struck[ETHERNET_CUT], 6);
    start(&p);
    ethernet_wire_cut(b.wire, 0);
    send_all(2);
    ethernet_wire_reconnect(b.wire, 0);
    send_all(3);
    expect("0 1 2");
}

static ethernet_fault strike_fives(void *self, int from, uint64_t number, const uint8_t *frame, size_t length)
{
    ck_assert_int_eq(from, 0);
    ck_assert_uint_eq(length, 100);
    ++*(unsigned *)self;
    (void)number;
    return (ethernet_fault){frame[0] == 5 ? ETHERNET_LOSE : ETHERNET_NO_FAULT, 0};
}

TEST(a_tap_strikes_by_contents)
{
    ethernet_wire_params p = defaults();
    unsigned seen = 0;

    start(&p);
    ethernet_wire_set_tap(b.wire, strike_fives, &seen);
    ck_assert_int_eq(ethernet_wire_strike(b.wire, 0, 1, 2, (ethernet_fault){ETHERNET_DUPLICATE, 0}), 0);
    ck_assert_uint_eq(ethernet_wire_get_stats(b.wire, 0).unplanned, 2);
    send_all(8);
    expect("0 1 1 2 2 3 4 6 7");
    ck_assert_uint_eq(seen, 6); /* not those of the plan */
    ck_assert_uint_eq(ethernet_wire_get_stats(b.wire, 0).unplanned, 0);
}

TEST(a_wrong_plan_says_what_was_expected, .to = 16)
{
    static const struct {
        const char *plan, *error;
    } rows[] = {
        {"loose a 3", "column 1: 'loose', expected one of lose, duplicate, delay, flip, spoil, cut"},
        {"lose a 1; lose c 3", "column 16: 'c', expected a, b or line"},
        {"lose a", "column 7: end, expected frames such as 17 or 10..20, or a percentage"},
        {"lose a 5..4", "column 8: '5..4', expected frames such as 17 or 10..20, or a percentage"},
        {"lose a 0..18446744073709551615",
         "column 8: '0..18446744073709551615', expected frames such as 17 or 10..20, or a percentage"},
        {"lose a 101%", "column 8: '101%', expected frames such as 17 or 10..20, or a percentage"},
        {"lose a at 4us", "column 8: 'at', expected frames such as 17 or 10..20, or a percentage"},
        {"lose a 4 5", "column 10: '5', expected ; or the end"},
        {"lose a 4 times 5", "column 10: 'times', expected ; or the end"},
        {"delay a 4", "column 10: end, expected by and a number"},
        {"delay a 4 by 0", "column 14: '0', expected a number, 1 or more"},
        {"delay a 4 by 1.5", "column 14: '1.5', expected a number, 1 or more"},
        {"flip b 4 by 3", "column 10: 'by', expected bit, ; or the end"},
        {"cut a at 3us", "column 13: end, expected for and how long"},
        {"cut b at 3 for 5us", "column 10: '3', expected a time, as 20us (ns, us, ms)"},
        {"cut b 20..30", "column 7: '20..30', expected at"},
        {"lose a 1; ", "column 11: end, expected one of lose, duplicate, delay, flip, spoil, cut"},
    };
    ethernet_wire_params p = defaults();

    start(&p);
    ck_assert_int_eq(ethernet_wire_plan(b.wire, rows[_i].plan, b.error), -1);
    ck_assert_str_eq(b.error, rows[_i].error);
    send_all(3);
    expect("0 1 2"); /* nothing of it counts */
}

TEST_CASE("random");

enum { DRAWN = 20000 };

/* So many frames with one fault at 3 %; how often it struck. */
static uint64_t drawn(size_t offset, ethernet_fault_kind kind, uint64_t seed)
{
    ethernet_wire_params p = defaults();

    p.seed = seed;
    memcpy((char *)&p + offset, &(double){0.03}, sizeof(double));
    start(&p);
    send_all(DRAWN);
    ethernet_wire_stats s = ethernet_wire_get_stats(b.wire, 0);
    for (int k = ETHERNET_LOSE; k < ETHERNET_FAULTS; k++)
        if (k != (int)kind) ck_assert_uint_eq(s.struck[k], 0);
    ck_assert_uint_eq(s.frames, DRAWN);
    ck_assert_uint_eq(s.arrived, DRAWN + (kind == ETHERNET_DUPLICATE ? s.struck[kind]
                                          : kind == ETHERNET_LOSE    ? -s.struck[kind]
                                                                     : 0));
    return s.struck[kind];
}

TEST(faults_come_as_often_as_they_should, .to = 5)
{
    static const struct {
        size_t offset;
        ethernet_fault_kind kind;
    } rows[] = {{offsetof(ethernet_wire_params, lose), ETHERNET_LOSE},
                {offsetof(ethernet_wire_params, duplicate), ETHERNET_DUPLICATE},
                {offsetof(ethernet_wire_params, delay), ETHERNET_DELAY},
                {offsetof(ethernet_wire_params, flip), ETHERNET_FLIP},
                {offsetof(ethernet_wire_params, spoil), ETHERNET_SPOIL}};
    double mean = DRAWN * 0.03, sigma = sqrt(mean * 0.97);
    uint64_t first = drawn(rows[_i].offset, rows[_i].kind, 1);

    ck_assert_double_le(fabs((double)first - mean), 5 * sigma);
    ck_assert_uint_eq(first, drawn(rows[_i].offset, rows[_i].kind, 1));
    ck_assert_double_le(fabs((double)drawn(rows[_i].offset, rows[_i].kind, 2) - mean), 5 * sigma);
}

static uint64_t numbers(void)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < b.count; i++) all = splitmix64_mix(all + b.got[i].number);
    return all;
}

TEST(directions_and_seeds_are_independent)
{
    ethernet_wire_params p = defaults();
    uint64_t alone, both;

    p.lose = p.duplicate = p.delay = 0.1;
    start(&p);
    send_all(1000);
    alone = numbers();
    start(&p);
    for (unsigned i = 0; i < 500; i++) send_from(1, i, 300, 0);
    send_all(1000);
    both = numbers();
    ck_assert_uint_eq(alone, both);
    p.seed = 2;
    start(&p);
    send_all(1000);
    ck_assert_uint_ne(alone, numbers());
    ethernet_wire_calm(b.wire);
    b.count = 0;
    send_all(300);
    ck_assert_uint_eq(b.count, 300);
}

TEST(parameters_out_of_range_are_refused)
{
    ethernet_wire_params p = defaults();

    p.lose = 1.5;
    ck_assert_ptr_null(ethernet_wire_new(&p, b.error));
    ck_assert_str_eq(b.error, "wire: lose, duplicate, delay, flip, spoil: expected 0 .. 1");
    p = defaults();
    p.rate = 5;
    ck_assert_ptr_null(ethernet_wire_new(&p, b.error));
    ck_assert_str_eq(b.error, "wire: rate: expected 10^8 .. 4 x 10^11 bit/s");
    p = defaults();
    p.name[1] = "a";
    ck_assert_ptr_null(ethernet_wire_new(&p, b.error));
    p = defaults();
    p.delay_most = 0;
    ck_assert_ptr_null(ethernet_wire_new(&p, b.error));
}
