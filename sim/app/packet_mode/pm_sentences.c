/* S3's sentences, one by one, compared with measured points. All results are computed from the points. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "sim/app/packet_mode/pm_words.h"

/* Statement about one or two series at each load of a range. */
typedef enum {
    SAME,    /* a is within 10 % of b, or both are below one unit */
    LESS,    /* a is below b, or by `most` percent above it; by `least` percent (negative) at most, if that is not 0 */
    MORE,    /* a is above b; by `most` percent at most, if that is not 0 */
    REDUCED, /* a is `least` to `most` percent below b */
    VALUE,   /* a is from least to most */
    LOWEST,  /* the lowest of a is from least to most */
    WHERE    /* ... at an x from least to most */
} claim;

/* "Slightly": at most this percentage. */
#define SLIGHTLY 25

typedef struct sentence {
    const char *where, *says; /* lines of S3, and their text */
    claim claim;
    const char *a, *b; /* series */
    pm_measure measure;
    double from, to; /* on the x axis */
    double least, most;
} sentence;

/* clang-format off */
static const sentence sentences[] = {
    {"[VI-B]", "SM: large packets wait around one packet store time (16 segment times) in the reassembly buffers, loads up to 0.2",
     VALUE, "sm-bimodal", NULL, PM_REASSEMBLY, 0.1, 0.2, 16 / 1.1, 16 * 1.1},
    {"[VI-B]", "SM: in the rest of the load range this delay increases significantly",
     VALUE, "sm-bimodal", NULL, PM_REASSEMBLY, 0.3, 0.95, 16 * 1.1, INFINITY},
    {"[VI-B]", "PPM: the delay at the egress buffers is almost zero for loads up to 0.5 (here: below one unit)",
     VALUE, "ppm-bimodal", NULL, PM_REASSEMBLY, 0.1, 0.5, 0, 1},
    {"[VI-B]", "PPM against SM, egress delay: reduced by almost 100 % for light loads (here: 90 % at 0.1 to 0.3)",
     REDUCED, "ppm-bimodal", "sm-bimodal", PM_REASSEMBLY, 0.1, 0.3, 90, 100},
    {"[VI-B]", "... by 70 % for loads around 0.7", REDUCED, "ppm-bimodal", "sm-bimodal", PM_REASSEMBLY, 0.7, 0.7, 63, 77},
    {"[VI-B]", "... by only 30 % for a load of 0.95", REDUCED, "ppm-bimodal", "sm-bimodal", PM_REASSEMBLY, 0.95, 0.95, 27, 33},
    {"[VI-B]", "The delay of small packets is almost the same in PPM and SM",
     SAME, "ppm-bimodal", "sm-bimodal", PM_SHORTER, 0.1, 0.95, 0, 0},
    {"[VI-B]", "Total weighted delay is reduced by more than 80 % for all loads up to 50 % (PPM against SM)",
     REDUCED, "ppm-bimodal", "sm-bimodal", PM_WEIGHTED, 0.1, 0.5, 80, 100},
    {"[VI-B]", "... with whole packets arriving at once (instant)",
     REDUCED, "ppm-bimodal-instant", "sm-bimodal-instant", PM_WEIGHTED, 0.1, 0.5, 80, 100},
    {"[VI-B]", "... with geometric gaps between packets (onoff)",
     REDUCED, "ppm-bimodal-onoff", "sm-bimodal-onoff", PM_WEIGHTED, 0.1, 0.5, 80, 100},
    {"[I, VI-D]", "... with packets of 550 bytes in the mean (longest 10240 bytes)",
     REDUCED, "ppm-550", "sm-550", PM_WEIGHTED, 0.1, 0.5, 80, 100},
    {"[VI-B]", "When delay is not weighted the improvement of PPM appears very small (bimodal)",
     SAME, "ppm-bimodal", "sm-bimodal", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[VI-B]", "Under uniform sizes the improvement is visible in average delay, too",
     REDUCED, "ppm-uniform", "sm-uniform", PM_MEAN, 0.1, 0.95, 10, 100},
    {"[VI-B]", "Under constant size the improvement is visible in average delay, too",
     REDUCED, "ppm-constant", "sm-constant", PM_MEAN, 0.1, 0.95, 10, 100},
    {"[VI-B]", "Uniform sizes: similar results: weighted delay reduced by more than 80 % up to 50 %",
     REDUCED, "ppm-uniform", "sm-uniform", PM_WEIGHTED, 0.1, 0.5, 80, 100},
    {"[VI-B]", "... the delay at the egress buffers of PPM is almost zero for loads up to 0.5",
     VALUE, "ppm-uniform", NULL, PM_REASSEMBLY, 0.1, 0.5, 0, 1},
    {"[VI-B]", "... it is reduced by almost 100 % for light loads", REDUCED, "ppm-uniform", "sm-uniform", PM_REASSEMBLY, 0.1, 0.3, 90, 100},
    {"[VI-B]", "... by 70 % for loads around 0.7", REDUCED, "ppm-uniform", "sm-uniform", PM_REASSEMBLY, 0.7, 0.7, 63, 77},
    {"[VI-B]", "... by only 30 % for a load of 0.95", REDUCED, "ppm-uniform", "sm-uniform", PM_REASSEMBLY, 0.95, 0.95, 27, 33},
    {"[VI-B]", "Constant size: similar results: weighted delay reduced by more than 80 % up to 50 %",
     REDUCED, "ppm-constant", "sm-constant", PM_WEIGHTED, 0.1, 0.5, 80, 100},
    {"[VI-B]", "... the delay at the egress buffers of PPM is almost zero for loads up to 0.5",
     VALUE, "ppm-constant", NULL, PM_REASSEMBLY, 0.1, 0.5, 0, 1},
    {"[VI-B]", "... it is reduced by almost 100 % for light loads",
     REDUCED, "ppm-constant", "sm-constant", PM_REASSEMBLY, 0.1, 0.3, 90, 100},
    {"[VI-B]", "... by 70 % for loads around 0.7", REDUCED, "ppm-constant", "sm-constant", PM_REASSEMBLY, 0.7, 0.7, 63, 77},
    {"[VI-B]", "... by only 30 % for a load of 0.95", REDUCED, "ppm-constant", "sm-constant", PM_REASSEMBLY, 0.95, 0.95, 27, 33},
    {"[VI-C]", "DPM is slightly worse than PPM at light loads, weighted",
     MORE, "dpm-bimodal", "ppm-bimodal", PM_WEIGHTED, 0.1, 0.3, 0, SLIGHTLY},
    {"[VI-C]", "Loads between 0.4 and 0.8: the weighted delay of both is almost the same",
     SAME, "dpm-bimodal", "ppm-bimodal", PM_WEIGHTED, 0.4, 0.8, 0, 0},
    {"[VI-C]", "Loads between 0.8 and 0.95: DPM is slightly better, weighted",
     LESS, "dpm-bimodal", "ppm-bimodal", PM_WEIGHTED, 0.9, 0.95, -SLIGHTLY, 0},
    {"[VI-C]", "DPM slightly delays the small packets for loads greater than 90 %, against PPM",
     MORE, "dpm-bimodal", "ppm-bimodal", PM_SHORTER, 0.95, 0.95, 0, SLIGHTLY},
    {"[VI-C]", "With the average delay PPM and DPM are almost the same (bimodal)",
     SAME, "dpm-bimodal", "ppm-bimodal", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[VI-C]", "Constant size, loads above 90 %: PPM slightly less than DPM",
     LESS, "ppm-constant", "dpm-constant", PM_MEAN, 0.95, 0.95, -SLIGHTLY, 0},
    {"[VI-C]", "... with DPM's lock held until the packet has been sent",
     LESS, "ppm-constant", "dpm-sent-constant", PM_MEAN, 0.95, 0.95, -SLIGHTLY, 0},
    {"[VI-C]", "... under bimodal sizes lock acquisition is almost transparent (here: DPM is 10 % above PPM at most, weighted)",
     LESS, "dpm-bimodal", "ppm-bimodal", PM_WEIGHTED, 0.9, 0.95, 0, 10},
    {"[VI-C]", "Uniform sizes: PPM and DPM are almost the same", SAME, "dpm-uniform", "ppm-uniform", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[VI-C]", "Bimodal: the curves of DPM and VPS are almost indistinguishable, up to 90 %",
     SAME, "dpm-bimodal", "vps-bimodal", PM_MEAN, 0.1, 0.9, 0, 0},
    {"[VI-C]", "... for loads above 90 % DPM is slightly better", LESS, "dpm-bimodal", "vps-bimodal", PM_MEAN, 0.95, 0.95, -SLIGHTLY, 0},
    {"[VI-C]", "... because the delay of small packets is shorter in DPM",
     LESS, "dpm-bimodal", "vps-bimodal", PM_SHORTER, 0.95, 0.95, 0, 0},
    {"[VI-C]", "Uniform sizes: VPS is superior", LESS, "vps-uniform", "dpm-uniform", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[VI-C]", "Constant size: VPS is superior", LESS, "vps-constant", "dpm-constant", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[7, VI-C]", "DPM is always better than IQ, bimodal (unlike arrivals, as S3 had it)",
     LESS, "dpm-bimodal", "iq-bimodal-onoff", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[7, VI-C]", "... uniform sizes (unlike arrivals)", LESS, "dpm-uniform", "iq-uniform-onoff", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[7, VI-C]", "... constant size (unlike arrivals)", LESS, "dpm-constant", "iq-constant-onoff", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[7, VI-C]", "... bimodal, on the same arrivals", LESS, "dpm-bimodal-cells", "iq-bimodal-cells", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[7, VI-C]", "... uniform sizes, on the same arrivals", LESS, "dpm-uniform-cells", "iq-uniform-cells", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[7, VI-C]", "... constant size, on the same arrivals", LESS, "dpm-constant-cells", "iq-constant-cells", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[7, V]", "... bimodal, IQ with packets of 40 bytes filled up to cells",
     LESS, "dpm-bimodal", "iq-padded", PM_MEAN, 0.1, 0.95, 0, 0},
    {"[VI-D]", "PPM: worst throughput slightly greater than 85 % (here: 85 to 90 %), bimodal",
     LOWEST, "ppm-bimodal-zipf", NULL, PM_THROUGHPUT, 0, 3, 0.85, 0.90},
    {"[VI-D]", "... uniform sizes", LOWEST, "ppm-uniform-zipf", NULL, PM_THROUGHPUT, 0, 3, 0.85, 0.90},
    {"[VI-D]", "... constant size", LOWEST, "ppm-constant-zipf", NULL, PM_THROUGHPUT, 0, 3, 0.85, 0.90},
    {"[VI-D]", "DPM: worst throughput slightly greater than 85 % (here: 85 to 90 %), bimodal",
     LOWEST, "dpm-bimodal-zipf", NULL, PM_THROUGHPUT, 0, 3, 0.85, 0.90},
    {"[VI-D]", "... uniform sizes", LOWEST, "dpm-uniform-zipf", NULL, PM_THROUGHPUT, 0, 3, 0.85, 0.90},
    {"[VI-D]", "... constant size", LOWEST, "dpm-constant-zipf", NULL, PM_THROUGHPUT, 0, 3, 0.85, 0.90},
    {"[VI-D]", "PPM: worst when the exponent is close to 2 (here: 1.75 to 2.25), bimodal",
     WHERE, "ppm-bimodal-zipf", NULL, PM_THROUGHPUT, 0, 3, 1.75, 2.25},
    {"[VI-D]", "... uniform sizes", WHERE, "ppm-uniform-zipf", NULL, PM_THROUGHPUT, 0, 3, 1.75, 2.25},
    {"[VI-D]", "... constant size", WHERE, "ppm-constant-zipf", NULL, PM_THROUGHPUT, 0, 3, 1.75, 2.25},
    {"[VI-D]", "DPM: worst when the exponent is close to 2 (here: 1.75 to 2.25), bimodal",
     WHERE, "dpm-bimodal-zipf", NULL, PM_THROUGHPUT, 0, 3, 1.75, 2.25},
    {"[VI-D]", "... uniform sizes", WHERE, "dpm-uniform-zipf", NULL, PM_THROUGHPUT, 0, 3, 1.75, 2.25},
    {"[VI-D]", "... constant size", WHERE, "dpm-constant-zipf", NULL, PM_THROUGHPUT, 0, 3, 1.75, 2.25},
    {0}};
/* clang-format on */

/* ---- a sentence at one load ---- */

typedef struct finding {
    double value, half_width; /* as it is printed: units, or percent */
    int holds, close;         /* close: a limit is within the interval */
    int there, unstable;
} finding;

static int within(double value, double least, double most) { return value >= least && value <= most; }

static finding find(const sentence *t, const json_t *a, const json_t *b)
{
    finding f = {.there = a && (b || !t->b)};
    double least = t->least, most = t->most;
    pm_value v;
    if (!f.there) return f;
    if (!t->b) v = pm_point_value(a, t->measure);
    else {
        v = pm_point_reduction(a, b, t->measure);
        v.mean *= 100;
        v.half_width *= 100;
        if (t->claim != REDUCED) v.mean = -v.mean; /* by how much a is above b */
    }
    if (t->claim == LESS && least >= 0) least = -INFINITY;
    if (t->claim == MORE && most <= 0) most = INFINITY;
    if (t->claim == SAME) least = -10, most = 10;
    f.value = v.mean;
    f.half_width = v.half_width;
    f.unstable = v.unstable;
    f.holds = !v.unstable && within(v.mean, least, most);
    f.close = !v.unstable && (fabs(v.mean - least) <= v.half_width || fabs(v.mean - most) <= v.half_width);
    if (t->claim == SAME && !v.unstable && pm_point_value(a, t->measure).mean < 1 &&
        pm_point_value(b, t->measure).mean < 1) {
        f.holds = 1;
        f.close = 0;
    }
    return f;
}

/* Where a reduction falls below 80 %, on lines between the points. */
static void where_80_ends(const pm_store *s, const pm_effort *e, const sentence *t, pm_words *here)
{
    double x[PM_X], before = NAN, before_x = 0;
    unsigned n = pm_series_x(pm_series_find(t->a), e, x);
    for (unsigned k = 0; k < n; k++) {
        json_t *a = pm_point_at(s, e, t->a, x[k]), *b = pm_point_at(s, e, t->b, x[k]);
        finding f = find(t, a, b);
        json_decref(a);
        json_decref(b);
        if (!f.there || f.unstable) return;
        if (f.value < 80) {
            if (isnan(before)) pm_say(here, "; it is below 80 %% at the lowest load already");
            else
                pm_say(here, "; 80 %% ends at load %.2f",
                       before_x + (x[k] - before_x) * (before - 80) / (before - f.value));
            return;
        }
        before = f.value;
        before_x = x[k];
    }
}

/* ---- a sentence at its loads ---- */

typedef struct tally {
    pm_words here, not, missing; /* values found; loads where it does not hold; loads without a measurement */
    unsigned points, good, close;
} tally;

/* Text in front of the value found at x. */
static void at(tally *y, double x) { pm_say(&y->here, "%s%g: ", y->here.used ? ", " : "", x); }

static void count(tally *y, double x, int holds, int close)
{
    y->points++;
    y->good += (unsigned)holds;
    y->close += (unsigned)close;
    if (!holds) pm_say(&y->not, "%s%g", y->not .used ? ", " : "", x);
}

static void missing(tally *y, double x)
{
    at(y, x);
    pm_say(&y->here, "not measured");
    pm_say(&y->missing, "%s%g", y->missing.used ? ", " : "", x);
}

/* The row of a sentence; NULL: nothing of it was measured. */
static json_t *row_for(const char *where, const char *says, const tally *y)
{
    pm_words holds = {{0}, 0};
    if (!y->points) return NULL;
    if (y->good == y->points) pm_say(&holds, "yes");
    else if (!y->good) pm_say(&holds, "no");
    else pm_say(&holds, "not at %s", y->not .text);
    if (y->missing.used) pm_say(&holds, "; not measured at %s", y->missing.text);
    if (y->close) pm_say(&holds, " (? = within the interval of the limit)");
    return json_pack("{ss ss ss ss}", "where", where, "says", says, "here", y->here.text, "holds", holds.text);
}

static json_t *at_each_load(const pm_store *s, const pm_effort *e, const sentence *t)
{
    double x[PM_X];
    unsigned n = pm_series_x(pm_series_find(t->a), e, x);
    tally y = {0};
    for (unsigned k = 0; k < n; k++) {
        if (!within(x[k], t->from - 1e-9, t->to + 1e-9)) continue;
        json_t *a = pm_point_at(s, e, t->a, x[k]), *b = pm_point_at(s, e, t->b, x[k]);
        finding f = find(t, a, b);
        json_decref(a);
        json_decref(b);
        if (!f.there) {
            missing(&y, x[k]);
            continue;
        }
        at(&y, x[k]);
        count(&y, x[k], f.holds, f.close);
        if (f.unstable) pm_say(&y.here, "unstable");
        else
            pm_say(&y.here, t->b ? "%+.1f +- %.1f %%%s" : "%.2f +- %.2f%s",
                   t->b && t->claim == REDUCED ? -f.value : f.value, f.half_width, f.close ? "?" : "");
    }
    if (y.points && t->claim == REDUCED && t->least == 80) where_80_ends(s, e, t, &y.here);
    return row_for(t->where, t->says, &y);
}

/* The lowest value and its x: "?" if it is within its interval of a limit, or if it cannot be distinguished from a
 * value beyond a limit. */
static json_t *at_the_lowest(const pm_store *s, const pm_effort *e, const sentence *t)
{
    double x[PM_X], value[PM_X], half_width[PM_X];
    unsigned n = pm_series_x(pm_series_find(t->a), e, x), low = 0;
    int holds, close = 0;
    tally y = {0};
    for (unsigned k = 0; k < n; k++) {
        json_t *a = pm_point_at(s, e, t->a, x[k]);
        pm_value v = pm_point_value(a, t->measure);
        value[k] = a ? 100 * v.mean : INFINITY;
        half_width[k] = a ? 100 * v.half_width : 0;
        json_decref(a);
        if (!a) {
            missing(&y, x[k]);
            continue;
        }
        at(&y, x[k]);
        pm_say(&y.here, "%.1f %%", value[k]);
        if (value[k] < value[low]) low = k;
    }
    if (!isfinite(value[low])) return NULL;
    if (t->claim == LOWEST) {
        holds = within(value[low], 100 * t->least, 100 * t->most);
        close =
            fabs(value[low] - 100 * t->least) <= half_width[low] || fabs(value[low] - 100 * t->most) <= half_width[low];
    } else {
        holds = within(x[low], t->least, t->most);
        for (unsigned k = 0; k < n; k++)
            close |= within(x[k], t->least, t->most) != holds &&
                     value[k] - value[low] <= hypot(half_width[k], half_width[low]);
    }
    pm_say(&y.here, "; lowest %.1f +- %.1f %% at exponent %g%s", value[low], half_width[low], x[low], close ? "?" : "");
    count(&y, x[low], holds, close);
    return row_for(t->where, t->says, &y);
}

/* ---- sentences of their own ---- */

/* [VI-C] DPM against PPM without what packets wait for in PPM's egress cards: what locks, and the wait in the
 * crosspoint, cost in DPM. */
/* clang-format off */
static const struct {
    const char *says, *sizes;
    pm_measure measure;
    double from, to;
    enum { TRANSPARENT /* 10 % of DPM's delay at most, or one unit */, AS_EGRESS /* the same as PPM's egress */, NOT_BELOW /* 0 */ } is;
} costs[] = {
    {"Bimodal, locks: with PPM's egress delay taken off DPM is above the rest by 10 % of DPM's delay at most, weighted",
     "bimodal", PM_WEIGHTED, 0.1, 0.95, TRANSPARENT},
    {"Loads between 0.8 and 0.95: PPM's extra delay is due to the reassembly buffers (without it PPM is not above DPM, weighted)",
     "bimodal", PM_WEIGHTED, 0.8, 0.95, NOT_BELOW},
    {"Uniform sizes: the cost of locks in DPM (DPM above PPM without its egress delay) almost equals the egress delay of PPM",
     "uniform", PM_MEAN, 0.1, 0.95, AS_EGRESS}};
/* clang-format on */

static json_t *cost_of_locks(const pm_store *s, const pm_effort *e, unsigned which)
{
    char name[2][40];
    double x[PM_X];
    tally y = {0};
    pm_measure m = costs[which].measure;
    snprintf(name[0], sizeof name[0], "dpm-%s", costs[which].sizes);
    snprintf(name[1], sizeof name[1], "ppm-%s", costs[which].sizes);
    unsigned n = pm_series_x(pm_series_find(name[0]), e, x);
    for (unsigned k = 0; k < n; k++) {
        if (!within(x[k], costs[which].from - 1e-9, costs[which].to + 1e-9)) continue;
        json_t *dpm = pm_point_at(s, e, name[0], x[k]), *ppm = pm_point_at(s, e, name[1], x[k]);
        const json_t *parts = json_object_get(ppm, m == PM_WEIGHTED ? "weighted_parts" : "parts");
        pm_value all = pm_point_value(dpm, m), more = pm_point_difference(dpm, ppm, m, 1),
                 of_long = pm_point_value(ppm, PM_REASSEMBLY);
        /* of all packets; longer ones have nearly all of it, so its interval is theirs */
        double egress = json_number_value(json_array_get(parts, 2)), cost = more.mean + egress;
        double half_width = hypot(more.half_width, egress * of_long.half_width / of_long.mean), off = -cost, limit = 0,
               off_ci = half_width;
        int there = dpm && ppm;
        json_decref(dpm);
        json_decref(ppm);
        if (!there) {
            missing(&y, x[k]);
            continue;
        }
        if (costs[which].is == TRANSPARENT) off = cost, limit = fmax(0.1 * all.mean, 1);
        if (costs[which].is == AS_EGRESS) {
            off = fabs(more.mean);
            off_ci = more.half_width;
            limit = cost < 1 && egress < 1 ? 1 : 0.1 * egress;
        }
        int close = !more.unstable && fabs(off - limit) <= off_ci;
        at(&y, x[k]);
        if (more.unstable) pm_say(&y.here, "unstable");
        else
            pm_say(&y.here, "%.2f +- %.2f%s, %s %.2f", cost, half_width, close ? "?" : "",
                   costs[which].is == TRANSPARENT ? "DPM" : "egress",
                   costs[which].is == TRANSPARENT ? all.mean : egress);
        count(&y, x[k], !more.unstable && off <= limit, close);
    }
    return row_for("[VI-C]", costs[which].says, &y);
}

/* [VI-C] The ratio of IQ to DPM falls from bimodal over uniform to constant sizes. */
static json_t *pronounced(const pm_store *s, const pm_effort *e)
{
    static const char *const sizes[] = {"bimodal", "uniform", "constant"};
    static const double loads[] = {0.5, 0.7, 0.9};
    tally y = {0};
    for (unsigned l = 0; l < 3; l++) {
        double before = INFINITY, half_width = 0;
        int holds = 1, close = 0;
        pm_words ratios = {{0}, 0};
        for (unsigned k = 0; k < 3; k++) {
            char name[2][40];
            snprintf(name[0], sizeof name[0], "iq-%s-cells", sizes[k]);
            snprintf(name[1], sizeof name[1], "dpm-%s-cells", sizes[k]);
            json_t *a = pm_point_at(s, e, name[0], loads[l]), *b = pm_point_at(s, e, name[1], loads[l]);
            pm_value r = pm_point_reduction(a, b, PM_MEAN);
            double ratio = 1 - r.mean;
            int here = fabs(ratio - before) <= hypot(r.half_width, half_width), there = a && b;
            json_decref(a);
            json_decref(b);
            if (!there) {
                *ratios.text = 0;
                break;
            }
            if (r.unstable) pm_say(&ratios, " %s unstable", sizes[k]);
            else pm_say(&ratios, " %s %.2f +- %.2f%s", sizes[k], ratio, r.half_width, here ? "?" : "");
            holds &= ratio <= before && !r.unstable;
            close |= here;
            before = ratio;
            half_width = r.half_width;
        }
        if (!*ratios.text) {
            missing(&y, loads[l]);
            continue;
        }
        at(&y, loads[l]);
        pm_say(&y.here, "IQ / DPM%s", ratios.text);
        count(&y, loads[l], holds, close);
    }
    return row_for(
        "[VI-C]",
        "The superiority of DPM over IQ is more pronounced when the average packet size is small (same arrivals)", &y);
}

/* The mean of the packets that were drawn in the longest run of the series, in bytes; 0 without one. One packet in
 * twenty is long. */
static double size_drawn(const pm_store *s, const pm_effort *e, const char *series, double *half_width)
{
    double x[PM_X], bytes = 0, most = 0;
    unsigned n = pm_series_x(pm_series_find(series), e, x);
    for (unsigned k = 0; k < n; k++) {
        json_t *a = pm_point_at(s, e, series, x[k]), *all = json_object_get(a, "all"),
               *longer = json_object_get(a, "longer");
        double packets = json_number_value(json_object_get(all, "packets")),
               words = json_number_value(json_object_get(all, "words"));
        if (packets > most) {
            double part = json_number_value(json_object_get(longer, "packets")) / packets;
            most = packets;
            bytes = 8 * words;
            *half_width =
                1.96 * 8 * json_number_value(json_object_get(longer, "words")) * sqrt(part * (1 - part) / packets);
        }
        json_decref(a);
    }
    return bytes;
}

static json_t *mean_size(const pm_store *s, const pm_effort *e)
{
    double half_width[2], bimodal = size_drawn(s, e, "sm-bimodal", &half_width[0]),
                          with_1280 = size_drawn(s, e, "sm-550", &half_width[1]);
    pm_words here = {{0}, 0};
    if (!(bimodal > 0)) return NULL;
    pm_say(&here, "drawn: %.1f +- %.1f bytes with 95 %% of 40 and 5 %% of 8192 bytes [VI-A]", bimodal, half_width[0]);
    if (with_1280 > 0) pm_say(&here, "; %.1f +- %.1f with 10240 instead of 8192", with_1280, half_width[1]);
    return json_pack("{ss ss ss ss}", "where", "[I, VI-D]", "says", "The average packet size is 550 bytes", "here",
                     here.text, "holds", fabs(bimodal - 550) <= half_width[0] ? "yes" : "no");
}

static json_t *memory_ratio(const pm_store *s)
{
    static const char *const keys[] = {"crosspoint_words", "crosspoint_bram"}, *const names[] = {"words", "block RAMs"};
    json_t *memory = s->memory ? json_load_file(s->memory, 0, NULL) : NULL;
    const json_t *vps = pm_memory_of(memory, "vps", 1024), *dpm = pm_memory_of(memory, "dpm", 1024);
    const char *holds = "no";
    pm_words here = {{0}, 0};
    for (unsigned k = 0; k < 2 && vps && dpm; k++) {
        double v = json_number_value(json_object_get(vps, keys[k])),
               d = json_number_value(json_object_get(dpm, keys[k]));
        pm_say(&here, "%s%s of a crosspoint for 8 KB: VPS %g, DPM %g, so VPS has %.0f %% more, DPM %.0f %% fewer",
               k ? "; " : "", names[k], v, d, 100 * (v / d - 1), 100 * (1 - d / v));
        if (fabs(100 * (v / d - 1) - 85) <= 8.5) holds = "yes";
    }
    if (!here.used) {
        pm_say(&here, "run make synth, then make curves again");
        holds = "not measured";
    }
    json_decref(memory);
    return json_pack("{ss ss ss ss}", "where", "[VI-C]", "says", "VPS uses 85 % more memory in the crossbar chip",
                     "here", here.text, "holds", holds);
}

json_t *pm_lower_bound(const pm_store *s, const pm_effort *e, unsigned *below)
{
    static const pm_measure measures[] = {PM_MEAN, PM_WEIGHTED};
    pm_words here = {{0}, 0}, list = {{0}, 0};
    unsigned means = 0, by_chance = 0;
    *below = 0;
    for (const pm_series *row = pm_all_series; row->name; row++) {
        double x[PM_X];
        unsigned n = pm_series_x(row, e, x);
        for (unsigned k = 0; k < n; k++) {
            json_t *a = pm_point_at(s, e, row->name, x[k]);
            for (unsigned m = 0; m < 2; m++) {
                pm_value v = pm_point_value(a, measures[m]);
                double ideal = pm_point_ideal_value(a, measures[m]);
                int by = pm_point_below_ideal(a, measures[m]);
                means += !v.unstable && isfinite(v.mean) && isfinite(ideal);
                by_chance += by == 1;
                *below += by == 2;
                if (by)
                    pm_say(&list, "; %s at %g: %s %.2f +- %.2f, ideal %.2f", row->name, x[k],
                           pm_measure_names[measures[m]], v.mean, v.half_width, ideal);
            }
            json_decref(a);
        }
    }
    if (!means) return NULL;
    pm_say(&here, "of %u, %u by more than its interval, %u by more than twice that%s", means, by_chance + *below,
           *below, list.text);
    return json_pack(
        "{ss ss ss ss}", "where", "ideal", "says",
        "No mean lies below the ideal switch's by more than its interval, but for chance: never by more than twice "
        "(plain and weighted delays; not said in S3)",
        "here", here.text, "holds", *below ? "no" : "yes");
}

/* The own flow of each input is served and no other (IQ), or all are. */
static json_t *staircase(const pm_store *s, const pm_effort *e, const char *series, const char *says, int locked)
{
    json_t *a = pm_point_at(s, e, series, 1);
    double own = 0, least = INFINITY;
    pm_words here = {{0}, 0};
    if (!a) return NULL;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned o = 0; o < 4; o++) {
            double share = json_number_value(json_array_get(json_array_get(json_object_get(a, "shares"), i), o));
            if (i == o) own += share;
            least = fmin(least, share);
        }
    json_decref(a);
    pm_say(&here, "flows i to i have %.1f %% of all words; of 16 flows the least has %.2f %%", 100 * own, 100 * least);
    return json_pack("{ss ss ss ss}", "where", "[V]", "says", says, "here", here.text, "holds",
                     (locked ? own > 0.999 : least > 0) ? "yes" : "no");
}

json_t *pm_sentences(const pm_store *s, const pm_effort *e)
{
    unsigned below;
    json_t *rows = json_array();
    json_t *more[] = {cost_of_locks(s, e, 0),
                      cost_of_locks(s, e, 1),
                      cost_of_locks(s, e, 2),
                      pronounced(s, e),
                      mean_size(s, e),
                      memory_ratio(s),
                      staircase(s, e, "iq-staircase", "IQ: locked for ever in the four flows of the staircase", 1),
                      staircase(s, e, "sm-staircase", "Buffered crossbars escape from such configurations: SM", 0),
                      staircase(s, e, "ppm-staircase", "... PPM", 0),
                      staircase(s, e, "dpm-staircase", "... DPM", 0),
                      staircase(s, e, "vps-staircase", "... VPS", 0),
                      pm_lower_bound(s, e, &below)};
    for (const sentence *t = sentences; t->where; t++) {
        json_t *row = t->claim == LOWEST || t->claim == WHERE ? at_the_lowest(s, e, t) : at_each_load(s, e, t);
        if (row) json_array_append_new(rows, row);
    }
    for (unsigned k = 0; k < sizeof more / sizeof more[0]; k++)
        if (more[k]) json_array_append_new(rows, more[k]);
    return rows;
}
