/* roce_flags: a bit for each QP with a port that sets and one that clears it. The reference is a number with a bit per
 * QP. */
#include "roce_flags.h"
#include "simulation.h"

TEST_CASE("flags", .timeout = 60);

enum { QPS = 8 };

static sim *s;
static sim_clock *clk;
static roce_flags *m;

static void set_up(void)
{
    s = loud_sim(0);
    clk = make_clock(s, "clk", 6400, 3200);
    m = MODEL_AS(roce_flags, make_clocked(s, clk, &roce_flags_config, "dut"), NULL);
    *m->mark = 0;
    *m->clear = 1;
    for (unsigned qp = 0; qp < QPS; qp++) {
        *m->clear_qp = (uint8_t)qp;
        run_clocks(s, clk, 1);
    }
}

/* Wrong clocks in many. A fault: the reference misses marks at the end. */
static unsigned rounds(int fault)
{
    unsigned wrong = 0, bits = 0;
    for (unsigned i = 0; i < 20000; i++) {
        const unsigned mark_qp = (unsigned)sim_random_below(s, QPS), clear_qp = (unsigned)sim_random_below(s, QPS),
                       look_qp = (unsigned)sim_random_below(s, QPS), mark = sim_random_below(s, 2),
                       clear = sim_random_below(s, 2);
        *m->mark = (uint8_t)mark;
        *m->mark_qp = (uint8_t)mark_qp;
        *m->clear = (uint8_t)clear;
        *m->clear_qp = (uint8_t)clear_qp;
        *m->look_qp = (uint8_t)look_qp;
        run_clocks(s, clk, 1);
        if (mark && !(fault && i >= 19000)) bits |= 1u << mark_qp;
        if (clear) bits &= ~(1u << clear_qp);
        wrong += *m->here != (bits >> clear_qp & 1);
        wrong += *m->look != (bits >> look_qp & 1);
    }
    return wrong;
}

TEST(at_random)
{
    set_up();
    ck_assert_uint_eq(rounds(0), 0);
}

TEST(a_bit_that_nobody_set_is_seen)
{
    set_up();
    ck_assert_uint_gt(rounds(1), 0);
}
