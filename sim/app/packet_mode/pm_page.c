#include "sim/app/packet_mode/pm_page.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "curves_page.h"
#include "sim/core/kernel/results.h"

/* ---- the document ---- */

static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static const char *text(const json_t *o, const char *key)
{
    const char *value = json_string_value(json_object_get(o, key));
    return value ? value : "";
}

enum { PM_COMPARED_COLOUR = 5 };

/* The same colour for an architecture everywhere. */
static int colour_of(const char *arch)
{
    static const char *const order[] = {"sm", "ppm", "dpm", "vps", "iq"};
    if (!strcmp(arch, "sm128")) return PM_COMPARED_COLOUR; /* drawn with "sm" */
    for (int k = 0; k < 5; k++)
        if (!strncmp(arch, order[k], strlen(order[k]))) return k;
    return 0;
}

static json_t *point_json(const json_t *result, pm_measure m, double x)
{
    const json_t *plain = json_object_get(json_object_get(pm_point_part(result, m), "measures"), pm_measure_names[m]);
    pm_value v = pm_point_value(result, m);
    json_t *p = json_pack("{sf so so sO sO sO sb sb}", "x", x, "mean", v.unstable ? json_null() : real(v.mean),
                          "half_width", v.unstable ? json_null() : real(v.half_width), "plain",
                          json_object_get(plain, "mean"), "plain_half_width", json_object_get(plain, "half_width"),
                          "windows", json_object_get(result, "windows"), "hollow", v.hollow, "unstable", v.unstable);
    if (v.unstable) {
        json_object_set_new(p, "plain", json_null());
        json_object_set_new(p, "plain_half_width", json_null());
    }
    return p;
}

/* Adds the ideal's means to `ideal`, unless that is NULL. */
static json_t *curve_json(const pm_store *s, const pm_effort *e, const pm_figure *f, const pm_series *series,
                          json_t *ideal)
{
    json_t *points = json_array();
    double x[PM_X];
    unsigned n = pm_series_x(series, e, x);
    for (unsigned i = 0; i < n; i++) {
        pm_point p = pm_series_point(series, e, x[i]);
        if (p.run.priorities == 2 && p.run.high_load == 0 && f->measure != PM_THROUGHPUT)
            continue; /* nothing has a delay of high priority */
        json_t *result = pm_point_load(s, &p);
        double mean = pm_point_ideal_value(result, f->measure);
        pm_value v = pm_point_value(result, f->measure);
        if (v.unstable || isfinite(v.mean)) json_array_append_new(points, point_json(result, f->measure, x[i]));
        if (result && ideal && mean > 0)
            json_array_append_new(ideal, json_pack("{sf sf so}", "x", x[i], "mean", mean, "half_width",
                                                   real(pm_point_ideal_half_width(result, f->measure))));
        json_decref(result);
    }
    return json_pack("{ss ss ss si sb so}", "label", series->label, "series", series->name, "arch", series->arch,
                     "colour", colour_of(series->arch), "other", series->dashed, "points", points);
}

/* One of which no point has been made is left out. */
static void add_curve(json_t *curves, json_t *curve)
{
    if (json_array_size(json_object_get(curve, "points"))) json_array_append_new(curves, curve);
    else json_decref(curve);
}

/* Key of a series' ideal switch: equal for equal arrivals. The ideal switch of high priority sees high priority alone.
 */
static void arrivals_of(const pm_series *series, char text[100])
{
    int high = series->x == PM_HIGH_LOADS || series->x == PM_HIGH_LOADS_FROM_0, iq = !strcmp(series->arch, "iq");
    const char *cells = iq && !strcmp(series->cells, "0") ? "1" : series->cells;
    snprintf(text, 100, "%s %s %s", series->sizes, high ? "" : series->arrivals, cells);
}

/* The ideal line of this series, in the list of the figure's; NULL: the arrivals are those of one before. */
static json_t *new_ideal(json_t *ideals, const pm_series *series)
{
    char arrivals[100], label[200];
    size_t i;
    json_t *ideal;
    arrivals_of(series, arrivals);
    json_array_foreach(ideals, i, ideal)
    {
        if (!strcmp(text(ideal, "arrivals"), arrivals))
            return json_array_size(json_object_get(ideal, "points")) ? NULL : ideal;
    }
    snprintf(label, sizeof label, "ideal for %s", series->label);
    ideal = json_pack("{ss ss s[]}", "label", label, "arrivals", arrivals, "points");
    json_array_append_new(ideals, ideal);
    return ideal;
}

/* Where all arrivals are alike there is one ideal line, that of all. */
static void name_ideals(json_t *ideals)
{
    for (size_t i = json_array_size(ideals); i-- > 0;)
        if (!json_array_size(json_object_get(json_array_get(ideals, i), "points"))) json_array_remove(ideals, i);
    if (json_array_size(ideals) == 1) json_object_set_new(json_array_get(ideals, 0), "label", json_string("ideal"));
}

static json_t *figure_json(const pm_store *s, const pm_comparison *compared, const pm_effort *e, const pm_figure *f)
{
    json_t *curves = json_array(), *ideals = json_array(), *curve;
    int exponents = 0;
    for (unsigned k = 0; k < PM_CURVES && f->series[k]; k++) {
        const pm_series *series = pm_series_find(f->series[k]);
        char words[300];
        exponents = series->x == PM_EXPONENTS;
        curve = curve_json(s, e, f, series, json_object_get(new_ideal(ideals, series), "points"));
        add_curve(curves, curve);
        if (!compared || strcmp(series->arch, compared->arch)) continue;
        curve = curve_json(compared->store, e, f, series, NULL);
        snprintf(words, sizeof words, "%s, %s", series->label, compared->words);
        json_object_set_new(curve, "label", json_string(words));
        snprintf(words, sizeof words, "%s beside", series->name);
        json_object_set_new(curve, "series", json_string(words));
        json_object_set_new(curve, "colour", json_integer(PM_COMPARED_COLOUR));
        add_curve(curves, curve);
    }
    /* in the egress card an ideal packet waits for nothing */
    if (f->measure == PM_REASSEMBLY) json_array_clear(ideals);
    name_ideals(ideals);
    json_t *figure =
        json_pack("{ss ss ss ss ss sf sb so so}", "name", f->name, "title", f->title, "caption", f->caption, "measure",
                  pm_measure_names[f->measure], "x", exponents ? "Zipf exponent" : "load", "most_x",
                  exponents ? 3.0 : 1.0, "log", f->measure != PM_THROUGHPUT, "curves", curves, "ideal", ideals);
    if (json_array_size(curves) && strcmp(f->name, "fig5")) return figure; /* the staircase is a table */
    json_decref(figure);
    return NULL;
}

json_t *pm_page_document(const pm_store *s, const pm_comparison *compared, const pm_effort *e)
{
    json_t *figures = json_array();
    for (const pm_figure *f = pm_all_figures; f->name; f++) {
        json_t *figure = figure_json(s, compared, e, f);
        if (figure) json_array_append_new(figures, figure);
    }
    return json_pack("{ss sb sI so so so}", "format", PM_CURVES_FORMAT, "quick", e->quick, "seed", (json_int_t)e->seed,
                     "figures", figures, "tables", pm_tables(s, compared, e), "sentences", pm_sentences(s, e));
}

/* ---- the page ---- */

static void put(const char *t, FILE *out)
{
    for (; *t; t++)
        if (*t == '<') fputs("&lt;", out);
        else if (*t == '&') fputs("&amp;", out);
        else fputc(*t, out);
}

static void cell(const char *kind, const char *t, FILE *out)
{
    fprintf(out, "<%s>", kind);
    put(t, out);
    fprintf(out, "</%.2s>", kind);
}

/* The numbers of a figure: a row for each place on the x axis. */
static void numbers(const json_t *figure, FILE *out)
{
    const json_t *curves = json_object_get(figure, "curves"), *curve, *p, *ideal;
    double xs[2 * PM_CURVES * PM_X];
    size_t i, k, n = 0;
    json_array_foreach(curves, i, curve)
    {
        json_array_foreach(json_object_get(curve, "points"), k, p)
        {
            double x = json_real_value(json_object_get(p, "x"));
            size_t at = 0;
            while (at < n && xs[at] < x) at++;
            if (at < n && xs[at] == x) continue;
            memmove(xs + at + 1, xs + at, (n++ - at) * sizeof *xs);
            xs[at] = x;
        }
    }
    fprintf(out, "<details><summary>numbers</summary><div class=\"scroll\"><table><thead><tr>");
    cell("th", text(figure, "x"), out);
    json_array_foreach(curves, i, curve) cell("th", text(curve, "label"), out);
    json_array_foreach(json_object_get(figure, "ideal"), i, ideal) cell("th", text(ideal, "label"), out);
    fprintf(out, "</tr></thead><tbody>\n");
    for (size_t row = 0; row < n; row++) {
        fprintf(out, "<tr><td>%g</td>", xs[row]);
        json_array_foreach(curves, i, curve)
        {
            fprintf(out, "<td data-series=\"%s\" data-x=\"%g\">", text(curve, "series"), xs[row]);
            json_array_foreach(json_object_get(curve, "points"), k, p)
            {
                if (json_real_value(json_object_get(p, "x")) != xs[row]) continue;
                if (json_is_true(json_object_get(p, "unstable"))) fputs("unstable", out);
                else
                    fprintf(out, "%.3f &#177; %.3f", json_number_value(json_object_get(p, "mean")),
                            json_number_value(json_object_get(p, "half_width")));
                if (json_is_true(json_object_get(p, "hollow"))) fputs(" *", out);
            }
            fputs("</td>", out);
        }
        json_array_foreach(json_object_get(figure, "ideal"), i, ideal)
        {
            fputs("<td>", out);
            json_array_foreach(json_object_get(ideal, "points"), k,
                               p) if (json_real_value(json_object_get(p, "x")) == xs[row])
            {
                fprintf(out, "%.3f", json_number_value(json_object_get(p, "mean")));
                if (json_number_value(json_object_get(p, "half_width")) > 0)
                    fprintf(out, " &#177; %.3f", json_number_value(json_object_get(p, "half_width")));
            }
            fputs("</td>", out);
        }
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</tbody></table></div></details>\n");
}

static void figure_html(const json_t *figure, FILE *out)
{
    fprintf(out, "<section class=\"card\" id=\"%s\"><h2>", text(figure, "name"));
    put(text(figure, "title"), out);
    fputs("</h2><p class=\"quiet\">", out);
    put(text(figure, "caption"), out);
    fputs("</p><div class=\"panels\">\n", out);
    pm_draw(figure, 0, 0, out);
    if (json_is_true(json_object_get(figure, "log"))) pm_draw(figure, 1, 0, out);
    fputs("</div>\n", out);
    numbers(figure, out);
    fputs("</section>\n", out);
}

static void table_html(const json_t *table, FILE *out)
{
    size_t i, k;
    const json_t *row, *value;
    fprintf(out, "<section class=\"card\" id=\"%s\"><h2>", text(table, "name"));
    put(text(table, "title"), out);
    fputs("</h2><p class=\"quiet\">", out);
    put(text(table, "caption"), out);
    fputs("</p><div class=\"scroll\"><table><thead><tr>", out);
    json_array_foreach(json_object_get(table, "head"), k, value) cell("th", json_string_value(value), out);
    fputs("</tr></thead><tbody>\n", out);
    json_array_foreach(json_object_get(table, "rows"), i, row)
    {
        fputs("<tr>", out);
        json_array_foreach(row, k, value) cell("td", json_string_value(value), out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div></section>\n", out);
}

static void sentences_html(const json_t *rows, FILE *out)
{
    size_t i;
    const json_t *row;
    if (!json_array_size(rows)) return;
    fputs("<section class=\"card\" id=\"sentences\"><h2>S3's sentences, one by one</h2><p class=\"quiet\">The numbers "
          "in brackets are "
          "lines of S3's text. \"Same\" is: within 10 %, or both below one unit; \"slightly\": by 25 % at most. Here: "
          "load: value &#177; "
          "half of the 95 % interval. A load "
          "with ? is within its interval of the limit.</p><div class=\"scroll\"><table class=\"words\"><thead><tr>"
          "<th>S3</th><th>says</th><th>here</th><th>holds?</th></tr></thead><tbody>\n",
          out);
    json_array_foreach(rows, i, row)
    {
        fprintf(out, "<tr class=\"%.3s\">", text(row, "holds"));
        cell("td", text(row, "where"), out);
        cell("td", text(row, "says"), out);
        cell("td", text(row, "here"), out);
        cell("td", text(row, "holds"), out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div></section>\n", out);
}

static void page(const json_t *document, FILE *out)
{
    static const char mark[] = "@CURVES@";
    const char *place = strstr(curves_page, mark);
    size_t i;
    const json_t *o;
    fprintf(out, "%.*s", (int)(place - curves_page), curves_page);
    if (json_is_true(json_object_get(document, "quick")))
        fputs("<p class=\"card\">A quick look: few points, short runs, short warm-up, wide intervals.</p>\n", out);
    fputs("<nav class=\"card\"><a href=\"#sentences\">S3's sentences</a>", out);
    json_array_foreach(json_object_get(document, "figures"), i, o)
    {
        fprintf(out, " <a href=\"#%s\">%s</a>", text(o, "name"), text(o, "name"));
    }
    json_array_foreach(json_object_get(document, "tables"), i, o)
    {
        fprintf(out, " <a href=\"#%s\">%s</a>", text(o, "name"), text(o, "name"));
    }
    fputs("</nav>\n", out);
    json_array_foreach(json_object_get(document, "figures"), i, o) figure_html(o, out);
    json_array_foreach(json_object_get(document, "tables"), i, o) table_html(o, out);
    sentences_html(json_object_get(document, "sentences"), out);
    fputs(place + sizeof mark - 1, out);
}

/* ---- files ---- */

static void alone(const json_t *figure, FILE *out) { pm_draw(figure, 0, 1, out); }

/* A line for each sentence, for a README. */
static void lines(const json_t *document, FILE *out)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(document, "sentences"), i, row)
    {
        option_wrap(out, (unsigned)fprintf(out, "%-13s", text(row, "where")), 14, text(row, "says"));
        option_wrap(out, (unsigned)fprintf(out, "%14shere:", ""), 20, text(row, "here"));
        fprintf(out, "%14sholds: %s\n", "", text(row, "holds"));
    }
}

static int write_file(const json_t *o, const char *folder, const char *name, const char *end,
                      void (*print)(const json_t *, FILE *))
{
    char path[PM_PATH], part[PM_PATH + 8];
    int failed;
    snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
    snprintf(part, sizeof part, "%s.part", path);
    FILE *f = fopen(part, "w");
    if (f) print(o, f);
    failed = !f || ferror(f);
    if (f && fclose(f)) failed = 1;
    if (!failed && rename(part, path)) failed = 1;
    if (!failed) return 0;
    fprintf(stderr, "curves: %s cannot be written: %s\n", path, strerror(errno));
    if (f) unlink(part);
    return 1;
}

int pm_page_write(const pm_store *s, const pm_comparison *compared, const pm_effort *e, const char *folder)
{
    json_t *document = pm_page_document(s, compared, e);
    char path[PM_PATH];
    size_t i;
    const json_t *figure;
    unsigned below;
    int failed = !document;
    json_array_foreach(json_object_get(document, "figures"), i, figure)
    {
        failed |= write_file(figure, folder, text(figure, "name"), ".svg", alone);
    }
    failed |= write_file(document, folder, "curves", ".html", page);
    failed |= write_file(document, folder, "sentences", ".txt", lines);
    snprintf(path, sizeof path, "%s/curves.json", folder);
    failed |= results_write(document, path) ? 1 : 0;
    json_t *bound = pm_lower_bound(s, e, &below);
    if (below) fprintf(stderr, "curves: means lie below the ideal switch's: %s\n", text(bound, "here"));
    json_decref(bound);
    return failed || below;
}
