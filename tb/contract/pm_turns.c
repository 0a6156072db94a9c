#include "pm_turns.h"

#include <string.h>

#include "sim/core/kernel/splitmix64.h"

void *turn_bench_new(size_t size, const sim_config *config, unsigned fault)
{
    turn_bench *b = contract_bench_new(size, 3200, config, fault);
    b->flows = (unsigned)sim_config_parameter(config, "FLOWS", 16);
    b->mode = (unsigned)sim_config_parameter(config, "PACKET_MODE", 0);
    b->rst = sim_model_port(b->c.model, "rst");
    b->weight_write = sim_model_port(b->c.model, "weight_write");
    b->weight_flow = sim_model_port(b->c.model, "weight_flow");
    b->weight_value = sim_model_port(b->c.model, "weight");
    return b;
}

unsigned turn_below(void *bench, unsigned n)
{
    turn_bench *b = bench;
    return b->random_state ? (unsigned)(splitmix64(&b->random_state) >> 32) % n : contract_below(b, n);
}

uint32_t turn_all(const turn_bench *b) { return (1u << b->flows) - 1; }

uint32_t turn_some(void *bench)
{
    turn_bench *b = bench;
    return turn_below(b, 1u << b->flows);
}

void turn_passes(void *bench, unsigned who, unsigned words, uint32_t could)
{
    turn_bench *b = bench;
    unsigned weights = 0;
    contract_turn(b, who);
    contract_chosen(b, 0);
    for (unsigned f = 0; f < b->flows; f++) weights += b->weight[f];
    for (unsigned f = 0; f < b->flows; f++) {
        if (f == who || !(could >> f & 1)) {
            b->passed[f] = 0;
            continue;
        }
        b->passed[f] += words;
        contract_passed(b, "flow", (int)f, b->passed[f] / SEGMENT,
                        (uint64_t)CONTRACT_PATIENCE * (weights - b->weight[f]));
    }
}

void turn_weight(void *bench, unsigned flow, unsigned weight)
{
    turn_bench *b = bench;
    sim_port_set(b->weight_write, 1);
    sim_port_set(b->weight_flow, flow);
    sim_port_set(b->weight_value, weight);
    b->weight[flow] = weight;
    memset(b->passed, 0, sizeof b->passed);
}

void turn_reset(void *bench)
{
    turn_bench *b = bench;
    sim_port_set(b->weight_write, 0);
    sim_port_set(b->rst, 1);
    contract_clocks(b, 3);
    sim_port_set(b->rst, 0);
    for (unsigned f = 0; f < b->flows; f++) b->weight[f] = 1;
    memset(b->passed, 0, sizeof b->passed);
}

void turn_sequence(void *bench, uint64_t (*step)(void *bench), void (*reset)(void *bench))
{
    turn_bench *b = bench;
    reset(b);
    b->random_state = 1;
    for (unsigned n = 0; n < STORY && !b->c.rule; n++) {
        uint64_t seen = step(b);
        if (!b->known) b->first[n] = seen;
        else if (seen != b->first[n] && !b->c.rule)
            contract_complain(b, CONTRACT_RESET, "%u clocks after reset it does otherwise than after another reset", n);
    }
    b->random_state = 0;
    b->known = true;
    reset(b);
}
