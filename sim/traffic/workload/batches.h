/* Means of a long run with confidence intervals, by batches: the run is cut into parts of the same length, whose means
 * are nearly independent. Neighbours that are not are merged. Beside the plain mean there is the one with a control
 * variate: another quantity of the same parts, whose long-run mean is known, gives their deviation by chance.
 *
 * Half-widths are of 95 % intervals (Student's t), NAN with too few batches. */
#ifndef SIM_TRAFFIC_WORKLOAD_BATCHES_H
#define SIM_TRAFFIC_WORKLOAD_BATCHES_H

enum { BATCHES_MOST = 100 };

typedef struct batch_sums {
    double count, sum, control; /* sums of the quantity and of its control variate over `count` values; a batch with
                                   none is left out */
} batch_sums;

typedef struct batches_mean {
    double mean, half_width; /* of all: sum / count */
    double controlled, controlled_half_width;
    unsigned batches; /* that were left after merging */
    int dependent; /* ... and are too few to merge, but neighbours still depend on each other: the half-widths are too
                      narrow */
} batches_mean;

/* Correlation of the means of neighbours. */
double batches_correlation(const batch_sums *b, unsigned n);
/* Neighbours into one, until there are at most `most`, and while their correlation is above 0.3 and 10 or more are
 * left. Returns how many are left. */
unsigned batches_merge(batch_sums *b, unsigned n, unsigned most);
/* `long_run`: mean of the control variate in the long run, and its half-width; NAN: not known, `controlled` is the
 * plain mean then. */
batches_mean batches_get(const batch_sums *b, unsigned n, double long_run, double long_run_half_width);
/* The mean of a - factor * b, batch by batch: a and b were met by the same things. */
batches_mean batches_difference(const batch_sums *a, const batch_sums *b, unsigned n, double factor, double long_run);

#endif
