// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#include "nx_save.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where it is written; -1: errno. */
static int place(const char *path, char *part, size_t size)
{
    struct stat there;
    const char *end = stat(path, &there) || S_ISREG(there.st_mode) ? ".part" : "";
    if (snprintf(part, size, "%s%s", path, end) < (int)size) return *end != 0;
    errno = ENAMETOOLONG;
    return -1;
}

FILE *nx_save_open(const char *path)
{
    char part[1024];
    return place(path, part, sizeof part) < 0 ? NULL : fopen(part, "w");
}

int nx_save_close(FILE *file, const char *path, int bad)
{
    char part[1024];
    int why = bad || fflush(file) || ferror(file) ? errno ? errno : EIO : 0, moves = place(path, part, sizeof part);
    if (fclose(file) && !why) why = errno;
    if (moves && !why && rename(part, path)) why = errno;
    if (moves && why) unlink(part);
    errno = why;
    return why ? -1 : 0;
}
