/* roce_crc32 against zlib's crc32, for both widths, as the CRC of a frame and as an ICRC. */
#include "roce_crc32.h"
#include "roce_crc32_64.h"
#include "roce_icrc_64.h"
#include "roce_icrc_8.h"
#include "simulation.h"

#include <string.h>
#include <zlib.h>

TEST_CASE("roce_crc32", .timeout = 60);

enum { LONGEST = 300, FRAMES = 700 };

/* Parameters: bytes per clock, bytes of FF before the frame, bytes of its first word that do not count, and clocks from
 * the last word to the CRC. */
static const struct {
    const sim_config *config;
    unsigned bytes, lead, skipped, latency;
} kinds[] = {
    {&roce_crc32_config, 8, 0, 0, 5},
    {&roce_crc32_64_config, 64, 0, 0, 8},
    {&roce_icrc_8_config, 8, 8, 6, 5},
    {&roce_icrc_64_config, 64, 8, 14, 8},
};

static sim *s;
static sim_clock *clk;
static sim_model *m;
static const roce_crc32_ports *p;
static unsigned bytes, lead, skipped, latency;

static void bench_new(int kind)
{
    bytes = kinds[kind].bytes, lead = kinds[kind].lead, skipped = kinds[kind].skipped, latency = kinds[kind].latency;
    s = loud_sim(0);
    clk = make_clock(s, "clk", 10 * SIM_NS, 5 * SIM_NS);
    m = make_clocked(s, clk, kinds[kind].config, "dut");
    p = PORTS_AS(roce_crc32, m);
    sim_port_set(&p->rst, 1);
    run_clocks(s, clk, 3);
    sim_port_set(&p->rst, 0);
}

static uint32_t reference(const uint8_t *frame, size_t length)
{
    static const uint8_t ff[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint32_t crc = (uint32_t)crc32(crc32(0, NULL, 0), ff, lead);
    return (uint32_t)crc32(crc, frame + skipped, (uInt)(length - skipped));
}

/* One word of the frame from `at` on; what does not count is random. */
static void drive(const uint8_t *frame, size_t length, size_t at)
{
    size_t count = length - at < bytes ? length - at : bytes;
    uint8_t word[64];
    for (unsigned i = 0; i < bytes; i++)
        word[i] = (at == 0 && i < skipped) || i >= count ? (uint8_t)sim_random(s) : frame[at + i];
    for (unsigned i = 0; i < bytes; i += 8) {
        uint64_t part;
        memcpy(&part, word + i, 8);
        sim_port_set_field(&p->data, 8 * i, 64, part);
    }
    sim_port_set(&p->step, 1);
    sim_port_set(&p->first, at == 0);
    sim_port_set(&p->last, at + count == length);
    sim_port_set(&p->count, at + count == length ? count : sim_random_below(s, 2 * bytes));
}

/* Frames one after the other: of all lengths, then of random ones. idle: [%] of the clocks that have no word. fault:
 * one bit of this frame is not what the reference sees. Returns how many CRCs differ from zlib's, or are not in their
 * clock. */
static unsigned wrong_crcs(unsigned idle, int fault)
{
    static uint32_t expected[FRAMES];
    static uint64_t due[FRAMES];
    unsigned begun = 0, seen = 0, wrong = 0, shortest = skipped + 1;
    uint8_t frame[LONGEST + 64];
    size_t length = 0, at = 0;
    for (uint64_t n = 0; seen < FRAMES; n++) {
        ck_assert_uint_lt(n, 100000);
        sim_port_set(&p->step, 0);
        sim_port_set(&p->first, sim_random_below(s, 2));
        sim_port_set(&p->last, sim_random_below(s, 2));
        if (at == length && begun < FRAMES) {
            length =
                begun + shortest <= LONGEST ? begun + shortest : shortest + sim_random_below(s, LONGEST - shortest + 1);
            at = 0;
            for (unsigned i = 0; i < length; i++) frame[i] = (uint8_t)sim_random(s);
            expected[begun] = reference(frame, length);
            if ((int)begun == fault) frame[length - 1] ^= 0x80;
            begun++;
        }
        if (at < length && !sim_chance(s, idle)) {
            drive(frame, length, at);
            at = at + bytes < length ? at + bytes : length;
            if (at == length) due[begun - 1] = n + latency;
        }
        run_clocks(s, clk, 1);
        if (!sim_port_get(&p->done)) continue;
        /* outputs after the edge of clock n belong to clock n + 1 */
        wrong += sim_port_get(&p->crc) != expected[seen] || due[seen] != n + 1;
        seen++;
    }
    return wrong;
}

TEST(every_length_back_to_back_is_as_zlib_says, .to = COUNT(kinds))
{
    bench_new(_i);
    ck_assert_uint_eq(wrong_crcs(0, -1), 0);
}

TEST(gaps_change_nothing, .to = COUNT(kinds))
{
    bench_new(_i);
    ck_assert_uint_eq(wrong_crcs(60, -1), 0);
}

TEST(a_flipped_bit_is_noticed, .to = COUNT(kinds))
{
    bench_new(_i);
    ck_assert_uint_eq(wrong_crcs(20, 17), 1);
}

static uint32_t crc_of(const uint8_t *frame, size_t length)
{
    for (size_t at = 0; at < length; at += bytes) {
        drive(frame, length, at);
        run_clocks(s, clk, 1);
    }
    sim_port_set(&p->step, 0);
    for (unsigned i = 1; i < latency; i++) {
        ck_assert_uint_eq(sim_port_get(&p->done), 0);
        run_clocks(s, clk, 1);
    }
    ck_assert_uint_eq(sim_port_get(&p->done), 1);
    return (uint32_t)sim_port_get(&p->crc);
}

TEST(the_published_check_value_and_the_remainder_of_a_good_frame, .to = 2)
{
    bench_new(_i);
    static const uint8_t check[] = "123456789\x26\x39\xf4\xcb";
    ck_assert_uint_eq(crc_of(check, 9), 0xcbf43926);
    ck_assert_uint_eq(crc_of(check, 13), 0x2144df1c);
}

TEST(after_a_reset_a_frame_restarts, .to = COUNT(kinds))
{
    bench_new(_i);
    uint8_t frame[200];
    for (unsigned i = 0; i < sizeof frame; i++) frame[i] = (uint8_t)(7 * i);
    drive(frame, sizeof frame, 0);
    sim_port_set(&p->last, 1);
    run_clocks(s, clk, 1);
    sim_port_set(&p->rst, 1);
    sim_port_set(&p->step, 0);
    run_clocks(s, clk, 1);
    sim_port_set(&p->rst, 0);
    for (unsigned i = 0; i < 2 * latency; i++) {
        ck_assert_uint_eq(sim_port_get(&p->done), 0);
        run_clocks(s, clk, 1);
    }
    ck_assert_uint_eq(crc_of(frame, sizeof frame), reference(frame, sizeof frame));
}
