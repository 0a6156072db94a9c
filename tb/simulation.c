#include "simulation.h"

#include "test.h"

#include <stdlib.h>

CLEANUP(sim_free);

sim *sim_of(const sim_params *params)
{
    sim_params p = *params;
    p.cycles = getenv("SIM_CYCLES");
    p.cycles_name = test_name;
    sim *s = sim_new(&p);
    after_test(sim_free_cleanup, s);
    return s;
}

static sim *make_sim(uint64_t seed, int quiet)
{
    sim_params p;
    sim_params_default(&p);
    p.seed += seed;
    p.watchdog = 0;
    p.quiet = quiet;
    return sim_of(&p);
}

sim *loud_sim(uint64_t seed) { return make_sim(seed, 0); }

sim *quiet_sim(uint64_t seed) { return make_sim(seed, 1); }

sim_clock *make_clock(sim *s, const char *name, sim_time period, int64_t phase)
{
    return sim_clock_new(s, &(sim_clock_params){.name = name, .period = period, .phase = phase});
}

sim_model *make_model(sim *s, const sim_config *config, const char *instance)
{
    sim_model *m = config->make(s, instance);
    ck_assert_msg(m != NULL, "%s", sim_error(s));
    return m;
}

void clear_inputs(sim_model *m)
{
    size_t count;
    const sim_port *p = sim_model_ports(m, &count);
    for (; count--; p++)
        for (unsigned lsb = 0; !p->output && lsb < p->bits; lsb += 64)
            sim_port_set_field(p, lsb, p->bits - lsb < 64 ? p->bits - lsb : 64, 0);
}

sim_model *make_clocked(sim *s, sim_clock *clk, const sim_config *config, const char *instance)
{
    sim_model *m = make_model(s, config, instance);
    clear_inputs(m);
    sim_model_clock(m, clk, sim_model_port(m, "clk")->at);
    return m;
}

void *model_as(sim_model *m, const sim_config *as, const char *varying)
{
    void *binding = sim_model_as(m, as, varying);
    ck_assert_msg(binding != NULL, "%s", sim_error(sim_model_sim(m)));
    return binding;
}

const void *model_ports_as(sim_model *m, const sim_config *as)
{
    const void *ports = sim_model_ports_as(m, as);
    ck_assert_msg(ports != NULL, "%s", sim_error(sim_model_sim(m)));
    return ports;
}

void run_clocks(sim *s, const sim_clock *clk, uint64_t clocks)
{
    int result = sim_run(s, sim_now(s) + clocks * sim_clock_period(clk));
    ck_must(result == SIM_TIME_LIMIT, "seed %llu, %llu ps: %s: %s", (unsigned long long)sim_seed(s),
            (unsigned long long)sim_now(s), sim_result_name(result), sim_error(s));
}
