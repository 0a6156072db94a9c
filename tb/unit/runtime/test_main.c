/* test.h and the main of every test program, on small programs made here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "test.h"

static char folder[] = "build/test_main_XXXXXX", output[4096];

/* The exit code of a shell command; `output` is what it printed. */
static int run(const char *command)
{
    char line[1024];
    snprintf(line, sizeof line, "{ %s\n} 2>&1", command);
    FILE *f = popen(line, "r");
    ck_assert_ptr_nonnull(f);
    output[fread(output, 1, sizeof output - 1, f)] = 0;
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void build(const char *text)
{
    char path[100], command[400];
    snprintf(path, sizeof path, "%s/test_small.c", folder);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "#include \"test.h\"\n#include <stdlib.h>\n%s", text);
    fclose(f);
    snprintf(command, sizeof command,
             "cc -Wall -Wextra -Werror -O2 -Itb -o %s/small %s tb/test.c $(pkg-config --cflags --libs check) -lpthread", folder, path);
    ck_assert_msg(run(command) == 0, "%s", output);
}

static int small(const char *before, const char *after)
{
    char command[200];
    snprintf(command, sizeof command, "%s %s/small %s", before, folder, after);
    return run(command);
}

static void set_up(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

TEST_CASE("main", .setup = set_up, .teardown = tear_down);

TEST(tests_stand_in_the_order_of_the_file_with_their_cases)
{
    build("static void up(void) {}\nstatic int settings[3];\n"
          "TEST(alone) {}\n"
          "TEST_CASE(\"rules\", .timeout = 7, .setup = up);\n"
          "TEST(looped, .to = COUNT(settings)) { settings[_i] = 1; }\n"
          "TEST_CASE(\"ends\");\n"
          "TEST(leaves, .exit = 3) { exit(3); }\nTEST(dies, .from = 2, .to = 4, .signal = SIGABRT) { abort(); }\n"
          "TEST_CASE(\"rules\");\nTEST(late) {}\n");
    ck_assert_int_eq(small("", "--list"), 0);
    ck_assert_str_eq(output, "small alone 0 1\nrules looped 0 3 timeout=7 fixtures=1\nends leaves 0 1 exit=3\nends dies 2 4 signal=6\n"
                             "rules late 0 1 timeout=7 fixtures=1\n");
    ck_assert_int_eq(small("", ""), 0);
    ck_assert_ptr_nonnull(strstr(output, "100%: Checks: 8, Failures: 0, Errors: 0"));
    ck_assert_int_eq(small("CK_RUN_CASE=rules", ""), 0);
    ck_assert_ptr_nonnull(strstr(output, "100%: Checks: 4, Failures: 0, Errors: 0"));
}

TEST(a_test_that_fails_fails_the_program_and_is_named)
{
    build("TEST(good) {}\nTEST(bad, .to = 2) { ck_assert_int_eq(_i, 0); }\n");
    ck_assert_int_eq(small("", ""), 1);
    ck_assert_ptr_nonnull(strstr(output, "66%: Checks: 3, Failures: 1, Errors: 0"));
    ck_assert_ptr_nonnull(strstr(output, ":F:small:bad:1: "));
}

TEST(a_case_has_its_options_in_one_place)
{
    build("TEST_CASE(\"a\", .timeout = 7);\nTEST(one) {}\nTEST_CASE(\"a\", .timeout = 8);\nTEST(two) {}\n");
    ck_assert_int_eq(small("", ""), 2);
    ck_assert_ptr_nonnull(strstr(output, "test_small.c:5: the test case a has its options from line 3"));
}
