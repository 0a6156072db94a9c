/* The checks of the slot "path scheduler". The bench plays the departure of the VOQs: it says for which destination a
 * packet may go by which paths, and lets it go. */
#include "path_scheduler_contract.h"

#include <string.h>

#include "sim/core/kernel/splitmix64.h"

#define CHECK(...) CONTRACT_CHECK(path_bench, __VA_ARGS__)

/* The choice as things are. */
static unsigned look(path_bench *b)
{
    sim_model_eval(b->c.model);
    unsigned eligible = (unsigned)sim_port_get(&b->p->eligible), grant = (unsigned)sim_port_get(&b->p->grant);
    unsigned any = (unsigned)sim_port_get(&b->p->any), index = (unsigned)sim_port_get(&b->p->index);
    if (any != (eligible != 0)) contract_complain(b, ANY, "any is %u, eligible 0x%x", any, eligible);
    if (grant & ~eligible) contract_complain(b, AMONG, "grant 0x%x is not among eligible 0x%x", grant, eligible);
    if (eligible && (grant == 0 || (grant & (grant - 1)) || index >= b->paths || grant != 1u << index))
        contract_complain(b, ONE_HOT, "index is %u, grant 0x%x, eligible 0x%x", index, grant, eligible);
    return grant;
}

static void count(path_bench *b, unsigned lane, unsigned eligible, unsigned path, unsigned words)
{
    contract_turn(b, path);
    b->words[lane][path] += words + 2;
    for (unsigned p = 0; p < b->paths; p++) {
        uint64_t *passed = &b->passed[lane][p];
        if (p == path || !(eligible >> p & 1)) *passed = 0;
        else contract_passed(b, "path", (int)p, *passed += words + 2, PATH_PATIENCE * (b->paths - 1));
    }
}

/* Three clocks in which nothing is taken, whatever is asked, and the choice is not looked at. */
static void behind_take(path_bench *b)
{
    sim_port_set(&b->p->take, 0);
    for (unsigned n = 0; n < 3; n++) {
        unsigned eligible = contract_below(b, 1u << b->paths);
        sim_port_set(&b->p->lane, contract_below(b, b->lanes));
        sim_port_set(&b->p->eligible, eligible);
        sim_port_set(&b->p->in_use, eligible | contract_below(b, 1u << b->paths));
        sim_port_set(&b->p->take_words, 1 + contract_below(b, 512));
        contract_clocks(b, 1);
    }
}

int path_step(path_bench *b, unsigned lane, unsigned eligible, unsigned in_use, unsigned words)
{
    in_use |= eligible;
    sim_port_set(&b->p->lane, lane);
    sim_port_set(&b->p->eligible, eligible);
    sim_port_set(&b->p->in_use, in_use);
    sim_port_set(&b->p->take, 0);
    sim_port_set(&b->p->take_words, 1 + contract_below(b, 512));
    unsigned grant = look(b);
    if (!b->fresh && lane == b->shown_lane && eligible == b->shown_eligible && in_use == b->shown_in_use &&
        grant != b->shown_grant)
        contract_complain(b, STANDS, "changed its mind from 0x%x to 0x%x, and nothing was taken", b->shown_grant,
                          grant);
    b->fresh = words && eligible;
    b->shown_lane = lane, b->shown_eligible = eligible, b->shown_in_use = in_use, b->shown_grant = grant;
    if (b->fresh) {
        sim_port_set(&b->p->take, 1);
        sim_port_set(&b->p->take_words, words);
        if (look(b) != grant) contract_complain(b, SAME_CLOCK, "the choice follows `take` in the same clock");
        contract_chosen(b, 0);
    }
    contract_clocks(b, 1);
    if (!grant || b->c.rule) return -1;
    unsigned path = (unsigned)__builtin_ctz(grant);
    if (b->fresh) {
        behind_take(b);
        count(b, lane, eligible, path, words);
    }
    return (int)path;
}

static void reset(path_bench *b, unsigned clocks)
{
    sim_port_set(&b->p->rst, 1);
    sim_port_set(&b->p->take, 0);
    contract_clocks(b, clocks);
    sim_port_set(&b->p->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    memset(b->words, 0, sizeof b->words);
    b->fresh = 1;
}

static void *bench_new(const sim_config *config, unsigned fault)
{
    path_bench *b = contract_bench_new(sizeof *b, 10000, config, fault);
    b->p = PORTS_AS(slot_path_scheduler_4, b->c.model);
    b->paths = b->p->grant.bits;
    b->lanes = 1u << b->p->lane.bits;
    reset(b, 3);
    return b;
}

/* ---- possible events ---- */

static unsigned some_paths(path_bench *b) { return contract_below(b, 1u << b->paths); }

static unsigned some_words(path_bench *b)
{
    static const unsigned lengths[] = {1, 1, 62, 62, 512};
    return contract_below(b, 3) ? lengths[contract_below(b, 5)] : 1 + contract_below(b, 512);
}

/* Packets of all lanes; paths lack credit and room, or are out of use, now and then. */
static void anything(path_bench *b, unsigned clocks, unsigned lanes)
{
    unsigned all = (1u << b->paths) - 1, in_use = all;
    while (clocks-- && !b->c.rule) {
        if (contract_below(b, 100) == 0) in_use = contract_below(b, 2) ? all : some_paths(b);
        path_step(b, contract_below(b, lanes), (contract_below(b, 3) ? all : some_paths(b)) & in_use, in_use,
                  contract_below(b, 4) ? some_words(b) : 0);
    }
}

/* One path was without credit for long, the others had much; then it is eligible again, or they change their manners.
 */
static void back_again(path_bench *b, unsigned path, unsigned words)
{
    unsigned all = (1u << b->paths) - 1, lane = contract_below(b, b->lanes);
    for (unsigned n = 0; n < 400 && !b->c.rule; n++) path_step(b, lane, all & ~(1u << path), all, 512);
    for (unsigned n = 0; n < 3000 && !b->c.rule; n++) path_step(b, lane, all, all, words);
}

/* Every path is eligible in each second turn only, in all ways. */
static void in_shifts(path_bench *b, unsigned lane)
{
    unsigned all = (1u << b->paths) - 1;
    for (unsigned shift = 1; shift <= all && !b->c.rule; shift++)
        for (unsigned n = 0; n < 200; n++) path_step(b, lane, n % 2 ? shift : all, all, some_words(b));
}

/* The same sequence after a reset, whatever was before. */
static void sequence(path_bench *b)
{
    uint64_t same = 1;
    unsigned all = (1u << b->paths) - 1;
    for (unsigned n = 0; n < PATH_STORY && !b->c.rule; n++) {
        uint64_t random = splitmix64(&same);
        unsigned eligible = n < 60 ? all : (unsigned)(random >> 20) & all, lane = (unsigned)(random >> 40) % b->lanes;
        unsigned path = (unsigned)path_step(b, lane, eligible, all, 1 + (unsigned)(random & 511));
        if (!b->known) b->chosen[n] = path;
        else if (path != b->chosen[n])
            contract_complain(b, CONTRACT_RESET, "turn %u after reset goes to path %d, another time to %d", n,
                              (int)path, (int)b->chosen[n]);
    }
    b->known = 1;
}

static void reset_sequence(void *bench)
{
    path_bench *b = bench;
    if (b->known) reset(b, 1 + contract_below(b, 3));
    for (int n = b->known; n < 2; n++) {
        sequence(b);
        reset(b, 1 + contract_below(b, 3));
    }
}

/* ---- the checks ---- */

CHECK(it_chooses_among_the_eligible)
{
    unsigned all = (1u << b->paths) - 1;
    for (unsigned round = 0; round < 40; round++)
        for (unsigned in_use = 0; in_use <= all; in_use++)
            for (unsigned eligible = 0; eligible <= all; eligible++)
                if (!(eligible & ~in_use))
                    path_step(b, contract_below(b, b->lanes), eligible, in_use,
                              contract_below(b, 2) ? some_words(b) : 0);
}
CHECK(a_choice_stands_until_something_is_taken)
{
    for (unsigned n = 0; n < 500 && !b->c.rule; n++) {
        unsigned lane = contract_below(b, b->lanes), eligible = some_paths(b), in_use = eligible | some_paths(b);
        for (unsigned i = contract_below(b, 8); i; i--) path_step(b, lane, eligible, in_use, 0);
        path_step(b, lane, eligible, in_use, some_words(b));
    }
}
CHECK(nobody_starves)
{
    static const unsigned words[] = {1, 8, 62, 512};
    for (unsigned path = 0; path < b->paths; path++)
        for (unsigned i = 0; i < 4; i++) back_again(b, path, words[i]);
    for (unsigned lane = 0; lane < b->lanes; lane++) in_shifts(b, lane);
}
CHECK(anything_may_happen)
{
    for (unsigned n = 0; n < 10; n++) anything(b, 1000, n % 2 ? b->lanes : 1);
}
CHECK(reset_begins_anew)
{
    for (unsigned round = 0; round < 16 && !b->c.rule; round++) {
        reset_sequence(b);
        anything(b, contract_below(b, 400), b->lanes);
    }
}

static void part(void *bench)
{
    path_bench *b = bench;
    switch (contract_below(b, 4)) {
    case 0:
        back_again(b, contract_below(b, b->paths), some_words(b));
        break;
    case 1:
        in_shifts(b, contract_below(b, b->lanes));
        break;
    default:
        anything(b, 1000, contract_below(b, 2) ? b->lanes : 1);
    }
}

static void all_ask(void *bench, unsigned each)
{
    path_bench *b = bench;
    unsigned all = (1u << b->paths) - 1;
    contract_all_ask(b, b->paths);
    for (unsigned n = 0; n < b->paths * each && !b->c.rule; n++) path_step(b, 0, all, all, 62);
}

static const char *const rules[PATH_RULES] = {
    [CONTRACT_STARVES] = "nobody starves",
    [AMONG] = "grant is among eligible",
    [ONE_HOT] = "grant is one-hot, and index its number",
    [ANY] = "any says whether one is eligible",
    [SAME_CLOCK] = "the choice does not follow take in the same clock",
    [STANDS] = "the choice stays until a packet takes it",
};

const contract_slot path_scheduler_slot = {
    "rtl/nic/voq/path_scheduler.v", "packets", rules, COUNT(rules), bench_new, part, reset_sequence, all_ask, false};
