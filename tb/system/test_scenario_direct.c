/* Scenarios between two nodes without a switch: measurements, and that a fault on the wire ends a run. */
#include <string.h>

#include "scenario_bench.h"
#include "system_bench.h"
#include "test.h"

TEST_CASE("direct", .timeout = 120);

TEST(one_way_sweep)
{
    const scenario *x = GOOD(2, NULL, "scenario", "one-way", "measure", "300");
    for (unsigned i = 0; i < x->rows; i++) {
        const scenario_row *r = &x->row[i];
        ck_assert(r->complete);
        ck_assert_uint_gt(r->all.packets, 50);
        ck_assert_uint_ge(r->packets, r->all.packets);
        ck_assert_double_gt(r->all.latency_min, 500);
        ck_assert_double_le(r->all.latency_min, r->all.latency_median);
        ck_assert_double_le(r->all.latency_median, r->all.latency_p99);
        if (i) ck_assert_double_gt(r->all.mib_per_s, x->row[i - 1].all.mib_per_s);
    }
    ck_assert_double_gt(x->row[x->rows - 1].all.mib_per_s, 280);
    ck_assert_double_lt(x->row[x->rows - 1].all.mib_per_s,
                        286.5 + 1.6); /* 124 of 129 words of 298.02 MiB/s; one packet in 300 us */
}

TEST(ping_pong_has_one_packet_in_play)
{
    const scenario *x = GOOD(2, NULL, "scenario", "ping-pong", "sizes", "8,496");
    for (unsigned i = 0; i < 2; i++) {
        const scenario_row *r = &x->row[i];
        ck_assert_uint_gt(r->round_trips, 10);
        /* two flights and two looks of a processor */
        ck_assert_double_gt(r->round_trip_min, r->flow[0][1].latency_min + r->flow[1][0].latency_min);
        ck_assert_double_lt(r->round_trip_median, 1.5 * (r->flow[0][1].latency_median + r->flow[1][0].latency_median));
        ck_assert_uint_le(r->flow[0][1].packets, r->flow[1][0].packets + 1);
        ck_assert_uint_le(r->flow[1][0].packets, r->flow[0][1].packets + 1);
    }
}

/* At a low load the link carries the offered load. */
TEST(poisson_arrivals_bring_their_load)
{
    const scenario_row *r =
        &GOOD(2, NULL, "scenario", "one-way", "sizes", "8..496", "load", "0.4", "measure", "3000")->row[0];
    /* mean of 31.5 payload words: 63 of 68 words are payload */
    double want = 0.4 * 298.02 * 63 / 68;
    ck_assert_double_eq_tol(r->all.mib_per_s / want, 1, 0.15);
    ck_assert_uint_eq(r->unsent, 0);
    ck_assert_double_gt(r->all.mib_per_s_ci, 0);
    ck_assert_double_lt(r->all.mib_per_s_ci, want / 5);
}

/* A link carries 0.96 of its rate as payload of 496 bytes (S2 5.3). Half of its rate is carried; of 1.3 a quarter is
 * left over in 200 us, and all of it waits in the queues of the NIC: nothing is left in the host. */
TEST(a_load_that_is_not_carried_is_called_overloaded, .to = 2)
{
    const scenario_row *r = &GOOD(2, NULL, "scenario", "one-way", "sizes", "496", "load", _i ? "1.3" : "0.5")->row[0];
    double want = (_i ? 1.3 : 0.5) * 298.02 * 124 / 129;
    ck_assert_double_eq_tol(r->backlog.offered / want, 1, 0.3); /* 60 and 157 packets, by chance */
    ck_assert_int_eq(r->backlog.overloaded, _i);
    ck_assert_uint_eq(r->unsent, 0);
    if (_i) ck_assert_double_eq_tol(r->backlog.growth, want - 285, r->backlog.growth_ci);
}

static void cut(void *bench, int open)
{
    if (open) cable_cut(link_of(bench, 0, 0), CABLE_A_TO_B | CABLE_B_TO_A);
}

/* One packet in 16 us on average, pauses of up to 70 us; a packet that waits for a link is still a hang. */
TEST(a_pause_between_arrivals_is_no_hang, .to = 2)
{
    fabric_params p;
    fabric_params_default(&p, 2, NULL);
    p.sim.quiet = 1;
    p.sim.watchdog = 30 * SIM_US;
    scenario_bench *b = scenario_bench_new(&p);
    SET(b, "scenario", "one-way", "sizes", "496", "load", "0.1", "measure", "600");
    if (!_i) {
        ck_assert_uint_gt(scenario_bench_good(b)->row[0].packets, 20);
        return;
    }
    b->x->window = cut;
    b->x->arg = b;
    ck_assert_int_eq(scenario_bench_run(b), SIM_WATCHDOG);
}

TEST(more_load_than_the_link_takes_is_reported)
{
    const scenario *x = GOOD(2, NULL, "scenario", "one-way", "sizes", "496", "load", "2", "measure", "500");
    ck_assert_uint_gt(x->row[0].unsent, 100);
}

/* ---- the scoreboard on real traffic ---- */

static scenario_bench *with_fault(frame_damage damage, int lossy)
{
    static unsigned argument = 3;
    scenario_bench *b = OPEN(2, NULL, "scenario", "one-way", "sizes", "248", "measure", "100", "warmup", "0");
    b->p.lossy = lossy;
    frame_tap *tap = tap_on(b->f->wire[0]);
    frame_tap_arm(tap, 0, FRAME_DATA, 30, 1, damage, &argument);
    return b;
}

static const struct {
    frame_damage damage;
    const char *text; /* of the breach */
    uint64_t lost, damaged;
} faults[] = {
    {frame_lose, "packet 31 comes, packet 30 has not", 1, 0},
    {frame_bad_body, "packet 30 of flow 0>1", 0, 1},
    {frame_bad_header_crc, "packet 31 comes, packet 30 has not", 1, 0},
};

TEST(a_fault_on_the_wire_ends_the_run, .to = COUNT(faults))
{
    scenario_bench *b = with_fault(faults[_i].damage, 0);
    scenario_bench_fails(b, faults[_i].text);
}

TEST(losses_are_counted_where_they_are_allowed, .to = COUNT(faults))
{
    scenario_bench *b = with_fault(faults[_i].damage, 1);
    int result = scenario_bench_run(b);
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b->f->s));
    ck_assert_uint_eq(b->x->counts.lost, faults[_i].lost);
    ck_assert_uint_eq(b->x->counts.damaged, faults[_i].damaged);
    ck_assert_uint_eq(b->x->counts.flagged, 1);
    ck_assert_uint_eq(b->x->counts.landed + b->x->counts.lost, b->x->counts.made);
}
