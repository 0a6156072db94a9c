#include "bench.h"

sim *quiet_sim(void)
{
    sim_params p;
    sim_params_default(&p);
    p.quiet = 1;
    p.watchdog = 0;
    return sim_new(&p);
}

sim_clock *make_clock(sim *s, const char *name, sim_time period, int64_t phase)
{
    return sim_clock_new(s, &(sim_clock_params){.name = name, .period = period, .phase = phase});
}
