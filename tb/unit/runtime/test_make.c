/* make: what it takes, refuses and hands on; how it is killed, started twice, or in an odd place. */
#include "shell.h"
#include "test.h"

#include <string.h>

TEST_CASE("make", .teardown = shell_clean);

/* The program for each number of nodes, and its limits. Nothing is built. */
static const struct {
    const char *nodes, *program;
} sizes[] = {{"", "nicxbar-sim"},          {"NODES=2", "nicxbar-sim2"},   {"NODES=3", "nicxbar-sim"},
             {"NODES=4", "nicxbar-sim"},   {"NODES=5", "nicxbar-sim8"},   {"NODES=8", "nicxbar-sim8"},
             {"NODES=9", "nicxbar-sim16"}, {"NODES=12", "nicxbar-sim16"}, {"NODES=13", "nicxbar-sim16"},
             {"NODES=16", "nicxbar-sim16"}};

TEST(a_run_takes_the_smallest_switch_that_has_enough_ports, .to = COUNT(sizes))
{
    char expected[64];
    snprintf(expected, sizeof expected, "/%s\n", sizes[_i].program);
    ck_shell_says(
        0, expected,
        "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; make -pq lint %s >$D/all; grep '^simulator :=' $D/all",
        sizes[_i].nodes);
}

/* Each wrong value for links alone: one line with the expectation, nothing else. */
static const struct {
    const char *variables, *message;
} links_faults[] = {
    {"sim LINKS=3", "LINKS=3: expected 1, 2 or 4"},
    {"sim LINKS=2 BOND=bit", "BOND=bit: expected packet or byte (with SWITCHES=0 byte: the bytes of each packet go "
                             "over all links of the cable)"},
    {"sim BOND=byte SWITCHES=0", "BOND=byte: expected together with LINKS=2 or 4"},
    {"sim LINKS=2 BOND=byte", "BOND=byte: expected with SWITCHES=0: links by byte do not pass a switch (S2 2.4)"},
    {"sim LINKS=4 SWITCHES=2", "SWITCHES=2: expected 4, one for each link of a node, or 0"},
    {"sim SWITCHES=2", "SWITCHES=2: expected 1, or 0 (two nodes and a cable)"},
    {"sim LINKS=2 NODES=9", "NODES=9: expected 2 to 8 with LINKS=2"},
    {"sim SWITCH=0 NODES=3", "NODES=3: expected 2 without a switch"},
    {"sim LINKS=2 NIC=1voq", "NIC=1voq: expected default or monitored with links by packet (both have 4splits)"},
    {"sim LINKS=2 SWITCHES=0 BOND=byte NIC=1voq", "NIC=1voq: expected default, 4splits or monitored with BOND=byte"},
    {"sim LINKS=2 SWITCH=traced", "SWITCH=traced: expected 1, without tracing memories, with LINKS=2"},
    {"sim LINKS=2 RANKS=2", "RANKS=2: expected none with LINKS=2"},
    {"sim LINKS=2 NODE_IDS=0,1,2,8", "NODE_IDS=0,1,2,8: expected 0 to 7 with links by packet"},
    {"sim LINKS=2 PATHS=", "PATHS=: expected different links of 0..1, one at least"},
    {"sim LINKS=4 PATHS=0,2,0", "PATHS=0,2,0: expected different links of 0..3"},
    {"sim LINKS=2 PATHS=2", "PATHS=2: expected different links of 0..1"},
    {"sim LINKS=2 PATHS=0,", "PATHS=0,: expected different links of 0..1"},
    {"sim PATHS=0", "PATHS=0: expected together with several links by packet"},
    {"sim LINKS=2 PATH_LATENCY=19,23", "PATH_LATENCY=19,23: expected 2 numbers of clocks, 20 to 100000 each"},
    {"sim LINKS=4 PATH_LATENCY=23,23", "PATH_LATENCY=23,23: expected 4 numbers of clocks"},
    {"sim LINKS=2 SWITCHES=0 PATH_LATENCY=23,23",
     "PATH_LATENCY=23,23: expected together with several links by packet and switches"},
    {"sim LINKS=4 SWITCHES=0 BOND=byte SKEW=0,1", "SKEW=0,1: expected a number of ps for each of 4 links"},
    {"sim SKEW=-1", "SKEW=-1: expected a number of ps, 0 to 10000000"},
    {"sim LINKS=2 SKEW=0,1", "SKEW=0,1: expected one cable; that of each path is PATH_LATENCY"},
    {"sim LINKS=2 CUT=1:0:20:5", "CUT=1:0:20:5: is said so now: FAULTS='cut node0.link1 at 20us for 5us"},
    {"sim LINKS=2 FAULTS='cut node2.link2 at 1us for 1us'",
     ": 'cut node2.link2 at 1us for 1us': expected a link of 0..1"},
    {"sim FAULTS='cut node0.link1 at 1us for 1us'", ": 'cut node0.link1 at 1us for 1us': expected a link of 0..0"},
    {"sim LINKS=2 FAULTS='cut node4.link1 at 1us for 1us'", "column 5: 'node4.link1', expected a cable: nodeN, "},
    {"sim LINKS=2 SWITCHES=0 FAULTS='cut node2 at 1us for 1us'", "column 5: 'node2', expected node0, node1, "},
    {"sim NODES=16 FAULTS='cut node16 at 1us for ever'", "column 5: 'node16', expected a cable"},
    {"sim NODES=12 LINKS=2 SWITCHES=2", "NODES=12: expected 2 to 8 with LINKS=2"},
    {"soak LINKS=2 FAULTS='cut node0.link1 at 1us for 1ms'", "expected cuts of up to 900 us"},
    {"soak LINKS=2 FAULTS='cut node0.link1 at 1us for ever'", "expected cuts of up to 900 us"},
    {"figures LINKS=2", "LINKS=2: means something for make sim, cycles, run, soak and microbench only"},
    {"cycles TEST=tb/unit/voq LINKS=2", "LINKS=2: expected without TEST: a test makes its own system"},
};

TEST(wrong_links_are_refused_in_one_line)
{
    for (int i = 0; i < COUNT(links_faults); i++) {
        ck_shell_says(1, links_faults[i].message, "build/nicxbar check %s", links_faults[i].variables);
        ck_assert_ptr_eq(strchr(shell_output, '\n'), strrchr(shell_output, '\n'));
    }
    ck_assert_int_eq(
        shell_says("set -e; build/nicxbar check sim LINKS=4 SWITCHES=4 SCENARIO=uniform PATHS=0,2 "
                   "PATH_LATENCY=23,23,23,150 NODES=8 "
                   "FAULTS='cut node7.link3 at 0.5us for ever'; "
                   "build/nicxbar check cycles LINKS=2 BOND=byte SWITCHES=0 SKEW=0,50000 NIC=4splits NODES=2; "
                   "build/nicxbar check soak LINKS=4 SWITCHES=0 BOND=packet; "
                   "build/nicxbar check soak LINKS=2 BOND=byte SWITCHES=0 FAULTS='cut node1.link1 at 5us for 5us'; "
                   "build/nicxbar check sim NODES=16 FAULTS='cut node15 at 9us for 1ms'"),
        0);
    ck_assert_str_eq(shell_output, "");
}

#define MAKE "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; make -pq NO_INSTALL=1 "

static const struct {
    const char *variables, *message;
} make_faults[] = {
    {"sim LOAD=0.5", "LOAD=0.5: means nothing for a file and the five tests; expected with SCENARIO=NAME"},
    {"cycles HOT=2 PART=1", "HOT=2: means nothing for a file and the five tests; expected with SCENARIO=NAME"},
    {"sim SWITCH_MONITOR=all",
     "SWITCH_MONITOR=all: means nothing for a file and the five tests; expected with SCENARIO=NAME or with make run"},
    {"sim SCENARIO=uniform FILE=/etc/passwd", "SCENARIO and FILE: expected one of them: each selects the run"},
    {"soak SCENARIO=uniform", "SCENARIO=uniform: expected together with NODES=n"},
    {"soak NIC=1voq", "NIC=1voq: expected together with NODES=n"},
    {"soak NODES=4 MEASURE=9", "MEASURE=9: expected PACKETS"},
    {"run PROGRAM=pingpong LOAD=0.5",
     "LOAD=0.5: means something for make sim, cycles, packet-mode, soak and packet-mode-crossbar only"},
    {"run PROGRAM=pingpong SCENARIO=uniform", "SCENARIO=uniform: means something for make sim, cycles and soak only"},
    {"run PROGRAM=pingpong FILE=/etc/passwd", "FILE=/etc/passwd: means something for make sim and cycles only"},
    {"microbench NIC=monitored", "NIC=monitored: means something for make sim, cycles, run and soak only"},
    {"figures FAULTS=help", "FAULTS=help: means something for make sim, cycles, run, disk, linux and soak only"},
    {"test OUT=there", "OUT=there: means something for make sim"},
    {"sim OUT=/dev/null/there", "OUT=/dev/null/there: expected a folder"},
    {"sim OUT='two words'", "OUT=two words: expected the name of a folder"},
    {"soak SWITCH=0", "SWITCH=0: means nothing for make soak"},
    {"soak CHIP=roce NODES=4", "NODES=4: means nothing with CHIP=roce"},
    {"sim CHIP=roce PMTU=300", "PMTU=300: expected 256, 512, 1024, 2048 or 4096"},
    {"sim CHIP=roce QPS=128", "QPS=128: expected a number of connections, 1 to 127"},
    {"sim CHIP=roce LOSS=2", "LOSS=2: is said so now: FAULTS='lose line 0.1%'"},
    {"sim CHIP=roce STORAGE=1 COMMANDS=0", "COMMANDS=0: expected a number of commands, 1 to 1000000"},
    {"soak CHIP=roce PEER=rxe", "PEER=rxe: expected without make soak"},
    {"interop RECORD=2", "RECORD=2: expected 1: record the packets of tb/unit/roce again"},
    {"interop RECORD=1 BYTES=64", "BYTES=64: means nothing with RECORD=1, which is without the chip"},
    {"sim CHIP=roce RECORD=1", "RECORD=1: means something for make disk and interop only"},
    {"sim LINKS=2 BOND=byte", "BOND=byte: expected with SWITCHES=0"},
    {"sim PCI_MHZ=50", "PCI_MHZ=50: expected 66, 100 or 133"},
    {"sim CUT=", "CUT=: is said so now: FAULTS="},
    {"sim NICS=1voq", "unknown variable NICS; the nearest to NICS: NIC;"},
    {"sim NODS=8", "unknown variable NODS; the nearest to NODS: NODES, NODE;"},
    {"sim LAOD=0.5", "the nearest to LAOD: LOAD;"},
    {"sim NODES='4 5'", "NODES=4 5: expected a number from 2 to 16"},
    {"sim NODES=17", "NODES=17: expected a number from 2 to 16"},
    {"sim THREADS=0", "THREADS=0: expected a number from 1 to 17"},
    {"sim THREADS=18", "THREADS=18: expected a number from 1 to 17"},
    {"sim WAVES=0 WAVE_FROM=5us", "WAVE_FROM=5us: expected without WAVES=0"},
    {"sim WAVES='0 1'", "WAVES=0 1: expected WAVES=1, WAVES=0, or names of recorded parts"},
    {"sim SWITCH='0 1'", "SWITCH=0 1: expected 1, 0 or traced"},
    {"sim SWITCH=traced NODES=9",
     "SWITCH=traced: expected with NODES up to 8; NODES=9 has a switch without tracing memories"},
    {"sim LANES='4 8'", "LANES=4 8: expected 1, 4, 8 or 16"},
    {"sim TRACE=all", "TRACE=all: expected 1, packets or 0"},
    {"test REPORT=xml", "REPORT=xml: expected junit or tap"},
    {"sim TIMES=1", "TIMES=1: means something for make test, sanitize and coverage only"},
    {"test TIMES=all", "TIMES=all: expected 0 or 1"},
    {"sim TRACES=5", "TRACES=5: means something for make test, sanitize and coverage only"},
    {"test TRACES=many", "TRACES=many: expected a number"},
    {"sim REPORT=tap", "REPORT=tap: means something for make test, sanitize and coverage only"},
    {"speed NODES=3", "NODES=3: make speed expects one of 2, 4, 8, 16"},
    {"speed TURNS=0", "TURNS=0: expected a number from 1 to 99"},
    {"sim BASE=HEAD", "BASE=HEAD: means something for make test, cycles, speed, sanitize and coverage only"},
    {"sim SORT=busy", "SORT=busy: means something for make cycles only"},
    {"cycles SORT=size", "SORT=size: expected name, busy, stalled, idle, operations, latency or level"},
    {"cycles THRESHOLD=2", "THRESHOLD=2: expected together with BASE=file"},
    {"cycles THRESHOLD=much BASE=Makefile", "THRESHOLD=much: expected a number"},
    {"cycles BASE=Makefile", "BASE=Makefile: expected a cycles.json that make cycles of this version has written"},
    {"cycles TEST=tb/unit/voq BASE=nothing", "BASE=nothing: expected a cycles.json"},
    {"test NAME=mine", "NAME=mine: means something for make block only"},
    {"block", "make block: expected NAME=name"},
    {"block lint NAME=mine", "make block: expected alone"},
    {"cycles TEST=tb/unit/voq NODES=4", "NODES=4: expected without TEST"},
    {"packet-mode ARCH=sm MULTICAST=1 SET=", "SET=: expected ports of this switch"},
    {"packet-mode NODES=4", "NODES=4: means nothing for make packet-mode"},
    {"packet-mode ARCH=iq PM_LOCKS=pm_locks",
     "PM_LOCKS=pm_locks: ARCH=iq has no such slot; expected one of PM_MATCHER"},
    {"packet-mode-oracle LOAD=0.5",
     "LOAD=0.5: means something for make sim, cycles, packet-mode, soak and packet-mode-crossbar only"},
    {"shares HALF_WIDTH=3", "HALF_WIDTH=3: means something for make packet-mode only"},
    {"sim SEEDS=2", "SEEDS=2: means something for make packet-mode-oracle only"},
};

TEST(make_refuses_what_it_would_drop)
{
    for (int i = 0; i < COUNT(make_faults); i++)
        ck_shell_says(1, make_faults[i].message, "build/nicxbar check %s", make_faults[i].variables);
}

/* Refusals by make itself, for rules that only make knows. */
static const struct {
    const char *variables, *message;
} faults_of_make[] = {
    {"sim LOAD=0.5", "LOAD=0.5: means nothing for a file and the five tests; expected with SCENARIO=NAME.  Stop.\n"},
    {"sim 'FILE=/a $(b) #\"'", "FILE=/a $(b) #\": no such file"},
    {"speed BASE=nothing", "BASE=nothing: no such commit here"},
    {"cycles TEST=tb/unit/nothing", "TEST=tb/unit/nothing: no test program of that name"},
    {"cycles TEST='tb/unit/link tb/unit/nothing'", "TEST=tb/unit/nothing: no test program of that name"},
};

TEST(make_stops_with_what_the_launcher_says, .to = COUNT(faults_of_make))
{
    ck_shell_says(2, faults_of_make[_i].message, MAKE "%s >$D/all", faults_of_make[_i].variables);
}

TEST(all_folders_and_programs_of_TEST_are_run)
{
    ck_assert_int_eq(
        shell_says(MAKE "lint TEST='tb/unit/launcher tb/unit/runtime/test_scripts.c' >$D/all; grep '^chosen' $D/all"),
        0);
    ck_assert_str_eq(shell_output, "chosen := tb/unit/launcher/test_launcher tb/unit/runtime/test_scripts\n");
}

static const struct {
    const char *run, *heading;
} lists[] = {{"sim", "NIC and switch:"},
             {"soak CHIP=roce", "RoCE, END: "},
             {"disk", "Disk, HOST: "},
             {"linux", "Guests of make linux, HOST: "}};

/* In a tree without anything that is built. */
TEST(a_list_of_faults_needs_no_model, .to = COUNT(lists))
{
    ck_shell_says(0, lists[_i].heading,
                  "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; make NO_INSTALL=1 %s FAULTS=help >$D/says; code=$?; "
                  "head -1 $D/says; "
                  "test $code = 0 && ! grep -v '^  [a-z]' $D/says | sed 1d | grep .",
                  lists[_i].run);
}

/* A tree of its own, with a make that knows nothing of the one around it, in a process group of its own. */
#define TREE_MAKE "cd $D/tree && unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; setsid -w make NO_INSTALL=1 "

TEST(a_killed_build_leaves_nothing_half)
{
    ck_assert_int_eq(shell_says("mkdir $D/tree $D/bin && cp -rp Makefile scripts rtl sim sw tb $D/tree"), 0);
    shell_put("bin/python",
              "#!/bin/sh\ncase $3 in bus_rules) echo half; kill -KILL 0 ;; esac\nexec ${REAL:-python3} \"$@\"\n");
    shell_put("bin/killer", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho half >\"$2\"\nkill -KILL 0\n");
    ck_assert_int_ne(shell_says("chmod +x $D/bin/*; REAL=$PYTHON; export REAL PYTHON=$D/bin/python; " TREE_MAKE
                                "build/generated/bus_rules.vh"),
                     0);
    ck_output_lacks("rror");
    ck_assert_int_ne(shell_says(TREE_MAKE "CC=$D/bin/killer build/obj/sw/driver/nx_queue.o"), 0);
    ck_output_lacks("rror");
    ck_shell_says(0, "nx_queue", TREE_MAKE "build/obj/sw/driver/nx_queue.o && nm -A build/obj/sw/driver/nx_queue.o");
    ck_shell_says(0, "AXI_", "cat $D/tree/build/generated/bus_rules.vh");
    ck_assert_int_eq(shell_says("find $D/tree/build -name '*.part' | grep part"), 1);
}

TEST(two_makes_at_once_from_nothing_both_end_well)
{
    ck_assert_int_eq(shell_says("mkdir $D/tree && cp -rp Makefile scripts rtl sim sw tb $D/tree; (" TREE_MAKE
                                "build/obj/sw/driver/nx_queue.o) >$D/one 2>&1 & one=$!; " TREE_MAKE
                                "build/obj/sw/driver/nx_queue.o; two=$?; cat $D/one; wait $one && exit $two"),
                     0);
    ck_output_has("another make builds in this folder: waiting for it\n");
    ck_shell_says(0, "waits no more\n",
                  TREE_MAKE "build/obj/sw/driver/nx_queue.o >/dev/null && flock -w 5 build/lock echo waits no more");
}

/* make test REPORT=tap TIMES=1 makes lint and tests by a make of its own; a test of a soak that fails is built so with
 * waves. */
TEST(steps_of_a_make_take_its_variables)
{
    ck_assert_int_eq(shell_says("unset MAKEFLAGS MFLAGS MAKEOVERRIDES; MAKELEVEL=1 make CHECK=1 lint tests TIMES=1"),
                     0);
    ck_assert_int_eq(
        shell_says(
            "MAKELEVEL=1 build/nicxbar check build/full/tb/unit/x CHIP=roce PACKETS=1000 FAULTS='lose line 1%%'"),
        0);
    ck_assert_str_eq(shell_output, "");
}

/* An awk that notes the language in which it is started: by the Makefile, by a script, in a recipe. */
TEST(what_is_generated_does_not_depend_on_the_language)
{
    ck_assert_int_eq(shell_says("mkdir $D/tree $D/bin && cp -rp Makefile scripts rtl sim sw tb $D/tree"), 0);
    shell_put("bin/awk", "#!/bin/sh\necho \"$LC_ALL\" >>$D/languages\nexec /usr/bin/awk \"$@\"\n");
    ck_assert_int_eq(shell_says("chmod +x $D/bin/awk; export LC_ALL=tr_TR.UTF-8 PATH=$D/bin:$PATH; " TREE_MAKE
                                "build/generated/switch_registers.vh"),
                     0);
    ck_shell_says(0, "C\n", "sort -u $D/languages");
    ck_assert_int_eq(strlen(shell_output), 2);
    ck_assert_int_eq(shell_says("grep -L '^export LC_ALL=C$' $(grep -l '^#!/bin/sh' scripts/*.sh)"), 0);
    ck_assert_str_eq(shell_output, "");
}

static const struct {
    const char *path, *character;
} odd_paths[] = {{"a clone", "a space"}, {"a(b", "("}, {"a$b", "$"}, {"a#b", "#"}, {"a%b", "%"}};

TEST(a_clone_below_a_name_that_make_cannot_handle_is_refused_in_one_line, .to = COUNT(odd_paths))
{
    char text[100];
    snprintf(text, sizeof text, "/%s: make cannot handle a path with %s in it", odd_paths[_i].path,
             odd_paths[_i].character);
    ck_shell_says(2, text, "d=$D/'%s'; mkdir \"$d\" && cp Makefile \"$d\" && cd \"$d\" && " MAKE "lint >$D/all",
                  odd_paths[_i].path);
    ck_assert_ptr_eq(strchr(shell_output, '\n'), strrchr(shell_output, '\n'));
}

/* A container, for instance, whose user has no home. */
TEST(ccache_has_a_folder_here_where_its_own_cannot_be_made)
{
    ck_assert_int_eq(
        shell_says(
            "mkdir $D/bin && printf '#!/bin/sh\necho /proc/none/ccache\n' >$D/bin/ccache && chmod +x $D/bin/ccache"),
        0);
    ck_shell_says(0, "/build/ccache\n", "PATH=$D/bin:$PATH; " MAKE "lint >$D/all; grep ^CCACHE_DIR $D/all");
}

/* From variables to options. */
TEST(make_hands_every_variable_on)
{
    ck_shell_says(
        0, "--scenario uniform --sizes '8..496' --packets 9 --load '0.3' --warmup '5'",
        MAKE "lint soak NODES=4 LOAD=0.3 WARMUP=5 PACKETS=9 NIC=1voq MEMORY=sdram SWITCH_MONITOR='flows all' >$D/all; "
             "grep -E '^(soak_scenario|run_options) :=' $D/all");
    ck_output_has("--switch-monitor 'flows all'");
    ck_output_has("--nodes 4 --nic '1voq' --memory 'sdram'");
}

/* Somebody's environment has names that are variables here: the run is the same, and recipes do not see them. */
TEST(the_environment_does_not_change_a_run)
{
    ck_assert_int_eq(
        shell_says(MAKE
                   "sim >$D/plain; export FILE=/etc/passwd NODES=9 LOAD=0.1 SCENARIO=uniform SEED=5 WAVES=1 SANITIZE=1 "
                   "TEST=x RTL=/tmp NAME=host; make -pq NO_INSTALL=1 sim >$D/all; make -pq NO_INSTALL=1 -e sim >$D/e; "
                   "for f in plain all e; do grep -E '^(sim_options|simulator|BUILT|chosen|SEED) :?=' $D/$f | sort "
                   ">$D/$f.run; "
                   "done; cmp $D/plain.run $D/all.run && cmp $D/plain.run $D/e.run && grep sim_options $D/e.run"),
        0);
    ck_output_has("sim_options := --seed 1 ");
    ck_assert_int_eq(shell_says("grep -E '^(FILE|NODES|LOAD|NAME) ' $D/all"), 1);
}
