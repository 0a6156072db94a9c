#include "body_bench.h"
#include "simulation.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "body_drive.h"
#include "word_code.h"

#define STAGING 1024 /* words */

const body_loads body_loads_default = {.reserve = 50,
                                       .piece_words = 100,
                                       .word = 80,
                                       .commit = 10,
                                       .rollback = 1,
                                       .late_end = 50,
                                       .voq_mask = 0xffff,
                                       .ready = 90,
                                       .latency_min = 1,
                                       .latency_max = 8,
                                       .out_ready = 80,
                                       .drain = 50,
                                       .ring_words = 1024,
                                       .block_changes = 20,
                                       .window = 2,
                                       .limit = 4096};

static body_word word_at(const uint32_t *pins)
{
    return (body_word){pins[0] | (uint64_t)pins[1] << 32, (uint8_t)(pins[2] & 7)};
}

/* ---- judging ---- */

static void sample_state(body_bench *b)
{
    unsigned level_bits = b->level_bits, free_blocks = body_get(&b->v.free_blocks, 0, level_bits);
    if (free_blocks != body_reference_free_blocks(b->ref))
        sim_fail(b->s, "free_blocks is %u, %u blocks are free", free_blocks, body_reference_free_blocks(b->ref));
    for (unsigned v = 0; v < b->voqs; v++) {
        if (body_reference_has_body(b->ref, v) && !body_get(&b->v.body, v, 1)) sim_fail(b->s, "VOQ %u has a body, but body is 0", v);
        unsigned blocks = body_reference_blocks(b->ref, v), level = body_get(&b->v.level_blocks, v * level_bits, level_bits);
        b->level_clocks[v] = b->level[v] == blocks ? b->level_clocks[v] + 1 : 0;
        b->level[v] = blocks;
        if (b->level_clocks[v] > b->voqs + 2 && level != blocks) sim_fail(b->s, "level_blocks of VOQ %u is %u, not %u", v, level, blocks);
        if (blocks > b->loads.limit + (STAGING + b->block_words - 1) / b->block_words)
            sim_fail(b->s, "VOQ %u has %u blocks, limit %u", v, blocks, b->loads.limit);
        if (blocks > b->most_blocks[v]) b->most_blocks[v] = blocks;
    }
    if (*b->p.ev_overflow) sim_fail(b->s, "ev_overflow");
    b->damages_seen += *b->p.ev_damaged;
    b->room_zero += *b->p.body_room == 0;
    b->exhausted += *b->p.body_short;
}

static void sample_pieces(body_bench *b)
{
    if (*b->p.in_valid) body_reference_word(b->ref, word_at(b->p.in_data));
    if (*b->p.in_rollback) body_reference_rollback(b->ref);
    else if (*b->p.in_commit) body_reference_commit(b->ref);
    if (*b->p.in_piece_end) body_reference_piece_end(b->ref);
    if (*b->p.reserve) {
        body_reference_reserve(b->ref, *b->p.reserve_voq, *b->p.reserve_words);
        b->since_reserve = 0;
        b->reserved++;
    }
}

static void sample_memory(body_bench *b)
{
    uint32_t address = *b->p.mem_addr;
    int window = address >= WINDOW_BASE;
    if (*b->p.mem_rvalid) {
        b->outstanding--;
        memmove(&b->asked[0], &b->asked[1], b->outstanding * sizeof b->asked[0]);
    }
    if (!*b->p.mem_valid || !*b->p.mem_ready) return;
    if (*b->p.mem_we && window) {
        if (*b->p.mem_be >> 8) sim_fail(b->s, "the window writes the tag byte");
        uint64_t mask = 0;
        for (unsigned lane = 0; lane < 8; lane++)
            if (*b->p.mem_be >> lane & 1) mask |= 0xffull << 8 * lane;
        uint64_t *place = &b->window_memory[address % 64];
        *place = (*place & ~mask) | (word_at(b->p.mem_wdata).data & mask);
    } else if (*b->p.mem_we) {
        if (*b->p.mem_be != 0x1ff) sim_fail(b->s, "a word of a body is written in part");
        uint8_t tag = (uint8_t)b->p.mem_wdata[2];
        int damaged, fixed;
        body_word word = word_at(b->p.mem_wdata);
        word.flags = (uint8_t)word_code_read(word.data, tag, address, &damaged, &fixed);
        if (damaged || fixed) sim_fail(b->s, "%016lx is written with the tag byte %02x", (long)word.data, tag);
        body_reference_write(b->ref, address, word);
        if (address < b->blocks * b->block_words) {
            b->memory[address] = word;
            b->tags[address] = tag;
        }
    } else {
        if (b->outstanding == 16) {
            sim_fail(b->s, "more than 16 reads outstanding");
            return;
        }
        if (!window) body_reference_read(b->ref, address);
        uint64_t due = b->clocks + (uint64_t)b->loads.latency_min +
                       sim_random_below(b->s, (uint64_t)(b->loads.latency_max - b->loads.latency_min) + 1);
        b->last_due = due > b->last_due ? due : b->last_due + 1;
        b->asked[b->outstanding].word = window                                 ? (body_word){b->window_memory[address % 64], 0}
                                        : address < b->blocks * b->block_words ? b->memory[address]
                                                                               : (body_word){0, 0};
        b->asked[b->outstanding].window = window;
        b->asked[b->outstanding].tag = (uint8_t)(window || address >= b->blocks * b->block_words ? sim_random(b->s) : b->tags[address]);
        b->asked[b->outstanding++].due = b->last_due;
        if (b->outstanding > b->most_outstanding) b->most_outstanding = b->outstanding;
    }
}

static void sample_rings(body_bench *b)
{
    if (*b->p.fetch_reserve) {
        unsigned v = *b->p.fetch_voq;
        body_reference_fetch(b->ref, v, *b->p.fetch_words, body_get(&b->v.ring_free, 12 * v, 12));
        if (v < b->voqs) b->promised[v] += *b->p.fetch_words;
    }
    if (*b->p.out_valid && *b->p.out_ready) {
        unsigned v = *b->p.out_voq;
        body_word word = word_at(b->p.out_data);
        unsigned at = b->handed++ % 64;
        word.data ^= b->hits[at].data;
        body_reference_out(b->ref, v, word);
        if ((b->p.out_data[2] >> 3 & 1) != (unsigned)b->hits[at].damaged)
            sim_fail(b->s, "%s", b->hits[at].damaged ? "out: a damaged word is not marked" : "out: a good word is marked");
        if (v < b->voqs) b->promised[v]--, b->used[v]++;
    }
}

static void sample_window(body_bench *b)
{
    if (!*b->p.win_req) return;
    b->window_wait += *b->p.mem_ready;
    if (!*b->p.win_ack) return;
    unsigned place = *b->p.win_addr % 64;
    if (*b->p.win_we) {
        if (b->window_wait > b->window_worst) b->window_worst = b->window_wait;
        for (unsigned lane = 0; lane < 8; lane++)
            if (*b->p.win_be >> lane & 1) {
                uint64_t mask = 0xffull << 8 * lane;
                b->window_expected[place] = (b->window_expected[place] & ~mask) | (*b->p.win_wdata & mask);
            }
    } else if (*b->p.win_rdata != b->window_expected[place]) {
        sim_fail(b->s, "the window reads %016lx, not %016lx", (long)*b->p.win_rdata, (long)b->window_expected[place]);
    }
    b->window_acknowledged = 1;
    b->windows++;
}

static void sample(void *self)
{
    body_bench *b = self;
    if (*b->p.rst) return;
    b->clocks++;
    sample_state(b);
    if (!*b->p.flush) sample_rings(b);
    sample_memory(b);
    sample_window(b);
    b->migrated += *b->p.ev_migrated;
    b->fetched += *b->p.ev_fetched;
    if (*b->p.flush) {
        body_reference_clear(b->ref);
        memset(b->used, 0, sizeof b->used);
        memset(b->promised, 0, sizeof b->promised);
        b->handed = b->come;
        b->flushing = *b->p.flushed ? 0 : b->flushing + 1;
    } else sample_pieces(b);
    if (*body_reference_error(b->ref)) sim_fail(b->s, "%s", body_reference_error(b->ref));
}

body_bench *body_bench_new(sim *s, sim_clock *clk, sim_model *model, unsigned voqs, unsigned block_words, unsigned log2_blocks,
                           unsigned segment_words)
{
    body_bench *b = calloc(1, sizeof *b);
    b->s = s;
    b->clk = clk;
    b->p = *MODEL_AS(voq_body, model, "body body_open cfg_body_limit ring_free ring_low level_blocks free_blocks");
    b->v = *PORTS_AS(voq_body, model);
    b->voqs = voqs;
    b->block_words = block_words;
    b->blocks = 1u << log2_blocks;
    b->level_bits = log2_blocks + 1;
    b->segment_words = segment_words;
    b->loads = body_loads_default;
    b->ref = body_reference_new(voqs, block_words, b->blocks, segment_words);
    b->memory = calloc((size_t)b->blocks * block_words, sizeof *b->memory);
    b->tags = calloc((size_t)b->blocks * block_words, sizeof *b->tags);
    b->reset = 5;
    voq_body *p = &b->p;
    *p->rst = 1;
    *p->flush = *p->in_valid = *p->in_commit = *p->in_rollback = *p->in_piece_end = *p->reserve = *p->win_req = *p->mem_rvalid = 0;
    sim_model_clock(model, clk, p->clk);
    sim_clock_attach(clk, sample, body_drive, b);
    return b;
}

void body_bench_free(body_bench *b)
{
    sim_clock_detach(b->clk, b);
    body_reference_free(b->ref);
    free(b->memory);
    free(b->tags);
    free(b);
}

void body_bench_run(body_bench *b, unsigned clocks)
{
    int r = sim_run(b->s, sim_now(b->s) + clocks * sim_clock_period(b->clk));
    ck_assert_msg(r == SIM_TIME_LIMIT, "clock %lu: %s", (unsigned long)b->clocks, sim_error(b->s));
}

void body_bench_measure(body_bench *b, unsigned clocks, unsigned *out, unsigned *in)
{
    uint64_t migrated = b->migrated, fetched = b->fetched;
    body_bench_run(b, clocks);
    *out = (unsigned)((b->migrated - migrated) * 1000 / clocks);
    *in = (unsigned)((b->fetched - fetched) * 1000 / clocks);
}

static int anything_left(const body_bench *b)
{
    int left = body_reference_pieces(b->ref) != 0 || b->outstanding || body_get(&b->v.body, 0, b->voqs);
    for (unsigned v = 0; v < b->voqs; v++) left |= body_reference_has_body(b->ref, v) || b->used[v] || b->promised[v];
    return left;
}

void body_bench_drain(body_bench *b)
{
    body_loads keep = b->loads;
    unsigned words = 1000 + b->blocks * b->block_words, left = 40 * words;
    b->stopped = 1;
    b->loads.blocked = b->loads.keep = b->loads.packet = 0;
    b->loads.block_changes = 0;
    b->loads.drain = b->loads.word = 100;
    b->loads.out_ready = keep.out_ready < 50 ? 50 : keep.out_ready;
    b->loads.ready = keep.ready < 50 ? 50 : keep.ready;
    while (anything_left(b) && left > 0) {
        body_bench_run(b, 100);
        left -= left < 100 ? left : 100;
    }
    ck_assert_msg(left > 0, "words are left after %u clocks", 40 * words);
    body_bench_run(b, 4 * b->voqs + 20);
    ck_assert_uint_eq(body_get(&b->v.free_blocks, 0, b->level_bits), b->blocks);
    ck_assert_uint_eq(body_reference_free_blocks(b->ref), b->blocks);
    ck_assert_uint_eq(body_get(&b->v.body, 0, b->voqs), 0);
    ck_assert_uint_eq(*b->p.body_room, b->full_room);
    ck_assert_uint_eq(b->damages_seen, b->damages);
    b->stopped = 0;
    b->loads = keep;
}

void body_bench_flush(body_bench *b)
{
    b->flushing = 1;
    for (unsigned left = 200; b->flushing && left; left--) body_bench_run(b, 1);
    ck_assert_msg(!b->flushing, "flushed did not come");
}
