/* libFuzzer's program for all targets: --target=NAME. */
#include "tb/fuzz/targets/target.h"

#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const fuzz_target *target = fuzz_targets;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    for (int i = 1; i < *argc; i++)
        if (!strncmp((*argv)[i], "--target=", 9))
            while (target->name && strcmp(target->name, (*argv)[i] + 9)) target++;
    if (target->name) return 0;
    fprintf(stderr, "fuzzer: expected --target=");
    for (const fuzz_target *t = fuzz_targets; t->name; t++)
        fprintf(stderr, "%s%s", t == fuzz_targets ? "" : ", ", t->name);
    fprintf(stderr, "\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target->run(data, size);
    return 0;
}
