/* The packet-mode switches of rtl/packet_mode against pm_oracle, a second model in C: the clocks in which first and
 * last word of each packet are on the line out. A program that includes this says which switches, and has the tests of
 * loads and of sizes.
 */
#ifndef TB_SYSTEM_ORACLE_BENCH_H
#define TB_SYSTEM_ORACLE_BENCH_H

#include "pm_oracle.h"
#include "sim/app/packet_mode/pm_run.h"

typedef struct oracle_switches {
    unsigned ports;
    const sim_config *model[5]; /* by pm_oracle_kind */
} oracle_switches;
extern const oracle_switches oracle_bench_switches;

pm_run_params oracle_bench_params(pm_oracle_kind architecture, size_choice sizes, double load, unsigned seed);
/* One run of the RTL. Its clocks and those of the oracle: packets that leave at another one are counted, the first of
 * them is reported. */
unsigned oracle_bench_differences(pm_run_params p, const pm_oracle_params *oracle, unsigned packets,
                                  char difference[400]);

#endif
