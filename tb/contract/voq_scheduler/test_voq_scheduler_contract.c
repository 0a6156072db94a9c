/* The contract of the slot "VOQ scheduler" (the head of rtl/voq/voq_scheduler.v has it in words): every candidate keeps it, every broken
 * one is caught. The bench knows which queues are eligible and for how many takes, and looks in every clock whether the candidate keeps to
 * the rules.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=voq_scheduler BLOCK=name RTL=path. */
#include <string.h>

#include "faulty_voq_scheduler.h"
#include "slot_voq_scheduler_1.h"
#include "slot_voq_scheduler_16.h"
#include "slot_voq_scheduler_8.h"
#include "suite.h"

#define QUEUES 16
/* A queue that stays eligible is chosen within so many takes per queue; a scheduler that weighs by length may need some. */
#define PATIENCE 8

typedef struct voq_scheduler_bench {
    contract_bench c;

    /* the candidate, by the names of its ports */
    unsigned queues;
    const slot_voq_scheduler_8_ports *p;

    unsigned served[QUEUES];
    uint64_t words[QUEUES];
    unsigned passed[QUEUES]; /* takes of others since it became eligible */
    uint32_t shown_eligible, shown_waiting, shown_grant;
    bool was_taken, fresh; /* in the last clock; nothing to compare with */
} voq_scheduler_bench;

#define CHECK(...) CONTRACT_CHECK(voq_scheduler_bench, __VA_ARGS__)

#define PERIOD 10000

static uint32_t all(const voq_scheduler_bench *b)
{
    return (1u << b->queues) - 1;
}

/* The outputs for the inputs as they are now. */
static uint32_t look(voq_scheduler_bench *b)
{
    sim_model_eval(b->c.model);
    unsigned any = (unsigned)sim_port_get(&b->p->any), index = (unsigned)sim_port_get(&b->p->index);
    uint32_t grant = (uint32_t)sim_port_get(&b->p->grant), eligible = (uint32_t)sim_port_get(&b->p->eligible);
    if (any != (eligible != 0)) contract_complain(b, "any is %u, eligible 0x%x", any, eligible);
    if (grant & ~eligible) contract_complain(b, "grant 0x%x is not among eligible 0x%x", grant, eligible);
    if (any ? grant == 0 || (grant & (grant - 1)) : grant != 0) contract_complain(b, "grant 0x%x is not one-hot", grant);
    if (any && (index >= b->queues || grant != 1u << index)) contract_complain(b, "index is %u, grant 0x%x", index, grant);
    return grant;
}

/* One clock. The packet of the choice starts if `words` is not 0. Returns the queue chosen, -1 if there was none. */
static int step(voq_scheduler_bench *b, uint32_t eligible, uint32_t waiting, unsigned words)
{
    waiting |= eligible;
    sim_port_set(&b->p->eligible, eligible);
    sim_port_set(&b->p->waiting, waiting);
    sim_port_set(&b->p->take, 0);
    sim_port_set(&b->p->take_words, 1 + contract_below(b, 512));
    uint32_t grant = look(b);
    if (!b->fresh && !b->was_taken && eligible == b->shown_eligible && waiting == b->shown_waiting && grant != b->shown_grant)
        contract_complain(b, "changed its mind from 0x%x to 0x%x without a take", b->shown_grant, grant);
    bool take = words && grant;
    if (take) {
        sim_port_set(&b->p->take, 1);
        sim_port_set(&b->p->take_words, words);
        if (look(b) != grant) contract_complain(b, "the choice follows `take` or `take_words` in the same clock");
    }
    contract_clocks(b, 1);
    b->shown_eligible = eligible;
    b->shown_waiting = waiting;
    b->shown_grant = grant;
    b->was_taken = take;
    b->fresh = false;
    for (unsigned q = 0; q < b->queues; q++) {
        if (!(eligible >> q & 1) || (take && grant >> q & 1)) b->passed[q] = 0;
        else if (take && ++b->passed[q] > b->queues * PATIENCE)
            contract_complain(b, "queue %u starves: %u packets of others since it became eligible", q, b->passed[q]);
        if (take && grant >> q & 1) {
            b->served[q]++;
            b->words[q] += words;
        }
    }
    for (int q = 0; q < (int)b->queues; q++)
        if (grant >> q & 1) return q;
    return -1;
}

static void reset(voq_scheduler_bench *b)
{
    sim_port_set(&b->p->rst, 1);
    sim_port_set(&b->p->take, 0);
    contract_clocks(b, 3);
    sim_port_set(&b->p->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    memset(b->served, 0, sizeof b->served);
    memset(b->words, 0, sizeof b->words);
    b->fresh = true;
}

static void *bench_new(const sim_config *config, unsigned fault)
{
    voq_scheduler_bench *b = contract_bench_new(sizeof *b, PERIOD, config, fault);
    b->p = PORTS_AS(slot_voq_scheduler_8, b->c.model);
    b->queues = b->p->eligible.bits;
    sim_port_set(&b->p->eligible, 0);
    sim_port_set(&b->p->waiting, 0);
    reset(b);
    return b;
}

/* ---- the checks ---- */

CHECK(it_chooses_among_the_eligible)
{
    for (uint32_t e = 0; e <= all(b) && !b->c.complaint[0]; e += b->queues > 8 ? 1 + contract_below(b, 40) : 1)
        step(b, e, contract_below(b, 2) ? all(b) : (uint32_t)sim_random(b->c.s) & all(b),
             contract_below(b, 2) ? 1 + contract_below(b, 512) : 0);
}

CHECK(a_choice_stands_until_taken)
{
    for (unsigned n = 0; n < 300 && !b->c.complaint[0]; n++) {
        uint32_t e = (uint32_t)sim_random(b->c.s) & all(b), w = (uint32_t)sim_random(b->c.s) & all(b);
        for (unsigned i = contract_below(b, 6); i; i--) step(b, e, w, 0);
        step(b, e, w, 1 + contract_below(b, 512));
    }
}

CHECK(nobody_starves)
{
    unsigned long_enough = 2 * b->queues * PATIENCE;
    for (unsigned q = 0; q < b->queues && !b->c.complaint[0]; q++) {
        /* q is always eligible; its rivals too, then at random, then in turns; packets are short, then of all lengths */
        for (unsigned n = 0; n < 3 * long_enough; n++) {
            uint32_t others = n < long_enough ? ~0u : n < 2 * long_enough ? (uint32_t)sim_random(b->c.s) : n & 1 ? 0x5555u : 0xaaaau;
            step(b, (others & all(b)) | 1u << q, all(b), n < long_enough ? 5 : n % 3 ? 1 : 512);
        }
    }
}

CHECK(a_choice_is_never_missing)
{
    for (unsigned n = 0; n < 2000 && !b->c.complaint[0]; n++) step(b, 1u << contract_below(b, b->queues), 0, 1 + contract_below(b, 100));
    for (unsigned n = 0; n < 500 && !b->c.complaint[0]; n++) step(b, 1u << (b->queues - 1), 0, 3);
}

/* With all queues eligible and packets of one length each gets its part; then only some of them, then other lengths. */
CHECK(shares_are_equal)
{
    for (unsigned round = 0; round < 6 && !b->c.complaint[0]; round++) {
        uint32_t e = round % 3 == 0 ? all(b) : round % 3 == 1 ? 0x3333u & all(b) : 0x9u & all(b);
        unsigned members = 0, takes;
        if (!e) continue;
        for (unsigned q = 0; q < b->queues; q++) members += e >> q & 1;
        takes = members * 200;
        reset(b);
        for (unsigned n = 0; n < takes; n++) step(b, e, all(b), round < 3 ? 62 : 5);
        for (unsigned q = 0; q < b->queues; q++)
            if ((e >> q & 1) && (b->served[q] < 190 || b->served[q] > 210))
                contract_complain(b, "queue %u: %u of %u packets, eligible 0x%x", q, b->served[q], takes, e);
    }
}

CHECK(reset_begins_anew)
{
    uint32_t first = 0;
    for (unsigned round = 0; round < 2 * b->queues && !b->c.complaint[0]; round++) {
        reset(b);
        int q = step(b, all(b), 0, 0);
        if (round == 0) first = (uint32_t)q;
        else if ((uint32_t)q != first) contract_complain(b, "queue %d comes first after reset, not %u", q, first);
        for (unsigned n = 0; n < round; n++) step(b, all(b), 0, 10);
    }
}

/* ---- who is judged ---- */

static const contract_candidate candidates[] = {
    {"the block in the slot, 1 queue", IN_SLOT, &slot_voq_scheduler_1_config},
    {"the block in the slot, 8 queues", IN_SLOT, &slot_voq_scheduler_8_config},
    {"the block in the slot, 16 queues", IN_SLOT, &slot_voq_scheduler_16_config},
    {"the broken one", BROKEN_BLOCK, &faulty_voq_scheduler_config},
};

static const contract_fault faults[] = {
    {1, "it_chooses_among_the_eligible", "is not among eligible"},
    {2, "it_chooses_among_the_eligible", "is not one-hot"},
    {3, "it_chooses_among_the_eligible", "index is"},
    {4, "it_chooses_among_the_eligible", "any is 1"},
    {5, "nobody_starves", "starves"},
    {6, "a_choice_stands_until_taken", "changed its mind"},
    {7, "it_chooses_among_the_eligible", ""},
    {8, "a_choice_stands_until_taken", "follows `take`"},
    {9, "a_choice_is_never_missing", "any is 0"},
    {9, "nobody_starves", "starves"},
    {10, "shares_are_equal", "queue 0"},
    {11, "a_choice_stands_until_taken", ""},
    {12, "nobody_starves", "starves"},
    {13, "a_choice_is_never_missing", "any is 0"},
    {14, "a_choice_is_never_missing", "any is 0"},
    {15, "shares_are_equal", ""},
    {15, "nobody_starves", "starves"},
    {16, "reset_begins_anew", "comes first after reset"},
};

CONTRACT(bench_new);
