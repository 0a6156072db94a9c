/* Ranks, processes under mpirun that share nodes and switch: the results are those of one process, and they end together. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim");
RUNS("ranks-mpi.so");

TEST_CASE("ranks", .timeout = 300, .teardown = shell_clean);

/* The program, $P to commands. It is built beside the folder tb of this one. */
static void program(void)
{
    char self[300], command[500];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    ck_assert_int_gt(n, 0);
    self[n] = '\0';
    snprintf(command, sizeof command, "%s/../../nicxbar-sim", dirname(self));
    shell_folder();
    ck_assert_int_eq(setenv("P", command, 1), 0);
}

static const struct {
    const char *traffic, *ranks;
} same[] = {
    {"--scenario uniform --sizes 8..496 --warmup 5 --measure 10", "1 2 3 4 5"},
    {"--nodes 3 --scenario hot-spot --sizes 40/496/60 --warmup 5 --measure 10 --load 0.7 --switch-monitor 'weight 1 0 20 flows'", "2 4"},
    {"--nodes 3 --scenario permutation --sizes 248 --warmup 5 --packets 40 --outstanding 4", "3"},
    {"--nodes 2 --scenario ping-pong --sizes 24 --warmup 5 --measure 10 --node-ids 7,3", "3"},
    {"--nodes 2 --direct --scenario one-way --sizes 496 --warmup 5 --measure 10", "2"},
    {"--nodes 2 --scenario uniform --sizes 496 --warmup 1 --measure 1 --window 0", "2"},
};

TEST(results_are_the_same, .to = COUNT(same))
{
    program();
    ck_shell_says(0, "GOOD", "cd $D && mkdir build && $P --no-monitor %s --json one.json", same[_i].traffic);
    ck_shell_says(0, "GOOD",
                  "cd $D && for n in %s; do $P --no-monitor %s --json now.json --ranks $n >out || exit 1; tail -1 out;"
                  " sed -i '/wall_s\\|net_khz\\|rounds_/d' one.json now.json && cmp one.json now.json || exit 1; done",
                  same[_i].ranks, same[_i].traffic);
}

/* A long run of three ranks in the background, and what is done to it when it has begun. */
static void disturb(const char *what)
{
    program();
    shell_says(
        "cd $D && { $P --nodes 4 --scenario uniform --measure 100000 --ranks 3 --json now.json; echo code $?; } >out 2>&1 & "
        "of() { grep -lz \"^OMPI_COMM_WORLD_RANK=$1$\" $(grep -lz \"^PWD=$D$\" /proc/[0-9]*/environ 2>/dev/null) 2>/dev/null | "
        "sed 's/[^0-9]//g'; }; "
        "for i in $(seq 300); do sleep 0.1; ran=$(awk '{ print $14 }' /proc/$(of 0)/stat 2>/dev/null); [ ${ran:-0} -lt 50 ] || break; "
        "done; %s; wait; cat $D/out",
        what);
}

TEST(a_rank_that_dies_ends_all_and_is_named)
{
    disturb("kill -KILL $(of 1)");
    ck_output_has("sim: rank 1 (node0, node1) is gone");
    ck_output_lacks("code 0");
}

TEST(an_interrupt_ends_all_with_what_there_is)
{
    disturb("kill -INT $(ps -o ppid= -p $(of 1))");
    ck_output_has("INTERRUPTED: results in now.json");
    ck_output_has("3 ranks; the first (switch)");
    ck_assert_int_eq(shell("grep -q '\"result\": \"interrupted\"' $D/now.json"), 0);
}

TEST(ranks_that_cannot_be_are_refused)
{
    program();
    ck_shell_says(2, "--ranks 0: expected a number from 1 to 17", "$P --scenario uniform --ranks 0");
    ck_shell_says(2, "--ranks 6: expected 1..5, one for each of 4 nodes and one for the switch", "$P --scenario uniform --ranks 6");
    ck_shell_says(2, "--ranks two: expected", "$P --scenario uniform --ranks two");
    ck_shell_says(2, "--ranks 2: means nothing for a file", "$P --ranks 2");
    ck_shell_says(2, "expected without --faults", "$P --scenario uniform --ranks 2 --faults 'cut node1 at 20us for 5us'");
    ck_shell_says(2, "expected without --sniff", "$P --scenario uniform --ranks 2 --sniff");
    ck_shell_says(2, "--hosts a,b: expected together with --ranks", "$P --scenario uniform --hosts a,b");
    ck_shell_says(1, "scripts/setup.sh ranks installs", "PATH=$D $P --scenario uniform --ranks 2");
}
