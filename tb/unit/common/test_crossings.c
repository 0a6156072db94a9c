/* The clock crossings and FIFOs of rtl/common against queues and counters kept in C, between clocks of many ratios. */
#include <stdlib.h>
#include <string.h>

#include "fifo_async.h"
#include "fifo_async_pair.h"
#include "fifo_sync.h"
#include "round_robin.h"
#include "sim/core/kernel/splitmix64.h"
#include "simulation.h"
#include "sync_event.h"
#include "sync_word16.h"
#include "test.h"

#define CAPACITY 1023

/* Clock pairs to try: period of side A and of side B [ps]. */
static const struct {
    sim_time a, b;
} pairs[] = {
    {10000, 12800}, {12800, 10000}, {10000, 10001}, {7500, 31000}, {31000, 7500}, {12800, 12801},
};
#define PAIRS (int)(sizeof pairs / sizeof pairs[0])

static sim *s;

static sim_clock *new_clock(const char *name, sim_time period, double ppm)
{
    return sim_clock_new(
        s, &(sim_clock_params){.name = name, .period = period, .ppm = ppm, .jitter = period / 50, .phase = -1});
}

struct reset {
    uint8_t *pin;
    int left; /* clocks */
};

static void release(void *self)
{
    struct reset *r = self;
    if (r->left) *r->pin = --r->left > 0;
}

/* One side of a crossing: its clock and events. It is in reset for 20 clocks. */
static sim_clock *new_side(sim_model *m, const char *name, uint8_t *clk, uint8_t *rst, sim_time period, double ppm,
                           void (*sample)(void *), void (*drive)(void *), void *bench)
{
    sim_clock *c = new_clock(name, period, ppm);
    struct reset *r = test_memory(sizeof *r);
    *r = (struct reset){rst, 20};
    *rst = 1;
    sim_model_clock(m, c, clk);
    sim_clock_attach(c, NULL, release, r);
    sim_clock_attach(c, sample, drive, bench);
    return c;
}

static void run_for(sim_time span) { ck_assert_int_eq(sim_run(s, sim_now(s) + span), SIM_TIME_LIMIT); }

/* ---- fifo_async: a random writer with commits and rollbacks, a random reader ---- */

struct fifo_bench {
    fifo_async *f;
    uint64_t model[1 << 18];           /* committed words, in order: hashes, so that a stale or repeated word is seen */
    unsigned written, committed, read; /* counts; written >= committed >= read */
    unsigned rollbacks;
    unsigned lost_expected, lost_seen;
    int write_load, read_load; /* percent */
    int careless;              /* writes even when full */
};

static void writer_sample(void *self)
{
    struct fifo_bench *b = self;
    if (*b->f->wr_rst) return;
    unsigned there = b->written - b->read;
    ck_assert_msg(*b->f->wr_count >= there, "wr_count %u is below the %u words that are in", *b->f->wr_count, there);
    b->lost_seen += *b->f->wr_overflow;
    if (*b->f->wr_valid) {
        if (*b->f->wr_full) b->lost_expected++;
        else b->model[b->written] = splitmix64_mix(b->written), b->written++;
    }
    if (*b->f->wr_rollback) {
        b->written = b->committed;
        b->rollbacks++;
    } else if (*b->f->wr_commit) {
        b->committed = b->written;
    }
}

static void writer_drive(void *self)
{
    struct fifo_bench *b = self;
    if (*b->f->wr_rst) return;
    unsigned dice = (unsigned)sim_random_below(s, 100);
    int write = (int)sim_random_below(s, 100) < b->write_load && b->written < (1u << 18) - 1;
    if (!b->careless && *b->f->wr_count >= CAPACITY) write = 0;
    *b->f->wr_valid = (uint8_t)write;
    *b->f->wr_commit = dice < 20 || b->written - b->committed > 500;
    *b->f->wr_rollback = dice == 99;
    uint64_t w = splitmix64_mix(b->written);
    b->f->wr_data[0] = (uint32_t)w;
    b->f->wr_data[1] = (uint32_t)(w >> 32);
    b->f->wr_data[2] = (uint32_t)(w & 0xf);
}

static void reader_sample(void *self)
{
    struct fifo_bench *b = self;
    if (*b->f->rd_rst) return;
    ck_assert_msg(*b->f->rd_count <= b->committed - b->read, "rd_count is above the committed words");
    ck_assert_msg(!*b->f->rd_underflow, "underflow without a cause");
    if (*b->f->rd_valid) {
        uint64_t got = b->f->rd_data[0] | (uint64_t)b->f->rd_data[1] << 32;
        ck_assert_msg(b->read < b->committed, "a word shows that was not committed");
        ck_assert_uint_eq(got, b->model[b->read]);
        ck_assert_uint_eq(b->f->rd_data[2], got & 0xf);
        if (*b->f->rd_pop) b->read++;
    }
}

static void reader_drive(void *self)
{
    struct fifo_bench *b = self;
    *b->f->rd_pop = !*b->f->rd_rst && *b->f->rd_valid && (int)sim_random_below(s, 100) < b->read_load;
}

static struct fifo_bench *fifo_bench_new(uint64_t seed, sim_time wr_period, sim_time rd_period)
{
    struct fifo_bench *b = test_memory(sizeof *b);
    s = quiet_sim(seed);
    b->f = fifo_async_new(s, "fifo");
    new_side(b->f->model, "wr_clk", b->f->wr_clk, b->f->wr_rst, wr_period, 100, writer_sample, writer_drive, b);
    sim_clock *rd =
        new_side(b->f->model, "rd_clk", b->f->rd_clk, b->f->rd_rst, rd_period, -100, reader_sample, reader_drive, b);
    sim_model_clock(b->f->model, rd, b->f->rd_run_clk);
    *b->f->wr_valid = *b->f->wr_commit = *b->f->wr_rollback = *b->f->rd_pop = 0;
    b->write_load = b->read_load = 50;
    return b;
}

TEST_CASE("crossings", .timeout = 120);

TEST(fifo_async_delivers_committed_words_in_order, .to = PAIRS)
{
    static const int loads[][2] = {{50, 50}, {100, 30}, {30, 100}, {100, 100}};
    struct fifo_bench *b = fifo_bench_new(1 + (uint64_t)_i, pairs[_i].a, pairs[_i].b);
    for (int i = 0; i < 4; i++) {
        b->write_load = loads[i][0];
        b->read_load = loads[i][1];
        run_for(5000 * pairs[_i].b);
    }
    ck_assert_uint_gt(b->read, 1000);
    ck_assert_uint_gt(b->rollbacks, 10);
    ck_assert_uint_eq(b->lost_expected, 0);
    ck_assert_uint_eq(b->lost_seen, 0);
}

TEST(fifo_async_holds_1023_words_and_reports_each_lost_one)
{
    struct fifo_bench *b = fifo_bench_new(7, 10000, 12800);
    b->write_load = 100;
    b->read_load = 0;
    b->careless = 1;
    run_for(3000 * 10000);
    ck_assert_uint_le(b->written, CAPACITY);
    ck_assert_uint_ge(b->committed, CAPACITY - 500);
    ck_assert_uint_gt(b->lost_expected, 500);
    ck_assert_int_le(abs((int)b->lost_expected - (int)b->lost_seen), 1); /* reported one clock later */
    b->careless = 0;
    b->write_load = 0;
    b->read_load = 100;
    run_for(3000 * 12800);
    ck_assert_uint_eq(b->read, b->committed);
}

TEST(fifo_async_reports_underflow)
{
    s = quiet_sim(3);
    sim_clock *c = new_clock("clk", 10000, 0);
    fifo_async *f = fifo_async_new(s, "fifo");
    sim_model_clock(f->model, c, f->wr_clk);
    sim_model_clock(f->model, c, f->rd_clk);
    sim_model_clock(f->model, c, f->rd_run_clk);
    *f->wr_rst = *f->rd_rst = 1;
    *f->wr_valid = *f->wr_commit = *f->wr_rollback = *f->rd_pop = 0;
    run_for(10 * 10000);
    *f->wr_rst = *f->rd_rst = 0;
    run_for(10 * 10000);
    ck_assert_uint_eq(*f->rd_underflow, 0);
    *f->rd_pop = 1;
    run_for(2 * 10000);
    ck_assert_uint_eq(*f->rd_underflow, 1);
    ck_assert_uint_eq(*f->rd_count, 0);
}

/* ---- fifo_async_pair: up to two words per clock on both sides ---- */

enum { PAIR_CAPACITY = 1022, PAIR_BITS = 68 };

struct pair_bench {
    fifo_async_pair *f;
    const fifo_async_pair_ports *p;
    unsigned written, read; /* words */
    unsigned twice[2];      /* clocks with two words in and out */
    unsigned overflows, underflows;
    unsigned after_full; /* words written while it said that it was full */
    int write_load, read_load;
    enum { CAREFUL, FULL, DRY } careless; /* writes when it is full, reads when it is empty */
};

static void pair_writer_sample(void *self)
{
    struct pair_bench *b = self;
    if (*b->f->wr_rst) return;
    unsigned valid = *b->f->wr_valid;
    ck_must(*b->f->wr_count >= b->written - b->read || b->careless, "wr_count %u is too low", *b->f->wr_count);
    b->overflows += *b->f->wr_overflow;
    b->after_full += *b->f->wr_full && valid;
    b->twice[0] += valid == 3;
    b->written += (valid & 1) + (valid >> 1);
}

static void pair_writer_drive(void *self)
{
    struct pair_bench *b = self;
    if (*b->f->wr_rst) return;
    unsigned words = (int)sim_random_below(s, 100) < b->write_load ? 1 + (unsigned)sim_random_below(s, 2) : 0;
    if (!b->careless && *b->f->wr_count + words > PAIR_CAPACITY) words = 0;
    *b->f->wr_valid = (uint8_t)((1u << words) - 1);
    for (unsigned w = 0; w < 2; w++) { /* a word that is not valid is another one */
        uint64_t data = splitmix64_mix(w < words ? b->written + w : sim_random(s));
        sim_port_set_field(&b->p->wr_data, PAIR_BITS * w, 64, data);
        sim_port_set_field(&b->p->wr_data, PAIR_BITS * w + 64, PAIR_BITS - 64, data);
    }
}

static void pair_reader_sample(void *self)
{
    struct pair_bench *b = self;
    if (*b->f->rd_rst) return;
    unsigned valid = *b->f->rd_valid, here = (valid & 1) + (valid >> 1),
             popped = (*b->f->rd_pop & 1) + (*b->f->rd_pop >> 1);
    b->underflows += *b->f->rd_underflow;
    if (b->careless) return;
    ck_must(valid != 2, "a second word without a first one");
    ck_must(*b->f->rd_count <= b->written - b->read, "rd_count %u is too high", *b->f->rd_count);
    ck_must(*b->f->rd_count >= here, "rd_count %u, and %u words are shown", *b->f->rd_count, here);
    for (unsigned w = 0; w < here; w++) {
        uint64_t got = sim_port_field(&b->p->rd_data, PAIR_BITS * w, 64), due = splitmix64_mix(b->read + w);
        ck_must(got == due && sim_port_field(&b->p->rd_data, PAIR_BITS * w + 64, PAIR_BITS - 64) == (due & 15),
                "word %u: %016llx, expected %016llx", b->read + w, (unsigned long long)got, (unsigned long long)due);
    }
    b->read += popped;
    b->twice[1] += popped == 2;
}

static void pair_reader_drive(void *self)
{
    struct pair_bench *b = self;
    unsigned valid = *b->f->rd_rst ? 0 : *b->f->rd_valid;
    if ((int)sim_random_below(s, 100) >= b->read_load) valid = 0;
    *b->f->rd_pop = (uint8_t)(b->careless == DRY ? 1 : valid & (1 + 2 * (unsigned)sim_random_below(s, 2)));
}

static struct pair_bench *pair_bench_new(uint64_t seed, sim_time wr_period, sim_time rd_period)
{
    struct pair_bench *b = test_memory(sizeof *b);
    s = quiet_sim(seed);
    b->f = fifo_async_pair_new(s, "fifo");
    b->p = PORTS_AS(fifo_async_pair, b->f->model);
    new_side(b->f->model, "wr_clk", b->f->wr_clk, b->f->wr_rst, wr_period, 100, pair_writer_sample, pair_writer_drive,
             b);
    sim_clock *rd = new_side(b->f->model, "rd_clk", b->f->rd_clk, b->f->rd_rst, rd_period, -100, pair_reader_sample,
                             pair_reader_drive, b);
    sim_model_clock(b->f->model, rd, b->f->rd_run_clk);
    *b->f->wr_valid = *b->f->rd_pop = 0;
    return b;
}

TEST(fifo_async_pair_keeps_the_order_of_one_and_two_words, .to = PAIRS)
{
    static const int loads[][2] = {{50, 50}, {100, 30}, {30, 100}, {100, 100}, {0, 100}};
    struct pair_bench *b = pair_bench_new(90 + (uint64_t)_i, pairs[_i].a, pairs[_i].b);
    for (int i = 0; i < COUNT(loads); i++) {
        b->write_load = loads[i][0];
        b->read_load = loads[i][1];
        run_for(3000 * pairs[_i].b);
    }
    ck_assert_uint_gt(b->read, 1000);
    ck_assert_uint_eq(b->read, b->written);
    ck_assert_uint_gt(b->twice[0], 300);
    ck_assert_uint_gt(b->twice[1], 300);
    ck_assert_uint_eq(b->overflows + b->underflows, 0);
}

/* `full` rises no later than with its last word, and each clock with lost words is reported. */
TEST(fifo_async_pair_holds_1022_words_and_reports_overflow_and_underflow)
{
    struct pair_bench *b = pair_bench_new(99, 10000, 12800);
    b->write_load = 100;
    run_for(3000 * 10000);
    ck_assert_uint_ge(b->written, PAIR_CAPACITY - 1);
    ck_assert_uint_le(b->written, PAIR_CAPACITY);
    ck_assert_uint_eq(b->overflows, 0);
    b->write_load = 0;
    b->read_load = 100;
    run_for(3000 * 12800);
    ck_assert_uint_eq(b->read, b->written);
    b->read_load = 0;
    b->write_load = 100;
    b->careless = FULL;
    run_for(2000 * 10000);
    ck_assert_uint_gt(b->overflows, 500);
    ck_assert_uint_le(b->overflows, b->after_full);
    b->write_load = 0;
    b->read_load = 100;
    run_for(3000 * 12800);
    ck_assert_uint_eq(*b->f->rd_valid, 0);
    ck_assert_uint_eq(b->underflows, 0);
    b->careless = DRY;
    run_for(20 * 12800);
    ck_assert_uint_ge(b->underflows, 18);
}

/* ---- sync_event: the numbers of pulses in and out are equal ---- */

struct event_bench {
    sync_event *m;
    unsigned in, out;
    int load;
};

static void event_src_sample(void *self)
{
    struct event_bench *b = self;
    if (!*b->m->src_rst) b->in += *b->m->src_event;
}

static void event_src_drive(void *self)
{
    struct event_bench *b = self;
    if (*b->m->src_rst) return;
    /* never more under way than the counter can distinguish */
    *b->m->src_event = b->in - b->out < 12 && (int)sim_random_below(s, 100) < b->load;
}

static void event_dst_sample(void *self)
{
    struct event_bench *b = self;
    if (!*b->m->dst_rst) b->out += *b->m->dst_event;
    ck_assert_uint_le(b->out, b->in + 1); /* the source edge that counts may fall on the same instant */
}

TEST(sync_event_neither_loses_nor_doubles, .to = PAIRS)
{
    s = quiet_sim(20 + (uint64_t)_i);
    struct event_bench b = {.m = sync_event_new(s, "crossing")};
    new_side(b.m->model, "src", b.m->src_clk, b.m->src_rst, pairs[_i].a, 100, event_src_sample, event_src_drive, &b);
    new_side(b.m->model, "dst", b.m->dst_clk, b.m->dst_rst, pairs[_i].b, -100, event_dst_sample, NULL, &b);
    *b.m->src_event = 0;
    for (b.load = 5; b.load <= 100; b.load += 19) run_for(3000 * pairs[_i].b);
    b.load = 0;
    run_for(100 * (pairs[_i].a + pairs[_i].b));
    ck_assert_uint_gt(b.in, 1000);
    ck_assert_uint_eq(b.out, b.in);
}

/* ---- sync_word: never a mixture of two values, and the last one arrives ---- */

struct word_bench {
    sync_word16 *m;
    unsigned value, seen, updates;
};

static void word_src_drive(void *self)
{
    struct word_bench *b = self;
    if (b->value < 250 && sim_random_below(s, 4) == 0) b->value++;
    *b->m->src_data = (uint16_t)(b->value | (~b->value & 0xff) << 8);
}

static void word_dst_sample(void *self)
{
    struct word_bench *b = self;
    if (*b->m->dst_rst || *b->m->src_rst || !*b->m->dst_update) return;
    unsigned v = *b->m->dst_data;
    if (v == 0) return; /* the value sampled in reset */
    ck_assert_msg((v >> 8 ^ (v & 0xff)) == 0xff, "a mixture of two values: %04x", v);
    ck_assert_uint_ge(v & 0xff, b->seen);
    b->seen = v & 0xff;
    b->updates++;
}

TEST(sync_word_shows_whole_values_in_order, .to = PAIRS)
{
    s = quiet_sim(40 + (uint64_t)_i);
    struct word_bench b = {.m = sync_word16_new(s, "crossing")};
    new_side(b.m->model, "src", b.m->src_clk, b.m->src_rst, pairs[_i].a, 100, NULL, word_src_drive, &b);
    sim_clock *dst =
        new_side(b.m->model, "dst", b.m->dst_clk, b.m->dst_rst, pairs[_i].b, -100, word_dst_sample, NULL, &b);
    sim_model_clock_buffered(b.m->model, dst, b.m->dst_run_clk,
                             _i & 1 ? b.m->dst_wake : sim_model_clock_enable(b.m->model, "dst_clk"));
    run_for(3000 * (pairs[_i].a + pairs[_i].b));
    ck_assert_uint_eq(b.seen, 250);
    ck_assert_uint_gt(b.updates, 20);
}

/* ---- fifo_sync ---- */

TEST(fifo_sync_matches_a_queue)
{
    s = quiet_sim(60);
    sim_clock *c = make_clock(s, "clk", 10000, 5000); /* one edge in each run below */
    fifo_sync *f = fifo_sync_new(s, "fifo");
    sim_model_clock(f->model, c, f->clk);
    *f->rst = 1;
    *f->wr_valid = *f->rd_pop = 0;
    run_for(5 * 10000);
    *f->rst = 0;
    run_for(10000);
    uint8_t queue[16];
    unsigned count = 0, lost = 0, dry = 0;
    for (int i = 0; i < 5000; i++) {
        int write = sim_random_below(s, 100) < (i / 500 % 2 ? 80 : 30), pop = sim_random_below(s, 100) < 50;
        uint8_t data = (uint8_t)sim_random(s);
        ck_assert_uint_eq(*f->count, count);
        ck_assert_uint_eq(*f->full, count == 16);
        ck_assert_uint_eq(*f->rd_valid, count > 0);
        if (count) ck_assert_uint_eq(*f->rd_data, queue[0]);
        *f->wr_valid = (uint8_t)write;
        *f->wr_data = data;
        *f->rd_pop = (uint8_t)pop;
        run_for(10000);
        unsigned before = count, out = pop && count > 0;
        if (out) memmove(queue, queue + 1, --count);
        if (write && before < 16) queue[count++] = data;
        ck_assert_uint_eq(*f->overflow, write && before == 16);
        ck_assert_uint_eq(*f->underflow, pop && before == 0);
        lost += *f->overflow;
        dry += *f->underflow;
    }
    ck_assert_uint_gt(lost, 0);
    ck_assert_uint_gt(dry, 0);
}

/* ---- round_robin: all requests and all positions of `last` ---- */

TEST(round_robin_grants_the_next_request_after_the_last)
{
    s = quiet_sim(80);
    round_robin *m = round_robin_new(s, "arbiter");
    for (unsigned request = 0; request < 256; request++)
        for (unsigned last = 0; last < 8; last++) {
            *m->request = (uint8_t)request;
            *m->last = (uint8_t)last;
            sim_model_eval(m->model);
            unsigned index = last;
            for (unsigned k = 1; k <= 8; k++)
                if (request >> ((last + k) % 8) & 1) {
                    index = (last + k) % 8;
                    break;
                }
            ck_assert_uint_eq(*m->any, request != 0);
            ck_assert_uint_eq(*m->index, index);
            ck_assert_uint_eq(*m->grant, request ? 1u << index : 0);
        }
}
