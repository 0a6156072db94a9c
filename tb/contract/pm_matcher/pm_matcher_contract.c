/* Requests of all kinds for the candidate, and its pairs. */
#include "pm_matcher_contract.h"

#include <string.h>

#include "sim/core/kernel/splitmix64.h"
#include "slot_pm_matcher_16.h"

#define CHECK(...) CONTRACT_CHECK(match_bench, __VA_ARGS__)

enum { MOST = 16, STORY = 300 };

typedef struct match_bench {
    contract_bench c;
    const slot_pm_matcher_16_ports *p;
    unsigned ports, bits;
    uint32_t request[MOST];      /* of each input, a mask of outputs */
    uint64_t passed[MOST][MOST]; /* matchings without a pair that was asked for in each */
    bool known;
    unsigned first[STORY][MOST];
} match_bench;

/* One matching, or a clock without; the output of each input, MOST for none. */
static void step(match_bench *b, bool asked, unsigned to[MOST])
{
    uint32_t taken = 0, all = 0;
    for (unsigned i = 0; i < MOST; i++) to[i] = MOST;
    for (unsigned i = 0; i < b->ports; i++) {
        sim_port_set_field(&b->p->request, b->ports * i, b->ports, b->request[i]);
        all |= b->request[i];
    }
    sim_port_set(&b->p->step, asked);
    sim_model_eval(b->c.model);
    for (unsigned i = 0; i < b->ports; i++) {
        unsigned o = (unsigned)sim_port_field(&b->p->matched_output, b->bits * i, b->bits);
        if (!sim_port_field(&b->p->matched, i, 1)) continue;
        if (!asked) contract_complain(b, ASKED, "input %u is paired, and no matching was asked for", i);
        else if (o >= b->ports || !(b->request[i] >> o & 1))
            contract_complain(b, AMONG, "input %u is paired with output %u: asks 0x%x", i, o, b->request[i]);
        else if (taken >> o & 1) contract_complain(b, ONE_EACH, "output %u is paired twice", o);
        else taken |= 1u << (to[i] = o);
    }
    if (asked && all && !taken) contract_complain(b, SOME, "nothing is paired, requests for outputs 0x%x", all);
    contract_clocks(b, 1);
    if (!asked || b->c.rule) return;
    contract_turn(b, 0);
    contract_chosen(b, 0);
    for (unsigned i = 0; i < b->ports; i++)
        for (unsigned o = 0; o < b->ports; o++) {
            b->passed[i][o] = to[i] != o && b->request[i] >> o & 1 ? b->passed[i][o] + 1 : 0;
            if (b->passed[i][o])
                contract_passed(b, "the pair of input", (int)i, b->passed[i][o], CONTRACT_PATIENCE * b->ports);
        }
}

static void reset_bench(match_bench *b)
{
    sim_port_set(&b->p->step, 0);
    sim_port_set(&b->p->rst, 1);
    contract_clocks(b, 3);
    sim_port_set(&b->p->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
}

static void *bench_new(const sim_config *config, unsigned fault)
{
    match_bench *b = contract_bench_new(sizeof *b, 3200, config, fault);
    b->p = PORTS_AS(slot_pm_matcher_16, b->c.model);
    b->ports = b->p->matched.bits;
    b->bits = b->p->matched_output.bits / b->ports;
    reset_bench(b);
    return b;
}

/* ---- the checks ---- */

static void random_requests(match_bench *b)
{
    unsigned kind = contract_below(b, 4);
    for (unsigned i = 0; i < b->ports; i++)
        b->request[i] = kind == 0              ? contract_below(b, 1u << b->ports)
                        : kind == 1            ? 1u << contract_below(b, b->ports)
                        : kind == 2            ? (1u << b->ports) - 1
                        : contract_below(b, 3) ? 0
                                               : 1u << contract_below(b, b->ports);
}

static void run(match_bench *b, unsigned steps)
{
    unsigned to[MOST];
    while (steps-- && !b->c.rule) {
        random_requests(b);
        step(b, contract_below(b, 4) != 0, to);
    }
}

CHECK(pairs_are_made_of_requests) { run(b, 3000); }

/* A pair is asked for all the time, and all others, or others that come and go. */
static void siege(match_bench *b, unsigned i, unsigned o, bool all)
{
    unsigned to[MOST];
    for (unsigned n = 0; n < 3 * CONTRACT_PATIENCE * b->ports && !b->c.rule; n++) {
        if (!all) random_requests(b);
        else
            for (unsigned k = 0; k < b->ports; k++) b->request[k] = (1u << b->ports) - 1;
        b->request[i] |= 1u << o;
        step(b, true, to);
    }
}

CHECK(no_pair_starves)
{
    siege(b, 0, 0, true);
    for (unsigned n = 0; n < 4; n++) siege(b, contract_below(b, b->ports), contract_below(b, b->ports), false);
}

/* The same requests after each reset: the same pairs. */
static void sequence(void *bench)
{
    match_bench *b = bench;
    uint64_t same = 1;
    unsigned to[MOST];
    reset_bench(b);
    for (unsigned n = 0; n < STORY && !b->c.rule; n++) {
        for (unsigned i = 0; i < b->ports; i++)
            b->request[i] = (uint32_t)(splitmix64(&same) >> 20) & ((1u << b->ports) - 1);
        step(b, true, to);
        if (b->known && memcmp(to, b->first[n], sizeof to) && !b->c.rule)
            contract_complain(b, CONTRACT_RESET, "matching %u after reset is not that after another reset", n);
        memcpy(b->first[n], to, sizeof to);
    }
    b->known = true;
    reset_bench(b);
}

CHECK(reset_begins_anew)
{
    for (unsigned n = 0; n < 6 && !b->c.rule; n++) {
        sequence(b);
        run(b, contract_below(b, 100));
    }
}

static void part(void *bench)
{
    match_bench *b = bench;
    run(b, 500);
    siege(b, contract_below(b, b->ports), contract_below(b, b->ports), contract_below(b, 2));
}

static const char *const rules[MATCHER_RULES] = {
    [AMONG] = "only those are paired that ask for it",
    [ONE_EACH] = "an output is paired with one input",
    [SOME] = "while any input requests, a pair is made",
    [ASKED] = "pairs are made in the clock of step only",
};

const contract_slot pm_matcher_slot = {
    "rtl/packet_mode/contracts.md", "matchings", rules, MATCHER_RULES, bench_new, part, sequence, NULL, false};
