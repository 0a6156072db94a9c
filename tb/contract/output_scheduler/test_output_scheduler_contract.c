/* The contract of the slot "output scheduler": every candidate keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=output_scheduler BLOCK=name RTL=path. */
#include "faulty_output_scheduler.h"
#include "output_scheduler_fullest.h"
#include "output_scheduler_oldest.h"
#include "output_scheduler_wrr.h"
#include "scheduler_contract.h"
#include "slot_scheduler_16.h"
#include "slot_scheduler_2.h"
#include "slot_scheduler_5.h"
#include "slot_scheduler_8.h"
#include "suite.h"

#define CHECK(...) CONTRACT_CHECK(scheduler_bench, __VA_ARGS__)

/* ---- the checks ---- */

static uint32_t all(const scheduler_bench *b)
{
    return (1u << b->inputs) - 1;
}

CHECK(reset_forgets_everything)
{
    for (int i = 0; i < 5; i++) scheduler_step(b, all(b), i > 2, 0);
    scheduler_reset(b);
    for (int i = 0; i < 20; i++) scheduler_step(b, 0, true, 0);
    scheduler_step(b, 1, true, 0);
    scheduler_drain(b, 6);
    if (b->served[0] != 1) contract_complain(b, "served %u packets after reset, 1 had arrived", b->served[0]);
}

/* A port at work: packets of random sizes, the next choice 3 clocks before the end of the one in flight; sometimes it cannot start the
 * chosen one for a while, sometimes it stops asking. Sources pour and pause. */
static void traffic(scheduler_bench *b, unsigned clocks, bool toggle_enables)
{
    unsigned left = 0, hold = 0;
    for (unsigned n = 0, load = 0; n < clocks && !b->c.complaint[0]; n++) {
        if (n % 512 == 0) load = 1 + contract_below(b, 40);
        uint32_t arrived = 0;
        for (unsigned i = 0; i < b->inputs; i++)
            if (b->packets[i] < 100 && contract_below(b, 300) < load) arrived |= 1u << i;
        if (contract_below(b, 50) == 0) arrived = all(b);
        for (unsigned i = 0; i < b->inputs; i++)
            if (b->packets[i] >= 127) arrived &= ~(1u << i);
        if (toggle_enables && contract_below(b, 40) == 0) scheduler_enable(b, (uint32_t)sim_random(b->c.s) & all(b));
        if (hold) hold--;
        else if (contract_below(b, 60) == 0) hold = contract_below(b, 100);
        bool take = b->choice && left == 0 && hold == 0;
        unsigned units = 6 + 2 * contract_below(b, contract_below(b, 2) ? 4 : 62);
        scheduler_step(b, arrived, left <= 3 && contract_below(b, 30), take ? units : 0);
        left = take ? units : left ? left - 1 : 0;
    }
    scheduler_enable(b, all(b));
    scheduler_drain(b, 6);
    for (unsigned i = 0; i < b->inputs; i++)
        if (b->packets[i]) contract_complain(b, "%u packets of input %u were never served", b->packets[i], i);
}

CHECK(every_packet_is_served_once)
{
    traffic(b, 30000, false);
}
CHECK(enables_may_change_at_any_time)
{
    traffic(b, 20000, true);
}

CHECK(arrivals_and_departures_may_meet)
{
    for (unsigned n = 0; n < 400 && !b->c.complaint[0]; n++)
        scheduler_step(b, b->choice ? 1u << b->chosen_now : n < 2 ? all(b) : 0, true, b->choice ? 6 : 0);
    scheduler_drain(b, 6);
    for (unsigned i = 0; i < b->inputs; i++)
        if (b->packets[i]) contract_complain(b, "%u packets of input %u were never served", b->packets[i], i);
}

CHECK(a_choice_stands_until_taken)
{
    for (unsigned round = 0; round < 3 * b->inputs && !b->c.complaint[0]; round++) {
        scheduler_step(b, 1u << round % b->inputs, true, 0);
        scheduler_step(b, 0, true, 0);
        for (unsigned n = 0; n < 300; n++) {
            if (n == 20) scheduler_enable(b, 0);
            if (n == 40) scheduler_enable(b, all(b));
            scheduler_step(b, n == 10 || n == 100 ? all(b) : 0, n % 7 == 0, 0);
        }
        scheduler_drain(b, 6);
    }
}

CHECK(nothing_is_chosen_unless_asked_for)
{
    scheduler_step(b, all(b), false, 0);
    for (unsigned n = 0; n < 500; n++) scheduler_step(b, n % 50 ? 0 : 1, false, 0);
    scheduler_drain(b, 6);
}

CHECK(disabled_inputs_wait)
{
    for (unsigned i = 0; i < b->inputs && !b->c.complaint[0]; i++) {
        scheduler_enable(b, all(b) & ~(1u << i));
        scheduler_step(b, all(b), true, 0);
        for (unsigned n = 0; n < 200; n++) scheduler_step(b, 0, true, b->choice ? 6 : 0);
        if (b->packets[i] != 1) contract_complain(b, "served input %u, which is disabled", i);
        scheduler_enable(b, 0);
        for (unsigned n = 0; n < 20; n++) scheduler_step(b, 0, true, 0);
        scheduler_enable(b, all(b));
        scheduler_drain(b, 6);
        if (b->packets[i]) contract_complain(b, "input %u was not served after it had been enabled", i);
    }
}

CHECK(counts_127_packets_per_input)
{
    for (unsigned n = 0; n < 127; n++) scheduler_step(b, all(b), false, 0);
    if (b->overflow_seen) contract_complain(b, "overflow at 127 packets");
    scheduler_drain(b, 6);
    for (unsigned i = 0; i < b->inputs; i++)
        if (b->served[i] != 127) contract_complain(b, "input %u: served %u of 127", i, b->served[i]);
}

CHECK(reports_the_128th)
{
    for (unsigned i = 0; i < b->inputs && !b->c.complaint[0]; i++) {
        for (unsigned n = 0; n < 128; n++) scheduler_step(b, 1u << i, false, 0);
        for (unsigned n = 0; n < 4; n++) scheduler_step(b, 0, false, 0);
        if (!b->overflow_seen) contract_complain(b, "no overflow although 128 packets wait at input %u", i);
        b->overflow_seen = false;
        scheduler_reset(b);
    }
}

/* All inputs wait all the time; packets are short or long; one crosspoint is nearly empty beside full ones. */
CHECK(nobody_starves)
{
    unsigned left = 0;
    b->emptiest = contract_below(b, b->inputs);
    for (unsigned n = 0; n < 40000 && !b->c.complaint[0]; n++) {
        uint32_t arrived = 0;
        for (unsigned i = 0; i < b->inputs; i++)
            if (b->packets[i] < 4) arrived |= 1u << i;
        bool take = b->choice && left == 0;
        unsigned units = b->chosen_now % 2 ? 128 : 6;
        scheduler_step(b, arrived, left <= 3, take ? units : 0);
        left = take ? units : left ? left - 1 : 0;
    }
}

/* `choose` and `taken` change between two edges: no output may follow before the next one. */
CHECK(outputs_come_from_registers)
{
    scheduler_step(b, all(b), false, 0);
    scheduler_step(b, 0, false, 0);
    for (int taken = 0; taken < 2; taken++) {
        if (taken)
            while (!b->choice && !b->c.complaint[0]) scheduler_step(b, 0, true, 0);
        const sim_port *in = taken ? &b->p->taken : &b->p->choose;
        const sim_port *out[] = {&b->p->chosen, &b->p->chosen_input, &b->p->chosen_onehot, &b->p->waiting, &b->p->overflow};
        uint64_t before[5];
        sim_port_set(in, 0);
        sim_model_eval(b->c.model);
        for (int i = 0; i < 5; i++) before[i] = sim_port_get(out[i]);
        sim_port_set(in, 1);
        sim_model_eval(b->c.model);
        for (int i = 0; i < 5; i++)
            if (sim_port_get(out[i]) != before[i])
                contract_complain(b, "an output follows `%s` without a clock", taken ? "taken" : "choose");
        sim_port_set(in, 0);
    }
}

/* ---- who is judged ---- */

static const contract_candidate candidates[] = {
    {"the block in the slot, 2 inputs", IN_SLOT, &slot_scheduler_2_config},
    {"the block in the slot, 5 inputs", IN_SLOT, &slot_scheduler_5_config},
    {"the block in the slot, 8 inputs", IN_SLOT, &slot_scheduler_8_config},
    {"the block in the slot, 16 inputs", IN_SLOT, &slot_scheduler_16_config},
    {"output_scheduler_wrr", OTHER_BLOCK, &output_scheduler_wrr_config},
    {"output_scheduler_fullest", OTHER_BLOCK, &output_scheduler_fullest_config},
    {"output_scheduler_oldest", OTHER_BLOCK, &output_scheduler_oldest_config},
    {"the broken one", BROKEN_BLOCK, &faulty_output_scheduler_config},
};

static const contract_fault faults[] = {
    {1, "arrivals_and_departures_may_meet", "waiting is"},
    {2, "a_choice_stands_until_taken", "changed its mind"},
    {3, "disabled_inputs_wait", "chose input"},
    {4, "nothing_is_chosen_unless_asked_for", "nothing was asked for"},
    {5, "every_packet_is_served_once", "chosen_onehot"},
    {6, "nobody_starves", "starves"},
    {7, "every_packet_is_served_once", "no choice after"},
    {8, "counts_127_packets_per_input", "waiting is"},
    {9, "reports_the_128th", "no overflow"},
    {10, "outputs_come_from_registers", "follows `choose`"},
    {11, "reset_forgets_everything", "waiting is"},
    {12, "counts_127_packets_per_input", "waiting is"},
    {13, "disabled_inputs_wait", "waiting is"},
    {14, "every_packet_is_served_once", "in the clock after taken"},
    {15, "disabled_inputs_wait", "waiting is"},
    {16, "a_choice_stands_until_taken", "fell without taken"},
    {17, "counts_127_packets_per_input", "overflow without cause"},
    {30, "nobody_starves", "starves"},
};

CONTRACT(scheduler_bench_new);
