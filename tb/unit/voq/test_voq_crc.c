/*
 * voq_crc: packets get their CRCs, in clocks that the source leaves free, and nothing else of them changes. The
 * reference is a queue of words made of the input, with CRCs bit by bit (crc_reference); the test also feeds it wrong
 * words.
 */
#include "crc_reference.h"
#include "simulation.h"
#include "voq_crc.h"

enum { LAST_MARK = 2, HEADER_MARK = 1, ENDS_MARK = 4, BAD_MARK = 8, EXPECTED = 8 };

struct out {
    uint64_t data, mask; /* mask: bits that are looked at */
    unsigned marks, path;
};

static struct bench {
    sim *s;
    sim_clock *clk;
    voq_crc *m;
    uint32_t body;
    int bad;
    unsigned path;
    struct out due[EXPECTED]; /* expected output, one in a clock */
    unsigned n;
    unsigned long wrong, words, crcs, corrupted, collisions;
    int lie; /* the reference says a wrong thing in one bit now and then */
} b;

static unsigned below(unsigned n) { return (unsigned)sim_random_below(b.s, n); }

static void expect(uint64_t data, uint64_t mask, unsigned marks)
{
    if (b.lie && below(20) == 0) {
        if (below(2)) data ^= mask & (~mask + 1);
        else marks ^= 1u << below(4);
    }
    b.due[b.n++] = (struct out){data, mask, marks, b.path};
}

/* The output is the word due, if any. */
static void verify(void)
{
    const struct out *o = b.due;

    sim_model_eval(b.m->model);
    b.collisions += *b.m->ev_collision;
    if (!b.n) {
        b.wrong += *b.m->out_valid;
        return;
    }
    uint64_t data = b.m->out_data[0] | (uint64_t)b.m->out_data[1] << 32;
    b.wrong += !*b.m->out_valid || ((data ^ o->data) & o->mask) ||
               (b.m->out_data[2] & ~(o->mask == ~0ull ? 0u : ENDS_MARK)) != o->marks || *b.m->out_path != o->path;
    b.n--;
    for (unsigned i = 0; i < b.n; i++) b.due[i] = b.due[i + 1];
}

/* One clock, with a word or (valid = 0) a free one with random inputs. */
static void clock_once(int valid, uint64_t data, unsigned marks, unsigned path)
{
    *b.m->in_valid = (uint8_t)valid;
    *b.m->in_path = (uint8_t)path;
    b.m->in_data[0] = (uint32_t)data;
    b.m->in_data[1] = (uint32_t)(data >> 32);
    b.m->in_data[2] = marks;
    if (valid && (marks & HEADER_MARK)) {
        if (*b.m->direct) data = (data & ~(0x7full << 56)) | (uint64_t)*b.m->node_id << 56;
        b.path = path;
        b.body = CRC32_START;
        b.bad = marks >> 3;
        expect(data, ~0ull, marks & (HEADER_MARK | ENDS_MARK));
        expect(reference_crc16(CRC16_START, data, 64), 0xffffffff, 0);
        b.crcs++;
    } else if (valid) {
        b.body = reference_crc32(b.body, data, 64);
        b.bad |= marks >> 3;
        expect(data, ~0ull, 0);
        if (marks & LAST_MARK)
            expect(b.body ^ (unsigned)b.bad, 0xffffffff, b.bad ? BAD_MARK : 0), b.crcs++,
                b.corrupted += (unsigned)b.bad;
    }
    b.words += (unsigned)valid;
    verify();
    run_clocks(b.s, b.clk, 1);
}

static void start(void)
{
    b = (struct bench){.s = loud_sim(0)};
    b.clk = make_clock(b.s, "clk", 10 * SIM_NS, 0);
    b.m = MODEL_AS(voq_crc, make_clocked(b.s, b.clk, &voq_crc_config, "dut"), NULL);
    *b.m->rst = 1;
    *b.m->direct = *b.m->node_id = 0;
    *b.m->in_valid = 0;
    run_clocks(b.s, b.clk, 2);
    *b.m->rst = 0;
}

static void free_clocks(unsigned n)
{
    while (n--) clock_once(0, sim_random(b.s), below(16), below(4));
}

/* Packets with pauses; some are never finished, some have bad words. Ends with two free clocks. */
static void traffic(unsigned packets)
{
    while (packets--) {
        unsigned words = below(4) ? 1 + below(6) : 1 + below(512), path = below(4),
                 cut = below(8) ? words : below(words);
        int pauses = below(3) == 0, bad = below(4) == 0;

        *b.m->direct = (uint8_t)below(2);
        *b.m->node_id = (uint8_t)below(128);
        clock_once(1, sim_random(b.s), HEADER_MARK | (below(2) ? ENDS_MARK : 0) | (below(2) ? LAST_MARK : 0), path);
        free_clocks(1);
        for (unsigned i = 0; i < cut; i++) {
            while (pauses && below(2)) free_clocks(1);
            clock_once(1, sim_random(b.s), (i == words - 1 ? LAST_MARK : 0) | (bad && below(words) == 0 ? BAD_MARK : 0),
                       path);
        }
        free_clocks(1 + (below(3) ? 0 : below(5)));
    }
}

TEST_CASE("voq_crc", .timeout = 60, .setup = start);

TEST(every_packet_gets_its_crcs_and_keeps_its_words)
{
    traffic(2000);
    ck_assert_uint_eq(b.wrong + b.collisions, 0);
    ck_assert_uint_gt(b.words, 50000);
    ck_assert_uint_gt(b.crcs, 3000);
    ck_assert_uint_gt(b.corrupted, 100);
}

/* Header and words of test_link_transmit, with CRCs of another program. */
TEST(a_packet_has_the_crcs_that_another_program_gives_it)
{
    clock_once(1, 0x0348140212345678ull, HEADER_MARK, 1);
    ck_assert_uint_eq(b.n, 1);
    ck_assert_uint_eq(b.due[0].data, 0x5b80);
    free_clocks(1);
    clock_once(1, 0x0123456789abcdefull, 0, 1);
    clock_once(1, 0xfedcba9876543210ull, LAST_MARK, 1);
    ck_assert_uint_eq(b.n, 1);
    ck_assert_uint_eq(b.due[0].data, 0x16e11a02);
    free_clocks(2);
    ck_assert_uint_eq(b.wrong, 0);
}

TEST(the_test_finds_a_wrong_bit_or_mark)
{
    b.lie = 1;
    traffic(200);
    ck_assert_uint_gt(b.wrong, 20);
}

TEST(a_word_in_the_clock_of_a_crc_is_reported, .to = 2)
{
    clock_once(1, sim_random(b.s), HEADER_MARK, 0);
    free_clocks((unsigned)_i);
    clock_once(1, sim_random(b.s), LAST_MARK, 0); /* _i = 0: too early, the CRC of the header is lost */
    if (_i) clock_once(1, sim_random(b.s), HEADER_MARK, 0);
    free_clocks(2);
    ck_assert_uint_eq(b.collisions, 1);
    ck_assert_uint_gt(b.wrong, 0);
}
