/* What the runtime's tests share. */
#ifndef TB_RUNTIME_BENCH_H
#define TB_RUNTIME_BENCH_H

#include "sim.h"
#include "test.h"

/* A quiet sim without watchdog, seed as given by SIM_SEED. */
sim *quiet_sim(void);
sim_clock *make_clock(sim *s, const char *name, sim_time period, int64_t phase);

#endif
