#include "body_bench.h"

#include <string.h>

#include "simulation.h"
#include "word_code.h"

#define STAGING 1024 /* words */

static body_word word_at(const uint32_t *pins)
{
    return (body_word){pins[0] | (uint64_t)pins[1] << 32, (uint8_t)(pins[2] & 7)};
}

/* ---- checking ---- */

static void sample_state(body_bench *b)
{
    unsigned level_bits = b->level_bits, free_blocks = (unsigned)sim_port_get(&b->v.free_blocks);
    if (free_blocks != b->ref->free_blocks)
        sim_fail(b->s, "free_blocks is %u, %u blocks are free", free_blocks, b->ref->free_blocks);
    for (unsigned v = 0; v < b->voqs; v++) {
        if (body_reference_has_body(b->ref, v) && !sim_port_field(&b->v.body, v, 1))
            sim_fail(b->s, "VOQ %u has a body, but body is 0", v);
        unsigned blocks = b->ref->q[v].blocks,
                 level = (unsigned)sim_port_field(&b->v.level_blocks, v * level_bits, level_bits);
        b->level_clocks[v] = b->level[v] == blocks ? b->level_clocks[v] + 1 : 0;
        b->level[v] = blocks;
        if (b->level_clocks[v] > b->voqs + 2 && level != blocks)
            sim_fail(b->s, "level_blocks of VOQ %u is %u, not %u", v, level, blocks);
        if (blocks > b->loads.limit + (STAGING + b->block_words - 1) / b->block_words)
            sim_fail(b->s, "VOQ %u has %u blocks, limit %u", v, blocks, b->loads.limit);
        if (blocks > b->most_blocks[v]) b->most_blocks[v] = blocks;
    }
    if (*b->p.ev_overflow) sim_fail(b->s, "ev_overflow");
    b->damages_seen += *b->p.ev_damaged;
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
        word_write(&b->window_memory[address % 64], word_at(b->p.mem_wdata).data, *b->p.mem_be);
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
        b->asked[b->outstanding].word = window ? (body_word){b->window_memory[address % 64], 0}
                                        : address < b->blocks * b->block_words ? b->memory[address]
                                                                               : (body_word){0, 0};
        b->asked[b->outstanding].window = window;
        b->asked[b->outstanding].tag =
            (uint8_t)(window || address >= b->blocks * b->block_words ? sim_random(b->s) : b->tags[address]);
        b->asked[b->outstanding++].due = b->last_due;
    }
}

static void sample_rings(body_bench *b)
{
    if (*b->p.fetch_reserve) {
        unsigned v = *b->p.fetch_voq;
        body_reference_fetch(b->ref, v, *b->p.fetch_words, (unsigned)sim_port_field(&b->v.ring_free, 12 * v, 12));
        if (v < b->voqs) b->promised[v] += *b->p.fetch_words;
    }
    if (*b->p.out_valid && *b->p.out_ready) {
        unsigned v = *b->p.out_voq;
        body_word word = word_at(b->p.out_data);
        unsigned at = b->handed++ % 64;
        word.data ^= b->hits[at].data;
        body_reference_out(b->ref, v, word);
        if ((b->p.out_data[2] >> 3 & 1) != (unsigned)b->hits[at].damaged)
            sim_fail(b->s, "%s",
                     b->hits[at].damaged ? "out: a damaged word is not marked" : "out: a good word is marked");
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
        word_write(&b->window_expected[place], *b->p.win_wdata, *b->p.win_be);
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
    if (*b->ref->error) sim_fail(b->s, "%s", b->ref->error);
}

/* ---- driving ---- */

static unsigned below(body_bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

static int chance(body_bench *b, int percent) { return (int)below(b, 100) < percent; }

static void word_put(uint32_t *pins, body_word w, uint32_t above)
{
    pins[0] = (uint32_t)w.data;
    pins[1] = (uint32_t)(w.data >> 32);
    pins[2] = w.flags | above;
}

/* A word that exists once: VOQ, number, a hash; one kind. */
static body_word new_word(body_bench *b, unsigned voq)
{
    static const uint8_t flags[] = {0, 0, 0, 0, 1, 2, 2, 4};
    uint64_t hash = ++b->serial * 0x9e3779b97f4a7c15ull;
    return (body_word){(uint64_t)voq << 56 | (uint64_t)b->serial << 24 | (hash >> 40), flags[hash >> 20 & 7]};
}

static void drive_reserve(body_bench *b)
{
    *b->p.reserve = 0;
    unsigned v = below(b, b->voqs), room = *b->p.body_room;
    if (b->clocks < 60) return; /* body_room and body_open settle */
    if (!b->full_room) b->full_room = room;
    if (b->stopped || ++b->since_reserve < 3 || b->ref->pieces >= 8) return;
    if (!chance(b, b->loads.reserve) || !(b->loads.voq_mask >> v & 1) || !sim_port_field(&b->v.body_open, v, 1) ||
        room < 3)
        return;
    unsigned most = room < b->loads.piece_words ? room : b->loads.piece_words;
    *b->p.reserve = 1;
    *b->p.reserve_voq = (uint8_t)v;
    *b->p.reserve_words = (uint16_t)(chance(b, b->loads.exact) ? most : 1 + below(b, most));
}

static void drive_pieces(body_bench *b)
{
    *b->p.in_valid = *b->p.in_commit = *b->p.in_rollback = *b->p.in_piece_end = 0;
    *b->p.in_piece_words = (uint16_t)below(b, 2048);
    *b->p.in_voq = (uint8_t)below(b, b->voqs);
    word_put(b->p.in_data, (body_word){sim_random(b->s), (uint8_t)below(b, 8)}, 0);
    if (!b->ref->pieces || *b->p.flush) {
        b->piece_open = 0;
        return;
    }
    if (!b->piece_open) {
        unsigned words = b->ref->piece[0].words;
        b->piece_open = 1;
        b->planned = chance(b, b->loads.exact) ? words : below(b, words + 1);
        b->planned_late = chance(b, b->loads.late_end) ? 1 + below(b, 20) : 0;
        if (b->planned_late && b->planned == words) b->planned--; /* a late end takes the place of a word */
    }
    unsigned v = b->ref->piece[0].voq, at = b->ref->piece[0].written;
    int last = 0;
    *b->p.in_voq = (uint8_t)v;
    *b->p.in_piece_words = (uint16_t)b->ref->piece[0].words;
    if (b->planned > 0) {
        if (!chance(b, b->loads.word)) return;
        if (at < b->ref->piece[0].words) {
            *b->p.in_valid = 1;
            word_put(b->p.in_data, new_word(b, v), 0);
        }
        last = --b->planned == 0;
        *b->p.in_rollback = (uint8_t)chance(b, last ? 10 * b->loads.rollback : b->loads.rollback);
        *b->p.in_commit = (uint8_t)chance(b, last ? 100 - 5 * b->loads.rollback : b->loads.commit);
        if (!last || b->planned_late) return;
    } else if (b->planned_late && --b->planned_late) {
        *b->p.in_rollback = (uint8_t)chance(b, b->loads.rollback);
        *b->p.in_commit = (uint8_t)chance(b, b->loads.commit);
        return;
    }
    *b->p.in_piece_end = 1;
    if (!last) *b->p.in_commit = (uint8_t)chance(b, 30);
    b->piece_open = 0;
}

static void drive_memory(body_bench *b)
{
    if (b->external) return;
    *b->p.mem_ready = (uint8_t)chance(b, b->loads.ready);
    *b->p.mem_rvalid = 0;
    b->p.mem_rdata[0] = (uint32_t)sim_random(b->s);
    b->p.mem_rdata[1] = b->p.mem_rdata[0] * 77;
    b->p.mem_rdata[2] = b->p.mem_rdata[0] & 0xff;
    if (!b->outstanding || b->asked[0].due > b->clocks) return;
    body_word w = b->asked[0].word;
    uint8_t tag = b->asked[0].tag;
    *b->p.mem_rvalid = 1;
    if (b->corrupt) {
        w.data ^= 1ull << below(b, 64);
        b->corrupt = 0;
    }
    if (!b->asked[0].window) {
        unsigned bit = chance(b, b->loads.damage) ? below(b, 72) : 72;
        uint64_t mask = bit < 64 ? 1ull << bit : 0;
        b->damages += bit < 72;
        b->hits[b->come % 64].data = mask;
        b->hits[b->come++ % 64].damaged = bit < 64 || (bit > 68 && bit < 72);
        if (bit < 64 && b->pretend) b->pretend = 0;
        else if (bit < 64) w.data ^= mask;
        else if (bit < 72) tag ^= (uint8_t)(1u << (bit - 64));
    }
    w.flags = 0;
    word_put(b->p.mem_rdata, w, tag);
}

static void drive_rings(body_bench *b)
{
    if (b->loads.block_changes && (int)below(b, 10000) < b->loads.block_changes)
        b->loads.blocked = below(b, 1u << b->voqs);
    if (chance(b, b->loads.drain)) {
        unsigned first = below(b, b->voqs);
        for (unsigned i = 0; i < b->voqs; i++) {
            unsigned v = (first + i) % b->voqs;
            unsigned takes = b->loads.packet ? b->loads.packet : 1;
            if (b->used[v] < b->loads.keep + takes || b->loads.blocked >> v & 1) continue;
            b->used[v] -= takes;
            break;
        }
    }
    for (unsigned v = 0; v < b->voqs; v++) {
        unsigned room = b->loads.ring_words - b->used[v] - b->promised[v];
        sim_port_set_field(&b->v.ring_free, 12 * v, 12, room);
        sim_port_set_field(&b->v.ring_low, v, 1, room > b->loads.ring_words / 2);
    }
    *b->p.out_ready = (uint8_t)chance(b, b->loads.out_ready);
}

static void drive_window(body_bench *b)
{
    if (b->window_acknowledged) {
        *b->p.win_req = 0;
        b->window_acknowledged = 0;
        *b->p.win_addr = (uint32_t)sim_random(b->s) & 0xffffff;
        *b->p.win_wdata = sim_random(b->s);
    } else if (!*b->p.win_req && chance(b, b->loads.window)) {
        *b->p.win_req = 1;
        *b->p.win_we = (uint8_t)chance(b, 50);
        *b->p.win_addr = WINDOW_BASE + below(b, 64);
        *b->p.win_be = (uint8_t)below(b, 256);
        *b->p.win_wdata = sim_random(b->s);
        b->window_wait = 0;
    }
}

static void drive(void *self)
{
    body_bench *b = self;
    *b->p.rst = b->reset > 0;
    if (b->reset) b->reset--;
    *b->p.flush = b->flushing > 0;
    sim_port_set_field(&b->v.cfg_body_limit, 0, b->level_bits, b->loads.limit > b->blocks ? b->blocks : b->loads.limit);
    drive_reserve(b);
    drive_pieces(b);
    drive_memory(b);
    drive_rings(b);
    drive_window(b);
    if (*b->p.flush) *b->p.reserve = 0;
}

/* ---- the bench ---- */

body_bench *body_bench_new(const sim_config *config)
{
    body_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(0);
    b->clk = make_clock(b->s, "clk", PERIOD, PERIOD / 2);
    sim_model *model = make_clocked(b->s, b->clk, config, "body");
    b->p = *MODEL_AS(voq_body, model, "body body_open cfg_body_limit ring_free ring_low level_blocks free_blocks");
    b->v = *PORTS_AS(voq_body, model);
    b->voqs = b->v.body.bits;
    b->block_words = (unsigned)sim_config_parameter(config, "BLOCK_WORDS", 64);
    b->level_bits = b->v.free_blocks.bits;
    b->blocks = 1u << (b->level_bits - 1);
    b->loads = (body_loads){.reserve = 50,
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
    b->ref = body_reference_new(b->voqs, b->block_words, b->blocks,
                                (unsigned)sim_config_parameter(config, "SEGMENT_WORDS", 128));
    b->memory = test_memory(b->blocks * b->block_words * sizeof *b->memory);
    b->tags = test_memory(b->blocks * b->block_words * sizeof *b->tags);
    b->reset = 5;
    *b->p.rst = 1;
    sim_clock_attach(b->clk, sample, drive, b);
    return b;
}

void body_bench_run(body_bench *b, unsigned clocks) { run_clocks(b->s, b->clk, clocks); }

void body_bench_measure(body_bench *b, unsigned clocks, unsigned *out, unsigned *in)
{
    uint64_t migrated = b->migrated, fetched = b->fetched;
    body_bench_run(b, clocks);
    *out = (unsigned)((b->migrated - migrated) * 1000 / clocks);
    *in = (unsigned)((b->fetched - fetched) * 1000 / clocks);
}

static int anything_left(const body_bench *b)
{
    int left = b->ref->pieces != 0 || b->outstanding || sim_port_get(&b->v.body);
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
    ck_assert_uint_eq(sim_port_get(&b->v.free_blocks), b->blocks);
    ck_assert_uint_eq(b->ref->free_blocks, b->blocks);
    ck_assert_uint_eq(sim_port_get(&b->v.body), 0);
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
