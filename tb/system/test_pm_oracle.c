/* The packet-mode switches of 4 ports against the oracle (oracle_bench.h), and faults that it must see. Those of 16 ports are in
 * long_pm_oracle.c. 10^5 packets a run and three seeds of both: make packet-mode-oracle. */
#include <string.h>

#include "oracle_bench.h"
#include "pm_dpm_4.h"
#include "pm_dpm_sent_4.h"
#include "pm_iq_4.h"
#include "pm_ppm_4.h"
#include "pm_ppm_blind_4.h"
#include "pm_sm_4.h"
#include "pm_sm_late_4.h"
#include "pm_vps_4.h"
#include "test.h"

const oracle_switches oracle_bench_switches = {4, {&pm_sm_4_config, &pm_ppm_4_config, &pm_dpm_4_config, &pm_vps_4_config, &pm_iq_4_config}};

TEST_CASE("faults", .timeout = 120);

/* RTL with another rule: credit a clock late, no look back, a lock that falls free later. Told of it, the oracle agrees. Not told, it sees
 * the fault. */
TEST(a_fault_in_the_rtl_is_seen, .to = 3)
{
    static const struct {
        pm_oracle_kind kind;
        const sim_config *model;
    } faults[] = {{ORACLE_SM, &pm_sm_late_4_config}, {ORACLE_PPM, &pm_ppm_blind_4_config}, {ORACLE_DPM, &pm_dpm_sent_4_config}};
    pm_oracle_kind kind = faults[_i].kind;
    pm_oracle_params oracle = pm_oracle_default(kind, 4);
    pm_run_params p = oracle_bench_params(kind, (size_choice){SIZES_BIMODAL, 5, 1024, 0.95}, 0.95, 1);
    char told[400];
    unsigned bad;
    p.model = faults[_i].model;
    ck_assert_uint_gt(oracle_bench_differences(p, &oracle, 2000, told), 0);
    ck_assert_ptr_nonnull(strstr(told, "left in clocks"));
    if (kind == ORACLE_SM) oracle.back++;
    if (kind == ORACLE_PPM) oracle.look_back = 0;
    if (kind == ORACLE_DPM) oracle.lock_release = 1;
    bad = oracle_bench_differences(p, &oracle, 2000, told);
    ck_assert_msg(!bad, "%u packets: %s", bad, told);
}
