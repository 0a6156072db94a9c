/* The CRC engines of 32 bits per step against the bit-serial ones, and against the published check values
 * (CRC-16/IBM-3740, CRC-32/MPEG-2).
 */
#include <stdlib.h>

#include "crc16_word32.h"
#include "crc32_sums32.h"
#include "crc32_word32.h"
#include "crc_reference.h"
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "test.h"

static sim *s;
static sim_clock *clk;
static crc16_word32 *header;
static crc32_word32 *body;

static void setup(void)
{
    s = loud_sim(0);
    clk = make_clock(s, "clk", 12800, 0);
    header = crc16_word32_new(s, "header");
    body = crc32_word32_new(s, "body");
    sim_model_clock(header->model, clk, header->clk);
    sim_model_clock(body->model, clk, body->clk);
}

static void clock_with(int clear, int step, uint32_t data)
{
    *header->clear = *body->clear = (uint8_t)clear;
    *header->step = *body->step = (uint8_t)step;
    *header->data = *body->data = data;
    sim_run(s, sim_now(s) + 12800);
}

TEST_CASE("crc", .setup = setup);

TEST(any_words_with_pauses)
{
    uint16_t c16 = 0xffff;
    uint32_t c32 = 0xffffffff;

    clock_with(1, 0, 0);
    for (int i = 0; i < 3000; i++) {
        uint32_t word = (uint32_t)sim_random(s);
        int clear = sim_random_below(s, 50) == 0, step = sim_random_below(s, 4) != 0;
        clock_with(clear, step, word);
        if (clear) c16 = 0xffff, c32 = 0xffffffff; /* wins over step */
        else if (step) c16 = reference_crc16(c16, word, 32), c32 = reference_crc32(c32, word, 32);
        ck_assert_uint_eq(*header->crc, c16);
        ck_assert_uint_eq(*body->crc, c32);
        /* with the data of the clock that begins now, before its edge */
        *header->data = *body->data = word = (uint32_t)sim_random(s);
        *header->due = *body->due = (uint8_t)sim_random_below(s, 2);
        sim_model_eval(header->model);
        sim_model_eval(body->model);
        ck_assert_uint_eq(*header->crc_next, *header->due ? reference_crc16(c16, word, 32) : 0);
        ck_assert_uint_eq(*body->crc_next, *body->due ? reference_crc32(c32, word, 32) : 0);
    }
}

/* The check values are those of nine bytes "123456789"; the ninth is added bit by bit, by the reference. */
TEST(published_check_values)
{
    clock_with(1, 0, 0);
    clock_with(0, 1, 0x31323334);
    clock_with(0, 1, 0x35363738);
    ck_assert_uint_eq(reference_crc16(*header->crc, '9', 8), 0x29b1);
    ck_assert_uint_eq(reference_crc32(*body->crc, '9', 8), 0x0376e6e7);
}

/* The step of the body CRC for synthesis: the sum is linear, so its 32 bits one by one say all of it; and some others.
 */
TEST(sums_for_synthesis)
{
    crc32_sums32 *sums = crc32_sums32_new(s, "sums");
    for (int i = 0; i < 1000; i++) {
        uint32_t sum = i < 32 ? UINT32_C(1) << i : (uint32_t)sim_random(s);
        *sums->sum = sum;
        sim_model_eval(sums->model);
        ck_assert_uint_eq(*sums->rest, reference_crc32(0, sum, 32));
    }
}
