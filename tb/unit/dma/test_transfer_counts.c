/* dma_transfer_counts against counts kept here: transfers served, moved, lost and departed, in any clock and together;
 * and a software reset, which counts exactly the transfers then inside as skipped. */
#include "dma_transfer_counts.h"
#include "simulation.h"

enum { QUEUES = 8 };

struct world {
    sim *s;
    sim_clock *clk;
    dma_transfer_counts *m;
    unsigned inside[QUEUES], link[QUEUES], departed[QUEUES], skipped[QUEUES], lost;
    int since_served, since_lost;
};

static struct world world_new(void)
{
    struct world w = {.since_served = 9};
    w.s = quiet_sim(0);
    w.clk = make_clock(w.s, "clk", 10 * SIM_NS, 5 * SIM_NS);
    w.m = MODEL_AS(dma_transfer_counts, make_clocked(w.s, w.clk, &dma_transfer_counts_config, "counts"), NULL);
    *w.m->rst = 1;
    run_clocks(w.s, w.clk, 2);
    *w.m->rst = 0;
    run_clocks(w.s, w.clk, 20);
    ck_assert_int_eq(*w.m->clearing, 0);
    return w;
}

static unsigned below(struct world *w, unsigned n) { return (unsigned)sim_random_below(w->s, n); }

/* One clock: a descriptor is done with, and a transfer is lost, at most every other clock. */
static void clock_once(struct world *w)
{
    dma_transfer_counts *m = w->m;
    unsigned q = below(w, QUEUES);
    *m->served = *m->moved = *m->departed = 0;
    *m->served_queue = (uint8_t)q;
    *m->served_left = (uint8_t)below(w, 2);
    if (w->since_served++ >= 1 && below(w, 2)) {
        *m->served = 1;
        w->since_served = 0;
        if (*m->served_left) w->inside[q]++;
        else w->skipped[q]++;
    }
    q = below(w, QUEUES);
    *m->moved_queue = (uint8_t)q;
    *m->moved_lost = (uint8_t)below(w, 2);
    w->since_lost++;
    if (w->inside[q] && (!*m->moved_lost || w->since_lost >= 2)) {
        *m->moved = 1;
        w->inside[q]--;
        if (*m->moved_lost) w->skipped[q]++, w->lost++, w->since_lost = 0;
        else w->link[q]++;
    }
    q = below(w, QUEUES);
    *m->departed_queue = (uint8_t)q;
    if (w->link[q] && below(w, 2)) {
        *m->departed = 1;
        w->link[q]--;
        w->departed[q]++;
    }
    run_clocks(w->s, w->clk, 1);
}

static void check(struct world *w)
{
    dma_transfer_counts *m = w->m;
    *m->served = *m->moved = *m->departed = 0;
    run_clocks(w->s, w->clk, 3);
    for (unsigned q = 0; q < QUEUES; q++) {
        *m->view_pair = (uint8_t)(q / 2);
        sim_model_eval(m->model);
        ck_assert_uint_eq((uint32_t)(*m->view_departed >> 32 * (q & 1)), w->departed[q]);
        ck_assert_uint_eq((uint32_t)(*m->view_skipped >> 32 * (q & 1)), w->skipped[q]);
    }
}

TEST_CASE("counts");

TEST(each_transfer_is_counted_once)
{
    struct world w = world_new();
    for (unsigned i = 0; i < 40; i++) {
        for (unsigned n = below(&w, 400); n; n--) clock_once(&w);
        if (i % 2) check(&w);
        if (i % 4 != 3) continue;
        *w.m->served = *w.m->moved = *w.m->departed = 0;
        *w.m->forget = 1;
        for (unsigned n = 0; !*w.m->forgotten; n++) {
            ck_assert_uint_lt(n, 20);
            run_clocks(w.s, w.clk, 1);
        }
        *w.m->forget = 0;
        for (unsigned q = 0; q < QUEUES; q++) w.skipped[q] += w.inside[q], w.inside[q] = 0;
        check(&w);
    }
    ck_assert_uint_gt(w.lost, 100);
}

/* A transfer that is lost in the last clocks before a software reset is not counted twice, nor forgotten. */
TEST(a_lost_one_just_before_a_reset)
{
    struct world w = world_new();
    for (unsigned delay = 0; delay < 8; delay++) {
        unsigned q = below(&w, QUEUES);
        *w.m->served = *w.m->served_left = 1;
        *w.m->served_queue = (uint8_t)q;
        run_clocks(w.s, w.clk, 1);
        *w.m->served = 0;
        *w.m->moved = *w.m->moved_lost = 1;
        *w.m->moved_queue = (uint8_t)q;
        run_clocks(w.s, w.clk, 1);
        *w.m->moved = 0;
        w.skipped[q]++;
        run_clocks(w.s, w.clk, delay);
        *w.m->forget = 1;
        run_clocks(w.s, w.clk, 20);
        ck_assert_int_eq(*w.m->forgotten, 1);
        *w.m->forget = 0;
        check(&w);
    }
}
