/* The bench: reference and the rules that hold in every clock. The checks are in test_output_scheduler_contract.c. */
#include "scheduler_contract.h"

#include <string.h>

#define PERIOD (12800)
/* Clocks from the moment a choice is possible to the choice. */
#define DECISION 2

/* Outputs of the candidate after an edge, against its inputs before it. */
static void look(scheduler_bench *b)
{
    unsigned chosen = (unsigned)sim_port_get(&b->p->chosen), input = (unsigned)sim_port_get(&b->p->chosen_input);
    uint32_t onehot = (uint32_t)sim_port_get(&b->p->chosen_onehot), waiting = (uint32_t)sim_port_get(&b->p->waiting),
             present = 0;

    if (chosen && (input >= b->inputs || onehot != 1u << input))
        contract_complain(b, ONE_HOT, "chosen_input is %u of %u, chosen_onehot 0x%x", input, b->inputs, onehot);
    if (b->choice && !b->was_taken) {
        if (!chosen) contract_complain(b, STANDS, "chosen fell without taken, input %u", b->chosen_now);
        else if (input != b->chosen_now)
            contract_complain(b, STANDS, "changed its mind from input %u to %u", b->chosen_now, input);
    } else if (b->was_taken && chosen) {
        contract_complain(b, GAP, "chosen is high in the clock after taken, input %u", input);
    } else if (chosen && !((b->could[0] | b->could[1]) >> input & 1)) {
        contract_complain(b, b->begun ? ELIGIBLE : CONTRACT_RESET,
                          "chose input %u: it has %u packets, enable is 0x%x, choose was %s", input, b->packets[input],
                          b->enabled, b->asked ? "high" : "low");
    }
    if (chosen && !b->choice) contract_chosen(b, b->idle + 1);
    b->choice = chosen;
    b->chosen_now = input;
    b->idle = chosen || !b->could[0] ? 0 : b->idle + 1;
    if (b->idle >= DECISION)
        contract_complain(b, IN_TIME, "no choice after %d clocks, could be 0x%x", DECISION, b->could[0]);

    for (unsigned i = 0; i < b->inputs; i++)
        if (b->packets[i]) present |= 1u << i;
    if (waiting != present && waiting != b->present)
        contract_complain(b, b->begun ? COUNTS : CONTRACT_RESET,
                          "waiting is 0x%x, packets are at 0x%x, a clock ago at 0x%x", waiting, present, b->present);
    b->present = present;

    if (sim_port_get(&b->p->overflow)) {
        if (!b->overflowed) contract_complain(b, OVERFLOWS, "overflow without cause");
        b->overflow_seen = true;
    }
    if (b->overflowed) b->overflowed--;
}

/* How full the crosspoints are: a scheduler may look at that, whatever it is. */
static void fill(scheduler_bench *b, uint32_t arrived)
{
    if (sim_clock_cycles(b->c.clk) % 8 == 0) b->words[contract_below(b, b->inputs)] = contract_below(b, 512);
    for (unsigned i = 0; i < b->inputs; i++) {
        unsigned words = b->emptiest == SCHEDULER_INPUTS ? b->words[i] : i == b->emptiest ? 1 : 511;
        if (!b->packets[i] && !(arrived >> i & 1)) words = 0;
        if (words == b->shown[i]) continue;
        sim_port_set_field(&b->p->occupancy, 10 * i, 10, words);
        b->shown[i] = words;
    }
}

void scheduler_step(scheduler_bench *b, uint32_t arrived, bool choose, unsigned take_units)
{
    bool take = take_units && b->choice;
    sim_port_set(&b->p->arrived, arrived);
    fill(b, arrived);
    sim_port_set(&b->p->choose, choose);
    sim_port_set(&b->p->taken, take);
    sim_port_set(&b->p->taken_units, take ? take_units : 0);
    contract_clocks(b, 1);

    uint32_t could = 0;
    b->begun |= arrived != 0;
    b->asked = choose;
    for (unsigned i = 0; i < b->inputs; i++) {
        if (arrived >> i & 1) {
            if (b->packets[i] < 127 || (take && b->chosen_now == i)) b->packets[i]++;
            else b->overflowed = 3;
        }
        if (b->packets[i] && b->enabled >> i & 1) could |= 1u << i;
        else b->passed[i] = 0;
    }
    if (take) {
        unsigned i = b->chosen_now;
        if (b->packets[i] == 0) contract_complain(b, ELIGIBLE, "served input %u, which has no packet", i);
        else b->packets[i]--;
        b->served[i]++;
        b->units[i] += take_units;
        b->passed[i] = 0;
        unsigned weights = 0;
        for (unsigned o = 0; o < b->inputs; o++) weights += b->weight[o];
        for (unsigned o = 0; o < b->inputs; o++)
            if (o != i && could >> o & 1)
                contract_passed(b, "input", (int)o, ++b->passed[o], CONTRACT_PATIENCE * (weights - b->weight[o]));
        contract_turn(b, i);
    }
    b->could[1] = b->could[0];
    b->could[0] = choose && !b->choice ? could : 0;
    b->was_taken = take;
    look(b);
}

void scheduler_wires(scheduler_bench *b)
{
    const sim_port *in[] = {&b->p->choose, &b->p->taken};
    const sim_port *out[] = {&b->p->chosen, &b->p->chosen_input, &b->p->chosen_onehot, &b->p->waiting, &b->p->overflow};
    for (int i = 0; i < (b->choice ? 2 : 1); i++) {
        uint64_t before[COUNT(out)];
        sim_port_set(in[i], 0);
        sim_model_eval(b->c.model);
        for (int o = 0; o < COUNT(out); o++) before[o] = sim_port_get(out[o]);
        sim_port_set(in[i], 1);
        sim_model_eval(b->c.model);
        for (int o = 0; o < COUNT(out); o++)
            if (sim_port_get(out[o]) != before[o])
                contract_complain(b, REGISTERS, "`%s` follows `%s` without a clock", out[o]->name, in[i]->name);
        sim_port_set(in[i], 0);
    }
    sim_model_eval(b->c.model);
}

void scheduler_enable(scheduler_bench *b, uint32_t mask)
{
    b->enabled = mask;
    sim_port_set(&b->p->enable, mask);
}

void scheduler_weight(scheduler_bench *b, unsigned input, unsigned weight)
{
    sim_port_set_field(&b->p->weight, 8 * input, 8, weight);
    b->weight[input] = weight ? weight : 1;
    memset(b->passed, 0, sizeof b->passed);
}

void scheduler_reset(scheduler_bench *b)
{
    sim_port_set(&b->p->arrived, 0);
    sim_port_set(&b->p->choose, 0);
    sim_port_set(&b->p->taken, 0);
    sim_port_set(&b->p->rst, 1);
    contract_clocks(b, 3);
    sim_port_set(&b->p->rst, 0);
    memset(b->packets, 0, sizeof b->packets);
    memset(b->passed, 0, sizeof b->passed);
    b->present = b->could[0] = b->could[1] = b->idle = b->overflowed = 0;
    b->choice = b->was_taken = b->begun = false;
    look(b);
}

void scheduler_drain(scheduler_bench *b, unsigned units)
{
    unsigned left = 0, quiet = 0;
    while (quiet < 10 && !b->c.rule) {
        bool take = b->choice && left == 0;
        scheduler_step(b, 0, !take && left <= 3, take ? units : 0);
        left = take ? units : left ? left - 1 : 0;
        quiet = left || b->choice ? 0 : quiet + 1;
    }
}

void *scheduler_bench_new(const sim_config *config, unsigned fault)
{
    scheduler_bench *b = contract_bench_new(sizeof *b, PERIOD, config, fault);
    b->p = PORTS_AS(slot_scheduler_8, b->c.model);
    b->inputs = b->p->enable.bits;
    b->emptiest = SCHEDULER_INPUTS;
    for (unsigned i = 0; i < b->inputs; i++) scheduler_weight(b, i, 1);
    scheduler_enable(b, (1u << b->inputs) - 1);
    scheduler_reset(b);
    return b;
}
