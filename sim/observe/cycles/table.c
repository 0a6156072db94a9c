/* Tables for people. */
#include "sim/observe/cycles/cycles_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/text_table.h"

/* ---- the order ---- */

static double by_busy(const cycles_row *r) { return cycles_share(r, r->busy); }
static double by_stalled(const cycles_row *r) { return cycles_share(r, r->stalled); }
static double by_idle(const cycles_row *r) { return cycles_share(r, r->idle); }
static double by_operations(const cycles_row *r) { return cycles_share(r, r->operations); }
static double by_latency(const cycles_row *r) { return r->latency ? cycles_number(r->latency, "median") : -1; }
static double by_level(const cycles_row *r) { return r->level ? cycles_number(r->level, "mean") : -1; }

static const struct sort {
    const char *name;
    double (*key)(const cycles_row *); /* NULL: as they stand */
} sorts[] = {{"name", NULL},
             {"busy", by_busy},
             {"stalled", by_stalled},
             {"idle", by_idle},
             {"operations", by_operations},
             {"latency", by_latency},
             {"level", by_level}};
enum { SORTS = sizeof sorts / sizeof sorts[0] };

static const struct sort *sort_of(const char *name)
{
    for (int i = 0; i < SORTS; i++)
        if (!strcmp(sorts[i].name, name)) return &sorts[i];
    return NULL;
}

typedef struct {
    cycles_row row;
    double key;
    size_t place;
} line;

static int larger_first(const void *a, const void *b)
{
    const line *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return x->place < y->place ? -1 : 1;
}

/* ---- one row ---- */

static int is_idle(const cycles_row *r)
{
    return r->busy + r->stalled + r->operations == 0 && !(r->level && cycles_number(r->level, "max") > 0);
}

/* Reason of most of the stalled clocks; the largest reasons with their shares. */
static void reasons(FILE *out, const cycles_row *r)
{
    const char *key, *space = "";
    const json_t *value;
    size_t count = json_object_size(json_object_get(r->o, "reasons"));
    json_object_foreach((json_t *)json_object_get(r->o, "reasons"), key, value)
    {
        double clocks = json_number_value(value);
        if (clocks <= 0) continue;
        if (count > 1) fprintf(out, "%s%s %.1f", space, key, cycles_share(r, clocks));
        else if (strcmp(key, "other")) fputs(key, out);
        space = " ";
    }
}

static double of(const json_t *h, const char *key) { return h ? cycles_number(h, key) : NAN; }

static void print_row(FILE *t, const cycles_row *r)
{
    const double counted = json_object_get(r->o, "operations") ? 1 : NAN;
    fprintf(t, "%s\t%s\t%.0f\t%.1f\t%.1f\t%.1f\t%.0f\t%.2f\t%.0f\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f\t", r->name, r->module,
            r->clocks, cycles_share(r, r->busy), cycles_share(r, r->stalled), cycles_share(r, r->idle),
            counted * r->operations, counted * 10 * cycles_share(r, r->operations), of(r->latency, "min"),
            of(r->latency, "median"), of(r->latency, "p99"), of(r->latency, "max"), of(r->level, "mean"),
            of(r->level, "max"));
    reasons(t, r);
    fputc('\n', t);
}

/* ---- parts ---- */

/* Names of what did nothing, the modules with how many of each. */
static void print_idle(FILE *out, const line *lines, size_t count)
{
    unsigned idle = 0, column = 0;
    for (size_t i = 0; i < count; i++) idle += is_idle(&lines[i].row);
    if (!idle) return;
    column = (unsigned)fprintf(out, "%u idle from start to end:", idle);
    for (size_t i = 0; i < count; i++) {
        unsigned same = 0, before = 0;
        if (!is_idle(&lines[i].row)) continue;
        for (size_t k = 0; k < count; k++)
            if (is_idle(&lines[k].row) && !strcmp(lines[k].row.module, lines[i].row.module)) {
                same++;
                before += k < i;
            }
        if (before) continue;
        if (column > 110) column = (unsigned)fprintf(out, "\n   ") - 1;
        column += (unsigned)(same > 1 ? fprintf(out, " %u %s", same, lines[i].row.module)
                                      : fprintf(out, " %s", lines[i].row.module));
    }
    fputc('\n', out);
}

static void print_states(FILE *out, const line *lines, size_t count)
{
    FILE *t = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t k;
        const json_t *machine, *clocks;
        json_array_foreach(json_object_get(lines[i].row.o, "machines"), k, machine)
        {
            const char *state, *name = json_string_value(json_object_get(machine, "name")),
                               *between = name && *name ? ": " : "";
            if (is_idle(&lines[i].row)) continue;
            if (!t) {
                fputs("\nstates [% of clocks]\n", out);
                t = text_table(out, 0, "<\t<");
            }
            fprintf(t, "%s\t%s", lines[i].row.name, name ? name : "");
            json_object_foreach(json_object_get(machine, "clocks"), state, clocks)
            {
                double share = cycles_share(&lines[i].row, json_number_value(clocks));
                if (share < 0.05) continue;
                fprintf(t, "%s%s %.1f", between, state, share);
                between = " ";
            }
            fputc('\n', t);
        }
    }
    if (t) fclose(t);
}

typedef struct {
    const char *module;
    unsigned instances, has_operations;
    double clocks, busy, stalled, operations, timed, latency, most;
} total;

/* Sums of each module that has done something, sorted as the rows are, as far as sums can be. */
static void print_totals(FILE *out, const line *lines, size_t count)
{
    total *all = calloc(count + 1, sizeof *all);
    size_t totals = 0;
    for (size_t i = 0; all && i < count; i++) {
        const cycles_row *r = &lines[i].row;
        size_t at = 0;
        while (at < totals && strcmp(all[at].module, r->module)) at++;
        totals += at == totals;
        total *t = &all[at];
        t->module = r->module;
        t->instances++;
        t->clocks += r->clocks;
        t->busy += r->busy;
        t->stalled += r->stalled;
        t->operations += r->operations;
        t->has_operations |= json_object_get(r->o, "operations") != NULL;
        if (!r->latency) continue;
        double timed = cycles_number(r->latency, "count");
        t->timed += timed;
        t->latency += timed * cycles_number(r->latency, "mean");
        if (cycles_number(r->latency, "max") > t->most) t->most = cycles_number(r->latency, "max");
    }
    fputc('\n', out);
    FILE *f = text_table(out, 0, "<totals\tinstances\tbusy\tstall\tidle\toperat.\t<latency mean / max");
    for (size_t i = 0; i < totals; i++) {
        const total *t = &all[i];
        double share = t->clocks > 0 ? 100 / t->clocks : 0;
        if (t->busy + t->stalled + t->operations == 0) continue;
        fprintf(f, "%s\t%u\t%.1f\t%.1f\t%.1f\t%.0f\t", t->module, t->instances, t->busy * share, t->stalled * share,
                (t->clocks - t->busy - t->stalled) * share, t->has_operations ? t->operations : NAN);
        fprintf(f, t->timed > 0 ? "%.1f / %.0f\n" : "\n", t->latency / t->timed, t->most);
    }
    fclose(f);
    free(all);
}

/* Modules without probes, and by what they are counted: each once. */
static void print_by(FILE *out, const line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const cycles_row *r = &lines[i].row;
        const json_t *by = json_object_get(r->o, "by");
        size_t k = 0;
        while (k < i && (strcmp(lines[k].row.module, r->module) || strcmp(lines[k].row.side, r->side) ||
                         !json_equal(json_object_get(lines[k].row.o, "by"), by)))
            k++;
        if (json_is_string(by) && k == i)
            fprintf(out, "%s%s%s has no probes: counted by %s\n", r->module, *r->side ? ":" : "", r->side,
                    json_string_value(by));
    }
}

static void print_simulation(FILE *out, const json_t *simulation, const struct sort *sort)
{
    const json_t *instances = json_object_get(simulation, "instances"),
                 *windows = json_object_get(simulation, "windows"), *o;
    const char *name = json_string_value(json_object_get(simulation, "name"));
    size_t count = json_array_size(instances), i;
    line *lines = calloc(count + 1, sizeof *lines);
    double measured = 0;
    json_array_foreach(windows, i, o) measured +=
        json_number_value(json_array_get(o, 1)) - json_number_value(json_array_get(o, 0));
    json_array_foreach(instances, i, o)
    {
        lines[i] = (line){.row = cycles_row_of(o), .place = i};
        if (sort->key) lines[i].key = sort->key(&lines[i].row);
    }
    qsort(lines, count, sizeof *lines, larger_first);
    if (name && *name) fprintf(out, "%s\n", name);
    fprintf(out, "clocks of %zu window%s, %.3f us of %.3f\n", json_array_size(windows),
            json_array_size(windows) == 1 ? "" : "s", 1e-6 * measured,
            1e-6 * (cycles_number(simulation, "to_ps") - cycles_number(simulation, "from_ps")));
    FILE *t = text_table(out, 0,
                         "<instance\t<module\tclocks\t[% of clocks]\nbusy\tstall\tidle\toperat.\tper\n1000 cl"
                         "\tlatency [clocks]\nmin\tmed\tp99\tmax\tlevel\nmean\tmost\t<stalled for");
    for (i = 0; i < count; i++)
        if (!is_idle(&lines[i].row)) print_row(t, &lines[i].row);
    fclose(t);
    print_idle(out, lines, count);
    print_by(out, lines, count);
    print_states(out, lines, count);
    print_totals(out, lines, count);
    free(lines);
}

void cycles_table(const json_t *document, const char *sort, FILE *out)
{
    size_t i;
    const json_t *simulation;
    json_array_foreach(json_object_get(document, "simulations"), i, simulation)
    {
        fputc('\n', out);
        print_simulation(out, simulation, sort_of(sort));
    }
}
