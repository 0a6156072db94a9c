/* Parameters of a scenario (scenario.h): options by name, and which of them exclude or need each other. */
#ifndef SIM_TRAFFIC_SCENARIO_SCENARIO_PARAMS_H
#define SIM_TRAFFIC_SCENARIO_SCENARIO_PARAMS_H

#include "sim/core/kernel/sim.h"
#include "sim/traffic/workload/option.h"
#include "sim/traffic/workload/pattern.h"

enum { SCENARIO_ROWS = 32, SCENARIO_ERROR = OPTION_ERROR };

/* Scenarios of remote queues, counters and words (sim/traffic/sync), which NICs with SYNC run. */
typedef enum sync_run { SYNC_QUEUE, SYNC_BARRIER, SYNC_LOCK, SYNC_COUNTER } sync_run;
typedef struct sync_kind {
    const char *name, *sentence;
    sync_run run;
    const char *takes; /* options that mean something for it, besides packets */
} sync_kind;
extern const sync_kind sync_kinds[]; /* behind the last: one without a name */

typedef struct scenario_params {
    pattern pattern; /* without sizes */
    const sync_kind
        *sync;        /* not NULL: it is run instead of the pattern, and `packets`, `message` and `slots` alone count */
    unsigned message; /* [64-bit words] */
    unsigned slots;   /* of the queue */
    size_choice sizes[SCENARIO_ROWS];
    unsigned rows;
    int poisson;
    sim_time warmup, measure;
    sim_time drain;       /* arrivals go on until all packets of the window have landed, at most this long */
    unsigned batches;     /* of the window, for the confidence intervals */
    unsigned notify;      /* every nth packet of a flow asks for a remote notification */
    unsigned outstanding; /* packets of a flow between posting and landing, at most; 0 = as many as its queue takes */
    unsigned
        body_limit;   /* register BODY_LIMIT of the NICs: blocks that the body of one queue may take; ~0u: as it is */
    uint64_t packets; /* not 0: the window ends when this number has landed */
    int lossy;        /* packets may be lost, if that is flagged */
    struct faults *faults; /* that strike meanwhile: begun with the traffic, ended and checked with it; NULL: none */
    unsigned crc_hits; /* with lossy: notifications that may be flagged although all data are right (only a body CRC was
                          hit) */
    uint32_t given;    /* bit i: by row i of scenario_options, for scenario_complete */
} scenario_params;

/* One way, saturated, a sweep of sizes, 50 us of warm-up, 200 us measured. */
void scenario_params_default(scenario_params *p);
/* The options, for parser and help text; a table with an end (option.h). */
extern const option scenario_options[];
/* One option by name. 0, or -1 with a text that names option, value and expectation. */
int scenario_set(scenario_params *p, const char *name, const char *value, char error[SCENARIO_ERROR]);
/* Checks what depends on the system and fills in the defaults that depend on the pattern. 0 or -1. */
int scenario_complete(scenario_params *p, unsigned nodes, int has_switch, unsigned payload_words, uint64_t seed,
                      char error[SCENARIO_ERROR]);
/* "496", "8..496", "40/496/60": a size choice in bytes, as it was given. Returns text. */
const char *scenario_size_text(const size_choice *s, char *text, size_t size);

#endif
