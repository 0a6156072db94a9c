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

#define RUN "run=\"${PYTHON:-python3} -S $PWD/scripts/tool.py run_tests\"; cd $D; "
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
    ck_assert_str_eq(
        shell_output,
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
static const char *const stops[] = {"-TERM $runner", "-KILL $runner", "-TERM $(cat $D/program)",
                                    "-KILL $(cat $D/program)"};

TEST(who_stops_tests_stops_them_all, .to = COUNT(stops))
{
    build("#include <stdio.h>\n#include <unistd.h>\n"
          "static void put(const char *name, int pid)\n"
          "{ FILE *f = fopen(\"part\", \"w\"); fprintf(f, \"%d\", pid); fclose(f); rename(\"part\", name); }\n"
          "TEST(deaf) { put(\"program\", getppid()); signal(SIGTERM, SIG_IGN); put(\"test\", getpid()); for (;;) "
          "pause(); }\n");
    ck_shell_says(
        0, "gone",
        RUN
        "GOAL=test CASE= WAVES=0 FULL= SEED=5 setsid $run . small >said & runner=$!\n"
        "until [ -e test ] || [ ! -e /proc/$runner ]; do sleep 0.1; done; kill %s; n=0\n"
        "while grep -qs '^State:.[^Z]' /proc/$(cat test)/status && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done\n"
        "[ $n = 50 ] && kill -KILL $(cat test) || echo gone; wait",
        stops[_i]);
}

/* ---- make test REPORT=junit|tap: read by third-party readers ---- */

/* A program with each way to fail, one that crashes, and a step that fails. */
static void report(const char *format, const char *step)
{
    build("#include <stdlib.h>\n#include <unistd.h>\nstatic void up(void) {}\n"
          "TEST_CASE(\"small\", .setup = up);\n"
          "TEST(good) { usleep(20000); ck_assert(!system(\"[ -z \\\"$CK_XML_LOG_FILE_NAME\\\" ]\")); }\n"
          "TEST(bad, .to = 2) { ck_assert_msg(_i == 0, \"<a> & # \\033[1m\\nsecond line\"); }\n"
          "TEST(dies) { abort(); }\nTEST(slow) { for (;;) pause(); }\n");
    shell_put("crash", "#!/bin/sh\n[ \"$1\" != --list ] || { echo 'crash one 0 1'; echo 'crash two 0 2'; exit; }\n"
                       "echo '<testsuites>' >$CK_XML_LOG_FILE_NAME; echo before; kill -SEGV $$\n");
    ck_shell_says(1, "report: ",
                  RUN
                  "mkdir -p tb; chmod +x crash; mv small tb/test_small; mv crash tb/test_crash\n"
                  "export GOAL=test CASE= WAVES=0 FULL= SEED=5 CK_DEFAULT_TIMEOUT=0.5 REPORTED=$D/steps "
                  "REPORT_TO=$D/report; mkdir steps\n"
                  "$run --step %s sh -c 'echo what is wrong; exit 3' && REPORT=%s $run . tb/test_small tb/test_crash",
                  step, format);
}

static const char *xpath(const char *expression)
{
    ck_assert_msg(shell_says("xmllint --xpath '%s' $D/report", expression) == 0, "%s: %s", expression, shell_output);
    shell_output[strcspn(shell_output, "\n")] = '\0';
    return shell_output;
}

TEST(a_report_for_ci_has_every_test_with_its_time_and_what_went_wrong)
{
    report("junit", "lint");
    ck_assert_msg(shell_says("xmllint --noout --schema tb/unit/runtime/junit.xsd $D/report") == 0, "%s", shell_output);
    const struct {
        const char *expression, *is;
    } rows[] = {
        {"string(/testsuites/@tests)", "10"},
        {"count(//testcase)", "10"},
        {"string(/testsuites/@failures)", "2"},
        {"count(//failure)", "2"},
        {"string(/testsuites/@errors)", "3"},
        {"count(//error)", "3"},
        {"count(//skipped)", "3"},
        {"count(//testsuite[@tests != count(testcase) or @failures != count(*/failure) or @errors != count(*/error)])",
         "0"},
        {"count(//testsuite[@name = \"tb/test_small\"]/testcase[@classname = \"tb.test_small\"][@time])", "5"},
        {"//testcase[@name = \"small.good\"]/@time >= 0.02", "true"},
        {"//testcase[@name = \"small.good\"]/@time < 0.5", "true"},
        {"//testcase[@name = \"small.slow\"]/@time >= 0.5", "true"},
        {"count(//testcase[@name = \"small.bad:0\"]/*)", "0"},
        {"contains(//testcase[@name = \"small.bad:1\"]/failure, \"<a> & # [1m\nsecond line\")", "true"},
        {"contains(//testcase[@name = \"small.dies\"]/error/@message, \"Received signal 6\")", "true"},
        {"contains(//testcase[@name = \"small.slow\"]/error/@message, \"timeout\")", "true"},
        {"contains(//testsuite[@name = \"tb/test_small\"]/system-out, \"CASE=small SEED=5\")", "true"},
        {"string(//testsuite[@name = \"tb/test_crash\"]/testcase[error]/@name)", "program"},
        {"contains(//testcase[@name = \"program\"]/error, \"exit code 139\")", "true"},
        {"count(//testsuite[@name = \"tb/test_crash\"]/testcase[@name = \"crash.two:1\"]/skipped)", "1"},
        {"contains(//testcase[@name = \"lint\"]/failure, \"what is wrong\")", "true"},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        const char *is = xpath(rows[i].expression);
        ck_assert_msg(!strcmp(is, rows[i].is), "%s: %s, expected %s", rows[i].expression, is, rows[i].is);
    }
}

/* Also on the screen, as the last lines: a name for each failure. */
TEST(a_report_in_tap_is_what_prove_reads)
{
    report("tap", "lint");
    const char *end = strstr(shell_output, "Failed: lint");
    ck_assert_ptr_nonnull(end);
    ck_assert_ptr_nonnull(strstr(end, "test_small.c:8:F:small:bad:1: <a>"));
    ck_assert_ptr_nonnull(strstr(end, "test_small.c:9:E:small:dies:0: "));
    ck_assert_ptr_nonnull(strstr(end, "tb/test_crash: no summary, exit code 139"));
    ck_assert_ptr_nonnull(strstr(end, "Failed: tb/test_crash tb/test_small"));
    ck_shell_says(1, "Failed 5/10 subtests", "prove --exec cat $D/report");
    ck_output_has("(less 3 skipped subtests: 2 okay)");
    ck_shell_says(0, "not ok 4 - tb/test_small small.bad:1 # time=", "cat $D/report");
    ck_output_has("# second line\n");
}

TEST(a_report_says_so_when_nothing_could_be_built)
{
    report("junit", "build");
    ck_assert_str_eq(xpath("concat(count(//testcase), count(//failure), count(//error), count(//skipped))"), "3102");
    ck_shell_says(1, "REPORT=tap: /nowhere/r cannot be written",
                  "export REPORT=tap REPORTED=$D/steps REPORT_TO=/nowhere/r GOAL=test SEED=5; " RUN
                  "$run $D tb/test_small");
}
