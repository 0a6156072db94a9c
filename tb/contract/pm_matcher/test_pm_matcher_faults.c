/* A broken matcher that must be rejected. */
#include "faulty_pm_matcher_8.h"
#include "pm_matcher_contract.h"

static const contract_candidate candidates[] = {{"the broken one, 8 ports", BROKEN_BLOCK, &faulty_pm_matcher_8_config}};

static const contract_fault faults[] = {
    {1, "pairs_are_made_of_requests", AMONG, ALSO_RARELY},
    {2, "pairs_are_made_of_requests", ONE_EACH, NOT_RARELY | AS_ANOTHER},
    {3, "pairs_are_made_of_requests", SOME, NOT_RARELY},
    {4, "pairs_are_made_of_requests", ASKED, NOT_RARELY},
    {5, "no_pair_starves", CONTRACT_STARVES, NOT_RARELY},
    {6, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE | AS_ANOTHER},
};

const contract contract_of_program = {&pm_matcher_slot, candidates, faults, COUNT(candidates), COUNT(faults)};
