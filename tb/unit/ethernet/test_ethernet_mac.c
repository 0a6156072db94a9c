/* The MAC on pins: rate, word times and bytes in both directions and widths; each rule for a chip, and a chip that
 * breaks it. The chip is a C struct with pins, and for the generated bindings a small module that sends frames back. */
#include <stdlib.h>
#include <string.h>

#include "ethernet_loop.h"
#include "ethernet_loop_64.h"
#include "sim/core/kernel/splitmix64.h"
#include "sim/model/ethernet/ethernet_mac.h"
#include "sim/traffic/faults/line.h"
#include "simulation.h"
#include "test.h"

enum { FRAMES = 64, LONGEST = 2000 };

/* Which rule the chip breaks, in its frame number 2; 0: none. */
enum { GOOD, STOPS, WITHDRAWS, CHANGES, HOLE, PARTLY, NOTHING_KEPT, ENDS_SOON, TOO_LONG };

typedef struct frame {
    size_t length;
    uint8_t bytes[LONGEST];
} frame;

static struct {
    sim *sim;
    sim_clock *clock;
    ethernet_wire *wire;
    ethernet_mac *mac;
    unsigned bytes;
    int ends; /* -1: the run must not end by itself */
    /* pins */
    uint8_t rx_tdata[64], rx_tkeep[8], rx_tlast, rx_tuser, rx_tvalid;
    uint8_t tx_tdata[64], tx_tkeep[8], tx_tlast, tx_tvalid, tx_tready;
    /* frames and pace of the chip */
    frame to_send[FRAMES];
    unsigned sends, sending, breaks, unready;
    size_t sent;
    /* frames received by the chip */
    frame got[FRAMES];
    unsigned gots, bad;
    uint64_t early;
    /* frames at the other end of the wire */
    frame arrived[FRAMES];
    sim_time time[FRAMES];
    unsigned arrivals, arrived_bad;
} b;

static uint64_t seed = 7;

static void fill(frame *f, size_t length)
{
    f->length = length;
    for (size_t i = 0; i < length; i++) f->bytes[i] = (uint8_t)splitmix64(&seed);
}

static void expect_frames(const frame *got, unsigned count, const frame *expected, unsigned expected_count)
{
    ck_assert_uint_eq(count, expected_count);
    for (unsigned i = 0; i < count; i++) {
        ck_assert_msg(got[i].length == expected[i].length, "frame %u: %zu bytes, expected %zu", i, got[i].length,
                      expected[i].length);
        ck_assert_mem_eq(got[i].bytes, expected[i].bytes, got[i].length);
    }
}

static void arrives(void *self, const uint8_t *bytes, size_t length, int bad_fcs, sim_time time)
{
    (void)self;
    ck_assert_uint_lt(b.arrivals, FRAMES);
    frame *f = &b.arrived[b.arrivals];
    f->length = length;
    memcpy(f->bytes, bytes, length < LONGEST ? length : LONGEST);
    b.arrived_bad += bad_fcs != 0;
    b.time[b.arrivals++] = time;
}

/* ---- the chip */

static void chip_sample(void *self)
{
    (void)self;
    if (b.tx_tvalid && b.tx_tready) {
        b.sent += b.bytes;
        if (b.tx_tlast) {
            b.sending++;
            b.sent = 0;
        }
    }
    b.unready += b.tx_tvalid && !b.tx_tready;
    if (b.breaks == STOPS && b.sent && !b.tx_tvalid && b.tx_tready) b.breaks = GOOD;
    if (!b.rx_tvalid) return;
    frame *f = &b.got[b.gots];
    for (unsigned i = 0; i < b.bytes; i++)
        if (b.rx_tkeep[i / 8] >> i % 8 & 1) f->bytes[f->length++] = b.rx_tdata[i];
    ck_assert_uint_le(f->length, LONGEST);
    if (!b.rx_tlast) ck_assert_int_eq(b.rx_tuser, 0);
    else {
        b.bad += b.rx_tuser;
        b.gots++;
    }
}

static void chip_drive(void *self)
{
    const frame *f = &b.to_send[b.sending];
    int here = b.sending == 2, middle = here && b.sent == 2 * b.bytes;
    static unsigned waited;

    (void)self;
    b.tx_tvalid = b.sending < b.sends;
    if (!b.tx_tvalid) return;
    size_t left = f->length - b.sent, count = left < b.bytes ? left : b.bytes;
    memcpy(b.tx_tdata, f->bytes + b.sent, count);
    memset(b.tx_tkeep, 0, sizeof b.tx_tkeep);
    for (unsigned i = 0; i < count; i++) b.tx_tkeep[i / 8] |= (uint8_t)(1u << i % 8);
    b.tx_tlast = left <= b.bytes;
    /* the first word of a frame waits for the MAC */
    int waits = here && !b.sent && !b.tx_tready;
    waited = waits ? waited + 1 : 0;
    if (b.breaks == STOPS && middle) b.tx_tvalid = 0;
    if (b.breaks == WITHDRAWS && waits && waited == 2) b.tx_tvalid = 0, b.breaks = GOOD;
    if (b.breaks == CHANGES && waits) b.tx_tdata[0] ^= (uint8_t)waited;
    if (b.breaks == HOLE && here && b.tx_tlast) b.tx_tkeep[0] ^= 2;
    if (b.breaks == PARTLY && middle) b.tx_tkeep[b.bytes / 8 - 1] &= 0x7f;
    if (b.breaks == NOTHING_KEPT && here && b.tx_tlast) memset(b.tx_tkeep, 0, sizeof b.tx_tkeep);
}

CLEANUP(ethernet_mac_free);
CLEANUP(ethernet_wire_free);

static const ethernet_pins c_pins = {b.rx_tdata, b.rx_tkeep, &b.rx_tlast, &b.rx_tuser,  &b.rx_tvalid,
                                     b.tx_tdata, b.tx_tkeep, &b.tx_tlast, &b.tx_tvalid, &b.tx_tready};

static void start_wire(unsigned bytes, uint64_t gbit)
{
    ethernet_wire_params wp;
    char error[ETHERNET_ERROR];

    clean_up();
    memset(&b, 0, sizeof b);
    seed = 7;
    b.bytes = bytes;
    b.sim = quiet_sim(0);
    b.clock = make_clock(b.sim, "clk", bytes == 8 ? 6400 : 5000, 0);
    ethernet_wire_params_default(&wp);
    wp.rate = gbit * 1000000000u;
    b.wire = ethernet_wire_new(&wp, error);
    ck_assert_msg(b.wire != NULL, "%s", error);
    after_test(ethernet_wire_free_cleanup, b.wire);
    ethernet_wire_connect(b.wire, 1, arrives, NULL);
}

static void start_mac(const ethernet_pins *pins, int strict)
{
    ethernet_mac_params mp;

    ethernet_mac_params_default(&mp, b.bytes);
    mp.strict = strict;
    mp.longest = LONGEST;
    b.mac = ethernet_mac_new(b.sim, b.clock, pins, &mp, b.wire, 0, "mac");
    ck_assert_msg(b.mac != NULL, "%s", sim_error(b.sim));
    after_test(ethernet_mac_free_cleanup, b.mac);
}

static void start(unsigned bytes, int strict)
{
    start_wire(bytes, bytes == 8 ? 10 : 100);
    sim_clock_attach(b.clock, chip_sample, chip_drive, NULL);
    start_mac(&c_pins, strict);
}

static const unsigned widths[] = {8, 64};

TEST_CASE("from the chip");

/* A chip that always has a word sends at the rate of the line: n frames take the bytes of each and 24 more. */
TEST(frames_go_out_back_to_back_and_whole, .to = 2)
{
    uint64_t bytes = 0;
    sim_time byte = widths[_i] == 8 ? 800 : 80, took;

    start(widths[_i], 1);
    for (b.sends = 0; b.sends < FRAMES; b.sends++) {
        fill(&b.to_send[b.sends], b.sends % 3 ? 60 + splitmix64_below(&seed, LONGEST - 60) : 60 + b.sends % 17);
        bytes += b.to_send[b.sends].length + 24;
    }
    ck_assert_int_eq(sim_run(b.sim, 500 * SIM_US), SIM_TIME_LIMIT);
    expect_frames(b.arrived, b.arrivals, b.to_send, FRAMES);
    took = b.time[FRAMES - 1] - b.time[0] + (b.to_send[0].length + 24) * byte;
    ck_assert_uint_ge(took, bytes * byte);
    ck_assert_uint_le(took, bytes * byte + (24 + 5 * widths[_i]) * byte);
    ck_assert_uint_gt(b.unready, 0); /* the gaps */
    ck_assert_uint_eq(b.arrived_bad, 0);
    ck_assert_str_eq(ethernet_mac_first_broken(b.mac), "");
}

TEST(a_chip_that_breaks_a_rule_is_caught, .to = 16)
{
    static const struct {
        unsigned breaks;
        ethernet_mac_rule rule;
        const char *text;
    } rows[] = {
        {STOPS, ETHERNET_MAC_GAP, "expected one in each clock"},
        {WITHDRAWS, ETHERNET_MAC_UNSTABLE, "tvalid fell before the word was taken"},
        {CHANGES, ETHERNET_MAC_UNSTABLE, "a word changed before it was taken"},
        {HOLE, ETHERNET_MAC_KEEP, "tkeep expected to be ones from byte 0 on, then zeros"},
        {PARTLY, ETHERNET_MAC_KEEP, "tkeep expected to be all ones before the last word"},
        {NOTHING_KEPT, ETHERNET_MAC_KEEP, "tkeep expected to be ones from byte 0 on, then zeros"},
        {ENDS_SOON, ETHERNET_MAC_SHORT, "59 bytes, expected 60 or more"},
        {TOO_LONG, ETHERNET_MAC_LONG, "more than 1200 bytes"},
    };
    unsigned row = (unsigned)_i % 8;

    for (int strict = 0; strict < 2; strict++) {
        ethernet_mac_params mp;

        start_wire(widths[_i / 8], 5); /* so that it often waits */
        sim_clock_attach(b.clock, chip_sample, chip_drive, NULL);
        ethernet_mac_params_default(&mp, b.bytes);
        mp.strict = strict;
        mp.longest = 1200;
        b.mac = ethernet_mac_new(b.sim, b.clock, &c_pins, &mp, b.wire, 0, "mac");
        after_test(ethernet_mac_free_cleanup, b.mac);
        for (b.sends = 0; b.sends < 5; b.sends++) fill(&b.to_send[b.sends], 1030);
        if (rows[row].breaks == ENDS_SOON) b.to_send[2].length = 59;
        if (rows[row].breaks == TOO_LONG) fill(&b.to_send[2], 1900);
        b.breaks = rows[row].breaks;
        ck_assert_int_eq(sim_run(b.sim, 20 * SIM_US), strict ? SIM_FAILED : SIM_TIME_LIMIT);
        ck_assert_msg(strstr(ethernet_mac_first_broken(b.mac), rows[row].text) != NULL, "%s",
                      ethernet_mac_first_broken(b.mac));
        ck_assert_msg(strstr(ethernet_mac_first_broken(b.mac), "frame 2 of the chip") != NULL, "%s",
                      ethernet_mac_first_broken(b.mac));
        if (strict) {
            ck_assert_str_eq(sim_error(b.sim), ethernet_mac_first_broken(b.mac));
            continue;
        }
        const ethernet_mac_stats *s = ethernet_mac_get_stats(b.mac);
        for (unsigned rule = 0; rule < ETHERNET_MAC_RULES; rule++)
            ck_assert_int_eq(s->broken[rule] != 0, rule == rows[row].rule);
        ck_assert_uint_eq(b.arrivals, 5);
        ck_assert_uint_eq(b.arrived_bad, 1); /* and the others are as they were */
        ck_assert_mem_eq(b.arrived[4].bytes, b.to_send[4].bytes, 1030);
    }
}

TEST(a_mac_in_reset_takes_nothing)
{
    start(8, 1);
    fill(&b.to_send[0], 1000);
    fill(&b.to_send[1], 1000);
    b.sends = 1;
    sim_run(b.sim, 300 * SIM_NS);
    ck_assert_uint_gt(b.sent, 0);
    ethernet_mac_enable(b.mac, 0);
    b.sending = 1;
    b.sent = 0;
    b.sends = 2;
    ethernet_wire_send(b.wire, 1, b.to_send[0].bytes, 100, 0, sim_now(b.sim));
    sim_run(b.sim, 3 * SIM_US);
    ck_assert_uint_eq(b.gots, 0);
    ethernet_mac_enable(b.mac, 1);
    sim_run(b.sim, 9 * SIM_US);
    expect_frames(b.arrived, b.arrivals, &b.to_send[1], 1);
}

TEST_CASE("to the chip");

/* A word may not be there before its last byte has come: 8 bytes of preamble and itself after the frame has arrived in
 * the middle. */
TEST(frames_come_at_the_rate_of_the_line, .to = 2)
{
    sim_time byte = widths[_i] == 8 ? 800 : 80;
    uint64_t bytes = 0;

    start(widths[_i], 1);
    frame *frames = test_memory(FRAMES * sizeof *frames);
    for (unsigned i = 0; i < FRAMES; i++) {
        fill(&frames[i], i % 4 ? 60 + splitmix64_below(&seed, LONGEST - 60) : 60 + i);
        bytes += frames[i].length + 24;
        ethernet_wire_send(b.wire, 1, frames[i].bytes, frames[i].length, 0, 0);
    }
    ck_assert_int_eq(sim_run(b.sim, 500 * SIM_US), SIM_TIME_LIMIT);
    expect_frames(b.got, b.gots, frames, FRAMES);
    ck_assert_uint_eq(ethernet_mac_waiting(b.mac), 0);
    /* what came first was whole after its 8 + n + 4 bytes, and 500 ns later it came in once more */
    sim_time first = (8 + frames[0].length + 4) * byte + 500 * SIM_NS, last = ethernet_mac_get_stats(b.mac)->rx_last;
    ck_assert_uint_ge(last, first + (bytes - 16) * byte);
    ck_assert_uint_le(last, first + (bytes + LONGEST) * byte + 4 * sim_clock_period(b.clock));
}

TEST(a_wrong_fcs_is_reported_with_the_last_word, .to = 2)
{
    char error[ETHERNET_ERROR];
    frame f;

    start(widths[_i], 1);
    ck_assert_int_eq(ethernet_wire_plan(b.wire, "spoil b 1 bit 9", error), 0);
    fill(&f, 300);
    for (int i = 0; i < 3; i++) ethernet_wire_send(b.wire, 1, f.bytes, f.length, 0, 0);
    sim_run(b.sim, 5 * SIM_US);
    ck_assert_uint_eq(b.gots, 3);
    ck_assert_uint_eq(b.bad, 1);
    ck_assert_uint_eq(ethernet_mac_get_stats(b.mac)->rx_bad, 1);
    ck_assert_mem_eq(b.got[0].bytes, f.bytes, 300);
    f.bytes[1] ^= 2;
    ck_assert_mem_eq(b.got[1].bytes, f.bytes, 300);
}

TEST_CASE("on a model");

TEST(frames_go_through_a_chip_and_back, .to = 2)
{
    uint8_t *rst;
    char error[ETHERNET_ERROR];

    start_wire(widths[_i], widths[_i] == 8 ? 10 : 100);
    frame *frames = test_memory(FRAMES * sizeof *frames);
    if (b.bytes == 8) {
        ethernet_loop *m = MODEL_AS(ethernet_loop, make_clocked(b.sim, b.clock, &ethernet_loop_config, "dut"), NULL);
        rst = m->rst;
        start_mac(ETHERNET_PINS(m), 1);
    } else {
        ethernet_loop_64 *m =
            MODEL_AS(ethernet_loop_64, make_clocked(b.sim, b.clock, &ethernet_loop_64_config, "dut"), NULL);
        rst = m->rst;
        start_mac(ETHERNET_PINS(m), 1);
    }
    ethernet_mac_enable(b.mac, 0);
    *rst = 1;
    sim_run(b.sim, 50 * SIM_NS);
    *rst = 0;
    ethernet_mac_enable(b.mac, 1);
    ck_assert_int_eq(ethernet_wire_plan(b.wire, "spoil b 20 bit 3", error), 0); /* the chip drops it */
    for (unsigned i = 0, n = 0; i < FRAMES; i++) {
        fill(&frames[n], 60 + splitmix64_below(&seed, LONGEST - 60));
        ethernet_wire_send(b.wire, 1, frames[n].bytes, frames[n].length, 0, sim_now(b.sim));
        n += i != 20;
    }
    ck_assert_int_eq(sim_run(b.sim, 500 * SIM_US), SIM_TIME_LIMIT);
    expect_frames(b.arrived, b.arrivals, frames, FRAMES - 1);
}
