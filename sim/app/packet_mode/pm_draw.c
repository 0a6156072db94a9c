/* A figure of curves.json as SVG: axes, curves with intervals, the ideal as a thin line, points that are not exact
 * enough hollow. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "sim/app/packet_mode/pm_page.h"

enum {
    WIDTH = 480,
    HEIGHT = 340,
    LEFT = 50,
    RIGHT = 14,
    TOP = 30 /* with a line of names above */,
    BOTTOM = 42,
    LINE = 15 /* from a line of names to the next one */
};

/* For a file of its own; on the page the colours are those of the page. */
static const char style[] =
    "<style>svg{--text:#1b2230;--quiet:#647085;--line:#d5dae2;--c0:#2f74d0;--c1:#c96f12;--c2:#1f8a5b;--c3:#8a4fc0;--c4:"
    "#c0392b;--c5:#"
    "c2187a;"
    "background:#fff}@media(prefers-color-scheme:dark){svg{--text:#e4e9f1;--quiet:#93a0b4;--line:#343e4c;--c0:#6aa5f5;-"
    "-c1:#eea04a;"
    "--c2:#53c796;--c3:#b98cec;--c4:#f07a6a;--c5:#f06ab8;background:#1a2029}}"
    ".plot text{fill:var(--quiet);font:11px system-ui,'DejaVu Sans',sans-serif}.plot .name{fill:var(--text)}"
    ".plot path,.plot line{fill:none;stroke-width:1}.plot .grid{stroke:var(--line)}.plot .ideal{stroke:var(--quiet)}"
    ".plot .c0{--c:var(--c0)}.plot .c1{--c:var(--c1)}.plot .c2{--c:var(--c2)}.plot .c3{--c:var(--c3)}.plot "
    ".c4{--c:var(--c4)}.plot "
    ".c5{--c:var(--c5)}"
    ".plot .curve{stroke:var(--c);stroke-width:1.8}.plot .other{stroke-dasharray:6 3}.plot .bar{stroke:var(--c)}"
    ".plot circle{fill:var(--c);stroke:var(--c);stroke-width:1.5}.plot circle.hollow{fill:none}"
    ".plot .name tspan{fill:var(--c)}</style>";

typedef struct scale {
    double x0, x1, y0, y1;
    double top; /* of the panel, below the names */
    int log;
} scale;

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static double at_x(const scale *s, double x) { return LEFT + (x - s->x0) / (s->x1 - s->x0) * (WIDTH - LEFT - RIGHT); }

/* Clipped to the panel: a value above it is drawn at its top. */
static double at_y(const scale *s, double y)
{
    double part =
        s->log ? (log10(fmax(y, s->y0)) - log10(s->y0)) / (log10(s->y1) - log10(s->y0)) : (y - s->y0) / (s->y1 - s->y0);
    return s->top + (1 - fmin(fmax(part, 0), 1.02)) * (HEIGHT - s->top - BOTTOM);
}

/* 1, 2 or 5 times a power of ten, not less than x. */
static double round_step(double x)
{
    double ten = pow(10, floor(log10(x)));
    return ten * (x <= ten ? 1 : x <= 2 * ten ? 2 : x <= 5 * ten ? 5 : 10);
}

static scale scale_of(const json_t *figure, int log)
{
    scale s = {.x1 = number(figure, "most_x"), .log = log};
    double least = INFINITY, most = 0;
    size_t i, k;
    const json_t *curve, *point;
    int throughput = !strcmp(json_string_value(json_object_get(figure, "measure")), "throughput");
    json_array_foreach(json_object_get(figure, "curves"), i, curve)
    {
        json_array_foreach(json_object_get(curve, "points"), k, point)
        {
            double y = number(point, "mean");
            if (isnan(y)) continue;
            if (y > 0) least = fmin(least, y);
            /* in heavy traffic a curve leaves a linear picture at its top, as in S3's day */
            if (log || throughput || number(point, "x") < 0.92) most = fmax(most, y);
        }
    }
    json_array_foreach(json_object_get(figure, "ideal"), i, curve)
    {
        json_array_foreach(json_object_get(curve, "points"), k, point) least = fmin(least, number(point, "mean"));
    }
    if (most <= 0) most = 1;
    if (throughput) {
        s.y0 = fmin(0.5, floor(10 * least) / 10);
        s.y1 = 1;
    } else if (log) {
        s.y0 = pow(10, floor(log10(fmax(fmin(least, most), 0.1))));
        s.y1 = pow(10, ceil(log10(most * 1.001)));
        if (s.y1 <= s.y0) s.y1 = 10 * s.y0;
    } else s.y1 = 1.08 * most;
    return s;
}

static void axes(const json_t *figure, const scale *s, FILE *out)
{
    double step = round_step((s->x1 - s->x0) / 6), right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM;
    const char *measure = json_string_value(json_object_get(figure, "measure"));
    for (double x = s->x0; x < s->x1 + step / 2; x += step) {
        fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.1f\"/>", at_x(s, x), at_x(s, x),
                s->top, bottom);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", at_x(s, x), bottom + 14,
                round(x * 100) / 100);
    }
    step = s->log ? 10 : round_step((s->y1 - s->y0) / 6);
    for (double y = s->y0; y < s->y1 * 1.0001; y = s->log ? y * step : y + step) {
        fprintf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, right, at_y(s, y),
                at_y(s, y));
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 5, at_y(s, y) + 4,
                round(y * 1000) / 1000);
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (LEFT + right) / 2, HEIGHT - 8,
            json_string_value(json_object_get(figure, "x")));
    fprintf(out, "<text transform=\"translate(12 %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            (s->top + bottom) / 2,
            strcmp(measure, "throughput") ? "delay / 512 byte times" : "words per line and clock");
}

typedef struct pen {
    double x, y;
    int down;
} pen;

/* Draws to the next point of a line; above a linear panel the line is cut off where it leaves it. */
static void draw_to(const scale *s, pen *p, double x, double y, FILE *out)
{
    double top = s->log ? INFINITY : s->y0 + 1.02 * (s->y1 - s->y0);
    const char *to = p->down && p->y <= top ? "L" : "M";
    if (p->down && (y > top) != (p->y > top))
        fprintf(out, "%s%.1f %.1f", to, at_x(s, p->x + (top - p->y) / (y - p->y) * (x - p->x)), at_y(s, top)), to = "L";
    if (y <= top) fprintf(out, "%s%.1f %.1f", to, at_x(s, x), at_y(s, y));
    *p = (pen){x, y, 1};
}

static void points(const json_t *curve, const scale *s, FILE *out)
{
    size_t k;
    const json_t *p;
    const char *label = json_string_value(json_object_get(curve, "label"));
    pen line = {0};
    fprintf(out, "<path class=\"curve%s\" d=\"", json_is_true(json_object_get(curve, "other")) ? " other" : "");
    json_array_foreach(json_object_get(curve, "points"), k, p)
    {
        if (!isnan(number(p, "mean"))) draw_to(s, &line, number(p, "x"), number(p, "mean"), out);
    }
    fprintf(out, "\"/>\n");
    json_array_foreach(json_object_get(curve, "points"), k, p)
    {
        double x = at_x(s, number(p, "x")), y = number(p, "mean"), off = number(p, "half_width");
        if (json_is_true(json_object_get(p, "unstable"))) {
            fprintf(out,
                    "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\" class=\"name\"><tspan>&#215;</tspan><title>%s, "
                    "%g: unstable"
                    "</title></text>\n",
                    x, s->top + 8, label, number(p, "x"));
            continue;
        }
        if (isnan(y) || at_y(s, y) < s->top) continue;
        if (!isnan(off))
            fprintf(out, "<line class=\"bar\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x,
                    at_y(s, y - off), at_y(s, y + off));
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"%s><title>%s, %g: %.3g &#177; %.2g</title></circle>\n",
                x, at_y(s, y), json_is_true(json_object_get(p, "hollow")) ? " class=\"hollow\"" : "", label,
                number(p, "x"), y, off);
    }
}

/* Nearly, and not less: fonts differ. */
static double width_of(const char *name)
{
    double width = 0;
    for (; *name; name++)
        width += (*name >= 'A' && *name <= 'Z') || strchr("_=mw", *name) ? 9 : strchr(" ,.ijl", *name) ? 4.2 : 7;
    return width;
}

/* A name behind the others, or in a new line if there is no room for it. Returns where the next one begins. */
static double put_name(double x, unsigned *lines, const char *mark, const char *name, const char *colour, FILE *out)
{
    double width = width_of(name) + 16;
    if (x > LEFT && x + width > WIDTH - RIGHT) x = LEFT, ++*lines;
    if (out)
        fprintf(out, "<tspan %s x=\"%.0f\" y=\"%u\">%s %s</tspan>", colour, x, 16 + LINE * (*lines - 1), mark, name);
    return x + width + 6;
}

/* The legend. Returns its number of lines; without `out` nothing is drawn. */
static unsigned put_names(const json_t *figure, FILE *out)
{
    unsigned lines = 1;
    double x = LEFT;
    size_t i;
    const json_t *curve;
    if (out) fprintf(out, "<text class=\"name\">");
    json_array_foreach(json_object_get(figure, "curves"), i, curve)
    {
        char colour[20];
        snprintf(colour, sizeof colour, "class=\"c%d\"",
                 (int)json_integer_value(json_object_get(curve, "colour")) % 10);
        x = put_name(x, &lines, json_is_true(json_object_get(curve, "other")) ? "- -" : "&#9679;",
                     json_string_value(json_object_get(curve, "label")), colour, out);
    }
    json_array_foreach(json_object_get(figure, "ideal"), i, curve)
    {
        const char *label = json_string_value(json_object_get(curve, "label"));
        x = put_name(x, &lines, i ? "- -" : "&#8212;", label, "style=\"fill:var(--quiet)\"", out);
    }
    if (out) fprintf(out, "</text>\n");
    return lines;
}

static void panel(const json_t *figure, int log, FILE *out)
{
    scale s = scale_of(figure, log);
    size_t i, k;
    const json_t *curve, *point, *ideal;
    s.top = TOP + LINE * (put_names(figure, NULL) - 1);
    fprintf(out, "<g class=\"plot\">\n");
    axes(figure, &s, out);
    json_array_foreach(json_object_get(figure, "ideal"), i, ideal)
    {
        pen line = {0};
        fprintf(out, "<path class=\"ideal%s\" d=\"", i ? " other" : "");
        json_array_foreach(json_object_get(ideal, "points"), k, point)
            draw_to(&s, &line, number(point, "x"), number(point, "mean"), out);
        fprintf(out, "\"/>\n");
    }
    put_names(figure, out);
    json_array_foreach(json_object_get(figure, "curves"), i, curve)
    {
        fprintf(out, "<g class=\"c%d\">", (int)json_integer_value(json_object_get(curve, "colour")));
        points(curve, &s, out);
        fprintf(out, "</g>\n");
    }
    fprintf(out, "</g>\n");
}

void pm_draw(const json_t *figure, int logarithmic, int alone, FILE *out)
{
    int both = alone && json_is_true(json_object_get(figure, "log"));
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s%s\">\n",
            both ? 2 * WIDTH : WIDTH, HEIGHT, json_string_value(json_object_get(figure, "title")),
            logarithmic ? ", logarithmic" : "");
    if (alone) fputs(style, out);
    panel(figure, logarithmic, out);
    if (both) {
        fprintf(out, "<g transform=\"translate(%d 0)\">\n", WIDTH);
        panel(figure, 1, out);
        fprintf(out, "</g>\n");
    }
    fprintf(out, "</svg>\n");
}
