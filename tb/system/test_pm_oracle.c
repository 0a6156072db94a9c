/* The packet-mode switches of rtl/packet_mode against pm_oracle, a second model in C: the clocks in which first and last word of each
 * packet are on the line out. Short here; 10^5 packets a run and three seeds: make packet-mode-oracle. */
#include <stdlib.h>
#include <string.h>

#include "pm_dpm.h"
#include "pm_dpm_4.h"
#include "pm_dpm_sent_4.h"
#include "pm_iq_16.h"
#include "pm_iq_4.h"
#include "pm_oracle.h"
#include "pm_ppm.h"
#include "pm_ppm_4.h"
#include "pm_ppm_blind_4.h"
#include "pm_run.h"
#include "pm_sm.h"
#include "pm_sm_4.h"
#include "pm_sm_late_4.h"
#include "pm_vps.h"
#include "pm_vps_4.h"
#include "test.h"

static const struct {
    const char *name;
    const sim_config *model[2]; /* 4 and 16 ports */
} architectures[] = {{"sm", {&pm_sm_4_config, &pm_sm_config}},
                     {"ppm", {&pm_ppm_4_config, &pm_ppm_config}},
                     {"dpm", {&pm_dpm_4_config, &pm_dpm_config}},
                     {"vps", {&pm_vps_4_config, &pm_vps_config}},
                     {"iq", {&pm_iq_4_config, &pm_iq_16_config}}};

static unsigned setting(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text && *text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

/* What came and what left. */
typedef struct record {
    pm_journey *journey;
    size_t count, size;
    uint32_t *number[PM_PORTS][PM_PORTS], come[PM_PORTS][PM_PORTS];
    uint64_t end;
} record;

static void came(void *self, unsigned input, unsigned output, unsigned words, uint64_t first)
{
    record *r = self;
    uint32_t **number = &r->number[input][output], n = r->come[input][output]++;
    if (r->count == r->size) r->journey = realloc(r->journey, (r->size = r->size ? 2 * r->size : 1024) * sizeof *r->journey);
    if (!(n & (n - 1))) *number = realloc(*number, (n ? 2 * n : 1) * sizeof **number);
    ck_must(r->journey && *number, "memory is exhausted");
    (*number)[n] = (uint32_t)r->count;
    r->journey[r->count++] = (pm_journey){.came = first, .words = words, .input = input, .output = output};
}

static void left(void *self, unsigned input, unsigned output, uint32_t number, uint64_t first, uint64_t last)
{
    record *r = self;
    pm_journey *j = &r->journey[r->number[input][output][number]];
    j->first = first;
    j->last = last;
    r->end = last;
}

static void forget(record *r)
{
    free(r->journey);
    for (unsigned i = 0; i < PM_PORTS; i++)
        for (unsigned o = 0; o < PM_PORTS; o++) free(r->number[i][o]);
}

static pm_run_params params(unsigned architecture, unsigned wide, size_choice sizes, double load, unsigned seed)
{
    return (pm_run_params){
        .model = architectures[architecture].model[wide],
        .quiet = 1,
        .traffic = {.pattern = {.kind = load == 1 ? NULL : pattern_find("uniform"), .nodes = wide ? 16 : 4, .sizes = sizes, .seed = seed},
                    .zipf = 2,
                    .process = load == 1 ? PM_SATURATED : PM_POISSON,
                    .grain = architecture == ORACLE_IQ ? 8 : 1,
                    .load = load}};
}

/* One run of the RTL. Its clocks and those of the oracle: packets that leave at another one are counted, the first of them is told. */
static unsigned differences(pm_run_params p, const pm_oracle_params *oracle, unsigned packets, const char *name, char told[400])
{
    record r = {0};
    pm_journey *j;
    const char *error;
    unsigned differ = 0;
    uint64_t when = UINT64_MAX;
    p.came = came;
    p.seen = left;
    p.self = &r;
    p.clocks = (uint64_t)(packets * pm_traffic_mean_words(&p.traffic) / p.traffic.load / oracle->ports);
    pm_result result = pm_run(&p);
    ck_assert_msg(!result.error, "%s, %u ports, load %g, seed %lu: RTL: %s", name, oracle->ports, p.traffic.load, p.traffic.pattern.seed,
                  result.error);
    ck_assert_msg(result.all.packets > packets / 2, "%s: %lu packets", name, result.all.packets);
    j = malloc(r.count * sizeof *j);
    ck_assert_ptr_nonnull(j);
    memcpy(j, r.journey, r.count * sizeof *j);
    error = pm_oracle_run(oracle, j, r.count);
    ck_assert_msg(!error, "%s, %u ports, load %g, seed %lu: oracle: %s", name, oracle->ports, p.traffic.load, p.traffic.pattern.seed,
                  error);
    for (size_t k = 0; k < r.count; k++) {
        const pm_journey *x = &r.journey[k];
        uint64_t first = x->first && x->first < j[k].first ? x->first : j[k].first;
        /* of packets on their way at the end the RTL has not told */
        if ((!x->first && j[k].last > r.end) || (x->first == j[k].first && x->last == j[k].last)) continue;
        differ++;
        if (first >= when) continue;
        when = first;
        snprintf(told, 400,
                 "%s, %u ports, load %g, seed %lu: came in clock %lu, input %u, output %u, %u words: left in clocks %lu to %lu of the RTL, "
                 "%lu to %lu of the oracle; again: make packet-mode-oracle ARCH=%s PACKETS=%u SEED=%lu SEEDS=1",
                 name, oracle->ports, p.traffic.load, p.traffic.pattern.seed, x->came, x->input, x->output, x->words, x->first, x->last,
                 j[k].first, j[k].last, name, packets, p.traffic.pattern.seed);
    }
    free(j);
    forget(&r);
    return differ;
}

TEST_CASE("loads", .timeout = 7200);

TEST(first_and_last_word_of_each_packet_leave_when_the_oracle_says, .to = 2 * COUNT(architectures))
{
    static const double loads[] = {0.3, 0.8, 0.95, 1}; /* 1: saturated, Zipf 2 */
    unsigned packets = setting("PACKETS", 2000), a = (unsigned)_i / 2, wide = (unsigned)_i & 1, first = setting("SIM_SEED", 1);
    const char *only = getenv("ONLY");
    if (only && *only && strcmp(only, architectures[a].name)) return;
    for (unsigned seed = first; seed < first + setting("SEEDS", 1); seed++)
        for (unsigned k = 0; k < 4; k++) {
            char told[400];
            pm_oracle_params oracle = pm_oracle_default((pm_oracle_kind)a, wide ? 16 : 4);
            unsigned bad = differences(params(a, wide, (size_choice){SIZES_BIMODAL, a == ORACLE_IQ ? 8 : 5, 1024, 0.95}, loads[k], seed),
                                       &oracle, packets, architectures[a].name, told);
            ck_assert_msg(!bad, "%u packets: %s", bad, told);
            if (packets > 2000) printf("%s, %u ports, load %g, seed %u: same\n", architectures[a].name, oracle.ports, loads[k], seed);
            fflush(stdout);
        }
}

TEST_CASE("rules", .timeout = 120);

/* Packets of a word, and such that end about where units do: what is rare among 5 and 1024 words. */
TEST(packets_of_other_sizes_leave_when_the_oracle_says, .to = 2 * ORACLE_IQ)
{
    static const size_choice sizes[] = {{SIZES_UNIFORM, 1, 8, 0},
                                        {SIZES_UNIFORM, 1, 200, 0},
                                        {SIZES_UNIFORM, 64, 65, 0},
                                        {SIZES_FIXED, 64, 64, 0},
                                        {SIZES_UNIFORM, 70, 90, 0}};
    unsigned a = (unsigned)_i / 2, wide = (unsigned)_i & 1;
    for (unsigned k = 0; k < 2 * COUNT(sizes); k++) {
        char told[400];
        const size_choice *z = &sizes[k / 2];
        pm_oracle_params oracle = pm_oracle_default((pm_oracle_kind)a, wide ? 16 : 4);
        unsigned bad = differences(params(a, wide, *z, k & 1 ? 1 : 0.95, 5), &oracle, 2000, architectures[a].name, told);
        ck_assert_msg(!bad, "%u to %u words, %u packets: %s", z->low, z->high, bad, told);
    }
}

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
    pm_run_params p = params(kind, 0, (size_choice){SIZES_BIMODAL, 5, 1024, 0.95}, 0.95, 1);
    char told[400];
    unsigned bad;
    p.model = faults[_i].model;
    ck_assert_uint_gt(differences(p, &oracle, 2000, architectures[kind].name, told), 0);
    ck_assert_ptr_nonnull(strstr(told, "left in clocks"));
    if (kind == ORACLE_SM) oracle.back++;
    if (kind == ORACLE_PPM) oracle.look_back = 0;
    if (kind == ORACLE_DPM) oracle.lock_release = 1;
    bad = differences(p, &oracle, 2000, architectures[kind].name, told);
    ck_assert_msg(!bad, "%u packets: %s", bad, told);
}
