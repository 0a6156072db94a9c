/* scripts/interop.py, with programs whose output a test sets, and no guest. */
#include "shell.h"
#include "test.h"

#include <string.h>

static void set_up(void)
{
    shell_folder();
    shell("mkdir -p $D/scripts $D/bin $D/tb/unit/roce && cp scripts/tool.py scripts/common.py scripts/interop.py "
          "$D/scripts/");
    shell_put("scripts/guest.py", "\"\"\"\n    guest.py FOLDER\"\"\"\ndef main(arguments): pass\n");
    shell_put("bin/roce-verbs",
              "#!/bin/sh\n"
              "case \" $* \" in *\" --list \"*) echo rxe-a; echo rxe-b; exit ;; esac\n"
              "while [ $# -gt 0 ]; do [ \"$1\" != --record ] || folder=$2; shift; done\n"
              "echo 'good  rxe-a  it is so'\n"
              "echo \"${B-good  rxe-b  it is so}\"\n"
              "[ -z \"${folder-}\" ] || for r in a b; do head -c ${SIZE:-100} /dev/zero >$folder/rxe-$r.pcap; done\n"
              "exit ${CODE:-0}\n");
    shell("cp $D/bin/roce-verbs $D/bin/roce-rping && chmod 755 $D/scripts/* $D/bin/*");
}

TEST_CASE("interop", .setup = set_up, .teardown = shell_clean);

#define RUN "cd $D && "
#define INTEROP "${PYTHON:-python3} -S scripts/tool.py interop bin out"
#define RECORD RUN "RECORD=1 " INTEROP

TEST(what_is_recorded_becomes_that_of_the_tests)
{
    ck_shell_says(0, "interop: recorded: rxe-a.pcap rxe-b.pcap are in tb/unit/roce",
                  "SIZE=65535; export SIZE; " RECORD);
    ck_output_has("2 rows, 0 bad");
    ck_assert_int_eq(shell("cmp $D/out/recorded/rxe-b.pcap $D/tb/unit/roce/rxe-b.pcap"), 0);
}

/* Too long a file, a bad row, a row without a verdict, a program that fails: the tests keep theirs. */
static const struct {
    const char *how, *says;
} bad_recordings[] = {{"SIZE=65536", "rxe-a.pcap: 65536 bytes, expected at most 65535"},
                      {"B='BAD   rxe-b  it is not'", "2 rows, 1 bad"},
                      {"B=", "BAD   rxe-b                         no verdict: its program ended with code 0"},
                      {"CODE=3", "BAD   record                        ended with code 3"}};

TEST(a_bad_recording_is_refused, .to = COUNT(bad_recordings))
{
    ck_shell_says(1, bad_recordings[_i].says, "export %s; " RECORD, bad_recordings[_i].how);
    ck_assert_int_eq(shell("[ -z \"$(ls $D/tb/unit/roce)\" ]"), 0);
}

TEST(a_name_of_no_row_is_reported_with_those_there_are)
{
    ck_shell_says(2, "ONLY=rxe-c: expected a part of the name of a row; the nearest: rxe-a, rxe-b\n",
                  RUN "ONLY=rxe-c " INTEROP);
}
