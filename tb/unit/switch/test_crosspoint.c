/*
 * How soon the output scheduler has decided after a packet's first word has been written into the crosspoint (S1 3.2.3: 5 output clocks, 3
 * of them synchronisation), over all phases of the two clocks. What else a crosspoint must do is judged in tb/contract/crosspoint.
 */
#include <stdio.h>
#include <stdlib.h>

#include "decision_path.h"
#include "decision_path_same.h"
#include "sim.h"
#include "simulation.h"
#include "test.h"

enum { PERIOD = 12800, PHASES = 64, LIMIT_CLOCKS = 5, PACKETS = 40, WORDS = 5 };

static struct {
    sim *s;
    uint8_t *wr_valid, *wr_start, *wr_end, *rd_pop, *choose, *taken;
    const uint8_t *rd_valid, *rd_end, *chosen;
    unsigned gap, word, packets; /* writer */
    sim_time written_at;         /* edge that ended the write of the first word; 0 = its packet has been chosen */
    sim_time longest, shortest;
    unsigned decisions;
    int emptying;   /* reader */
    sim_time extra; /* added to each measurement: the fault */
} p;

static void sample_write(void *self)
{
    (void)self;
    if (*p.wr_valid && *p.wr_start) p.written_at = sim_now(p.s);
}

static void drive_write(void *self)
{
    (void)self;
    *p.wr_valid = *p.wr_start = *p.wr_end = 0;
    if (p.gap) {
        p.gap--;
        return;
    }
    if (p.packets == PACKETS) return;
    *p.wr_valid = 1;
    *p.wr_start = p.word == 0;
    *p.wr_end = ++p.word == WORDS;
    if (p.word < WORDS) return;
    p.word = 0;
    p.packets++;
    p.gap = 20 + (unsigned)sim_random_below(p.s, 10);
}

static void drive_read(void *self)
{
    (void)self;
    *p.choose = !p.emptying;
    *p.taken = 0;
    if (*p.chosen && !p.emptying) { /* it has just risen */
        sim_time t = sim_now(p.s) - p.written_at + p.extra;
        if (!p.decisions || t > p.longest) p.longest = t;
        if (!p.decisions || t < p.shortest) p.shortest = t;
        p.decisions++;
        p.emptying = 1;
        *p.taken = 1;
    }
    *p.rd_pop = p.emptying && *p.rd_valid;
    if (*p.rd_pop && *p.rd_end) p.emptying = 0;
}

static void attach(sim_clock *w, sim_clock *r)
{
    sim_clock_attach(w, sample_write, drive_write, &p);
    sim_clock_attach(r, NULL, drive_read, &p);
}

#define USE(m)                                                                                                                             \
    p.wr_valid = (m)->wr_valid, p.wr_start = (m)->wr_start, p.wr_end = (m)->wr_end, p.rd_pop = (m)->rd_pop, p.choose = (m)->choose,        \
    p.taken = (m)->taken, p.rd_valid = (m)->rd_valid, p.rd_end = (m)->rd_end, p.chosen = (m)->chosen;                                      \
    *p.wr_valid = *p.wr_start = *p.wr_end = *p.rd_pop = *p.choose = *p.taken = 0;                                                          \
    *(m)->wr_rst = *(m)->rd_rst = 1;                                                                                                       \
    sim_run(p.s, 5 * PERIOD);                                                                                                              \
    *(m)->wr_rst = *(m)->rd_rst = 0;                                                                                                       \
    sim_run(p.s, 10 * PERIOD);                                                                                                             \
    attach(w, r);                                                                                                                          \
    sim_run(p.s, (PACKETS * 36 + 100) * (sim_time)PERIOD);

static void measure(int same, double write_ppm, double read_ppm, int64_t phase)
{
    sim_clock_params wp = {.name = "wr_clk", .period = PERIOD, .ppm = write_ppm, .phase = 0};
    sim_clock_params rp = {.name = "rd_clk", .period = PERIOD, .ppm = read_ppm, .phase = phase};

    p.s = loud_sim(0);
    p.decisions = p.packets = p.word = p.gap = 0;
    p.emptying = 0;
    sim_clock *w = sim_clock_new(p.s, &wp), *r = same ? w : sim_clock_new(p.s, &rp);
    if (same) {
        decision_path_same *m = decision_path_same_new(p.s, "path");
        sim_model_clock(m->model, w, m->wr_clk);
        sim_model_clock(m->model, r, m->rd_clk);
        USE(m)
    } else {
        decision_path *m = decision_path_new(p.s, "path");
        sim_model_clock(m->model, w, m->wr_clk);
        sim_model_clock(m->model, r, m->rd_clk);
        USE(m)
    }
    ck_assert_uint_eq(p.decisions, PACKETS);
}

TEST_CASE("decision", .timeout = 120);

TEST(decision_in_time_at_every_phase)
{
    sim_time longest = 0, shortest = SIM_FOREVER;

    for (int i = 0; i < PHASES; i++) {
        measure(0, 0, 0, i * PERIOD / PHASES);
        if (p.longest > longest) longest = p.longest;
        if (p.shortest < shortest) shortest = p.shortest;
    }
    measure(0, 1000, -1000, -1); /* and drifting through all of them */
    ck_assert_uint_le(p.longest, longest + PERIOD / 100);
    printf("decision, two clocks: %.2f to %.2f output clocks\n", (double)shortest / PERIOD, (double)longest / PERIOD);
    ck_assert_uint_le(longest, LIMIT_CLOCKS * PERIOD);
    ck_assert_uint_le(longest, 3 * PERIOD); /* what this design does; the budget of the cut-through counts on it */
}

TEST(decision_within_one_clock)
{
    measure(1, 0, 0, 0);
    printf("decision, one clock: %.2f output clocks\n", (double)p.longest / PERIOD);
    ck_assert_uint_le(p.longest, 1 * PERIOD);
}

TEST(a_later_decision_would_be_noticed)
{
    p.extra = 3 * PERIOD;
    measure(0, 0, 0, 0);
    p.extra = 0;
    ck_assert_uint_gt(p.longest, LIMIT_CLOCKS * PERIOD);
}
