/* Two runs side by side. */
#include "sim/observe/cycles/cycles_report.h"

#include <math.h>
#include <string.h>

#include "sim/core/kernel/text_table.h"

enum { FEW = 20 /* operations: below, one more or less moves the figures */ };

static double busy(const cycles_row *r) { return cycles_share(r, r->busy); }
static double stalled(const cycles_row *r) { return cycles_share(r, r->stalled); }
static double operations(const cycles_row *r)
{
    return r->operations < FEW ? NAN : 10 * cycles_share(r, r->operations);
}
static double of_latency(const cycles_row *r, const char *key)
{
    return r->latency && cycles_number(r->latency, "count") >= FEW ? cycles_number(r->latency, key) : NAN;
}
static double median(const cycles_row *r) { return of_latency(r, "median"); }
static double p99(const cycles_row *r) { return of_latency(r, "p99"); }
static double level(const cycles_row *r) { return r->level ? cycles_number(r->level, "mean") : NAN; }

static const struct value {
    const char *name, *unit;
    double (*of)(const cycles_row *); /* NAN: there is none */
    double relative; /* 0: a share, which moves by points; else by percent, and by this much at least */
} values[] = {{"busy", "%", busy, 0},
              {"stalled", "%", stalled, 0},
              {"operations", "per 1000 clocks", operations, 1e-9},
              {"latency median", "clocks", median, 1},
              {"latency p99", "clocks", p99, 1},
              {"level", "mean", level, 1}};
enum { VALUES = sizeof values / sizeof values[0] };

static int moved(const struct value *v, double was, double is, double threshold)
{
    double by = fabs(is - was);
    if (isnan(by)) return isnan(was) != isnan(is) && v->of == operations && (isnan(was) ? is : was) > threshold;
    if (!v->relative) return by > threshold;
    return by >= v->relative && by > threshold / 100 * fabs(was);
}

/* The row of that name, which is likely the one at this place. */
static const json_t *named(const json_t *list, const char *name, size_t place)
{
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++) {
        cycles_row r = cycles_row_of(json_array_get(list, (place + i) % count));
        if (!strcmp(r.name, name)) return r.o;
    }
    return NULL;
}

/* Rows of `list` that `other` does not have. */
static void print_alone(const json_t *list, const json_t *other, const char *where, FILE *out)
{
    size_t i, alone = 0;
    const json_t *o;
    char first[256] = "";
    json_array_foreach(list, i, o)
    {
        cycles_row r = cycles_row_of(o);
        if (named(other, r.name, i)) continue;
        if (!alone++) snprintf(first, sizeof first, "%s", r.name);
    }
    if (alone)
        fprintf(out, "only in %s: %zu instance%s, %s%s\n", where, alone, alone > 1 ? "s" : "", first,
                alone > 1 ? " and others" : "");
}

static unsigned compare(const json_t *now, const json_t *base, double threshold, unsigned *rows, FILE *out)
{
    const json_t *list = json_object_get(now, "instances"), *before = json_object_get(base, "instances"), *o;
    unsigned count = 0;
    char titles[200];
    FILE *t = NULL;
    size_t i;
    json_array_foreach(list, i, o)
    {
        cycles_row is = cycles_row_of(o);
        const json_t *other = named(before, is.name, i);
        if (!other) continue;
        cycles_row was = cycles_row_of(other);
        ++*rows;
        for (int k = 0; k < VALUES; k++) {
            double a = values[k].of(&was), b = values[k].of(&is);
            if (!moved(&values[k], a, b, threshold)) continue;
            const char *title = json_string_value(json_object_get(now, "name"));
            if (!count++) {
                snprintf(titles, sizeof titles, "<0 %.150s\t<\tbase\tnow", title ? title : "");
                fputc('\n', out);
                t = text_table(out, 0, titles);
            }
            fprintf(t, "%s\t%s\t%.2f\t%.2f\t%s\n", is.name, values[k].name, isnan(a) ? 0 : a, isnan(b) ? 0 : b,
                    values[k].unit);
        }
    }
    if (t) fclose(t);
    print_alone(list, before, "this run", out);
    print_alone(before, list, "the base", out);
    return count;
}

unsigned cycles_compare(const json_t *document, const json_t *base, double threshold, FILE *out)
{
    const json_t *list = json_object_get(document, "simulations"), *before = json_object_get(base, "simulations"),
                 *simulation;
    unsigned count = 0, rows = 0;
    size_t i;
    json_array_foreach(list, i, simulation) if (json_array_get(before, i)) count +=
        compare(simulation, json_array_get(before, i), threshold, &rows, out);
    if (json_array_size(list) != json_array_size(before))
        fprintf(out, "%zu simulations, %zu in the base\n", json_array_size(list), json_array_size(before));
    if (!rows) count++; /* there is nothing to compare */
    fprintf(
        out,
        "compared with the base: %u instances, %u value%s moved by more than %g (points of a share, else percent)\n",
        rows, count, count == 1 ? " has" : "s have", threshold);
    return count;
}
