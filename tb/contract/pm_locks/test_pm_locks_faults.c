/* Broken locks that must be rejected. */
#include "faulty_pm_locks_8.h"
#include "pm_locks_contract.h"

static const contract_candidate candidates[] = {{"the broken one, 8 ports", BROKEN_BLOCK, &faulty_pm_locks_8_config}};

static const contract_fault faults[] = {
    {1, "a_lock_has_one_holder_and_is_given", ONE_HOLDER, AS_ANOTHER | NOT_RARELY},
    {2, "a_lock_has_one_holder_and_is_given", ONE_HOLDER, AS_ANOTHER | NOT_RARELY},
    {3, "a_lock_has_one_holder_and_is_given", GIVEN, AS_ANOTHER | NOT_RARELY},
    {4, "a_lock_has_one_holder_and_is_given", FREE, AS_ANOTHER | NOT_RARELY},
    {5, "nobody_starves", CONTRACT_STARVES, NOT_RARELY},
    {6, "reset_begins_anew", CONTRACT_RESET, NOT_RARELY | NOT_LATE},
};

const contract contract_of_program = {&pm_locks_slot, candidates, faults, COUNT(candidates), COUNT(faults)};
