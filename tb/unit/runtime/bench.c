#include "bench.h"

#include <signal.h>
#include <stdlib.h>

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

int run_suite_with_crashes(const char *name, const TTest *const *tests, size_t count, const TTest *const *crashes, size_t crash_count)
{
    Suite *suite = suite_create(name);
    TCase *t = tcase_create(name);
    for (size_t i = 0; i < count; i++) tcase_add_test(t, tests[i]);
    SRunner *r = srunner_create(suite);
#ifndef __SANITIZE_ADDRESS__
    for (size_t i = 0; i < crash_count && srunner_fork_status(r) == CK_FORK; i++) tcase_add_test_raise_signal(t, crashes[i], SIGSEGV);
#else
    (void)crashes, (void)crash_count;
#endif
    suite_add_tcase(suite, t);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
