/* Statistics against numbers worked by hand. */
#include <math.h>
#include <stdlib.h>

#include "sim/traffic/workload/statistics.h"
#include "test.h"

TEST_CASE("statistics");

TEST(confidence_intervals_are_those_of_the_tables)
{
    double half;
    /* 1, 2, 3: mean 2, deviation 1, t(2) = 4.303: 4.303 / sqrt(3) */
    ck_assert_double_eq_tol(statistics_mean((const double[]){1, 2, 3}, 3, &half), 2, 1e-12);
    ck_assert_double_eq_tol(half, 2.48434, 1e-4);
    ck_assert_double_eq_tol(statistics_mean((const double[]){5, 5}, 2, &half), 5, 1e-12);
    ck_assert_double_eq_tol(half, 0, 1e-12);
    statistics_mean((const double[]){5}, 1, &half);
    ck_assert(isnan(half));
    double v[64]; /* 32 times 0 and 2: deviation sqrt(64 / 63); t(63) = 1.9983 */
    for (int i = 0; i < 64; i++) v[i] = 2 * (i & 1);
    ck_assert_double_eq_tol(statistics_mean(v, 64, &half), 1, 1e-12);
    ck_assert_double_eq_tol(half, 1.9983 * sqrt(64.0 / 63) / 8, 2e-4);
}

/* Normal numbers in batches: the interval must hold the true mean in 95 of 100 cases, give or take. */
TEST(intervals_hold_the_true_mean_as_often_as_they_say)
{
    srand(5);
    int hits = 0;
    for (int run = 0; run < 2000; run++) {
        double v[10], half;
        for (int i = 0; i < 10; i++) {
            double sum = 0;
            for (int k = 0; k < 12; k++) sum += (double)rand() / RAND_MAX;
            v[i] = sum - 6;
        }
        double mean = statistics_mean(v, 10, &half);
        hits += fabs(mean) <= half;
    }
    ck_assert_int_ge(hits, 1900 - 40);
    ck_assert_int_le(hits, 1900 + 40);
}

TEST(rates_count_what_lands_in_the_window)
{
    statistics *st = statistics_new(2, 4);
    statistics_open(st, 1 * SIM_MS, 2 * SIM_MS);
    statistics_landed(st, 0, 1, 496, 900 * SIM_US, SIM_MS - 1); /* before */
    statistics_landed(st, 0, 1, 496, 900 * SIM_US, SIM_MS);     /* created before, lands inside */
    for (int i = 0; i < 8; i++) statistics_landed(st, 0, 1, 1048576, SIM_MS, SIM_MS + 10 + (sim_time)i * 125 * SIM_US);
    statistics_landed(st, 0, 1, 496, 2 * SIM_MS - 1, 2 * SIM_MS); /* created inside, lands behind */
    statistics_result r;
    statistics_get(st, 0, 1, &r);
    ck_assert_uint_eq(r.packets, 9);
    ck_assert_uint_eq(r.bytes, 8 * 1048576 + 496);
    ck_assert_double_eq_tol(r.mib_per_s, 8000 + 496 / 1048.576, 1e-6);
    ck_assert_double_eq_tol(r.packets_per_s, 9000, 1e-6);
    ck_assert_uint_eq(r.timed, 9);
    /* batches of 8000 MiB/s each, apart from the 496 bytes: the interval is nearly 0 */
    ck_assert_double_le(r.mib_per_s_ci, 3);
    statistics_get(st, 1, STATISTICS_ALL, &r);
    ck_assert_uint_eq(r.packets, 0);
    ck_assert_double_eq(r.mib_per_s, 0);
    statistics_get(st, STATISTICS_ALL, STATISTICS_ALL, &r);
    ck_assert_uint_eq(r.packets, 9);
    statistics_free(st);
}

/* A link that carries a word in 10 ns, frames of 100 words in all. Packets landed in a burst behind the window's start
 * were on the link one after the other: of three that land at 1 ms + 1.1 us two parts, 0.1 and 1 packet, are inside. Of
 * those behind its end the first is. */
TEST(rates_count_what_was_on_the_link_in_the_window)
{
    statistics *st = statistics_new(2, 1);
    statistics_result r;
    statistics_link(st, 10 * SIM_NS, 5);
    statistics_open(st, SIM_MS, SIM_MS + 10 * SIM_US);
    statistics_landed(st, 0, 1, 380, 0, SIM_MS - 1);
    for (int i = 0; i < 3; i++) statistics_landed(st, 0, 1, 380, 0, SIM_MS + 1100 * SIM_NS);
    statistics_landed(st, 1, 1, 380, 0, SIM_MS + 5 * SIM_US);
    statistics_landed(st, 0, 0, 380, 0, SIM_MS + 5 * SIM_US); /* the other receiver has a link of its own */
    statistics_landed(st, 0, 1, 380, 0, SIM_MS + 11250 * SIM_NS);
    statistics_landed(st, 0, 1, 380, 0, SIM_MS + 11250 * SIM_NS);
    statistics_get(st, 0, 1, &r); /* 1.1 and 0.75 packets in 10 us */
    ck_assert_uint_eq(r.packets, 3);
    ck_assert_double_eq_tol(r.packets_per_s, 185000, 1e-6);
    ck_assert_double_eq_tol(r.mib_per_s, 185000 * 380 / 1048576.0, 1e-9);
    statistics_get(st, STATISTICS_ALL, STATISTICS_ALL, &r);
    ck_assert_double_eq_tol(r.packets_per_s, 385000, 1e-6);
    /* never more than the link carries, however many land at once */
    statistics_open(st, SIM_MS, SIM_MS + 10 * SIM_US);
    for (int i = 0; i < 100; i++) statistics_landed(st, 0, 1, 380, 0, SIM_MS + 9 * SIM_US);
    for (int i = 0; i < 100; i++) statistics_landed(st, 0, 1, 380, 0, SIM_MS + 12 * SIM_US);
    statistics_get(st, 0, 1, &r);
    ck_assert_double_eq_tol(r.packets_per_s, 1e6, 1e-6);
    statistics_free(st);
}

/* By hand: x 10, 12, 11, 13 about 11.5, y 1, 4, 2, 5 about 3: slope 7 / 5; errors 0.1, 0.3, -0.3, -0.1 with squares 0.2
 * and deviation sqrt(0.2 / 2); t(2) = 4.303. At 11.5: 3 +- 4.303 sqrt(0.1 / 4); at 10: 0.9 +- 4.303 sqrt(0.1 (1 / 4
 * + 2.25 / 5)). */
TEST(a_line_and_how_well_it_is_known)
{
    static const double x[] = {10, 12, 11, 13}, y[] = {1, 4, 2, 5};
    double half;
    ck_assert_double_eq_tol(statistics_line(x, y, 4, 11.5, &half), 3, 1e-12);
    ck_assert_double_eq_tol(half, 0.68036, 1e-5);
    ck_assert_double_eq_tol(statistics_line(x, y, 4, 10, &half), 0.9, 1e-12);
    ck_assert_double_eq_tol(half, 1.13847, 1e-5);
    ck_assert_double_eq_tol(statistics_line((const double[]){7, 7, 7}, y, 3, 9, &half), 7 / 3.0,
                            1e-12); /* no line: the mean */
    ck_assert_double_eq_tol(half, 12.706 * sqrt(14.0 / 3 / 3), 1e-3);
    statistics_line(x, y, 2, 11, &half);
    ck_assert(isnan(half));
}

/* Four batches of a second, in MiB/s. Carried: 10, 8, 11, 9 arrive, 9, 9, 10, 10 land; backlog grows by 1, -1, 1, -1:
 * slope 4 / 5, and at the load of 9.5 nothing grows. Not carried: 10, 12, 11, 13 arrive, 9, 8, 9, 8 land or are lost;
 * backlog grows by 1, 4, 2, 5: 3 at a load of 11.5, as above, 19 standard errors; but at a load of 9.3 no more than
 * chance: -0.08. */
TEST(a_backlog_that_grows_more_than_chance_explains_is_overload)
{
    static const struct {
        unsigned arrive[4], land[4];
        double load, offered, growth, half;
        int overloaded;
    } runs[] = {
        {{10, 8, 11, 9}, {9, 9, 10, 10}, 9.5, 9.5, 0, 1.36073, 0},
        {{10, 12, 11, 13}, {9, 8, 9, 8}, 11.5, 11.5, 3, 0.68036, 1},
        {{10, 12, 11, 13}, {9, 8, 9, 8}, 9.3, 11.5, -0.08, 1.50174, 0},
    };
    const unsigned mib = 1 << 20;
    const sim_time second = 1000 * SIM_MS;
    for (int run = 0; run < COUNT(runs); run++) {
        statistics *st = statistics_new(2, 4);
        statistics_open(st, second, 5 * second);
        statistics_offered(st, 0, 1, 77 * mib, second - 1); /* before the window, and behind it */
        statistics_offered(st, 0, 1, 77 * mib, 5 * second);
        for (unsigned i = 0; i < 4; i++) {
            sim_time now = (i + 1) * second + 5;
            statistics_offered(st, 0, 1, 4 * mib, now);
            statistics_offered(st, 1, 1, (runs[run].arrive[i] - 4) * mib, now);
            statistics_landed(st, 0, 1, (runs[run].land[i] - 6) * mib, now, now + 1);
            statistics_lost(st, 1, 1, 6 * mib, now, now + 1);
        }
        statistics_backlog b = statistics_get_backlog(st, runs[run].load);
        ck_assert_double_eq_tol(b.offered, runs[run].offered, 1e-9);
        ck_assert_double_eq_tol(b.growth, runs[run].growth, 1e-9);
        ck_assert_double_eq_tol(b.growth_ci, runs[run].half, 1e-4);
        ck_assert_int_eq(b.overloaded, runs[run].overloaded);
        statistics_free(st);
    }
}

TEST(latencies_are_those_of_packets_created_in_the_window)
{
    statistics *st = statistics_new(2, 10);
    statistics_open(st, 0, 1 * SIM_MS);
    for (unsigned i = 1; i <= 200; i++) { /* 1 .. 200 us, some of them landing behind the window */
        sim_time created = i * 4 * SIM_US;
        statistics_created(st, 0, 0, created);
        statistics_landed(st, 0, 0, 8, created, created + i * SIM_US);
    }
    statistics_created(st, 1, 0, 5);
    ck_assert_uint_eq(statistics_open_packets(st), 1);
    statistics_lost(st, 1, 0, 8, 5, 6);
    ck_assert_uint_eq(statistics_open_packets(st), 0);
    statistics_result r;
    statistics_get(st, 0, 0, &r);
    ck_assert_uint_eq(r.timed, 200);
    ck_assert_double_eq_tol(r.latency_min, 1000, 1e-6);
    ck_assert_double_eq_tol(r.latency_median, 101000, 1e-6);
    ck_assert_double_eq_tol(r.latency_p99, 198000, 1e-6);
    ck_assert_double_eq_tol(r.latency_max, 200000, 1e-6);
    ck_assert_double_eq_tol(r.latency_mean, 100500, 1e-6);
    statistics_free(st);
}

TEST(a_window_cut_short_uses_its_whole_batches)
{
    statistics *st = statistics_new(1, 10);
    statistics_open(st, 0, 1 * SIM_MS);
    for (sim_time t = 0; t < 350; t++) statistics_landed(st, 0, 0, 1000, t * SIM_US, t * SIM_US);
    statistics_cut(st, 350 * SIM_US);
    statistics_result r;
    statistics_get(st, 0, 0, &r);
    ck_assert_double_eq_tol(r.packets_per_s, 1e6, 1);
    ck_assert_double_eq_tol(r.packets_per_s_ci, 0, 1); /* three whole batches, all alike */
    statistics_free(st);
}

/* One packet of 1000 bytes in a microsecond, for a window of this many microseconds whose end is not known before. */
TEST(an_open_window_has_batches_of_any_length)
{
    static const unsigned lengths[] = {10, 63, 64, 65, 200, 5000, 99999};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        statistics *st = statistics_new(1, 10);
        statistics_open(st, SIM_MS, SIM_FOREVER);
        statistics_result r;
        for (sim_time t = 0; t < lengths[i]; t++) {
            sim_time when = SIM_MS + t * SIM_US;
            statistics_created(st, 0, 0, when);
            statistics_landed(st, 0, 0, 1000, when, when + (t & 1));
        }
        statistics_cut(st, SIM_MS + lengths[i] * SIM_US);
        statistics_get(st, 0, 0, &r);
        ck_assert_uint_eq(r.packets, lengths[i]);
        ck_assert_uint_eq(r.timed, lengths[i]);
        ck_assert_double_eq_tol(r.packets_per_s, 1e6, 1);
        ck_assert_double_eq_tol(r.packets_per_s_ci, 0, 1); /* all batches alike */
        statistics_free(st);
    }
}

/* Independent packets: the interval of an open window holds the true rate about as often as that of a window of the
 * same length. */
TEST(an_open_window_has_honest_intervals)
{
    unsigned held = 0, windows = 400;
    uint64_t random = 88172645463325252u;
    for (unsigned w = 0; w < windows; w++) {
        statistics *st = statistics_new(1, 10);
        statistics_open(st, SIM_US, SIM_FOREVER);
        statistics_result r;
        for (sim_time t = 1; t < 1501; t++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            if (random >> 63) statistics_landed(st, 0, 0, 8, 0, t * SIM_US + 5);
        }
        statistics_cut(st, 1501 * SIM_US);
        statistics_get(st, 0, 0, &r);
        held += fabs(r.packets_per_s - 5e5) <= r.packets_per_s_ci;
        statistics_free(st);
    }
    ck_assert_msg(held >= windows * 91 / 100 && held <= windows * 99 / 100, "%u of %u intervals hold the rate", held,
                  windows);
}

TEST(fairness_is_the_largest_deviation_from_an_equal_share)
{
    statistics *st = statistics_new(4, 2);
    statistics_open(st, 0, SIM_MS);
    static const unsigned packets[4] = {100, 101, 99, 7};
    for (unsigned from = 0; from < 4; from++)
        for (unsigned i = 0; i < packets[from]; i++) statistics_landed(st, from, 3, from == 2 ? 100 : 200, 1, 2);
    statistics_fairness f = statistics_fair(st, 3, 7);
    ck_assert_double_eq_tol(f.packets, 0.01, 1e-9);
    ck_assert_double_eq_tol(f.smallest_bytes, 9900.0 / 50100, 1e-9);
    ck_assert_double_eq_tol(f.largest_bytes, 20200.0 / 50100, 1e-9);
    ck_assert_double_eq_tol(f.bytes, 1 - 3 * 9900.0 / 50100, 1e-9);
    statistics_free(st);
}
