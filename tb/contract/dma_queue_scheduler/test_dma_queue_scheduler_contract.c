/* The contract of the slot "DMA queue scheduler" (the head of rtl/dma/dma_queue_scheduler.v has it in words): every candidate keeps it,
 * every broken one is caught. The bench plays the engine and looks in every clock whether the candidate keeps to the rules.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=dma_queue_scheduler BLOCK=name RTL=path. */
#include <string.h>

#include "aged_queue_scheduler_16.h"
#include "dma_queue_scheduler_aged.h"
#include "faulty_dma_queue_scheduler.h"
#include "slot_queue_scheduler_16.h"
#include "slot_queue_scheduler_2.h"
#include "slot_queue_scheduler_5.h"
#include "slot_queue_scheduler_8.h"
#include "suite.h"

#define QUEUES 16
/* Pieces of others, per queue, that may pass a queue that stays eligible. */
#define PATIENCE 64
/* Pieces of a transfer, at most. */
#define PIECES 16

typedef struct queue_scheduler_bench {
    contract_bench c;

    /* the candidate, by the names of its ports */
    unsigned queues;
    const slot_queue_scheduler_8_ports *p;

    /* the engine */
    unsigned left[QUEUES]; /* pieces of each queue's transfer still to come; 0: the next one is a new transfer's first */

    /* what happened */
    unsigned passed[QUEUES]; /* pieces of others since it became eligible or was used */
    bool follows;            /* what is used is what was proposed: passed[] is judged */
    bool fresh;              /* after reset: nothing to compare with */
    bool was_used;           /* in the last clock; what it showed: */
    uint32_t shown_eligible, shown_waiting, shown_grant;
} queue_scheduler_bench;

/* One piece that was really taken up. */
struct used_piece {
    unsigned queue, words;
    bool last;
};

#define CHECK(...) CONTRACT_CHECK(queue_scheduler_bench, __VA_ARGS__)

#define PERIOD 10000

static uint32_t all(const queue_scheduler_bench *b)
{
    return (1u << b->queues) - 1;
}

/* `used` low, and with it values that mean nothing. */
static void nothing_used(queue_scheduler_bench *b)
{
    sim_port_set(&b->p->used, 0);
    sim_port_set(&b->p->used_queue, contract_below(b, b->queues));
    sim_port_set(&b->p->used_words, contract_below(b, 1024));
    sim_port_set(&b->p->used_last, contract_below(b, 2));
}

/* The choice for the inputs as they are now: 0 for none. */
static uint32_t look(queue_scheduler_bench *b)
{
    sim_model_eval(b->c.model);
    unsigned any = (unsigned)sim_port_get(&b->p->any), index = (unsigned)sim_port_get(&b->p->index);
    uint32_t grant = (uint32_t)sim_port_get(&b->p->grant), eligible = (uint32_t)sim_port_get(&b->p->eligible);
    if (any != (eligible != 0)) contract_complain(b, "any is %u, eligible 0x%x", any, eligible);
    if (!eligible) return 0;
    if (grant & ~eligible) contract_complain(b, "grant 0x%x is not among eligible 0x%x", grant, eligible);
    if (grant == 0 || (grant & (grant - 1))) contract_complain(b, "grant 0x%x is not one-hot", grant);
    if (index >= b->queues || grant != 1u << index) contract_complain(b, "index is %u, grant 0x%x", index, grant);
    return grant;
}

static void count(queue_scheduler_bench *b, uint32_t eligible, const struct used_piece *used)
{
    for (unsigned q = 0; q < b->queues; q++) {
        if (!b->follows || !(eligible >> q & 1) || (used && used->queue == q)) b->passed[q] = 0;
        else if (used && ++b->passed[q] > b->queues * PATIENCE)
            contract_complain(b, "queue %u starves: %u pieces of others since it became eligible", q, b->passed[q]);
    }
}

/* One clock; waiting is taken to hold eligible. `used` may be NULL; else that is used in this clock. Returns the queue proposed, -1 if
 * there was none. */
static int step(queue_scheduler_bench *b, uint32_t eligible, uint32_t waiting, const struct used_piece *used)
{
    waiting |= eligible;
    sim_port_set(&b->p->eligible, eligible);
    sim_port_set(&b->p->waiting, waiting);
    nothing_used(b);
    uint32_t grant = look(b);
    if (!b->fresh && !b->was_used && eligible == b->shown_eligible && waiting == b->shown_waiting && grant != b->shown_grant)
        contract_complain(b, "changed its mind from 0x%x to 0x%x, and nothing was used", b->shown_grant, grant);
    nothing_used(b);
    if (look(b) != grant) contract_complain(b, "the choice follows what stands beside `used` when that is low");
    if (used) {
        sim_port_set(&b->p->used, 1);
        sim_port_set(&b->p->used_queue, used->queue);
        sim_port_set(&b->p->used_words, used->words);
        sim_port_set(&b->p->used_last, used->last);
        if (look(b) != grant) contract_complain(b, "the choice follows `used` in the same clock");
    }
    contract_clocks(b, 1);
    count(b, eligible, used);
    b->shown_eligible = eligible;
    b->shown_waiting = waiting;
    b->shown_grant = grant;
    b->was_used = used != NULL;
    b->fresh = false;
    for (int q = 0; q < (int)b->queues; q++)
        if (grant >> q & 1) return q;
    return -1;
}

/* The engine takes up what is proposed after `wait` clocks, and uses it `later` clocks afterwards if it is still eligible then: a piece of
 * `words`, of a transfer that has `pieces` if it is its first. */
static void piece(queue_scheduler_bench *b, uint32_t eligible, unsigned wait, unsigned later, unsigned words, unsigned pieces)
{
    for (unsigned i = 0; i < wait; i++) step(b, eligible, all(b), NULL);
    int q = step(b, eligible, all(b), NULL);
    if (q < 0 || b->c.complaint[0]) return;
    for (unsigned i = 0; i < later; i++) step(b, eligible, all(b), NULL);
    if (!b->left[q]) b->left[q] = pieces;
    b->left[q]--;
    struct used_piece piece = {(unsigned)q, words, b->left[q] == 0};
    step(b, eligible, all(b), &piece);
}

static void reset(queue_scheduler_bench *b, unsigned clocks)
{
    sim_port_set(&b->p->rst, 1);
    nothing_used(b);
    contract_clocks(b, clocks);
    sim_port_set(&b->p->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    memset(b->left, 0, sizeof b->left);
    b->fresh = true;
}

/* A candidate after power-up and reset. */
static void *bench_new(const sim_config *config, unsigned fault)
{
    queue_scheduler_bench *b = contract_bench_new(sizeof *b, PERIOD, config, fault);
    b->p = PORTS_AS(slot_queue_scheduler_8, b->c.model);
    b->queues = b->p->eligible.bits;
    sim_port_set(&b->p->eligible, 0);
    sim_port_set(&b->p->waiting, 0);
    reset(b, 3);
    return b;
}

/* ---- the checks ---- */

static uint32_t some(queue_scheduler_bench *b)
{
    return (uint32_t)sim_random(b->c.s) & all(b);
}

/* Any piece, of any queue. */
static struct used_piece a_piece(queue_scheduler_bench *b)
{
    return (struct used_piece){contract_below(b, b->queues), 1 + contract_below(b, 512), contract_below(b, 2) != 0};
}

/* Every set of eligible queues, or as many as there is time for, whatever else waits and is used. */
CHECK(it_chooses_among_the_eligible)
{
    for (uint32_t e = 0; e <= all(b) && !b->c.complaint[0]; e += b->queues > 8 ? 1 + contract_below(b, 40) : 1) {
        struct used_piece u = a_piece(b);
        step(b, e, contract_below(b, 2) ? all(b) : some(b), contract_below(b, 2) ? &u : NULL);
    }
    for (unsigned n = 0; n < 2000 && !b->c.complaint[0]; n++) {
        uint32_t w = some(b);
        struct used_piece u = a_piece(b);
        step(b, w & some(b), w, contract_below(b, 3) ? NULL : &u);
    }
}

CHECK(a_choice_stands_until_something_is_used)
{
    for (unsigned n = 0; n < 300 && !b->c.complaint[0]; n++) {
        uint32_t e = some(b), w = some(b);
        struct used_piece u = a_piece(b);
        for (unsigned i = contract_below(b, 8); i; i--) step(b, e, w, NULL);
        step(b, e, w, &u);
    }
}

/* Who is eligible beside queue q in piece i. */
static uint32_t rivals(queue_scheduler_bench *b, unsigned kind, unsigned q, unsigned i)
{
    switch (kind) {
    case 0: /* all */
        return ~0u;
    case 1: /* one, above */
        return 1u << (q + 1) % b->queues;
    case 2: /* one, below */
        return 1u << (q + b->queues - 1) % b->queues;
    case 3:
        return (uint32_t)sim_random(b->c.s);
    case 4: /* in two shifts */
        return 0x5555u << i % 2;
    default: /* all, but each is away in its turn */
        return ~(1u << i % b->queues);
    }
}

/* Each queue in turn is always eligible, and its rivals are or come and go. Transfers are short and long, pieces have few words or many,
 * and the engine takes up a proposal at once or some clocks later. */
CHECK(nobody_starves)
{
    static const struct {
        unsigned words, pieces, wait, later;
    } manners[] = {{5, 1, 0, 0}, {512, 1, 0, 1}, {64, 16, 0, 0}, {512, 16, 1, 2}, {1, 3, 2, 0}};
    unsigned longest = b->queues * (PATIENCE + 1);
    b->follows = true;
    for (unsigned q = 0; q < b->queues; q++)
        for (unsigned kind = 0; kind < 6; kind++) {
            unsigned m = (q + kind) % 5;
            for (unsigned i = 0; i < longest && !b->c.complaint[0]; i++)
                piece(b, (rivals(b, kind, q, i) & all(b)) | 1u << q, manners[m].wait, manners[m].later, manners[m].words,
                      manners[m].pieces);
        }
}

/* As the engine does it: transfers of all lengths, each out of `eligible` while it has no room, and out of `waiting` for a while before
 * the next one comes. */
CHECK(traffic_of_all_kinds)
{
    uint32_t idle = 0, full = 0;
    b->follows = true;
    for (unsigned n = 0; n < 6000 && !b->c.complaint[0]; n++) {
        if (n % 500 == 0) idle = n % 1000 ? some(b) : 0;
        if (contract_below(b, 4) == 0) full ^= 1u << contract_below(b, b->queues);
        piece(b, all(b) & ~idle & ~full, contract_below(b, 3), contract_below(b, 4), 1 + contract_below(b, 512),
              1 + contract_below(b, PIECES));
        if (idle && contract_below(b, 3) == 0) idle &= idle - 1;
    }
}

CHECK(a_choice_is_never_missing)
{
    b->follows = true;
    for (unsigned n = 0; n < 2000 && !b->c.complaint[0]; n++)
        piece(b, 1u << contract_below(b, b->queues), 0, 0, 1 + contract_below(b, 100), 1 + contract_below(b, 3));
    for (unsigned q = 0; q < b->queues; q++)
        for (unsigned n = 0; n < 300 && !b->c.complaint[0]; n++) piece(b, 1u << q, 0, 0, 3, 2);
}

/* Pieces of queues that were not proposed, are not eligible, do not even wait; nothing for a long time; then all is as usual. */
CHECK(pieces_may_go_otherwise)
{
    for (unsigned round = 0; round < 20 && !b->c.complaint[0]; round++) {
        b->follows = false;
        for (unsigned n = 0; n < 100; n++) {
            struct used_piece u = a_piece(b);
            step(b, some(b), some(b), contract_below(b, 2) ? &u : NULL);
        }
        for (unsigned n = 0; n < 100; n++) step(b, some(b) & some(b), 0, NULL);
        b->follows = true;
        memset(b->left, 0, sizeof b->left);
        for (unsigned n = 0; n < b->queues * (PATIENCE + 1); n++) piece(b, all(b), 0, 0, 62, 1 + round % 16);
    }
}

/* A transfer that has begun leaves without a last piece (its read failed), or before its first one (it was skipped). */
CHECK(transfers_may_vanish)
{
    b->follows = true;
    for (unsigned n = 0; n < 1000 && !b->c.complaint[0]; n++) {
        int q = step(b, all(b), 0, NULL);
        if (q < 0) return;
        if (n % 2) step(b, all(b), 0, &(struct used_piece){(unsigned)q, 64, false});
        for (unsigned i = 0; i < 4; i++) step(b, all(b) & ~(1u << q), 0, NULL);
        b->left[q] = 0;
        piece(b, all(b) & ~(1u << q), 0, 1, 64, 1 + n % 16);
    }
}

/* The same story twice, once after power-up and then after any other one. All that counts is the same, all else is not. */
enum { STORY = 400 };
CHECK(reset_begins_anew)
{
    static struct {
        uint32_t eligible, waiting;
        int use, chosen;
        struct used_piece u;
    } story[STORY];
    for (unsigned n = 0; n < STORY; n++) {
        story[n].eligible = n == 0 ? all(b) : some(b);
        story[n].waiting = some(b) | story[n].eligible;
        story[n].use = contract_below(b, 2) != 0;
        story[n].u = a_piece(b);
    }
    for (unsigned round = 0; round < 12 && !b->c.complaint[0]; round++) {
        for (unsigned n = 0; n < STORY && !b->c.complaint[0]; n++) {
            int q = step(b, story[n].eligible, story[n].waiting, story[n].use ? &story[n].u : NULL);
            if (round == 0) story[n].chosen = q;
            else if (q != story[n].chosen)
                contract_complain(b, "%u clocks after reset the choice is %d, another time it was %d", n, q, story[n].chosen);
        }
        for (unsigned n = contract_below(b, 300); n; n--) {
            struct used_piece u = a_piece(b);
            step(b, some(b), some(b), contract_below(b, 2) ? &u : NULL);
        }
        reset(b, 1 + round % 3);
    }
}

/* ---- who is judged ---- */

static const contract_candidate candidates[] = {
    {"the block in the slot, 2 queues", IN_SLOT, &slot_queue_scheduler_2_config},
    {"the block in the slot, 5 queues", IN_SLOT, &slot_queue_scheduler_5_config},
    {"the block in the slot, 8 queues", IN_SLOT, &slot_queue_scheduler_8_config},
    {"the block in the slot, 16 queues", IN_SLOT, &slot_queue_scheduler_16_config},
    {"dma_queue_scheduler_aged", OTHER_BLOCK, &dma_queue_scheduler_aged_config},
    {"dma_queue_scheduler_aged, 16 queues", OTHER_BLOCK, &aged_queue_scheduler_16_config},
    {"the broken one", BROKEN_BLOCK, &faulty_dma_queue_scheduler_config},
};

static const contract_fault faults[] = {
    {1, "it_chooses_among_the_eligible", "is not among eligible"},
    {2, "it_chooses_among_the_eligible", "is not one-hot"},
    {3, "it_chooses_among_the_eligible", "index is"},
    {4, "it_chooses_among_the_eligible", "any is 1"},
    {5, "nobody_starves", "starves"},
    {6, "it_chooses_among_the_eligible", ""},
    {7, "a_choice_stands_until_something_is_used", "follows `used`"},
    {8, "a_choice_stands_until_something_is_used", ""},
    {9, "a_choice_is_never_missing", "any is 0"},
    {9, "nobody_starves", "starves"},
    {10, "a_choice_stands_until_something_is_used", "changed its mind"},
    {11, "nobody_starves", "starves"},
    {11, "pieces_may_go_otherwise", "starves"},
    {12, "nobody_starves", "starves"},
    {13, "nobody_starves", "changed its mind"},
    {14, "a_choice_is_never_missing", "any is 0"},
    {15, "reset_begins_anew", "after reset"},
    {16, "reset_begins_anew", "after reset"},
    {17, "a_choice_stands_until_something_is_used", "nothing was used"},
    {17, "reset_begins_anew", ""},
    {18, "pieces_may_go_otherwise", "any is 0"},
    {19, "traffic_of_all_kinds", ""},
    {20, "nobody_starves", "starves"},
    {21, "transfers_may_vanish", "any is 0"},
    {21, "traffic_of_all_kinds", "any is 0"},
};

CONTRACT(bench_new);

TEST_CASE("policies");

/* The two policies are two: else the one passing would say nothing of the other. */
TEST(the_policies_differ)
{
    int chosen[2];
    for (int i = 0; i < 2; i++) {
        queue_scheduler_bench *b = bench_new(i ? &dma_queue_scheduler_aged_config : &faulty_dma_queue_scheduler_config, 0);
        step(b, 0xff, 0, &(struct used_piece){0, 10, true});
        chosen[i] = step(b, 0xff, 0, NULL);
    }
    ck_assert_int_eq(chosen[0], 1);
    ck_assert_int_eq(chosen[1], 0);
}
