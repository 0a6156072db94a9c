/* What the runtime's tests share. */
#ifndef TB_RUNTIME_BENCH_H
#define TB_RUNTIME_BENCH_H

#include <check.h>

#include "sim.h"

/* A quiet sim without watchdog, seed as given by SIM_SEED. */
sim *quiet_sim(void);
sim_clock *make_clock(sim *s, const char *name, sim_time period, int64_t phase);
/* main() of a test program: runs one suite, honours Check's environment. The crashes are tests that must end by SIGSEGV; they are left
 * out under a sanitizer, which ends them otherwise, and without forks. */
int run_suite_with_crashes(const char *name, const TTest *const *tests, size_t count, const TTest *const *crashes, size_t crash_count);
#define RUN_SUITE(name, tests) run_suite_with_crashes(name, tests, sizeof tests / sizeof tests[0], NULL, 0)

#endif
