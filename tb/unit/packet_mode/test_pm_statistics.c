/* Membership of a window, and growth of a backlog, on made-up numbers. */
#include "sim/app/packet_mode/pm_statistics.h"

#include <math.h>

#include "test.h"

enum { PORTS = 4, FROM = 100, CLOCKS = 2000 };

/* A window in which words wait as `switched` and `ideally` say; both by the batch. */
static pm_statistics *window(double switched(unsigned batch), double ideally(unsigned batch))
{
    pm_statistics *s = pm_statistics_new(PORTS, FROM, CLOCKS, 1);
    pm_ideal ideal = {0};
    ck_assert_ptr_nonnull(s);
    for (uint64_t clock = FROM; clock < FROM + CLOCKS; clock++) {
        unsigned b = (unsigned)(clock - FROM) / (CLOCKS / PM_BATCHES);
        ideal.line_free[1] = clock + 1 + (uint64_t)ideally(b);
        pm_statistics_backlog(s, clock, switched(b), &ideal);
    }
    return s;
}

/* Neighbours do not depend on each other, and it is below the limit of growth. */
static double noise(unsigned batch) { return 300.0 * (batch % 4 == 0 || batch % 4 == 3); }

static double steady(unsigned batch) { return 9000 + noise(batch); }

static double rises(unsigned batch) { return 9000 + 1000 * batch + noise(batch); }

static double rises_twice_as_fast(unsigned batch) { return 2 * rises(batch) + noise(batch / 2); }

/* S3's lines carry it, and by chance more came: the ideal switch has the same backlog. An overloaded ideal switch does
 * not count. */
TEST(a_backlog_is_compared_with_that_of_the_ideal_switch)
{
    static const struct {
        double (*switched)(unsigned), (*ideally)(unsigned);
        int grows, grows_overloaded;
    } c[] = {{steady, steady, 0, 0}, {rises, steady, 1, 1}, {rises_twice_as_fast, rises, 0, 1}};
    for (unsigned k = 0; k < COUNT(c); k++) {
        pm_statistics *s = window(c[k].switched, c[k].ideally);
        ck_assert_msg(pm_statistics_grows(s, 0) == c[k].grows, "case %u", k);
        ck_assert_msg(pm_statistics_grows(s, 1) == c[k].grows_overloaded, "case %u, overloaded", k);
        pm_statistics_free(s);
    }
}

/* Half-widths fall with the square root: after two windows of five one of 3.1 times the limit may come to twice of it,
 * one of 3.2 not. */
TEST(a_window_is_prolonged_while_that_may_help)
{
    pm_statistics *s = pm_statistics_new(PORTS, FROM, CLOCKS, 5);
    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq(pm_statistics_hopeless(s, 100), 0);
    pm_statistics_prolong(s);
    ck_assert_int_eq(pm_statistics_hopeless(s, 3.1), 0);
    ck_assert_int_eq(pm_statistics_hopeless(s, 3.2), 1);
    ck_assert_int_eq(pm_statistics_hopeless(s, INFINITY), 0);
    pm_statistics_prolong(s);
    ck_assert_int_eq(pm_statistics_hopeless(s, 2.5), 0);
    ck_assert_int_eq(pm_statistics_hopeless(s, 2.6), 1);
    pm_statistics_free(s);
}

/* Packets behind the window wait for it to be prolonged; behind the last window nothing counts. */
TEST(what_comes_behind_a_window_belongs_to_it_once_it_is_prolonged)
{
    pm_statistics *s = pm_statistics_new(PORTS, FROM, CLOCKS, 2);
    pm_result r = {0};
    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq(pm_statistics_part(s, FROM - 1), -1);
    ck_assert_int_eq(pm_statistics_part(s, FROM), 0);
    ck_assert_int_eq(pm_statistics_part(s, FROM + CLOCKS - 1), 0);
    ck_assert_int_eq(pm_statistics_part(s, FROM + CLOCKS), 1);
    ck_assert_int_eq(pm_statistics_part(s, FROM + 2 * CLOCKS), -1);
    for (unsigned k = 0; k < 2; k++) {
        pm_left p = {
            .input = 1, .output = 2, .words = 5, .first = FROM + 7 + k * CLOCKS, .delay = 64 * (k + 1), .ideal = 64};
        pm_statistics_packet(s, &p);
        pm_statistics_word(s, p.first, 1, 2);
        pm_statistics_count(s, p.first, PM_PAIRS, 3);
    }
    pm_statistics_results(s, NULL, &r);
    ck_assert_uint_eq(r.all.packets, 1);
    ck_assert_double_eq(r.all.mean, 1);
    ck_assert_uint_eq(r.pairs, 3);
    ck_assert_double_eq_tol(r.throughput, 1.0 / CLOCKS / PORTS, 1e-12);
    ck_assert_int_eq(pm_statistics_prolong(s), 0);
    pm_statistics_results(s, NULL, &r);
    ck_assert_uint_eq(r.all.packets, 2);
    ck_assert_uint_eq(r.ideal.packets, 2);
    ck_assert_double_eq(r.all.mean, 1.5);
    ck_assert_uint_eq(r.pairs, 6);
    ck_assert_double_eq_tol(r.throughput, 2.0 / (2 * CLOCKS) / PORTS, 1e-12);
    ck_assert_double_eq_tol(r.share[1][2], 1, 1e-12);
    ck_assert_int_eq(pm_statistics_part(s, FROM + 2 * CLOCKS - 1), 0);
    ck_assert_int_eq(pm_statistics_part(s, FROM + 2 * CLOCKS), -1);
    ck_assert_int_eq(pm_statistics_prolong(s), -1);
    pm_statistics_free(s);
}
