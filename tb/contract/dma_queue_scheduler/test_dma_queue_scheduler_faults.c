/* Another DMA queue scheduler that keeps the contract, broken ones that must be rejected; and properties of the default
 * one beyond it. */
#include "aged_queue_scheduler_16.h"
#include "dma_queue_scheduler.h"
#include "dma_queue_scheduler_16.h"
#include "dma_queue_scheduler_aged.h"
#include "dma_queue_scheduler_contract.h"
#include "faulty_dma_queue_scheduler.h"

static const contract_candidate candidates[] = {
    {"dma_queue_scheduler_aged", OTHER_BLOCK, &dma_queue_scheduler_aged_config},
    {"dma_queue_scheduler_aged, 16 queues", OTHER_BLOCK, &aged_queue_scheduler_16_config},
    {"the broken one", BROKEN_BLOCK, &faulty_dma_queue_scheduler_config},
};

static const contract_fault faults[] = {
    {1, "it_chooses_among_the_eligible", AMONG, ALSO_RARELY},
    {2, "it_chooses_among_the_eligible", ONE_HOT, ALSO_RARELY},
    {3, "it_chooses_among_the_eligible", ONE_HOT, ALSO_RARELY},
    {4, "it_chooses_among_the_eligible", ANY, ALSO_RARELY},
    {5, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {6, "it_chooses_among_the_eligible", ANY, AS_ANOTHER},
    {7, "a_choice_stands_until_something_is_used", SAME_CLOCK, ALSO_RARELY},
    {8, "a_choice_stands_until_something_is_used", BESIDE, ALSO_RARELY},
    {9, "a_choice_is_never_missing", ANY, NOT_RARELY | AS_ANOTHER},
    {9, "nobody_starves", CONTRACT_STARVES, NOT_RARELY | AS_ANOTHER},
    {10, "a_choice_stands_until_something_is_used", STANDS, ALSO_RARELY},
    {11, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {11, "pieces_may_go_otherwise", CONTRACT_STARVES, NOT_RARELY},
    {12, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {13, "nobody_starves", STANDS, NOT_RARELY},
    {14, "a_choice_is_never_missing", ANY, NOT_RARELY},
    {15, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {16, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {17, "a_choice_stands_until_something_is_used", STANDS, ALSO_RARELY},
    {18, "pieces_may_go_otherwise", ANY, NOT_RARELY},
    {19, "traffic_of_all_kinds", AMONG, NOT_RARELY | AS_ANOTHER}, /* ANY where nothing is eligible */
    {20, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {21, "transfers_may_vanish", ANY, NOT_RARELY},
    {21, "traffic_of_all_kinds", ANY, NOT_RARELY},
};

const contract contract_of_program = {&dma_queue_scheduler_slot, candidates, faults, COUNT(candidates), COUNT(faults)};

TEST_CASE("policies");

/* The two policies are two: else the one passing would say nothing of the other. */
TEST(the_policies_differ)
{
    int chosen[2];
    for (int i = 0; i < 2; i++) {
        choice_bench *b = dma_queue_scheduler_slot.bench_new(
            i ? &dma_queue_scheduler_aged_config : &faulty_dma_queue_scheduler_config, 0);
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

/* One clock, mostly with what is proposed, as the engine does; now and then with another. Whether the choice is that of
 * a reference that walks the queues one by one. */
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
    choice_bench *b =
        dma_queue_scheduler_slot.bench_new(_i ? &dma_queue_scheduler_16_config : &dma_queue_scheduler_config, 0);
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
