/* dma_reorder alone: words and ends of several reads, in any mixture, come out in the order in which the reads were asked for. The
 * reference is a list of the reads, each with its words counted up from a number of its own. */
#include <stdlib.h>
#include <string.h>

#include "dma_reorder.h"
#include "dma_reorder_2.h"
#include "dma_reorder_3.h"
#include "sim.h"
#include "simulation.h"
#include "test.h"

#define MAX_READS 4096

struct read {
    unsigned tag, words, brought, status, ended, taken;
};

struct reorder_bench {
    sim *s;
    sim_clock *clk;
    dma_reorder *m;
    unsigned splits, ready_percent, word_percent, in_order, words_max;
    struct read reads[MAX_READS];
    unsigned asked, oldest, out; /* reads asked for; whose end has been taken; whose words come out now */
    unsigned taken, direct, mistakes;
    uint64_t clocks, busy;
};

static void sample(void *self)
{
    struct reorder_bench *b = self;
    dma_reorder *m = b->m;
    b->clocks++;
    if (*m->rst) return;
    struct read *r = &b->reads[b->oldest];
    if (*m->item_valid && b->oldest == b->asked) b->mistakes++;
    else if (*m->item_valid && *m->item_ready) {
        b->busy++;
        if (*m->item_end) {
            b->mistakes += r->taken != r->words || !r->ended || *m->item_bad != (r->status != 0);
            b->oldest++;
        } else {
            b->direct += *m->rd_data_valid && *m->item_data == *m->rd_data;
            b->mistakes += *m->item_data != ((uint64_t)b->oldest << 32 | r->taken) || r->taken >= r->brought;
            r->taken++;
            b->taken++;
        }
    }
    if (b->mistakes) sim_fail(b->s, "clock %llu: read %u word %u", (unsigned long long)b->clocks, b->oldest, r->taken);
}

static void drive(void *self)
{
    struct reorder_bench *b = self;
    dma_reorder *m = b->m;
    *m->rst = b->clocks < 3;
    *m->rd_data_valid = *m->rd_done = 0;
    *m->rd_data = sim_random(b->s);
    *m->rd_data_tag = *m->rd_done_tag = (uint8_t)sim_random_below(b->s, 32);
    *m->rd_status = (uint8_t)sim_random_below(b->s, 8);
    *m->item_ready = sim_random_below(b->s, 100) < b->ready_percent;
    if (*m->rst) return;
    if (b->asked - b->oldest < b->splits && b->asked < MAX_READS && sim_random_below(b->s, 4) == 0) {
        struct read *r = &b->reads[b->asked];
        r->tag = b->asked++ % b->splits;
        r->words = 1 + (unsigned)sim_random_below(b->s, b->words_max);
        r->status = sim_random_below(b->s, 4) ? 0 : 1 + (unsigned)sim_random_below(b->s, 4);
        if (r->status) r->words = (unsigned)sim_random_below(b->s, r->words + 1);
    }
    int word = sim_random_below(b->s, 100) < b->word_percent;
    unsigned n = b->asked - b->oldest, first = b->in_order || !n ? 0 : (unsigned)sim_random_below(b->s, n);
    for (unsigned k = 0; k < n; k++) {
        unsigned i = b->oldest + (first + k) % n;
        struct read *r = &b->reads[i];
        if (r->ended) continue;
        if (r->brought < r->words && word) {
            *m->rd_data_valid = 1;
            *m->rd_data = (uint64_t)i << 32 | r->brought++;
            *m->rd_data_tag = (uint8_t)r->tag;
            word = 0;
            if (r->brought < r->words || sim_random_below(b->s, 3)) continue;
        }
        if (r->brought < r->words || *m->rd_done) continue;
        r->ended = 1;
        *m->rd_done = 1;
        *m->rd_done_tag = (uint8_t)r->tag;
        *m->rd_status = (uint8_t)r->status;
    }
}

static void run(struct reorder_bench *b, unsigned splits, uint64_t clocks)
{
    const sim_config *config = splits == 2 ? &dma_reorder_2_config : splits == 3 ? &dma_reorder_3_config : &dma_reorder_config;
    b->s = quiet_sim(splits);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->splits = splits;
    b->m = MODEL_AS(dma_reorder, make_model(b->s, config, "dut"), NULL);
    sim_model_clock(b->m->model, b->clk, b->m->clk);
    sim_clock_attach(b->clk, sample, drive, b);
    *b->m->rst = 1;
    *b->m->rd_data_valid = *b->m->rd_done = *b->m->item_ready = 0;
    int r = sim_run(b->s, clocks * 10000);
    ck_assert_msg(r == SIM_TIME_LIMIT, "seed %llu: %s", (unsigned long long)sim_seed(b->s), sim_error(b->s));
}

TEST_CASE("reorder", .timeout = 120);

TEST(words_come_in_order, .to = 54)
{
    static const unsigned percents[] = {100, 60, 20};
    struct reorder_bench *b = test_memory(sizeof *b);
    b->ready_percent = percents[_i / 3 % 3];
    b->word_percent = percents[_i / 9 % 3];
    b->words_max = _i / 27 ? 512 : 8;
    run(b, 2 + (unsigned)_i % 3, 60000);
    ck_assert_uint_gt(b->oldest, b->words_max == 8 ? 500 : 20);
    if (b->ready_percent == 100) ck_assert_uint_gt(b->direct, 0);
}

/* Words that come read by read in every clock and are always taken: one per clock, but for the end of each read and what follows. */
TEST(one_word_per_clock)
{
    struct reorder_bench *b = test_memory(sizeof *b);
    b->ready_percent = b->word_percent = 100;
    b->words_max = 512;
    b->in_order = 1;
    run(b, 4, 100000);
    ck_assert_msg(b->taken + 4 * (b->oldest + 1) + 600 > b->clocks, "%u words of %u reads in %llu clocks", b->taken, b->oldest,
                  (unsigned long long)b->clocks);
}

/* The check can fail: the bench mistakes one read for another. */
TEST(checker_sees_a_wrong_order, .to = 2)
{
    struct reorder_bench *b = test_memory(sizeof *b);
    b->ready_percent = b->word_percent = 100;
    b->words_max = 20;
    b->splits = 4;
    b->s = quiet_sim(0);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->m = dma_reorder_new(b->s, "dut");
    sim_model_clock(b->m->model, b->clk, b->m->clk);
    sim_clock_attach(b->clk, sample, drive, b);
    *b->m->rst = 1;
    *b->m->rd_data_valid = *b->m->rd_done = *b->m->item_ready = 0;
    ck_assert_int_eq(sim_run(b->s, 1000 * 10000), SIM_TIME_LIMIT);
    if (_i == 0) b->oldest++;
    else b->reads[b->oldest].taken++;
    ck_assert_int_ne(sim_run(b->s, 2000 * 10000), SIM_TIME_LIMIT);
}
