#include "sim/traffic/workload/option.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/sim.h"

enum { HELP_INDENT = 28, HELP_COLUMNS = 120 };

/* ---- numbers ---- */

int option_get_real(const char *text, double least, double most, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return !errno && end != text && !*end && *value >= least && *value <= most &&
           strspn(text, "0123456789.") == strlen(text);
}

int option_get_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;
    int hex = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2);
    errno = 0;
    *value = strtoull(text, &end, hex ? 16 : 10);
    return !errno && end != text && !*end && isdigit((unsigned char)*text) && *value >= least && *value <= most;
}

/* ---- kinds of fields ---- */

int option_flag(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    (void)o;
    (void)value;
    (void)error;
    *(int *)field = 1;
    return 0;
}

int option_text(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    (void)o;
    (void)error;
    *(const char **)field = value;
    return 0;
}

/* 1 if the text is one of the names "a, b or c". */
static int is_one_of(const char *value, const char *names)
{
    size_t length = strcspn(value, " ,");
    if (!length || value[length] || !strcmp(value, "or")) return 0;
    for (const char *at = names; (at = strstr(at, value)); at += length)
        if ((at == names || at[-1] == ' ') && (!at[length] || at[length] == ' ' || at[length] == ',')) return 1;
    return 0;
}

int option_choice(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    (void)error;
    if (!is_one_of(value, o->expected)) return -1;
    *(const char **)field = value;
    return 0;
}

static int say_range(const option *o, const char *what, uint64_t most, char *error)
{
    if (o->expected && o->most > 0 && !strstr(o->expected, " to "))
        snprintf(error, OPTION_ERROR, "%s, %.15g to %.15g", o->expected, o->least, o->most);
    else if (o->expected) return -1;
    else snprintf(error, OPTION_ERROR, "%s from %.15g to %llu", what, o->least, (unsigned long long)most);
    return -1;
}

int option_whole(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    uint64_t number, most = o->most > 0 ? (uint64_t)o->most : o->size == sizeof(uint64_t) ? UINT64_MAX : UINT32_MAX;
    int list = o->expected && isdigit((unsigned char)*o->expected) && strstr(o->expected, " or ");
    if (list && !is_one_of(value, o->expected)) return -1;
    if (!option_get_whole(value, (uint64_t)o->least, most, &number)) return say_range(o, "a number", most, error);
    if (o->size == sizeof(uint64_t)) *(uint64_t *)field = number;
    else *(unsigned *)field = (unsigned)number;
    return 0;
}

int option_real(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    return option_get_real(value, o->least, o->most, field) ? 0 : say_range(o, "a number", (uint64_t)o->most, error);
}

int option_time(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    double us;
    if (!option_get_real(value, o->least, o->most, &us)) return say_range(o, "microseconds", (uint64_t)o->most, error);
    *(sim_time *)field = (sim_time)(us * (double)SIM_US);
    return 0;
}

/* ---- rows ---- */

const option *option_find(const option *table, const char *name)
{
    for (; table->name || table->help; table++)
        if (table->name && !strcmp(table->name, name)) return table;
    return NULL;
}

int option_complain(char error[OPTION_ERROR], const char *name, const char *value, const char *expected)
{
    snprintf(error, OPTION_ERROR, "%.80s%s%.80s: expected %s", name, *value ? " " : "", value, expected);
    return -1;
}

void (*option_refused)(const char *text);

void option_refuse(const char *program, const char *text)
{
    if (option_refused) option_refused(text);
    fprintf(stderr, "%s: %s\n", program, text);
    exit(2);
}

int option_set(const option *o, void *owner, const char *value, char error[OPTION_ERROR])
{
    char expected[OPTION_ERROR] = "";
    if (!o->set || (!value && o->argument)) return 0;
    if (!o->set(o, (char *)owner + o->at, value, expected)) return 0;
    return option_complain(error, o->name, value, *expected ? expected : o->expected);
}

int option_arguments(const option *table, void *owner, int argc, char **argv, char error[OPTION_ERROR])
{
    char name[64];
    for (int k = 1; k < argc; k++) {
        size_t length = strcspn(argv[k], "=");
        snprintf(name, sizeof name, "%.*s", (int)length, argv[k]);
        const option *row = option_find(table, !strncmp(name, "--", 2) ? name + 2 : "");
        if (row && !*row->name) {
            if (option_set(row, owner, argv[k], error)) return -1;
            continue;
        }
        int behind = argv[k][length] == '='; /* --name=value */
        if (!row) return option_complain(error, argv[k], "", "an option; --help says which there are");
        if (behind && !row->argument) return option_complain(error, row->name, "", "no value");
        if (row->argument && !behind && k + 1 == argc)
            return option_complain(error, row->name, "", row->expected ? row->expected : row->argument);
        const char *value = behind ? argv[k] + length + 1 : row->argument ? argv[++k] : NULL;
        if (option_set(row, owner, value, error)) return -1;
    }
    return 0;
}

void option_wrap(FILE *f, unsigned used, unsigned indent, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        if (used > indent && used + 1 + length > HELP_COLUMNS) {
            fprintf(f, "\n");
            used = 0;
        }
        used += (unsigned)fprintf(f, "%*s%.*s", used < indent ? (int)(indent - used) : 1, "", (int)length, text);
        text += length + strspn(text + length, " ");
    }
    fprintf(f, "\n");
}

void option_help(const option *o, FILE *f)
{
    if (!o->name) {
        fprintf(f, "%s\n", o->help);
        return;
    }
    const char *space = !o->argument || !strncmp(o->argument, "[=", 2) ? "" : " ";
    int used = fprintf(f, *o->name ? "  --%s%s%s" : " %s%s%s", o->name, space, o->argument ? o->argument : "");
    option_wrap(f, (unsigned)used, HELP_INDENT, o->help);
}

void option_help_table(const option *table, const char *program, FILE *f)
{
    fprintf(f, "%s\n\n", program);
    for (; table->name || table->help; table++) option_help(table, f);
}
