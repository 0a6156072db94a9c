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

static const contract_candidate candidates[] = {
    {"the block in the slot, 2 inputs", IN_SLOT, &slot_scheduler_2_config},
    {"the block in the slot, 5 inputs", IN_SLOT, &slot_scheduler_5_config},
    {"the block in the slot, 8 inputs", IN_SLOT, &slot_scheduler_8_config},
    {"the block in the slot, 16 inputs", IN_SLOT, &slot_scheduler_16_config},
    {"output_scheduler_wrr", OTHER_BLOCK, &output_scheduler_wrr_config},
    {"the broken one", BROKEN_BLOCK, &faulty_output_scheduler_config},
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
