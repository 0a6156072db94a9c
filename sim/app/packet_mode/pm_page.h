/* Output of make curves: curves.json, and from it an SVG for each figure and the page curves.html.
 *
 *     { "format": PM_CURVES_FORMAT, "quick": bool, "seed": N, "clocks": simulated,
 *       "figures": [ { "name", "title", "caption", "measure", "x": "load" or "exponent", "most_x", "log": bool,
 *                      "curves": [ { "label", "series", "arch",
 *                                    "points": [ { "x", "mean", "half_width", "plain", "plain_half_width", "windows",
 *                                                  "hollow", "unstable" } ] } ],
 *                      "ideal": [ { "label", "arrivals", "points": [ { "x", "mean", "half_width" } ] } ] } ],
 *       "tables": [ { "name", "title", "caption", "head": [text], "rows": [[text]] } ],
 *       "sentences": [ { "where", "says", "here", "holds" } ] }
 *
 * Delays are in units of 512 byte times (64 clocks). A point that is unstable has no mean. */
#ifndef SIM_APP_PACKET_MODE_PM_PAGE_H
#define SIM_APP_PACKET_MODE_PM_PAGE_H

#include "sim/app/packet_mode/pm_figures.h"

#define PM_CURVES_FORMAT "nicxbar curves 2"

/* Another module in a plug-in point of an architecture, drawn with the default for comparison. */
typedef struct pm_comparison {
    const pm_store *store;
    const char *arch, *words;
} pm_comparison;

/* Of all points measured. `compared`: NULL, or curves for comparison. */
json_t *pm_page_document(const pm_store *s, const pm_comparison *compared, const pm_effort *e);
/* Writes the files into this folder. 0, or 1 with a text on stderr; also 1, with files written, if a mean is below the
 * ideal's. */
int pm_page_write(const pm_store *s, const pm_comparison *compared, const pm_effort *e, const char *folder);

/* Rows of "sentences" and "tables", pm_sentences.c and pm_tables.c. */
json_t *pm_sentences(const pm_store *s, const pm_effort *e);
json_t *pm_tables(const pm_store *s, const pm_comparison *compared, const pm_effort *e);
/* The row that says whether a mean lies below the ideal switch's. NULL: there is none to compare; `below`: how many do,
 * by more than chance explains. */
json_t *pm_lower_bound(const pm_store *s, const pm_effort *e, unsigned *below);

/* A figure as an SVG, pm_draw.c. Panels: linear, and logarithmic if the figure is to be. */
void pm_draw(const json_t *figure, int logarithmic, int alone, FILE *out);

#endif
