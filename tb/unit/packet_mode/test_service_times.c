/* pm_service_times: grants by weight, also for flows that waited while packet mode, or a look back, kept the line with
 * another one. */
#include "pm_service_times.h"
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "test.h"

enum { UNIT = 64 /* words */, HEAVY = 3 /* weight of flow 1; flow 0 has 1 */ };

static struct {
    sim *s;
    sim_clock *clk;
    pm_service_times *m;
    uint64_t clock;
    unsigned kept, units, turn, sent[2]; /* units that flow 0 is kept for; grants of the flows */
} b;

static void sample(void *self)
{
    (void)self;
    b.turn = *b.m->turn;
}

/* Every other clock a unit, of the flow granted in the clock before; the first ones of flow 0, whichever is granted. */
static void drive(void *self)
{
    (void)self;
    unsigned flow = b.units < b.kept ? 0 : b.turn;
    int gives = b.clock >= 4 && b.clock % 2;
    *b.m->rst = b.clock < 2;
    *b.m->weight_write = b.clock == 2;
    *b.m->weight_flow = 1;
    *b.m->weight = HEAVY;
    *b.m->request = 3;
    *b.m->chosen = *b.m->pay = gives;
    *b.m->chosen_flow = *b.m->pay_flow = (uint8_t)flow;
    *b.m->pay_words = UNIT;
    if (gives) b.units++, b.sent[flow]++;
    b.clock++;
}

static void set_up(void)
{
    b.s = loud_sim(0);
    b.clk = make_clock(b.s, "clk", 3200, 0);
    b.m = MODEL_AS(pm_service_times, make_clocked(b.s, b.clk, &pm_service_times_config, "times"), NULL);
    sim_clock_attach(b.clk, sample, drive, NULL);
    b.clock = b.kept = b.units = b.sent[0] = b.sent[1] = 0;
}

static void give(unsigned units)
{
    b.units = b.sent[0] = b.sent[1] = 0;
    while (b.units < units) run_clocks(b.s, b.clk, 1);
}

TEST_CASE("service_times", .setup = set_up);

/* 1 to 3 from the start on; then flow 0 has 40 units in a row: all grants are flow 1's until it has three times as
 * many. */
TEST(who_had_to_wait_gets_what_it_has_missed)
{
    give(400);
    ck_assert_uint_ge(b.sent[0], 99);
    ck_assert_uint_le(b.sent[0], 101);
    b.kept = 40;
    give(40 + 40 * HEAVY - 4);
    ck_assert_uint_le(b.sent[0], 41);
    b.kept = 0;
    give(400);
    ck_assert_uint_ge(b.sent[0], 98);
    ck_assert_uint_le(b.sent[0], 102);
}
