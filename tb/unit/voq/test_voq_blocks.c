/* voq_blocks alone: lists of blocks against body_reference, which gets only the addresses; latency of a block; counts.
 */
#include "blocks_large.h"
#include "blocks_tiny.h"
#include "body_reference.h"
#include "simulation.h"

struct blocks_bench {
    sim *s;
    sim_clock *clk;
    blocks_large *m;
    const sim_port *address;
    unsigned voqs, block_words, blocks;
    body_reference *ref;
    unsigned serial[4];
    int reset, cleared;
    int settling; /* another VOQ is to be read: not in this clock */
    /* loads [percent] */
    int access, reads, back_to_back;
    unsigned write_stalls, longest_stall, stall, writes, words, refused, most_used;
    unsigned random_clear;
};

/* The inputs are set in two steps: which VOQ and which access; then, with the answer, whether it is made. */
static void drive(void *self)
{
    struct blocks_bench *b = self;
    *b->m->rst = b->reset > 0;
    *b->m->wrote = *b->m->was_read = 0;
    *b->m->clear = 0;
    if (b->reset && b->reset--) return;
    if (b->random_clear && sim_random_below(b->s, b->random_clear) == 0) *b->m->clear = 1;
    unsigned v = (unsigned)sim_random_below(b->s, b->voqs);
    int keep = (b->stall || b->settling) && !b->cleared, was = *b->m->at_read ? *b->m->at : -1;
    if (!keep) {
        if ((int)sim_random_below(b->s, 100) >= b->back_to_back) *b->m->at = (uint8_t)v;
        *b->m->at_read = (int)sim_random_below(b->s, 100) < b->reads;
    }
    b->settling = *b->m->at_read && was >= 0 && was != *b->m->at;
    b->cleared = *b->m->clear;
    *b->m->look = (uint8_t)sim_random_below(b->s, b->voqs);
    sim_model_eval(b->m->model);
    /* outside memory */
    unsigned outside = b->ref->q[*b->m->at].written - b->ref->q[*b->m->at].read;
    unsigned there = *b->m->present >> *b->m->at & 1, blocks = b->ref->q[*b->m->look].blocks;
    if (there != (outside > 0)) sim_fail(b->s, "present is %u, %u words are outside", there, outside);
    if (there && (*b->m->at_many ? outside <= 512 : outside != *b->m->at_words))
        sim_fail(b->s, "at_words is %u (many %u), not %u", *b->m->at_words, *b->m->at_many, outside);
    if (*b->m->free_blocks != b->ref->free_blocks) sim_fail(b->s, "free_blocks is %u", *b->m->free_blocks);
    if (blocks && *b->m->look_level != blocks) sim_fail(b->s, "look_level is %u, not %u", *b->m->look_level, blocks);
    if (*b->m->clear || (!keep && (int)sim_random_below(b->s, 100) >= b->access)) {
        b->stall = 0;
        if (*b->m->clear) body_reference_clear(b->ref);
        return;
    }
    if (b->settling) return;
    if (*b->m->at_read) {
        if (!outside) return;
        if (*b->m->read_ok) body_reference_read(b->ref, (unsigned)sim_port_get(b->address)), *b->m->was_read = 1;
    } else if (*b->m->write_ok) {
        body_reference_reserve(b->ref, *b->m->at, 1);
        body_word w = {(uint64_t)*b->m->at << 56 | ++b->serial[*b->m->at & 3], 0};
        body_reference_word(b->ref, w);
        body_reference_commit(b->ref);
        body_reference_piece_end(b->ref);
        body_reference_write(b->ref, (unsigned)sim_port_get(b->address), w);
        *b->m->wrote = 1;
        b->writes++;
    } else if (*b->m->broken) {
        if (b->ref->free_blocks) sim_fail(b->s, "broken, but blocks are free");
        b->refused++;
        b->stall = 0;
        return;
    } else b->write_stalls++;
    b->stall = *b->m->wrote || *b->m->was_read ? 0 : b->stall + 1;
    if (b->stall > b->longest_stall) b->longest_stall = b->stall;
    b->words += *b->m->was_read;
    unsigned used = b->blocks - b->ref->free_blocks;
    if (used > b->most_used) b->most_used = used;
    if (*b->ref->error) sim_fail(b->s, "%s", b->ref->error);
}

static struct blocks_bench *bench_new(int large)
{
    struct blocks_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(0);
    b->clk = make_clock(b->s, "clk", 10 * SIM_NS, 5 * SIM_NS);
    const sim_config *config = large ? &blocks_large_config : &blocks_tiny_config;
    b->m = MODEL_AS(blocks_large, make_clocked(b->s, b->clk, config, "blocks"), "address");
    b->address = sim_model_port(b->m->model, "address");
    b->voqs = large ? 3 : 4; /* four of the eight lists */
    b->block_words = large ? 512 : 16;
    b->blocks = 16;
    b->ref = body_reference_new(b->voqs, b->block_words, b->blocks, 512);
    b->access = 100;
    b->reads = 50;
    b->reset = 3;
    *b->m->rst = 1;
    sim_clock_attach(b->clk, NULL, drive, b);
    return b;
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
        run_clocks(b->s, b->clk, b->block_words == 512 ? 9000 : 3000);
    }
    ck_assert_uint_gt(b->words, 10000);
    if (!b->random_clear) {
        ck_assert_uint_eq(b->most_used, b->blocks);
        ck_assert_uint_gt(b->refused, 20);
    }
    b->reads = 100;
    b->random_clear = 0;
    b->back_to_back = 0;
    run_clocks(b->s, b->clk, 16 * b->blocks * b->block_words + 1000);
    ck_assert_uint_eq(*b->m->free_blocks, b->blocks);
    ck_assert_uint_eq(*b->m->present, 0);
}

/* A new block: there in the 2nd clock after the last one was used while blocks are fresh, in the 3rd off the stack; and
 * a read waits at most 2 clocks for a link. */
TEST(a_block_is_there_in_time)
{
    struct blocks_bench *b = bench_new(0);
    b->reads = 0;
    run_clocks(b->s, b->clk, 200); /* fresh ones */
    ck_assert_uint_gt(b->writes, 100);
    ck_assert_uint_le(b->longest_stall, 1);
    b->reads = 100;
    run_clocks(b->s, b->clk, 2000);
    ck_assert_uint_eq(*b->m->free_blocks, 16);
    b->longest_stall = b->writes = 0;
    b->reads = 0;
    run_clocks(b->s, b->clk, 200);
    ck_assert_uint_gt(b->writes, 100);
    ck_assert_uint_gt(b->write_stalls, 0);
    ck_assert_uint_le(b->longest_stall, 2);
    b->longest_stall = 0;
    b->reads = 50;
    run_clocks(b->s, b->clk, 20000);
    ck_assert_uint_le(b->longest_stall, 2);
}

/* `clear` in one clock: everything is free at once, and the free blocks start afresh. */
TEST(clear_frees_everything_at_once)
{
    struct blocks_bench *b = bench_new(0);
    for (unsigned i = 0; i < 50; i++) {
        b->reads = 20 + (int)sim_random_below(b->s, 40);
        run_clocks(b->s, b->clk, 10 + (unsigned)sim_random_below(b->s, 300));
        b->random_clear = 1;
        run_clocks(b->s, b->clk, 1);
        b->random_clear = 0;
        run_clocks(b->s, b->clk, 1);
        ck_assert_uint_ge(*b->m->free_blocks, 15); /* one may just have been used again */
    }
}
