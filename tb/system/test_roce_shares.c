/* One QP of the RoCE v2 chip suffers, the others do not notice: they send nothing twice and no NAK (roce_checker), and
 * together they get 99 % of a full line without the victim's faults. Measured on the line, in a stretch of simulated
 * time in which all have work, in two runs that differ by the faults alone. In its long form with 126 others. */
#include <string.h>

#include "roce_8_all.h"
#include "roce_bench.h"
#include "sim/core/kernel/splitmix64.h"

TEST_CASE("roce_shares", .timeout = 120);

enum {
    FEW = 7,
    VICTIM = 1,
    HINDERED = 2,
    HEADERS = 58 /* [bytes] of a packet, IPv4 */,
    BESIDE = 24 /* ... overhead on the line, FCS too */
};

/* Faults of the victim's packets, in both directions. */
typedef struct suffering {
    const char *name;
    unsigned lose, duplicate, delay; /* [percent] */
    int hindered; /* another connection also suffers, and is not counted: for the checker's own test */
} suffering;
static const suffering sufferings[] = {{"a bad line", 10, 10, 10, 0},
                                       {"nothing arrives", 100, 0, 0, 0},
                                       {"packets are lost", 10, 0, 0, 0},
                                       {"packets are doubled", 0, 20, 0, 0},
                                       {"packets are late", 0, 0, 20, 0}};
enum { SHORT_FORM = 2 };

static struct {
    roce_bench *bench;
    const suffering *how; /* NULL: no victim */
    uint64_t random, struck;
    sim_time from, to;
    uint64_t all[2], others[2]; /* [bytes] that arrived meanwhile from each end: on the line; of packets with payload,
                                   without the victim's */
} run;

static ethernet_fault strike(void *self, int from, uint64_t index, const uint8_t *frame, size_t length)
{
    (void)self, (void)index;
    roce_seen f;
    ethernet_fault_kind kind = ETHERNET_NO_FAULT;
    if (run.how && roce_see(from, frame, length, &f) &&
        (f.connection == VICTIM || (run.how->hindered && f.connection == HINDERED))) {
        unsigned draw = (unsigned)splitmix64_below(&run.random, 100), duplicate = run.how->lose + run.how->duplicate;
        if (draw < run.how->lose) kind = ETHERNET_LOSE;
        else if (draw < duplicate) kind = ETHERNET_DUPLICATE;
        else if (draw < duplicate + run.how->delay) kind = ETHERNET_DELAY;
        run.struck += kind != ETHERNET_NO_FAULT;
    }
    return (ethernet_fault){kind, 1 + splitmix64_below(&run.random, 16)};
}

static void measure(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    (void)self, (void)bad_fcs;
    roce_seen f;
    if (time < run.from || time >= run.to || !roce_see(from, frame, length, &f)) return;
    run.all[from] += length + BESIDE;
    if (f.connection != VICTIM && length > 2 * HEADERS) run.others[from] += length;
}

/* A stretch of a run, in which all four kinds of messages go on and on. */
static void stretch(const sim_config *chip, unsigned connections, const suffering *how)
{
    roce_system_params p = roce_system_defaults(chip);
    roce_traffic_params m = roce_traffic_defaults();
    int wide = sim_config_parameter(chip, "BYTES", 8) == 64;
    p.qps = connections + 1;
    m.connections = connections;
    m.ip = 4;
    m.pmtu = wide && connections == FEW ? 4096 : 1024;
    m.shortest = m.longest = wide ? 32768 : 8192;
    m.depth = 6;
    m.timeout = connections == FEW ? 6 : 8; /* retries do not run out meanwhile */
    m.psn = 0;
    for (int k = 0; k < ROCE_KINDS; k++) m.messages[k] = 1000000;
    memset(&run, 0, sizeof run);
    run.how = how;
    run.from = (connections == FEW ? 100 : 400) * SIM_US;
    run.to = run.from + (connections == FEW ? 1 : 5) * (wide ? 200 : 1000) * SIM_US;
    run.bench = roce_bench_new(&p, &m);
    run.bench->disturbed[VICTIM] = how != NULL;
    run.bench->disturbed[HINDERED] = how && how->hindered;
    roce_bench_watch(run.bench, &m);
    ethernet_wire_set_tap(run.bench->system->wire, strike, NULL);
    ck_must(!ethernet_wire_observe(run.bench->system->wire, ETHERNET_ARRIVED, measure, NULL), "too many observers");
    int result = sim_run(run.bench->sim, run.to);
    ck_must(result == SIM_TIME_LIMIT, "%s: %s: %s", how ? how->name : "no fault", sim_result_name(result),
            sim_error(run.bench->sim));
    ck_must(!how || run.struck > 4, "%s: %lu packets were struck", how ? how->name : "", run.struck);
}

/* Nobody suffers: the line is full both ways. */
static void nobody_suffers(const sim_config *chip, unsigned connections, uint64_t others[2])
{
    stretch(chip, connections, NULL);
    memcpy(others, run.others, sizeof run.others);
    for (int end = 0; end < 2; end++)
        ck_assert_double_ge((double)run.all[end], 0.97 * (double)(run.to - run.from) /
                                                      (double)ethernet_wire_time(run.bench->system->wire, 1));
    clean_up();
}

/* The least that the others keep, of both directions. */
static double share(const uint64_t alone[2])
{
    double least = 2;
    for (int end = 0; end < 2; end++) {
        double kept = (double)run.others[end] / (double)alone[end];
        if (kept < least) least = kept;
    }
    return least;
}

TEST(others_keep_their_share, .to = ROCE_CHIPS * (1 + long_form()))
{
    const sim_config *const full[] = {&roce_8_all_config, roce_chips[1]},
                            *chip = _i < ROCE_CHIPS ? roce_chips[_i] : full[_i - ROCE_CHIPS];
    unsigned connections = _i < ROCE_CHIPS ? FEW : ROCE_CONNECTIONS;
    uint64_t alone[2];
    nobody_suffers(chip, connections, alone);
    for (int i = 0; i < (long_form() ? COUNT(sufferings) : SHORT_FORM); i++) {
        stretch(chip, connections, &sufferings[i]);
        ck_must(share(alone) >= 0.99, "%s: the others keep %.4f", sufferings[i].name, share(alone));
        clean_up();
    }
}

/* The same measure when one of the others is also hindered. */
TEST(a_share_that_shrinks_is_noticed)
{
    const suffering two = {"two suffer", 100, 0, 0, 1};
    uint64_t alone[2];
    nobody_suffers(roce_chips[1], FEW, alone);
    stretch(roce_chips[1], FEW, &two);
    ck_assert_double_lt(share(alone), 0.99);
}
