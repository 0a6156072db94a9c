/* What the runtime's tests share. */
#ifndef TB_RUNTIME_BENCH_H
#define TB_RUNTIME_BENCH_H

#include <check.h>

#include "sim.h"

/* A quiet sim without watchdog, seed as given by SIM_SEED. */
sim *quiet_sim(void);
sim_clock *make_clock(sim *s, const char *name, sim_time period, int64_t phase);
/* main() of a test program: runs one suite, honours Check's environment. */
int run_suite(const char *name, const TTest *const *tests, size_t count);
#define RUN_SUITE(name, tests) run_suite(name, tests, sizeof tests / sizeof tests[0])

#endif
