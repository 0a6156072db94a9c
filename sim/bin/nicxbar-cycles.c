/* nicxbar-cycles: shows what was counted, without running it again (make cycles TEST=... puts the simulations of its tests together by it).
 */
#include "nx_program.h"
#include "sim/observe/cycles/cycles_report.h"

#include <dirent.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char usage[] =
    "usage: nicxbar-cycles [options] RESULT            table of a result of make cycles (build/cycles.json)\n"
    "       nicxbar-cycles [options] --join FOLDER...  one result of all simulations (JSON files) in FOLDERs, by name\n"
    "  --sort KEY        sort key: " CYCLES_SORTS " (default name)\n"
    "  --base PATH       older result to compare with\n"
    "  --threshold N     limit: N percentage points of a share, N % of another value (default 5)\n"
    "  --system TEXT     with --join: description of the run\n"
    "  --json PATH       file of the result; also as .csv and .html\n";

static void __attribute__((format(printf, 1, 2), noreturn)) refuse(const char *format, ...)
{
    va_list list;
    fprintf(stderr, "nicxbar-cycles: ");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    exit(2);
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
    static const struct option options[] = {
        {"sort", 1, NULL, 's'}, {"base", 1, NULL, 'b'}, {"threshold", 1, NULL, 't'}, {"system", 1, NULL, 'y'},
        {"json", 1, NULL, 'o'}, {"join", 0, NULL, 'j'}, {"help", 0, NULL, 'h'},      {0}};
    const char *sort = "name", *base = NULL, *system = "", *json = NULL;
    char error[CYCLES_ERROR], *end;
    double threshold = 5;
    int joined = 0, c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) switch (c) {
        case 's':
            sort = optarg;
            break;
        case 'b':
            base = optarg;
            break;
        case 'y':
            system = optarg;
            break;
        case 'o':
            json = optarg;
            break;
        case 'j':
            joined = 1;
            break;
        case 't':
            threshold = strtod(optarg, &end);
            if (*end || end == optarg || !(threshold >= 0)) refuse("--threshold %s: expected a number, 0 or more", optarg);
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    if (!cycles_is_sort(sort)) refuse("--sort %s: expected %s", sort, CYCLES_SORTS);
    if (optind == argc || (!joined && optind + 1 != argc)) refuse("expected %s; --help says more", joined ? "a folder" : "one file");
    json_t *document = joined ? cycles_document(system) : cycles_read(argv[optind], error), *before = NULL;
    if (!document) refuse("%s: %s", argv[optind], error);
    for (int i = optind; joined && i < argc; i++) join(document, argv[i]);
    if (base && !(before = cycles_base(base, json_string_value(json_object_get(document, "system")), error)))
        refuse("--base %s: %s", base, error);
    cycles_table(document, sort, stdout);
    int bad = before && cycles_compare(document, before, threshold, stdout) > 0;
    if (json && (json_dump_file(document, json, JSON_INDENT(1)) || cycles_files(document, json))) bad = 1;
    if (json) printf("results in %s, the same as .csv and .html\n", json);
    json_decref(before);
    json_decref(document);
    return fflush(stdout) || bad;
}
