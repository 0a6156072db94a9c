/* A run as a person says it, by names; what it is for pm_run; and its result as JSON. */
#ifndef SIM_PACKET_MODE_PM_SETUP_H
#define SIM_PACKET_MODE_PM_SETUP_H

#include <jansson.h>

#include "option.h"
#include "pm_run.h"

typedef struct pm_architecture {
    const char *name, *words;
    const sim_config *model[4]; /* of 16 ports, of 4; the same with SPLIT, NULL: there is none */
} pm_architecture;

typedef struct pm_setup {
    const char *arch, *sizes, *pattern, *arrivals;
    const char *cells; /* "0", "1" or "padded" */
    double load, part;
    unsigned ports, hot;
    uint64_t clocks, warmup, seed; /* warmup UINT64_MAX: as pm_setup_warmup says */
} pm_setup;

/* All but the architecture. */
pm_setup pm_setup_default(void);
/* A tenth of the window, 200000 clocks at least. */
uint64_t pm_setup_warmup(uint64_t clocks);
/* What is asked for, checked. `architectures`: behind the last one stands one without a name. 0, or -1: "name value: expected ..." in
 * `error`. */
int pm_setup_params(const pm_setup *s, const pm_architecture *architectures, pm_run_params *p, char error[OPTION_ERROR]);
json_t *pm_setup_json(const pm_setup *s);
/* Numbers that do not exist (NAN) are null. Of all, or of the packets of a priority: delays and throughput alone. */
json_t *pm_delays_json(const pm_result *r);
json_t *pm_result_json(const pm_setup *s, const pm_result *r);

#endif
