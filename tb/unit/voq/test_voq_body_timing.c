/* voq_body clock by clock: how soon a word is at the memory and back in its ring, when `body` falls, effect of a
 * reservation on body_room; and parameters that are refused. */
#include <stdio.h>
#include <string.h>

#include "bad_blocks.h"
#include "bad_fit.h"
#include "bad_segment.h"
#include "bad_staging.h"
#include "simulation.h"
#include "voq_body.h"

#define PERIOD (10 * SIM_NS)

struct hand {
    sim *s;
    voq_body *m;
    unsigned clock;
    uint32_t words[8]; /* memory: words written, by address */
    int answer;        /* a word is due in the next clock */
    uint32_t answer_word;
};

/* The memory: always ready, answers in the clock after the next. */
static void sample(void *self)
{
    struct hand *h = self;
    h->answer = 0;
    if (!*h->m->mem_valid || *h->m->rst) return;
    if (*h->m->mem_we) h->words[*h->m->mem_addr % 8] = h->m->mem_wdata[0];
    else h->answer = 1, h->answer_word = h->words[*h->m->mem_addr % 8];
}

static void drive(void *self)
{
    struct hand *h = self;
    *h->m->mem_rvalid = (uint8_t)h->answer;
    h->m->mem_rdata[0] = h->answer_word;
    h->m->mem_rdata[1] = h->m->mem_rdata[2] = 0;
}

/* One clock; pulses are over after it. */
static void step(struct hand *h)
{
    ck_assert_int_eq(sim_run(h->s, sim_now(h->s) + PERIOD), SIM_TIME_LIMIT);
    *h->m->in_valid = *h->m->in_commit = *h->m->in_rollback = *h->m->in_piece_end = *h->m->reserve = 0;
    sim_model_eval(h->m->model);
    h->clock++;
}

static struct hand *hand_new(void)
{
    struct hand *h = test_memory(sizeof *h);
    h->s = loud_sim(0);
    sim_clock *clk = make_clock(h->s, "clk", PERIOD, PERIOD / 2);
    h->m = MODEL_AS(voq_body, make_clocked(h->s, clk, &voq_body_config, "body"), NULL);
    sim_clock_attach(clk, sample, drive, h);
    *h->m->mem_ready = *h->m->out_ready = 1;
    *h->m->cfg_body_limit = 100;
    *h->m->ring_low = 0xff;
    memset(h->m->ring_free, 0xff, 12); /* 4095 words each */
    *h->m->rst = 1;
    for (int i = 0; i < 3; i++) step(h);
    *h->m->rst = 0;
    for (int i = 0; i < 50; i++) step(h);
    return h;
}

static void reserve(struct hand *h, unsigned voq, unsigned words)
{
    *h->m->reserve = 1;
    *h->m->reserve_voq = (uint8_t)voq;
    *h->m->reserve_words = (uint16_t)words;
    step(h);
}

/* A word of a piece of `words`; the clock in which it is shown is h->clock. */
static void word(struct hand *h, unsigned voq, uint32_t data, unsigned words, int commit, int end)
{
    *h->m->in_valid = 1;
    *h->m->in_voq = (uint8_t)voq;
    h->m->in_data[0] = data;
    h->m->in_data[1] = 0;
    h->m->in_data[2] = 0;
    *h->m->in_commit = (uint8_t)commit;
    *h->m->in_piece_end = (uint8_t)end;
    *h->m->in_piece_words = (uint16_t)words;
    sim_model_eval(h->m->model);
    step(h);
}

/* Clocks until the signal is 1 in a clock. */
static unsigned until(struct hand *h, const uint8_t *signal)
{
    unsigned from = h->clock;
    while (!*signal && h->clock < from + 100) step(h);
    return h->clock - from;
}

TEST_CASE("timing");

TEST(a_word_goes_out_and_comes_back)
{
    struct hand *h = hand_new();
    reserve(h, 5, 3);
    ck_assert_uint_eq(*h->m->body, 1 << 5);
    unsigned written = h->clock;
    word(h, 5, 0x1234, 3, 1, 1);
    until(h, h->m->mem_valid);
    ck_assert_uint_eq(*h->m->mem_we, 1);
    ck_assert_uint_eq(h->m->mem_wdata[0], 0x1234);
    ck_assert_uint_eq(h->clock - written, 3);
    ck_assert_uint_eq(*h->m->mem_addr, 0);
    step(h);
    until(h, h->m->fetch_reserve);
    ck_assert_uint_eq(*h->m->fetch_voq, 5);
    ck_assert_uint_eq(*h->m->fetch_words, 1);
    ck_assert_uint_eq(*h->m->mem_valid, 1); /* the first word is asked for in the same clock */
    ck_assert_uint_eq(*h->m->mem_we, 0);
    until(h, h->m->mem_rvalid);
    unsigned came = h->clock;
    until(h, h->m->out_valid);
    ck_assert_uint_eq(h->clock - came, 2);
    ck_assert_uint_eq(*h->m->out_voq, 5);
    ck_assert_uint_eq(h->m->out_data[0], 0x1234);
    printf("a word is back in its ring %u clocks after it was written, memory %u\n", h->clock - written, 1);
    ck_assert_uint_le(h->clock - written, 24);
    ck_assert_uint_eq(*h->m->body, 1 << 5);
    unsigned out = h->clock;
    while (*h->m->body && h->clock < out + 100) step(h);
    printf("its body is gone %u clocks later\n", h->clock - out);
    ck_assert_uint_gt(h->clock - out, 0);
    ck_assert_uint_le(h->clock - out, 20);
}

TEST(a_reservation_counts_from_the_next_clock_on_and_comes_back)
{
    struct hand *h = hand_new();
    ck_assert_uint_eq(*h->m->body_room, 1024);
    reserve(h, 1, 514);
    ck_assert_uint_eq(*h->m->body_room, 510);
    step(h);
    reserve(h, 2, 10);
    ck_assert_uint_eq(*h->m->body_room, 500);
    word(h, 1, 1, 514, 0, 0);
    word(h, 1, 2, 514, 0, 0);
    ck_assert_uint_eq(*h->m->body_room, 500);
    *h->m->in_rollback = *h->m->in_piece_end = 1; /* nothing of it stays: only the mark of its end */
    *h->m->in_piece_words = 514;
    step(h);
    ck_assert_uint_eq(*h->m->body_room, 1013);
    word(h, 2, 3, 10, 1, 1);
    for (int i = 0; i < 60; i++) step(h);
    ck_assert_uint_eq(*h->m->body_room, 1024);
    ck_assert_uint_eq(*h->m->body, 0);
    ck_assert_uint_eq(*h->m->free_blocks, 4096);
}

TEST(a_piece_without_words_raises_body_for_a_moment)
{
    struct hand *h = hand_new();
    reserve(h, 7, 100);
    for (int i = 0; i < 200; i++) step(h);
    ck_assert_uint_eq(*h->m->body, 0x80);
    *h->m->in_piece_end = 1;
    *h->m->in_voq = 7;
    *h->m->in_piece_words = 100;
    step(h);
    for (int i = 0; i < 30; i++) step(h);
    ck_assert_uint_eq(*h->m->body, 0);
    ck_assert_uint_eq(*h->m->body_room, 1024);
    ck_assert_uint_eq(*h->m->mem_valid, 0);
}

/* A word too many: lost, and reported. */
TEST(an_overflow_of_the_staging_is_reported)
{
    struct hand *h = hand_new();
    *h->m->mem_ready = 0;
    reserve(h, 0, 1024);
    for (unsigned i = 0; i < 1025; i++) { /* one more fits: the reader has taken the first */
        word(h, 0, i, 1024, 1, 0);
        ck_assert_uint_eq(*h->m->ev_overflow, 0);
    }
    word(h, 0, 9999, 1024, 1, 0);
    step(h);
    ck_assert_uint_eq(*h->m->ev_overflow, 1);
}

/* ---- parameters ---- */

TEST(illegal_parameters_are_refused, .to = 4)
{
    static const sim_config *const refused[] = {&bad_blocks_config, &bad_fit_config, &bad_segment_config,
                                                &bad_staging_config};
    sim *s = quiet_sim(0);
    make_clocked(s, make_clock(s, "clk", PERIOD, PERIOD / 2), refused[_i], "bad");
    ck_assert_int_eq(sim_run(s, 10 * PERIOD), SIM_FAILED);
    ck_assert_str_eq(sim_error(s), "a model called $finish");
}
