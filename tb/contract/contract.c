#include "contract.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *contract_bench_new(size_t size, sim_time period, const sim_config *config, unsigned fault)
{
    contract_bench *b = test_memory(size);
    b->s = quiet_sim(0);
    b->model = make_model(b->s, config, "candidate");
    clear_inputs(b->model);
    if (period) {
        b->clk = make_clock(b->s, "clk", period, (int64_t)period / 2);
        sim_model_clock(b->model, b->clk, sim_model_port(b->model, "clk")->at);
    }
    size_t count;
    const sim_port *p = sim_model_ports(b->model, &count);
    for (; count--; p++)
        if (!strcmp(p->name, "fault")) sim_port_set(p, fault);
    return b;
}

void contract_clocks(void *bench, unsigned clocks)
{
    contract_bench *b = bench;
    if (b->complaint[0]) return;
    if (sim_run(b->s, sim_now(b->s) + clocks * sim_clock_period(b->clk)) != SIM_TIME_LIMIT)
        contract_complain(b, "the simulation ended: %s", sim_error(b->s));
    b->clock += clocks;
}

unsigned contract_below(void *bench, unsigned n)
{
    return (unsigned)sim_random_below(((contract_bench *)bench)->s, n);
}

void contract_passed(void *bench, const char *who, int number, unsigned passed, unsigned others)
{
    contract_bench *b = bench;
    unsigned limit = CONTRACT_PATIENCE * others;
    char which[12] = "";
    if ((uint64_t)passed * b->longest_wait.limit >= (uint64_t)b->longest_wait.turns * limit) {
        b->longest_wait.turns = passed;
        b->longest_wait.limit = limit;
    }
    if (passed <= limit) return;
    if (number >= 0) snprintf(which, sizeof which, " %d", number);
    contract_complain(b, "%s%s starves: passed by %u of others, limit %u", who, which, passed, limit);
}

void contract_complain(void *bench, const char *format, ...)
{
    contract_bench *b = bench;
    va_list list;
    if (b->complaint[0]) return;
    int at = snprintf(b->complaint, sizeof b->complaint, "clock %llu: ", (unsigned long long)b->clock);
    va_start(list, format);
    vsnprintf(b->complaint + at, sizeof b->complaint - (size_t)at, format, list);
    va_end(list);
}
