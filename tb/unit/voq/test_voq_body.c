/* The bodies of the VOQs under random traffic, memories of several sizes, against body_reference. */
#include <stdlib.h>
#include <string.h>

#include "body_16.h"
#include "body_bench.h"
#include "body_drive.h"
#include "body_single.h"
#include "body_small.h"
#include "body_tiny.h"
#include "sim.h"
#include "simulation.h"
#include "test.h"
#include "voq_body.h"

#define PERIOD (10 * SIM_NS)

/* A simulation with one of the models in it. */
struct world {
    sim *s;
    body_bench *b;
};

enum { DEFAULT, TINY, SMALL, SIXTEEN, SINGLE, MODELS };
static const struct {
    const sim_config *config;
    unsigned voqs, words, log2_blocks, segment;
} models[MODELS] = {
    {&voq_body_config, 8, 64, 12, 128}, {&body_tiny_config, 8, 16, 4, 16},     {&body_small_config, 8, 16, 6, 48},
    {&body_16_config, 16, 32, 7, 128},  {&body_single_config, 1, 512, 5, 512},
};

static struct world world_new(int which)
{
    struct world w;
    w.s = quiet_sim(0);
    sim_clock *clk = make_clock(w.s, "clk", PERIOD, PERIOD / 2);
    sim_model *model = make_model(w.s, models[which].config, "body");
    w.b = body_bench_new(w.s, clk, model, models[which].voqs, models[which].words, models[which].log2_blocks, models[which].segment);
    return w;
}

static void world_free(struct world *w)
{
    body_bench_free(w->b);
    sim_free(w->s);
}

/* ---- everything at once ---- */

TEST_CASE("random", .timeout = 120);

TEST(words_return_in_order_and_blocks_are_never_shared_or_lost, .to = MODELS)
{
    struct world w = world_new(_i);
    body_bench *b = w.b;
    static const struct {
        int word, ready, latency, out_ready, drain;
    } mixes[] = {{80, 90, 8, 80, 50}, {100, 100, 3, 100, 100}, {30, 40, 20, 90, 90}, {100, 100, 1, 20, 100}, {95, 70, 30, 60, 10}};
    for (unsigned i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        b->loads.word = mixes[i].word;
        b->loads.ready = mixes[i].ready;
        b->loads.latency_max = mixes[i].latency;
        b->loads.out_ready = mixes[i].out_ready;
        b->loads.drain = mixes[i].drain;
        b->loads.piece_words = i & 1 ? 514 : 60;
        b->loads.damage = i & 1 ? 3 : 0;
        body_bench_run(b, 12000);
        body_bench_drain(b);
    }
    ck_assert_uint_gt(b->windows, 100);
    ck_assert_uint_gt(b->damages, 100);
    ck_assert_uint_gt(body_reference_handed(b->ref), _i == TINY ? 10000 : 20000);
    ck_assert_uint_gt(body_reference_rolled_back(b->ref), 100);
    world_free(&w);
}

TEST(a_flush_at_any_time_leaves_nothing_behind, .to = MODELS)
{
    struct world w = world_new(_i);
    body_bench *b = w.b;
    b->loads.block_changes = 100;
    b->loads.damage = 3;
    for (int i = 0; i < 60; i++) {
        b->loads.piece_words = 1 + (unsigned)sim_random_below(w.s, 514);
        b->loads.ready = 40 + (int)sim_random_below(w.s, 61);
        b->loads.latency_max = 1 + (int)sim_random_below(w.s, 30);
        b->loads.out_ready = 20 + (int)sim_random_below(w.s, 81);
        body_bench_run(b, 1 + (unsigned)sim_random_below(w.s, 1500));
        body_bench_flush(b);
        ck_assert_uint_eq(body_get(&b->v.body, 0, b->voqs), 0);
    }
    body_bench_run(b, 2000);
    body_bench_drain(b);
    ck_assert_uint_gt(body_reference_handed(b->ref), 2000);
    world_free(&w);
}

/* ---- memory runs out ---- */

TEST_CASE("limits", .timeout = 120);

TEST(an_exhausted_memory_holds_the_input_back_and_recovers_by_itself, .from = TINY, .to = SMALL + 1)
{
    struct world w = world_new(_i);
    body_bench *b = w.b;
    b->loads.block_changes = 0;
    b->loads.ring_words = 64;
    b->loads.piece_words = 40;
    b->loads.blocked = 0xffff;
    b->loads.reserve = 100;
    b->loads.rollback = 0;
    unsigned full = 0;
    for (int round = 0; round < 5; round++) {
        body_bench_run(b, 12000);
        full += *b->p.body_short && *b->p.body_room < 3 && !body_reference_pieces(b->ref);
        ck_assert_uint_lt(body_reference_free_blocks(b->ref), _i == TINY ? 10 : 20);
        uint64_t reserved = b->reserved;
        body_bench_run(b, 500);
        ck_assert_uint_eq(b->reserved, reserved);
        b->loads.blocked = round & 1 ? 0xf0 : 0x0f; /* those who may flow give their blocks to all */
        body_bench_run(b, 1000);
        ck_assert_uint_gt(b->reserved, reserved);
        b->loads.blocked = 0xffff;
    }
    ck_assert_uint_eq(full, 5);
    body_bench_drain(b);
    world_free(&w);
}

TEST(a_voq_keeps_to_its_limit)
{
    struct world w = world_new(SMALL);
    body_bench *b = w.b;
    b->loads.block_changes = 0;
    b->loads.blocked = 0xff;
    b->loads.piece_words = 30;
    b->loads.ring_words = 64;
    b->loads.limit = 5;
    body_bench_run(b, 10000);
    for (unsigned v = 0; v < 8; v++) {
        ck_assert_uint_ge(b->most_blocks[v], 5); /* and judged in each clock: no more than the staging adds */
        ck_assert_uint_eq(body_get(&b->v.body_open, v, 1), 0);
    }
    ck_assert_uint_ge(body_reference_free_blocks(b->ref), 8);
    body_bench_drain(b);
    b->loads.limit = 0;
    body_bench_run(b, 10);
    uint64_t reserved = b->reserved;
    body_bench_run(b, 1000);
    ck_assert_uint_eq(b->reserved, reserved);
    world_free(&w);
}

/* Packets nearly as long as the ring: the last words of one must come although the ring has hardly room. */
TEST(a_packet_as_long_as_its_ring_gets_through, .to = MODELS)
{
    struct world w = world_new(_i);
    body_bench *b = w.b;
    b->loads.ring_words = 255;
    b->loads.packet = 250;
    b->loads.drain = 100;
    b->loads.block_changes = 0;
    body_bench_run(b, 10000);
    for (int i = 0; i < 10; i++) {
        uint64_t handed = body_reference_handed(b->ref);
        body_bench_run(b, 5000);
        ck_assert_uint_gt(body_reference_handed(b->ref) - handed, 200);
    }
    body_bench_drain(b);
    world_free(&w);
}

/* ---- speed: a ZBT SRAM, one access per clock, answers after 3 clocks ---- */

static void zbt(body_bench *b)
{
    b->loads.ready = b->loads.out_ready = b->loads.exact = b->loads.drain = b->loads.reserve = b->loads.word = 100;
    b->loads.latency_min = b->loads.latency_max = 3;
    b->loads.rollback = b->loads.late_end = b->loads.window = b->loads.block_changes = 0;
    b->loads.piece_words = 64;
}

TEST_CASE("speed", .timeout = 120);

TEST(one_direction_alone_moves_95_words_in_100_clocks)
{
    struct world w = world_new(DEFAULT);
    body_bench *b = w.b;
    unsigned out, in;
    zbt(b);
    b->loads.blocked = 0xff;
    body_bench_run(b, 12000); /* all rings full */
    body_bench_measure(b, 20000, &out, &in);
    printf("written out alone: 0.%03u words per clock\n", out);
    ck_assert_uint_ge(out, 950);
    ck_assert_uint_eq(in, 0);
    b->stopped = 1;
    b->loads.blocked = 0;
    body_bench_run(b, 1000);
    body_bench_measure(b, 15000, &out, &in);
    printf("fetched alone: 0.%03u words per clock\n", in);
    ck_assert_uint_ge(in, 950);
    ck_assert_uint_eq(out, 0);
    world_free(&w);
}

TEST(directions_that_compete_move_45_words_each_in_100_clocks)
{
    struct world w = world_new(DEFAULT);
    body_bench *b = w.b;
    unsigned out, in;
    zbt(b);
    b->loads.blocked = 0xff;
    body_bench_run(b, 40000);
    b->loads.blocked = 0;
    b->loads.keep = 600; /* no ring runs low, */
    b->loads.word = 49;  /* and the staging never gets half full */
    body_bench_measure(b, 20000, &out, &in);
    printf("both: 0.%03u out and 0.%03u in\n", out, in);
    ck_assert_uint_ge(out, 450);
    ck_assert_uint_ge(in, 450);
    world_free(&w);
}

TEST(a_ring_that_runs_low_goes_first_then_a_full_staging)
{
    struct world w = world_new(DEFAULT);
    body_bench *b = w.b;
    unsigned out, in;
    zbt(b);
    b->loads.blocked = 0xff;
    body_bench_run(b, 40000);
    b->loads.blocked = 0;
    b->loads.keep = 600;
    body_bench_run(b, 2000);
    body_bench_measure(b, 5000, &out, &in);
    printf("staging full, no ring low: 0.%03u out and 0.%03u in\n", out, in);
    ck_assert_uint_ge(out, 850);
    b->loads.keep = 0;
    body_bench_run(b, 5000);
    body_bench_measure(b, 5000, &out, &in);
    printf("staging full, rings low: 0.%03u out and 0.%03u in\n", out, in);
    ck_assert_uint_ge(in, 850);
    world_free(&w);
}

TEST(the_window_gets_its_turn_when_all_compete)
{
    struct world w = world_new(DEFAULT);
    body_bench *b = w.b;
    unsigned out, in;
    zbt(b);
    b->loads.window = 100;
    b->loads.blocked = 0xff;
    body_bench_run(b, 30000);
    b->loads.blocked = 0;
    b->windows = 0;
    body_bench_measure(b, 10000, &out, &in);
    printf("window: %u accesses in 10000 clocks, writes wait for %u at most; 0.%03u out and 0.%03u in\n", b->windows, b->window_worst, out,
           in);
    ck_assert_uint_gt(b->windows, 1000);
    ck_assert_uint_le(b->window_worst, 5);
    ck_assert_uint_ge(out + in, 700);
    world_free(&w);
}

/* ---- each rule of the reference is fed the fault it must catch ---- */

static body_word a_word(unsigned voq, unsigned n)
{
    return (body_word){(uint64_t)voq << 56 | n, (uint8_t)(n & 3)};
}

/* VOQ 0 has 20 words: 17 in blocks 2 and 3 of 16 words, 3 not written; 5 of a segment of 8 have been asked for. */
static body_reference *prepared(void)
{
    body_reference *r = body_reference_new(2, 16, 6, 32);
    body_reference_reserve(r, 0, 25);
    for (unsigned i = 0; i < 20; i++) body_reference_word(r, a_word(0, i));
    body_reference_commit(r);
    body_reference_word(r, a_word(0, 99));
    for (unsigned i = 0; i < 17; i++) body_reference_write(r, 32 + i, a_word(0, i));
    body_reference_fetch(r, 0, 8, 100);
    for (unsigned i = 0; i < 5; i++) body_reference_read(r, 32 + i);
    body_reference_out(r, 0, a_word(0, 0));
    ck_assert_str_eq(body_reference_error(r), "");
    return r;
}

static void write_rest(body_reference *r)
{
    for (unsigned i = 17; i < 20; i++) body_reference_write(r, 32 + i, a_word(0, i));
}

static void write_beyond(body_reference *r)
{
    body_reference_write(r, 96, a_word(0, 17));
}
static void write_stranger(body_reference *r)
{
    body_reference_write(r, 49, a_word(2, 17));
}
static void write_uncommitted(body_reference *r)
{
    write_rest(r), body_reference_write(r, 52, a_word(0, 99));
}
static void write_other_word(body_reference *r)
{
    body_reference_write(r, 49, a_word(0, 18));
}
static void write_shared_block(body_reference *r)
{
    body_reference_piece_end(r);
    body_reference_reserve(r, 1, 1);
    body_reference_word(r, a_word(1, 0));
    body_reference_commit(r);
    body_reference_write(r, 32, a_word(1, 0));
}
static void write_new_block(body_reference *r)
{
    body_reference_write(r, 0, a_word(0, 17));
}
static void write_head(body_reference *r)
{
    body_reference_write(r, 33, a_word(0, 17));
}
static void write_gap(body_reference *r)
{
    body_reference_write(r, 50, a_word(0, 17));
}
static void read_free(body_reference *r)
{
    body_reference_read(r, 0);
}
static void read_beyond(body_reference *r)
{
    body_reference_read(r, 96);
}
static void read_tail(body_reference *r)
{
    body_reference_read(r, 48);
}
static void read_twice(body_reference *r)
{
    body_reference_read(r, 36);
}
static void read_unwritten(body_reference *r)
{
    for (unsigned i = 5; i < 17; i++) body_reference_read(r, 32 + i);
    body_reference_read(r, 49);
}
static void fetch_nothing(body_reference *r)
{
    body_reference_fetch(r, 0, 0, 100);
}
static void fetch_stranger(body_reference *r)
{
    body_reference_fetch(r, 2, 1, 100);
}
static void fetch_long(body_reference *r)
{
    body_reference_fetch(r, 0, 33, 100);
}
static void fetch_more(body_reference *r)
{
    body_reference_fetch(r, 0, 13, 100);
}
static void fetch_too_full(body_reference *r)
{
    body_reference_fetch(r, 0, 9, 8);
}
static void out_stranger(body_reference *r)
{
    body_reference_out(r, 2, a_word(0, 1));
}
static void out_unread(body_reference *r)
{
    body_reference_out(r, 1, a_word(1, 0));
}
static void out_other_word(body_reference *r)
{
    body_reference_out(r, 0, a_word(0, 2));
}
static void out_other_flags(body_reference *r)
{
    body_reference_out(r, 0, (body_word){1, 0});
}
static void out_unpromised(body_reference *r)
{
    for (unsigned i = 5; i < 16; i++) body_reference_read(r, 32 + i);
    for (unsigned i = 1; i < 9; i++) body_reference_out(r, 0, a_word(0, i));
}

static const struct {
    void (*fault)(body_reference *);
    const char *says;
} faults[] = {
    {write_beyond, "write: there is no block 6"},
    {write_stranger, "write: a word of VOQ 2"},
    {write_uncommitted, "write: VOQ 0 has no committed word left"},
    {write_other_word, "write: not the next word of VOQ 0"},
    {write_shared_block, "write: block 2 of VOQ 0 goes to VOQ 1"},
    {write_new_block, "write: VOQ 0 opens a block with its tail not full"},
    {write_head, "write: block 2 is not the tail of VOQ 0"},
    {write_gap, "write: word 2 of block 3, the next one is 1"},
    {read_free, "read: block 0 is free"},
    {read_beyond, "read: block 6 is free"},
    {read_tail, "read: block 3 is not the head of VOQ 0"},
    {read_twice, "read: word 4 of block 2, the next one is 5"},
    {read_unwritten, "read: block 3 is free"},
    {fetch_nothing, "fetch: 0 words for VOQ 0"},
    {fetch_stranger, "fetch: 1 words for VOQ 2"},
    {fetch_long, "fetch: a segment of 33 words"},
    {fetch_more, "fetch: 13 words of VOQ 0, outside are 12"},
    {fetch_too_full, "fetch: 9 words for a ring with room for 8"},
    {out_stranger, "out: VOQ 2"},
    {out_unread, "out: a word of VOQ 1 that was not read"},
    {out_other_word, "out: VOQ 0 2 0000000000000002, expected 1 0000000000000001"},
    {out_other_flags, "out: VOQ 0 0 0000000000000001, expected 1 0000000000000001"},
    {out_unpromised, "out: a word of VOQ 0 without a place in its ring"},
};

TEST_CASE("faults");

TEST(the_reference_sees_each_fault, .to = COUNT(faults))
{
    body_reference *r = prepared();
    faults[_i].fault(r);
    ck_assert_str_eq(body_reference_error(r), faults[_i].says);
    body_reference_free(r);
}

/* ---- and the bench, by pins that lie ---- */

enum { LIE_BODY, LIE_FREE, LIE_LEVEL, LIE_OVERFLOW, LIE_READS, LIE_TAG, LIE_PART, LIE_WINDOW, LIE_MEMORY, LIE_MARK, LIES };
static const char *const lie_says[LIES] = {"has a body, but body is 0",
                                           "blocks are free",
                                           "level_blocks of VOQ",
                                           "ev_overflow",
                                           "more than 16 reads",
                                           "tag byte",
                                           "in part",
                                           "the window reads",
                                           "out: a good word is marked",
                                           "out: a damaged word is not marked"};

TEST(the_bench_sees_each_fault, .to = LIES)
{
    static const uint32_t window_address = WINDOW_BASE;
    static uint32_t no_vector[4];
    static const uint16_t all_bytes = 0x1ff, part = 0x0ff;
    static uint16_t some = 77;
    static const uint8_t one = 1, zero = 0;
    struct world w = world_new(DEFAULT);
    body_bench *b = w.b;
    b->loads.window = 50;
    body_bench_run(b, 3000);
    b->loads.blocked = 0xff;
    b->loads.block_changes = 0;
    body_bench_run(b, 40000);
    switch (_i) {
    case LIE_BODY:
        b->v.body.at = no_vector;
        break;
    case LIE_FREE:
        b->v.free_blocks.at = &some;
        break;
    case LIE_LEVEL:
        b->v.level_blocks.at = no_vector;
        break;
    case LIE_OVERFLOW:
        b->p.ev_overflow = &one;
        break;
    case LIE_READS:
        b->loads.window = 0;
        body_bench_drain(b);
        b->stopped = 1;
        b->p.mem_valid = &one;
        b->p.mem_we = &zero;
        b->p.mem_addr = &window_address;
        b->loads.latency_min = b->loads.latency_max = 1000;
        break;
    case LIE_TAG:
        b->p.mem_be = &all_bytes;
        break;
    case LIE_PART:
        b->loads.window = 0; /* what the window writes would be kept wrong, too, and seen first */
        b->p.mem_be = &part;
        break;
    case LIE_WINDOW:
        memset(b->window_expected, 0x5a, sizeof b->window_expected);
        break;
    case LIE_MEMORY:
        b->loads.window = 0;
        b->loads.blocked = 0;
        body_bench_run(b, 100);
        b->corrupt = 1;
        break;
    case LIE_MARK:
        b->loads.window = 0;
        b->loads.blocked = 0;
        b->loads.damage = 5;
        body_bench_run(b, 100);
        b->pretend = 1;
        break;
    }
    ck_assert_int_eq(sim_run(w.s, sim_now(w.s) + 2000 * PERIOD), SIM_FAILED);
    ck_assert_msg(strstr(sim_error(w.s), lie_says[_i]) != NULL, "%s", sim_error(w.s));
    world_free(&w);
}
