/* The contract of the slot "VOQ scheduler": every candidate keeps it, every broken one is caught. */
#include "faulty_voq_scheduler.h"
#include "slot_voq_scheduler_1.h"
#include "slot_voq_scheduler_16.h"
#include "slot_voq_scheduler_8.h"
#include "suite.h"
#include "voq_scheduler_contract.h"

VOQ_SCHEDULER_CANDIDATE(slot_voq_scheduler_1, 1)
VOQ_SCHEDULER_CANDIDATE(slot_voq_scheduler_8, 8)
VOQ_SCHEDULER_CANDIDATE(slot_voq_scheduler_16, 16)

static unsigned fault;
VOQ_SCHEDULER_CANDIDATE(faulty_voq_scheduler, 8)

static void open_faulty(voq_scheduler_bench *b)
{
    open_faulty_voq_scheduler(b);
    *((faulty_voq_scheduler *)b->model)->fault = (uint8_t)fault;
}

static voq_scheduler_opener *const opener[] = {open_slot_voq_scheduler_1, open_slot_voq_scheduler_8, open_slot_voq_scheduler_16,
                                               open_faulty};
static const contract_candidate candidates[] = {
    {"the block in the slot, 1 queue", IN_SLOT},
    {"the block in the slot, 8 queues", IN_SLOT},
    {"the block in the slot, 16 queues", IN_SLOT},
    {"the broken one", BROKEN_BLOCK},
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
