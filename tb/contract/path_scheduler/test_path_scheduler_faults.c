/* The other path scheduler that ships, broken ones that must be rejected; and properties of the default beyond the
 * contract. */
#include "faulty_path_scheduler.h"
#include "path_scheduler.h"
#include "path_scheduler_contract.h"
#include "path_scheduler_rr.h"

static const contract_candidate candidates[] = {
    {"path_scheduler_rr", OTHER_BLOCK, &path_scheduler_rr_config},
    {"the broken one", BROKEN_BLOCK, &faulty_path_scheduler_config},
};

static const contract_fault faults[] = {
    {1, "it_chooses_among_the_eligible", AMONG, ALSO_RARELY | AS_ANOTHER},
    {2, "it_chooses_among_the_eligible", ONE_HOT, ALSO_RARELY},
    {3, "it_chooses_among_the_eligible", ONE_HOT, ALSO_RARELY},
    {4, "it_chooses_among_the_eligible", ANY, ALSO_RARELY},
    {5, "a_choice_stands_until_something_is_taken", SAME_CLOCK, ALSO_RARELY | AS_ANOTHER},
    {6, "a_choice_stands_until_something_is_taken", STANDS, NOT_RARELY | AS_ANOTHER},
    {7, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {8, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
    {9, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
};

const contract contract_of_program = {&path_scheduler_slot, candidates, faults, COUNT(candidates), COUNT(faults)};

TEST_CASE("policies");

/* The largest difference between the shares of the paths of a destination [% of an equal share], with all of them
 * eligible while a link of each would be saturated for 1 ms: 78125 clocks of 32 bits. */
static double unbalanced(path_bench *b, unsigned lane, unsigned longest)
{
    uint64_t sum = 0, most = 0, least = UINT64_MAX;
    for (unsigned n = 0; sum < 78125 / 2 * b->paths; n++) {
        unsigned words = longest ? 1 + contract_below(b, longest) : n % 2 ? 62 : 1;
        path_step(b, lane, 0xf, 0xf, words);
        path_step(b, (lane + 1) % b->lanes, 0xf, 0xf, 512); /* another destination changes nothing */
        sum += words + 2;
    }
    for (unsigned p = 0; p < b->paths; p++) {
        most = b->words[lane][p] > most ? b->words[lane][p] : most;
        least = b->words[lane][p] < least ? b->words[lane][p] : least;
    }
    return 100.0 * (double)(most - least) * b->paths / (double)sum;
}

/* Evenly balanced (S2 2.6): less than 1 % over 1 ms with packets of the switch's lengths, in any mixture. In strict
 * turn long and short ones in turn are not. */
TEST(the_default_balances_units, .to = 3)
{
    static const unsigned longest[] = {62, 0, 1};
    path_bench *b = path_scheduler_slot.bench_new(&path_scheduler_config, 0);
    ck_assert(unbalanced(b, 2, longest[_i]) < 1);
    ck_assert_str_eq(b->c.complaint, "");
    b = path_scheduler_slot.bench_new(&path_scheduler_rr_config, 0);
    double turns = unbalanced(b, 2, longest[_i]);
    if (_i == 1) ck_assert(turns > 50);
}

/* A path that has been without credit makes up for 2047 words and no more. */
TEST(the_default_pays_back_a_part)
{
    path_bench *b = path_scheduler_slot.bench_new(&path_scheduler_config, 0);
    for (unsigned n = 0; n < 1000; n++) path_step(b, 1, 0x7, 0xf, 62);
    unsigned words = 0;
    while (path_step(b, 1, 0xf, 0xf, 62) == 3) words += 64;
    ck_assert_uint_ge(words, 2047 - 64);
    ck_assert_uint_le(words, 2047 + 64);
}
