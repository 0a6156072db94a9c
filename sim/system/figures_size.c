/* Sizes of the NIC on Virtex-II Pro, as the last run of Yosys found them (scripts/synth.sh writes the file, `make figures` sees to it). */
#include <jansson.h>
#include <stdio.h>

#include "figures_private.h"

static const char *const keys[] = {"lut", "ff", "bram"};

static int measure_size(const figure *f, uint64_t seed, double *value)
{
    (void)seed;
    json_error_t error;
    json_t *all = json_load_file("build/synth-nic.json", 0, &error);
    json_t *number = json_object_get(all, keys[f->variant]);
    if (!json_is_number(number)) {
        fprintf(stderr, "%s: build/synth-nic.json: %s\n", f->name, all ? "no such number" : error.text);
        json_decref(all);
        return -1;
    }
    *value = json_number_value(number);
    json_decref(all);
    return 0;
}

const figure figures_size[] = {
    {"nic_lut", "LUTs", "14100", '<', 14100, measure_size, NULL, 0, 0, NULL},
    {"nic_ff", "flip-flops", "7200", '<', 7200, measure_size, NULL, 0, 1, NULL},
    {"nic_bram", "18 Kbit", "111", '<', 111, measure_size, NULL, 0, 2, NULL},
    {0},
};
