/* The contract of the slot "DMA queue scheduler" (the head of rtl/dma/dma_queue_scheduler.v has it in words): every candidate keeps it,
 * every broken one is caught. The bench plays the engine and looks in every clock whether the candidate keeps to the rules.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=dma_queue_scheduler BLOCK=name RTL=path. */
#include <string.h>

#include "aged_queue_scheduler_16.h"
#include "dma_queue_scheduler.h"
#include "dma_queue_scheduler_16.h"
#include "dma_queue_scheduler_aged.h"
#include "faulty_dma_queue_scheduler.h"
#include "queue_choice.h"
#include "slot_queue_scheduler_16.h"
#include "slot_queue_scheduler_2.h"
#include "slot_queue_scheduler_5.h"
#include "slot_queue_scheduler_8.h"

/* Pieces of a transfer, at most. */
#define PIECES 16

#define CHECK(...) CONTRACT_CHECK(choice_bench, __VA_ARGS__)

static void *bench_new(const sim_config *config, unsigned fault)
{
    choice_bench *b = choice_bench_new(config, fault, "used", "used_words");
    b->used_queue = sim_model_port(b->c.model, "used_queue");
    b->used_last = sim_model_port(b->c.model, "used_last");
    return b;
}

/* ---- the checks, beside those of queue_choice.c ---- */

/* As the engine does it: transfers of all lengths, each out of `eligible` while it has no room, and out of `waiting` for a while before
 * the next one comes. */
CHECK(traffic_of_all_kinds)
{
    uint32_t idle = 0, full = 0;
    b->follows = true;
    for (unsigned n = 0; n < 6000 && !b->c.complaint[0]; n++) {
        if (n % 500 == 0) idle = n % 1000 ? choice_some(b) : 0;
        if (contract_below(b, 4) == 0) full ^= 1u << contract_below(b, b->queues);
        choice_piece(b, choice_all(b) & ~idle & ~full, contract_below(b, 3), contract_below(b, 4), 1 + contract_below(b, 512),
                     1 + contract_below(b, PIECES));
        if (idle && contract_below(b, 3) == 0) idle &= idle - 1;
    }
}

/* Pieces of queues that were not proposed, are not eligible, do not even wait; nothing for a long time; then all is as usual. */
CHECK(pieces_may_go_otherwise)
{
    for (unsigned round = 0; round < 20 && !b->c.complaint[0]; round++) {
        b->follows = false;
        for (unsigned n = 0; n < 100; n++) {
            struct used_piece u = choice_any_piece(b);
            choice_step(b, choice_some(b), choice_some(b), contract_below(b, 2) ? &u : NULL);
        }
        for (unsigned n = 0; n < 100; n++) choice_step(b, choice_some(b) & choice_some(b), 0, NULL);
        b->follows = true;
        memset(b->left, 0, sizeof b->left);
        for (unsigned n = 0; n < b->queues * CONTRACT_PATIENCE; n++) choice_piece(b, choice_all(b), 0, 0, 62, 1 + round % 16);
    }
}

/* A transfer that has begun leaves without a last piece (its read failed), or before its first one (it was skipped). */
CHECK(transfers_may_vanish)
{
    b->follows = true;
    for (unsigned n = 0; n < 1000 && !b->c.complaint[0]; n++) {
        int q = choice_step(b, choice_all(b), 0, NULL);
        if (q < 0) return;
        if (n % 2) choice_step(b, choice_all(b), 0, &(struct used_piece){(unsigned)q, 64, false});
        for (unsigned i = 0; i < 4; i++) choice_step(b, choice_all(b) & ~(1u << q), 0, NULL);
        b->left[q] = 0;
        choice_piece(b, choice_all(b) & ~(1u << q), 0, 1, 64, 1 + n % 16);
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
        story[n].eligible = n == 0 ? choice_all(b) : choice_some(b);
        story[n].waiting = choice_some(b) | story[n].eligible;
        story[n].use = contract_below(b, 2) != 0;
        story[n].u = choice_any_piece(b);
    }
    for (unsigned round = 0; round < 12 && !b->c.complaint[0]; round++) {
        for (unsigned n = 0; n < STORY && !b->c.complaint[0]; n++) {
            int q = choice_step(b, story[n].eligible, story[n].waiting, story[n].use ? &story[n].u : NULL);
            if (round == 0) story[n].chosen = q;
            else if (q != story[n].chosen)
                contract_complain(b, "%u clocks after reset the choice is %d, another time it was %d", n, q, story[n].chosen);
        }
        for (unsigned n = contract_below(b, 300); n; n--) {
            struct used_piece u = choice_any_piece(b);
            choice_step(b, choice_some(b), choice_some(b), contract_below(b, 2) ? &u : NULL);
        }
        choice_reset(b, 1 + round % 3);
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
    {8, "a_choice_stands_until_something_is_used", "beside `used`"},
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
        choice_bench *b = bench_new(i ? &dma_queue_scheduler_aged_config : &faulty_dma_queue_scheduler_config, 0);
        choice_step(b, 0xff, 0, &(struct used_piece){0, 10, true});
        chosen[i] = choice_step(b, 0xff, 0, NULL);
    }
    ck_assert_int_eq(chosen[0], 1);
    ck_assert_int_eq(chosen[1], 0);
}

/* The scheduler that ships: round robin over transfers, pieces of a transfer together. */
struct turns {
    uint32_t waiting;
    struct used_piece last; /* words: 0 before the first one, until which the order is not known */
    unsigned checked, stayed;
};

/* One clock, mostly with what is proposed, as the engine does; now and then with another. Whether the choice is that of a reference that
 * walks the queues one by one. */
static bool takes_turns(choice_bench *b, struct turns *t)
{
    t->waiting = (t->waiting | choice_some(b)) & choice_some(b);
    uint32_t eligible = t->waiting & (choice_some(b) | choice_some(b));
    unsigned want = t->last.queue, stays = !t->last.last && eligible >> want & 1;
    if (!stays) want = (want + 1) % b->queues;
    while (eligible && !(eligible >> want & 1)) want = (want + 1) % b->queues;
    bool known = t->last.words && eligible;
    struct used_piece u = choice_any_piece(b);
    if (known && contract_below(b, 4)) u.queue = want;
    bool use = contract_below(b, 3) == 0;
    int chosen = choice_step(b, eligible, t->waiting, use ? &u : NULL);
    if (use) t->last = u;
    if (!known) return true;
    t->checked++;
    t->stayed += stays;
    return chosen == (int)want;
}

TEST(transfers_take_turns, .to = 2)
{
    choice_bench *b = bench_new(_i ? &dma_queue_scheduler_16_config : &dma_queue_scheduler_config, 0);
    struct turns t = {0};
    for (unsigned n = 0; n < 50000; n++) ck_assert_msg(takes_turns(b, &t), "clock %u, last %u", n, t.last.queue);
    ck_assert_str_eq(b->c.complaint, "");
    ck_assert_uint_gt(t.checked, 20000);
    ck_assert_uint_gt(t.stayed, 1000);
    bool seen = false; /* the check can fail */
    for (unsigned n = 0; n < 2000 && !seen; n++) {
        if (n % 10 == 0) t.last.queue ^= 1;
        seen = !takes_turns(b, &t);
    }
    ck_assert(seen);
}
