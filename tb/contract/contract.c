#include "contract.h"

#include <stdio.h>

sim *contract_sim(sim_time period, sim_clock **clk)
{
    sim_params p;
    sim_params_default(&p);
    p.watchdog = 0;
    p.quiet = 1;
    sim *s = sim_new(&p);
    *clk = sim_clock_new(s, &(sim_clock_params){.name = "clk", .period = period, .phase = period / 2});
    return s;
}

void contract_complain(char complaint[CONTRACT_COMPLAINT], uint64_t clock, const char *format, va_list list)
{
    if (complaint[0]) return;
    int at = snprintf(complaint, CONTRACT_COMPLAINT, "clock %llu: ", (unsigned long long)clock);
    vsnprintf(complaint + at, CONTRACT_COMPLAINT - (size_t)at, format, list);
}
