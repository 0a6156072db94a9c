/* The contract of the slot "output scheduler": every candidate keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=output_scheduler BLOCK=name RTL=path. */
#include "faulty_output_scheduler.h"
#include "output_scheduler_wrr.h"
#include "scheduler_checks.h"
#include "slot_scheduler_16.h"
#include "slot_scheduler_2.h"
#include "slot_scheduler_5.h"
#include "slot_scheduler_8.h"
#include "suite.h"

SCHEDULER_CANDIDATE(slot_scheduler_2, 2)
SCHEDULER_CANDIDATE(slot_scheduler_5, 5)
SCHEDULER_CANDIDATE(slot_scheduler_8, 8)
SCHEDULER_CANDIDATE(slot_scheduler_16, 16)
SCHEDULER_CANDIDATE(output_scheduler_wrr, 8)

static unsigned fault;
SCHEDULER_CANDIDATE(faulty_output_scheduler, 8)

static void open_faulty(scheduler_bench *b)
{
    open_faulty_output_scheduler(b);
    *((faulty_output_scheduler *)b->model)->fault = (uint8_t)fault;
}

static scheduler_opener *const opener[] = {open_slot_scheduler_2,  open_slot_scheduler_5,     open_slot_scheduler_8,
                                           open_slot_scheduler_16, open_output_scheduler_wrr, open_faulty};
static const contract_candidate candidates[] = {
    {"the block in the slot, 2 inputs", IN_SLOT}, {"the block in the slot, 5 inputs", IN_SLOT},
    {"the block in the slot, 8 inputs", IN_SLOT}, {"the block in the slot, 16 inputs", IN_SLOT},
    {"output_scheduler_wrr", OTHER_BLOCK},        {"the broken one", BROKEN_BLOCK},
};

static const contract_fault faults[] = {
    {1, "arrivals_and_departures_may_meet", "waiting is"},
    {2, "a_choice_stands_until_taken", "changed its mind"},
    {3, "disabled_inputs_wait", "chose input"},
    {4, "nothing_is_chosen_unless_asked_for", "nothing was asked for"},
    {5, "every_packet_is_served_once", "chosen_onehot"},
    {6, "nobody_starves", "has waited for"},
    {7, "every_packet_is_served_once", "no choice after"},
    {8, "counts_127_packets_per_input", "waiting is"},
    {9, "reports_the_128th", "no overflow"},
    {10, "outputs_come_from_registers", "follows `choose`"},
    {11, "reset_forgets_everything", "waiting is"},
    {12, "counts_127_packets_per_input", "waiting is"},
    {13, "disabled_inputs_wait", "waiting is"},
    {14, "every_packet_is_served_once", "in the clock after taken"},
    {15, "every_packet_is_served_once", "waiting is"},
    {16, "a_choice_stands_until_taken", "fell without taken"},
    {17, "counts_127_packets_per_input", "overflow without cause"},
};

CONTRACT(scheduler);
