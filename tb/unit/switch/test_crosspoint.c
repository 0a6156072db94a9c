/*
 * How soon the output scheduler has decided after a packet's first word has been written into the crosspoint (S1 3.2.3:
 * 5 output clocks, 3 of them synchronisation), over all phases of the two clocks. The contract is checked in
 * tb/contract/crosspoint.
 */
#include <stdio.h>
#include <stdlib.h>

#include "decision_path.h"
#include "decision_path_same.h"
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "test.h"

enum { PERIOD = 12800, PHASES = 64, LIMIT_CLOCKS = 5, PACKETS = 40, WORDS = 5 };

static struct {
    sim *s;
    decision_path *m;
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
    if (*p.m->wr_valid && *p.m->wr_start) p.written_at = sim_now(p.s);
}

static void drive_write(void *self)
{
    (void)self;
    *p.m->wr_valid = *p.m->wr_start = *p.m->wr_end = 0;
    if (p.gap) {
        p.gap--;
        return;
    }
    if (p.packets == PACKETS) return;
    *p.m->wr_valid = 1;
    *p.m->wr_start = p.word == 0;
    *p.m->wr_end = ++p.word == WORDS;
    if (p.word < WORDS) return;
    p.word = 0;
    p.packets++;
    p.gap = 20 + (unsigned)sim_random_below(p.s, 10);
}

static void drive_read(void *self)
{
    (void)self;
    *p.m->choose = !p.emptying;
    *p.m->taken = 0;
    if (*p.m->chosen && !p.emptying) { /* it has just risen */
        sim_time t = sim_now(p.s) - p.written_at + p.extra;
        if (!p.decisions || t > p.longest) p.longest = t;
        if (!p.decisions || t < p.shortest) p.shortest = t;
        p.decisions++;
        p.emptying = 1;
        *p.m->taken = 1;
    }
    *p.m->rd_pop = p.emptying && *p.m->rd_valid;
    if (*p.m->rd_pop && *p.m->rd_end) p.emptying = 0;
}

static void measure(const sim_config *path, double write_ppm, double read_ppm, int64_t phase)
{
    sim_clock_params wp = {.name = "wr_clk", .period = PERIOD, .ppm = write_ppm, .phase = 0};
    sim_clock_params rp = {.name = "rd_clk", .period = PERIOD, .ppm = read_ppm, .phase = phase};

    p.s = loud_sim(0);
    p.decisions = p.packets = p.word = p.gap = 0;
    p.emptying = 0;
    sim_clock *w = sim_clock_new(p.s, &wp), *r = path == &decision_path_same_config ? w : sim_clock_new(p.s, &rp);
    decision_path *m = p.m = MODEL_AS(decision_path, make_model(p.s, path, "path"), NULL);
    sim_model_clock(m->model, w, m->wr_clk);
    sim_model_clock(m->model, r, m->rd_clk);
    *m->wr_valid = *m->wr_start = *m->wr_end = *m->rd_pop = *m->choose = *m->taken = 0;
    *m->wr_rst = *m->rd_rst = 1;
    sim_run(p.s, 5 * PERIOD);
    *m->wr_rst = *m->rd_rst = 0;
    sim_run(p.s, 10 * PERIOD);
    sim_clock_attach(w, sample_write, drive_write, &p);
    sim_clock_attach(r, NULL, drive_read, &p);
    sim_run(p.s, (PACKETS * 36 + 100) * (sim_time)PERIOD);
    ck_assert_uint_eq(p.decisions, PACKETS);
}

TEST_CASE("decision", .timeout = 120);

TEST(decision_in_time_at_every_phase)
{
    sim_time longest = 0, shortest = SIM_FOREVER;

    for (int i = 0; i < PHASES; i++) {
        measure(&decision_path_config, 0, 0, i * PERIOD / PHASES);
        if (p.longest > longest) longest = p.longest;
        if (p.shortest < shortest) shortest = p.shortest;
    }
    measure(&decision_path_config, 1000, -1000, -1); /* and drifting through all of them */
    ck_assert_uint_le(p.longest, longest + PERIOD / 100);
    printf("decision, two clocks: %.2f to %.2f output clocks\n", (double)shortest / PERIOD, (double)longest / PERIOD);
    ck_assert_uint_le(longest, LIMIT_CLOCKS * PERIOD);
    ck_assert_uint_le(longest, 3 * PERIOD); /* of this design; the budget of the cut-through relies on it */
}

TEST(decision_within_one_clock)
{
    measure(&decision_path_same_config, 0, 0, 0);
    printf("decision, one clock: %.2f output clocks\n", (double)p.longest / PERIOD);
    ck_assert_uint_le(p.longest, 1 * PERIOD);
}

TEST(a_later_decision_would_be_noticed)
{
    p.extra = 3 * PERIOD;
    measure(&decision_path_config, 0, 0, 0);
    p.extra = 0;
    ck_assert_uint_gt(p.longest, LIMIT_CLOCKS * PERIOD);
}
