/* Eight NICs in the lanes of a vector: their state is that of NICs evaluated one by one, and so are all results. */
#include <string.h>

#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim8");

TEST_CASE("lanes", .timeout = 300, .teardown = shell_clean);

static const char *const traffic[] = {
    "--nodes 8 --scenario uniform --sizes 8..496 --warmup 5 --measure 8 --outstanding 4",
    "--nodes 5 --scenario hot-spot --part 0.9 --load 0.8 --sizes 40,496 --warmup 2 --measure 5 --outstanding 8 "
    "--memory sdram "
    "--pci-mhz 133",
};

TEST(results_are_the_same, .to = COUNT(traffic))
{
    shell_program("nicxbar-sim8");
    for (const char *const *o = (const char *const[]){"--lanes 1 --window 0", "--check-lanes", "--threads 2", NULL}; *o;
         o++) {
        int code = shell_says("$P --no-monitor %s %s --json $D/now.json", traffic[_i], *o);
        if (code == 2 && strstr(shell_output, "--check-lanes: expected with lanes"))
            continue; /* none are built here (scripts/lanes.sh) */
        ck_assert_msg(code == 0, "%s: %s", *o, shell_output);
        ck_assert_int_eq(shell_says("cd $D && sed -i '/wall_s\\|net_khz\\|rounds_/d' now.json && "
                                    "{ [ -e one.json ] || cp now.json one.json; } && cmp one.json now.json"),
                         0);
    }
}

TEST(numbers_that_no_program_was_built_for_are_refused)
{
    shell_program("nicxbar-sim8");
    ck_shell_says(2, "--lanes 3: expected 1", "$P --scenario uniform --lanes 3");
    ck_shell_says(2, "--check-lanes: expected with lanes", "$P --scenario uniform --lanes 1 --check-lanes");
    ck_shell_says(2, "LANES=5: expected 1, 4, 8 or 16", "make sim LANES=5");
}
