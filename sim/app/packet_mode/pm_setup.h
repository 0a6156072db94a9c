/* A run by names, as options give it; its parameters for pm_run; its result as JSON. */
#ifndef SIM_APP_PACKET_MODE_PM_SETUP_H
#define SIM_APP_PACKET_MODE_PM_SETUP_H

#include "sim/app/packet_mode/pm_run.h"
#include "sim/traffic/workload/option.h"

typedef struct pm_architecture {
    const char *name, *words;
    /* Of 16 ports, of 4; the same with two priorities and sets of outputs; with SPLIT. Then one of other ports of each
     * kind. NULL: there is none. */
    const sim_config *model[9];
} pm_architecture;

typedef struct pm_setup {
    const char *arch, *sizes, *pattern, *arrivals;
    const char *cells; /* "0", "1" or "padded" */
    double load, part;
    unsigned ports, hot;
    uint64_t clocks, warmup, seed; /* warmup UINT64_MAX: as pm_setup_warmup says */
    unsigned priorities;           /* 1 or 2 */
    double high_load;              /* of high priority, `load` is of low then */
    double multicast;              /* the part of the packets that name several outputs: ... */
    unsigned fanout;               /* ... number of outputs, drawn at random; 0: 4; ... */
    const char *set;               /* ... or these: "0,2,3"; NULL: drawn */
    unsigned copies, split;        /* the source sends copies; units go to those outputs first that have room */
} pm_setup;

/* All but the architecture. */
pm_setup pm_setup_default(void);
/* A tenth of the window, 200000 clocks at least. */
uint64_t pm_setup_warmup(uint64_t clocks);
/* Checks the options. `architectures`: an entry without a name ends the table. 0, or -1: "name value: expected ..." in
 * `error`. */
int pm_setup_params(const pm_setup *s, const pm_architecture *architectures, pm_run_params *p,
                    char error[OPTION_ERROR]);
/* The switch for it, of an architecture; NULL: this program has none. */
const sim_config *pm_setup_model(const pm_setup *s, const pm_architecture *a);
struct json_t *pm_setup_json(const pm_setup *s);
/* Numbers that do not exist (NAN) are null. `priority`: results of low and of high priority alone, if there are two. */
struct json_t *pm_result_json(const pm_setup *s, const pm_result *r, const pm_result *priority);

#endif
