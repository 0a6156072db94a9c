/* Programs that run on all hosts at once (make run), and what becomes of those that go wrong. */
#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim2");
RUNS("programs/pingpong.so");
RUNS("programs/throughput.so");

/* nx_main with the argument as its last part: what host 1 does. */
static const char wrong[] = "#include <stdlib.h>\n#include <string.h>\n#include \"nx_host.h\"\n"
                            "static unsigned runs;\n"
                            "int nx_main(nx_host *host, int argc, char **argv)\n"
                            "{\n"
                            "    const char *what = argc > 1 ? argv[1] : \"\";\n"
                            "    host->platform->wait(host->platform->self);\n"
                            "    nx_print(host, \"runs %u of %u, %s\", ++runs, host->hosts, what);\n"
                            "    if (host->rank != 1) return 0;\n"
                            "    if (!strcmp(what, \"crash\")) *(volatile int *)8 = 1;\n"
                            "    if (!strcmp(what, \"exit\")) exit(0);\n"
                            "    return !strcmp(what, \"return\") ? 7 : 0;\n"
                            "}\n";

TEST_CASE("host_programs", .timeout = 60, .teardown = shell_clean);

static void compile(const char *name)
{
    ck_assert_msg(!shell_says("cc -g -Wall -Wextra -Werror -iquote sw/driver -shared -fPIC -o $D/%s.so $D/%s.c", name, name), "%s",
                  shell_output);
}

TEST(messages_go_back_and_forth_and_both_figures_are_in_the_results)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(0, "GOOD: results in", "$P --program ${P%%/*}/programs/pingpong.so --json $D/run.json -- --sizes 8..512 --rounds 2");
    ck_shell_says(0, "7\n", "grep -c '\"unit\": \"ns\"' $D/run.json");
    /* 2.0 us in the five tests of S1 for 24 bytes (README): here with a post by the other host's software in between */
    ck_shell_says(0, "2", "grep -A2 'trip, 8 bytes' $D/run.json | sed -n 's/.*\"value\": \\([0-9]*\\).*/\\1/p' | cut -c1");
    ck_shell_says(0, "GOOD: results in", "$P --program ${P%%/*}/programs/throughput.so --direct --json $D/run.json -- --sizes 4096..4096");
    ck_shell_says(0, "28", "sed -n 's/.*\"value\": \\([0-9]*\\).*/\\1/p' $D/run.json"); /* of 298 MiB/s, 285 with packets of 496 bytes */
}

TEST(hosts_share_no_variables_and_a_program_that_goes_wrong_is_named)
{
    shell_program("nicxbar-sim2");
    shell_put("mine.c", wrong);
    compile("mine");
    ck_shell_says(0, "host 0: runs 1 of 2, fine", "$P --program $D/mine.so --json $D/run.json -- fine");
    ck_output_has("host 1: runs 1 of 2, fine");
    ck_shell_says(1, "FAILED: mine crashed on host 1 at ", "$P --program $D/mine.so --json $D/run.json -- crash");
    ck_output_has("us: Segmentation fault, in\nnx_main at mine.c:11");
    ck_shell_says(1, "FAILED: mine called exit(0) on host 1 at ", "$P --program $D/mine.so --json $D/run.json -- exit");
    ck_shell_says(1, "mine on host 1 returned 7", "$P --program $D/mine.so --json $D/run.json -- return");
    ck_shell_says(0, "\"returned\": 7", "cat $D/run.json");
}

TEST(what_is_no_program_is_refused)
{
    shell_program("nicxbar-sim2");
    shell_put("empty.c", "extern int nothing;\n");
    compile("empty");
    ck_shell_says(1, "has no function nx_main", "$P --program $D/empty.so --json $D/run.json");
    ck_shell_says(1, "nothere.so: No such file", "$P --program $D/nothere.so --json $D/run.json");
    ck_shell_says(2, "PROGRAM=nothere: expected one of pingpong throughput", "make run PROGRAM=nothere");
    ck_shell_says(2, "ARGS=x: means something for make run only", "make sim ARGS=x");
}
