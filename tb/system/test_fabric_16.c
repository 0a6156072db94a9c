/* Sixteen nodes with sixteen queues each around a switch of sixteen ports: the largest system that there is, for a short time. */
#include <stdlib.h>

#include "chip_nic16.h"
#include "chip_switch16.h"
#include "scenario_bench.h"

#define SET(b, ...) scenario_bench_set(b, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(sixteen_saturated_ports)
{
    fabric_params p;
    scenario_bench b;
    fabric_params_default(&p, 16, &chip_switch16);
    for (unsigned i = 0; i < 16; i++) p.node[i].nic = &chip_nic16;
    scenario_bench_open(&b, &p);
    SET(&b, "scenario", "uniform", "sizes", "8..496", "measure", "100", "warmup", "20");
    scenario_bench_good(&b);
    for (unsigned from = 0; from < 16; from++)
        for (unsigned to = 0; to < 16; to++) ck_assert_msg(b.x->row[0].flow[from][to].packets > 0, "no packet from %u to %u", from, to);
    scenario_bench_close(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sixteen nodes");
    TCase *t = tcase_create("sixteen");
    tcase_set_timeout(t, 200);
    tcase_add_test(t, sixteen_saturated_ports);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
