/* Figures that others have left in files, `make figures` sees to it: sizes of the NIC, the 8x8 switch, the coherent
 * node and parts of these on Virtex-II Pro, as the last run of Yosys found them (scripts/synth.py), and the speed of
 * the slowest 16x16 switch of packet mode at load 0.8. */
#include <jansson.h>
#include <stdio.h>

#include "sim/app/figures/figures_private.h"

/* variant: file * 4 + key */
static const char *const files[] = {"synth-nic",          "synth-crossbar8", "synth-nic-monitored",
                                    "packet-mode-khz",    "synth-sync_unit", "synth-coherent_cache",
                                    "synth-snoop_switch", "synth-cni",       "synth-coherent_node"};
static const char *const keys[] = {"lut", "ff", "bram", "khz"};

static int measure_size(const figure *f, uint64_t seed, double *value)
{
    (void)seed;
    json_error_t error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.json", figures_synthesis, files[f->variant / 4]);
    json_t *all = json_load_file(path, 0, &error);
    json_t *number = json_object_get(all, keys[f->variant % 4]);
    if (!json_is_number(number)) {
        fprintf(stderr, "%s: %s: %s\n", f->name, path, all ? "no such number" : error.text);
        json_decref(all);
        return -1;
    }
    *value = json_number_value(number);
    json_decref(all);
    return 0;
}

const figure figures_size[] = {
    {"nic_lut", "LUTs", "14100", '<', 14100, measure_size, NULL, 0, 0, NULL, 0, NULL},
    {"nic_ff", "flip-flops", "7200", '<', 7200, measure_size, NULL, 0, 1, NULL, 0, NULL},
    {"nic_bram", "18 Kbit", "111", '<', 111, measure_size, NULL, 0, 2, NULL, 0, NULL},
    {"nic_monitored_bram", "18 Kbit", "111", '<', 111, measure_size, NULL, 0, 10, NULL, 0, NULL},
    {"switch_8x8_lut", "LUTs", "15800", '<', 15800, measure_size, NULL, 0, 4, NULL, 0, NULL},
    {"switch_8x8_ff", "flip-flops", "13300", '<', 13300, measure_size, NULL, 0, 5, NULL, 0, NULL},
    {"switch_8x8_bram", "18 Kbit", "64", '<', 64, measure_size, NULL, 0, 6, NULL, 0, NULL},
    {"sim_packet_mode_khz", "kHz", NULL, 0, 0, measure_size, NULL, 0, 15, NULL, 0, NULL},
    {"sync_lut", "LUTs", NULL, '<', 2500, measure_size, .variant = 16},
    {"coherent_cache_lut", "LUTs", NULL, '<', 2000, measure_size, .variant = 20},
    {"snoop_switch_lut", "LUTs", NULL, '<', 1500, measure_size, .variant = 24},
    {"cni_lut", "LUTs", NULL, '<', 3500, measure_size, .variant = 28},
    {"coherent_node_lut", "of 66176", NULL, 0, 0, measure_size, .variant = 32},
    {"coherent_node_bram", "of 328", NULL, 0, 0, measure_size, .variant = 34},
    {0},
};
