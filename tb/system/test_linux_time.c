/* make linux with guests in C: its calendar, ends of runs, faults. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crossbar2.h"
#include "linux_bench.h"
#include "nic_register_map.h"
#include "test.h"

/* ---- time ---- */

TEST_CASE("linux_time", .timeout = 120, .teardown = shell_clean);

static int sleep_long(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    uint32_t id;
    c_guest_wait(g, g->now + (g->host == 1 ? 2000000000 : 700000));
    c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
    return c_guest_end(g, 0);
}

TEST(time_in_which_nothing_moves_is_skipped)
{
    linux_world *w = run_guests(sleep_long, 0);
    ck_assert_uint_ge(linux_world_now(w), 2000000000);
    ck_assert_uint_ge(w->skipped, 1990000000);
    ck_assert_uint_le(w->simulated, 3 * LINUX_QUIET);
    linux_world_free(w);
}

/* Steps of 256 ns, as of a clock that is read, with a register read between some. */
static int read_clock(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    uint32_t id;
    c_guest_wait(g, g->now + (g->host == 1 ? 500000 : 100000000));
    for (int i = 0; g->host == 1 && i < 40000; i++) {
        if (i % 10000 == 9999) c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
        c_guest_wait(g, g->now + 256);
    }
    printf("%llu ns, %u messages\n", (unsigned long long)g->now, g->sequence);
    must(g->sequence < 20000, "a guest that is alone does not ask for each step");
    return c_guest_end(g, 0);
}

TEST(short_steps_of_a_guest_that_is_alone_cost_nothing) { linux_world_free(run_guests(read_clock, 0)); }

static int sleep_short(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    c_guest_wait(g, g->now + 1000000);
    return c_guest_end(g, 0);
}

TEST(with_skip_0_all_time_is_simulated)
{
    linux_options o = guest_options(sleep_short);
    o.skip = 0;
    linux_world *w = run_with(&o, 0);
    ck_assert_uint_eq(w->skipped, 0);
    ck_assert_uint_ge(w->simulated, SIM_MS);
    linux_world_free(w);
}

static int sleep_for_ever(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    c_guest_wait(g, TIME_TRAVEL_NEVER);
    return 0;
}

TEST(guests_that_all_sleep_for_ever_end_the_run)
{
    linux_world *w = run_guests(sleep_for_ever, 1);
    ck_assert_str_eq(w->failure, "all guests sleep for ever, and nothing is under way");
    linux_world_free(w);
}

static int spin(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    const uint32_t zero = 0;
    c_guest_put(g, C_CONFIG_WRITE, 0, 0x3c, &zero, 1);
    if (g->host == 1) pause();
    c_guest_wait(g, TIME_TRAVEL_NEVER);
    return 0;
}

TEST(a_guest_that_lets_no_time_pass_ends_the_run)
{
    linux_options o = guest_options(spin);
    o.silence = 0.3;
    linux_world *w = run_with(&o, 1);
    ck_assert_str_eq(w->failure, "host1 has let no time pass for 0.3 s of wall time; the last that it asked for: "
                                 "configuration write of 1 bytes at 0x3c");
    linux_world_free(w);
}

static int idle(int argc, char **argv)
{
    (void)argc, (void)argv;
    pause();
    return 0;
}

TEST(a_guest_that_never_connects_ends_the_run)
{
    linux_options o = guest_options(idle);
    o.connect = 0.3;
    linux_world *w = run_with(&o, 1);
    ck_assert_str_eq(w->failure, "host1 has not connected within 0.3 s, see its log");
    linux_world_free(w);
}

/* ---- the end ---- */

/* Host 2 waits for the file `stop`, in steps of 10 us. */
static int serve(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/stop", g->folder);
    if (g->host == 1) return c_guest_end(g, 7);
    while (stat(path, &st)) c_guest_wait(g, g->now + 10000);
    puts("stopped");
    return c_guest_end(g, 0);
}

TEST(the_code_is_that_of_host1_and_others_are_asked_to_stop)
{
    linux_world_free(run_guests(serve, 7));
    ck_log_has(2, "^stopped");
}

static int ignore_stop(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    if (g->host == 1) return c_guest_end(g, 0);
    for (;;) c_guest_wait(g, g->now + 1000000);
    return 0;
}

TEST(a_guest_that_does_not_stop_is_ended)
{
    linux_world *w = run_guests(ignore_stop, 0);
    ck_assert_int_eq(w->guest[1].pid, 0);
    ck_assert_uint_ge(linux_world_now(w), LINUX_STOP);
    ck_assert_uint_le(linux_world_now(w), LINUX_STOP + 2000000);
    linux_world_free(w);
}

static int end_early(int argc, char **argv)
{
    c_guest_new(argc, argv);
    return 5;
}

static int do_not_start(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts("/dev/shm must be not mounted noexec");
    return 1;
}

TEST(a_kernel_that_does_not_start_is_a_failure)
{
    linux_world *w = run_guests(do_not_start, 1);
    ck_assert_str_eq(w->failure,
                     "host1 does not start (exit code 1): /dev/shm must be not mounted noexec (TMPDIR=folder: "
                     "its memory goes there)");
    linux_world_free(w);
}

TEST(host1_without_a_result_is_a_failure)
{
    linux_world *w = run_guests(end_early, 1);
    ck_assert_str_eq(w->failure, "host1 has ended without a result of its job (exit code 5), see its log");
    linux_world_free(w);
}

static int warn(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    puts("[    0.000001] WARNING: CPU: 0 PID: 1 at kernel/x.c:3");
    return c_guest_end(g, 0);
}

TEST(a_warning_of_the_kernel_is_kept)
{
    linux_world *w = run_guests(warn, 0);
    ck_assert_str_eq(w->guest[0].bad, "[    0.000001] WARNING: CPU: 0 PID: 1 at kernel/x.c:3");
    linux_world_free(w);
}

static int interrupt(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    if (g->host == 1) kill(getppid(), SIGINT);
    for (;;) c_guest_wait(g, g->now + 1000000);
    return 0;
}

TEST(ctrl_c_ends_the_guests_first)
{
    linux_world *w = run_guests(interrupt, 130);
    char folder[80];
    strcpy(folder, w->folder);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(w->guest[i].pid, 0);
    linux_world_free(w);
    ck_assert_int_ne(access(folder, F_OK), 0);
}

/* ---- faults ---- */

/* The first life of `mortal` waits for its end, the second one's job ends well. */
static int live_twice(c_guest *g, unsigned mortal)
{
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/born", g->folder);
    const int again = !stat(path, &st);
    if (g->host != mortal) snprintf(path, sizeof path, "%s/stop", g->folder);
    else if (!again) fclose(fopen(path, "w"));
    printf("life %d at %llu us\n", 1 + again, (unsigned long long)g->now / 1000);
    fflush(stdout);
    if (g->host == mortal && again) return c_guest_end(g, 0);
    if (g->host == 1) { /* until host 2 has lived twice */
        c_guest_wait(g, 5000000);
        return c_guest_end(g, 0);
    }
    do c_guest_wait(g, g->now + 10000);
    while (g->host == mortal || stat(path, &st));
    return c_guest_end(g, 0);
}

static int host1_dies(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    if (g->host != 1) return live_twice(g, 1);
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/born", g->folder);
    if (!stat(path, &st)) return puts("life 2"), c_guest_end(g, 6);
    fclose(fopen(path, "w"));
    for (;;) c_guest_wait(g, g->now + 10000);
    return 0;
}

static int host2_dies(int argc, char **argv) { return live_twice(c_guest_new(argc, argv), 2); }

static linux_world *run_faults(int (*guest)(int argc, char **argv), const char *plan, int code)
{
    char error[400] = "";
    linux_options o = guest_options(guest);
    ck_assert_msg(!linux_faults_read(plan, 2, &o.plan, error), "%s", error);
    linux_world *w = run_with(&o, code);
    for (unsigned i = 0; i < w->faults.count; i++) ck_assert_msg(w->faults.fault[i].begun, "fault %u", i);
    return w;
}

TEST(a_guest_is_killed_and_started_again)
{
    linux_world *w = run_faults(host2_dies, "kill host2 at 1ms; start host2 at 2ms; start host1 at 3ms", 0);
    ck_log_has(2, "^life 1 at 3[0-9] us");
    ck_log_has(2, "^life 2 at 20[0-9][0-9] us");
    ck_assert_ptr_null(w->faults.fault[0].wrong);
    ck_assert_ptr_null(w->faults.fault[1].wrong);
    ck_assert_str_eq(w->faults.fault[2].wrong, "it was running");
    linux_world_free(w);
}

TEST(host1_that_is_killed_ends_the_run_unless_it_is_started_again)
{
    linux_world *w = run_faults(host1_dies, "kill host1 at 1ms; start host1 at 2ms", 6);
    ck_log_has(1, "^life 2");
    linux_world_free(w);
    shell_clean();
    w = run_faults(host1_dies, "kill host1 at 1ms", 1);
    ck_assert_str_eq(w->failure, "host1 has ended without a result of its job (exit code 137), see its log");
    linux_world_free(w);
}

static int watch_link(int argc, char **argv)
{
    seat *n = open_nic(argc, argv);
    uint32_t link = 0;
    for (unsigned i = 0; i < 3; i++) {
        c_guest_wait(n->g, 1020000 + 1000000 * (uint64_t)i);
        must(!nx_register_read(n->dev, NIC_LINK_STATUS, &link), "the NIC answers");
        printf("%s\n", link & NIC_LINK_STATUS_UP_MASK ? "up" : "down");
    }
    return close_nic(n);
}

TEST(a_cable_is_cut_for_a_while_and_for_ever)
{
    linux_world *w = run_faults(watch_link, "cut host1 at 1ms for 50us; cut host1 at 3ms for ever", 0);
    ck_assert_int_eq(shell("[ \"$(head -n 3 $D/host1.log | paste -sd,)\" = down,up,down ]"), 0);
    ck_assert_int_eq(shell("[ \"$(head -n 3 $D/host2.log | paste -sd,)\" = up,up,up ]"), 0);
    linux_world_free(w);
}

TEST(plans_that_cannot_be_are_refused)
{
    static const struct {
        const char *text, *error;
    } cases[] = {{"kill host3 at 1ms", "faults: column 6: 'host3', expected host1..host2"},
                 {"cut host0 at 1ms for 1us", "faults: column 5: 'host0', expected host1..host2"},
                 {"cut target at 1ms for 1us", "faults: column 5: 'target', expected host1..host2"},
                 {"kill host1 every 3ms", "faults: column 12: 'every', expected at"},
                 {"cut host1 at 1ms", "faults: column 17: end, expected for and how long"},
                 {"crash host1 at 1ms", "faults: column 1: 'crash', expected one of cut, kill, start, pull"}};
    for (int i = 0; i < COUNT(cases); i++) {
        linux_faults faults;
        char error[400] = "";
        ck_assert_int_eq(linux_faults_read(cases[i].text, 2, &faults, error), -1);
        ck_assert_str_eq(error, cases[i].error);
    }
}
