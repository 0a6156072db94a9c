/* Monitor of an AXI4 or AXI4-Lite port: checks every clock by the rules of axi_rules.h or axi_lite_rules.h, what the
 * master must keep as well as what the slave must.
 *
 *     axi_monitor *m = axi_monitor_new(sim, clock, &pins, "qp_mgr");
 *
 * It looks in the sample phase, before the edge. A violation ends the run with a line that names port, clock, time,
 * rule and what was expected; or it goes to a function (tests). Verilator knows no X, so nothing is said of X. A
 * request that has no response is no violation while the run goes on: axi_monitor_outstanding counts it, and when a run
 * ends badly a line says which has waited longest.
 */
#ifndef SIM_MODEL_AXI_AXI_MONITOR_H
#define SIM_MODEL_AXI_AXI_MONITOR_H

#include "sim/model/axi/axi_checker.h"
#include "sim/model/axi/axi_pins.h"

typedef struct axi_monitor axi_monitor;

/* The pins are copied. NULL: no memory is left. */
axi_monitor *axi_monitor_new(sim *s, sim_clock *clock, const axi_pins *pins, const char *port);
void axi_monitor_free(axi_monitor *m);
void axi_monitor_on_violation(axi_monitor *m, axi_on_violation fn, void *arg);
/* Writes and reads whose address was taken and whose last response was not. */
unsigned axi_monitor_outstanding(const axi_monitor *m);
uint64_t axi_monitor_violations(const axi_monitor *m);

typedef struct axi_monitor_stats {
    uint64_t clocks, writes, reads; /* bursts whose address was taken */
    uint64_t write_beats, read_beats;
    uint64_t valid[AXI_CHANNELS], waits[AXI_CHANNELS]; /* clocks with VALID; of them without READY */
    unsigned most_outstanding;
} axi_monitor_stats;
const axi_monitor_stats *axi_monitor_get_stats(const axi_monitor *m);

#endif
