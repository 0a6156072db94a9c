/* How often each value came: exact below 1024, above that to 1/512 of the value. */
#ifndef SIM_CORE_KERNEL_HISTOGRAM_H
#define SIM_CORE_KERNEL_HISTOGRAM_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: empty. */
typedef struct histogram {
    uint64_t count, sum, min, max; /* min, max: of values so far, if there are any */
    uint64_t *bin;
    size_t bins;
} histogram;

void histogram_add(histogram *h, uint64_t value);
void histogram_clear(histogram *h); /* frees what it holds, too */
double histogram_mean(const histogram *h);
/* The smallest value that at least this share of all do not exceed; 0 if there are none. */
uint64_t histogram_at(const histogram *h, double share);
/* {"count", "mean", "min", "median", "p99", "max", "bins": [[from, to, count] ...]}: at most 32 bins of one width, from
 * min to max. With count 0 that is all there is. The caller owns it. */
json_t *histogram_json(const histogram *h);

#endif
