#include "bench.h"

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

int run_suite(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *t = tcase_create(name);
    for (size_t i = 0; i < count; i++) tcase_add_test(t, tests[i]);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
