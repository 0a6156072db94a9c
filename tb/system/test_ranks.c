/* Ranks, processes under mpirun that share nodes and switch: the results are those of one process, and they end
 * together. */
#include <stdlib.h>
#include <string.h>

#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim");
RUNS("ranks-mpi.so");
RUNS("full/nicxbar-sim2-default");
RUNS("full/ranks-mpi.so");

TEST_CASE("ranks", .timeout = 300, .teardown = shell_clean);

/* Not in this folder: a name that is not said is one below build. */
static void program(const char *name)
{
    shell_program(name);
    shell_folder();
}

static const struct {
    const char *traffic, *ranks;
} same[] = {
    {"--scenario uniform --sizes 8..496 --warmup 5 --measure 10 --outstanding 4", "1 2 3 4 5"},
    {"--nodes 3 --scenario hot-spot --sizes 40/496/60 --warmup 5 --measure 10 --load 0.7 --switch-monitor 'weight 1 0 "
     "20 flows'",
     "2 4"},
    {"--nodes 3 --scenario permutation --sizes 248 --warmup 5 --packets 40 --outstanding 4", "3"},
    {"--nodes 2 --scenario ping-pong --sizes 24 --warmup 5 --measure 10 --node-ids 7,3", "3"},
    {"--nodes 2 --direct --scenario one-way --sizes 496 --warmup 5 --measure 10", "2"},
    {"--nodes 2 --scenario uniform --sizes 496 --warmup 1 --measure 1 --window 0", "2"},
    {"--file f --both --pci-mhz 133", "2 3"},
    {"--file f --direct --interrupts", "2"},
};

TEST(results_are_the_same, .to = COUNT(same))
{
    program("nicxbar-sim");
    ck_shell_says(0, "GOOD", "cd $D && mkdir build && seq 9000 >f && $P --no-monitor %s --json one.json",
                  same[_i].traffic);
    ck_shell_says(0, "GOOD",
                  "cd $D && for n in %s; do $P --no-monitor %s --json now.json --ranks $n >out || exit 1; tail -1 out;"
                  " sed -i '/wall_s\\|net_khz\\|rounds_\\|pci_clocks_per/d' one.json now.json && cmp one.json now.json "
                  "|| exit 1; done",
                  same[_i].ranks, same[_i].traffic);
}

/* The file and the five tests. */
TEST(the_suite_is_the_same)
{
    program("full/nicxbar-sim2-default");
    ck_shell_says(
        0, "waves in two/w.fst",
        "cd $D && mkdir one two && $P --no-monitor --wave-scopes nic1.one_link --out one --waves one/w.fst >one/out && "
        "$P --no-monitor --wave-scopes nic1.one_link --out two --waves two/w.fst --ranks 2 >two/out && "
        "sed -i '/wall_s/d' one/sim.json two/sim.json && cmp one/sim.json two/sim.json && fst2vcd two/w.fst >vcd && "
        "tail -1 two/out");
}

/* The rank that has it records it. Times without a change are those of other clocks. */
TEST(waves_of_a_node_are_the_same)
{
    static const char traffic[] =
        "--scenario one-way --warmup 2 --measure 4 --wave-from 301us --wave-to 304us --wave-scopes node1,nic1.dma";
    program("full/nicxbar-sim2-default");
    ck_shell_says(
        0, "same",
        "cd $D && $P %s --json json --waves one.fst >out && $P %s --json json --waves two.fst --ranks 3 >out && "
        "for w in one two; do fst2vcd $w.fst | sed '/date/,/end/d' | awk '/^#/ { t = $0; next } t { print t; t = 0 } "
        "1' >$w; done; "
        "[ $(wc -l <one) -gt 10000 ] && cmp one two && echo same",
        traffic, traffic);
    ck_shell_says(1, "waves: no scope nic1.lnk",
                  "cd $D && $P --scenario uniform --ranks 2 --json json --waves w.fst --wave-scopes nic1.lnk");
    ck_shell_says(2, "of 3 ranks 0 has xbar, 1 has node0", "$P --ranks 3 --waves $D/w.fst --wave-scopes xbar,node0");
    ck_shell_says(2, "expected names that begin with node0 to node1, nic0 to nic1, xbar",
                  "$P --ranks 3 --waves $D/w.fst --wave-scopes host1");
    ck_shell_says(2, "--ranks 3: expected with --waves also --wave-scopes", "$P --ranks 3 --waves $D/w.fst");
}

/* A long run of three ranks in the background, and an action on it when it has begun. */
static void disturb(const char *what)
{
    program("nicxbar-sim");
    shell_says("cd $D && { $P --nodes 4 --scenario uniform --measure 100000 --ranks 3 --json now.json; echo code $?; } "
               ">out 2>&1 & "
               "of() { grep -lz \"^OMPI_COMM_WORLD_RANK=$1$\" $(grep -lz \"^PWD=$D$\" /proc/[0-9]*/environ "
               "2>/dev/null) 2>/dev/null | "
               "sed 's/[^0-9]//g'; }; parent() { ps -o ppid= -p $1; }; "
               "for i in $(seq 300); do sleep 0.1; ran=$(awk '{ print $14 }' /proc/$(of 0)/stat 2>/dev/null); [ "
               "${ran:-0} -lt 50 ] || break; "
               "done; %s; wait; cat $D/out",
               what);
}

TEST(a_rank_that_crashes_ends_all_and_is_named)
{
    disturb("kill -KILL $(of 1)");
    /* mpirun of Open MPI 5 and newer kills the other ranks at once, before they can report it, and names the rank
     * itself */
    const int by_mpirun = strstr(shell_output, "noticed that process rank 1 with PID") &&
                          !shell("mpirun --version | grep -q ' [5-9][.]'");
    if (!by_mpirun) ck_output_has("sim: rank 1 (node0, node1) is gone");
    ck_output_has("code 137");
}

TEST(an_interrupt_ends_all_with_what_there_is)
{
    disturb("kill -INT $(parent $(parent $(of 1)))");
    ck_output_has("INTERRUPTED: results in now.json");
    ck_output_has("3 ranks; the first (switch)");
    ck_output_has("code 130");
    ck_assert_int_eq(shell("grep -q '\"result\": \"interrupted\"' $D/now.json"), 0);
}

TEST(ranks_that_cannot_be_are_refused)
{
    program("nicxbar-sim");
    ck_shell_says(2, "--ranks 0: expected a number from 1 to 17", "$P --scenario uniform --ranks 0");
    ck_shell_says(2, "--ranks 6: expected 1..5, one for each of 4 nodes and one for the switch",
                  "$P --scenario uniform --ranks 6");
    ck_shell_says(2, "--ranks two: expected", "$P --scenario uniform --ranks two");
    ck_shell_says(2, "--ranks 2: means nothing for a soak", "$P --soak --ranks 2");
    ck_shell_says(2, "expected without --faults",
                  "$P --scenario uniform --ranks 2 --faults 'cut node1 at 20us for 5us'");
    ck_shell_says(2, "expected without --sniff", "$P --scenario uniform --ranks 2 --sniff");
    ck_shell_says(1, "scripts/setup.sh ranks installs", "PATH=$D $P --scenario uniform --ranks 2");
    ck_shell_says(2, "RANKS=6: expected 1..5, one for each of 4 nodes and one for the switch", "make sim RANKS=6");
    ck_shell_says(2, "RANKS=2: expected without CAPTURE, which looks at several nodes at once",
                  "make sim RANKS=2 CAPTURE=f");
}

TEST(machines_that_cannot_be_reached_are_refused)
{
    program("nicxbar-sim");
    ck_shell_says(2, "--hosts a,b: expected together with --ranks", "$P --scenario uniform --hosts a,b");
    ck_shell_says(2, "--hosts no.such.machine.invalid,localhost: no.such.machine.invalid: ",
                  "$P --ranks 2 --hosts no.such.machine.invalid,localhost");
    shell_put("ssh", "#!/bin/sh\nexit ${CODE:-1}\n");
    shell_put("hosts", "localhost slots=1 # this\n192.0.2.1 slots=1\n");
    ck_shell_says(1, "there is no ", "chmod +x $D/ssh && PATH=$D:$PATH $P --ranks 2 --hosts $D/hosts");
    ck_output_has("on 192.0.2.1; expected this folder, built, under the same path");
    ck_shell_says(1, "ssh 192.0.2.1 fails; expected a login without a password",
                  "CODE=255 PATH=$D:$PATH $P --ranks 2 --hosts 192.0.2.1:2");
}
