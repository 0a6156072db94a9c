/* Every make command that the READMEs, the tutorial and make's help show is one that make takes; and each program
 * accepts the options that make passes. */
#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim");
RUNS("nicxbar-sim2");
RUNS("full/nicxbar-sim");
RUNS("full/nicxbar-sim-default");
RUNS("roce-sim");
RUNS("programs/pingpong.so");
RUNS("nxstat");

TEST_CASE("commands", .timeout = 600, .teardown = shell_clean);

TEST(every_command_that_the_texts_show_is_taken)
{
    ck_assert_int_eq(shell_says("scripts/commands.py"), 0);
    ck_output_has(" are as make expects them\n");
}

/* Each form of a command in a text, with its error; the last lines of shown.md are good. */
static const struct {
    const char *text, *message;
} broken[] = {
    {"Say `make sim LAOD=0.5`.\n", "shown.md:1: make sim LAOD=0.5\n    unknown variable LAOD"},
    {"A paragraph\nwith `make sim\nNODES=17`.\n", "shown.md:1: make sim NODES=17\n    NODES=17: expected"},
    {"\n    make smi            a goal that is none\n",
     "shown.md:2: make smi\n    smi: no such goal; the nearest to smi: sim"},
    {"\n    make sim CHIP=roce FAULTS='a\n", NULL},
    {"```\n$ make sim HOT=2 >file\n```\n",
     "shown.md:2: make sim HOT=2\n    HOT=2: means nothing for a file and the five tests"},
    {"\n    make run PROGRAM=pingpong \\\n        LOAD=0.5   # text\n",
     "shown.md:3: make run PROGRAM=pingpong LOAD=0.5\n"},
    {"| `make sim ... WAVES=1 LANES=3` | text |\n", "shown.md:1: make sim WAVES=1 LANES=3\n    LANES=3: expected"},
    {"| `make sim CHIP=roce`, `... QPS=128` | text |\n",
     "shown.md:1: make sim CHIP=roce QPS=128\n    QPS=128: expected"},
    {"| `make sim LINKS=2 SEED=5` | `PATHS=0,2 SEED=6`: these |\n",
     "shown.md:1: make sim LINKS=2 PATHS=0,2 SEED=6\n    PATHS=0,2: expected"},
    {"| `make sim ...` | text |\n|---|---|\n| `WAVES=0 WAVE_TO=1us` | text |\n",
     "shown.md:3: make sim WAVES=0 WAVE_TO=1us\n"},
    {"\n    make shares [ARCH=iq|sm] [CLOCKS=600000]\n",
     "shown.md:2: make shares ARCH=iq CLOCKS=600000\n    ARCH=iq: make shares expects"},
    {"`make run PROGRAM=pingpong FAULTS='cut node1 at 20us for 5us'`, `make cycles FAULTS='cut node1 at 20us for "
     "5us'`\n",
     NULL},
    {"`make clean`, `make sim FILE=/some/file`, `make wave`; `make block NAME=...`; X=1 `... LOAD=2`, `NODES=99`\n",
     NULL},
};

TEST(a_command_that_make_refuses_is_named, .to = COUNT(broken))
{
    shell_put("shown.md", broken[_i].text);
    int code = shell_says("scripts/commands.py $D/shown.md");
    ck_assert_int_eq(code, broken[_i].message != NULL);
    if (broken[_i].message) ck_output_has(broken[_i].message);
}

/* A paragraph that ends its file is none of the next one. */
TEST(the_last_paragraph_of_a_file_has_its_name)
{
    shell_put("one.md", "Say `make sim LAOD=0.5`.\n");
    shell_put("two.md", "Good.\n");
    ck_shell_says(1, "one.md:1: make sim LAOD=0.5\n", "scripts/commands.py $D/one.md $D/two.md");
}

/* Commands of make without building: `make -n` shows the program and its options. FAULTS was once taken for an option
 * of the other chip alone, in all four goals that have it. */
#define MAKE_N "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; make -n NO_INSTALL=1 OUT=$D %s"
#define RUN_OF                                                                                                         \
    MAKE_N                                                                                                             \
    " >$D/all && "                                                                                                     \
    "awk '{ more = sub(/\\\\$/, \"\"); printf \"%%s\", $0; if (!more) print \"\" }' $D/all | sed -n \"s|.*env "        \
    "*build/|$P/|p\" >$D/run && "                                                                                      \
    "sh $D/run"

static const struct {
    const char *command, *says;
} with_faults[] = {
    {"sim SCENARIO=uniform LOAD=0.3 MEASURE=30 FAULTS='retry host0 write 30%'", "retry host0 write 30%"},
    {"soak PACKETS=300 FAULTS='retry host1 write 30%'", "GOOD: 3"},
    {"run PROGRAM=pingpong NODES=2 FAULTS='retry host0 write 30%'", "retry host0 write 30%"},
    {"sim SWITCH=0 FILE=LICENSE FAULTS='retry host1 write 20%'", "SHA-256 equal"},
    {"sim CHIP=roce MESSAGES=5", "GOOD: "},
};

TEST(what_make_hands_on_runs, .to = COUNT(with_faults))
{
    shell_program("");
    ck_shell_says(0, with_faults[_i].says, RUN_OF, with_faults[_i].command);
}

TEST(a_soak_gets_the_times_of_its_waves)
{
    ck_shell_says(0, "--wave-from '5us' --wave-to '9us'", MAKE_N, "soak WAVE_FROM=5us WAVE_TO=9us");
}

/* As `make -n` shows the recipe; in the recording host 1 receives packets of the file. */
TEST(the_first_command_records_the_first_packets)
{
    shell_program("");
    ck_shell_says(
        0, "\n4 nodes, crossbar4",
        "unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; for v in '' WAVES=0 NODES=3 CHIP=roce; do "
        "make -n NO_INSTALL=1 OUT=$D sim $v | grep -c first-waves; done >$D/records; mkdir $D/waves; "
        "make -n NO_INSTALL=1 OUT=$D sim | sed -n \"/^first=/,\\$ s|env build/|env $P/|p\" >$D/run && sh $D/run");
    char last[128];
    snprintf(
        last, sizeof last,
        "\nGOOD: results in %s/sim.json\nwaves of the file's first packets in %s/waves/sim.fst: make wave OUT=%s\n",
        shell_folder(), shell_folder(), shell_folder());
    ck_output_has(last);
    ck_output_lacks("short for the waves");
    ck_shell_says(0, "2\n0\n0\n0\n#20000000 many\n",
                  "cat $D/records; fst2vcd $D/waves/sim.fst 2>/dev/null | awk '/^.scope/ { path = path \".\" $3 } "
                  "/^.upscope/ { sub(/[.][^.]*$/, \"\", path) } /^.var/ && path \".\" $5 == "
                  "\".nic1.nic.dma.incoming.ev_packet\" { id = $4 } "
                  "/^#/ && !begin { begin = $1 } $1 == \"1\" id { packets++ } END { print begin, (packets > 5 ? "
                  "\"many\" : packets + 0) }'");
    ck_shell_says(1, "/none/waves; record some: make sim\n", "scripts/wave.sh gtkwave $D/none");
}

TEST(a_recording_that_never_begins_fails_the_run)
{
    shell_program("");
    shell_put("w.fst", "of before");
    shell_put("trace.json", "of before");
    ck_shell_says(1, "waves: to begin at 15000.000 us, the run ended at ",
                  "$P/full/nicxbar-sim --nodes 2 --scenario one-way --measure 1 --json $D/x.json --waves $D/w.fst "
                  "--wave-from 15ms");
    ck_output_has("FAILED: results in");
    ck_output_lacks("waves in");
    ck_shell_says(1, "--trace-from: to begin at 15000.000 us, the run ended at ",
                  "$P/nicxbar-sim2 --scenario one-way --measure 1 --out $D --trace packets --trace-from 15ms");
    ck_shell_says(0, "of beforeof before2\n", "cat $D/w.fst $D/trace.json; ls $D | grep -c 'w.fst\\|trace'");
}

TEST(every_program_says_its_version_and_fails_when_its_output_is_lost)
{
    ck_assert_int_eq(shell_says("grep -L '^NX_PROGRAM(' sim/bin/*.c sw/tools/*.c"), 0);
    ck_assert_str_eq(shell_output, "");
    shell_program("");
    ck_shell_says(0, "nicxbar-sim2 (nicxbar) ", "$P/nicxbar-sim2 --version && $P/nxstat --version");
    ck_output_has("nxstat (nicxbar) ");
    ck_shell_says(0, "usage: nicxbar-sim", "$P/nicxbar-sim2 -h && $P/nxstat -h");
    ck_output_has("usage: nxstat [--all]");
    ck_shell_says(1, "nicxbar-sim2: standard output cannot be written: No space left on device\n",
                  "$P/nicxbar-sim2 --help >/dev/full");
    ck_shell_says(1, "nxstat: standard output cannot be written", "$P/nxstat -h >/dev/full");
}

TEST(more_threads_than_processors_are_not_run)
{
    shell_program("");
    ck_shell_says(0, "--threads 3: number of processors here: 1; 2 threads run, slower than one\n",
                  "taskset -c $(taskset -cp $$ | sed 's/.*[:,-] *//') $P/nicxbar-sim2 --threads 3 --scenario one-way "
                  "--measure 1 --out $D");
    ck_shell_says(2, "--out /nothere: expected an existing folder that can be written\n",
                  "$P/nicxbar-sim2 --out /nothere");
}

static const char *const languages[] = {"de_DE", "tr_TR"};

/* Numbers have a point, and i is no dotless one. */
TEST(programs_print_the_same_in_every_language, .to = COUNT(languages))
{
    const char *l = languages[_i];
    shell_program("nicxbar-sim2");
    if (shell_says("localedef -i %s -f UTF-8 $D/%s.UTF-8", l, l)) {
        printf("localedef cannot make %s: languages are not tried\n", l);
        return;
    }
    ck_shell_says(0, "decimal_point=\",\"\n", "LOCPATH=$D LC_ALL=%s.UTF-8 locale -k decimal_point", l);
    ck_assert_int_eq(
        shell_says(
            "for l in C %s.UTF-8; do LOCPATH=$D LC_ALL=$l $P --nodes 2 --scenario uniform --sizes 8..496 --load 0.5 "
            "--measure 30 --json $D/json >$D/$l.out || exit; sed -i 's/ in [0-9.]* s: [0-9.]* kHz//' $D/$l.out; "
            "sed '/wall_s\\|net_khz\\|rounds_/d' $D/json >>$D/$l.out; done; cmp $D/*.out && ! grep -m 1 '[0-9],[0-9]' "
            "$D/C.out",
            l),
        0);
}
