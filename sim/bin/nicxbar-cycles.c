/* nicxbar-cycles: shows a result of make cycles again, and joins those of tests (make cycles TEST=...). */
#include "nx_program.h"
#include "sim/observe/cycles/cycles_report.h"

#include "sim/traffic/workload/option.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct words {
    const char **at;
    int count;
} words;

typedef struct options {
    words words;
    const char *sort, *base, *system, *json;
    double threshold;
    int join, help;
} options;

static int add_word(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    words *w = field;
    (void)o, (void)error;
    w->at[w->count++] = value;
    return 0;
}

/* clang-format off */
static const option table[] = {
    {"", "RESULT", 0, add_word, OPTION_FIELD(options, words), 0, 0, NULL, "result of make cycles (build/cycles.json), shown as a table"},
    {"join", NULL, 0, OPTION_FLAG(options, join), 0, 0, NULL,
        "one result of all simulations, by name; the words are folders with their JSON files"},
    {"system", "TEXT", 0, OPTION_TEXT(options, system), 0, 0, NULL, "with --join: description of the run"},
    RUN_COMPARE(0, options, "", CYCLES_SORTS),
    {"json", "FILE", 0, OPTION_TEXT(options, json), 0, 0, NULL, "file of the result; also as .csv and .html"},
    RUN_HELP(options),
    {0},
};
/* clang-format on */

static void __attribute__((format(printf, 1, 2), noreturn)) refuse(const char *format, ...)
{
    char text[CYCLES_ERROR + OPTION_ERROR];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    option_refuse("nicxbar-cycles", text);
}

static int is_json(const struct dirent *d)
{
    const char *dot = strrchr(d->d_name, '.');
    return dot && !strcmp(dot, ".json");
}

/* Simulations of a folder; one that a test did not finish writing is left out. */
static void join(json_t *document, const char *folder)
{
    struct dirent **list;
    int count = scandir(folder, &list, is_json, alphasort);
    if (count < 0) refuse("--join %s: expected a folder that can be read", folder);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        json_t *simulation = json_load_file(path, 0, NULL);
        if (simulation) json_array_append_new(json_object_get(document, "simulations"), simulation);
        free(list[i]);
    }
    free(list);
}

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    options o = {.words.at = calloc((size_t)argc, sizeof *o.words.at), .sort = "name", .system = "", .threshold = 5};
    char error[CYCLES_ERROR];
    if (!o.words.at) refuse("out of memory");
    if (option_arguments(table, &o, argc, argv, error)) refuse("%s", error);
    if (o.help) {
        option_help_table(table, "nicxbar-cycles: shows results of make cycles", stdout);
        return 0;
    }
    const char *const *word = o.words.at;
    if (!o.words.count || (!o.join && o.words.count > 1))
        refuse("expected %s; --help says more", o.join ? "a folder" : "one file");
    json_t *document = o.join ? cycles_document(o.system) : cycles_read(*word, error), *before = NULL;
    if (!document) refuse("%s: %s", *word, error);
    for (int i = 0; o.join && i < o.words.count; i++) join(document, word[i]);
    free(o.words.at);
    if (o.base && !(before = cycles_base(o.base, json_string_value(json_object_get(document, "system")), error)))
        refuse("--base %s: %s", o.base, error);
    cycles_table(document, o.sort, stdout);
    int bad = before && cycles_compare(document, before, o.threshold, stdout) > 0;
    if (o.json && (json_dump_file(document, o.json, JSON_INDENT(1)) || cycles_files(document, o.json))) bad = 1;
    if (o.json) printf("results in %s, the same as .csv and .html\n", o.json);
    json_decref(before);
    json_decref(document);
    return fflush(stdout) || bad;
}
