/* Tables of the page of curves. All values are computed from the points and the results of make synth. */
#include "sim/app/packet_mode/pm_words.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

void pm_say(pm_words *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (w->used < sizeof w->text)
        w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, list);
    va_end(list);
}

json_t *pm_point_at(const pm_store *s, const pm_effort *e, const char *series, double x)
{
    const pm_series *row = series ? pm_series_find(series) : NULL;
    if (!row) return NULL;
    pm_point p = pm_series_point(row, e, x);
    return pm_point_load(s, &p);
}

const json_t *pm_memory_of(const json_t *memory, const char *arch, json_int_t packet_words)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(memory, "rows"), i, row)
    {
        const char *name = json_string_value(json_object_get(row, "arch"));
        if (name && !strcmp(name, arch) && json_integer_value(json_object_get(row, "packet_words")) == packet_words)
            return row;
    }
    return NULL;
}

/* ---- tables ---- */

static json_t *row_of(const pm_words *cells, unsigned n)
{
    json_t *row = json_array();
    for (unsigned k = 0; k < n; k++) json_array_append_new(row, json_string(cells[k].text));
    return row;
}

/* Adds the row of an architecture whose points are measured. */
typedef void adder(const pm_store *s, const pm_effort *e, const char *arch, const char *name, json_t *rows);

/* The row of an architecture, and behind it the one with another block in a slot. */
static void add_rows(const pm_store *s, const pm_comparison *compared, const pm_effort *e, const char *arch,
                     const char *name, json_t *rows, adder *add)
{
    pm_words other = {{0}, 0};
    add(s, e, arch, name, rows);
    if (!compared || strcmp(compared->arch, arch)) return;
    pm_say(&other, "%s, %s", name, compared->words);
    add(compared->store, e, arch, other.text, rows);
}

static void add_staircase(const pm_store *s, const pm_effort *e, const char *arch, const char *name, json_t *rows)
{
    char series[40];
    pm_words cells[6] = {{{0}, 0}};
    snprintf(series, sizeof series, "%s-staircase", arch);
    json_t *a = pm_point_at(s, e, series, 1);
    if (!a) return;
    pm_say(&cells[0], "%s", name);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned o = 0; o < 4; o++)
            pm_say(&cells[1 + i], "%s%.1f", o ? "  " : "",
                   100 * json_number_value(json_array_get(json_array_get(json_object_get(a, "shares"), i), o)));
    pm_say(&cells[5], "%.1f", json_number_value(json_object_get(json_object_get(a, "all"), "deviation")));
    json_array_append_new(rows, row_of(cells, 6));
    json_decref(a);
}

static json_t *staircase_table(const pm_store *s, const pm_comparison *compared, const pm_effort *e)
{
    static const char *const archs[] = {"sm", "ppm", "dpm", "vps", "iq"}, *const names[] = {"SM", "PPM", "DPM", "VPS",
                                                                                            "IQ"};
    json_t *rows = json_array();
    for (unsigned k = 0; k < 5; k++) add_rows(s, compared, e, archs[k], names[k], rows, add_staircase);
    return json_pack(
        "{ss ss ss s[ssssss] so}", "name", "fig5", "title", "The staircase on 4x4: shares of all flows", "caption",
        "S3 fig. 5 [V]. VOQs that are never empty, packets of 8 Kbytes, the first ones shorter, so that no two "
        "end "
        "together. Percent of all words, to outputs 0 to 3; standard deviation of delay in 512 byte times.",
        "head", "", "from input 0", "from input 1", "from input 2", "from input 3", "deviation", "rows", rows);
}

/* How often IQ, when just one packet has ended, makes that pair again. */
static json_t *pairs_table(const pm_store *s, const pm_effort *e)
{
    static const char *const series[] = {"iq-bimodal-onoff", "iq-uniform-onoff", "iq-constant-onoff"};
    static const double loads[] = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
    json_t *rows = json_array();
    for (unsigned l = 0; l < sizeof loads / sizeof loads[0]; l++) {
        pm_words cells[4] = {{{0}, 0}};
        pm_say(&cells[0], "%g", loads[l]);
        unsigned there = 0;
        for (unsigned k = 0; k < 3; k++) {
            json_t *a = pm_point_at(s, e, series[k], loads[l]);
            double ended = json_number_value(json_object_get(a, "ended")),
                   lone = json_number_value(json_object_get(a, "lone"));
            if (a && ended > 0) pm_say(&cells[1 + k], "%.3f %% of %.0f", 100 * lone / ended, ended);
            there += a != NULL;
            json_decref(a);
        }
        if (there) json_array_append_new(rows, row_of(cells, 4));
    }
    return json_pack("{ss ss ss s[ssss] so}", "name", "pairs", "title", "IQ: how often a lone pair is made again",
                     "caption",
                     "S3 V, ongoing work [V]: of the cells in which just one packet ended, those behind which its "
                     "input and its output "
                     "were paired again at once. 16x16.",
                     "head", "load", "bimodal", "uniform", "constant", "rows", rows);
}

/* High priority at load 0.3 while low priority saturates all lines. It may wait for one longest unit more at the input
 * and at the output: a segment in SM, a packet in the others. */
static void add_priorities(const pm_store *s, const pm_effort *e, const char *arch, const char *name, json_t *rows)
{
    pm_words cells[8] = {{{0}, 0}};
    char high[40], lone[40];
    double bound = strncmp(arch, "sm", 2) ? 32 : 2, added, half_width, carries, carried;
    snprintf(high, sizeof high, "%s-high", arch);
    snprintf(lone, sizeof lone, "%s-alone", arch);
    json_t *with = pm_point_at(s, e, high, 0.3), *alone = pm_point_at(s, e, lone, 0.3),
           *low = pm_point_at(s, e, high, 0);
    pm_value a = pm_point_value(with, PM_MEAN), b = pm_point_value(alone, PM_MEAN);
    added = a.mean - b.mean;
    half_width = sqrt(a.half_width * a.half_width + b.half_width * b.half_width);
    carries = pm_point_value(low, PM_THROUGHPUT).mean;
    carried = pm_point_value(with, PM_THROUGHPUT).mean;
    if (with && alone && low) {
        pm_say(&cells[0], "%s", name);
        pm_say(&cells[1], "%.2f +- %.2f", b.mean, b.half_width);
        pm_say(&cells[2], "%.2f +- %.2f", a.mean, a.half_width);
        pm_say(&cells[3], "%.2f +- %.2f of %g", added, half_width, bound);
        pm_say(&cells[4], "%s%s", added <= bound ? "yes" : "no", fabs(added - bound) < half_width ? "?" : "");
        pm_say(&cells[5], "%.2f", pm_point_ideal_value(with, PM_MEAN));
        pm_say(&cells[6], "%.4f; %.4f", carries, carried);
        pm_say(&cells[7], "%s", carried >= 0.98 * carries ? "yes" : "no");
        json_array_append_new(rows, row_of(cells, 8));
    }
    json_decref(with);
    json_decref(alone);
    json_decref(low);
}

static json_t *priorities_table(const pm_store *s, const pm_comparison *compared, const pm_effort *e)
{
    static const char *const archs[] = {"sm", "sm128", "ppm", "dpm", "vps"}, *const names[] = {"SM",
                                                                                               "SM, lanes of 128 words",
                                                                                               "PPM", "DPM", "VPS"};
    json_t *rows = json_array();
    for (unsigned k = 0; k < 5; k++) add_rows(s, compared, e, archs[k], names[k], rows, add_priorities);
    return json_pack("{ss ss ss s[ssssssss] so}", "name", "priorities-bound", "title",
                     "High priority at load 0.3 while low priority saturates all lines, 16x16", "caption",
                     "Mean delay of high priority in 512 byte times, with halves of 95 % intervals. It may be one "
                     "longest unit more at the "
                     "input and one at the output: a segment in SM, a packet in the others; ? stands where that is "
                     "within the interval. "
                     "Words per line and clock without high priority, "
                     "and of both together, which may be 2 % less.",
                     "head", "", "alone", "with low", "more, of what it may be", "holds?", "ideal switch",
                     "carries; carries both", "holds?", "rows", rows);
}

/* On the chip, as make synth found it; no rows if it has not been run. */
static json_t *memory_table(const pm_store *s)
{
    static const unsigned packets[] = {192, 1024, 1152};
    static const char *const archs[] = {"sm", "ppm", "dpm", "vps"}, *const names[] = {"SM", "PPM", "DPM", "VPS"};
    static const char *const parts[] = {"crosspoint", "crossbar", "egress"}, *const titles[] = {"a crosspoint",
                                                                                                "crossbar 16x16",
                                                                                                "16 egress cards"};
    json_t *rows = json_array(), *memory = s->memory ? json_load_file(s->memory, 0, NULL) : NULL;
    for (unsigned k = 0; k < 12 && memory; k++) {
        pm_words cells[7] = {{{0}, 0}};
        pm_say(&cells[0], "%s, %s", names[k / 3], titles[k % 3]);
        for (unsigned n = 0; n < 6; n++) {
            char key[40];
            snprintf(key, sizeof key, "%s_%s", parts[k % 3], n % 2 ? "bram" : "words");
            pm_say(&cells[1 + n], "%.0f",
                   json_number_value(json_object_get(pm_memory_of(memory, archs[k / 3], packets[n / 2]), key)));
        }
        json_array_append_new(rows, row_of(cells, 7));
    }
    json_decref(memory);
    return json_pack("{ss ss ss s[sssssss] so}", "name", "memory", "title", "Memory on the chip", "caption",
                     "Words of 64 bits and block RAMs of 18 Kbit, by Yosys for Virtex-II Pro (make synth), for longest "
                     "packets of 1.5, 8 and "
                     "9 Kbytes. Egress cards of SM and PPM put packets together. Crosspoints of VPS hold the longest "
                     "packet and four "
                     "segments, as in S3's Table I.",
                     "head", "", "1.5 KB: words", "block RAMs", "8 KB: words", "block RAMs", "9 KB: words",
                     "block RAMs", "rows", rows);
}

json_t *pm_tables(const pm_store *s, const pm_comparison *compared, const pm_effort *e)
{
    json_t *tables = json_array(), *all[] = {staircase_table(s, compared, e), pairs_table(s, e),
                                             priorities_table(s, compared, e), memory_table(s)};
    for (unsigned k = 0; k < 4; k++)
        if (json_array_size(json_object_get(all[k], "rows"))) json_array_append_new(tables, all[k]);
        else json_decref(all[k]);
    return tables;
}
