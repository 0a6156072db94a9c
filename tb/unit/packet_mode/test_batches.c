/* Means with intervals, each against an example worked by hand. */
#include "sim/traffic/workload/batches.h"

#include <math.h>

#include "test.h"

/* Batches of one value each. */
static void fill(batch_sums *b, const double *value, const double *control, unsigned n)
{
    for (unsigned k = 0; k < n; k++) b[k] = (batch_sums){1, value[k], control ? control[k] : 0};
}

static void near(const char *what, double got, double expected)
{
    ck_assert_msg(fabs(got - expected) < 1e-3 * fmax(1, fabs(expected)), "%s is %g, expected %g", what, got, expected);
}

/* 1, 2, 3, 4: mean 2.5; off by -1.5, -0.5, 0.5, 1.5; products of neighbours 0.75 - 0.25 + 0.75, squares 5. */
TEST(correlation_of_neighbours)
{
    batch_sums b[4];
    fill(b, (const double[]){1, 2, 3, 4}, NULL, 4);
    near("correlation", batches_correlation(b, 4), 1.25 / 5);
}

/* Twelve values that rise are merged to six, which also rise, but are too few to be merged; sums and counts add up. */
TEST(neighbours_that_depend_on_each_other_are_merged)
{
    batch_sums b[12];
    double rising[12], alternating[12];
    for (unsigned k = 0; k < 12; k++) rising[k] = k, alternating[k] = k % 2;
    fill(b, rising, rising, 12);
    ck_assert_uint_eq(batches_merge(b, 12, 20), 6);
    for (unsigned k = 0; k < 6; k++) {
        near("count", b[k].count, 2);
        near("sum", b[k].sum, 4 * k + 1);
        near("control", b[k].control, 4 * k + 1);
    }
    fill(b, alternating, NULL, 12);
    ck_assert_uint_eq(batches_merge(b, 12, 20), 12);
}

/* ... which is reported: the interval of the six is too narrow. */
TEST(batches_that_stay_dependent_are_reported)
{
    batch_sums b[12];
    double rising[12], alternating[12];
    for (unsigned k = 0; k < 12; k++) rising[k] = k, alternating[k] = k % 2;
    fill(b, rising, NULL, 12);
    ck_assert_int_eq(batches_get(b, 12, NAN, NAN).dependent, 1);
    fill(b, alternating, NULL, 12);
    ck_assert_int_eq(batches_get(b, 12, NAN, NAN).dependent, 0);
}

/* A run that was prolonged twice: 60 batches become 20. One without a packet is left out. */
TEST(a_longer_run_has_longer_batches)
{
    batch_sums b[61];
    for (unsigned k = 0; k < 61; k++) b[k] = (batch_sums){k != 7, k % 2 * (k != 7), 0};
    ck_assert_uint_eq(batches_merge(b, 61, 20), 20);
    near("count", b[0].count + b[1].count + b[2].count, 9);
}

/* 1, 2, 3: mean 2, deviation 1, t for 2 degrees of freedom 4.303: 4.303 / sqrt(3) = 2.484. */
TEST(a_plain_mean_has_students_interval)
{
    batch_sums b[3];
    batches_mean m;
    fill(b, (const double[]){1, 2, 3}, NULL, 3);
    m = batches_get(b, 3, NAN, NAN);
    near("mean", m.mean, 2);
    near("half width", m.half_width, 2.484);
    near("without control", m.controlled, 2);
    ck_assert_uint_eq(m.batches, 3);
}

/* Values are 10 + 2 x control, whose long-run mean is 5 while it was 2 on these: 20, and nothing is left to chance. The
 * uncertainty of the long run counts twice, as the line is steep. */
TEST(a_control_variate_takes_chance_away)
{
    batch_sums b[4];
    batches_mean m;
    fill(b, (const double[]){12, 14, 14, 16}, (const double[]){1, 2, 2, 3}, 4);
    m = batches_get(b, 4, 5, 0);
    near("mean", m.mean, 14);
    near("controlled", m.controlled, 20);
    near("half width", m.controlled_half_width, 0);
    m = batches_get(b, 4, 5, 0.5);
    near("half width", m.controlled_half_width, 1);
}

/* y = x + (1, -1, -1, 1): slope 1 by least squares over x = 1, 2, 3, 4, errors 4 over 2 degrees of freedom; at the mean
 * of x, 2.5: t 4.303 x sqrt(4 / 2 x 1 / 4) = 3.043. */
TEST(what_the_control_leaves_is_the_interval)
{
    batch_sums b[4];
    batches_mean m;
    fill(b, (const double[]){2, 1, 2, 5}, (const double[]){1, 2, 3, 4}, 4);
    m = batches_get(b, 4, 2.5, 0);
    near("controlled", m.controlled, 2.5);
    near("half width", m.controlled_half_width, 3.043);
}

/* Two systems that chance pushes alike: their difference is known exactly, though neither of them is. */
TEST(differences_are_taken_pair_by_pair)
{
    batch_sums a[3], b[3];
    batches_mean d;
    fill(a, (const double[]){5, 9, 7}, NULL, 3);
    fill(b, (const double[]){4, 8, 6}, NULL, 3);
    d = batches_difference(a, b, 3, 1, NAN);
    near("difference", d.mean, 1);
    near("half width", d.half_width, 0);
    near("a - 2 b", batches_difference(a, b, 3, 2, NAN).mean, -5);
}
