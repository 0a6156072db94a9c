/* Monitor of an AXI4-Stream that carries frames: checks every clock by the rules of axi_stream_rules.h. A violation
 * ends the run, or goes to a function, as with axi_monitor.h. */
#ifndef SIM_MODEL_AXI_AXI_STREAM_MONITOR_H
#define SIM_MODEL_AXI_AXI_STREAM_MONITOR_H

#include "sim/model/axi/axi_checker.h"
#include "sim/model/axi/axi_pins.h"

typedef struct axi_stream_params {
    int no_gaps;         /* 1: TVALID may not fall inside a frame, the stream to a MAC for instance; default 0 */
    unsigned most_bytes; /* of a frame; default 0: no limit */
} axi_stream_params;

typedef struct axi_stream_stats {
    uint64_t clocks, words, frames, bytes, waits; /* waits: clocks with TVALID and without TREADY */
} axi_stream_stats;

typedef struct axi_stream_monitor axi_stream_monitor;

/* Pins and params are copied; params NULL: the defaults. NULL: no memory is left. */
axi_stream_monitor *axi_stream_monitor_new(sim *s, sim_clock *clock, const axi_stream_pins *pins,
                                           const axi_stream_params *params, const char *port);
void axi_stream_monitor_free(axi_stream_monitor *m);
void axi_stream_monitor_on_violation(axi_stream_monitor *m, axi_on_violation fn, void *arg);
uint64_t axi_stream_monitor_violations(const axi_stream_monitor *m);
/* 1 between the first word of a frame and its last. */
int axi_stream_monitor_inside(const axi_stream_monitor *m);
const axi_stream_stats *axi_stream_monitor_get_stats(const axi_stream_monitor *m);

#endif
