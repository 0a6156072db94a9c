/* The packet-mode switches of 4 ports against the oracle (oracle_bench.h), and faults that it must see. Those of 16
 * ports are in long_pm_oracle.c. 10^5 packets a run and three seeds of both: make packet-mode-oracle. */
#include <string.h>

#include "oracle_bench.h"
#include "pm_dpm_187_2.h"
#include "pm_dpm_188_2.h"
#include "pm_dpm_4.h"
#include "pm_dpm_sent_2.h"
#include "pm_dpm_slow_2.h"
#include "pm_iq_3.h"
#include "pm_iq_4.h"
#include "pm_ppm_128_2.h"
#include "pm_ppm_4.h"
#include "pm_ppm_blind_2.h"
#include "pm_ppm_look_3.h"
#include "pm_ppm_slow_2.h"
#include "pm_sm_4.h"
#include "pm_sm_late_2.h"
#include "pm_sm_slow_2.h"
#include "pm_vps_4.h"
#include "pm_vps_slow_5.h"
#include "test.h"

const oracle_switches oracle_bench_switches = {
    4, {&pm_sm_4_config, &pm_ppm_4_config, &pm_dpm_4_config, &pm_vps_4_config, &pm_iq_4_config}};

TEST_CASE("faults", .timeout = 120);

/* RTL with another rule: credit a clock late, no look back, a lock that falls free later. With the same rule the oracle
 * agrees. Without, it sees the fault. */
TEST(a_fault_in_the_rtl_is_seen, .to = 3)
{
    static const struct {
        pm_oracle_kind kind;
        const sim_config *model;
    } faults[] = {
        {ORACLE_SM, &pm_sm_late_2_config}, {ORACLE_PPM, &pm_ppm_blind_2_config}, {ORACLE_DPM, &pm_dpm_sent_2_config}};
    pm_oracle_kind kind = faults[_i].kind;
    pm_oracle_params oracle = pm_oracle_default(kind, 2);
    pm_run_params p = oracle_bench_params(kind, (size_choice){SIZES_BIMODAL, 5, 1024, 0.95}, 0.95, 1);
    char difference[400];
    unsigned bad;
    p.model = faults[_i].model;
    p.traffic.pattern.nodes = 2;
    ck_assert_uint_gt(oracle_bench_differences(p, &oracle, 2000, difference), 0);
    ck_assert_ptr_nonnull(strstr(difference, "left in clocks"));
    if (kind == ORACLE_SM) oracle.back++;
    if (kind == ORACLE_PPM) oracle.look_back = 0;
    if (kind == ORACLE_DPM) oracle.lock_release = 1;
    bad = oracle_bench_differences(p, &oracle, 2000, difference);
    ck_assert_msg(!bad, "%u packets: %s", bad, difference);
}

TEST_CASE("sizes", .timeout = 120);

/* Switches of 2, 3 and 5 ports; other decisions, and an oracle without them sees it: longer ones, a look back as S3 has
 * it [III-B], and segments with 65 spare clocks in (1). DPM with the least crosspoints that it may have. */
TEST(other_sizes_and_scheduling_times_do_what_the_oracle_says, .to = 8)
{
    static const struct {
        pm_oracle_kind kind;
        const sim_config *model;
    } others[] = {{ORACLE_DPM, &pm_dpm_188_2_config},  {ORACLE_PPM, &pm_ppm_look_3_config},
                  {ORACLE_IQ, &pm_iq_3_config},        {ORACLE_SM, &pm_sm_slow_2_config},
                  {ORACLE_PPM, &pm_ppm_slow_2_config}, {ORACLE_DPM, &pm_dpm_slow_2_config},
                  {ORACLE_VPS, &pm_vps_slow_5_config}, {ORACLE_PPM, &pm_ppm_128_2_config}};
    /* of IQ; of all others, and by turns with it: of DPM, where some packets need a lock; of the rest */
    static const size_choice sizes[] = {{SIZES_BIMODAL, 8, 1024, 0.9},
                                        {SIZES_BIMODAL, 4, 1024, 0.9},
                                        {SIZES_UNIFORM, 1, 200, 0},
                                        {SIZES_UNIFORM, 1, 80, 0}};
    pm_oracle_kind kind = others[_i].kind;
    const sim_config *model = others[_i].model;
    pm_oracle_params oracle = pm_oracle_default(kind, (unsigned)sim_config_parameter(model, "PORTS", 0));
    if (kind != ORACLE_IQ) oracle.scheduling = (unsigned)sim_config_parameter(model, "SCHEDULING_CLOCKS", 2);
    oracle.back = (unsigned)sim_config_parameter(model, "RETURN_CLOCKS", 31);
    oracle.look_back = (unsigned)sim_config_parameter(model, "LOOK_BACK", 2);
    oracle.credit = (unsigned)sim_config_parameter(model, "CREDIT_CLOCKS", 2);
    if (kind == ORACLE_PPM)
        oracle.segment = oracle.crosspoint = (unsigned)sim_config_parameter(model, "SEGMENT_WORDS", 64);
    if (kind == ORACLE_DPM) oracle.crosspoint = 188;
    for (unsigned k = 0; k < 4; k++) {
        char difference[400];
        const size_choice *z = &sizes[kind == ORACLE_IQ ? 0 : !(k & 2) ? 1 : kind == ORACLE_DPM ? 2 : 3];
        pm_run_params p = oracle_bench_params(kind, *z, k & 1 ? 1 : 0.9, 1);
        p.model = model;
        p.traffic.pattern.nodes = oracle.ports;
        unsigned bad = oracle_bench_differences(p, &oracle, 2000, difference);
        ck_assert_msg(!bad, "%s, %u to %u words, %u packets: %s", model->name, z->low, z->high, bad, difference);
        if (oracle.scheduling > 2) {
            oracle.scheduling--;
            ck_assert_uint_gt(oracle_bench_differences(p, &oracle, 2000, difference), 0);
            oracle.scheduling++;
        }
        for (unsigned other = 0; oracle.look_back == 1 && other < 3; other += 2) {
            pm_oracle_params not_told = oracle;
            not_told.look_back = other;
            ck_assert_uint_gt(oracle_bench_differences(p, &not_told, 2000, difference), 0);
        }
    }
}

/* Journeys as they come from a generator, without a switch. */
static size_t arrivals(pm_journey *j, size_t count, const pm_traffic *t)
{
    pm_arrivals a;
    pm_packet packet;
    pm_arrivals_start(&a, t);
    for (size_t k = 0; k < count; k++) {
        unsigned input = pm_arrivals_take(&a, &packet);
        j[k] = (pm_journey){.came = packet.first + 10, .words = packet.words, .input = input, .output = packet.output};
    }
    return count;
}

/* Parameters that the RTL refuses are refused for a reason: with the next ones that are not, the schemes of S3 hold.
 * DPM with crosspoints of a word less: 4 words and 60 of a long packet, 64 more of it, and neither 125 are there nor
 * room for a segment. */
TEST(what_is_refused_would_go_wrong, .to = 4)
{
    static const struct {
        pm_oracle_kind kind;
        unsigned least, crosspoint, credit, forward;
        const char *says;
    } steps[] = {{ORACLE_DPM, 4, 187, 2, 30, "do not leave"},
                 {ORACLE_DPM, 3, 192, 15, 30, "is empty within a packet"},
                 {ORACLE_PPM, 4, 64, 3, 30, "is empty in packet mode"},
                 {ORACLE_PPM, 4, 64, 2, 31, "is empty in packet mode"}};
    static pm_journey j[20000];
    for (unsigned legal = 0; legal < 2; legal++) {
        const char *error = NULL;
        for (unsigned seed = 1; seed < 9 && !error; seed++) {
            pm_oracle_params oracle = pm_oracle_default(steps[_i].kind, 4);
            pm_traffic t =
                oracle_bench_params(steps[_i].kind, (size_choice){SIZES_BIMODAL, steps[_i].least, 1024, 0.9}, 0.9, seed)
                    .traffic;
            oracle.crosspoint = legal && _i == 0 ? 188 : steps[_i].crosspoint;
            oracle.credit = legal ? 2 : steps[_i].credit;
            oracle.forward = legal ? 30 : steps[_i].forward;
            error = pm_oracle_run(&oracle, j, arrivals(j, COUNT(j), &t));
        }
        if (legal) ck_assert_msg(!error, "%s", error);
        else ck_assert_msg(error && strstr(error, steps[_i].says), "%s", error ? error : "no error");
    }
}

/* The same in the RTL, whose check is off: nothing moves any more. */
TEST(deterministic_packet_mode_locks_up_with_a_word_too_little)
{
    for (unsigned k = 0; k < 2; k++) {
        pm_run_params p = oracle_bench_params(ORACLE_DPM, (size_choice){SIZES_BIMODAL, 4, 1024, 0.9}, 0.8, 1);
        p.model = k ? &pm_dpm_188_2_config : &pm_dpm_187_2_config;
        p.traffic.pattern.nodes = 2;
        p.warmup = 200000;
        p.clocks = 20000;
        pm_result r = pm_run(&p);
        if (k)
            ck_assert_msg(!r.error && r.throughput > 0.7 && !r.unstable, "%s, throughput %g", r.error ? r.error : "",
                          r.throughput);
        else
            ck_assert_msg(r.error && strstr(r.error, "nothing has left since clock"), "%s",
                          r.error ? r.error : "no error");
    }
}
