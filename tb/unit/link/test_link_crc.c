/* The CRC engines against bit-serial CRCs written from their polynomials, against the published check values, and
 * (body) against zlib. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "crc16_word64.h"
#include "crc32_word64.h"
#include "crc_reference.h"
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "test.h"

#define CHECK_WORD 0x3132333435363738ull /* the first eight bytes of "123456789" */

static sim *s;
static sim_clock *clk;
static crc16_word64 *c16;
static crc32_word64 *c32;

static void setup(void)
{
    s = loud_sim(0);
    clk = make_clock(s, "clk", 12800, 0);
    c16 = crc16_word64_new(s, "c16");
    c32 = crc32_word64_new(s, "c32");
    sim_model_clock(c16->model, clk, c16->clk);
    sim_model_clock(c32->model, clk, c32->clk);
}

static void clock_once(int rst, int first, int step, uint64_t word)
{
    *c16->rst = *c32->rst = (uint8_t)rst;
    *c16->first = *c32->first = (uint8_t)first;
    *c16->step = *c32->step = (uint8_t)step;
    *c16->data = *c32->data = word;
    sim_run(s, sim_now(s) + 12800);
}

TEST_CASE("crc", .setup = setup);

TEST(the_bit_serial_crcs_have_the_published_check_values)
{
    ck_assert_uint_eq(reference_crc16(reference_crc16(CRC16_START, CHECK_WORD, 64), '9', 8), 0x29b1);
    ck_assert_uint_eq(reference_crc32(reference_crc32(CRC32_START, CHECK_WORD, 64), '9', 8), 0x0376e6e7);
}

TEST(eight_bytes_by_the_engine_and_one_bit_by_bit_give_the_check_values)
{
    clock_once(1, 0, 0, 0);
    clock_once(0, 1, 1, CHECK_WORD);
    ck_assert_uint_eq(reference_crc16(*c16->crc, '9', 8), 0x29b1);
    ck_assert_uint_eq(reference_crc32(*c32->crc, '9', 8), 0x0376e6e7);
}

TEST(long_sequences_agree_with_the_bit_serial_crcs)
{
    uint16_t want16 = 0xffff;
    uint32_t want32 = 0xffffffff;

    clock_once(1, 0, 0, 0);
    for (int i = 0; i < 5000; i++) {
        uint64_t word = i < 64 ? 1ull << i : sim_random(s);
        int first = i < 64 || sim_random_below(s, 50) == 0, step = sim_random_below(s, 4) != 0;
        if (step) {
            want16 = reference_crc16(first ? 0xffff : want16, word, 64);
            want32 = reference_crc32(first ? 0xffffffff : want32, word, 64);
        }
        clock_once(0, first, step, word);
        ck_assert_uint_eq(*c16->crc, want16);
        ck_assert_uint_eq(*c32->crc, want32);
    }
}

TEST(reset_gives_the_initial_values)
{
    clock_once(0, 1, 1, 42);
    clock_once(1, 0, 1, 42);
    ck_assert_uint_eq(*c16->crc, 0xffff);
    ck_assert_uint_eq(*c32->crc, 0xffffffff);
    clock_once(0, 0, 1, CHECK_WORD);
    ck_assert_uint_eq(reference_crc16(*c16->crc, '9', 8), 0x29b1);
}

static unsigned reversed(unsigned x, int bits)
{
    unsigned r = 0;

    for (int i = 0; i < bits; i++) r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

/* zlib has the same polynomial reflected and inverted at the end. */
TEST(the_body_crc_is_that_of_zlib_with_all_bits_turned_round)
{
    uint8_t bytes[8 * 62];

    clock_once(1, 0, 0, 0);
    for (unsigned i = 0; i < 62; i++) {
        uint64_t word = sim_random(s);
        for (unsigned j = 0; j < 8; j++)
            bytes[8 * i + j] = (uint8_t)reversed((unsigned)(word >> (56 - 8 * j)) & 255, 8);
        clock_once(0, i == 0, 1, word);
    }
    ck_assert_uint_eq(*c32->crc, reversed((unsigned)crc32(0, bytes, sizeof bytes) ^ 0xffffffffu, 32));
}
