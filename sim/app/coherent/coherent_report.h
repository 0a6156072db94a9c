/* What a run has to say: tables on the screen, JSON. */
#ifndef SIM_APP_COHERENT_COHERENT_REPORT_H
#define SIM_APP_COHERENT_COHERENT_REPORT_H

#include <jansson.h>

#include "sim/app/coherent/coherent_run.h"

void coherent_report_print(const coherent_run *r, FILE *out);
/* {"system", "program", "lines": {name: {"value", "unit"}}, "processors": [...], "caches": [...],
 * "interconnects": [...], "memories": [...], "simulated_us"} */
json_t *coherent_report_json(const coherent_run *r);

#endif
