/* The packet-mode switches of 16 ports against the oracle (oracle_bench.h): make packet-mode-oracle. */
#include "oracle_bench.h"
#include "pm_dpm.h"
#include "pm_iq_16.h"
#include "pm_ppm.h"
#include "pm_sm.h"
#include "pm_vps.h"

const oracle_switches oracle_bench_switches = {
    16, {&pm_sm_config, &pm_ppm_config, &pm_dpm_config, &pm_vps_config, &pm_iq_16_config}};
