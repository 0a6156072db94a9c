#include "sim/core/kernel/histogram.h"
#include "sim/core/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { EXACT_BITS = 10, STEP_BITS = EXACT_BITS - 1, SHOWN_BINS = 32 };

/* Above 2^EXACT_BITS each power of two has 2^STEP_BITS bins. */
static size_t bin_of(uint64_t value)
{
    if (value < 1u << EXACT_BITS) return (size_t)value;
    unsigned shift = 63 - (unsigned)__builtin_clzll(value) - STEP_BITS;
    return ((size_t)shift << STEP_BITS) + (size_t)(value >> shift);
}

/* The smallest value of a bin. */
static uint64_t value_of(size_t bin)
{
    if (bin < 1u << EXACT_BITS) return bin;
    unsigned shift = (unsigned)(bin >> STEP_BITS) - 1;
    return (uint64_t)(bin - ((size_t)shift << STEP_BITS)) << shift;
}

void histogram_add(histogram *h, uint64_t value)
{
    size_t bin = bin_of(value);
    if (bin >= h->bins) {
        size_t bins = bin < 16 ? 32 : 2 * bin;
        uint64_t *more = new_zeroed(bins * sizeof *more);
        if (h->bins) memcpy(more, h->bin, h->bins * sizeof *more);
        free(h->bin);
        h->bin = more;
        h->bins = bins;
    }
    h->bin[bin]++;
    if (!h->count || value < h->min) h->min = value;
    if (value > h->max) h->max = value;
    h->sum += value;
    h->count++;
}

void histogram_clear(histogram *h)
{
    free(h->bin);
    *h = (histogram){0};
}

double histogram_mean(const histogram *h) { return h->count ? (double)h->sum / (double)h->count : 0; }

uint64_t histogram_at(const histogram *h, double share)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < h->bins; i++) {
        seen += h->bin[i];
        if (h->bin[i] && (double)seen >= share * (double)h->count) return value_of(i) < h->min ? h->min : value_of(i);
    }
    return 0;
}

json_t *histogram_json(const histogram *h)
{
    json_t *o = json_pack("{s:I}", "count", (json_int_t)h->count);
    if (!h->count) return o;
    uint64_t width = (h->max - h->min) / SHOWN_BINS + 1, shown[SHOWN_BINS] = {0};
    for (size_t i = 0; i < h->bins; i++) {
        uint64_t value = value_of(i) < h->min ? h->min : value_of(i);
        if (h->bin[i]) shown[(value - h->min) / width] += h->bin[i];
    }
    json_t *bins = json_array();
    for (uint64_t i = 0; i <= (h->max - h->min) / width; i++)
        json_array_append_new(bins, json_pack("[I, I, I]", (json_int_t)(h->min + i * width),
                                              (json_int_t)(h->min + (i + 1) * width - 1), (json_int_t)shown[i]));
    json_object_set_new(o, "mean", json_real(histogram_mean(h)));
    json_object_set_new(o, "min", json_integer((json_int_t)h->min));
    json_object_set_new(o, "median", json_integer((json_int_t)histogram_at(h, 0.5)));
    json_object_set_new(o, "p99", json_integer((json_int_t)histogram_at(h, 0.99)));
    json_object_set_new(o, "max", json_integer((json_int_t)h->max));
    json_object_set_new(o, "bins", bins);
    return o;
}
