/* The crossbar of 4 ports compared with VPS (vps_bench.h), shortly; that one's crosspoints hold 20 packets here, and
 * not 4. Those of 16 ports: make packet-mode-crossbar. */
#include "crossbar_4.h"
#include "pm_vps_4.h"
#include "vps_bench.h"

const vps_switches vps_bench_switches = {4, &crossbar_4_config, &pm_vps_4_config, 60000};
