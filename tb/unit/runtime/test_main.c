/* test.h and the main of every test program, on small programs made here. */
#include <string.h>

#include "shell.h"
#include "test.h"

static void build(const char *text)
{
    FILE *f = shell_file("test_small.c", "w");
    fprintf(f, "#include \"test.h\"\n#include <stdlib.h>\n%s", text);
    fclose(f);
    ck_assert_msg(shell_says("cc -Wall -Wextra -Werror -O2 -Itb -o $D/small $D/test_small.c tb/test.c "
                             "$(pkg-config --cflags --libs check) -lpthread") == 0,
                  "%s", shell_output);
}

#define small(code, text, before, after) ck_shell_says(code, text, before " $D/small " after)

TEST_CASE("main", .teardown = shell_clean);

TEST(tests_stand_in_the_order_of_the_file_with_their_cases)
{
    build("static void up(void) {}\nstatic int settings[3];\n"
          "TEST(alone) {}\n"
          "TEST_CASE(\"rules\", .timeout = 7, .setup = up);\n"
          "TEST(looped, .to = COUNT(settings)) { settings[_i] = 1; }\n"
          "TEST_CASE(\"ends\");\n"
          "TEST(leaves, .exit = 3) { exit(3); }\nTEST(dies, .from = 2, .to = 4, .signal = SIGABRT) { abort(); }\n"
          "TEST_CASE(\"rules\");\nTEST(late) {}\n");
    ck_assert_int_eq(shell_says("$D/small --list"), 0);
    ck_assert_str_eq(shell_output,
                     "small alone 0 1\nrules looped 0 3 timeout=7 fixtures=1\nends leaves 0 1 exit=3\nends dies 2 4 signal=6\n"
                     "rules late 0 1 timeout=7 fixtures=1\n");
    small(0, "100%: Checks: 8, Failures: 0, Errors: 0", "", "");
    small(0, "100%: Checks: 4, Failures: 0, Errors: 0", "CK_RUN_CASE=rules", "");
}

TEST(a_test_that_fails_fails_the_program_and_is_named)
{
    build("TEST(good) {}\nTEST(bad, .to = 2) { ck_assert_int_eq(_i, 0); }\n");
    small(1, "66%: Checks: 3, Failures: 1, Errors: 0", "", "");
    ck_output_has(":F:small:bad:1: ");
}

TEST(a_case_has_its_options_in_one_place)
{
    build("TEST_CASE(\"a\", .timeout = 7);\nTEST(one) {}\nTEST_CASE(\"a\", .timeout = 8);\nTEST(two) {}\n");
    small(2, "test_small.c:5: the test case a has its options from line 3", "", "");
}

/* However tests are stopped, none goes on, be it deaf to signals. */
static const char *const stops[] = {"-TERM $runner", "-KILL $runner", "-TERM $(cat $D/program)", "-KILL $(cat $D/program)"};

TEST(who_stops_tests_stops_them_all, .to = COUNT(stops))
{
    build("#include <stdio.h>\n#include <unistd.h>\n"
          "static void put(const char *name, int pid)\n"
          "{ FILE *f = fopen(\"part\", \"w\"); fprintf(f, \"%d\", pid); fclose(f); rename(\"part\", name); }\n"
          "TEST(deaf) { put(\"program\", getppid()); signal(SIGTERM, SIG_IGN); put(\"test\", getpid()); for (;;) pause(); }\n");
    ck_shell_says(0, "gone",
                  "run=$PWD/scripts/run_tests.sh; cd $D; GOAL=test CASE= WAVES=0 FULL= SEED=5 setsid $run . small >said & runner=$!\n"
                  "until [ -e test ] || [ ! -e /proc/$runner ]; do sleep 0.1; done; kill %s; n=0\n"
                  "while grep -qs '^State:.[^Z]' /proc/$(cat test)/status && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done\n"
                  "[ $n = 50 ] && kill -KILL $(cat test) || echo gone; wait",
                  stops[_i]);
}
