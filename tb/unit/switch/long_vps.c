/* The crossbar of 16 ports compared with VPS of the same shape (vps_bench.h): make packet-mode-crossbar. */
#include "crossbar16.h"
#include "pm_vps_512.h"
#include "vps_bench.h"

const vps_switches vps_bench_switches = {16, &crossbar16_config, &pm_vps_512_config, 2000000};
