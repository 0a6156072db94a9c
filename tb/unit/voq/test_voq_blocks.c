/* voq_blocks alone: lists of blocks against body_reference, which is told only the addresses; how soon a block is there; counts. */
#include <stdlib.h>
#include <string.h>

#include "blocks_large.h"
#include "blocks_tiny.h"
#include "body_reference.h"
#include "sim.h"
#include "test.h"

#define PERIOD (10 * SIM_NS)

struct blocks_bench {
    sim *s;
    sim_clock *clk;
    sim_model *model;
    uint8_t *rst, *clear, *at, *at_read, *wrote, *was_read, *look;
    const uint8_t *write_ok, *read_ok, *at_many, *present, *free_blocks, *look_level, *broken;
    const void *address; /* 8 bits or 14 */
    const uint16_t *at_words;
    void *m;
    void (*release)(void *);
    unsigned voqs, block_words, blocks;
    body_reference *ref;
    unsigned serial[4];
    int reset, cleared;
    int settling; /* another VOQ is to be read: not in this clock */
    /* loads [percent] */
    int access, reads, back_to_back;
    unsigned write_stalls, read_stalls, longest_stall, stall, writes, words, refused, most_used;
    unsigned random_clear;
};

#define PINS(b, m)                                                                                                                         \
    ((b)->model = (m)->model, (b)->rst = (m)->rst, (b)->clear = (m)->clear, (b)->at = (m)->at, (b)->at_read = (m)->at_read,                \
     (b)->wrote = (m)->wrote, (b)->was_read = (m)->was_read, (b)->look = (m)->look, (b)->write_ok = (m)->write_ok,                         \
     (b)->read_ok = (m)->read_ok, (b)->at_many = (m)->at_many, (b)->present = (m)->present, (b)->free_blocks = (m)->free_blocks,           \
     (b)->look_level = (m)->look_level, (b)->broken = (m)->broken, (b)->address = (m)->address, (b)->at_words = (m)->at_words)

static unsigned address_of(const struct blocks_bench *b)
{
    return b->blocks * b->block_words > 256 ? *(const uint16_t *)b->address : *(const uint8_t *)b->address;
}

/* The inputs are set in two steps: which VOQ and which access; then, with the answer, whether it is made. */
static void drive(void *self)
{
    struct blocks_bench *b = self;
    *b->rst = b->reset > 0;
    *b->wrote = *b->was_read = 0;
    *b->clear = 0;
    if (b->reset && b->reset--) return;
    if (b->random_clear && sim_random_below(b->s, b->random_clear) == 0) *b->clear = 1;
    unsigned v = (unsigned)sim_random_below(b->s, b->voqs);
    int keep = (b->stall || b->settling) && !b->cleared, was = *b->at_read ? *b->at : -1;
    if (!keep) {
        if ((int)sim_random_below(b->s, 100) >= b->back_to_back) *b->at = (uint8_t)v;
        *b->at_read = (int)sim_random_below(b->s, 100) < b->reads;
    }
    b->settling = *b->at_read && was >= 0 && was != *b->at;
    b->cleared = *b->clear;
    *b->look = (uint8_t)sim_random_below(b->s, b->voqs);
    sim_model_eval(b->model);
    /* what is outside */
    unsigned outside = body_reference_outside(b->ref, *b->at);
    unsigned there = *b->present >> *b->at & 1, blocks = body_reference_blocks(b->ref, *b->look);
    if (there != (outside > 0)) sim_fail(b->s, "present is %u, %u words are outside", there, outside);
    if (there && (*b->at_many ? outside <= 512 : outside != *b->at_words))
        sim_fail(b->s, "at_words is %u (many %u), not %u", *b->at_words, *b->at_many, outside);
    if (*b->free_blocks != body_reference_free_blocks(b->ref)) sim_fail(b->s, "free_blocks is %u", *b->free_blocks);
    if (blocks && *b->look_level != blocks) sim_fail(b->s, "look_level is %u, not %u", *b->look_level, blocks);
    if (*b->clear || (!keep && (int)sim_random_below(b->s, 100) >= b->access)) {
        b->stall = 0;
        if (*b->clear) body_reference_clear(b->ref);
        return;
    }
    if (b->settling) return;
    if (*b->at_read) {
        if (!outside) return;
        if (*b->read_ok) body_reference_read(b->ref, address_of(b)), *b->was_read = 1;
        else b->read_stalls++;
    } else if (*b->write_ok) {
        body_reference_reserve(b->ref, *b->at, 1);
        body_word w = {(uint64_t)*b->at << 56 | ++b->serial[*b->at & 3], 0};
        body_reference_word(b->ref, w);
        body_reference_commit(b->ref);
        body_reference_piece_end(b->ref);
        body_reference_write(b->ref, address_of(b), w);
        *b->wrote = 1;
        b->writes++;
    } else if (*b->broken) {
        if (body_reference_free_blocks(b->ref)) sim_fail(b->s, "broken, but blocks are free");
        b->refused++;
        b->stall = 0;
        return;
    } else b->write_stalls++;
    b->stall = *b->wrote || *b->was_read ? 0 : b->stall + 1;
    if (b->stall > b->longest_stall) b->longest_stall = b->stall;
    b->words += *b->was_read;
    unsigned used = b->blocks - body_reference_free_blocks(b->ref);
    if (used > b->most_used) b->most_used = used;
    if (*body_reference_error(b->ref)) sim_fail(b->s, "%s", body_reference_error(b->ref));
}

static void free_tiny(void *m)
{
    blocks_tiny_free(m);
}
static void free_large(void *m)
{
    blocks_large_free(m);
}

static struct blocks_bench *bench_new(int large)
{
    struct blocks_bench *b = calloc(1, sizeof *b);
    sim_params p;
    sim_clock_params c = {"clk", PERIOD, 0, 0, (int64_t)PERIOD / 2};
    sim_params_default(&p);
    p.watchdog = 0;
    p.quiet = 1;
    b->s = sim_new(&p);
    b->clk = sim_clock_new(b->s, &c);
    if (large) {
        blocks_large *m = blocks_large_new(b->s, "blocks");
        PINS(b, m);
        sim_model_clock(m->model, b->clk, m->clk);
        b->m = m, b->release = free_large;
        b->voqs = 3, b->block_words = 512, b->blocks = 16;
    } else {
        blocks_tiny *m = blocks_tiny_new(b->s, "blocks");
        PINS(b, m);
        sim_model_clock(m->model, b->clk, m->clk);
        b->m = m, b->release = free_tiny;
        b->voqs = 4, b->block_words = 16, b->blocks = 16; /* four of the eight lists */
    }
    b->ref = body_reference_new(b->voqs, b->block_words, b->blocks, 512);
    b->access = 100;
    b->reads = 50;
    b->reset = 3;
    *b->rst = 1;
    *b->clear = *b->wrote = *b->was_read = *b->at_read = *b->at = 0;
    sim_clock_attach(b->clk, NULL, drive, b);
    return b;
}

static void bench_free(struct blocks_bench *b)
{
    b->release(b->m);
    sim_free(b->s);
    body_reference_free(b->ref);
    free(b);
}

static void run(struct blocks_bench *b, unsigned clocks)
{
    int r = sim_run(b->s, sim_now(b->s) + clocks * PERIOD);
    ck_assert_msg(r == SIM_TIME_LIMIT, "%s", sim_error(b->s));
}

TEST_CASE("blocks", .timeout = 120);

TEST(lists_hold_every_word_and_give_every_block_back, .to = 8)
{
    struct blocks_bench *b = bench_new(_i & 1);
    b->back_to_back = _i & 2 ? 95 : 0;
    b->random_clear = _i & 4 ? 3000 : 0;
    static const int reads[] = {50, 30, 70, 45, 10, 90, 52, 48};
    for (unsigned i = 0; i < 24; i++) {
        b->reads = reads[i % 8];
        b->access = i % 3 ? 100 : 60;
        run(b, b->block_words == 512 ? 9000 : 3000);
    }
    ck_assert_uint_gt(b->words, 10000);
    if (!b->random_clear) {
        ck_assert_uint_eq(b->most_used, b->blocks);
        ck_assert_uint_gt(b->refused, 20);
    }
    b->reads = 100;
    b->random_clear = 0;
    b->back_to_back = 0;
    run(b, 16 * b->blocks * b->block_words + 1000);
    ck_assert_uint_eq(*b->free_blocks, b->blocks);
    ck_assert_uint_eq(*b->present, 0);
    bench_free(b);
}

/* A new block: there in the 2nd clock after the last one was used while blocks are fresh, in the 3rd off the stack; and a read waits at
 * most 2 clocks for a link. */
TEST(a_block_is_there_in_time)
{
    struct blocks_bench *b = bench_new(0);
    b->reads = 0;
    run(b, 200); /* fresh ones */
    ck_assert_uint_gt(b->writes, 100);
    ck_assert_uint_le(b->longest_stall, 1);
    b->reads = 100;
    run(b, 2000);
    ck_assert_uint_eq(*b->free_blocks, 16);
    b->longest_stall = b->writes = 0;
    b->reads = 0;
    run(b, 200);
    ck_assert_uint_gt(b->writes, 100);
    ck_assert_uint_gt(b->write_stalls, 0);
    ck_assert_uint_le(b->longest_stall, 2);
    b->longest_stall = 0;
    b->reads = 50;
    run(b, 20000);
    ck_assert_uint_le(b->longest_stall, 2);
    bench_free(b);
}

/* `clear` in one clock: everything is free at once, and the free blocks start afresh. */
TEST(clear_frees_everything_at_once)
{
    struct blocks_bench *b = bench_new(0);
    for (unsigned i = 0; i < 50; i++) {
        b->reads = 20 + (int)sim_random_below(b->s, 40);
        run(b, 10 + (unsigned)sim_random_below(b->s, 300));
        b->random_clear = 1;
        run(b, 1);
        b->random_clear = 0;
        run(b, 1);
        ck_assert_uint_ge(*b->free_blocks, 15); /* one may just have been used again */
    }
    bench_free(b);
}
