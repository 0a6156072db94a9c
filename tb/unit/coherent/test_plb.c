/* The PLB port of a processor beside the cache: registers, private PLB, lines, errors, aborted requests, order. */
#include <string.h>

#include "coherent_bench.h"

TEST_CASE("plb", .timeout = 60);

enum { REGISTERS = 0x80000000 };

static coherent_bench *bench(unsigned delay)
{
    coherent_bench *b = coherent_bench_new(&coherent_memory_4_config, delay);
    b->delay = delay;
    for (unsigned i = 0; i < 64; i++) {
        b->registers[i] = 0x1000 + i;
        for (unsigned c = 0; c < 2; c++)
            b->private_words[c][i] = (uint64_t)(c + 1) << 56 | (uint64_t)i << 32 | (i + 100);
    }
    return b;
}

TEST(registers_are_read_and_written_by_word_and_byte, .to = 4)
{
    coherent_bench *b = bench((unsigned)_i);
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(load(b, i & 1, REGISTERS + 4 * i), 0x1000 + i);
        store(b, i & 1, REGISTERS + 4 * i, 77 * i);
        ck_assert_uint_eq(b->registers[i], 77 * i);
        plb_access byte = {.address = REGISTERS + 4 * i, .write = 1, .be = i & 1 ? 0x02 : 0x20};
        byte.data[0] = 0xaabbccddaabbccdd;
        make_access(b, 0, &byte);
        ck_assert_uint_eq(b->registers[i], ((77 * i) & ~0xff00u) | 0xcc00);
    }
    ck_assert_uint_eq(b->errors, 0);
}

TEST(private_words_and_lines_pass, .to = 8)
{
    static const uint32_t bases[] = {0x00000000, 0x3ffff000, 0xc0000000, 0xfffff000};
    coherent_bench *b = bench((unsigned)_i / 4);
    uint32_t base = bases[_i % 4];
    for (unsigned c = 0; c < 2; c++) {
        ck_assert_uint_eq(load(b, c, base + 8 * 5 + 4), 105);
        ck_assert_uint_eq(load(b, c, base + 8 * 5), (c + 1) << 24 | 5);
        store(b, c, base + 8 * 5, 0xabc);
        ck_assert_uint_eq(b->private_words[c][5], 0xabcull << 32 | 105);
        plb_access line = {.address = base + 32, .write = 1, .line = 1, .be = 0xff, .data = {1, 2, 3, 4}};
        make_access(b, c, &line);
        for (unsigned w = 0; w < 4; w++) ck_assert_uint_eq(b->private_words[c][4 + w], w + 1);
        line = (plb_access){.address = base + 64, .line = 1, .be = 0xff};
        make_access(b, c, &line);
        for (unsigned w = 0; w < 4; w++) ck_assert_uint_eq(line.data[w], b->private_words[c][8 + w]);
    }
    ck_assert_uint_eq(b->errors, 0);
}

TEST(a_line_of_coherent_memory_is_four_words)
{
    coherent_bench *b = bench(0);
    plb_access line = {.address = at(3, 0), .write = 1, .line = 1, .be = 0xff, .data = {11, 12, 13, 14}};
    make_access(b, 0, &line);
    line = (plb_access){.address = at(3, 8), .line = 1, .be = 0xff}; /* words from 0 on all the same */
    make_access(b, 1, &line);
    for (unsigned w = 0; w < 4; w++) ck_assert_uint_eq(line.data[w], 11 + w);
}

static const struct {
    const char *what;
    plb_access access;
    unsigned errors; /* acknowledges with `err` */
} wrong[] = {
    {"no range, load", {.address = 0x70000000, .be = 0xf0}, 1},
    {"no range, store", {.address = 0x80100000, .write = 1, .be = 0xf0}, 1},
    {"no range, line", {.address = 0xb0000000, .line = 1, .be = 0xff}, 4},
    {"no range, line written", {.address = 0x70000020, .write = 1, .line = 1, .be = 0xff}, 4},
    {"a line of registers", {.address = REGISTERS, .line = 1, .be = 0xff}, 4},
    {"a line into registers", {.address = REGISTERS + 32, .write = 1, .line = 1, .be = 0xff}, 4},
    {"a register that is not there", {.address = REGISTERS + 0x200, .be = 0xf0}, 1},
    {"a store that registers refuse", {.address = REGISTERS + 0x104, .write = 1, .be = 0x0f}, 1},
};

TEST(what_nobody_serves_is_acknowledged_with_an_error, .to = COUNT(wrong))
{
    coherent_bench *b = bench(2);
    plb_access a = wrong[_i].access;
    make_access(b, (unsigned)_i & 1, &a);
    coherent_bench_clocks(b, 2);
    ck_assert_msg(b->errors == wrong[_i].errors, "%s: %u errors, expected %u", wrong[_i].what, (unsigned)b->errors,
                  wrong[_i].errors);
    ck_assert_uint_eq(b->error_address, wrong[_i].access.address);
    ck_assert_int_eq(b->error_write, wrong[_i].access.write);
    for (unsigned i = 0; i < 64; i++) ck_assert_uint_eq(b->registers[i], 0x1000 + i);
    store(b, (unsigned)_i & 1, at(0, 0), 5); /* and nothing hangs */
    ck_assert_uint_eq(load(b, (unsigned)_i & 1, at(0, 0)), 5);
}

TEST(errors_of_the_private_plb_reach_the_processor)
{
    coherent_bench *b = bench(1);
    load(b, 0, 0x1000);
    ck_assert_uint_eq(b->errors, 1);
    load(b, 0, 0x2000);
    ck_assert_uint_eq(b->errors, 1);
}

static plb_access withdrawn;
static int shown;

static int withdraws(coherent_bench *b, unsigned c, plb_access *a)
{
    (void)b;
    if (c || shown) return 0;
    shown = 1;
    *a = withdrawn;
    return 1;
}

TEST(an_aborted_request_leaves_no_trace, .to = 6)
{
    static const uint32_t to[] = {0x40000000, 0x40000000, REGISTERS + 8, 8, 0x70000000, 0x40000000 + 0x20000000};
    coherent_bench *b = bench(0);
    withdrawn = (plb_access){.address = to[_i], .write = _i != 5, .be = 0xf0, .data = {0xdead00000000}, .cancel = 1};
    withdrawn.line = _i == 1;
    uint32_t before = load(b, 0, at(0, 0));
    shown = 0;
    b->next = withdraws;
    coherent_bench_clocks(b, 60);
    ck_assert_uint_eq(load(b, 0, at(0, 0)), before);
    ck_assert_uint_eq(b->registers[2], 0x1002);
    ck_assert_uint_eq(b->private_words[0][1], 1ull << 56 | 1ull << 32 | 101);
    ck_assert_uint_eq(b->errors, 0);
}

/* A store that misses, then a store to a register: the register sees it when the line is here. */
static unsigned step;

static int in_turn(coherent_bench *b, unsigned c, plb_access *a)
{
    (void)b;
    if (c || step == 2) return 0;
    *a = (plb_access){.address = step++ ? REGISTERS + 4 : at(5, 0), .write = 1, .be = 0xff, .data = {5}};
    return 1;
}

TEST(a_register_is_written_behind_the_stores_before_it)
{
    coherent_bench *b = bench(0);
    step = 0;
    b->next = in_turn;
    for (unsigned n = 0; b->registers[1] != 5; n++) {
        ck_assert_uint_lt(n, 200);
        coherent_bench_clocks(b, 1);
    }
    ck_assert_uint_eq(observer_word(b->o, 4 * place(5)), 5); /* performed */
}
