/* Linux as the chip's peer (sim/app/roce/linux/roce_guest.h, roce_linux.h), with a script in the place of QEMU: start,
 * output, end, and reports of failures. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "roce_8.h"
#include "shell.h"
#include "sim/app/roce/linux/roce_rping.h"
#include "simulation.h"

TEST_CASE("roce_guest", .timeout = 30, .teardown = shell_clean);

static const char *const settings[] = {"ADDR=10.0.0.2/24", "RUN=rping,-c", NULL};

static roce_guest *start(const char *script, char error[ROCE_GUEST_ERROR])
{
    char log[300];
    shell_put("start", script);
    ck_assert_int_eq(shell("chmod +x $D/start"), 0);
    snprintf(log, sizeof log, "%s/log", shell_folder());
    *error = 0;
    return roce_guest_start(shell_folder(), log, settings, error);
}

static const char *says(roce_guest *g)
{
    const char *line;
    for (int i = 0; !(line = roce_guest_says(g)) && i < 500; i++) roce_guest_wait(g, 10);
    return line ? line : "nothing";
}

TEST(it_gets_its_sockets_and_settings_and_its_frames_arrive)
{
    char error[ROCE_GUEST_ERROR];
    int status = -1;
    roce_guest *g = start("#!/bin/sh\n[ -S $2 ] && echo guest: sim is there\nshift 2\n"
                          "echo boot noise\nprintf 'guest: %s\\r\\n' \"$*\"\nexit 3\n",
                          error);
    ck_assert_msg(g != NULL, "%s", error);
    ck_assert_str_eq(says(g), "sim is there");
    ck_assert_str_eq(says(g), "ADDR=10.0.0.2/24 RUN=rping,-c");
    for (int i = 0; !roce_guest_ended(g, &status) && i < 500; i++) usleep(10000);
    ck_assert_int_eq(status, 3);
    roce_guest_free(g);
    ck_assert_int_eq(shell("grep -q 'boot noise' $D/log"), 0);
}

TEST(a_frame_for_nobody_is_refused_and_nothing_is_received)
{
    char error[ROCE_GUEST_ERROR];
    uint8_t frame[60] = {0};
    roce_guest *g = start("#!/bin/sh\necho guest: up\nexec sleep 1000\n", error);
    ck_assert_msg(g != NULL, "%s", error);
    ck_assert_str_eq(says(g), "up");
    ck_assert_int_eq(roce_guest_send(g, frame, sizeof frame), -1);
    ck_assert_uint_eq(roce_guest_receive(g, frame, sizeof frame), 0);
    ck_assert_int_eq(roce_guest_ended(g, NULL), 0);
    roce_guest_free(g);
}

TEST(a_line_reaches_its_console)
{
    char error[ROCE_GUEST_ERROR];
    roce_guest *g =
        start("#!/bin/sh\nread -r line\necho \"guest: $line\"\nexec <&-\necho guest: deaf\nexec sleep 1000\n", error);
    ck_assert_msg(g != NULL, "%s", error);
    ck_assert_int_eq(roce_guest_tell(g, "mtu 1500"), 0);
    ck_assert_str_eq(says(g), "mtu 1500");
    ck_assert_str_eq(says(g), "deaf");
    ck_assert_int_eq(roce_guest_tell(g, "run a program"), -1);
    roce_guest_free(g);
}

/* Nothing that it has started is left. */
TEST(it_ends_with_all_its_children)
{
    char error[ROCE_GUEST_ERROR];
    roce_guest *g = start("#!/bin/sh\nsleep 1000 &\necho guest: $!\nwait\n", error);
    ck_assert_msg(g != NULL, "%s", error);
    char child[32];
    snprintf(child, sizeof child, "%s", says(g));
    ck_assert_int_eq(shell("kill -0 %s", child), 0);
    roce_guest_free(g);
    ck_assert_int_ne(shell("sleep 0.2; grep -q '^State:.[^Z]' /proc/%s/status 2>/dev/null", child), 0);
}

/* kill -9 leaves its folder: the next one removes it, but none that is in use or new. */
TEST(what_one_that_was_killed_has_left_is_removed)
{
    char error[ROCE_GUEST_ERROR];
    setenv("TMPDIR", shell_folder(), 1);
    ck_assert_int_eq(shell("for f in left1 used12 newone; do mkdir $D/roce.$f; touch $D/roce.$f/sim $D/roce.$f/guest; "
                           "done; mv $D/roce.left1 "
                           "$D/roce.left12; touch -d '1 hour ago' $D/roce.left12 $D/roce.used12"),
                     0);
    ck_assert_int_eq(shell("exec 9<$D/roce.used12 && flock -s 9 && sleep 5 & sleep 0.1"), 0);
    roce_guest *g = start("#!/bin/sh\necho guest: ready\n", error);
    ck_assert_msg(g != NULL, "%s", error);
    ck_assert_str_eq(says(g), "ready");
    roce_guest_free(g);
    ck_shell_says(0, "roce.newone\nroce.used12\n", "cd $D && ls -d roce.*");
    ck_output_lacks("left");
    unsetenv("TMPDIR");
}

TEST(what_cannot_start_is_reported)
{
    char error[ROCE_GUEST_ERROR];
    ck_assert_ptr_null(roce_guest_start("/nonexistent", "/dev/null", settings, error));
    ck_assert_msg(strstr(error, "/nonexistent/start") && strstr(error, "scripts/guest.py"), "%s", error);
    shell_put("start", "");
    ck_assert_int_eq(shell("chmod +x $D/start"), 0);
    ck_assert_ptr_null(roce_guest_start(shell_folder(), "/nonexistent/log", settings, error));
    ck_assert_msg(strstr(error, "/nonexistent/log") != NULL, "%s", error);
}

/* 1 if a process exists and is no zombie. */
static int lives(const char *pid) { return !shell("grep -q '^State:.[^Z]' /proc/%s/status 2>/dev/null", pid); }

/* QEMU is one process; User-mode Linux starts others, which on_socket looks after. */
static const char *const kinds[] = {
    "#!/bin/sh\necho guest: $$\nexec sleep 1000\n",
    "#!/bin/sh\nexec ${0%/*}/on_socket $1 $2 /bin/sh sh -c 'sleep 1000 & echo guest: $!; wait'\n"};

static void make_on_socket(void)
{
    ck_assert_int_eq(shell("gcc -Wall -Wextra -Werror -o %s/on_socket scripts/guest/on_socket.c", shell_folder()), 0);
}

TEST(it_gets_a_line_that_it_cannot_open_itself)
{
    char error[ROCE_GUEST_ERROR];
    uint8_t frame[16];
    size_t length = 0;
    make_on_socket();
    roce_guest *g = start("#!/bin/sh\nexec ${0%/*}/on_socket $1 $2 /bin/sh sh -c 'printf frame >&9; cat <&9'\n", error);
    ck_assert_msg(g != NULL, "%s", error);
    for (int i = 0; !(length = roce_guest_receive(g, frame, sizeof frame)) && i < 500; i++) roce_guest_wait(g, 10);
    ck_assert(length == 5 && !memcmp(frame, "frame", 5));
    ck_assert_int_eq(roce_guest_send(g, (const uint8_t *)"guest: heard\n", 13), 0);
    ck_assert_str_eq(says(g), "heard");
    roce_guest_free(g);
}

/* Also not of a program that is killed and can end nothing. */
TEST(it_ends_when_its_program_is_killed, .to = COUNT(kinds))
{
    char error[ROCE_GUEST_ERROR], pid[32] = "";
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    make_on_socket();
    pid_t program = fork();
    if (!program) {
        roce_guest *g = start(kinds[_i], error);
        const char *said = g ? says(g) : error;
        if (write(ends[1], said, strlen(said) + 1) < 0) _exit(1);
        for (;;) pause();
    }
    ck_assert_int_gt(read(ends[0], pid, sizeof pid - 1), 0);
    ck_assert_msg(lives(pid), "%s", pid);
    kill(program, SIGKILL);
    waitpid(program, NULL, 0);
    for (int i = 0; lives(pid) && i < 100; i++) usleep(10000);
    ck_assert(!lives(pid));
}

TEST_CASE("roce_linux", .timeout = 60, .teardown = shell_clean);

static sim *s;
static roce_system *system_;
static roce_linux *linux_;

static void end_linux(void *self)
{
    (void)self;
    roce_linux_free(linux_);
    roce_system_free(system_);
    linux_ = NULL;
    system_ = NULL;
}

static void (*then)(void *self, roce_linux *l);

static void open_and_boot(void *self, roce_linux *l)
{
    if (!roce_system_open(system_) && !roce_linux_boot(l)) then(self, l);
}

static const char *console; /* NULL: a file in the folder */

/* A run with this script as QEMU: its result; its report is in the file `report` of the folder. */
static int run_linux(const char *script, void (*talk)(void *self, roce_linux *l))
{
    static char log[300];
    char error[ROCE_SYSTEM_ERROR];
    roce_system_params y = roce_system_defaults(&roce_8_config);
    roce_linux_params p = roce_linux_defaults();
    shell_put("start", script);
    ck_assert_int_eq(shell("chmod +x $D/start"), 0);
    snprintf(log, sizeof log, "%s/log", shell_folder());
    y.no_peer = 1;
    p.guest = shell_folder();
    p.console = console ? console : log;
    p.up = p.silent = 0.25;
    p.talk = open_and_boot;
    then = talk;
    s = quiet_sim(0);
    system_ = roce_system_new(s, &y, error);
    ck_must(system_, "%s", error);
    after_test(end_linux, NULL);
    linux_ = roce_linux_new(s, system_->board->clock, system_->wire, &p);
    ck_must(linux_, "no memory left");
    int result = sim_run(s, SIM_FOREVER);
    FILE *f = shell_file("report", "w");
    roce_linux_print(linux_, f);
    fclose(f);
    return result;
}

#define ck_fails_with(text, script, talk)                                                                              \
    do {                                                                                                               \
        ck_assert_int_eq(run_linux(script, talk), SIM_FAILED);                                                         \
        ck_assert_str_eq(sim_error(s), text);                                                                          \
    } while (0)

static int reported(const char *text) { return !shell("grep -q '%s' $D/report", text); }

static void nothing(void *self, roce_linux *l)
{
    (void)self;
    (void)l;
}

TEST(one_that_is_not_up_in_time_shows_its_console)
{
    ck_fails_with("Linux is not up after 0.25 s", "#!/bin/sh\necho Kernel panic\nexec sleep 1000\n", nothing);
    ck_assert(reported("Kernel panic") && reported("/log"));
}

TEST(one_that_ends_too_early_shows_its_console)
{
    ck_fails_with("QEMU has ended before Linux was done", "#!/bin/sh\necho cannot set up guest memory\nexit 1\n",
                  nothing);
    ck_assert(reported("cannot set up guest memory"));
}

#define ANSWERS(command, answer)                                                                                       \
    "#!/bin/sh\necho guest: ready\nwhile read -r c; do case $c in " command ") " answer                                \
    ";; esac; echo guest: idle; done\n"

static void ask_for_1024(void *self, roce_linux *l)
{
    (void)self;
    roce_linux_mtu(l, 1024);
}

TEST(a_path_mtu_that_it_cannot_carry_is_named)
{
    ck_fails_with("pmtu 1024: expected one that Linux can carry: it takes no MTU of 1280",
                  ANSWERS("'mtu 1280'", "echo guest: eth0 takes no MTU of 1280"), ask_for_1024);
}

TEST(what_it_complains_of_is_reported)
{
    ck_fails_with("Linux says: no rxe0", "#!/bin/sh\necho guest: no rxe0\nexec sleep 1000\n", nothing);
}

TEST(a_console_that_cannot_be_saved_is_reported)
{
    console = "/dev/full";
    ck_fails_with("/dev/full: No space left on device", "#!/bin/sh\necho Kernel panic\nexec sleep 1000\n", nothing);
    ck_assert(reported("Kernel panic"));
}

static void run_a_program(void *self, roce_linux *l)
{
    (void)self;
    roce_linux_run(l, "rping -c");
}

TEST(one_that_falls_silent_and_never_sent_a_packet)
{
    ck_fails_with("Linux is silent for 0.25 s: nothing has come from Linux",
                  ANSWERS("run*", "echo rping hangs; exec sleep 1000"), run_a_program);
    ck_assert(reported("rping hangs"));
}

/* Sends an acknowledgement in its name. */
static void hear_a_packet(void *self, roce_linux *l)
{
    static const uint8_t ack[62] = {2,        0, 0,  0,    0, 1,    0x52,        0x54,      0,  0,         0,
                                    2,        8, 0,  0x45, 0, 0,    48,          [22] = 64, 17, [26] = 10, 0,
                                    0,        2, 10, 0,    0, 1,    [36] = 0x12, 0xb7,      0,  28,        [42] = 0x11,
                                    [46] = 0, 0, 0,  5,    0, 0xab, 0xcd,        0xef};
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    FILE *f = shell_file("place", "r");
    ck_assert(f && fscanf(f, "%100s", to.sun_path) == 1);
    fclose(f);
    int from = socket(AF_UNIX, SOCK_DGRAM, 0);
    ck_assert_int_eq(sendto(from, ack, sizeof ack, 0, (const struct sockaddr *)&to, sizeof to), sizeof ack);
    close(from);
    run_a_program(self, l);
}

TEST(one_that_falls_silent_is_reported_with_its_last_packet)
{
    ck_assert_int_eq(
        run_linux("#!/bin/sh\necho $2 >${0%/*}/place\necho guest: ready\nexec sleep 1000\n", hear_a_packet),
        SIM_FAILED);
    const char *expected = "Linux is silent for 0.25 s: the last from Linux was ACK, PSN abcdef, for QP 5, at ";
    ck_assert_msg(!strncmp(sim_error(s), expected, strlen(expected)), "%s", sim_error(s));
    ck_assert(reported("the last from Linux was ACK, PSN abcdef, for QP 5"));
}

static void be_interrupted(void *self, roce_linux *l)
{
    (void)self;
    raise(SIGINT);
    roce_linux_run(l, "rping -c");
}

TEST(ctrl_c_ends_it_and_all_it_has_started)
{
    char pid[32];
    ck_assert_int_eq(
        run_linux("#!/bin/sh\nsleep 1000 &\necho $! >${0%/*}/pid\necho guest: ready\nwait\n", be_interrupted),
        SIM_INTERRUPTED);
    FILE *f = shell_file("pid", "r");
    ck_assert(f && fscanf(f, "%30s", pid) == 1);
    fclose(f);
    ck_assert(lives(pid));
    end_linux(NULL);
    for (int i = 0; lives(pid) && i < 100; i++) usleep(10000);
    ck_assert(!lives(pid));
}

TEST(commands_and_counters_are_answered)
{
    ck_assert_int_eq(run_linux("#!/bin/sh\necho guest: ready\nwhile read -r c; do case $c in end) break;; counters) "
                               "echo guest: counter sent_pkts 7;; "
                               "run*) echo guest: exit 0 of a; echo guest: exit 255 of b;; esac; echo guest: idle; "
                               "done; echo guest: done\n",
                               run_a_program),
                     SIM_OK);
    ck_assert(roce_linux_complete(linux_));
    ck_assert_uint_eq(roce_linux_get_result(linux_)->good, 1);
    ck_assert_uint_eq(roce_linux_get_result(linux_)->bad, 1);
}

/* A program with a control channel of its own: it says when it is ready. */
#define VERBS(end) "#!/bin/sh\necho guest: ready\nread -r run\necho guest: verbs\nsleep 0.1\n" end "\nexec sleep 1000\n"

static void start_a_program(void *self, roce_linux *l)
{
    (void)self;
    if (!roce_linux_start(l, "verbs") && !roce_linux_join(l)) sim_stop(s);
}

TEST(a_program_that_was_started_says_when_it_is_ready_and_how_it_ends)
{
    ck_assert_int_eq(run_linux(VERBS("echo guest: exit 0 of verbs; echo guest: idle"), start_a_program), SIM_STOPPED);
    ck_assert_uint_eq(roce_linux_get_result(linux_)->good, 1);
}

TEST(a_program_that_was_started_and_ends_badly_is_reported)
{
    ck_fails_with("Linux says: exit 139 of verbs", VERBS("echo guest: exit 139 of verbs"), start_a_program);
}

TEST(rows_of_rping_are_refused_by_name)
{
    static const struct {
        roce_rping_row row;
        unsigned mtu;
        const char *text;
    } wrong[] = {
        {{256, 6, 1, 1, 1, 64, 64}, 4400, "pmtu 256: expected 1024 or more with IPv6, whose MTU is at least 1280"},
        {{8192, 4, 1, 1, 1, 64, 64}, 4400, "pmtu 8192: expected 256, 512, 1024, 2048 or 4096"},
        {{1024, 4, 1, 17, 1, 64, 64}, 4400, "qps 17: expected 1 to 16 with peer rxe"},
        {{2048, 4, 1, 1, 1, 64, 64},
         1500,
         "pmtu 2048: expected at most 1024 with this guest, whose MTU is at most 1500"},
        {{1024, 4, 1, 1, 1, 64, 65536}, 4400, "longest 65536: expected 64 to 65535 with peer rxe, the size of a ping"},
    };
    char error[OPTION_ERROR];
    ck_assert_int_eq(roce_rping_check(&(roce_rping_row){1024, 6, 1, 1, 1, 64, 64}, 1500, error), 0);
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        ck_assert_int_eq(roce_rping_check(&wrong[i].row, wrong[i].mtu, error), -1);
        ck_assert_str_eq(error, wrong[i].text);
    }
}

TEST_CASE("guest.py", .timeout = 30, .teardown = shell_clean);

#define GUEST "${PYTHON:-python3} -S scripts/tool.py guest"
#define UML "${PYTHON:-python3} -S scripts/tool.py uml"

TEST(a_package_that_is_missing_is_named)
{
    ck_assert_int_eq(shell("mkdir %s/bin", shell_folder()), 0);
    shell_put("bin/apt-cache", "#!/bin/sh\n[ $2 != linux-image-amd64 ] || echo ' Depends: linux-image-6.9'\n");
    shell_put("bin/apt-get", "#!/bin/sh\necho \"E: Unable to locate package $3\" >&2\nexit 100\n");
    ck_assert_int_eq(shell("chmod +x $D/bin/*"), 0);
    ck_shell_fails("guest: cannot download package linux-image-6.9", "PATH=$D/bin:$PATH " GUEST " $D/guest");
    ck_output_has("E: Unable to locate package linux-image-6.9");
    shell_put("bin/apt-cache", "#!/bin/sh\n");
    ck_shell_fails("guest: apt knows no linux-image-amd64", "PATH=$D/bin:$PATH " GUEST " $D/guest");
}

TEST(user_mode_linux_says_what_it_is_made_of)
{
    ck_assert_int_eq(shell("mkdir %s/bin; " UML " $D/guest mtu; grep -qx 1500 $D/guest/uml/mtu", shell_folder()), 0);
    ck_shell_fails("guest/initrd.gz is missing: expected a guest that scripts/guest.py has made", UML " $D/guest");
    shell_put("guest/initrd.gz", "");
    shell_put("bin/dpkg-query", "#!/bin/sh\nexit 1\n");
    shell_put("bin/apt-cache",
              "#!/bin/sh\n[ $1 != show ] || [ ! -e ${0%/*}/known ] || printf 'Package: %s\\nVersion: 6.9\\n' $2\n");
    shell_put("bin/apt-get", "#!/bin/sh\nexit 100\n");
    ck_assert_int_eq(shell("chmod +x $D/bin/*"), 0);
    ck_shell_fails("uml: apt knows no linux-source-6.1", "PATH=$D/bin:$PATH " UML " $D/guest");
    shell_put("bin/known", "");
    ck_shell_fails("uml: cannot download package", "PATH=$D/bin:$PATH " UML " $D/guest");
}

#define INTEROP "${PYTHON:-python3} -S $D/bin/interop.py $D/bin $D/out"
TEST_CASE("interop.py", .timeout = 30, .teardown = shell_clean);

/* The script with two parts, whose rows are a and b, and c, and with this as the body of the second one; a guest is
 * always there. */
static void interop_of(const char *second)
{
    char text[1000];
    ck_assert_int_eq(shell("mkdir %s/bin", shell_folder()), 0);
    shell_put("bin/first", "#!/bin/sh\ncase \"$*\" in --list*) printf 'a-row\\nb-row\\n' ;; *) echo 'good  a-row  "
                           "well'; echo 'good  b-row  well' ;; esac\n");
    snprintf(text, sizeof text, "#!/bin/sh\nif [ \"$1\" = --list ]; then echo c-row; exit; fi\n%s\n", second);
    shell_put("bin/second", text);
    shell_put("bin/guest", "#!/bin/sh\n");
    shell_put("bin/interop.py",
              "import sys\nsys.dont_write_bytecode = True\nsys.path.insert(0, 'scripts')\nimport interop\n"
              "interop.PARTS, interop.TOOL = {'one': '{bin}/first', 'two': '{bin}/second'}, [sys.argv[1] + '/guest']\n"
              "sys.exit(interop.main(sys.argv[1:]))\n");
    ck_assert_int_eq(shell("chmod +x $D/bin/*"), 0);
}

TEST(rows_of_all_parts_are_summed_up)
{
    interop_of("echo 'good  c-row  well'");
    ck_shell_says(0, "interop: 3 rows, 0 bad", INTEROP);
    ck_output_has("good  c-row  well");
    ck_assert_int_eq(shell("grep -q '^good  b-row  well' $D/out/interop.txt"), 0);
}

TEST(a_row_that_is_bad_or_has_no_verdict_is_noticed)
{
    interop_of("echo 'BAD   c-row  wrong'");
    ck_shell_says(1, "interop: 3 rows, 1 bad", INTEROP);
    ck_assert_int_eq(shell("rm -r $D/bin"), 0);
    interop_of("exit 3");
    ck_shell_says(1, "interop: 3 rows, 1 bad", INTEROP);
    ck_output_has("BAD   c-row                         no verdict: its program ended with code 3");
}

TEST(a_part_that_ends_badly_behind_good_rows_is_noticed)
{
    interop_of("echo 'good  c-row  well'; echo 'BAD: the file is not saved'; exit 1");
    ck_shell_says(1, "interop: 4 rows, 1 bad", INTEROP);
    ck_output_has("BAD   two                           ended with code 1");
}

TEST(only_parts_with_such_a_row_run)
{
    interop_of("echo \"good  c-row  $*\"");
    ck_shell_says(0, "good  c-row  --only c-r", "ONLY=c-r " INTEROP);
    ck_output_has("interop: 1 rows, 0 bad");
    ck_shell_says(2, "ONLY=d: expected a part of the name of a row; the nearest: a-row, b-row, c-row",
                  "ONLY=d " INTEROP);
}

TEST(what_runs_ends_with_it)
{
    char pid[32];
    interop_of("echo $$ >${0%/*}/pid\nexec sleep 1000");
    ck_assert_int_eq(shell(INTEROP " >/dev/null & p=$!; while [ ! -s $D/bin/pid ]; do sleep 0.05; done; kill $p; "
                                   "wait $p; [ $? = 130 ]"),
                     0);
    FILE *f = shell_file("bin/pid", "r");
    ck_assert(f && fscanf(f, "%30s", pid) == 1);
    fclose(f);
    for (int i = 0; lives(pid) && i < 100; i++) usleep(10000);
    ck_assert(!lives(pid));
    ck_assert_int_eq(shell("ls $D/out | grep -q rows"), 1);
}
