#include "contract.h"

#include <stdio.h>
#include <string.h>

sim *contract_sim(sim_time period, sim_clock **clk)
{
    sim *s = quiet_sim(0);
    *clk = make_clock(s, "clk", period, (int64_t)period / 2);
    return s;
}

sim_model *contract_model(sim *s, sim_clock *clk, const sim_config *config, unsigned fault)
{
    sim_model *m = make_model(s, config, "candidate");
    if (clk) sim_model_clock(m, clk, sim_model_port(m, "clk")->at);
    size_t count;
    const sim_port *p = sim_model_ports(m, &count);
    for (; count--; p++)
        if (!strcmp(p->name, "fault")) sim_port_set(p, fault);
    return m;
}

void contract_complain(char complaint[CONTRACT_COMPLAINT], uint64_t clock, const char *format, va_list list)
{
    if (complaint[0]) return;
    int at = snprintf(complaint, CONTRACT_COMPLAINT, "clock %llu: ", (unsigned long long)clock);
    vsnprintf(complaint + at, CONTRACT_COMPLAINT - (size_t)at, format, list);
}
