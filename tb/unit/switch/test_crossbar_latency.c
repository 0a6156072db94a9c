/*
 * Time through an idle switch: from the word with the header CRC on the receive port to the SOP on the transmit port,
 * over all phases of the two clocks, and with clocks of different frequency that pass through all of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "crossbar2.h"
#include "crossbar_4.h"
#include "switch_bench.h"
#include "test.h"

enum { PHASES = 32, CUT_THROUGH_CLOCKS = 8, CUT_THROUGH_SAME_CLOCK = 6 };

static struct switch_bench *b;

/* Single packets from `from` to `to` with random gaps; nothing else is going on. */
static void single_packets(unsigned from, unsigned to, unsigned count)
{
    b->measured = 0;
    b->only_alone = 1;
    for (unsigned i = 0; i < count; i++) {
        nic_send(b->group.nic[from], to, 1 + (unsigned)sim_random_below(b->s, 4));
        switch_bench_run(b, 70 + (unsigned)sim_random_below(b->s, 60));
    }
    switch_bench_run(b, 200);
}

static double clocks(sim_time t) { return (double)t / SWITCH_PERIOD; }

TEST_CASE("latency", .timeout = 600);

TEST(every_phase_between_two_clocks, .to = PHASES)
{
    b = switch_bench_new(&(struct switch_setup){&crossbar2_config, 2, .phase_b = _i * SWITCH_PERIOD / PHASES});
    for (unsigned from = 0; from < 2; from++) {
        single_packets(from, !from, 20);
        ck_assert_uint_gt(b->measured, 15);
        ck_assert_msg(b->longest <= CUT_THROUGH_CLOCKS * SWITCH_PERIOD, "%u to %u: %.3f clocks", from, !from,
                      clocks(b->longest));
        ck_assert_uint_eq(b->shortest, b->longest); /* the phase is constant */
    }
}

TEST(within_one_clock_domain)
{
    b = switch_bench_new(&(struct switch_setup){&crossbar_4_config, 4, .phase_b = -1, .ppm_a = 100, .ppm_b = -100});
    for (unsigned i = 0; i < 4; i++) {
        unsigned to = i ^ (i / 2 == 0); /* 0 to 1, 1 to 0, 2 to 2, 3 to 3 */
        single_packets(i, to, 20);
        ck_assert_uint_gt(b->measured, 15);
        ck_assert_msg(b->longest <= (CUT_THROUGH_SAME_CLOCK + 0.001) * SWITCH_PERIOD, "%u to %u: %.3f clocks", i, to,
                      clocks(b->longest));
    }
}

TEST(clocks_that_drift_through_all_phases, .to = 3)
{
    static const double ppm[][2] = {{100, -100}, {-100, 100}, {1000, 0}};
    sim_time shortest = SIM_FOREVER, longest = 0;

    b = switch_bench_new(
        &(struct switch_setup){&crossbar2_config, 2, .ppm_a = ppm[_i][0], .ppm_b = ppm[_i][1], .phase_b = -1});
    for (unsigned from = 0; from < 2; from++) {
        single_packets(from, !from,
                       600); /* some meet credit words and check records: then they leave right behind them */
        if (b->shortest < shortest) shortest = b->shortest;
        if (b->longest > longest) longest = b->longest;
        ck_assert_msg(b->longest <= (CUT_THROUGH_CLOCKS + 0.01) * SWITCH_PERIOD, "%u to %u: %.3f clocks", from, !from,
                      clocks(b->longest));
    }
    printf("cut-through between two clocks, %g and %g ppm: %.3f to %.3f clocks\n", ppm[_i][0], ppm[_i][1],
           clocks(shortest), clocks(longest));
}

TEST(a_clock_more_would_be_noticed)
{
    b = switch_bench_new(&(struct switch_setup){&crossbar2_config, 2, .phase_b = SWITCH_PERIOD / 2});
    single_packets(0, 1, 5);
    sim_time at = b->longest;
    b->group.nic[1]->sop_time += SWITCH_PERIOD; /* as on the wire: set by hand */
    b->stamp[0][1][4 % PACKET_STAMPS].at -= SWITCH_PERIOD;
    b->group.delivered(b->group.self, 0, 1, 4, 1);
    ck_assert_uint_ge(b->longest, at + SWITCH_PERIOD);
}
