/* The goals of make, and its variables that are no options of a program. A new one is a row here; what does not go
 * together is a row in rules.c. */
#include <ctype.h>
#include <string.h>

#include "sim/app/figures/microbench.h"
#include "sim/app/launcher/request.h"
#include "sim/observe/cycles/cycles_names.h"

const goal goals[] = {
    {"sim", SIM, "run a system on real traffic", "make sim NODES=8 SCENARIO=uniform LOAD=0.8"},
    {"wave", WAVE, "the newest waves in GTKWave", "make sim SWITCH=0 WAVES=1 && make wave"},
    {"test", TEST, "lint and all tests", "make test TEST=tb/unit/link"},
    {"contract", CONTRACT, "check a module for a slot alone",
     "make contract SLOT=output_scheduler BLOCK=output_scheduler_wrr"},
    {"block", BLOCK, "a Verilog module with a test", "make block NAME=my_filter"},
    {"cycles", CYCLES, "clocks busy, stalled, idle", "make cycles NODES=8 SCENARIO=hot-spot"},
    {"run", RUN, "a C program on all hosts", "make run PROGRAM=pingpong NODES=2"},
    {"packet-mode", PACKET_MODE, "switches for long packets", "make packet-mode ARCH=dpm LOAD=0.8"},
    {"disk", DISK, "a disk over RDMA", "make disk IMAGE=disk.img"},
    {"linux", LINUX, "Linux kernels on the NICs", "make linux RUN='lspci -v'"},
    {"figures", FIGURES, "measured against the documents", "make figures FIGURE=switch_cut_through"},
    {"soak", SOAK, "random traffic, 10^6 packets", "make soak NODES=8 PACKETS=20000 LOAD=0.5"},
    {"interop", INTEROP, "the RoCE chip and software of others", "make interop ONLY=rping-1024 BYTES=64"},
    {"microbench", MICROBENCH, "bus, link and latency by host programs",
     "make microbench BENCHMARK=pcix MESSAGE_SIZES=8..512"},
    {"disk-test", DISK_TEST, "NBD clients on disks over RDMA", "make disk-test SCALE=16 KILLS=50"},
    {"disk-bench", DISK_BENCH, "rates and latencies of disks over RDMA",
     "make disk-bench FIGURE=block_read_4k_latency"},
    {"packet-mode-oracle", ORACLE, "clocks of such a switch against a C model",
     "make packet-mode-oracle ARCH=dpm PACKETS=20000 SEEDS=1"},
    {"packet-mode-crossbar", CROSSBAR, "the crossbar of the NICs and VPS", "make packet-mode-crossbar LOAD=0.8"},
    {"packet-mode-full", PACKET_MODE, "builds packet-mode with waves", NULL},
    {"curves", CURVES, "S3's curves, measured", "make curves FIGURE=fig6 QUICK=1"},
    {"shares", SHARES, "weights in such a switch: shares, delays", "make shares ARCH=sm"},
    {"curves-page", PAGES, "the page of make curves in a browser", "make curves && make curves-page"},
    {"cycles-page", PAGES, "the page of make cycles in a browser", "make cycles && make cycles-page"},
    {"speed", SPEED, "speed of the simulator", "make speed NODES=8 BASE=HEAD"},
    {"compare", COMPARE, "the modules for a slot, measured", "make compare SLOT=output_scheduler"},
    {"slots", OTHER, "slots, contracts, modules that ship", "make slots"},
    {"tutorial", OTHER, "runs scripts/tutorial.md", "make tutorial"},
    {"sanitize", TEST, "the tests under ASan and UBSan, or TSan", "make sanitize SANITIZE=thread"},
    {"fuzz", FUZZ, "random inputs for all that parses", "make fuzz TARGET=plan SECONDS=60"},
    {"mutants", FUZZ, "changes of the RTL, and whether the tests notice", "make mutants MODULE=counter_bank"},
    {"life", FUZZ, "switches things off and on at random", "make life COUNT=20 TEST=tb/system/test_roce_life"},
    {"coverage", TEST, "what of the RTL the tests run", "make coverage TEST=tb/unit/link MODULE=link_tx"},
    {"kill", KILL, "stops runs and builds at random moments", "make kill KILLS=5"},
    {"turnaround", OTHER, "seconds from an edit to a verdict", "make turnaround"},
    {"lint", OTHER, "Verilog-2005 by three front ends", "make lint"},
    {"prove", PROVE, "proofs of the hardware", "make prove PROOF=locks"},
    {"synth", SYNTH, "size, no latches", "make synth MODULE=fifo_async"},
    {"fourstate", OTHER, "replays recorded pins with X", "make fourstate SEED=7"},
    {"distro", DISTRO, "builds and tests in a bare Debian", "make distro RELEASE=trixie GOALS='sim test'"},
    {"models", OTHER, "the Verilog models alone", "make models"},
    {"tools", OTHER, "the programs of sw/tools", "make tools"},
    {"tests", OTHER, "builds the tests", NULL},
    {"clean", HELP, "removes build/", "make clean"},
    {"help", HELP, "this; make help sim: goal or variable by name", NULL},
    {"help-all", HELP, "all goals and variables", NULL},
    {"base", OTHER, NULL, NULL},
    {"guest", OTHER, NULL, NULL},
    {"report-begins", TEST, NULL, NULL},
    {"report-lint", TEST, NULL, NULL},
    {"report-tests", TEST, NULL, NULL},
    {0},
};

const renamed_goal renamed_goals[] = {
    {"blockdev", "disk"}, {"blocktest", "disk-test"}, {"blockbench", "disk-bench"}, {0}};

/* ---- values that are no numbers ---- */

#define VALUE 0, sizeof(uint64_t) /* the field that setters get here is one word, which is never read */

static int set_seed(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    uint64_t number;
    (void)o, (void)field, (void)error;
    int octal = value[0] == '0' && isdigit((unsigned char)value[1]); /* to some that read it */
    return !octal && option_get_whole(value, 0, UINT64_MAX, &number) ? 0 : -1;
}

/* Of these characters, one at least. */
static int set_waves(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    (void)o, (void)field, (void)error;
    for (const char *c = value; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("][_.,", *c)) return -1;
    return 0;
}

static int set_plain(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    (void)o, (void)field, (void)error;
    return strchr(value, '\'') ? -1 : 0;
}

static int set_word(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    (void)o, (void)field, (void)error;
    return strpbrk(value, " \t'") ? -1 : 0;
}

#define WHOLE option_whole, VALUE
#define REAL option_real, VALUE
#define TEXT option_text, VALUE
#define CHOICE option_choice, VALUE
#define PLAIN set_plain, VALUE, 0, 0, "a text without quotes"
#define BUILT(name, argument, help)                                                                                    \
    {                                                                                                                  \
        name, argument, ANY | BUILDS, TEXT, 0, 0, NULL, help                                                           \
    }
#define NOT_SWITCHES (ANY & ~OF_SWITCHES)

/* clang-format off */
const option variables[] = {
    {.help = "The system:"},
    {"NODES", "N", NOT_SWITCHES, WHOLE, 2, 16, "a number from 2 to 16", "nodes around the switch (default 4; 2 for a file)"},
    {"SWITCH", "0|1|traced", NOT_SWITCHES, CHOICE, 0, 0, "1, 0 or traced",
        "0: two nodes and a cable; traced: a switch of up to 8 ports with tracing memories"},
    {"CHIP", "nic|roce", SIM | CYCLES | SOAK | WAVE | SYNTH | FILES, CHOICE, 0, 0, "nic or roce", "roce: the RoCE v2 chip at an Ethernet line"},
    {"STORAGE", "0|1", ANY, WHOLE, 0, 1, "0 or 1", "with CHIP=roce 1: a storage node on that chip"},
    {"GUEST", "qemu|uml", ANY, CHOICE, 0, 0, "qemu or uml", "with PEER=rxe: Linux in QEMU (default), or User-mode Linux"},
    {"LINKS", "1|2|4", OF_SYSTEMS | MICROBENCH, WHOLE, 1, 4, "1, 2 or 4", "links of each NIC; each packet takes one"},
    {"BOND", "packet|byte", OF_SYSTEMS, CHOICE, 0, 0, "packet or byte",
        "with SWITCHES=0 byte: the bytes of each packet go over all links of the cable"},
    {"SWITCHES", "N", OF_SYSTEMS, WHOLE, 0, 4, "0, 1, 2 or 4", "switches, one for each link; 0: two nodes and a cable"},
    {"LANES", "N", ANY, WHOLE, 1, 16, "1, 4, 8 or 16", "NICs evaluated together, of more than four nodes (default: the fastest here)"},
    {"PLUSARGS", "TEXT", ANY, TEXT, 0, 0, NULL, "for $test$plusargs and $value$plusargs of a model: \"+trace\""},
    {"SEED", "N", ANY, set_seed, VALUE, 0, 0, "a number, such as SEED=7 or SEED=0x1f", "random seed (default 1)"},
    {.help = "The run:"},
    {"FILE", "PATH", SIM | CYCLES, TEXT, 0, 0, NULL, "file to send from host 0 to host 1"},
    {"PROGRAM", "NAME", RUN, TEXT, 0, 0, NULL, "program of sw/programs, or the path of a C file"},
    {"ARGS", "TEXT", RUN, TEXT, 0, 0, NULL, "arguments of that program"},
    {"WAVES", "0|1|NAME,...", ANY, set_waves, VALUE, 0, 0,
        "WAVES=1, WAVES=0, or names of recorded parts, such as WAVES=node1 or WAVES=nic0.dma,xbar",
        "1: record waves of everything; or of these instances: node1, xbar.monitor"},
    {"OUT", "FOLDER", SIM | CYCLES | PAGES | FIGURES | MICROBENCH | DISK_BENCH | DISK | DISK_TEST | LINUX | SOAK | RUN | WAVE | PACKET_MODE | SHARES |
        CURVES | INTEROP, set_word, VALUE, 0, 0, "the name of a folder, without spaces and quotes", "folder of results and waves (default build)"},
    {"SORT", "KEY", CYCLES, CHOICE, 0, 0, CYCLES_SORTS, "sort key of the table (default name)"},
    {"BASE", "FILE|COMMIT", CYCLES | SPEED | TEST, TEXT, 0, 0, NULL,
        "cycles, coverage: older result to compare with; speed: commit that is measured by turns with this one"},
    {"THRESHOLD", "N", CYCLES, REAL, 0, 1000, "a number, such as THRESHOLD=2.5",
        "with BASE: limit, N percentage points of a share, N % of another value (default 5)"},
    {"TURNS", "N", SPEED, WHOLE, 1, 99, "a number from 1 to 99", "turns of each measurement (default 3)"},
    {"RUNS", "NAME", SPEED, TEXT, 0, 0, NULL, "only runs with NAME in their names"},
    {"FIGURE", "NAME", ANY, TEXT, 0, 0, NULL, "one figure instead of all"},
    {"QUICK", "0|1", CURVES | FUZZ | PROVE, WHOLE, 0, 1, "0 or 1",
        "1: shorter runs with wider intervals; a sample of mutants; the quick third of the proofs"},
    {"BENCHMARK", "NAME", MICROBENCH, CHOICE, 0, 0, MICROBENCH_NAMES, "one micro-benchmark instead of all"},
    {"MESSAGE_SIZES", "LIST", MICROBENCH, TEXT, 0, 0, NULL, "message sizes [bytes]: 8..4096 (doubled) or 8,64,4096"},
    {"ONLY", "NAME", INTEROP, TEXT, 0, 0, NULL, "one row of the table"},
    {"SCALE", "MIB", DISK_TEST, WHOLE, 1, 99999, "a number of MiB, such as SCALE=16", "size of the disks [MiB]"},
    {"KILLS", "N", KILL | DISK_TEST, WHOLE, 1, 9999, "a number", "stops of each kind"},
    {"SEEDS", "N", ORACLE, WHOLE, 1, 1000, "a number of seeds", "runs, with seeds from SEED on (default 3)"},
    {.help = "Modules in slots:"},
    {"SLOT", "MODULE", CONTRACT | COMPARE, PLAIN, "slot, by its default module"},
    {"BLOCK", "MODULE", CONTRACT | COMPARE, PLAIN, "module for that slot"},
    {"SIZE", "N", CONTRACT, PLAIN, "one size of those that the contract has"},
    {"RTL", "PATH", ANY, PLAIN, "files and folders of Verilog outside of this tree"},
    {"NAME", "MODULE", BLOCK, PLAIN, "name of the new module"},
    {"FOLDER", "FOLDER", BLOCK, PLAIN, "folder of rtl/ for it"},
    {"FROM", "FILE", BLOCK, PLAIN, "existing Verilog to write a test for"},
    {"PARAMETERS", "TEXT", BLOCK, PLAIN, "with FROM: parameters: 'WIDTH=8 DEPTH=4'"},
    {"MODULE", "NAME", ANY, PLAIN, "one module: of waves, a synthesis, coverage, mutants, FROM"},
    {.help = "Tests and checks:"},
    {"TEST", "PATH", ANY, TEXT, 0, 0, NULL, "folders and programs of tests: tb/unit/link"},
    {"CASE", "NAME", ANY, TEXT, 0, 0, NULL, "one test case of them"},
    {"REPORT", "junit|tap", TEST, CHOICE, 0, 0, "junit or tap", "report for CI: build/test.xml or build/test.tap"},
    {"TIMES", "0|1", TEST, WHOLE, 0, 1, "0 or 1", "1: processor time of each part of the run"},
    {"TRACES", "N", TEST, WHOLE, 1, 999999, "a number", "random traces of the trace tests"},
    {"SANITIZE", "address|thread", ANY, TEXT, 0, 0, NULL, "thread: ThreadSanitizer instead of ASan and UBSan"},
    {"TARGET", "NAME", FUZZ, PLAIN, "one target instead of all, such as plan or registers (tb/fuzz)"},
    {"SECONDS", "S", FUZZ, WHOLE, 1, 86400, "a number of seconds", "time for a target (default 600), a mutant (120)"},
    {"COUNT", "N", FUZZ, WHOLE, 1, 100000, "a number", "mutants of each module (default 40), runs of each kind of life"},
    {"PROOF", "NAMES", PROVE, TEXT, 0, 0, NULL, "proofs, or those that begin so: 'locks *-room'"},
    {"LIMIT", "S", PROVE, WHOLE, 1, 86400, "a number of seconds", "most time for one proof [s] (default 600)"},
    {"DOC", "0|1", FIGURES | SYNTH | PROVE | DISTRO | SIM, WHOLE, 0, 1, "0 or 1", "1: write measured values into the texts"},
    {"CHECK", "0|1", ANY, WHOLE, 0, 1, "0 or 1", "1: check goals and variables, build nothing"},
    {.help = "Machines:"},
    {"BUILD", "FOLDER", ANY, TEXT, 0, 0, NULL, "build there, with links to the files of this tree"},
    {"RELEASE", "NAME", DISTRO, TEXT, 0, 0, NULL, "release of Debian: trixie"},
    {"GOALS", "TEXT", DISTRO, TEXT, 0, 0, NULL, "goals that are made there (default: sim test)"},
    {"REMOVE", "0|1", DISTRO, WHOLE, 0, 1, "0 or 1", "1: remove the chroot afterwards"},
    {.help = "How it is built, also from the environment:"},
    BUILT("JOBS", "N", "jobs of a build, and test programs, at the same time (default: one per CPU)"),
    BUILT("V", "1", "show commands"),
    BUILT("NO_INSTALL", "1", "missing tools stop the build instead of being installed"),
    BUILT("FAST", "0|1", "0: models exactly as Verilator prints them"),
    BUILT("PASSES", "LIST", "passes over Verilator's C++ (default: evaluate rest lanes places)"),
    BUILT("CC", "COMMAND", "C compiler"),
    BUILT("CXX", "COMMAND", "C++ compiler, and linker"),
    BUILT("MODEL_CXX", "COMMAND", "C++ compiler of models (default: clang, if installed)"),
    BUILT("CFLAGS", "FLAGS", "flags of the C compiler (default -O2 -g)"),
    BUILT("CCACHE", "COMMAND", "compiler cache; empty: none"),
    BUILT("AR", "COMMAND", "archiver"),
    BUILT("OBJCOPY", "COMMAND", "objcopy"),
    BUILT("PKG_CONFIG", "COMMAND", "pkg-config"),
    BUILT("PYTHON", "COMMAND", "Python 3"),
    BUILT("VERILATOR", "COMMAND", "Verilator, 5.006 or newer"),
    BUILT("IVERILOG", "COMMAND", "Icarus Verilog"),
    BUILT("YOSYS", "COMMAND", "Yosys"),
    BUILT("GTKWAVE", "COMMAND", "GTKWave"),
    BUILT("MAKE", "COMMAND", "make"),
    BUILT("SHELL", "PATH", "shell of recipes"),
    {0},
};
/* clang-format on */
