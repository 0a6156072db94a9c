/* Delays of a run: the 99 % quantile over its whole range, and none of a run that is unstable. */
#include <jansson.h>
#include <math.h>

#include "sim/app/packet_mode/pm_setup.h"
#include "test.h"

static pm_statistics *some_packets(unsigned packets, double delay)
{
    pm_statistics *s = pm_statistics_new(4, 0, 1000, 1);
    ck_assert_ptr_nonnull(s);
    for (unsigned k = 0; k < packets; k++) {
        pm_left left = {.words = 10, .first = 1000ull * k / packets, .delay = delay, .ideal = delay / 2};
        pm_statistics_packet(s, &left);
    }
    return s;
}

/* By clocks up to 2^16, by units of 64 clocks above, and not known above PM_P99_MOST units. */
TEST(the_quantile_has_no_end_that_is_not_reported)
{
    static const double delays[] = {100, 65535, 70000, 64.0 * PM_P99_MOST - 1, 64.0 * PM_P99_MOST};
    static const double p99[] = {100 / 64.0, 65535 / 64.0, 1093, PM_P99_MOST - 1, NAN};
    for (unsigned k = 0; k < 5; k++) {
        pm_statistics *s = some_packets(200, delays[k]);
        pm_result r = {0};
        pm_statistics_results(s, NULL, &r);
        ck_assert_msg(r.all.p99 == p99[k] || (isnan(p99[k]) && isnan(r.all.p99)), "of delays of %.0f: %f, expected %f",
                      delays[k], r.all.p99, p99[k]);
        ck_assert_double_eq_tol(r.all.mean, delays[k] / 64, 1e-6);
        ck_assert_double_eq(r.all.words, 10);
        pm_statistics_free(s);
    }
}

/* Wherever the result of a stable run has a delay that of an unstable one has null; throughput and packets stay. */
TEST(an_unstable_run_has_no_delay)
{
    static const char *const of[] = {"all", "shorter", "ideal"}, *const delays[] = {"mean", "weighted", "p99",
                                                                                    "deviation"};
    static const char *const lists[] = {"parts", "weighted_parts", "flow_means"};
    pm_setup setup = pm_setup_default();
    setup.arch = "sm";
    setup.ports = 4;
    for (int unstable = 0; unstable < 2; unstable++) {
        pm_statistics *s = some_packets(200, 640);
        pm_result r = {.unstable = unstable};
        pm_ideal ideal = {0};
        for (uint64_t k = 0; k < 1000; k++) {
            pm_statistics_word(s, k, 0, 0);
            pm_statistics_backlog(s, k, 0, &ideal);
        }
        pm_statistics_results(s, NULL, &r);
        json_t *all = pm_result_json(&setup, &r, NULL), *measures = json_object_get(all, "measures");
        for (unsigned k = 0; k < 3; k++) {
            const json_t *list = json_object_get(all, lists[k]);
            for (unsigned i = 0; i < 4; i++)
                ck_assert_int_eq(json_is_null(json_object_get(json_object_get(all, of[k]), delays[i])), unstable);
            for (size_t i = 0; i < json_array_size(list); i++)
                ck_assert_int_eq(json_is_null(json_array_get(list, i)), unstable);
        }
        for (unsigned m = 0; m < PM_SHORTER; m++)
            ck_assert_int_eq(
                json_is_null(json_object_get(json_object_get(measures, pm_measure_names[m]), "controlled")), unstable);
        ck_assert_double_eq_tol(json_real_value(json_object_get(all, "throughput")), 0.25, 1e-9);
        ck_assert_double_eq_tol(json_real_value(json_object_get(json_object_get(measures, "throughput"), "mean")), 0.25,
                                1e-9);
        ck_assert_int_eq((int)json_integer_value(json_object_get(json_object_get(all, "all"), "packets")), 200);
        json_decref(all);
        pm_ideal_free(&ideal);
        pm_statistics_free(s);
    }
}
