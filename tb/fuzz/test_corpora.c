/* All inputs of tb/fuzz/corpus again: what once crashed, and seeds. make fuzz looks for more. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "shell.h"
#include "tb/fuzz/targets/target.h"
#include "test.h"

TEST_CASE("corpora", .timeout = 180, .teardown = shell_clean);

#define ONE(name) +1
enum { TARGETS = 0 FUZZ_TARGETS(ONE) };

TEST(each_input_of_a_target_is_taken_or_refused, .to = TARGETS)
{
    const fuzz_target *t = &fuzz_targets[_i];
    static uint8_t data[1 << 16];
    char path[600];
    unsigned inputs = 0;
    snprintf(path, sizeof path, "tb/fuzz/corpus/%s", t->name);
    DIR *folder = opendir(path);
    ck_assert_msg(folder != NULL, "%s: expected a folder of inputs", path);
    for (struct dirent *e; (e = readdir(folder));) {
        if (*e->d_name == '.') continue;
        snprintf(path, sizeof path, "tb/fuzz/corpus/%s/%s", t->name, e->d_name);
        FILE *f = fopen(path, "rb");
        ck_assert_ptr_nonnull(f);
        size_t size = fread(data, 1, sizeof data, f);
        ck_assert_msg(feof(f) && size < sizeof data, "%s: expected less than %zu bytes", path, sizeof data);
        fclose(f);
        fprintf(stderr, "%s\n", path); /* of a crash */
        t->run(data, size);
        inputs++;
    }
    closedir(folder);
    ck_assert_uint_gt(inputs, 0);
}

TEST(a_bad_end_of_a_script_is_seen)
{
    ck_assert_msg(
        !shell_says("PYTHONPATH=scripts ${PYTHON:-python3} -Bc \"from fuzz import wrong as w; "
                    "assert w(b'Traceback (most', 1, b'.') and w(b'x\\n', 1, b'expected') and w(b'', None, b'.') and "
                    "w(b'', -11, b'.') and w(b'scripts/block.sh: 5: x: not found', 127, b'.'); "
                    "assert not w(b'x', 0, b'expected') and not w(b'm: expected y', 2, b'expected')\""),
        "%s", shell_output);
}

TEST(make_fuzz_runs_all_targets)
{
    char names[512] = "", more[64];
    for (const fuzz_target *t = fuzz_targets; t->name; t++) {
        snprintf(more, sizeof more, "%s ", t->name);
        strcat(names, more);
    }
    ck_assert_msg(!shell_says("PYTHONPATH=scripts ${PYTHON:-python3} -Bc \"import fuzz; "
                              "assert ' '.join(fuzz.TARGETS) + ' ' == '%s', fuzz.TARGETS\"",
                              names),
                  "%s", shell_output);
}

TEST(each_input_of_a_script_is_taken_or_refused)
{
    ck_assert_msg(!shell_says("${PYTHON:-python3} scripts/fuzz.py --replay"), "%s", shell_output);
}
