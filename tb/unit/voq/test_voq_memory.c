/* voq_memory: two users of one memory port. The memory here is an array; the data that each user must get follow from
 * the requests at its own side of the port in the order of acceptance, kept per user, never from the port to the
 * memory. */
#include <string.h>

#include "port_gap1.h"
#include "simulation.h"
#include "voq_memory.h"
#include "word_code.h"

#define PERIOD (10 * SIM_NS)
#define WORDS 64         /* that the bodies use, from address 0 */
#define WINDOW 0x800000u /* first word of the window's own 64 */

struct word {
    uint64_t data;
    uint8_t tag;
};

struct port_bench {
    sim *s;
    sim_clock *clk;
    voq_memory *m;
    int reset, gap;
    int ready, latency_min, latency_max, writes, reads, window; /* percent, clocks */
    /* memory: as its pins saw it */
    struct word body[WORDS], window_words[WORDS];
    struct {
        struct word w;
        uint64_t due;
    } asked[32];
    unsigned outstanding, most;
    uint64_t clocks, last_due;
    /* users: words written, and words that their reads must give */
    struct word body_is[WORDS], window_is[WORDS], expected[32];
    unsigned waiting;
    int acknowledged;
    unsigned wait, worst_write, since_window, closest;
    unsigned body_writes, body_reads, window_writes, window_reads, stray; /* stray: the next answer has no question */
    unsigned unexpected;
};

static int chance(struct port_bench *b, int percent) { return (int)sim_random_below(b->s, 100) < percent; }

static struct word word_at(const uint32_t *pins)
{
    return (struct word){pins[0] | (uint64_t)pins[1] << 32, (uint8_t)pins[2]};
}

static void sample_memory(struct port_bench *b)
{
    voq_memory *m = b->m;
    if (*m->mem_rvalid && b->outstanding) {
        b->outstanding--;
        memmove(&b->asked[0], &b->asked[1], b->outstanding * sizeof b->asked[0]);
    }
    b->since_window++;
    if (!*m->mem_valid || !*m->mem_ready) return;
    uint32_t a = *m->mem_addr;
    struct word *w = a >= WINDOW ? &b->window_words[a % WORDS] : &b->body[a % WORDS], new = word_at(m->mem_wdata);
    if (a >= WORDS && (a < WINDOW || a >= WINDOW + WORDS)) sim_fail(b->s, "address %x", a);
    if (a >= WINDOW) {
        if (b->since_window < b->closest) b->closest = b->since_window;
        b->since_window = 0;
    }
    if (*m->mem_we) {
        word_write(&w->data, new.data, *m->mem_be);
        if (*m->mem_be >> 8) w->tag = new.tag;
        return;
    }
    if (b->outstanding >= 16) sim_fail(b->s, "more than 16 reads outstanding");
    uint64_t due =
        b->clocks + (uint64_t)b->latency_min + sim_random_below(b->s, (uint64_t)(b->latency_max - b->latency_min) + 1);
    b->last_due = due > b->last_due ? due : b->last_due + 1;
    b->asked[b->outstanding].w = *w;
    b->asked[b->outstanding++].due = b->last_due;
    if (b->outstanding > b->most) b->most = b->outstanding;
}

static void sample_users(struct port_bench *b)
{
    voq_memory *m = b->m;
    if (*m->body_rvalid) {
        if (!b->waiting) sim_fail(b->s, "a word for the bodies that they did not ask for");
        struct word got = word_at(m->body_rdata);
        if (got.data != b->expected[0].data || got.tag != b->expected[0].tag)
            sim_fail(b->s, "the bodies read %016lx, not %016lx", (long)got.data, (long)b->expected[0].data);
        memmove(&b->expected[0], &b->expected[1], --b->waiting * sizeof b->expected[0]);
        b->body_reads++;
    }
    if (*m->body_taken) {
        unsigned a = *m->body_addr;
        if (!*m->body_write && !*m->body_read) sim_fail(b->s, "taken, but nothing was asked");
        if (*m->body_write) b->body_is[a] = word_at(m->body_wdata), b->body_writes++;
        else b->expected[b->waiting++] = b->body_is[a];
    }
    if (!*m->win_req) return;
    b->wait += *m->mem_ready;
    if (!*m->win_ack) return;
    struct word *w = &b->window_is[*m->win_addr % WORDS];
    if (*m->win_we) {
        word_write(&w->data, *m->win_wdata, *m->win_be);
        if (b->wait > b->worst_write) b->worst_write = b->wait;
        b->window_writes++;
    } else {
        if (*m->win_rdata != w->data)
            sim_fail(b->s, "the window reads %016lx, not %016lx", (long)*m->win_rdata, (long)w->data);
        b->window_reads++;
    }
    b->acknowledged = 1;
}

static void sample(void *self)
{
    struct port_bench *b = self;
    if (*b->m->rst) return;
    b->clocks++;
    sample_memory(b);
    sample_users(b);
    b->unexpected += *b->m->unexpected;
}

static void drive(void *self)
{
    struct port_bench *b = self;
    voq_memory *m = b->m;
    *m->rst = b->reset > 0;
    if (b->reset && b->reset--) return;
    *m->mem_ready = (uint8_t)chance(b, b->ready);
    struct word w = {sim_random(b->s), (uint8_t)sim_random_below(b->s, 256)};
    *m->mem_rvalid = b->outstanding && b->asked[0].due <= b->clocks;
    if (*m->mem_rvalid) w = b->asked[0].w;
    else if (b->stray && !b->outstanding) b->stray--, *m->mem_rvalid = 1;
    m->mem_rdata[0] = (uint32_t)w.data, m->mem_rdata[1] = (uint32_t)(w.data >> 32), m->mem_rdata[2] = w.tag;
    /* a body's request may change or go away while it is not taken */
    int dice = (int)sim_random_below(b->s, 100);
    *m->body_write = dice < b->writes;
    *m->body_read = !*m->body_write && dice < b->writes + b->reads;
    *m->body_addr = (uint32_t)sim_random_below(b->s, WORDS);
    m->body_wdata[0] = (uint32_t)sim_random(b->s), m->body_wdata[1] = (uint32_t)sim_random(b->s);
    m->body_wdata[2] = (uint32_t)sim_random_below(b->s, 256);
    if (b->acknowledged) {
        *m->win_req = 0;
        b->acknowledged = 0;
    } else if (!*m->win_req && chance(b, b->window)) {
        *m->win_req = 1;
        *m->win_we = (uint8_t)chance(b, 60);
        *m->win_addr = WINDOW + (uint32_t)sim_random_below(b->s, WORDS);
        *m->win_be = (uint8_t)sim_random_below(b->s, 256);
        *m->win_wdata = sim_random(b->s);
        b->wait = 0;
    }
}

static struct port_bench *bench_new(int gap1)
{
    struct port_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(0);
    b->clk = make_clock(b->s, "clk", PERIOD, PERIOD / 2);
    b->m =
        MODEL_AS(voq_memory, make_clocked(b->s, b->clk, gap1 ? &port_gap1_config : &voq_memory_config, "port"), NULL);
    b->gap = gap1 ? 1 : 3;
    sim_clock_attach(b->clk, sample, drive, b);
    b->reset = 3;
    b->ready = b->reads = 50;
    b->writes = 30;
    b->window = 20;
    b->latency_min = 1, b->latency_max = 10;
    b->closest = b->since_window = 1000;
    for (unsigned i = 0; i < WORDS; i++) {
        b->body[i] = b->body_is[i] = (struct word){sim_random(b->s), (uint8_t)(i * 37)};
        b->window_words[i] = b->window_is[i] = (struct word){sim_random(b->s), 0};
    }
    *b->m->rst = 1;
    return b;
}

TEST_CASE("port", .timeout = 120);

TEST(each_user_sees_its_own_words, .to = 4)
{
    struct port_bench *b = bench_new(_i & 1);
    for (int i = 0; i < 12; i++) {
        b->ready = 20 + (int)sim_random_below(b->s, 81);
        b->latency_max = 1 + (int)sim_random_below(b->s, 40);
        b->latency_min = 1 + (int)sim_random_below(b->s, (uint64_t)b->latency_max);
        b->reads = (int)sim_random_below(b->s, 101);
        b->writes = (int)sim_random_below(b->s, (uint64_t)(101 - b->reads));
        b->window = (int)sim_random_below(b->s, 101);
        run_clocks(b->s, b->clk, 3000);
    }
    b->ready = b->reads = 100; /* a read in each clock, and no answer in 40: the limit of reads is reached */
    b->latency_min = b->latency_max = 40;
    b->writes = b->window = 0;
    run_clocks(b->s, b->clk, 300);
    ck_assert_uint_gt(b->body_reads, 1000);
    ck_assert_uint_gt(b->body_writes, 1000);
    ck_assert_uint_gt(b->window_reads, 300);
    ck_assert_uint_gt(b->window_writes, 300);
    ck_assert_uint_eq(b->most, 16);
    ck_assert_uint_eq(b->unexpected, 0);
}

/* The bodies want every clock; a write of the window waits for GAP clocks of a ready memory at most, and takes one in
 * GAP + 1. */
TEST(the_window_waits_a_bounded_time, .to = 2)
{
    struct port_bench *b = bench_new(_i);
    b->ready = 70;
    b->writes = b->window = 100;
    b->reads = 0;
    run_clocks(b->s, b->clk, 10000);
    printf("window: every %u clocks at the soonest, %u writes, waits for %u; bodies %u\n", b->closest, b->window_writes,
           b->worst_write, b->body_writes);
    ck_assert_uint_le(b->worst_write, (unsigned)b->gap + 1);
    ck_assert_uint_ge(b->closest, (unsigned)b->gap + 1);
    ck_assert_uint_gt(b->window_writes, 300);
    ck_assert_uint_gt(b->body_writes, 10000 * 7 / 10 / 2);
}

TEST(an_answer_without_a_question_is_reported_and_dropped)
{
    struct port_bench *b = bench_new(0);
    b->window = b->reads = b->writes = 0;
    run_clocks(b->s, b->clk, 100);
    b->stray = 3;
    run_clocks(b->s, b->clk, 100);
    ck_assert_uint_eq(b->unexpected, 3);
    b->window = b->reads = 50;
    run_clocks(b->s, b->clk, 1000);
    ck_assert_uint_eq(b->unexpected, 3);
}

/* The checks above catch what they must: a memory that forgets, swaps, or answers the wrong user. */
TEST(a_wrong_memory_is_noticed, .to = 4)
{
    struct port_bench *b = bench_new(0);
    b->latency_min = b->latency_max = 20;
    b->reads = 60;
    run_clocks(b->s, b->clk, 1000);
    for (int i = 0; i < 2000 && (b->outstanding < 3 || b->asked[1].w.data == b->asked[2].w.data); i++)
        run_clocks(b->s, b->clk, 1);
    ck_assert_uint_ge(b->outstanding, 3);
    if (_i == 0) b->asked[1].w.data ^= 1;
    else if (_i == 1)
        for (unsigned i = 0; i < 3; i++) b->asked[i].w.tag ^= 8;
    else if (_i == 2) b->asked[1] = b->asked[2];
    else b->outstanding = 16; /* one more read is too many */
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + 200 * PERIOD), SIM_FAILED);
}
