/* The checks of the slot "output scheduler", in addition to the rules of the bench (scheduler_contract.h). */
#include "output_scheduler_contract.h"

#define CHECK(...) CONTRACT_CHECK(scheduler_bench, __VA_ARGS__)

/* ---- the checks ---- */

static uint32_t all(const scheduler_bench *b) { return (1u << b->inputs) - 1; }

CHECK(reset_forgets_everything)
{
    for (int i = 0; i < 5; i++) scheduler_step(b, all(b), i > 2, 0);
    scheduler_reset(b);
    for (int i = 0; i < 20; i++) scheduler_step(b, 0, true, 0);
    scheduler_step(b, 1, true, 0);
    scheduler_drain(b, 6);
    if (b->served[0] != 1)
        contract_complain(b, CONTRACT_RESET, "served %u packets of input 0 after reset, 1 had arrived", b->served[0]);
}

/* Everything is served, and everybody was. */
static void finish(scheduler_bench *b)
{
    scheduler_enable(b, all(b));
    scheduler_drain(b, 6);
    for (unsigned i = 0; i < b->inputs; i++)
        if (b->packets[i]) contract_complain(b, IN_TIME, "%u packets of input %u were never served", b->packets[i], i);
}

/* Inputs of a working port in a clock: packets of random sizes, the next choice 3 clocks before the end of the one in
 * flight. Now and then it cannot start the chosen one for a while, or stops asking, with `rests` in a hundred. */
typedef struct port {
    unsigned left, hold, rests, longest;
} port;
static void port_step(scheduler_bench *b, port *p, uint32_t arrived)
{
    if (p->hold) p->hold--;
    else if (contract_below(b, 100) < p->rests) p->hold = contract_below(b, contract_below(b, 8) ? 8 : 100);
    bool take = b->choice && p->left == 0 && p->hold == 0;
    unsigned units = take ? 6 + 2 * contract_below(b, p->longest) : 0;
    if (take && b->packets[b->chosen_now] < 100 && contract_below(b, 2)) arrived |= 1u << b->chosen_now;
    if (contract_below(b, 32) == 0) scheduler_wires(b);
    scheduler_step(b, arrived, p->left <= 3 && contract_below(b, 100) >= p->rests, units);
    p->left = take ? units : p->left ? p->left - 1 : 0;
}

/* Sources pour or drip, and have one packet ready or many; some have none. One crosspoint may be nearly empty among
 * full ones. */
static void crowd(scheduler_bench *b, unsigned packets)
{
    static const unsigned depths[] = {0, 1, 1, 2, 4, 30, 100, 127};
    unsigned depth[SCHEDULER_INPUTS], pace[SCHEDULER_INPUTS];
    port p = {.rests = contract_below(b, 3), .longest = contract_below(b, 4) ? 3 : 62};
    for (unsigned i = 0; i < b->inputs; i++) {
        depth[i] = depths[contract_below(b, COUNT(depths))];
        pace[i] = contract_below(b, 2) ? 1 : 1 + contract_below(b, 200);
    }
    b->emptiest = contract_below(b, 2 * b->inputs);
    if (b->emptiest > b->inputs) b->emptiest = SCHEDULER_INPUTS;
    uint64_t end = b->c.turns + packets;
    for (unsigned n = 0; n < 50 * packets && b->c.turns < end && !b->c.rule; n++) {
        uint32_t arrived = 0;
        for (unsigned i = 0; i < b->inputs; i++)
            if (b->packets[i] < depth[i] && (pace[i] == 1 || contract_below(b, pace[i]) == 0)) arrived |= 1u << i;
        port_step(b, &p, arrived);
    }
}

/* Everything in any clock: two packets at once, enables that come and go, a port that rests. */
static void bustle(scheduler_bench *b, unsigned packets, bool toggle_enables)
{
    b->emptiest = SCHEDULER_INPUTS;
    port p = {.rests = 10, .longest = contract_below(b, 4) ? 3 : 62};
    uint64_t end = b->c.turns + packets;
    for (unsigned n = 0; n < 50 * packets && b->c.turns < end && !b->c.rule; n++) {
        uint32_t arrived = 0;
        if (contract_below(b, 4 * p.longest) == 0)
            for (unsigned i = contract_below(b, b->inputs), k = 0; k < 2;
                 k++, i = (i + 1 + contract_below(b, b->inputs - 1)) % b->inputs)
                if (b->packets[i] < 100) arrived |= 1u << i;
        if (toggle_enables && contract_below(b, 2)) scheduler_enable(b, (uint32_t)sim_random(b->c.s) & all(b));
        port_step(b, &p, arrived);
    }
}

CHECK(every_packet_is_served_once)
{
    for (int n = 0; n < 20; n++) crowd(b, 50);
    bustle(b, 500, false);
    finish(b);
}
CHECK(enables_may_change_at_any_time)
{
    bustle(b, 500, true);
    finish(b);
}

CHECK(arrivals_and_departures_may_meet)
{
    for (unsigned n = 0; n < 400 && !b->c.rule; n++)
        scheduler_step(b, b->choice ? 1u << b->chosen_now : n < 2 ? all(b) : 0, true, b->choice ? 6 : 0);
    finish(b);
}

CHECK(a_choice_stands_until_taken)
{
    for (unsigned round = 0; round < 3 * b->inputs && !b->c.rule; round++) {
        scheduler_step(b, 1u << round % b->inputs, true, 0);
        scheduler_step(b, 0, true, 0);
        for (unsigned n = 0; n < 300; n++) {
            if (n == 20) scheduler_enable(b, 0);
            if (n == 40) scheduler_enable(b, all(b));
            scheduler_step(b, n == 10 || n == 100 ? all(b) : 0, n % 7 == 0, 0);
        }
        scheduler_drain(b, 6);
    }
}

CHECK(nothing_is_chosen_unless_asked_for)
{
    scheduler_step(b, all(b), false, 0);
    for (unsigned n = 0; n < 500; n++) scheduler_step(b, n % 50 ? 0 : 1, false, 0);
    scheduler_drain(b, 6);
}

CHECK(disabled_inputs_wait)
{
    for (unsigned i = 0; i < b->inputs && !b->c.rule; i++) {
        scheduler_enable(b, all(b) & ~(1u << i));
        scheduler_step(b, all(b), true, 0);
        for (unsigned n = 0; n < 200; n++) scheduler_step(b, 0, true, b->choice ? 6 : 0);
        if (b->packets[i] != 1) contract_complain(b, ELIGIBLE, "served input %u, which is disabled", i);
        scheduler_enable(b, 0);
        for (unsigned n = 0; n < 20; n++) scheduler_step(b, 0, true, 0);
        scheduler_enable(b, all(b));
        scheduler_drain(b, 6);
        if (b->packets[i]) contract_complain(b, IN_TIME, "input %u was not served after it had been enabled", i);
    }
}

CHECK(counts_127_packets_per_input)
{
    for (unsigned n = 0; n < 127; n++) scheduler_step(b, all(b), false, 0);
    if (b->overflow_seen) contract_complain(b, OVERFLOWS, "overflow at 127 packets");
    scheduler_drain(b, 6);
    for (unsigned i = 0; i < b->inputs; i++)
        if (b->served[i] != 127) contract_complain(b, COUNTS, "input %u: served %u of 127", i, b->served[i]);
}

/* 128 packets of an input, and a reset. */
static void overflow(scheduler_bench *b, unsigned i)
{
    for (unsigned n = b->packets[i]; n < 128; n++) scheduler_step(b, 1u << i, false, 0);
    for (unsigned n = 0; n < 4; n++) scheduler_step(b, 0, false, 0);
    if (!b->overflow_seen) contract_complain(b, OVERFLOWS, "no overflow although 128 packets wait at input %u", i);
    b->overflow_seen = false;
    scheduler_reset(b);
}

CHECK(reports_the_128th)
{
    for (unsigned i = 0; i < b->inputs && !b->c.rule; i++) overflow(b, i);
}

/* All inputs wait all the time; packets of every other one are long; one crosspoint is nearly empty among full ones. */
CHECK(nobody_starves)
{
    unsigned left = 0;
    b->emptiest = contract_below(b, b->inputs);
    while (b->c.turns < 2 * CONTRACT_PATIENCE * b->inputs && !b->c.rule) {
        uint32_t arrived = 0;
        for (unsigned i = 0; i < b->inputs; i++)
            if (b->packets[i] < 4) arrived |= 1u << i;
        bool take = b->choice && left == 0;
        unsigned units = b->chosen_now % 2 ? 128 : 6;
        scheduler_step(b, arrived, left <= 3, take ? units : 0);
        left = take ? units : left ? left - 1 : 0;
    }
}

CHECK(outputs_come_from_registers)
{
    scheduler_step(b, all(b), false, 0);
    scheduler_step(b, 0, false, 0);
    scheduler_wires(b);
    while (!b->choice && !b->c.rule) scheduler_step(b, 0, true, 0);
    scheduler_wires(b);
}

/* ---- the long run ---- */

/* Packets are short. */
static void all_ask(void *bench, unsigned each)
{
    scheduler_bench *b = bench;
    port p = {.longest = 3};
    for (unsigned i = 0; i < b->inputs; i++) scheduler_weight(b, i, 1);
    scheduler_enable(b, all(b));
    b->emptiest = ALL_FULL;
    for (unsigned n = 0; n < 4; n++) scheduler_step(b, all(b), false, 0);
    contract_all_ask(b, b->inputs);
    for (uint64_t end = b->c.turns + each * b->inputs; b->c.turns < end && !b->c.rule;) {
        uint32_t arrived = 0;
        for (unsigned i = 0; i < b->inputs; i++)
            if (b->packets[i] < 4) arrived |= 1u << i;
        port_step(b, &p, arrived);
    }
}

/* With equal weights or without. Enabled inputs wait long enough to show whether they starve; then all may happen. */
static void part(void *bench)
{
    scheduler_bench *b = bench;
    unsigned packets = 2 * CONTRACT_PATIENCE * b->inputs, heaviest = contract_below(b, 4) ? 1 : 4;
    for (unsigned i = 0; i < b->inputs; i++) scheduler_weight(b, i, 1 + contract_below(b, heaviest));
    if (contract_below(b, 2)) scheduler_enable(b, (uint32_t)sim_random(b->c.s) & all(b));
    crowd(b, packets);
    bustle(b, packets, true);
    finish(b);
}

static void reset(void *bench)
{
    scheduler_bench *b = bench;
    for (unsigned n = contract_below(b, 40); n; n--) scheduler_step(b, (uint32_t)sim_random(b->c.s) & all(b), n < 5, 0);
    overflow(b, contract_below(b, b->inputs));
    for (unsigned n = 0; n < 20; n++) scheduler_step(b, 0, true, 0);
}

static const char *const rules[SCHEDULER_RULES] = {
    [ONE_HOT] = "chosen_input and chosen_onehot name one input",
    [STANDS] = "a choice stays until it is taken",
    [GAP] = "chosen is low in the clock after taken",
    [ELIGIBLE] = "only an enabled input with packets is chosen, and only when asked for",
    [IN_TIME] = "a choice comes 2 clocks after it is possible",
    [COUNTS] = "packets are counted, up to 127 of an input",
    [REGISTERS] = "outputs come from registers",
    [OVERFLOWS] = "the 128th packet is reported, nothing else",
};

const contract_slot output_scheduler_slot = {
    "rtl/switch/contracts.md", "packets", rules, COUNT(rules), scheduler_bench_new, part, reset, all_ask, false};
