/* Machines without a tool, or with another one: reported in a line before anything is built, or the build goes on
 * without it. Tools are stubs on a PATH of the test. */
#include "shell.h"
#include "test.h"

#include <stdlib.h>

#include <string.h>
#include <unistd.h>

TEST_CASE("machine", .timeout = 120, .teardown = shell_clean);

#define ALONE "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CXX MODEL_CXX VERILATOR; "
#define MAKE ALONE "make NO_INSTALL=1 "

/* ---- Verilator ---- */

static const struct {
    const char *stub, *message;
} verilators[] = {
    {"echo Verilator 5.004 2022-12-14", " is Verilator 5.004: expected 5.006 or newer.  Stop.\n"},
    {"echo g++ 12.2", ": expected Verilator 5.006 or newer; --version says: g++ 12.2.  Stop.\n"},
    {"kill -SEGV $$", ": expected Verilator 5.006 or newer; --version says: nothing.  Stop.\n"},
};

TEST(another_verilator_is_refused_in_one_line, .to = COUNT(verilators))
{
    char text[200];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", verilators[_i].stub);
    shell_put("v", text);
    ck_shell_says(2, verilators[_i].message, "chmod +x $D/v; " MAKE "VERILATOR=$D/v build/nicxbar-sim 2>&1 >$D/out");
    ck_assert_ptr_eq(strchr(shell_output, '\n'), strrchr(shell_output, '\n'));
}

TEST(verilator_that_is_missing_is_named)
{
    ck_shell_says(2, "VERILATOR=none: there is no such program; expected one, or VERILATOR not set: verilator\n",
                  MAKE "VERILATOR=none build/nicxbar-sim");
}

/* It prints its version, and crashes when it reads Verilog. */
TEST(verilator_that_crashes_stops_the_build_at_its_model)
{
    shell_put("v", "#!/bin/sh\ncase $* in *--version*|*--getenv*) exec verilator \"$@\" ;; esac\nkill -SEGV $$\n");
    ck_shell_fails("/v crashed: code 139 at module ",
                   "chmod +x $D/v; mkdir $D/tree && cp -rp Makefile scripts rtl sim sw tb $D/tree; cd $D/tree; " MAKE
                   "VERILATOR=$D/v build/tb/unit/common/test_sync_pulse");
    ck_output_lacks("syntax");
}

/* ---- other missing tools ---- */

TEST(without_clang_the_compiler_of_the_rest_makes_models)
{
    ck_assert_int_eq(shell_says("mkdir $D/bin; ln -s /usr/bin/* $D/bin; rm -f $D/bin/clang* $D/bin/ccache; PATH=$D/bin "
                                "scripts/setup.sh --clang"),
                     0);
    ck_assert_str_eq(shell_output, "\n");
    ck_shell_says(0, "MODEL_CXX := g++\n",
                  "export PATH=$D/bin; " ALONE
                  "make -pq NO_INSTALL=1 lint >$D/all; sed 's/=  */= /' $D/all | grep '^MODEL_CXX :='");
}

/* Where the processor has registers for masks; clang 19 compiles models for ever that use them. */
TEST(lanes_of_clang_19_have_vectors_of_256_bits)
{
    shell_put("clang++-18", "#!/bin/sh\necho 18.1.8\n");
    shell_put("clang++", "#!/bin/sh\necho 19.1.7\n");
    ck_assert_int_eq(shell_says("chmod +x $D/clang*; scripts/lanes.sh env $D/clang++ | grep avx512"), 1);
    ck_assert_int_eq(shell_says("! grep -qw avx512dq /proc/cpuinfo || scripts/lanes.sh $D/clang++-18 | grep avx512"),
                     0);
}

/* On a release that has several. */
TEST(clang_whose_models_are_fastest_is_preferred)
{
    ck_assert_int_eq(shell_says("mkdir $D/bin; for v in 17 18 19; do ln -s /bin/true $D/bin/clang++-$v; done"), 0);
    ck_shell_says(0, "/bin/clang++-18\n", "sh=$(command -v sh); PATH=$D/bin $sh scripts/setup.sh --clang");
}

TEST(libraries_that_are_missing_are_named)
{
    ck_shell_says(1, "  zlib1g-dev: waves are compressed\n  liblz4-dev: ... and packed\n",
                  "SETUP_ROOT=$D NO_INSTALL=1 scripts/setup.sh build");
    ck_output_has(" zlib1g-dev liblz4-dev ");
}

#define BIN                                                                                                            \
    "mkdir $D/bin && for c in sh cat grep mktemp rm sed tail uname git %s; do ln -s \"$(command -v $c)\" $D/bin/$c; "  \
    "done"

TEST(without_apt_packages_are_named_with_their_versions)
{
    ck_assert_int_eq(shell_says(BIN, ""), 0);
    ck_shell_says(1, "  verilator 5.006 or newer\n", "PATH=$D/bin scripts/setup.sh build");
    ck_output_has("This machine has no apt-get: ");
    ck_shell_says(1, "  yosys 0.23 or newer\n", "PATH=$D/bin scripts/setup.sh lint");
}

/* make looks for its tools before set-up, for what checks its goals, and again behind it. */
TEST(tools_that_set_up_installs_are_used_at_once)
{
    ck_assert_int_eq(
        shell_says("mkdir $D/bin && ln -s /usr/bin/* $D/bin && cd $D/bin && rm -f clang* ccache iverilog apt-get id"),
        0);
    shell_put("bin/id", "#!/bin/sh\necho 0\n");
    shell_put("bin/apt-get",
              "#!/bin/sh\nfor tool in clang++-16 ccache iverilog; do ln -sf /usr/bin/true $D/bin/$tool; done\n");
    ck_shell_says(0, "/bin/ccache clang++-16\n",
                  "chmod +x $D/bin/id $D/bin/apt-get; export D; unset NO_INSTALL MODEL_CXX CXX CC CCACHE; " ALONE
                  "PATH=$D/bin make -pn lint >$D/all 2>&1; sed -n 's/^MODEL_CXX := //p' $D/all");
}

/* apt-get that refuses one package: one that is optional stops nothing, one that is needed does. */
TEST(an_optional_package_that_apt_refuses_stops_nothing)
{
    unsetenv("NO_INSTALL"); /* of a make around this test */
    ck_assert_int_eq(shell_says(BIN, ""), 0);
    shell_put("bin/id", "#!/bin/sh\necho 0\n");
    shell_put("bin/clang++-16", "#!/bin/sh\necho 16.0.6\n");
    shell_put("bin/apt-cache", "#!/bin/sh\n");
    shell_put(
        "bin/apt-get",
        "#!/bin/sh\necho $* >>$D/calls\ncase \" $* \" in *\" $REFUSED \"*) echo E: no $REFUSED; exit 100 ;; esac\n");
    ck_shell_says(0, "Installed.\n", "chmod +x $D/bin/*; export D; SETUP_ROOT=$D PATH=$D/bin scripts/setup.sh all");
    /* the needed ones at once, the others one by one */
    ck_shell_says(0, "ccache\nmold\nllvm-16\nlibclang-rt-16-dev\n",
                  "sed -n '3,$s/.* //p' $D/calls; [ $(sed -n 2p $D/calls | wc -w) -gt 20 ]");
    ck_assert_int_eq(
        shell_says("set -e; export D; for REFUSED in ccache mold llvm-16 libclang-rt-16-dev; do export REFUSED; "
                   "SETUP_ROOT=$D PATH=$D/bin scripts/setup.sh all | grep \"^Optional, and not installed: $REFUSED (E: "
                   "no $REFUSED)\"; done; "
                   "rm $D/bin/clang++-16; REFUSED=clang-16; SETUP_ROOT=$D PATH=$D/bin scripts/setup.sh all | grep 'not "
                   "installed: clang-16'"),
        0);
    ck_shell_says(1, "Installation failed, see above.",
                  "export D; REFUSED=check SETUP_ROOT=$D PATH=$D/bin scripts/setup.sh all");
    /* of a goal whose optional packages alone are missing */
    ck_assert_int_eq(shell_says("printf '#!/bin/sh\\necho 16\\n' >$D/bin/clang++-16; chmod +x $D/bin/*; for c in "
                                "verilator gcc g++ ccache mold; do "
                                "ln -s /bin/true $D/bin/$c; done; rm $D/calls; export D; SETUP_ROOT=$D REFUSED=llvm-16 "
                                "PATH=$D/bin scripts/setup.sh curves"),
                     0);
    ck_output_has("Optional, and not installed: llvm-16 ");
}

/* Without a compiler there is no launcher: tools come first. With one a wrong variable is named before tools that are
 * missing. */
TEST(tools_that_are_missing_come_behind_a_wrong_variable)
{
    ck_assert_int_eq(shell_says("mkdir $D/bin $D/tree; ln -s /usr/bin/* $D/bin; rm -f $D/bin/verilator* && "
                                "cp -rp Makefile scripts rtl sim sw tb $D/tree"),
                     0);
    ck_shell_says(2, "unknown variable LAOD; the nearest to LAOD: LOAD;",
                  "export PATH=$D/bin; cd $D/tree; " MAKE "sim LAOD=1");
    ck_output_lacks("Missing");
    ck_shell_says(2, "  verilator: compiles the Verilog\n",
                  "export PATH=$D/bin; cd $D/tree; " MAKE "sim LOAD=1 SCENARIO=uniform");
    ck_shell_says(
        2, "  gcc: compiles the C\n",
        "rm -f $D/bin/gcc* $D/bin/clang* $D/bin/cc; rm -r $D/tree/build; export PATH=$D/bin; cd $D/tree; " MAKE
        "sim LAOD=1");
    ck_output_has("*** stopped: tools are missing, see above.");
    ck_shell_says(0, "  make sim          run a system on real traffic ", "export PATH=$D/bin; cd $D/tree; " MAKE);
}

/* ---- trees and files ---- */

#define TREE "mkdir $D/tree && cp -rp Makefile scripts rtl sim sw tb $D/tree; cd $D/tree; "

/* A folder that cannot be made acts as a tree that is read-only, or of another user. Elsewhere it builds, and follows
 * this one. */
TEST(a_tree_that_cannot_be_written_builds_elsewhere)
{
    ck_shell_says(2,
                  "/tree/build cannot be written; expected a tree of your own, or BUILD=folder to build in: make "
                  "BUILD=/tmp/nicxbar lint",
                  TREE "ln -s /proc/none build; " MAKE "lint");
    ck_assert_ptr_eq(strchr(shell_output, '\n'), strrchr(shell_output, '\n'));
    ck_shell_says(0, "SWITCH_",
                  "cd $D/tree; " MAKE
                  "BUILD=$D/other build/generated/switch_registers.vh && cat $D/other/build/generated/*.vh");
    ck_assert_int_eq(
        shell_says(
            "cd $D/tree; touch rtl/new.v; rm rtl/nic/voq/voq_departure.v; " MAKE "BUILD=$D/other CHECK=1 lint && "
            "[ -e $D/other/rtl/new.v ] && [ ! -h $D/other/rtl/nic/voq/voq_departure.v ] && [ ! -h $D/tree/sim ]"),
        0);
    ck_shell_fails("LOAD=0.5: means nothing for a file and the five tests",
                   "cd $D/tree; " MAKE "BUILD=$D/other CHECK=1 sim LOAD=0.5");
    ck_shell_fails("BUILD=/usr: expected a new folder", "scripts/elsewhere.sh /usr");
    ck_shell_fails("BUILD=mine: expected a folder outside of this tree", "cd $D/tree; scripts/elsewhere.sh mine");
}

TEST(files_that_nobody_else_may_read_are_enough)
{
    ck_assert_int_eq(
        shell_says("umask 077; " TREE MAKE "build/generated/switch_registers.vh build/obj/sw/driver/nx_queue.o"), 0);
}

/* The time of a run is reported; no figure fails by it. Ratios of alternating runs and counted instructions may. */
TEST(no_figure_has_a_limit_in_seconds_of_this_machine)
{
    ck_assert_int_eq(
        shell_says("sed -n '/\"sim_/p' sim/app/figures/*.c | grep -E '\"(kHz|MB/s|s)\"' | grep -c \"NULL, 0, 0,\""), 0);
    ck_assert_int_eq(shell("! sed -n '/\"sim_/p' sim/app/figures/*.c | grep -E '\"(kHz|MB/s|s)\"' | grep \"'[<>]'\""),
                     0);
}

/* ---- distro.py ---- */

TEST(make_distro_says_what_it_lacks_before_anything_is_done)
{
    ck_assert_int_eq(
        shell_says("mkdir $D/bin && ln -s \"$(python3 -c 'import sys; print(sys.executable)')\" $D/bin/python3"), 0);
    ck_shell_fails(geteuid() ? "expected to run as root: " : "debootstrap is missing: ",
                   "PATH=$D/bin python3 scripts/distro.py trixie --check");
    ck_shell_fails("RELEASE=../x: expected the name of a release of Debian", "scripts/distro.py ../x --check");
    ck_shell_fails("ARCH=arm65: expected arm64, or none", MAKE "distro RELEASE=sid ARCH=arm65");
    ck_shell_fails("means something for make distro only", MAKE "CHECK=1 sim RELEASE=sid");
}

TEST(releases_stand_side_by_side_and_what_differs_is_named)
{
    static const char run[] =
        "{\"release\": \"%s\", \"date\": \"2026-01-01\", \"commit\": \"1234567\", \"goals\": {\"sim\": \"good, 3 "
        "min\"}, "
        "\"versions\": {\"Verilator\": \"%s\", \"gcc\": \"14\", \"clang\": \"19\", \"Yosys\": \"1\", \"Icarus\": "
        "\"2\", "
        "\"check\": \"3\"}, \"result\": {\"wall_s\": %d, \"directions\": [{\"packets\": 1}, {\"packets\": %d}]}}";
    char text[600];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, run, (const char *[]){"bookworm", "sid", "trixie"}[i],
                 (const char *[]){"5.006", "5.048", "5.032"}[i], i, 5 + (i == 1));
        shell_put((const char *[]){"bookworm.json", "sid.json", "trixie.json"}[i], text);
    }
    ck_shell_says(0, "| results with registers at 0 | the reference | differ in 1: directions[1].packets | equal |\n",
                  "cd scripts && python3 -Bc \"import distro; distro.FOLDER = '$D'; print(distro.table())\"");
    ck_output_has("| Verilator | 5.006 | 5.048 | 5.032 |\n");
    ck_output_has("Of bookworm, trixie and sid all were run.\n");
    shell_put("trixie.json", "{\"release\": ");
    ck_shell_fails("/trixie.json: it is no JSON, or cut off; expected a result of make distro",
                   "cd scripts && python3 -Bc \"import distro; distro.FOLDER = '$D'; print(distro.table())\" 2>&1");
    shell_put("README.md", "1\n<!-- end -->\n<!-- make distro DOC=1 -->\nold\n<!-- end -->\n2\n");
    ck_shell_says(0, "1\n<!-- end -->\n<!-- make distro DOC=1 -->\nnew\n<!-- end -->\n2\n",
                  "cd scripts && python3 -Bc \"import distro; distro.README = '$D/README.md'; "
                  "distro.document('new\\n')\" && cat $D/README.md");
}

TEST(setup_names_what_is_missing_and_the_command_that_installs_it)
{
    /* A PATH with little in it. */
    ck_assert_int_eq(shell_says("mkdir $D/bin && for c in sh id apt-get git gcc g++; do ln -s \"$(command -v $c || "
                                "echo /usr/bin/true)\" $D/bin/$c; done"),
                     0);
    ck_shell_says(1, "verilator: compiles the Verilog", "PATH=$D/bin NO_INSTALL=1 scripts/setup.sh build");
    ck_output_has("apt-get install -y --no-install-recommends verilator");
    ck_assert_ptr_null(strstr(shell_output, "yosys"));
    ck_shell_says(1, "yosys: synthesis", "PATH=$D/bin NO_INSTALL=1 scripts/setup.sh synth");
    ck_shell_says(1, "jq: reads results", "PATH=$D/bin NO_INSTALL=1 scripts/setup.sh test");
    ck_shell_says(1, "YOSYS=nonexistent: there is no such program; expected one, or YOSYS not set: yosys\n",
                  "YOSYS=nonexistent scripts/setup.sh synth");
    ck_assert_ptr_eq(strchr(shell_output, '\n'), strrchr(shell_output, '\n'));
    ck_assert_int_eq(shell_says("NO_INSTALL=1 scripts/setup.sh build"), 0);
    ck_assert_str_eq(shell_output, "");
}
