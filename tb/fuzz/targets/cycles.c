/* Results of make cycles: the table in every order, and a comparison. */
#define _GNU_SOURCE /* memfd_create */
#include "sim/observe/cycles/cycles_report.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tb/fuzz/targets/target.h"

FUZZ(cycles)
{
    static const char *const sorts[] = {"name", "busy", "stalled", "idle", "operations", "latency", "level"};
    static json_t *before;
    char path[40], error[CYCLES_ERROR] = "";
    int fd = memfd_create("cycles", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    json_t *document = cycles_read(path, error);
    close(fd);
    if (!document) {
        CHECK(fuzz_is_line(error) && fuzz_is_refusal(error));
        return;
    }
    for (unsigned i = 0; i < sizeof sorts / sizeof sorts[0]; i++) cycles_table(document, sorts[i], fuzz_sink());
    cycles_compare(document, before, 5, fuzz_sink());
    json_decref(before);
    before = document;
}
