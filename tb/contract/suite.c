#include "suite.h"

#include <string.h>

static const contract *const now = &contract_of_suite;

static void keeps(unsigned candidate)
{
    char complaint[CONTRACT_COMPLAINT];
    for (unsigned i = 0; i < now->checks(); i++)
        if (now->judge(candidate, 0, i, complaint))
            ck_abort_msg("%s breaks the contract in %s: %s", now->candidate[candidate].name, now->check_name(i), complaint);
}

/* The first candidate of a kind, or where it would be. */
static int first(int kind)
{
    int i = 0;
    while (i < (int)now->candidates && (int)now->candidate[i].is < kind) i++;
    return i;
}

TEST_CASE("slot", .timeout = 300);

TEST(the_block_in_the_slot_keeps_the_contract, .from = first(IN_SLOT), .to = first(OTHER_BLOCK))
{
    keeps((unsigned)_i);
}

TEST_CASE("other", .timeout = 300);

TEST(another_block_keeps_the_contract, .from = first(OTHER_BLOCK), .to = first(BROKEN_BLOCK))
{
    keeps((unsigned)_i);
}

TEST_CASE("broken", .timeout = 300);

TEST(without_a_fault_it_passes, .from = first(BROKEN_BLOCK), .to = (int)now->candidates)
{
    keeps((unsigned)_i);
}

TEST(a_broken_block_is_caught, .to = (int)now->faults)
{
    const contract_fault *f = &now->fault[_i];
    unsigned check = 0, judged = 0;
    while (check < now->checks() && strcmp(now->check_name(check), f->check)) check++;
    ck_assert_msg(check < now->checks(), "no check %s", f->check);
    for (unsigned i = 0; i < now->candidates; i++) {
        char complaint[CONTRACT_COMPLAINT] = "";
        if (now->candidate[i].is != BROKEN_BLOCK) continue;
        ck_assert_msg(now->judge(i, f->fault, check, complaint) != 0, "%s: fault %u passes %s", now->candidate[i].name, f->fault, f->check);
        ck_assert_msg(strstr(complaint, f->says) != NULL, "%s: fault %u: %s", now->candidate[i].name, f->fault, complaint);
        judged++;
    }
    ck_assert_uint_gt(judged, 0);
}
