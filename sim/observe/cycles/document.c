/* The document, and files made of it. */
#include "sim/observe/cycles/cycles_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cycles_page.h"

json_t *cycles_document(const char *system)
{
    return json_pack("{s:s, s:s, s:[]}", "format", CYCLES_FORMAT, "system", system, "simulations");
}

double cycles_number(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

/* A histogram that has values. */
static const json_t *values(const json_t *o, const char *key)
{
    const json_t *h = json_object_get(o, key);
    return cycles_number(h, "count") > 0 ? h : NULL;
}

static const char *text(const json_t *o, const char *key)
{
    const char *value = json_string_value(json_object_get(o, key));
    return value ? value : "";
}

cycles_row cycles_row_of(const json_t *o)
{
    cycles_row r = {.o = o,
                    .model = text(o, "model"),
                    .path = text(o, "path"),
                    .side = text(o, "side"),
                    .module = text(o, "module"),
                    .clocks = cycles_number(o, "clocks"),
                    .busy = cycles_number(o, "busy"),
                    .stalled = cycles_number(o, "stalled"),
                    .idle = cycles_number(o, "idle"),
                    .operations = cycles_number(o, "operations"),
                    .latency = values(o, "latency"),
                    .level = values(o, "level")};
    snprintf(r.name, sizeof r.name, "%s.%s%s%s", r.model, r.path, *r.side ? ":" : "", r.side);
    return r;
}

double cycles_share(const cycles_row *r, double clocks) { return r->clocks > 0 ? 100 * clocks / r->clocks : 0; }

/* ---- reading ---- */

/* What a message repeats of a text: up to 200 characters of its first line. */
static int shown(const char *value)
{
    size_t length = strcspn(value, "\n\r");
    return length < 200 ? (int)length : 200;
}

json_t *cycles_read(const char *path, char error[CYCLES_ERROR])
{
    json_error_t wrong;
    json_t *all = json_load_file(path, 0, &wrong);
    const json_t *list = json_object_get(all, "cycles");
    json_t *document = json_incref(json_is_object(list) ? (json_t *)list : all);
    const char *format = text(document, "format");
    if (!all)
        snprintf(error, CYCLES_ERROR, "%s; expected a cycles.json that make cycles has written",
                 wrong.line > 0 ? "is no JSON, or it is cut off" : strerror(errno));
    else if (strcmp(format, CYCLES_FORMAT))
        snprintf(error, CYCLES_ERROR, "is %s%.*s%s; expected \"%s\", as make cycles of this version writes it",
                 *format               ? "\""
                 : json_is_array(list) ? "of a version before"
                                       : "no result of make cycles",
                 shown(format), format, *format ? "\"" : "", CYCLES_FORMAT);
    else if (!json_is_string(json_object_get(document, "system")))
        snprintf(error, CYCLES_ERROR, "has no \"system\"; expected it, as make cycles writes it");
    else {
        json_decref(all);
        return document;
    }
    json_decref(document);
    json_decref(all);
    return NULL;
}

json_t *cycles_base(const char *path, const char *system, char error[CYCLES_ERROR])
{
    json_t *base = cycles_read(path, error);
    if (!base || !strcmp(text(base, "system"), system)) return base;
    snprintf(error, CYCLES_ERROR, "is of another system, \"%.*s\"; expected \"%.200s\"", shown(text(base, "system")),
             text(base, "system"), system);
    json_decref(base);
    return NULL;
}

/* ---- files ---- */

static void csv(const json_t *document, FILE *out)
{
    size_t i, k, n;
    const json_t *simulation, *o;
    fprintf(out, "simulation,instance,side,module,clock,clocks,busy,stalled,idle,operations,open");
    static const char *const histograms[] = {"latency", "level"}, *const of[] = {"min", "mean", "median", "p99", "max"};
    for (k = 0; k < 2; k++)
        for (n = 0; n < 5; n++) fprintf(out, ",%s_%s", histograms[k], of[n]);
    fprintf(out, ",reasons,states\n");
    json_array_foreach(json_object_get(document, "simulations"), i, simulation)
    {
        json_array_foreach(json_object_get(simulation, "instances"), k, o)
        {
            static const char *const counts[] = {"clocks", "busy", "stalled", "idle", "operations", "open"};
            const char *key;
            const json_t *value, *machine;
            cycles_row r = cycles_row_of(o);
            fprintf(out, "\"%s\",%s.%s,%s,%s,%s", text(simulation, "name"), r.model, r.path, r.side, r.module,
                    text(o, "clock"));
            for (n = 0; n < 6; n++)
                if (json_object_get(o, counts[n])) fprintf(out, ",%.0f", cycles_number(o, counts[n]));
                else fprintf(out, ",");
            for (n = 0; n < 10; n++) {
                const json_t *h = n < 5 ? r.latency : r.level;
                if (h) fprintf(out, ",%.9g", cycles_number(h, of[n % 5]));
                else fprintf(out, ",");
            }
            const char *between = ",";
            if (!json_object_get(o, "reasons")) fprintf(out, ",");
            json_object_foreach((json_t *)json_object_get(o, "reasons"), key, value)
            {
                fprintf(out, "%s%s=%.0f", between, key, json_number_value(value));
                between = " ";
            }
            between = ",";
            if (!json_object_get(o, "machines")) fprintf(out, ",");
            json_array_foreach(json_object_get(o, "machines"), n, machine)
            {
                json_object_foreach(json_object_get(machine, "clocks"), key, value)
                {
                    fprintf(out, "%s%s%s%s=%.0f", between, text(machine, "name"), *text(machine, "name") ? "." : "",
                            key, json_number_value(value));
                    between = " ";
                }
            }
            fprintf(out, "\n");
        }
    }
}

/* The document in the place of a mark; `<` begins no tag there. */
static void page(const json_t *document, FILE *out)
{
    static const char mark[] = "@CYCLES@";
    const char *place = strstr(cycles_page, mark);
    char *data = json_dumps(document, JSON_COMPACT);
    fprintf(out, "%.*s", (int)(place - cycles_page), cycles_page);
    for (const char *at = data; at && *at; at++)
        if (*at == '<') fputs("\\u003c", out);
        else fputc(*at, out);
    fputs(place + sizeof mark - 1, out);
    free(data);
}

static int write_file(const json_t *document, const char *json_path, const char *end,
                      void (*print)(const json_t *, FILE *))
{
    const char *dot = strrchr(json_path, '.'), *slash = strrchr(json_path, '/');
    int stem = (int)(dot && (!slash || dot > slash) ? (size_t)(dot - json_path) : strlen(json_path)), failed;
    char path[4096], part[4104];
    snprintf(path, sizeof path, "%.*s%s", stem, json_path, end);
    snprintf(part, sizeof part, "%s.part", path);
    FILE *f = fopen(part, "w");
    int opened = f != NULL;
    if (f) print(document, f);
    failed = !f || ferror(f);
    if (f && fclose(f)) failed = 1;
    if (!failed && rename(part, path)) failed = 1;
    if (!failed) return 0;
    fprintf(stderr, "nicxbar: %s cannot be written: %s\n", path, strerror(errno));
    if (opened) unlink(part);
    return -1;
}

int cycles_files(const json_t *document, const char *json_path)
{
    int a = write_file(document, json_path, ".csv", csv), b = write_file(document, json_path, ".html", page);
    return a || b ? -1 : 0;
}
