/* One way to make a bench's simulation: the sim, its clocks, its models. */
#ifndef TB_SIMULATION_H
#define TB_SIMULATION_H

#include "sim/core/kernel/model.h"
#include "sim/core/kernel/sim.h"
#include "test.h"

/* All of them go after the test (tb/test.h), their waves closed; with SIM_CYCLES in the environment (make cycles
 * TEST=...) each writes before what the probes of its models have counted, into a file of that folder. */
sim *sim_of(const sim_params *params);
/* Without a watchdog, with the seed of the run plus `seed` (make test SEED=7), as SIM_WAVES says. A loud one reports on
 * stderr why a run ended badly; a quiet one is for benches whose test does, and for those that make runs end badly. */
sim *loud_sim(uint64_t seed);
sim *quiet_sim(uint64_t seed);

/* period and phase [ps]; phase -1 = at random */
sim_clock *make_clock(sim *s, const char *name, sim_time period, int64_t phase);

/* Models of any configuration (sim/core/kernel/model.h); what does not fit fails the test with the names. */
sim_model *make_model(sim *s, const sim_config *config, const char *instance);
/* ... with its port `clk` on this clock, all its inputs 0. */
sim_model *make_clocked(sim *s, sim_clock *clk, const sim_config *config, const char *instance);
void clear_inputs(sim_model *m);
/* The model's ports as the binding `type`, and as type_ports. */
#define MODEL_AS(type, model, varying) ((type *)model_as(model, &type##_config, varying))
#define PORTS_AS(type, model) ((const type##_ports *)model_ports_as(model, &type##_config))
void *model_as(sim_model *m, const sim_config *as, const char *varying);
const void *model_ports_as(sim_model *m, const sim_config *as);

/* That many clocks of it; a run that ends before fails the test, with the seed and why. */
void run_clocks(sim *s, const sim_clock *clk, uint64_t clocks);

#endif
