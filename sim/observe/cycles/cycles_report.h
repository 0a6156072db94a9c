/* Output of `make cycles` (core/kernel/cycles.h), all of it from one JSON document:
 *
 *     {"format": CYCLES_FORMAT, "system": what was run, in words,
 *      "simulations": [{"name", "from_ps", "to_ps", "slice_ps", "windows": [[from, to] ...], "links": [[path, path]
 * ...], "clocks": [{"name", "period_ps", "slices": [clocks ...]} ...], "instances": [{"model", "path", "side",
 * "module", "clock", "by", "clocks", "busy", "stalled", "idle", "reasons": {name: clocks}, "operations", "open",
 * "latency": histogram, "level": histogram, "machines": [{"name", "clocks": {state: clocks}} ...], "slices_busy":
 * [...], "slices_stalled": [...]} ...]} ...]}
 *
 * "by" says by what a module without probes is counted. Clocks are those of an instance's own clock in the windows, but
 * slices are of the whole run. Values that a module does not declare are absent; slices of one that is idle from start
 * to end neither. A histogram is what histogram_json (runtime/histogram.h) says. */
#ifndef SIM_OBSERVE_CYCLES_CYCLES_REPORT_H
#define SIM_OBSERVE_CYCLES_CYCLES_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "sim/observe/cycles/cycles_names.h"

enum { CYCLES_ERROR = 600 };

/* A document without simulations. The caller owns it. */
json_t *cycles_document(const char *system);

/* The table on the screen, sorted by a key of CYCLES_SORTS: rows in hierarchy order ("name") or the largest first, idle
 * rows folded, states, totals of each module. */
void cycles_table(const json_t *document, const char *sort, FILE *out);

/* With the file PATH.json come PATH.csv, a line for each instance, and PATH.html, a page that needs nothing else. 0, or
 * -1: one of them could not be written (said on stderr). */
int cycles_files(const json_t *document, const char *json_path);

/* The document in a file of results: itself, or its member "cycles". NULL: error says what is wrong with it, and what
 * was expected. */
json_t *cycles_read(const char *path, char error[CYCLES_ERROR]);
/* The same, to compare with a run of this system; another one is refused. */
json_t *cycles_base(const char *path, const char *system, char error[CYCLES_ERROR]);
/* Prints what has moved by more than the threshold, shares of clocks in points, the rest in percent; and what only one
 * of them has. Returns how many values have moved so far. */
unsigned cycles_compare(const json_t *document, const json_t *base, double threshold, FILE *out);

/* ---- for the files of this folder: a row of the document as numbers */

typedef struct {
    const json_t *o;
    const char *model, *path, *side, *module;
    char name[256]; /* model.path, and :side */
    double clocks, busy, stalled, idle, operations;
    const json_t *latency, *level; /* NULL: none, or no value */
} cycles_row;

cycles_row cycles_row_of(const json_t *instance);
double cycles_number(const json_t *o, const char *key);
/* In percent of its clocks. */
double cycles_share(const cycles_row *r, double clocks);

#endif
