/* nicxbar-sim with models that record waves and show their probes; and that they do exactly what those built for speed do. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crossbar2.h"
#include "fast_run.h"
#include "full_models.h"
#include "model.h"
#include "program_bench.h"
#include "test.h"

const program_chips program_under_test = {&crossbar2_config, &nic_config, NULL};

TEST_CASE("full", .timeout = 120, .setup = program_set_up, .teardown = shell_clean);

TEST(waves_of_the_tests_are_of_the_tests)
{
    char waves[64];
    struct stat s;
    snprintf(waves, sizeof waves, "%s/sim.fst", shell_folder());
    PROGRAM(0, "--nodes", "2", "--waves", waves, "--no-monitor");
    HAS("287 of 300", "short for the waves", ", waves in /tmp");
    ck_assert_int_eq(stat(waves, &s), 0);
    ck_assert_int_gt(s.st_size, 1000000);
    ck_assert_int_lt(s.st_size, 300000000);
}

TEST(cycles_of_all_modules_stand_behind_the_tests)
{
    PROGRAM(0, "--payload", "30", "--no-monitor", "--interrupts", "--cycles");
    HAS(" 240 ", " 8..240 ", "GOOD", "switch_port");
    PROGRAM(0, "--scenario", "uniform", "--measure", "30", "--memory", "sdram", "--cycles");
    HAS("GOOD", "voq");
}

RUNS("tb/system/test_fast_build");

/* Where that program is: beside the folder full, or beside this program. */
static void fast_program(char *path, size_t size)
{
    char self[300];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    ck_assert_int_gt(n, 0);
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    char *full = strstr(self, "/full/tb/");
    if (full) memmove(full, full + 5, strlen(full + 5) + 1);
    snprintf(path, size, "%s/test_fast_build", self);
}

TEST(models_built_for_speed_do_the_same_bit_by_bit)
{
    char path[320];
    fast_program(path, sizeof path);
    PROGRAM(0, FAST_RUN(shell_folder()));
    HAS("GOOD: results in");
    ck_assert_int_eq(shell_says("mkdir $D/fast && FAST_RUN=$D/fast CK_RUN_CASE=run %s", path), 0);
    ck_shell_says(0, "results.json\nxbar.pins\n",
                  "sed -i '/wall_s\\|net_khz/d' $D/results.json $D/fast/results.json; cd $D/fast && "
                  "for f in *; do cmp $f ../$f || exit 1; done && ls");
    ck_output_has("nic0.pins\nnic1.pins\n");
}
