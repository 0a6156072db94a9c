/* Options by table: text in, a field of a struct or a complaint out.
 *
 *     static const option options[] = {
 *         {"nodes", "N", 0, OPTION_WHOLE(params, nodes), 2, 16, NULL, "nodes around the switch"},
 *         ...
 *         {0}};
 *     if (option_set(option_find(options, "nodes"), &p, "4", error)) ...
 *
 * A row is all there is to say of an option: parser, help text and variables of make come from it (sim/app/launcher).
 */
#ifndef SIM_TRAFFIC_WORKLOAD_OPTION_H
#define SIM_TRAFFIC_WORKLOAD_OPTION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { OPTION_ERROR = 400 };

typedef struct option_row option;
struct option_row {
    const char *
        name; /* NULL: a heading of the help text, or with no help the end of the table; "": words that are no option */
    const char *argument; /* NULL: none; "[X]": optional, "[=X]": optional and behind = */
    unsigned runs;        /* for the owner: where it means something */
    /* Stores the value. 0, or -1: the expectation is in `error`, or if that is empty in `expected`. NULL: the owner
     * only wants to know that the option is given. */
    int (*set)(const option *o, void *field, const char *value, char error[OPTION_ERROR]);
    size_t at, size;      /* of the field in the owner's struct */
    double least, most;   /* of a number; most 0: any */
    const char *expected; /* in words: "a node"; of a choice: the names, "zbt or sdram" */
    const char *help;
};

#define OPTION_FIELD(type, field) offsetof(type, field), sizeof(((type *)0)->field)
/* An int becomes 1. */
#define OPTION_FLAG(type, field) option_flag, OPTION_FIELD(type, field)
/* A const char * becomes the text. */
#define OPTION_TEXT(type, field) option_text, OPTION_FIELD(type, field)
/* The same, one of the names in `expected`. */
#define OPTION_CHOICE(type, field) option_choice, OPTION_FIELD(type, field)
/* An unsigned or uint64_t becomes a whole number, least to most; or one of those in `expected`, "8 or 64". */
#define OPTION_WHOLE(type, field) option_whole, OPTION_FIELD(type, field)
/* A double, without exponent. */
#define OPTION_REAL(type, field) option_real, OPTION_FIELD(type, field)
/* A sim_time; the text, `least` and `most` are microseconds. */
#define OPTION_TIME(type, field) option_time, OPTION_FIELD(type, field)

int option_flag(const option *o, void *field, const char *value, char error[OPTION_ERROR]);
int option_text(const option *o, void *field, const char *value, char error[OPTION_ERROR]);
int option_choice(const option *o, void *field, const char *value, char error[OPTION_ERROR]);
int option_whole(const option *o, void *field, const char *value, char error[OPTION_ERROR]);
int option_real(const option *o, void *field, const char *value, char error[OPTION_ERROR]);
int option_time(const option *o, void *field, const char *value, char error[OPTION_ERROR]);

/* ---- rows that several programs have. `runs` as in a row; `type`: the owner's struct, whose fields have the names of
 * the options */
/* clang-format off */
#define RUN_SEED(runs, type, field) {"seed", "N", runs, OPTION_WHOLE(type, field), 0, 0, "a number", "random seed (default 1)"}
#define RUN_JSON(type) {"json", "FILE", 0, OPTION_TEXT(type, json), 0, 0, NULL, "file of the results as JSON"}
#define RUN_HELP(type) {"help", NULL, 0, OPTION_FLAG(type, help), 0, 0, NULL, "this help"}
#define RUN_WAVES(runs, type) {"waves", "FILE", runs, OPTION_TEXT(type, waves), 0, 0, NULL, "file of waves (FST); programs in build/full only"}
#define RUN_WAVE_SCOPES(runs, type, such) \
    {"wave-scopes", "NAME,...", runs, OPTION_TEXT(type, wave_scopes), 0, 0, NULL, "instances to record: " such " (default all)"}
#define RUN_WAVE_TIMES(runs, type, such) \
    {"wave-from", "WHEN", runs, OPTION_TEXT(type, wave_from), 0, 0, NULL, \
        "start of recording: a time, 100us (20ns, 1.5ms), or an event: '" such "' (event.h)"}, \
    {"wave-to", "WHEN", runs, OPTION_TEXT(type, wave_to), 0, 0, NULL, "end of recording: a time or an event"}
#define RUN_INITIAL(runs, type) {"initial", "WHAT", runs, OPTION_CHOICE(type, initial), 0, 0, "0 or random", \
        "initial value of registers: random by the seed (default), or 0: then results are the same with every Verilator"}
/* `with`: "with cycles: ", or "". */
#define RUN_COMPARE(runs, type, with, sorts) \
    {"sort", "KEY", runs, OPTION_CHOICE(type, sort), 0, 0, sorts, \
        with "sort key of the table: " sorts ", largest first (default name: hierarchy order)"}, \
    {"base", "FILE", runs, OPTION_TEXT(type, base), 0, 0, NULL, \
        with "older result of the same system to compare with; an error if a value has moved too far"}, \
    {"threshold", "N", runs, OPTION_REAL(type, threshold), 0, 1000, NULL, \
        "limit for --base: N percentage points of a share, N % of another value (default 5)"}
#define RUN_CYCLES(runs, type, sorts) \
    {"cycles", NULL, runs, OPTION_FLAG(type, cycles), 0, 0, NULL, "in build/full: count clocks busy, stalled, idle of every module, " \
        "reasons, latency, levels, states: a table, JSON, CSV and a page (.html)"}, RUN_COMPARE(runs, type, "with cycles: ", sorts)
/* clang-format on */

/* The texts of numbers, whole: 0x for base 16. 1 if it is one, and within the limits. */
int option_get_real(const char *text, double least, double most, double *value);
int option_get_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/* NULL: there is no such row. */
const option *option_find(const option *table, const char *name);
/* Sets the option's field in `owner`; value NULL: none is given. 0, or -1 with "name value: expected ..." in `error`.
 */
int option_set(const option *o, void *owner, const char *value, char error[OPTION_ERROR]);
/* Stores a program's arguments, `--name [value]` or `--name=value` each, in `owner`. 0, or -1 with a text in `error`.
 */
int option_arguments(const option *table, void *owner, int argc, char **argv, char error[OPTION_ERROR]);
/* "name value: expected ...", with no value "name: expected ...", into error; returns -1. */
int option_complain(char error[OPTION_ERROR], const char *name, const char *value, const char *expected);
/* Prints an error of a program's options on stderr and exits with code 2; or calls `option_refused`. */
void option_refuse(const char *program, const char *text) __attribute__((noreturn));
extern void (*option_refused)(const char *text);
/* Name, argument and text of a row, or its heading. */
void option_help(const option *o, FILE *f);
/* Prints the help of a table below a line about the program. */
void option_help_table(const option *table, const char *program, FILE *f);
/* So many columns, then the text in lines of at most 120. `used`: columns that are printed already. */
void option_wrap(FILE *f, unsigned used, unsigned indent, const char *text);

#endif
