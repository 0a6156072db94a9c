/* Broken VOQ schedulers that must be rejected; and properties of the default one beyond the contract. */
#include "faulty_voq_scheduler_16.h"
#include "faulty_voq_scheduler_8.h"
#include "voq_scheduler.h"
#include "voq_scheduler_contract.h"
#include "voq_scheduler_longest.h"
#include "voq_scheduler_oldest.h"

static const contract_candidate candidates[] = {
    {"voq_scheduler_longest", OTHER_BLOCK, &voq_scheduler_longest_config},
    {"voq_scheduler_oldest", OTHER_BLOCK, &voq_scheduler_oldest_config},
    {"the broken one, 8 queues: the lowest eight first", OTHER_BLOCK, &faulty_voq_scheduler_8_config},
    {"the broken one, 16 queues", BROKEN_BLOCK, &faulty_voq_scheduler_16_config},
};

static const contract_fault faults[] = {
    {1, "it_chooses_among_the_eligible", AMONG, ALSO_RARELY},
    {2, "it_chooses_among_the_eligible", ONE_HOT, ALSO_RARELY},
    {3, "it_chooses_among_the_eligible", ONE_HOT, ALSO_RARELY},
    {4, "it_chooses_among_the_eligible", ANY, ALSO_RARELY},
    {5, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {6, "it_chooses_among_the_eligible", ANY, AS_ANOTHER},
    {7, "a_choice_stands_until_something_is_used", SAME_CLOCK, ALSO_RARELY},
    {9, "a_choice_is_never_missing", ANY, NOT_RARELY | AS_ANOTHER},
    {9, "nobody_starves", CONTRACT_STARVES, NOT_RARELY | AS_ANOTHER},
    {10, "a_choice_stands_until_something_is_used", STANDS, ALSO_RARELY},
    {13, "nobody_starves", STANDS, NOT_RARELY},
    {14, "a_choice_is_never_missing", ANY, NOT_RARELY},
    {15, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {23, "a_choice_stands_until_something_is_used", BESIDE, ALSO_RARELY},
    {24, "a_choice_is_never_missing", ANY, NOT_RARELY},
    {25, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {30, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {31, "nobody_starves", CONTRACT_STARVES, NOT_RARELY}, /* with 16 queues only */
};

const contract contract_of_program = {&voq_scheduler_slot, candidates, faults, COUNT(candidates), COUNT(faults)};

TEST_CASE("policies");

/* The scheduler that ships: round robin, which begins with queue 1. */
TEST(packets_take_turns)
{
    choice_bench *b = voq_scheduler_slot.bench_new(&voq_scheduler_config, 0);
    for (unsigned n = 0, last = 0; n < 20000; n++) {
        uint32_t e = choice_some(b) | 1u << contract_below(b, b->queues);
        do last = (last + 1) % b->queues;
        while (!(e >> last & 1));
        int q =
            choice_step(b, e, choice_all(b), &(struct used_piece){.words = 1 + contract_below(b, 512), .last = true});
        ck_must(q == (int)last, "packet %u: queue %d, expected %u of 0x%x", n, q, last, e);
    }
    ck_assert_str_eq(b->c.complaint, "");
}
