#include "oracle_bench.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static const char *const names[] = {"sm", "ppm", "dpm", "vps", "iq"};

static unsigned setting(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text && *text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

/* ARCH of make packet-mode-oracle. */
static int is_wanted(pm_oracle_kind architecture)
{
    const char *only = getenv("ONLY");
    return !only || !*only || !strcmp(only, names[architecture]);
}

/* Arrivals and departures. */
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
    if (r->count == r->size)
        r->journey = realloc(r->journey, (r->size = r->size ? 2 * r->size : 1024) * sizeof *r->journey);
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

pm_run_params oracle_bench_params(pm_oracle_kind architecture, size_choice sizes, double load, unsigned seed)
{
    return (pm_run_params){.model = oracle_bench_switches.model[architecture],
                           .quiet = 1,
                           .traffic = {.pattern = {.kind = load == 1 ? NULL : pattern_find("uniform"),
                                                   .nodes = oracle_bench_switches.ports,
                                                   .sizes = sizes,
                                                   .seed = seed},
                                       .zipf = 2,
                                       .process = load == 1 ? PM_SATURATED : PM_POISSON,
                                       .grain = architecture == ORACLE_IQ ? 8 : 1,
                                       .load = load}};
}

unsigned oracle_bench_differences(pm_run_params p, const pm_oracle_params *oracle, unsigned packets,
                                  char difference[400])
{
    const char *name = names[oracle->kind];
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
    ck_assert_msg(!result.error, "%s, %u ports, load %g, seed %lu: RTL: %s", name, oracle->ports, p.traffic.load,
                  p.traffic.pattern.seed, result.error);
    ck_assert_msg(result.all.packets > packets / 2, "%s: %lu packets", name, result.all.packets);
    j = malloc(r.count * sizeof *j);
    ck_assert_ptr_nonnull(j);
    memcpy(j, r.journey, r.count * sizeof *j);
    error = pm_oracle_run(oracle, j, r.count);
    ck_assert_msg(!error, "%s, %u ports, load %g, seed %lu: oracle: %s", name, oracle->ports, p.traffic.load,
                  p.traffic.pattern.seed, error);
    for (size_t k = 0; k < r.count; k++) {
        const pm_journey *x = &r.journey[k];
        uint64_t first = x->first && x->first < j[k].first ? x->first : j[k].first;
        /* packets under way at the end are not reported by the RTL */
        if ((!x->first && j[k].last > r.end) || (x->first == j[k].first && x->last == j[k].last)) continue;
        differ++;
        if (first >= when) continue;
        when = first;
        snprintf(difference, 400,
                 "%s, %u ports, load %g, seed %lu: came in clock %lu, input %u, output %u, %u words: left in clocks "
                 "%lu to %lu of the RTL, "
                 "%lu to %lu of the oracle; again: make packet-mode-oracle ARCH=%s PACKETS=%u SEED=%lu SEEDS=1",
                 name, oracle->ports, p.traffic.load, p.traffic.pattern.seed, x->came, x->input, x->output, x->words,
                 x->first, x->last, j[k].first, j[k].last, name, packets, p.traffic.pattern.seed);
    }
    free(j);
    forget(&r);
    return differ;
}

TEST_CASE("loads", .timeout = 7200);

TEST(first_and_last_word_of_each_packet_leave_when_the_oracle_says, .to = COUNT(names))
{
    static const double loads[] = {0.3, 0.8, 0.95, 1}; /* 1: saturated, Zipf 2 */
    unsigned packets = setting("PACKETS", 2000), first = setting("SIM_SEED", 1);
    pm_oracle_kind a = (pm_oracle_kind)_i;
    for (unsigned seed = first; is_wanted(a) && seed < first + setting("SEEDS", 1); seed++)
        for (unsigned k = 0; k < 4; k++) {
            char difference[400];
            pm_oracle_params oracle = pm_oracle_default(a, oracle_bench_switches.ports);
            size_choice sizes = {SIZES_BIMODAL, a == ORACLE_IQ ? 8 : 5, 1024, 0.95};
            unsigned bad =
                oracle_bench_differences(oracle_bench_params(a, sizes, loads[k], seed), &oracle, packets, difference);
            ck_assert_msg(!bad, "%u packets: %s", bad, difference);
            if (packets > 2000)
                printf("%s, %u ports, load %g, seed %u: same\n", names[a], oracle.ports, loads[k], seed);
            fflush(stdout);
        }
}

TEST_CASE("rules", .timeout = 120);

/* Packets of a word, and packets that end near the end of a unit: rare among lengths of 5 to 1024 words. */
TEST(packets_of_other_sizes_leave_when_the_oracle_says, .to = ORACLE_IQ)
{
    static const size_choice sizes[] = {{SIZES_UNIFORM, 1, 8, 0},
                                        {SIZES_UNIFORM, 1, 200, 0},
                                        {SIZES_UNIFORM, 64, 65, 0},
                                        {SIZES_FIXED, 64, 64, 0},
                                        {SIZES_UNIFORM, 70, 90, 0}};
    pm_oracle_kind a = (pm_oracle_kind)_i;
    for (unsigned k = 0; is_wanted(a) && k < 2 * COUNT(sizes); k++) {
        char difference[400];
        const size_choice *z = &sizes[k / 2];
        pm_oracle_params oracle = pm_oracle_default(a, oracle_bench_switches.ports);
        unsigned bad =
            oracle_bench_differences(oracle_bench_params(a, *z, k & 1 ? 1 : 0.95, 5), &oracle, 2000, difference);
        ck_assert_msg(!bad, "%u to %u words, %u packets: %s", z->low, z->high, bad, difference);
    }
}
