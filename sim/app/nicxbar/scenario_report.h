/* Results of a scenario, as a table and as JSON. */
#ifndef SIM_APP_NICXBAR_SCENARIO_REPORT_H
#define SIM_APP_NICXBAR_SCENARIO_REPORT_H

#include <stdio.h>

#include "sim/traffic/scenario/scenario.h"

struct json_t;

/* One line per row; for the last row also each flow, up to 8 nodes; what each of several paths carried in all rows. */
void scenario_table(const scenario *x, FILE *f);
/* The latter alone, in one line; nothing with one path. */
void scenario_paths_line(const scenario *x, FILE *f);
struct json_t *scenario_json(const scenario *x);
/* The same of any run, as a table and as JSON. */
void paths_table(const paths_report *p, FILE *f);
struct json_t *paths_json(const paths_report *p);
/* The largest deviation of any receiver of the row, NAN if none has several senders. */
double scenario_unfairness(const scenario_row *row, unsigned nodes, int bytes);

#endif
