/* Scenarios on nodes around a switch. */
#include <math.h>
#include <string.h>

#include "crossbar4.h"
#include "scenario_bench.h"
#include "switch_register_map.h"
#include "system_bench.h"
#include "test.h"

TEST_CASE("switch", .timeout = 120);

TEST(every_pattern_saturated, .to = pattern_count())
{
    scenario_bench *b = OPEN(4, &crossbar4_config, "scenario", pattern_kinds[_i].name, "sizes", "8..496,8", "measure",
                             "50", "warmup", "20");
    if (!(pattern_kinds[_i].traits & PATTERN_ANSWERS)) SET(b, "outstanding", "4");
    const scenario *x = scenario_bench_good(b);
    for (unsigned from = 0; from < 4; from++)
        for (unsigned to = 0; to < 4; to++) {
            double share = pattern_kinds[_i].share(&b->p.pattern, from, to);
            int sent = x->row[0].flow[from][to].packets > 0;
            ck_assert_int_le(sent, share > 0);
            if (share >= 0.25) ck_assert_int_eq(sent, 1);
        }
}

TEST(every_pattern_with_poisson_arrivals, .to = pattern_count())
{
    if (pattern_kinds[_i].traits & PATTERN_ANSWERS) return;
    GOOD(4, &crossbar4_config, "scenario", pattern_kinds[_i].name, "sizes", "40/496/60", "measure", "60", "warmup",
         "20", "load", "0.3");
}

/* The two clocks of the switch against each other and against the nodes, as far apart as crystals are, in and out of
 * step. */
static const struct clocks {
    double ppm[2];
    int64_t phase[2];
} clocks[] = {
    {{100, -100}, {-1, -1}}, {{-100, 100}, {0, 6400}}, {{0, 0}, {0, 0}}, {{0, 0.5}, {0, 1}}, {{-100, -100}, {3000, -1}},
};

TEST(any_clocks_of_the_switch, .to = COUNT(clocks))
{
    fabric_params p;
    fabric_params_default(&p, 4, &crossbar4_config);
    for (int i = 0; i < 2; i++) {
        p.switch_ppm[i] = clocks[_i].ppm[i];
        p.switch_phase[i] = clocks[_i].phase[i];
    }
    scenario_bench *b = scenario_bench_new(&p);
    SET(b, "scenario", "round-robin", "sizes", "8..496,496", "warmup", "20", "measure", "60", "outstanding", "8");
    scenario_bench_good(b);
    ck_assert_double_gt(b->x->row[1].all.mib_per_s, 4 * 275);
}

TEST(ports_without_a_node_harm_nobody)
{
    GOOD(3, &crossbar4_config, "scenario", "uniform", "sizes", "8..496", "measure", "60");
}

/* Round robin by packets: whatever their sizes, senders to one receiver get shares that differ by a packet. */
TEST(contenders_get_equal_shares, .to = 4)
{
    static const char *const sizes[] = {"496", "8..496", "40/496/60", "24/496/90"};
    const scenario_row *r = &GOOD(4, &crossbar4_config, "scenario", "three-to-one", "sizes", sizes[_i], "measure",
                                  "120", "warmup", "40", "outstanding", "64")
                                 ->row[0];
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned from = 0; from < 3; from++) {
        uint64_t n = r->flow[from][3].packets;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    ck_assert_msg(most - least <= 2, "%llu and %llu packets", (unsigned long long)least, (unsigned long long)most);
    ck_assert_double_le(r->fair[3].packets, 2.0 * 3 / (double)r->all.packets);
}

/* A quarter of the packets to every node leaves no output idle; all to one fills that output only. */
TEST(outputs_carry_what_the_pattern_gives_them)
{
    const scenario *x = GOOD(4, &crossbar4_config, "scenario", "permutation", "sizes", "496", "measure", "150");
    ck_assert_double_gt(x->row[0].all.mib_per_s, 4 * 280);
    x = GOOD(4, &crossbar4_config, "scenario", "hot-spot", "part", "1", "hot", "2", "sizes", "496", "measure", "300");
    ck_assert_double_gt(x->row[0].all.mib_per_s, 282);
    ck_assert_double_lt(x->row[0].all.mib_per_s, 288.2);
}

TEST(one_seed_one_result)
{
    statistics_result r[3];
    for (int i = 0; i < 3; i++) {
        fabric_params p;
        fabric_params_default(&p, 4, &crossbar4_config);
        p.sim.seed = i == 2 ? 99 : 5;
        scenario_bench *b = scenario_bench_new(&p);
        SET(b, "scenario", "uniform", "sizes", "8..496", "measure", "50", "load", "0.5");
        scenario_bench_good(b);
        r[i] = b->x->row[0].all;
    }
    ck_assert_mem_eq(&r[0], &r[1], sizeof r[0]);
    ck_assert_uint_ne(r[0].bytes, r[2].bytes);
}

/* Nine of ten packets wait for one receiver; the others keep their part of a whole link, not the remainder of the hot
 * one. */
TEST(a_receiver_that_is_behind_does_not_stop_the_others)
{
    const scenario *x = GOOD(4, &crossbar4_config, "scenario", "hot-spot", "part", "0.9", "hot", "1", "sizes", "496",
                             "measure", "1000");
    double packets = 0,
           offered = 3 * 0.1 * 1000e6 / (129 * 12800); /* three receivers, each a tenth of a link: 129 words a packet */
    for (unsigned from = 0; from < 4; from++)
        for (unsigned to = 0; to < 4; to++) packets += to == 1 ? 0 : (double)x->row[0].flow[from][to].packets;
    ck_assert_msg(fabs(packets - offered) <= 5 * sqrt(offered), "%g packets without the hot ones, expected %g", packets,
                  offered);
    ck_assert_double_lt(x->row[0].fair[1].packets, 0.02);
    ck_assert_double_eq(x->row[0].fair[0].largest_bytes, 0); /* senders to it are random */
}

TEST(a_window_of_packets_has_intervals)
{
    const scenario *x =
        GOOD(4, &crossbar4_config, "scenario", "uniform", "sizes", "8..496", "packets", "1500", "load", "0.5");
    const statistics_result *r = &x->row[0].all;
    ck_assert_uint_ge(r->packets, 1500);
    ck_assert_msg(r->mib_per_s_ci > 0 && r->mib_per_s_ci < 0.2 * r->mib_per_s, "%g +- %g", r->mib_per_s,
                  r->mib_per_s_ci);
    ck_assert_msg(r->latency_mean_ci > 0 && r->latency_mean_ci < r->latency_mean, "%g +- %g", r->latency_mean,
                  r->latency_mean_ci);
    ck_assert_double_eq(x->row[0].fair[0].largest_bytes, 0);
}

/* ---- the switch's counters are looked at ---- */

static void clear_counters(void *arg)
{
    scenario_bench *b = arg;
    sim_wait_time(b->f->s, 150 * SIM_US);
    fabric_monitor_write(b->f, SWITCH_CLEAR, 1);
}

TEST(a_monitor_that_miscounts_ends_the_run)
{
    scenario_bench *b = OPEN(2, &crossbar4_config, "scenario", "one-way", "sizes", "496", "measure", "200");
    sim_task_new(b->f->s, "clear", clear_counters, b);
    scenario_bench_fails(b, "switch: flow 0>1: its monitor counts");
}

TEST(an_error_that_only_the_switch_sees_ends_the_run)
{
    scenario_bench *b = OPEN(2, &crossbar4_config, "scenario", "one-way", "sizes", "496", "measure", "200");
    frame_tap *tap = tap_on(b->f->wire[1]);
    unsigned both = 3;
    frame_tap_arm(tap, 0, FRAME_CREDIT, 40, 1, frame_credit_parity, &both);
    scenario_bench_fails(b, "switch, port 1: 2 credits rejected");
}
