#define _GNU_SOURCE /* program_invocation_short_name */
#include "sim/core/kernel/results.h"
#include "sim/core/kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int results_is_device(const char *path)
{
    struct stat st;
    return !stat(path, &st) && !S_ISREG(st.st_mode);
}

/* ---- names ---- */

/* Locks, which a program has until it ends, however it does; those that end by exit() leave no file behind. */
static LIST(char *) locks;
static pid_t locks_of;

static void remove_locks(void)
{
    for (size_t i = 0; i < locks.count && locks_of == getpid(); i++) unlink(locks.at[i]);
}

/* FOLDER/.NAME.lock: 1 it is ours, 0 another program has it, -1 there can be none. */
static int lock(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *text = new_zeroed(strlen(path) + 8);
    sprintf(text, "%.*s.%s.lock", (int)(name - path), path, name);
    for (;;) {
        struct stat here, there;
        int fd = open(text, O_RDWR | O_CREAT | O_CLOEXEC, 0666), ours = fd < 0 ? -1 : !flock(fd, LOCK_EX | LOCK_NB);
        if (ours == 1 && !fstat(fd, &here) && (stat(text, &there) || here.st_ino != there.st_ino)) {
            close(fd); /* it went while we took it */
            continue;
        }
        if (ours == 1) {
            if (!locks.count) atexit(remove_locks);
            locks_of = getpid();
            *list_add(&locks) = text;
        } else {
            if (fd >= 0) close(fd);
            free(text);
        }
        return ours;
    }
}

char *results_claim(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    int stem = (int)(dot && dot > slash + 1 ? dot - path : (long)strlen(path));
    char *name = new_zeroed(strlen(path) + 8);
    strcpy(name, path);
    if (results_is_device(path)) return name;
    for (int n = 2; n < 1000 && !lock(name); n++) sprintf(name, "%.*s-%d%s", stem, path, n, path + stem);
    if (strcmp(name, path))
        fprintf(stderr, "%s: another run writes %s: this one's are in %s\n", program_invocation_short_name, path, name);
    return name;
}

/* ---- JSON ---- */

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
    int failed = !all || (results_is_device(path) ? json_dump_file(all, path, JSON_INDENT(2)) : write_whole(all, path));
    if (failed)
        fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, path,
                errno ? strerror(errno) : "cannot be written");
    json_decref(all);
    return failed;
}
