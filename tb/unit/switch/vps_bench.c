/* The crossbar compared with VPS; the manual is in the header. */
#include "vps_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/app/packet_mode/pm_run.h"
#include "sim/traffic/workload/batches.h"
#include "switch_bench.h"
#include "test.h"

enum { WORDS = 64, LINE = 130, IDLE_VPS = 37, BATCHES = 20 };

typedef struct journey {
    uint64_t came;        /* clock of VPS */
    double vps, crossbar; /* delay [packets]; VPS below 0: on the line out when the run has ended */
    unsigned input, output;
} journey;

/* Packets in order of arrival, and by flow. */
typedef struct record {
    journey *journey;
    size_t count, size, next; /* next: to be given to the crossbar */
    uint32_t *number[NICS_MAX][NICS_MAX], come[NICS_MAX][NICS_MAX];
    struct switch_bench *bench;
    sim_time start;                               /* of the arrivals in the crossbar */
    sim_time sent[NICS_MAX][NICS_MAX][NIC_QUEUE]; /* when packet n, modulo this, came to its NIC */
    double idle; /* [packets] sum over the packets before the arrivals, one of each flow */
    uint64_t arrived;
} record;

static record r;

static double setting(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atof(text) : otherwise;
}

/* ---- VPS ---- */

static void came(void *self, unsigned input, unsigned output, unsigned words, uint64_t first)
{
    (void)self;
    uint32_t **number = &r.number[input][output], n = r.come[input][output]++;
    ck_assert_uint_eq(words, WORDS);
    if (r.count == r.size) r.journey = realloc(r.journey, (r.size = r.size ? 2 * r.size : 1024) * sizeof *r.journey);
    if (!(n & (n - 1))) *number = realloc(*number, (n ? 2 * n : 1) * sizeof **number);
    ck_assert(r.journey && *number);
    (*number)[n] = (uint32_t)r.count;
    r.journey[r.count++] = (journey){.came = first, .input = input, .output = output, .vps = -1, .crossbar = -1};
}

static void seen(void *self, unsigned input, unsigned output, uint32_t number, uint64_t first, uint64_t last)
{
    (void)self;
    (void)last;
    journey *j = &r.journey[r.number[input][output][number]];
    j->vps = (double)(first - j->came - IDLE_VPS) / WORDS;
}

/* ---- the crossbar ---- */

static double packets(sim_time t) { return (double)t / (double)LINE / SWITCH_PERIOD; }

/* The first packet of each flow is alone in the switch. */
static void delivered(void *self, unsigned from, unsigned to, uint32_t number, unsigned length)
{
    (void)self;
    (void)length;
    double delay = packets(r.bench->group.nic[to]->sop_time - r.sent[from][to][number % NIC_QUEUE]);
    r.arrived++;
    if (!number) r.idle += delay;
    else r.journey[r.number[from][to][number - 1]].crossbar = delay;
}

static void give(unsigned from, unsigned to)
{
    uint32_t number = nic_send(r.bench->group.nic[from], to, WORDS - 2);
    r.sent[from][to][number % NIC_QUEUE] = sim_now(r.bench->s);
}

/* Each clock: received words. */
static void arrivals(void *self)
{
    (void)self;
    double now = packets(sim_now(r.bench->s) - r.start) * WORDS;
    for (; r.next < r.count && (double)r.journey[r.next].came <= now; r.next++)
        give(r.journey[r.next].input, r.journey[r.next].output);
}

/* `pop`: percent of the words that a NIC may take out of its receive buffer, two in a clock. */
static void run_crossbar(int pop)
{
    unsigned ports = vps_bench_switches.ports;
    r.bench =
        switch_bench_new(&(struct switch_setup){vps_bench_switches.crossbar, ports, .phase_b = SWITCH_PERIOD / 2});
    r.bench->group.delivered = delivered;
    for (unsigned i = 0; i < ports * ports; i++) {
        give(i / ports, i % ports);
        switch_bench_run(r.bench, 5 * LINE);
    }
    ck_assert_uint_eq(r.arrived, ports * ports);
    for (unsigned i = 0; i < ports; i++) r.bench->group.nic[i]->pop_percent = pop;
    r.start = sim_now(r.bench->s);
    sim_clock_attach(r.bench->clk[0], NULL, arrivals, NULL);
    while (r.next < r.count) switch_bench_run(r.bench, 1000);
    switch_bench_drain(r.bench);
    ck_assert_uint_eq(r.arrived, ports * ports + r.count);
}

/* ---- both ---- */

static void print(const char *name, const batches_mean *m)
{
    printf("%-16s %8.4f +- %.4f packets\n", name, m->mean, m->half_width);
}

/* How much longer packets wait in the crossbar, as a part of their delay in VPS. */
static double compare(int pop)
{
    batch_sums vps[BATCHES] = {0}, crossbar[BATCHES] = {0};
    unsigned ports = vps_bench_switches.ports, counted = 0;
    uint64_t clocks = (uint64_t)setting("CLOCKS", vps_bench_switches.clocks), warmup = clocks / 10,
             seed = (uint64_t)setting("SIM_SEED", 1);
    double load = setting("LOAD", 0.7);
    pm_run_params p = {.model = vps_bench_switches.vps,
                       .warmup = warmup,
                       .clocks = clocks,
                       .quiet = 1,
                       .came = came,
                       .seen = seen,
                       .traffic = {.pattern = {.kind = pattern_find("uniform"),
                                               .nodes = ports,
                                               .sizes = {SIZES_FIXED, WORDS, WORDS, 0},
                                               .seed = seed},
                                   .process = PM_POISSON,
                                   .grain = 1,
                                   .load = load}};
    pm_result result = pm_run(&p);
    ck_assert_msg(!result.error && !result.unstable, "VPS: %s", result.error ? result.error : "the backlog grows");
    run_crossbar(pop);
    double idle = r.idle / ports / ports;
    for (size_t k = 0; k < r.count; k++) {
        const journey *j = &r.journey[k];
        if (j->came < warmup || j->came >= warmup + clocks || j->vps < 0) continue;
        unsigned b = (unsigned)((j->came - warmup) * BATCHES / clocks);
        counted++;
        vps[b].count++, crossbar[b].count++;
        vps[b].sum += j->vps, crossbar[b].sum += j->crossbar - idle;
    }
    batches_mean of_vps = batches_get(vps, BATCHES, 0, NAN), of_crossbar = batches_get(crossbar, BATCHES, 0, NAN),
                 more = batches_difference(crossbar, vps, BATCHES, 1, NAN);
    printf("%ux%u, load %g, seed %lu: mean delay of %u packets of 512 bytes, beyond that of an idle switch (crossbar: "
           "%.3f)\n",
           ports, ports, load, seed, counted, idle);
    print("VPS", &of_vps);
    print("crossbar", &of_crossbar);
    print("crossbar - VPS", &more);
    printf("%-16s %+8.2f +- %.2f %%\n", "", 100 * more.mean / of_vps.mean, 100 * more.half_width / of_vps.mean);
    return more.mean / of_vps.mean;
}

TEST_CASE("delay", .timeout = 7200);

/* Checks at the required load; at others it only prints. */
TEST(packets_wait_as_long_as_in_vps)
{
    double more = compare(100);
    ck_assert(setting("LOAD", 0.7) != 0.7 || fabs(more) <= 0.05);
}

TEST_CASE("faults", .timeout = 600);

/* NICs that take words a little slower than they come: now packets wait for room there. */
TEST(packets_that_wait_longer_are_seen)
{
    setenv("CLOCKS", "60000", 1);
    ck_assert_double_gt(compare(34), 0.05);
}
