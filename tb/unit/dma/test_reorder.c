/* dma_reorder alone: words and ends of several reads, in any mixture, come out in the order in which the reads were
 * asked for. The reference is a list of the reads, each with its words counted up from a number of its own. */
#include "dma_reorder.h"
#include "dma_reorder_2.h"
#include "dma_reorder_3.h"
#include "simulation.h"

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
    unsigned asked, oldest; /* reads asked for; whose end has been taken */
    unsigned taken, direct, mistakes;
    uint64_t clocks;
};

static unsigned below(struct reorder_bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

static void sample(void *self)
{
    struct reorder_bench *b = self;
    dma_reorder *m = b->m;
    b->clocks++;
    if (*m->rst) return;
    struct read *r = &b->reads[b->oldest];
    if (*m->item_valid && b->oldest == b->asked) b->mistakes++;
    else if (*m->item_valid && *m->item_ready) {
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
    *m->rd_data_tag = *m->rd_done_tag = (uint8_t)below(b, 32);
    *m->rd_status = (uint8_t)below(b, 8);
    *m->item_ready = below(b, 100) < b->ready_percent;
    if (*m->rst) return;
    if (b->asked - b->oldest < b->splits && b->asked < MAX_READS && below(b, 4) == 0) {
        struct read *r = &b->reads[b->asked];
        r->tag = b->asked++ % b->splits;
        r->words = 1 + below(b, b->words_max);
        r->status = below(b, 4) ? 0 : 1 + below(b, 4);
        if (r->status) r->words = below(b, r->words + 1);
    }
    int word = below(b, 100) < b->word_percent;
    unsigned n = b->asked - b->oldest, first = b->in_order || !n ? 0 : below(b, n);
    for (unsigned k = 0; k < n; k++) {
        unsigned i = b->oldest + (first + k) % n;
        struct read *r = &b->reads[i];
        if (r->ended) continue;
        if (r->brought < r->words && word) {
            *m->rd_data_valid = 1;
            *m->rd_data = (uint64_t)i << 32 | r->brought++;
            *m->rd_data_tag = (uint8_t)r->tag;
            word = 0;
            if (r->brought < r->words || below(b, 3)) continue;
        }
        if (r->brought < r->words || *m->rd_done) continue;
        r->ended = 1;
        *m->rd_done = 1;
        *m->rd_done_tag = (uint8_t)r->tag;
        *m->rd_status = (uint8_t)r->status;
    }
}

/* All words are taken as soon as they come, in every clock one. */
static struct reorder_bench *bench_new(unsigned splits, unsigned words_max)
{
    const sim_config *config = splits == 2   ? &dma_reorder_2_config
                               : splits == 3 ? &dma_reorder_3_config
                                             : &dma_reorder_config;
    struct reorder_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(splits);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->splits = splits;
    b->words_max = words_max;
    b->ready_percent = b->word_percent = 100;
    b->m = MODEL_AS(dma_reorder, make_clocked(b->s, b->clk, config, "dut"), NULL);
    sim_clock_attach(b->clk, sample, drive, b);
    *b->m->rst = 1;
    return b;
}

TEST_CASE("reorder", .timeout = 120);

TEST(words_come_in_order, .to = 54)
{
    static const unsigned percents[] = {100, 60, 20};
    struct reorder_bench *b = bench_new(2 + (unsigned)_i % 3, _i / 27 ? 512 : 8);
    b->ready_percent = percents[_i / 3 % 3];
    b->word_percent = percents[_i / 9 % 3];
    run_clocks(b->s, b->clk, 60000);
    ck_assert_uint_gt(b->oldest, b->words_max == 8 ? 500 : 20);
    if (b->ready_percent == 100) ck_assert_uint_gt(b->direct, 0);
}

/* Words that come read by read in every clock and are always taken: one per clock, except around the end of each read.
 */
TEST(one_word_per_clock)
{
    struct reorder_bench *b = bench_new(4, 512);
    b->in_order = 1;
    run_clocks(b->s, b->clk, 100000);
    ck_assert_msg(b->taken + 4 * (b->oldest + 1) + 600 > b->clocks, "%u words of %u reads in %llu clocks", b->taken,
                  b->oldest, (unsigned long long)b->clocks);
}

/* The check can fail: the bench mistakes one read for another. */
TEST(checker_sees_a_wrong_order, .to = 2)
{
    struct reorder_bench *b = bench_new(4, 20);
    run_clocks(b->s, b->clk, 1000);
    if (_i == 0) b->oldest++;
    else b->reads[b->oldest].taken++;
    ck_assert_int_ne(sim_run(b->s, 2000 * 10000), SIM_TIME_LIMIT);
}
