/* Outputs around the candidate that ask for locks, hold them for a while and release them. */
#include "pm_locks_contract.h"

#include <string.h>

#include "sim/core/kernel/splitmix64.h"
#include "slot_pm_locks_16.h"

#define CHECK(...) CONTRACT_CHECK(lock_bench, __VA_ARGS__)

enum { MOST = 16, NOBODY = MOST, STORY = 300 };

typedef struct lock_bench {
    contract_bench c;
    const slot_pm_locks_16_ports *p;
    unsigned ports, bits;
    unsigned holder[MOST];       /* of each input's lock */
    uint64_t passed[MOST][MOST]; /* [input][output]: grants to others while this one asked */
    uint32_t persistent;         /* outputs that ask for lock 0 whenever they hold none */
    uint64_t random_state;       /* not 0: source of random values */
    bool known;
    uint32_t first[STORY];
} lock_bench;

static unsigned below(lock_bench *b, unsigned n)
{
    return b->random_state ? (unsigned)(splitmix64(&b->random_state) >> 32) % n : contract_below(b, n);
}

/* One clock: some outputs request, some release. Returns the mask of grants. */
static uint32_t step(lock_bench *b)
{
    uint32_t ask = 0, release = 0, granted, holds = 0, free = 0;
    unsigned want[MOST], shown = (unsigned)sim_port_get(&b->p->free);
    for (unsigned i = 0; i < b->ports; i++) {
        if (b->holder[i] == NOBODY) free |= 1u << i;
        else holds |= 1u << b->holder[i];
    }
    if (shown != free) contract_complain(b, FREE, "free is 0x%x, expected 0x%x", shown, free);
    for (unsigned o = 0; o < b->ports; o++) {
        unsigned held = 0;
        while (held < b->ports && b->holder[held] != o) held++;
        want[o] = b->persistent >> o & 1 ? 0 : below(b, 3) ? below(b, b->ports) : 0;
        if (!(holds >> o & 1) && (b->persistent >> o & 1 || below(b, 3) == 0)) ask |= 1u << o;
        if (holds >> o & 1 && below(b, 5) == 0) release |= 1u << o;
        sim_port_set_field(&b->p->ask_input, b->bits * o, b->bits, want[o]);
        sim_port_set_field(&b->p->release_input, b->bits * o, b->bits, release >> o & 1 ? held : below(b, b->ports));
    }
    sim_port_set(&b->p->ask, ask);
    sim_port_set(&b->p->release_valid, release);
    contract_clocks(b, 1);
    granted = (uint32_t)sim_port_get(&b->p->granted);
    for (unsigned i = 0; i < b->ports && !b->c.rule; i++) {
        uint32_t asked = 0, given;
        for (unsigned o = 0; o < b->ports; o++) asked |= (uint32_t)(ask >> o & 1 && want[o] == i) << o;
        given = granted & asked;
        if (given & (given - 1) || (given && b->holder[i] != NOBODY))
            contract_complain(b, ONE_HOLDER, "outputs 0x%x are granted the lock of input %u, held by %d", given, i,
                              b->holder[i] == NOBODY ? -1 : (int)b->holder[i]);
        else if (b->holder[i] == NOBODY && asked && !given)
            contract_complain(b, GIVEN, "none of 0x%x is granted the free lock of input %u", asked, i);
        if (b->holder[i] != NOBODY && release >> b->holder[i] & 1) b->holder[i] = NOBODY;
        for (unsigned o = 0; o < b->ports; o++) {
            if (given >> o & 1) {
                b->holder[i] = o;
                contract_turn(b, o);
                contract_chosen(b, 1);
            }
            if (given >> o & 1 || !(b->persistent >> o & 1) || i) b->passed[i][o] = 0;
            else if (given && asked >> o & 1)
                contract_passed(b, "output", (int)o, ++b->passed[i][o], (b->ports - 1) * CONTRACT_PATIENCE);
        }
    }
    if (granted & ~ask)
        contract_complain(b, ONE_HOLDER, "outputs 0x%x are granted something, 0x%x asked", granted, ask);
    return granted;
}

static void reset_bench(lock_bench *b)
{
    sim_port_set(&b->p->ask, 0);
    sim_port_set(&b->p->release_valid, 0);
    sim_port_set(&b->p->rst, 1);
    contract_clocks(b, 3);
    sim_port_set(&b->p->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    for (unsigned i = 0; i < MOST; i++) b->holder[i] = NOBODY;
    b->persistent = 0;
}

static void *bench_new(const sim_config *config, unsigned fault)
{
    lock_bench *b = contract_bench_new(sizeof *b, 3200, config, fault);
    b->p = PORTS_AS(slot_pm_locks_16, b->c.model);
    b->ports = b->p->free.bits;
    b->bits = b->p->ask_input.bits / b->ports;
    reset_bench(b);
    return b;
}

/* ---- the checks ---- */

static void run(lock_bench *b, unsigned clocks)
{
    while (clocks-- && !b->c.rule) step(b);
}

CHECK(a_lock_has_one_holder_and_is_given) { run(b, 5000); }

/* All ask for the same lock all the time, or some. */
CHECK(nobody_starves)
{
    b->persistent = (1u << b->ports) - 1;
    run(b, 12 * CONTRACT_PATIENCE * b->ports);
    b->persistent = 1u | 1u << (b->ports - 1);
    run(b, 12 * CONTRACT_PATIENCE * b->ports);
    b->persistent = 0;
}

static void sequence(void *bench)
{
    lock_bench *b = bench;
    reset_bench(b);
    b->random_state = 1;
    for (unsigned n = 0; n < STORY && !b->c.rule; n++) {
        uint32_t granted = step(b);
        if (b->known && granted != b->first[n] && !b->c.rule)
            contract_complain(b, CONTRACT_RESET, "%u clocks after reset 0x%x are granted a lock, another time 0x%x", n,
                              granted, b->first[n]);
        b->first[n] = granted;
    }
    b->random_state = 0;
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
    lock_bench *b = bench;
    b->persistent = contract_below(b, 2) ? contract_below(b, 1u << b->ports) : 0;
    memset(b->passed, 0, sizeof b->passed);
    run(b, 12 * CONTRACT_PATIENCE * b->ports);
}

static void all_ask(void *bench, unsigned each)
{
    lock_bench *b = bench;
    reset_bench(b);
    b->persistent = (1u << b->ports) - 1;
    contract_all_ask(b, b->ports);
    for (uint64_t end = b->c.turns + each * b->ports; b->c.turns < end && !b->c.rule;) step(b);
}

static const char *const rules[LOCKS_RULES] = {
    [ONE_HOLDER] = "a lock has one holder, which requested it",
    [GIVEN] = "a free lock that is asked for is granted in the next clock",
    [FREE] = "free shows the locks without a holder",
};

const contract_slot pm_locks_slot = {
    "rtl/packet_mode/contracts.md", "locks", rules, LOCKS_RULES, bench_new, part, sequence, all_ask, false};
