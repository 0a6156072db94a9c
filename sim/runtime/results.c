#include "sim/runtime/results.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Something that is no file, a terminal or /dev/null, cannot be exchanged for another one. */
static int is_device(const char *path)
{
    struct stat st;
    return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static int write_whole(const json_t *all, const char *path)
{
    char part[4096], *real = realpath(path, NULL); /* what a link leads to */
    const char *to = real ? real : path;
    int n = snprintf(part, sizeof part, "%s.part", to), failed = 1;
    if (n < 0 || (size_t)n >= sizeof part) errno = ENAMETOOLONG;
    else if (!json_dump_file(all, part, JSON_INDENT(2)) && !rename(part, to)) failed = 0;
    else {
        int why = errno;
        remove(part);
        errno = why;
    }
    free(real);
    return failed;
}

int results_write(json_t *all, const char *path)
{
    errno = 0;
    int failed = !all || (is_device(path) ? json_dump_file(all, path, JSON_INDENT(2)) : write_whole(all, path));
    if (failed) fprintf(stderr, "nicxbar-sim: %s: %s\n", path, errno ? strerror(errno) : "cannot be written");
    json_decref(all);
    return failed;
}
