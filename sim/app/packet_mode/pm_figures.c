#include "sim/app/packet_mode/pm_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define POISSON(ARCH, NAME, SIZES) {#ARCH "-" #SIZES, NAME, #ARCH, #SIZES, "poisson", "0", PM_LOADS, .ports = 16}
#define LIKE(ARCH, NAME, SIZES, ARRIVALS) {#ARCH "-" #SIZES "-" #ARRIVALS, NAME, #ARCH, #SIZES, #ARRIVALS, "0", PM_LOADS, .ports = 16}
#define FEW(ARCH, NAME, SIZES, ARRIVALS, DASHED) \
    {#ARCH "-" #SIZES "-" #ARRIVALS, NAME, #ARCH, #SIZES, #ARRIVALS, "0", PM_FEW_LOADS, 16, .dashed = DASHED}
#define CELLS(ARCH, NAME, SIZES) {#ARCH "-" #SIZES "-cells", NAME, #ARCH, #SIZES, "poisson", "1", PM_LOADS, .ports = 16}
#define ZIPF(ARCH, NAME, SIZES) {#ARCH "-" #SIZES "-zipf", NAME, #ARCH, #SIZES, "saturated", "0", PM_EXPONENTS, .ports = 16}
#define STAIRS(ARCH, NAME) {#ARCH "-staircase", NAME, #ARCH, "constant", "staircase", "0", PM_NONE, .ports = 4}
#define SIZES_550 "5/1280/95"
#define LONG(ARCH, NAME) {#ARCH "-550", NAME, #ARCH "1280", SIZES_550, "poisson", "0", PM_FEW_LOADS, .ports = 16}
#define HIGH(ARCH, NAME) \
    {#ARCH "-high", NAME, #ARCH, "bimodal", "saturated", "0", PM_HIGH_LOADS_FROM_0, .ports = 16}, \
    {#ARCH "-alone", NAME ", alone", #ARCH, "bimodal", "none", "0", PM_HIGH_LOADS, 16, .dashed = 1}
#define TO(ARCH, NAME, FANOUT) \
    {#ARCH "-to-" #FANOUT, NAME, #ARCH, "bimodal", "poisson", "0", PM_SET_LOADS, 16, 0, PM_SETS, FANOUT}
#define COPIES(ARCH, NAME, FANOUT) \
    {#ARCH "-copies-" #FANOUT, NAME ", copies", #ARCH, "bimodal", "poisson", "0", PM_SET_LOADS, 16, 1, PM_COPIES, FANOUT}
#define SPLIT(ARCH, NAME, FANOUT) \
    {#ARCH "-split-" #FANOUT, NAME ", split", #ARCH, "bimodal", "poisson", "0", PM_SET_LOADS, 16, 1, PM_SPLIT, FANOUT}

const pm_series pm_all_series[] = {
    POISSON(sm, "SM", bimodal), POISSON(ppm, "PPM", bimodal), POISSON(dpm, "DPM", bimodal), POISSON(vps, "VPS", bimodal),
    POISSON(sm, "SM", uniform), POISSON(ppm, "PPM", uniform), POISSON(dpm, "DPM", uniform), POISSON(vps, "VPS", uniform),
    POISSON(sm, "SM", constant), POISSON(ppm, "PPM", constant), POISSON(dpm, "DPM", constant), POISSON(vps, "VPS", constant),
    {"dpm-sent-constant", "DPM, lock until sent", "dpmsent", "constant", "poisson", "0", PM_LOADS, 16, .dashed = 1},
    LIKE(iq, "IQ, bursts of cells", bimodal, onoff), LIKE(iq, "IQ, bursts of cells", uniform, onoff),
    LIKE(iq, "IQ, bursts of cells", constant, onoff),
    CELLS(dpm, "DPM", bimodal), CELLS(dpm, "DPM", uniform), CELLS(dpm, "DPM", constant),
    CELLS(iq, "IQ", bimodal), CELLS(iq, "IQ", uniform), CELLS(iq, "IQ", constant),
    {"iq-padded", "IQ, filled up to cells", "iq", "bimodal", "poisson", "padded", PM_LOADS, .ports = 16},
    FEW(sm, "SM, instant", bimodal, instant, 0), FEW(ppm, "PPM, instant", bimodal, instant, 0),
    FEW(sm, "SM, onoff", bimodal, onoff, 1), FEW(ppm, "PPM, onoff", bimodal, onoff, 1),
    LONG(sm, "SM"), LONG(ppm, "PPM"), LONG(dpm, "DPM"), LONG(vps, "VPS"),
    ZIPF(sm, "SM", bimodal), ZIPF(ppm, "PPM", bimodal), ZIPF(dpm, "DPM", bimodal), ZIPF(vps, "VPS", bimodal), ZIPF(iq, "IQ", bimodal),
    ZIPF(sm, "SM", uniform), ZIPF(ppm, "PPM", uniform), ZIPF(dpm, "DPM", uniform), ZIPF(vps, "VPS", uniform), ZIPF(iq, "IQ", uniform),
    ZIPF(sm, "SM", constant), ZIPF(ppm, "PPM", constant), ZIPF(dpm, "DPM", constant), ZIPF(vps, "VPS", constant),
    ZIPF(iq, "IQ", constant),
    STAIRS(sm, "SM"), STAIRS(ppm, "PPM"), STAIRS(dpm, "DPM"), STAIRS(vps, "VPS"), STAIRS(iq, "IQ"),
    HIGH(sm, "SM"), HIGH(sm128, "SM, lanes of 128"), HIGH(ppm, "PPM"), HIGH(dpm, "DPM"), HIGH(vps, "VPS"),
    TO(sm, "SM", 1), TO(ppm, "PPM", 1), TO(vps, "VPS", 1), COPIES(sm, "SM", 1), COPIES(ppm, "PPM", 1), COPIES(vps, "VPS", 1),
    TO(sm, "SM", 4), TO(ppm, "PPM", 4), TO(vps, "VPS", 4), COPIES(sm, "SM", 4), COPIES(ppm, "PPM", 4), COPIES(vps, "VPS", 4),
    TO(sm, "SM", 16), TO(ppm, "PPM", 16), TO(vps, "VPS", 16), COPIES(sm, "SM", 16), COPIES(ppm, "PPM", 16), COPIES(vps, "VPS", 16),
    SPLIT(sm, "SM", 4), SPLIT(vps, "VPS", 4), SPLIT(sm, "SM", 16), SPLIT(vps, "VPS", 16),
    {0}};

#define MULTICAST(WHAT) WHAT ", and the source sends them once, or a copy to each. Load of the lines out, bimodal sizes. " \
    "An output that a packet names counts as a packet."
#define SPLIT_WORDS "SPLIT: a unit goes first to those outputs whose crosspoints have room, to the others later."
#define LOCK_WORDS " S3 does not say when a lock falls free: with the packet's last word in the crosspoint, or when it has been sent."
const pm_figure pm_all_figures[] = {
    {"fig6", "SM and PPM: weighted delay", "S3 fig. 6. Packets of 40 bytes (95 %) and 8 Kbytes, uniform destinations.", PM_WEIGHTED,
     {"sm-bimodal", "ppm-bimodal"}},
    {"fig7", "PPM and DPM: weighted delay", "S3 fig. 7. Packets of 40 bytes (95 %) and 8 Kbytes, uniform destinations.", PM_WEIGHTED,
     {"ppm-bimodal", "dpm-bimodal"}},
    {"fig8-upper-bimodal", "DPM and VPS, bimodal: mean delay", "S3 fig. 8, upper row.", PM_MEAN, {"dpm-bimodal", "vps-bimodal"}},
    {"fig8-upper-uniform", "DPM and VPS, uniform sizes: mean delay", "S3 fig. 8, upper row.", PM_MEAN, {"dpm-uniform", "vps-uniform"}},
    {"fig8-upper-constant", "DPM and VPS, 8 Kbytes: mean delay", "S3 fig. 8, upper row." LOCK_WORDS, PM_MEAN,
     {"dpm-constant", "dpm-sent-constant", "vps-constant"}},
    {"fig8-lower-bimodal", "DPM and IQ, bimodal, as S3 had it: mean delay",
     "S3 fig. 8, lower row: unlike arrivals, Poisson for DPM and bursts of cells for IQ.", PM_MEAN, {"dpm-bimodal", "iq-bimodal-onoff"}},
    {"fig8-lower-uniform", "DPM and IQ, uniform sizes, as S3 had it: mean delay",
     "S3 fig. 8, lower row: unlike arrivals, Poisson for DPM and bursts of cells for IQ.", PM_MEAN, {"dpm-uniform", "iq-uniform-onoff"}},
    {"fig8-lower-constant", "DPM and IQ, 8 Kbytes, as S3 had it: mean delay",
     "S3 fig. 8, lower row: unlike arrivals, Poisson for DPM and bursts of cells for IQ.", PM_MEAN, {"dpm-constant", "iq-constant-onoff"}},
    {"fig8-same-bimodal", "DPM and IQ, bimodal, same arrivals: mean delay",
     "The comparison behind S3 fig. 8: Poisson arrivals at the beginning of cells for both, 64 bytes at least.", PM_MEAN,
     {"dpm-bimodal-cells", "iq-bimodal-cells"}},
    {"fig8-same-uniform", "DPM and IQ, uniform sizes, same arrivals: mean delay",
     "The comparison behind S3 fig. 8: Poisson arrivals at the beginning of cells for both, whole cells.", PM_MEAN,
     {"dpm-uniform-cells", "iq-uniform-cells"}},
    {"fig8-same-constant", "DPM and IQ, 8 Kbytes, same arrivals: mean delay",
     "The comparison behind S3 fig. 8: Poisson arrivals at the beginning of cells for both.", PM_MEAN,
     {"dpm-constant-cells", "iq-constant-cells"}},
    {"padded", "DPM and IQ with 40-byte packets in cells of 64 bytes: mean delay",
     "S3 V: cells are filled up, so IQ carries 5 % more than came.", PM_MEAN, {"dpm-bimodal", "iq-padded"}},
    {"reassembly", "SM and PPM: long packets in the egress card", "Told in words in S3 VI-B: mean time of packets longer than a segment.",
     PM_REASSEMBLY, {"sm-bimodal", "ppm-bimodal"}},
    {"short", "Packets up to a segment: mean delay", "Told in words in S3 VI-B and VI-C: the 40-byte packets of the bimodal traffic.",
     PM_SHORTER, {"sm-bimodal", "ppm-bimodal", "dpm-bimodal", "vps-bimodal"}},
    {"sm-ppm-uniform", "SM and PPM, uniform sizes: mean delay", "Told in words in S3 VI-B.", PM_MEAN, {"sm-uniform", "ppm-uniform"}},
    {"sm-ppm-constant", "SM and PPM, 8 Kbytes: mean delay", "Told in words in S3 VI-B.", PM_MEAN, {"sm-constant", "ppm-constant"}},
    {"ppm-dpm-uniform", "PPM and DPM, uniform sizes: mean delay", "Told in words in S3 VI-C.", PM_MEAN, {"ppm-uniform", "dpm-uniform"}},
    {"ppm-dpm-constant", "PPM and DPM, 8 Kbytes: mean delay", "Told in words in S3 VI-C." LOCK_WORDS, PM_MEAN,
     {"ppm-constant", "dpm-constant", "dpm-sent-constant"}},
    {"arrivals", "SM and PPM with other arrivals: weighted delay",
     "instant: a whole packet at once; onoff: packets with geometric gaps. Bimodal sizes.", PM_WEIGHTED,
     {"sm-bimodal-instant", "ppm-bimodal-instant", "sm-bimodal-onoff", "ppm-bimodal-onoff"}},
    {"mean-550", "Packets of 550 bytes in the mean: weighted delay",
     "S3 says 550 bytes; so the longest packets are 10240 bytes here, and the crosspoint of VPS holds one and a round trip.", PM_WEIGHTED,
     {"sm-550", "ppm-550", "dpm-550", "vps-550"}},
    {"zipf-bimodal", "Unbalanced traffic, bimodal: throughput at load 1", "S3 VI-D. Input i: output i + r - 1 has a share as r^-k.",
     PM_THROUGHPUT, {"sm-bimodal-zipf", "ppm-bimodal-zipf", "dpm-bimodal-zipf", "vps-bimodal-zipf", "iq-bimodal-zipf"}},
    {"zipf-uniform", "Unbalanced traffic, uniform sizes: throughput at load 1", "S3 VI-D.", PM_THROUGHPUT,
     {"sm-uniform-zipf", "ppm-uniform-zipf", "dpm-uniform-zipf", "vps-uniform-zipf", "iq-uniform-zipf"}},
    {"zipf-constant", "Unbalanced traffic, 8 Kbytes: throughput at load 1", "S3 VI-D.", PM_THROUGHPUT,
     {"sm-constant-zipf", "ppm-constant-zipf", "dpm-constant-zipf", "vps-constant-zipf", "iq-constant-zipf"}},
    {"fig5", "The staircase on 4x4: shares of all flows",
     "S3 fig. 5: VOQs that are never empty, packets of 8 Kbytes, of which the first ones are shorter, so that no two end together.",
     PM_THROUGHPUT, {"sm-staircase", "ppm-staircase", "dpm-staircase", "vps-staircase", "iq-staircase"}},
    {"priorities", "Two priorities: mean delay of high priority", "Low priority saturates all lines, or is absent. Load of high "
     "priority, bimodal sizes.", PM_MEAN,
     {"sm-high", "ppm-high", "dpm-high", "vps-high", "sm-alone", "ppm-alone", "dpm-alone", "vps-alone"}},
    {"priorities-lanes", "Two priorities in SM, lanes of one segment and of two: mean delay of high priority",
     "Low priority saturates all lines, or is absent. Load of high priority, bimodal sizes.", PM_MEAN,
     {"sm-high", "sm128-high", "sm-alone", "sm128-alone"}},
    {"priorities-carried", "Two priorities: throughput of both", "Low priority saturates all lines. Load of high priority, bimodal sizes.",
     PM_THROUGHPUT, {"sm-high", "ppm-high", "dpm-high", "vps-high", "sm128-high"}},
    {"multicast-1", "Packets that name one output: mean delay", MULTICAST("Sets of one output"), PM_MEAN,
     {"sm-to-1", "ppm-to-1", "vps-to-1", "sm-copies-1", "ppm-copies-1", "vps-copies-1"}},
    {"multicast-4", "Packets for 4 outputs: mean delay", MULTICAST("Each packet names 4 outputs at random"), PM_MEAN,
     {"sm-to-4", "ppm-to-4", "vps-to-4", "sm-copies-4", "ppm-copies-4", "vps-copies-4"}},
    {"multicast-16", "Packets for all 16 outputs: mean delay", MULTICAST("Each packet names all outputs"), PM_MEAN,
     {"sm-to-16", "ppm-to-16", "vps-to-16", "sm-copies-16", "ppm-copies-16", "vps-copies-16"}},
    {"multicast-split-4", "Packets for 4 outputs, in one go or split: mean delay", SPLIT_WORDS, PM_MEAN,
     {"sm-to-4", "vps-to-4", "sm-split-4", "vps-split-4"}},
    {"multicast-split-16", "Packets for all 16 outputs, in one go or split: mean delay", SPLIT_WORDS, PM_MEAN,
     {"sm-to-16", "vps-to-16", "sm-split-16", "vps-split-16"}},
    {0}};
/* clang-format on */

const pm_series *pm_series_find(const char *name)
{
    for (const pm_series *s = pm_all_series; s->name; s++)
        if (!strcmp(s->name, name)) return s;
    return NULL;
}

int pm_figure_apart(const pm_figure *f)
{
    const pm_series *s = pm_series_find(f->series[0]);
    return s->x == PM_HIGH_LOADS_FROM_0 || s->x == PM_SET_LOADS;
}

unsigned pm_series_x(const pm_series *s, const pm_effort *e, double x[PM_X])
{
    static const double loads[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95},
                        few[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9};
    static const double high[] = {0, 0.1, 0.3, 0.5, 0.7}, of_sets[] = {0.2, 0.4, 0.6, 0.8, 0.9};
    static const double exponents[] = {0, 1, 1.5, 1.75, 2, 2.25, 2.5, 3}, one[] = {1};
    static const double quick_loads[] = {0.1, 0.3, 0.5, 0.7, 0.9}, quick[] = {0, 1, 2, 3};
    const double *from = loads;
    unsigned n = 10;
    if ((s->x == PM_FEW_LOADS || s->x == PM_LOADS) && e->quick) from = quick_loads, n = 5;
    else if (s->x == PM_FEW_LOADS) from = few, n = 7;
    else if (s->x == PM_EXPONENTS) from = e->quick ? quick : exponents, n = e->quick ? 4 : 8;
    else if (s->x == PM_NONE) from = one, n = 1;
    else if (s->x == PM_HIGH_LOADS_FROM_0) from = high, n = 5;
    else if (s->x == PM_HIGH_LOADS) from = high + 1, n = 4;
    else if (s->x == PM_SET_LOADS) from = of_sets, n = 5;
    memcpy(x, from, n * sizeof *x);
    return n;
}

/* Of one window; a point with a load may have 1 + PM_PROLONGED of them, which are 10^6 clocks up to load 0.5, 2 x 10^6
 * above and 4 x 10^6 at 0.95. Heavy traffic takes about 1000 / (1 - load)^2 clocks for one independent value. */
static uint64_t clocks_of(const pm_series *s, const pm_effort *e, double load)
{
    uint64_t clocks = load > 0.94 ? 800000 : load > 0.85 ? 600000 : load > 0.55 ? 400000 : 200000;
    if (s->x == PM_EXPONENTS) clocks = 100000;
    if (s->x == PM_NONE) clocks = 1000000;
    if (s->x == PM_HIGH_LOADS || s->x == PM_HIGH_LOADS_FROM_0) clocks = 200000;
    if (e->quick) clocks = s->x == PM_EXPONENTS || load < 0.85 ? 50000 : 100000;
    return clocks;
}

/* Of the ideal switch alone. Its own interval counts, and is to be far below that of a point: in heavy traffic its mean
 * settles as slowly as that of the others, in light traffic few packets wait. It takes a time for each packet, so
 * clocks cost less there. */
static uint64_t ideal_clocks_of(const pm_effort *e, double load)
{
    if (e->quick) return 20000000;
    if (load > 0.85 || load <= 0.1) return 1000000000;
    return load < 0.5 ? (uint64_t)(1e8 / load) : 200000000;
}

/* All figures that the series is in say which delays are measured of it, so whose intervals count. */
static unsigned needed(const pm_series *s)
{
    unsigned bits = 0;
    for (const pm_figure *f = pm_all_figures; f->name; f++)
        for (unsigned k = 0; k < PM_CURVES && f->series[k]; k++)
            if (!strcmp(f->series[k], s->name)) bits |= 1u << f->measure;
    return bits & ~(1u << PM_THROUGHPUT);
}

pm_point pm_series_point(const pm_series *s, const pm_effort *e, double x)
{
    static char pattern[32][24];
    pm_point p = {.run = pm_setup_default()};
    int full = !strcmp(s->arrivals, "saturated") || !strcmp(s->arrivals, "staircase");
    double load = full ? 1 : !strcmp(s->arrivals, "none") ? 0 : x;
    p.ideal_clocks = ideal_clocks_of(e, load);
    p.run.arch = s->arch;
    p.run.sizes = s->sizes;
    p.run.arrivals = s->arrivals;
    p.run.cells = s->cells;
    p.run.ports = s->ports;
    p.run.load = load;
    p.run.seed = e->seed;
    p.run.clocks = clocks_of(s, e, load);
    p.needed = full && !(s->x == PM_HIGH_LOADS_FROM_0 && x > 0) ? 0 : needed(s);
    p.half_width = p.needed && !e->quick ? load > 0.85 ? 5 : 3 : 0;
    p.run.warmup = e->quick ? 30000 : pm_setup_warmup(p.run.clocks * (p.half_width > 0 ? 1 + PM_PROLONGED : 1));
    if (s->x == PM_EXPONENTS) {
        char *text = pattern[(unsigned)lround(4 * x)];
        snprintf(text, sizeof pattern[0], "zipf/%g", x);
        p.run.pattern = text;
    }
    if (s->x == PM_HIGH_LOADS || s->x == PM_HIGH_LOADS_FROM_0) {
        p.run.priorities = 2;
        p.run.high_load = x;
    }
    if (s->x == PM_SET_LOADS) {
        p.run.multicast = 1;
        p.run.fanout = s->fanout;
        p.run.copies = s->way == PM_COPIES;
        p.run.split = s->way == PM_SPLIT;
    }
    return p;
}
