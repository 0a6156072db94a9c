/* The contract of the slot "VOQ scheduler" (the head of rtl/voq/voq_scheduler.v has it in words): every candidate keeps it, every broken
 * one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=voq_scheduler BLOCK=name RTL=path. */
#include "faulty_voq_scheduler.h"
#include "queue_choice.h"
#include "slot_voq_scheduler_1.h"
#include "slot_voq_scheduler_16.h"
#include "slot_voq_scheduler_8.h"
#include "voq_scheduler.h"
#include "voq_scheduler_longest.h"
#include "voq_scheduler_oldest.h"

#define CHECK(...) CONTRACT_CHECK(choice_bench, __VA_ARGS__)

static void *bench_new(const sim_config *config, unsigned fault)
{
    choice_bench *b = choice_bench_new(config, fault, "take", "take_words");
    b->follows = true;
    b->level = sim_model_port(b->c.model, "level");
    return b;
}

/* ---- the checks, beside those of queue_choice.c ---- */

/* A packet of the choice. */
static int take(choice_bench *b, uint32_t eligible, uint32_t waiting, unsigned words)
{
    return choice_step(b, eligible, waiting, &(struct used_piece){.words = words, .last = true});
}

CHECK(reset_begins_anew)
{
    uint32_t first = 0;
    b->shortest = 0;
    for (unsigned round = 0; round < 2 * b->queues && !b->c.complaint[0]; round++) {
        choice_reset(b, 3);
        int q = choice_step(b, choice_all(b), 0, NULL);
        if (round == 0) first = (uint32_t)q;
        else if ((uint32_t)q != first) contract_complain(b, "queue %d comes first after reset, not %u", q, first);
        for (unsigned n = 0; n < round; n++) take(b, choice_all(b), 0, 10);
    }
}

/* ---- who is judged ---- */

static const contract_candidate candidates[] = {
    {"the block in the slot, 1 queue", IN_SLOT, &slot_voq_scheduler_1_config},
    {"the block in the slot, 8 queues", IN_SLOT, &slot_voq_scheduler_8_config},
    {"the block in the slot, 16 queues", IN_SLOT, &slot_voq_scheduler_16_config},
    {"voq_scheduler_longest", OTHER_BLOCK, &voq_scheduler_longest_config},
    {"voq_scheduler_oldest", OTHER_BLOCK, &voq_scheduler_oldest_config},
    {"the broken one", BROKEN_BLOCK, &faulty_voq_scheduler_config},
};

static const contract_fault faults[] = {
    {1, "it_chooses_among_the_eligible", "is not among eligible"},
    {2, "it_chooses_among_the_eligible", "is not one-hot"},
    {3, "it_chooses_among_the_eligible", "index is"},
    {4, "it_chooses_among_the_eligible", "any is 1"},
    {5, "nobody_starves", "starves"},
    {6, "it_chooses_among_the_eligible", ""},
    {7, "a_choice_stands_until_something_is_used", "follows `take`"},
    {9, "a_choice_is_never_missing", "any is 0"},
    {9, "nobody_starves", "starves"},
    {10, "a_choice_stands_until_something_is_used", "changed its mind"},
    {13, "nobody_starves", "changed its mind"},
    {14, "a_choice_is_never_missing", "any is 0"},
    {15, "reset_begins_anew", "comes first after reset"},
    {23, "a_choice_stands_until_something_is_used", "beside `take`"},
    {24, "a_choice_is_never_missing", "any is 0"},
    {25, "nobody_starves", "starves"},
    {30, "nobody_starves", "starves"},
};

CONTRACT(bench_new);

TEST_CASE("policies");

/* The scheduler that ships: round robin, which begins with queue 1. */
TEST(packets_take_turns)
{
    choice_bench *b = bench_new(&voq_scheduler_config, 0);
    for (unsigned n = 0, last = 0; n < 20000; n++) {
        uint32_t e = choice_some(b) | 1u << contract_below(b, b->queues);
        do last = (last + 1) % b->queues;
        while (!(e >> last & 1));
        int q = take(b, e, choice_all(b), 1 + contract_below(b, 512));
        ck_must(q == (int)last, "packet %u: queue %d, expected %u of 0x%x", n, q, last, e);
    }
    ck_assert_str_eq(b->c.complaint, "");
}
