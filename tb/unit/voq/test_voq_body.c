/* The bodies of the VOQs under random traffic, memories of several sizes, against body_reference. */
#include <stdio.h>
#include <string.h>

#include "body_16.h"
#include "body_bench.h"
#include "body_single.h"
#include "body_small.h"
#include "body_tiny.h"
#include "sim/model/external/external.h"
#include "simulation.h"

enum { DEFAULT, TINY, SMALL, SIXTEEN, SINGLE, MODELS };
static const sim_config *const models[MODELS] = {&voq_body_config, &body_tiny_config, &body_small_config,
                                                 &body_16_config, &body_single_config};

CLEANUP(external_free);

/* ---- everything at once ---- */

TEST_CASE("random", .timeout = 120);

TEST(words_return_in_order_and_blocks_are_never_shared_or_lost, .to = MODELS)
{
    body_bench *b = body_bench_new(models[_i]);
    static const struct {
        int word, ready, latency, out_ready, drain;
    } mixes[] = {{80, 90, 8, 80, 50},
                 {100, 100, 3, 100, 100},
                 {30, 40, 20, 90, 90},
                 {100, 100, 1, 20, 100},
                 {95, 70, 30, 60, 10}};
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
    ck_assert_uint_gt(b->ref->handed, _i == TINY ? 10000 : 20000);
    ck_assert_uint_gt(b->ref->rolled_back, 100);
}

TEST(a_flush_at_any_time_leaves_nothing_behind, .to = MODELS)
{
    body_bench *b = body_bench_new(models[_i]);
    b->loads.block_changes = 100;
    b->loads.damage = 3;
    for (int i = 0; i < 60; i++) {
        b->loads.piece_words = 1 + (unsigned)sim_random_below(b->s, 514);
        b->loads.ready = 40 + (int)sim_random_below(b->s, 61);
        b->loads.latency_max = 1 + (int)sim_random_below(b->s, 30);
        b->loads.out_ready = 20 + (int)sim_random_below(b->s, 81);
        body_bench_run(b, 1 + (unsigned)sim_random_below(b->s, 1500));
        body_bench_flush(b);
        ck_assert_uint_eq(sim_port_get(&b->v.body), 0);
    }
    body_bench_run(b, 2000);
    body_bench_drain(b);
    ck_assert_uint_gt(b->ref->handed, 2000);
}

/* ---- memory runs out ---- */

TEST_CASE("limits", .timeout = 120);

TEST(an_exhausted_memory_holds_the_input_back_and_recovers_by_itself, .from = TINY, .to = SMALL + 1)
{
    body_bench *b = body_bench_new(models[_i]);
    b->loads.block_changes = 0;
    b->loads.ring_words = 64;
    b->loads.piece_words = 40;
    b->loads.blocked = 0xffff;
    b->loads.reserve = 100;
    b->loads.rollback = 0;
    unsigned full = 0;
    for (int round = 0; round < 5; round++) {
        body_bench_run(b, 12000);
        full += *b->p.body_short && *b->p.body_room < 3 && !b->ref->pieces;
        ck_assert_uint_lt(b->ref->free_blocks, _i == TINY ? 10 : 20);
        uint64_t reserved = b->reserved;
        body_bench_run(b, 500);
        ck_assert_uint_eq(b->reserved, reserved);
        b->loads.blocked = round & 1 ? 0xf0 : 0x0f; /* those that may flow give their blocks to all */
        body_bench_run(b, 1000);
        ck_assert_uint_gt(b->reserved, reserved);
        b->loads.blocked = 0xffff;
    }
    ck_assert_uint_eq(full, 5);
    body_bench_drain(b);
}

TEST(a_voq_keeps_to_its_limit)
{
    body_bench *b = body_bench_new(models[SMALL]);
    b->loads.block_changes = 0;
    b->loads.blocked = 0xff;
    b->loads.piece_words = 30;
    b->loads.ring_words = 64;
    b->loads.limit = 5;
    body_bench_run(b, 10000);
    for (unsigned v = 0; v < 8; v++) {
        ck_assert_uint_ge(b->most_blocks[v], 5); /* and checked in each clock: no more than the staging adds */
        ck_assert_uint_eq(sim_port_field(&b->v.body_open, v, 1), 0);
    }
    ck_assert_uint_ge(b->ref->free_blocks, 8);
    body_bench_drain(b);
    b->loads.limit = 0;
    body_bench_run(b, 10);
    uint64_t reserved = b->reserved;
    body_bench_run(b, 1000);
    ck_assert_uint_eq(b->reserved, reserved);
}

/* Packets nearly as long as the ring: the last words of one must come although the ring has hardly room. */
TEST(a_packet_as_long_as_its_ring_gets_through, .to = MODELS)
{
    body_bench *b = body_bench_new(models[_i]);
    b->loads.ring_words = 255;
    b->loads.packet = 250;
    b->loads.drain = 100;
    b->loads.block_changes = 0;
    body_bench_run(b, 10000);
    for (int i = 0; i < 10; i++) {
        uint64_t handed = b->ref->handed;
        body_bench_run(b, 5000);
        ck_assert_uint_gt(b->ref->handed - handed, 200);
    }
    body_bench_drain(b);
}

/* ---- speed: a ZBT SRAM, one access per clock, answers after 3 clocks ---- */

static void full_speed(body_bench *b)
{
    b->loads.ready = b->loads.out_ready = b->loads.exact = b->loads.drain = b->loads.reserve = b->loads.word = 100;
    b->loads.latency_min = b->loads.latency_max = 3;
    b->loads.rollback = b->loads.late_end = b->loads.window = b->loads.block_changes = 0;
    b->loads.piece_words = 64;
}

/* A bench at full speed, and its rings have not been emptied for this many clocks. */
static body_bench *filled_bench(unsigned clocks, int window, unsigned voqs)
{
    body_bench *b = body_bench_new(models[DEFAULT]);
    full_speed(b);
    b->loads.voq_mask = voqs;
    b->loads.window = window;
    b->loads.blocked = 0xff;
    body_bench_run(b, clocks);
    return b;
}

TEST_CASE("speed", .timeout = 120);

TEST(one_direction_alone_moves_95_words_in_100_clocks)
{
    body_bench *b = filled_bench(12000, 0, 0xff);
    unsigned out, in;
    body_bench_measure(b, 20000, &out, &in);
    printf("written out alone: 0.%03u words per clock\n", out);
    ck_assert_uint_ge(out, 950);
    ck_assert_uint_eq(in, 0);
    b->stopped = 1;
    body_bench_run(b, 2000); /* the staging becomes empty */
    b->loads.blocked = 0;
    body_bench_run(b, 1000);
    body_bench_measure(b, 15000, &out, &in);
    printf("fetched alone: 0.%03u words per clock\n", in);
    ck_assert_uint_ge(in, 950);
    ck_assert_uint_eq(out, 0);
}

TEST(directions_that_compete_move_45_words_each_in_100_clocks)
{
    body_bench *b = filled_bench(40000, 0, 0xff);
    unsigned out, in;
    b->loads.blocked = 0;
    b->loads.keep = 600; /* no ring runs low, */
    b->loads.word = 49;  /* and the staging never gets half full */
    body_bench_measure(b, 20000, &out, &in);
    printf("both: 0.%03u out and 0.%03u in\n", out, in);
    ck_assert_uint_ge(out, 450);
    ck_assert_uint_ge(in, 450);
}

TEST(a_ring_that_runs_low_goes_first_then_a_full_staging)
{
    body_bench *b = filled_bench(40000, 0, 0xff);
    unsigned out, in;
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
    ck_assert_uint_ge(out, 100); /* a queue whose words are staged also goes on */
}

/* Ring 7 is empty, and all its words are behind others in the staging, while all other rings run low. */
TEST(a_ring_that_runs_low_and_waits_for_the_staging_has_every_other_turn)
{
    body_bench *b = filled_bench(40000, 0, 0x7f);
    unsigned out, in;
    b->loads.blocked = 0;
    b->loads.voq_mask = 0x80;
    body_bench_run(b, 300);
    body_bench_measure(b, 1500, &out, &in);
    printf("one ring waits for the staging: 0.%03u out and 0.%03u in\n", out, in);
    ck_assert_uint_ge(out, 400);
}

TEST(the_window_gets_its_turn_when_all_compete)
{
    body_bench *b = filled_bench(30000, 100, 0xff);
    unsigned out, in;
    b->loads.blocked = 0;
    b->windows = 0;
    body_bench_measure(b, 10000, &out, &in);
    printf("window: %u accesses in 10000 clocks, writes wait for %u at most; 0.%03u out and 0.%03u in\n", b->windows,
           b->window_worst, out, in);
    ck_assert_uint_gt(b->windows, 1000);
    ck_assert_uint_le(b->window_worst, 5);
    ck_assert_uint_ge(out + in, 700);
}

/* ---- with the memories of sim/model/external: order and blocks checked as ever, words per clock measured ---- */

static body_bench *external_bench(int which)
{
    external_params p = which & 1 ? external_params_sdram() : external_params_zbt();
    p.stall_percent = which & 2 ? 30 : 0;
    body_bench *b = body_bench_new(models[DEFAULT]);
    b->external = 1;
    b->loads.window = 0;
    external_pins pins = EXTERNAL_PINS(&b->p);
    external *memory = external_new(b->s, b->clk, &pins, &p);
    ck_assert_ptr_nonnull(memory);
    after_test(external_free_cleanup, memory);
    return b;
}

TEST_CASE("external", .timeout = 120);

TEST(words_come_back_from_a_real_memory, .to = 4)
{
    body_bench *b = external_bench(_i);
    for (int i = 0; i < 4; i++) {
        b->loads.piece_words = i & 1 ? 514 : 60;
        b->loads.blocked = (unsigned)sim_random_below(b->s, 256);
        body_bench_run(b, 10000);
        if (i == 2) body_bench_flush(b);
    }
    body_bench_drain(b);
    ck_assert_uint_gt(b->ref->handed, 5000);
}

/* The three runs of above, with a memory that has latency, and with one that has rows and refresh. */
TEST(speed, .to = 2)
{
    body_bench *b = external_bench(_i);
    unsigned out, in;
    full_speed(b);
    b->loads.blocked = 0xff;
    body_bench_run(b, 12000);
    body_bench_measure(b, 40000, &out, &in);
    printf("%s: written out alone 0.%03u words per clock", _i ? "SDRAM" : "ZBT", out);
    ck_assert_uint_ge(out, _i ? 900 : 950);
    b->loads.blocked = 0;
    b->loads.keep = 600;
    b->loads.word = 49;
    body_bench_run(b, 1000);
    body_bench_measure(b, 15000, &out, &in);
    printf(", both 0.%03u and 0.%03u", out, in);
    ck_assert_uint_ge(out, _i ? 400 : 450);
    ck_assert_uint_ge(in, _i ? 400 : 450);
    b->stopped = 1;
    b->loads.keep = 0;
    body_bench_run(b, 1000);
    body_bench_measure(b, 15000, &out, &in);
    printf(", fetched alone 0.%03u\n", in);
    ck_assert_uint_ge(in, _i ? 900 : 950);
}

/* ---- each rule of the reference is fed the fault it must catch ---- */

enum { OTHER_FLAGS = 1 << 20 };

static body_word a_word(unsigned voq, unsigned n)
{
    return (body_word){(uint64_t)voq << 56 | (n & ~OTHER_FLAGS), n & OTHER_FLAGS ? 0 : (uint8_t)(n & 3)};
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
    ck_assert_str_eq(r->error, "");
    return r;
}

enum fault { WRITE, READ, FETCH, OUT };

static void write_rest(body_reference *r)
{
    for (unsigned i = 17; i < 20; i++) body_reference_write(r, 32 + i, a_word(0, i));
}
static void commit_another(body_reference *r)
{
    body_reference_piece_end(r);
    body_reference_reserve(r, 1, 1);
    body_reference_word(r, a_word(1, 0));
    body_reference_commit(r);
}
static void read_block_2(body_reference *r)
{
    for (unsigned i = 5; i < 17; i++) body_reference_read(r, 32 + i);
}
static void use_up_the_promise(body_reference *r)
{
    for (unsigned i = 5; i < 16; i++) body_reference_read(r, 32 + i);
    for (unsigned i = 1; i < 8; i++) body_reference_out(r, 0, a_word(0, i));
}

static const struct {
    void (*before)(body_reference *);
    enum fault fault;
    unsigned where; /* WRITE, READ: address; FETCH, OUT: VOQ */
    unsigned a, b;  /* WRITE, OUT: a_word(a, b); FETCH: words, room */
    const char *says;
} faults[] = {
    {NULL, WRITE, 96, 0, 17, "write: there is no block 6"},
    {NULL, WRITE, 49, 2, 17, "write: a word of VOQ 2"},
    {write_rest, WRITE, 52, 0, 99, "write: VOQ 0 has no committed word left"},
    {NULL, WRITE, 49, 0, 18, "write: not the next word of VOQ 0"},
    {commit_another, WRITE, 32, 1, 0, "write: block 2 of VOQ 0 goes to VOQ 1"},
    {NULL, WRITE, 0, 0, 17, "write: VOQ 0 opens a block with its tail not full"},
    {NULL, WRITE, 33, 0, 17, "write: block 2 is not the tail of VOQ 0"},
    {NULL, WRITE, 50, 0, 17, "write: word 2 of block 3, the next one is 1"},
    {NULL, READ, 0, 0, 0, "read: block 0 is free"},
    {NULL, READ, 96, 0, 0, "read: block 6 is free"},
    {NULL, READ, 48, 0, 0, "read: block 3 is not the head of VOQ 0"},
    {NULL, READ, 36, 0, 0, "read: word 4 of block 2, the next one is 5"},
    {read_block_2, READ, 49, 0, 0, "read: block 3 is free"},
    {NULL, FETCH, 0, 0, 100, "fetch: 0 words for VOQ 0"},
    {NULL, FETCH, 2, 1, 100, "fetch: 1 words for VOQ 2"},
    {NULL, FETCH, 0, 33, 100, "fetch: a segment of 33 words"},
    {NULL, FETCH, 0, 13, 100, "fetch: 13 words of VOQ 0, outside are 12"},
    {NULL, FETCH, 0, 9, 8, "fetch: 9 words for a ring with room for 8"},
    {NULL, OUT, 2, 0, 1, "out: VOQ 2"},
    {NULL, OUT, 1, 1, 0, "out: a word of VOQ 1 that was not read"},
    {NULL, OUT, 0, 0, 2, "out: VOQ 0 2 0000000000000002, expected 1 0000000000000001"},
    {NULL, OUT, 0, 0, OTHER_FLAGS | 1, "out: VOQ 0 0 0000000000000001, expected 1 0000000000000001"},
    {use_up_the_promise, OUT, 0, 0, 8, "out: a word of VOQ 0 without a place in its ring"},
};

TEST_CASE("faults");

TEST(the_reference_sees_each_fault, .to = COUNT(faults))
{
    body_reference *r = prepared();
    unsigned where = faults[_i].where, x = faults[_i].a, y = faults[_i].b;
    if (faults[_i].before) faults[_i].before(r);
    if (faults[_i].fault == WRITE) body_reference_write(r, where, a_word(x, y));
    else if (faults[_i].fault == READ) body_reference_read(r, where);
    else if (faults[_i].fault == FETCH) body_reference_fetch(r, where, x, y);
    else body_reference_out(r, where, a_word(x, y));
    ck_assert_str_eq(r->error, faults[_i].says);
}

/* ---- and the bench, by pins that lie ---- */

enum {
    LIE_BODY,
    LIE_FREE,
    LIE_LEVEL,
    LIE_OVERFLOW,
    LIE_TAG,
    LIE_WINDOW,
    LIE_READS,
    LIE_PART,
    LIE_MEMORY,
    LIE_MARK,
    LIES
};
static const char *const lie_says[LIES] = {"has a body, but body is 0",
                                           "blocks are free",
                                           "level_blocks of VOQ",
                                           "ev_overflow",
                                           "tag byte",
                                           "the window reads",
                                           "more than 16 reads",
                                           "in part",
                                           "out: a good word is marked",
                                           "out: a damaged word is not marked"};

TEST(the_bench_sees_each_fault, .to = LIES)
{
    static const uint32_t window_address = WINDOW_BASE;
    static uint32_t no_vector[4];
    static const uint16_t all_bytes = 0x1ff, part = 0x0ff;
    static uint16_t some = 77;
    static const uint8_t one = 1, zero = 0;
    body_bench *b = body_bench_new(models[DEFAULT]);
    b->loads.window = 50;
    body_bench_run(b, 3000);
    b->loads.blocked = 0xff;
    b->loads.block_changes = 0;
    body_bench_run(b, 40000);
    if (_i >= LIE_READS) b->loads.window = 0; /* its writes would also be kept wrong, and seen first */
    if (_i == LIE_BODY) b->v.body.at = no_vector;
    else if (_i == LIE_FREE) b->v.free_blocks.at = &some;
    else if (_i == LIE_LEVEL) b->v.level_blocks.at = no_vector;
    else if (_i == LIE_OVERFLOW) b->p.ev_overflow = &one;
    else if (_i == LIE_TAG) b->p.mem_be = &all_bytes;
    else if (_i == LIE_WINDOW) memset(b->window_expected, 0x5a, sizeof b->window_expected);
    else if (_i == LIE_PART) b->p.mem_be = &part;
    else if (_i == LIE_READS) {
        body_bench_drain(b);
        b->stopped = 1;
        b->p.mem_valid = &one;
        b->p.mem_we = &zero;
        b->p.mem_addr = &window_address;
        b->loads.latency_min = b->loads.latency_max = 1000;
    } else {
        b->loads.blocked = 0;
        b->loads.damage = _i == LIE_MARK ? 5 : 0;
        body_bench_run(b, 100);
        b->corrupt = _i == LIE_MEMORY;
        b->pretend = _i == LIE_MARK;
    }
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + 2000 * PERIOD), SIM_FAILED);
    ck_assert_msg(strstr(sim_error(b->s), lie_says[_i]) != NULL, "%s", sim_error(b->s));
}
