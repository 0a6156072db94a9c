/* The request queues, 8 of 128 descriptors; test_request_queues_16.c includes this for 16 of 64.
 *
 * The reference keeps, per slot, which 32-bit words the host has written and their values; nothing of how the hardware
 * encodes it. A write is checked one clock after it was shown (the module's stage B), with the head of that clock: so
 * `overwrite` and `partial` are expected exactly. `ready` may be late (slots completed out of order are found by a
 * scan) but never early; how late is checked. */
#include <string.h>

#include "request_queues.h"
#include "simulation.h"

#ifndef CONFIG
#define QUEUES 8u
#define DEPTH 128u
#define CONFIG request_queues_config
#endif

#define START (1ull << 59)
#define SWEEP 1025 /* clocks after a reset in which writes are rejected */
#define LATE_LIMIT                                                                                                     \
    (QUEUES + 6) /* clocks within which a slot that may be taken is shown: a turn of the scan and its latency */

struct write {
    int valid;
    unsigned slot, second; /* 64-bit word of the slot: 0 source, 1 operation */
    uint64_t data;
    unsigned be;
};

struct slot {
    unsigned written; /* one bit per 32-bit word */
    unsigned ever;    /* ... since the beginning: those can be read back */
    uint32_t word[4];
};

struct read_back {
    int valid;
    uint64_t data, mask;
};

struct queue_bench {
    sim *s;
    sim_clock *clk;
    request_queues *m;
    const request_queues_ports *p; /* those whose width depends on the number of queues */
    struct slot slots[1024];
    unsigned head[QUEUES], taken[QUEUES]; /* free running */
    unsigned late[QUEUES];                /* clocks since a slot may be taken */
    struct write now, before;             /* shown in this clock, in the last one */
    unsigned expect_overwrite, expect_partial;
    int take_at; /* queue taken in the last clock, -1 none */
    uint32_t take_words[4];
    unsigned overwrites, partials, served;
    int reset_clocks;          /* of sweep still to wait for before the reference holds */
    int rebase;                /* a reset of the queues has been asked for, the pointers have not changed yet */
    struct read_back asked[2]; /* in the last clock, in the one before */
    /* expectations of the case */
    int take_percent, serve_percent;
    void (*writer)(struct queue_bench *b, struct write *w);
    unsigned script_length, script_at;
    const struct write *script;
    int no_checks_fail; /* a case that feeds a fault: count instead of failing */
    unsigned mistakes;
};

static unsigned below(struct queue_bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

static struct slot *slot_of(struct queue_bench *b, unsigned q, unsigned pointer)
{
    return &b->slots[q * DEPTH + pointer % DEPTH];
}

/* Complete slots from the head on. */
static unsigned complete_run(struct queue_bench *b, unsigned q)
{
    unsigned n = 0;
    while (n < DEPTH && slot_of(b, q, b->head[q] + n)->written == 15) n++;
    return n;
}

/* May the next slot be taken: complete, and a complete slot with the start flag at or after it. */
static int takeable(struct queue_bench *b, unsigned q)
{
    if (b->head[q] + DEPTH == b->taken[q] || slot_of(b, q, b->taken[q])->written != 15) return 0;
    for (unsigned p = b->taken[q]; p != b->head[q] + DEPTH; p++)
        if (slot_of(b, q, p)->written == 15 && (slot_of(b, q, p)->word[3] & (START >> 32))) return 1;
    return 0;
}

static void mistake(struct queue_bench *b, const char *what, unsigned q)
{
    b->mistakes++;
    if (!b->no_checks_fail)
        sim_fail(b->s, "queue %u at clock %llu: %s", q, (unsigned long long)sim_clock_cycles(b->clk), what);
}

/* Checks the write of the last clock. */
static void apply_write(struct queue_bench *b)
{
    const struct write *w = &b->before;
    b->expect_overwrite = b->expect_partial = 0;
    if (!w->valid) return;
    struct slot *s = &b->slots[w->slot];
    for (unsigned half = 0; half < 2; half++) {
        unsigned be = w->be >> 4 * half & 15, bit = 2 * w->second + half;
        if (be != 0 && be != 15) b->expect_partial = 1;
        if (be != 15) continue;
        if (b->reset_clocks || (s->written >> bit & 1)) {
            b->expect_overwrite = 1;
        } else {
            s->written |= 1u << bit;
            s->ever |= 1u << bit;
            s->word[bit] = (uint32_t)(w->data >> 32 * half);
        }
    }
    b->overwrites += b->expect_overwrite;
    b->partials += b->expect_partial;
}

static void check_outputs(struct queue_bench *b)
{
    if (*b->m->overwrite != b->expect_overwrite)
        mistake(b, b->expect_overwrite ? "a write to a set word was not reported" : "an allowed write was reported", 0);
    if (*b->m->resetting != (b->reset_clocks != 0)) mistake(b, "resetting is wrong", 0);
    if (*b->m->partial != b->expect_partial) mistake(b, "partial is wrong", 0);
    if (b->take_at >= 0)
        for (unsigned i = 0; i < 4; i++)
            if (b->m->take_descriptor[i] != b->take_words[i])
                mistake(b, "the descriptor taken is not the one written", (unsigned)b->take_at);
    if (b->asked[1].valid && ((*b->m->rd_data ^ b->asked[1].data) & b->asked[1].mask)) mistake(b, "read back wrong", 0);
    for (unsigned q = 0; q < QUEUES; q++) {
        int is = (int)sim_port_field(&b->p->ready, q, 1), may = takeable(b, q) && !b->reset_clocks;
        unsigned tail = (unsigned)sim_port_field(&b->p->tails, 7 * q, 7), run = complete_run(b, q);
        if ((unsigned)sim_port_field(&b->p->heads, 7 * q, 7) != b->head[q] % DEPTH) mistake(b, "head is wrong", q);
        if ((tail - b->head[q]) % DEPTH > run) mistake(b, "tail is ahead of the complete slots", q);
        if (is && !may) mistake(b, "ready without a complete descriptor and a start flag", q);
        b->late[q] = may && !is ? b->late[q] + 1 : 0;
        if (b->late[q] > LATE_LIMIT) mistake(b, "a released descriptor is not shown", q);
    }
}

/* All descriptors left are taken and not served: this many slots at the end of the queue stay closed. */
static void reset_pointers(struct queue_bench *b)
{
    b->rebase = 0;
    for (unsigned i = 0; i < 1024; i++) b->slots[i].written = 0;
    for (unsigned q = 0; q < QUEUES; q++) {
        unsigned in_engine = b->taken[q] - b->head[q];
        b->head[q] = 0u - in_engine;
        b->taken[q] = 0;
        for (unsigned i = 0; i < in_engine; i++) slot_of(b, q, b->head[q] + i)->written = 15;
    }
}

static void queue_sample(void *self)
{
    struct queue_bench *b = self;
    if (*b->m->rst) return;
    check_outputs(b);
    b->asked[1] = b->asked[0];
    unsigned at = *b->m->rd_addr;
    const struct slot *r = &b->slots[at / 2];
    unsigned two = r->ever >> 2 * (at & 1) & 3;
    b->asked[0].valid = 1;
    b->asked[0].data = r->word[2 * (at & 1)] | (uint64_t)r->word[2 * (at & 1) + 1] << 32;
    b->asked[0].mask = (two & 1 ? 0xffffffffull : 0) | (two & 2 ? 0xffffffffull << 32 : 0);

    apply_write(b);
    b->before = b->now;
    if (b->reset_clocks) b->reset_clocks--;
    unsigned q = *b->m->take_queue;
    b->take_at = *b->m->take ? (int)q : -1;
    if (*b->m->take) {
        memcpy(b->take_words, slot_of(b, q, b->taken[q])->word, sizeof b->take_words);
        b->taken[q]++;
    }
    q = *b->m->served_queue;
    if (*b->m->served && b->head[q] != b->taken[q]) {
        slot_of(b, q, b->head[q])->written = 0;
        b->head[q]++;
        b->served++;
    }
    if (b->rebase && !*b->m->served) reset_pointers(b);
    if (*b->m->queue_reset) {
        b->rebase = 1;
        b->reset_clocks = SWEEP;
    }
}

static void queue_drive(void *self)
{
    struct queue_bench *b = self;
    request_queues *m = b->m;
    if (*m->rst) {
        *m->rst = sim_clock_cycles(b->clk) < 4;
        b->reset_clocks = SWEEP;
        return;
    }
    /* A queue chosen at random, and the next ones that can. */
    unsigned first = below(b, QUEUES);
    *m->take = *m->served = *m->queue_reset = 0;
    for (unsigned i = 0; i < QUEUES; i++) {
        unsigned q = (first + i) % QUEUES;
        if (!*m->take && (unsigned)sim_port_field(&b->p->ready, q, 1) && (int)below(b, 100) < b->take_percent) {
            *m->take = 1;
            *m->take_queue = (uint8_t)q;
        }
        if (!*m->served && b->head[q] != b->taken[q] && (int)below(b, 100) < b->serve_percent) {
            *m->served = 1;
            *m->served_queue = (uint8_t)q;
        }
    }
    *m->rd_addr = (uint16_t)below(b, 2048);
    memset(&b->now, 0, sizeof b->now);
    b->writer(b, &b->now);
    *m->wr_valid = (uint8_t)b->now.valid;
    *m->wr_addr = (uint16_t)(b->now.slot * 2 + b->now.second);
    *m->wr_data = b->now.data;
    *m->wr_be = (uint8_t)b->now.be;
}

static struct queue_bench *queue_bench_new(uint64_t seed)
{
    struct queue_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    sim_model *model = make_clocked(b->s, b->clk, &CONFIG, "dut");
    b->m = MODEL_AS(request_queues, model, "ready heads tails fulls release_mask prepared");
    b->p = PORTS_AS(request_queues, model);
    sim_clock_attach(b->clk, queue_sample, queue_drive, b);
    *b->m->rst = 1;
    b->take_at = -1;
    return b;
}

static void queue_run(struct queue_bench *b, uint64_t clocks) { run_clocks(b->s, b->clk, clocks); }

/* ---- writers ---- */

/* Any word of a slot near the first incomplete one of a random queue; now and then a set word, a part of a word, or
 * nothing. */
static void write_anything(struct queue_bench *b, struct write *w)
{
    unsigned q = below(b, QUEUES);
    if (below(b, 100) < 15) return;
    unsigned p = b->head[q] + complete_run(b, q);
    if (below(b, 100) < 40) p += below(b, 4);
    if (below(b, 100) < 3) p = below(b, DEPTH);
    unsigned written = slot_of(b, q, p)->written, second = written == 15 ? below(b, 2) : (written & 3) == 3;
    if (below(b, 100) < 30) second = !second;
    unsigned free_words = ~(written >> 2 * second) & 3;
    w->valid = 1;
    w->slot = q * DEPTH + p % DEPTH;
    w->second = second;
    w->data = sim_random(b->s);
    w->be = (free_words & 1 ? 0x0f : 0) | (free_words & 2 ? 0xf0 : 0);
    if (w->be == 0xff && below(b, 100) < 60) w->be = below(b, 2) ? 0x0f : 0xf0;
    if (w->be == 0 || below(b, 100) < 5) w->be = below(b, 4) * 0x55 & 0xff;
    if (below(b, 100) < 5) w->be = below(b, 256);
}

/* A list of writes, one per clock. */
static void write_script(struct queue_bench *b, struct write *w)
{
    if (b->reset_clocks > 1 || b->script_at >= b->script_length) return;
    *w = b->script[b->script_at++];
}

static void run_script(struct queue_bench *b, const struct write *script, unsigned length, uint64_t clocks)
{
    b->writer = write_script;
    b->script = script;
    b->script_at = 0;
    b->script_length = length;
    queue_run(b, clocks);
}

/* ---- cases ---- */

static unsigned all_taken(struct queue_bench *b)
{
    unsigned n = 0;
    for (unsigned q = 0; q < QUEUES; q++) n += b->taken[q];
    return n;
}

TEST_CASE("queues", .timeout = 120);

TEST(random_writes_against_the_reference, .to = 5)
{
    static const struct {
        int take, serve;
    } loads[] = {{100, 100}, {50, 50}, {5, 100}, {100, 5}, {2, 2}};
    struct queue_bench *b = queue_bench_new((uint64_t)_i);
    b->writer = write_anything;
    b->take_percent = loads[_i].take;
    b->serve_percent = loads[_i].serve;
    queue_run(b, 120000);
    ck_assert_uint_gt(b->overwrites, 500);
    ck_assert_uint_gt(b->partials, 500);
    ck_assert_uint_gt(b->served, loads[_i].take < 5 ? 3000 : 10 * 1024);
}

TEST(queue_reset_at_random_times)
{
    struct queue_bench *b = queue_bench_new(100);
    b->writer = write_anything;
    b->take_percent = b->serve_percent = 70;
    queue_run(b, 2000);
    for (int i = 0; i < 60; i++) {
        queue_run(b, 1 + below(b, 1800));
        *b->m->queue_reset = 1;
    }
    ck_assert_uint_gt(b->served, 1000);
}

/* Descriptors taken before a reset are served after it, at any later time: head does not pass descriptors taken since.
 */
TEST(queue_reset_while_the_engine_works, .to = 3)
{
    static const int serves[] = {0, 1, 30};
    struct queue_bench *b = queue_bench_new(200 + (uint64_t)_i);
    b->writer = write_anything;
    for (int i = 0; i < 40; i++) {
        b->take_percent = 30;
        b->serve_percent = serves[_i];
        queue_run(b, 200 + below(b, 400));
        *b->m->queue_reset = 1;
        queue_run(b, SWEEP + below(b, 200));
        if (i % 4) continue;
        b->take_percent = 0;
        b->serve_percent = 100;
        queue_run(b, 1100);
        for (unsigned q = 0; q < QUEUES; q++)
            ck_assert_uint_eq((unsigned)sim_port_field(&b->p->heads, 7 * q, 7), b->taken[q] % DEPTH);
    }
}

/* Four slots without the start flag wait; the fifth releases them all. */
TEST(descriptors_wait_for_the_start_flag)
{
    struct queue_bench *b = queue_bench_new(0);
    struct write w[9];
    for (unsigned i = 0; i < 9; i++) w[i] = (struct write){1, DEPTH + i / 2, i % 2, i % 2 ? 0x123 + i : 8 * i, 0xff};
    b->take_percent = 100;
    run_script(b, w, 8, SWEEP + 200);
    ck_assert_uint_eq(b->script_at, 8);
    ck_assert_uint_eq((unsigned)sim_port_field(&b->p->tails, 7, 7), 4);
    ck_assert_uint_eq(all_taken(b), 0);
    struct write last[2] = {w[8], {1, DEPTH + 4, 1, START | 7, 0xff}};
    run_script(b, last, 2, 40);
    ck_assert_uint_eq(b->taken[1], 5);
    ck_assert_uint_eq(all_taken(b), 5);
}

/* The four words in each of the 24 orders, a start flag in the last but one slot's place too: only the fourth releases.
 */
TEST(torn_writes_never_release_a_slot)
{
    struct queue_bench *b = queue_bench_new(0);
    b->take_percent = b->serve_percent = 100;
    run_script(b, NULL, 0, SWEEP + 10);
    unsigned slot = 0;
    for (unsigned order = 0; order < 256; order++) {
        unsigned word[4], seen = 0;
        for (unsigned i = 0; i < 4; i++) seen |= 1u << (word[i] = order >> 2 * i & 3);
        if (seen != 15) continue;
        for (unsigned i = 0; i < 4; i++) {
            struct write w = {1, slot, word[i] / 2, 0xfedcba9876543210ull | START, word[i] & 1 ? 0xf0 : 0x0f};
            ck_assert_uint_eq(b->taken[0], slot);
            run_script(b, &w, 1, LATE_LIMIT + 8);
        }
        ck_assert_uint_eq(b->taken[0], ++slot);
    }
    ck_assert_uint_eq(slot, 24);
}

/* Slots 1..7 first, backwards, then slot 0: the scan finds them all. */
TEST(slots_completed_out_of_order_are_found)
{
    struct queue_bench *b = queue_bench_new(0);
    struct write w[16];
    for (unsigned i = 0; i < 16; i++) w[i] = (struct write){1, 2 * DEPTH + 7 - i / 2, i % 2, START | i, 0xff};
    b->take_percent = 100;
    run_script(b, w, 14, SWEEP + 100);
    ck_assert_uint_eq(all_taken(b), 0);
    run_script(b, w + 14, 2, 8 * LATE_LIMIT);
    ck_assert_uint_eq(b->taken[2], 8);
}

/* A queue is filled, nothing served: each further write is rejected, and none is lost when slots come free. */
TEST(full_queue_rejects_until_a_slot_is_served)
{
    static struct write w[2 * DEPTH + 2];
    struct queue_bench *b = queue_bench_new(0);
    for (unsigned i = 0; i < 2 * DEPTH + 2; i++)
        w[i] = (struct write){1, 3 * DEPTH + i / 2 % DEPTH, i % 2, START | i, 0xff};
    b->take_percent = 100;
    run_script(b, w, 2 * DEPTH + 2, SWEEP + 4 * DEPTH);
    ck_assert_uint_eq(b->overwrites, 2);
    ck_assert_uint_eq(b->taken[3], DEPTH);
    ck_assert_uint_eq((unsigned)sim_port_field(&b->p->tails, 21, 7), (unsigned)sim_port_field(&b->p->heads, 21, 7));
    ck_assert_uint_eq(sim_port_get(&b->p->fulls), 1 << 3);
    b->serve_percent = 100;
    queue_run(b, DEPTH + 10);
    ck_assert_uint_eq(b->head[3], DEPTH);
    ck_assert_uint_eq(sim_port_get(&b->p->fulls), 0); /* empty */
    run_script(b, w, 2 * DEPTH, 4 * DEPTH);
    ck_assert_uint_eq(b->taken[3], 2 * DEPTH);
    ck_assert_uint_eq(b->overwrites, 2);
}

/* 64-bit bursts without a pause, all queues, many times around. */
static void write_stream(struct queue_bench *b, struct write *w)
{
    unsigned q = b->script_at / 8 % QUEUES, p = b->script_at / (8 * QUEUES) * 4 + b->script_at / 2 % 4;
    if (b->reset_clocks > 1 || p - b->head[q] >= DEPTH) return;
    *w = (struct write){1, q * DEPTH + p % DEPTH, b->script_at % 2, sim_random(b->s) | (p % 4 == 3 ? START : 0), 0xff};
    b->script_at++;
}

TEST(bursts_of_four_many_times_around)
{
    struct queue_bench *b = queue_bench_new(0);
    b->writer = write_stream;
    b->take_percent = b->serve_percent = 100;
    queue_run(b, SWEEP + 40000);
    ck_assert_uint_eq(b->overwrites, 0);
    ck_assert_uint_gt(b->served, 19000);
}

/* The checks can fail: one bit of a slot, one written bit, one head that the reference has wrong. */
TEST(checker_sees_a_wrong_reference, .to = 3)
{
    struct queue_bench *b = queue_bench_new((uint64_t)_i);
    b->writer = write_stream;
    b->take_percent = b->serve_percent = _i == 0 ? 0 : 50;
    b->no_checks_fail = 1;
    queue_run(b, SWEEP + 100);
    ck_assert_uint_eq(b->mistakes, 0);
    if (_i == 0) b->slots[0].word[3] ^= 1u << 9;
    else if (_i == 1) b->slots[DEPTH - 1].written = 1;
    else b->head[1]++;
    b->take_percent = b->serve_percent = 100;
    queue_run(b, 4000);
    ck_assert_uint_gt(b->mistakes, 0);
}
