#include <jansson.h>

#include "sim/app/roce/storage/roce_storage.h"
#include "sim/core/kernel/text_table.h"

static const char *name_of(const roce_storage_phase *f) { return f->operation == STORAGE_READ ? "read" : "write"; }

static double microseconds(sim_time t) { return (double)t / SIM_US; }

static double per_second(const roce_storage_phase *f, uint64_t n)
{
    return f->last > f->first ? (double)n / (microseconds(f->last - f->first) / 1e6) : 0;
}

void roce_storage_print(const roce_storage *x, FILE *out)
{
    unsigned count;
    const roce_storage_phase *all = roce_storage_phases(x, &count);
    FILE *t = text_table(out, 0, "<\tdepth\toperations\toperations/s\tMB/s\tmean [us]\t99 % [us]");
    for (const roce_storage_phase *f = all; f < all + count; f++)
        fprintf(t, "%s\t%u\t%u\t%.0f\t%.1f\t%.2f\t%.2f\n", name_of(f), f->depth, f->answered,
                per_second(f, f->answered), per_second(f, f->bytes) / 1e6, microseconds(f->mean),
                microseconds(f->ninety_nine));
    fclose(t);
}

json_t *roce_storage_json(const roce_storage *t)
{
    unsigned count;
    const roce_storage_phase *all = roce_storage_phases(t, &count);
    json_t *list = json_array();
    for (const roce_storage_phase *f = all; f < all + count; f++)
        json_array_append_new(list, json_pack("{ss si si sf sf sf sf}", "operation", name_of(f), "depth", f->depth,
                                              "operations", f->answered, "operations_per_s", per_second(f, f->answered),
                                              "mbyte_per_s", per_second(f, f->bytes) / 1e6, "mean_us",
                                              microseconds(f->mean), "us_99_percent", microseconds(f->ninety_nine)));
    return list;
}
