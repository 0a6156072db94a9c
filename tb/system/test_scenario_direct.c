/* Scenarios between two nodes without a switch: what is measured, and that a fault on the wire ends a run. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "frame_tap.h"
#include "scenario.h"

struct bench {
    fabric *f;
    scenario *x;
    scenario_params p;
};

static void body(void *arg)
{
    struct bench *b = arg;
    ck_assert_msg(fabric_start(b->f) == 0, "%s", fabric_error(b->f));
    if (!scenario_run(b->x, &b->p)) fabric_stop(b->f);
}

static void set(struct bench *b, const char *option, const char *value)
{
    char error[SCENARIO_ERROR];
    ck_assert_msg(!scenario_set(&b->p, option, value, error), "%s", error);
}

static void open_bench(struct bench *b, const char *name)
{
    fabric_params p;
    fabric_params_default(&p, 2, NULL);
    p.sim.quiet = 1;
    b->f = fabric_new(&p);
    ck_assert_ptr_nonnull(b->f);
    b->x = scenario_new(b->f);
    scenario_params_default(&b->p);
    set(b, "scenario", name);
}

static int run_bench(struct bench *b)
{
    char error[SCENARIO_ERROR];
    ck_assert_msg(!scenario_complete(&b->p, 2, 0, 62, sim_seed(b->f->s), error), "%s", error);
    sim_task_new(b->f->s, "scenario", body, b);
    return sim_run(b->f->s, 100 * SIM_MS);
}

static void good_bench(struct bench *b)
{
    int result = run_bench(b);
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b->f->s));
    ck_assert(b->x->good);
    ck_assert_uint_eq(b->x->rows, b->p.rows);
    ck_assert_uint_eq(b->x->counts.made, b->x->counts.landed);
    ck_assert_uint_eq(b->x->counts.flagged, 0);
}

static void close_bench(struct bench *b)
{
    scenario_free(b->x);
    fabric_free(b->f);
}

START_TEST(one_way_sweep)
{
    struct bench b;
    open_bench(&b, "one-way");
    set(&b, "measure", "300");
    good_bench(&b);
    for (unsigned i = 0; i < b.x->rows; i++) {
        const scenario_row *r = &b.x->row[i];
        ck_assert(r->complete);
        ck_assert_uint_gt(r->all.packets, 50);
        ck_assert_uint_ge(r->packets, r->all.packets);
        ck_assert_double_gt(r->all.latency_min, 500);
        ck_assert_double_le(r->all.latency_min, r->all.latency_median);
        ck_assert_double_le(r->all.latency_median, r->all.latency_p99);
        if (i) ck_assert_double_gt(r->all.mib_per_s, b.x->row[i - 1].all.mib_per_s);
    }
    ck_assert_double_gt(b.x->row[b.x->rows - 1].all.mib_per_s, 280);
    ck_assert_double_lt(b.x->row[b.x->rows - 1].all.mib_per_s, 286.5 + 1.6); /* 124 of 129 words of 298.02 MiB/s; one packet in 300 us */
    close_bench(&b);
}
END_TEST

START_TEST(ping_pong_has_one_packet_in_play)
{
    struct bench b;
    open_bench(&b, "ping-pong");
    set(&b, "sizes", "8,496");
    good_bench(&b);
    for (unsigned i = 0; i < 2; i++) {
        const scenario_row *r = &b.x->row[i];
        ck_assert_uint_gt(r->round_trips, 10);
        /* two flights and two looks of a processor */
        ck_assert_double_gt(r->round_trip_min, r->flow[0][1].latency_min + r->flow[1][0].latency_min);
        ck_assert_double_lt(r->round_trip_median, 1.5 * (r->flow[0][1].latency_median + r->flow[1][0].latency_median));
        ck_assert_uint_le(r->flow[0][1].packets, r->flow[1][0].packets + 1);
        ck_assert_uint_le(r->flow[1][0].packets, r->flow[0][1].packets + 1);
    }
    close_bench(&b);
}
END_TEST

/* At a low load the link carries what is asked for. */
START_TEST(poisson_arrivals_bring_their_load)
{
    struct bench b;
    open_bench(&b, "one-way");
    set(&b, "sizes", "8..496");
    set(&b, "load", "0.4");
    set(&b, "measure", "3000");
    good_bench(&b);
    const scenario_row *r = &b.x->row[0];
    /* mean of 31.5 payload words: 63 of 68 words are payload */
    double want = 0.4 * 298.02 * 63 / 68;
    ck_assert_double_eq_tol(r->all.mib_per_s / want, 1, 0.15);
    ck_assert_uint_eq(r->unsent, 0);
    ck_assert_double_gt(r->all.mib_per_s_ci, 0);
    ck_assert_double_lt(r->all.mib_per_s_ci, want / 5);
    close_bench(&b);
}
END_TEST

START_TEST(more_load_than_the_link_takes_is_reported)
{
    struct bench b;
    open_bench(&b, "one-way");
    set(&b, "sizes", "496");
    set(&b, "load", "2");
    set(&b, "measure", "500");
    good_bench(&b);
    ck_assert_uint_gt(b.x->row[0].unsent, 100);
    close_bench(&b);
}
END_TEST

/* ---- the ledger on real traffic ---- */

static void with_fault(struct bench *b, frame_damage damage, unsigned *argument, int lossy)
{
    open_bench(b, "one-way");
    set(b, "sizes", "248");
    set(b, "measure", "100");
    set(b, "warmup", "0");
    b->p.lossy = lossy;
    frame_tap *tap = frame_tap_new(b->f->wire[0]);
    frame_tap_arm(tap, 0, FRAME_DATA, 30, 1, damage, argument);
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

START_TEST(a_fault_on_the_wire_ends_the_run)
{
    struct bench b;
    unsigned argument = 3;
    with_fault(&b, faults[_i].damage, &argument, 0);
    ck_assert_int_eq(run_bench(&b), SIM_FAILED);
    ck_assert(!b.x->good);
    ck_assert_msg(strstr(b.x->error, faults[_i].text), "the text is \"%s\"", b.x->error);
    close_bench(&b);
}
END_TEST

START_TEST(losses_are_counted_where_they_are_allowed)
{
    struct bench b;
    unsigned argument = 3;
    with_fault(&b, faults[_i].damage, &argument, 1);
    int result = run_bench(&b);
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b.f->s));
    ck_assert_uint_eq(b.x->counts.lost, faults[_i].lost);
    ck_assert_uint_eq(b.x->counts.damaged, faults[_i].damaged);
    ck_assert_uint_eq(b.x->counts.flagged, 1);
    ck_assert_uint_eq(b.x->counts.landed + b.x->counts.lost, b.x->counts.made);
    close_bench(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scenarios");
    TCase *t = tcase_create("direct");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, one_way_sweep);
    tcase_add_test(t, ping_pong_has_one_packet_in_play);
    tcase_add_test(t, poisson_arrivals_bring_their_load);
    tcase_add_test(t, more_load_than_the_link_takes_is_reported);
    tcase_add_loop_test(t, a_fault_on_the_wire_ends_the_run, 0, sizeof faults / sizeof faults[0]);
    tcase_add_loop_test(t, losses_are_counted_where_they_are_allowed, 0, sizeof faults / sizeof faults[0]);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
