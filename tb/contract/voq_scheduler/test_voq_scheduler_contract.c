/* The contract of the slot "VOQ scheduler": every candidate keeps it, every broken one is caught. */
#include "faulty_voq_scheduler.h"
#include "slot_voq_scheduler_1.h"
#include "slot_voq_scheduler_16.h"
#include "slot_voq_scheduler_8.h"
#include "suite.h"
#include "voq_scheduler_contract.h"

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

CONTRACT(voq_scheduler);
