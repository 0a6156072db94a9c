/* Arrivals, and the ideal switch on them, against queueing theory. */
#include <math.h>

#include "sim/app/packet_mode/pm_traffic.h"
#include "test.h"

static const size_choice sizes[] = {
    {SIZES_BIMODAL, 5, 1024, 0.95}, {SIZES_UNIFORM, 5, 1024, 0}, {SIZES_FIXED, 1024, 1024, 0}};
static const double loads[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};

static pm_traffic traffic(pm_process process, unsigned size, double load, unsigned grain)
{
    pm_traffic t = {.pattern = {.kind = pattern_find("uniform"), .nodes = 16, .sizes = sizes[size], .seed = 1},
                    .process = process,
                    .load = load,
                    .grain = grain};
    if (t.pattern.sizes.low < grain) t.pattern.sizes.low = grain;
    return t;
}

/* Second moment, word by word. */
static double pollaczek_khinchine(const size_choice *z, double load)
{
    double first = 0, second = 0, n = 0;
    for (unsigned w = z->low; w <= z->high; w++) {
        double part = z->kind == SIZES_BIMODAL ? w == z->low ? z->part_low : w == z->high ? 1 - z->part_low : 0 : 1;
        n += part;
        first += part * w;
        second += part * w * w;
    }
    return load / (1 - load) * (second / n) / (2 * first / n);
}

TEST_CASE("ideal", .timeout = 60);

TEST(the_ideal_switch_agrees_with_pollaczek_and_khinchine, .to = 3)
{
    unsigned out = 0;
    for (unsigned k = 0; k < sizeof loads / sizeof loads[0]; k++) {
        pm_traffic t = traffic(PM_INSTANT, (unsigned)_i, loads[k], 1);
        double expected = pollaczek_khinchine(&t.pattern.sizes, loads[k]);
        t.pattern.seed = k + 1;
        pm_ideal_means closed, simulated;
        ck_assert_int_eq(pm_ideal_closed(&t, &closed), 0);
        ck_assert_msg(fabs(closed.mean / expected - 1) < 1e-9, "load %g: closed form %g, expected %g", loads[k],
                      closed.mean, expected);
        ck_assert_int_eq(pm_ideal_simulate(&t, 20000000, 64, -1, &simulated), 0);
        /* an interval of 95 % is missed once in 20 times; twice its half-width never */
        out += fabs(simulated.mean - expected) > simulated.mean_ci;
        ck_assert_msg(fabs(simulated.mean - expected) <= 2 * simulated.mean_ci && simulated.mean_ci < 0.2 * expected,
                      "load %g: %g +- %g clocks, expected %g", loads[k], simulated.mean, simulated.mean_ci, expected);
        ck_assert_msg(fabs(simulated.weighted - expected) <= 2 * simulated.weighted_ci,
                      "load %g: weighted %g +- %g clocks, expected %g", loads[k], simulated.weighted,
                      simulated.weighted_ci, expected);
    }
    ck_assert_msg(out <= 2, "%u of 10 intervals miss", out);
}

TEST(other_arrivals_have_no_closed_form)
{
    pm_ideal_means m;
    pm_traffic t = traffic(PM_POISSON, 0, 0.5, 1);
    ck_assert_int_eq(pm_ideal_closed(&t, &m), -1);
}

/* S3 VI-A: the load requested arrives, whatever the arrivals: words per line and clock within 0.5 %. */
TEST(the_load_is_the_one_asked_for, .to = 3)
{
    static const pm_process processes[] = {PM_POISSON, PM_ONOFF, PM_INSTANT};
    for (unsigned size = 0; size < 3; size++)
        for (unsigned k = 0; k < 10; k += 9)
            for (unsigned grain = 1; grain <= 8; grain += 7) {
                pm_traffic t = traffic(processes[_i], size, loads[k], grain);
                double words = 0, span = 2e7 / loads[k], packets = 0;
                for (unsigned i = 0; i < 16; i++) {
                    pm_stream s;
                    pm_stream_start(&s, &t, i);
                    for (pm_packet p = pm_stream_next(&s); (double)p.first < span; p = pm_stream_next(&s))
                        words += p.words, packets++;
                }
                ck_assert_msg(fabs(words / span / 16 / loads[k] - 1) < 0.005, "size %u, load %g, grain %u: %g", size,
                              loads[k], grain, words / span / 16);
                ck_assert_msg(fabs(words / packets / pm_traffic_mean_words(&t) - 1) < 0.005,
                              "size %u: %g words in the mean, expected %g", size, words / packets,
                              pm_traffic_mean_words(&t));
            }
}

/* Back to back, and to each output its share. */
TEST(saturated_lines_are_never_idle)
{
    pm_traffic t = traffic(PM_SATURATED, 0, 1, 1);
    double words[16] = {0}, all = 0;
    pm_stream s;
    t.pattern.kind = NULL;
    t.zipf = 2;
    pm_stream_start(&s, &t, 3);
    for (uint64_t free = 0; free < 20000000;) {
        pm_packet p = pm_stream_next(&s);
        ck_assert_uint_eq(p.first, free);
        free += p.words;
        words[p.output] += p.words;
        all += p.words;
    }
    /* the sum of 1 / r^2 for r = 1 .. 16 is 1.5843 */
    ck_assert_msg(fabs(words[3] / all - 1 / 1.5843) < 0.02, "share of rank 1: %g", words[3] / all);
    ck_assert_msg(fabs(words[5] / all - 1 / 9.0 / 1.5843) < 0.02, "share of rank 3: %g", words[5] / all);
}
