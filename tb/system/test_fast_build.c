/* Programs whose models are built for speed: they refuse what they cannot do, and name a program that can. That they do
 * the same as others is checked in test_full_build. */
#include <stdlib.h>
#include <string.h>

#include "crossbar2.h"
#include "fast_run.h"
#include "program_bench.h"
#include "sim/core/kernel/model.h"
#include "simulation.h"
#include "test.h"

#define RESULTS_SUM "2927348676 4139"

const program_chips program_under_test = {&crossbar2_config, &nic_config, NULL};

TEST_CASE("fast", .timeout = 120, .setup = program_set_up, .teardown = shell_clean);

/* With make test WAVES=1 this program has full models. */
static int fast(void) { return !nic_config.waves; }

TEST(waves_and_cycles_are_refused_with_the_program_that_has_them)
{
    if (!fast()) return;
    PROGRAM(2, "--waves", "/tmp/x.fst");
    HAS("--waves: this program is built for speed",
        "expected build/full/nicxbar-sim*, which make sim WAVES=1, make sim TRACE=1 and make cycles build");
    PROGRAM(2, "--cycles");
    HAS("--cycles: this program is built for speed");
}

TEST(a_simulation_without_waves_says_so)
{
    sim_params p;
    if (!fast()) return;
    sim_params_default(&p);
    p.quiet = 1;
    p.waves = "/tmp/never.fst";
    sim *s = sim_of(&p);
    make_model(s, &nic_config, "nic0");
    ck_assert_int_eq(sim_waves_start(s), -1);
    ck_assert_str_eq(
        sim_error(s),
        "waves: this program has models built for speed, without waves (nic0): the same below build/full has them");
}

TEST_CASE("run", .timeout = 120, .setup = program_set_up, .teardown = shell_clean);

/* Its results stay in the folder FAST_RUN of the environment, if there is one. */
TEST(a_run_with_faults_is_good)
{
    const char *folder = getenv("FAST_RUN");
    if (folder) snprintf(json_path, sizeof json_path, "%s/results.json", folder);
    PROGRAM(0, FAST_RUN(folder ? folder : shell_folder()));
    HAS("GOOD: results in");
}

/* Results of a run whose registers start at 0, without times, as a checksum: every version of Verilator gives it.
 * Numbers are printed by Python, since versions of jansson print other digits. A change of the RTL's timing or of the
 * table changes it, too: then the test shows the new one. At values of the seed the sum is another one. */
TEST(from_registers_at_0_every_verilator_gives_the_same_results)
{
    for (int zero = 0; zero < 2; zero++) {
        PROGRAM(0, "--nodes", "2", "--scenario", "uniform", "--measure", "30", "--seed", "4", "--initial",
                zero ? "0" : "random");
        ck_assert_int_eq(shell_says("sed '/wall_s\\|net_khz\\|rounds_/d' %s | ${PYTHON:-python3} -c \"import re, sys; "
                                    "print(re.sub('[0-9]+[.][0-9]+', lambda n: repr(float(n[0])), sys.stdin.read()))\" "
                                    "| cksum | tr -d '\\n'",
                                    json_path),
                         0);
        ck_assert_msg(zero == !strcmp(shell_output, RESULTS_SUM), "initial %d: expected %s%s, got %s", zero,
                      zero ? "" : "other than ", RESULTS_SUM, shell_output);
    }
}
