/* For any signal at any time: files of a stopped program can be opened, and the next command works.
 *
 * make kill stops each kind of program 20 times by each signal, or KILLS=n times, at random moments; make test once,
 * and no build. */
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell.h"
#include "sim/core/kernel/sim.h"
#include "sim/core/kernel/splitmix64.h"
#include "test.h"

RUNS("nicxbar-sim2");
RUNS("full/nicxbar-sim2-default");

static const int stops[] = {SIGKILL, SIGTERM, SIGINT};
static uint64_t random_state;

static uint64_t below(uint64_t n) { return splitmix64(&random_state) % n; }

/* 0: make test */
static int kills(void)
{
    const char *text = getenv("KILLS");
    return text ? atoi(text) : 0;
}

static void set_up(void)
{
    const char *seed = getenv("SIM_SEED");
    random_state = seed ? strtoull(seed, NULL, 0) : 1;
    shell_folder();
}

/* Runs a command of the shell in a process group of its own and signals all of it at some time up to `most` [s];
 * SIGTERM, as from timeout by way of make, comes twice. Its output is in $D/said. Returns its exit code, or minus the
 * signal that ended it. */
static int stopped(const char *command, int stop, double most)
{
    int status;
    const useconds_t when = (useconds_t)below((uint64_t)(1e6 * most) + 1);
    pid_t child = fork();
    if (!child) {
        setpgid(0, 0);
        execl("/bin/sh", "sh", "-c", command, NULL);
        _exit(127);
    }
    setpgid(child, child);
    usleep(when);
    kill(-child, stop);
    if (stop == SIGTERM) kill(-child, stop);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Its duration without a signal; it must be good then. */
static double whole(const char *command)
{
    double began = sim_wall();
    ck_assert_msg(shell_says("%s", command) == 0 && shell_says("cat $D/said") == 0, "%s:\n%s", command, shell_output);
    return sim_wall() - began;
}

/* The results, if there are any: JSON, and "interrupted" if the program has said so. */
static void check_results(void)
{
    json_error_t error;
    char path[64];
    snprintf(path, sizeof path, "%s/results.json", shell_folder());
    int there = !access(path, F_OK), interrupted = shell_says("grep -q ^INTERRUPTED $D/said") == 0;
    json_t *all = there ? json_load_file(path, 0, &error) : NULL;
    ck_assert_msg(!there || all, "%s:%d: %s", path, error.line, error.text);
    if (interrupted) ck_assert_str_eq(json_string_value(json_object_get(all, "result")), "interrupted");
    json_decref(all);
}

TEST_CASE("kill", .timeout = 3600, .setup = set_up, .teardown = shell_clean);

#define RUN "exec $P --scenario one-way --sizes 496 --json $D/results.json "
#define SAID ">$D/said 2>&1"

TEST(a_run_that_is_stopped_leaves_its_results_whole, .to = COUNT(stops))
{
    shell_program("nicxbar-sim2");
    double most = whole(RUN "--measure 500 " SAID);
    for (int i = 0; i < (kills() ? kills() : 1); i++) {
        int code = stopped(RUN "--measure 500 " SAID, stops[_i], most);
        ck_assert_msg(code == 0 || code == 130 || code == -stops[_i], "exit code %d", code);
        check_results();
        whole(RUN "--measure 5 " SAID);
        check_results();
        ck_shell_says(0, "GOOD: results in", "cat $D/said");
        ck_output_lacks("another run");
    }
}

TEST(a_recording_that_is_stopped_is_whole_or_not_there, .to = COUNT(stops))
{
    shell_program("full/nicxbar-sim2-default");
    double most = whole(RUN "--measure 8 --waves $D/w.fst " SAID);
    for (int i = 0; i < (kills() ? kills() : 1); i++) {
        ck_assert_int_eq(shell("rm -f $D/w.fst*"), 0);
        int code = stopped(RUN "--measure 8 --waves $D/w.fst " SAID, stops[_i], most);
        ck_assert_msg(code == 0 || code == 130 || code == -stops[_i], "exit code %d", code);
        check_results();
        if (code >= 0) ck_shell_says(0, "w.fst", "ls $D");
        if (code >= 0) ck_output_lacks("part");
        ck_assert_int_eq(shell_says("[ ! -e $D/w.fst ] || timeout 60 fst2vcd $D/w.fst | grep -q enddefinitions"), 0);
        whole(RUN "--measure 1 --wave-from 1us --waves $D/w.fst " SAID);
        ck_shell_says(0, "enddefinitions", "ls $D; timeout 60 fst2vcd $D/w.fst | grep enddefinitions");
        ck_output_lacks("part");
    }
}

/* Small models, but all that a build does; half of the time no file exists yet. */
#define BUILD                                                                                                          \
    "cd $D/tree && unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES; exec make NO_INSTALL=1 JOBS=2 "                     \
    "test TEST=tb/unit/runtime/test_cycles >$D/said 2>&1"

TEST(a_build_that_is_stopped_goes_on, .to = COUNT(stops))
{
    if (!kills()) return;
    ck_assert_int_eq(shell("mkdir $D/tree && cp -rp Makefile scripts rtl sim sw tb $D/tree"), 0);
    double most = whole(BUILD);
    for (int i = 0; i < kills(); i++) {
        ck_assert_int_eq(shell("cd $D/tree/build && rm -rf %s", i % 2 ? "models/probe_*" : "*"), 0);
        stopped(BUILD, stops[_i], most / (1 + i % 2));
        whole(BUILD);
        ck_shell_says(0, "100%: Checks: ", "cat $D/said");
    }
}
