/* link_record_words: the words of check records and their CRC, against the CRC bit by bit, for every flow. */
#include "crc_reference.h"
#include "link_record_words.h"
#include "simulation.h"

static sim *s;
static sim_clock *clk;
static link_record_words *m;

static void start(void)
{
    s = quiet_sim(0);
    clk = make_clock(s, "clk", 12800, 0);
    m = MODEL_AS(link_record_words, make_clocked(s, clk, &link_record_words_config, "dut"), NULL);
}

/* One clock; returns the word shown in it. Without `take` the inputs are random. */
static uint32_t clock_once(int take, int place, unsigned flow, unsigned units)
{
    *m->take = (uint8_t)take;
    *m->flow = (uint8_t)(take ? flow : sim_random_below(s, 128));
    *m->units = (uint16_t)(take ? units : sim_random_below(s, 4096));
    *m->high = place == 1;
    *m->low = place == 2;
    *m->last = place == 3;
    sim_model_eval(m->model);
    uint32_t word = *m->word;
    run_clocks(s, clk, 1);
    return word;
}

/* Words of records that are not as they should be, over all flows. The CRC that is expected is that of the header with
 * `fault` in it. */
static unsigned wrong_words(uint64_t fault)
{
    unsigned wrong = 0;

    for (unsigned n = 0; n < 2000; n++) {
        unsigned flow = n % 128, units = n < 200 ? 1u << n % 12 : (unsigned)sim_random_below(s, 4096);
        uint64_t header = (uint64_t)flow << 56 | units;

        for (unsigned before = (unsigned)sim_random_below(s, 3); before--;) /* earlier contents are dropped */
            wrong += clock_once(1, 0, (unsigned)sim_random_below(s, 128), (unsigned)sim_random_below(s, 4096)) != 0;
        wrong += clock_once(1, 0, flow, units) != 0;
        wrong += clock_once(0, 1, 0, 0) != header >> 32;
        wrong += clock_once(0, 2, 0, 0) != (uint32_t)header;
        wrong += clock_once(0, 3, 0, 0) != reference_crc16(CRC16_START, header ^ fault, 64);
    }
    return wrong;
}

TEST_CASE("records", .setup = start);

TEST(records_of_every_flow_have_the_right_words_and_crc) { ck_assert_uint_eq(wrong_words(0), 0); }

TEST(the_test_finds_a_wrong_bit_of_flow_and_units)
{
    for (unsigned bit = 0; bit < 12; bit++) ck_assert_uint_eq(wrong_words(1ull << bit), 2000);
    for (unsigned bit = 56; bit < 63; bit++) ck_assert_uint_eq(wrong_words(1ull << bit), 2000);
}
