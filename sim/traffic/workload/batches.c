#include "sim/traffic/workload/batches.h"

#include <math.h>
#include <string.h>

#include "sim/traffic/workload/statistics.h"

enum { USUAL = 20, LEAST = 5 };
static const double CORRELATED = 0.3;

static double mean_of(const batch_sums *b) { return b->sum / b->count; }

double batches_correlation(const batch_sums *b, unsigned n)
{
    double mean = 0, both = 0, own = 0;
    for (unsigned k = 0; k < n; k++) mean += mean_of(&b[k]) / n;
    for (unsigned k = 0; k < n; k++) {
        own += pow(mean_of(&b[k]) - mean, 2);
        if (k) both += (mean_of(&b[k]) - mean) * (mean_of(&b[k - 1]) - mean);
    }
    return own > 0 ? both / own : 0;
}

/* Merges each `by` neighbours into one; the remainder joins the last. */
static unsigned merge_by(batch_sums *b, unsigned n, unsigned by)
{
    unsigned left = n / by;
    for (unsigned k = 0; k < left; k++) {
        batch_sums sum = {0};
        for (unsigned i = k * by; i < (k + 1 < left ? (k + 1) * by : n); i++) {
            sum.count += b[i].count;
            sum.sum += b[i].sum;
            sum.control += b[i].control;
        }
        b[k] = sum;
    }
    return left;
}

unsigned batches_merge(batch_sums *b, unsigned n, unsigned most)
{
    unsigned some = 0;
    for (unsigned k = 0; k < n; k++)
        if (b[k].count > 0) b[some++] = b[k];
    n = some;
    if (n > most) n = merge_by(b, n, (n + most - 1) / most);
    while (n >= 2 * LEAST && batches_correlation(b, n) > CORRELATED) n = merge_by(b, n, 2);
    return n;
}

batches_mean batches_get(const batch_sums *all, unsigned n, double long_run, double long_run_half_width)
{
    batch_sums b[BATCHES_MOST], sum = {0};
    double x[BATCHES_MOST], y[BATCHES_MOST], ends[2], unused;
    batches_mean m = {.half_width = NAN, .controlled_half_width = NAN};
    memcpy(b, all, n * sizeof *b);
    for (unsigned k = 0; k < n; k++) {
        sum.count += b[k].count;
        sum.sum += b[k].sum;
    }
    if (sum.count <= 0) return m;
    m.batches = batches_merge(b, n, USUAL);
    m.dependent = batches_correlation(b, m.batches) > CORRELATED;
    for (unsigned k = 0; k < m.batches; k++) {
        y[k] = mean_of(&b[k]);
        x[k] = b[k].control / b[k].count;
    }
    statistics_mean(y, m.batches, &m.half_width);
    m.mean = m.controlled = sum.sum / sum.count;
    m.controlled_half_width = m.half_width;
    if (isnan(long_run)) return m;
    m.controlled = statistics_line(x, y, m.batches, long_run, &m.controlled_half_width);
    if (isnan(long_run_half_width)) return m;
    /* what is not known of the long run moves along the line */
    for (unsigned k = 0; k < 2; k++) ends[k] = statistics_line(x, y, m.batches, long_run + k, &unused);
    m.controlled_half_width = hypot(m.controlled_half_width, (ends[1] - ends[0]) * long_run_half_width);
    return m;
}

batches_mean batches_difference(const batch_sums *a, const batch_sums *b, unsigned n, double factor, double long_run)
{
    batch_sums d[BATCHES_MOST];
    unsigned some = 0;
    for (unsigned k = 0; k < n; k++)
        if (a[k].count > 0 && b[k].count > 0)
            d[some++] = (batch_sums){1, mean_of(&a[k]) - factor * mean_of(&b[k]), a[k].control / a[k].count};
    return batches_get(d, some, long_run, NAN);
}
