#include "contract.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

sim_time contract_waves_from;

void *contract_bench_new(size_t size, sim_time period, const sim_config *config, unsigned fault)
{
    contract_bench *b = test_memory(size);
    sim_params p;
    sim_params_default(&p);
    p.watchdog = 0;
    p.quiet = 1;
    p.patience = 2; /* blocks are small */
    p.waves_from = contract_waves_from;
    if (contract_waves_from == SIM_FOREVER) p.waves = NULL;
    b->s = sim_of(&p);
    b->model = make_model(b->s, config, "candidate");
    clear_inputs(b->model);
    if (period) {
        b->clk = make_clock(b->s, "clk", period, (int64_t)period / 2);
        sim_model_clock(b->model, b->clk, sim_model_port(b->model, "clk")->at);
    }
    size_t count;
    const sim_port *port = sim_model_ports(b->model, &count);
    for (; count--; port++)
        if (!strcmp(port->name, "fault")) sim_port_set(port, fault);
    return b;
}

void contract_clocks(void *bench, unsigned clocks)
{
    contract_bench *b = bench;
    if (b->rule) return;
    if (sim_run(b->s, sim_now(b->s) + clocks * sim_clock_period(b->clk)) != SIM_TIME_LIMIT)
        contract_complain(b, CONTRACT_ENDS, "the simulation ended: %s", sim_error(b->s));
}

unsigned contract_below(void *bench, unsigned n) { return (unsigned)sim_random_below(((contract_bench *)bench)->s, n); }

void contract_turn(void *bench, unsigned who)
{
    contract_bench *b = bench;
    b->turns++;
    if (who < CONTRACT_MOST) b->turns_of[who]++;
}

void contract_all_ask(void *bench, unsigned asking)
{
    contract_bench *b = bench;
    b->asking = asking;
    memset(b->turns_of, 0, sizeof b->turns_of);
}

void contract_chosen(void *bench, double clocks)
{
    contract_bench *b = bench;
    b->latency.choices++;
    b->latency.clocks += clocks;
    if (clocks > b->latency.most) b->latency.most = clocks;
}

void contract_passed(void *bench, const char *who, int number, uint64_t passed, uint64_t limit)
{
    contract_bench *b = bench;
    char which[12] = "";
    if (passed * b->longest_wait.limit >= b->longest_wait.passed * limit) {
        b->longest_wait.passed = passed;
        b->longest_wait.limit = limit;
    }
    if (passed <= limit) return;
    if (number >= 0) snprintf(which, sizeof which, " %d", number);
    contract_complain(b, CONTRACT_STARVES, "%s%s starves: passed by %" PRIu64 " of others, limit %" PRIu64, who, which,
                      passed, limit);
}

void contract_complain(void *bench, int rule, const char *format, ...)
{
    contract_bench *b = bench;
    va_list list;
    if (b->rule) return;
    b->rule = rule;
    b->clock = sim_clock_cycles(b->clk);
    b->time = sim_now(b->s);
    va_start(list, format);
    vsnprintf(b->complaint, sizeof b->complaint, format, list);
    va_end(list);
}
