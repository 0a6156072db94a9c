/* Ranks of a run: mpirun starts this program as many times as --ranks says; each of them then is a rank. */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ranks.h"
#include "run.h"

enum { ARGUMENTS = 24 /* that mpirun gets before those of the program */ };

static void __attribute__((format(printf, 1, 2), noreturn)) give_up(const char *format, ...)
{
    va_list list;
    fprintf(stderr, "nicxbar-sim: ");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    exit(1);
}

/* This program, or a file in its folder. */
static void own_path(const char *file, char *path, size_t size)
{
    char self[4000];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) give_up("/proc/self/exe: %s", strerror(errno));
    self[n] = '\0';
    if (file) snprintf(path, size, "%s/%s", dirname(self), file);
    else snprintf(path, size, "%s", self);
}

/* Becomes mpirun. A hostfile is handed on as such; without hosts all is on this machine, and no network is needed. */
static void __attribute__((noreturn)) start(const program_options *o, int argc, char **argv)
{
    char path[4100], count[16], **list = calloc((size_t)argc + ARGUMENTS, sizeof *list);
    unsigned n = 0;
    if (!list) give_up("out of memory");
    own_path(NULL, path, sizeof path);
    snprintf(count, sizeof count, "%u", o->ranks);
    const char *const first[] = {
        "mpirun", "-n", count, "--quiet", "--oversubscribe", "--bind-to", "none", "--mca", "odls_base_sigkill_timeout", "5", NULL};
    const char *const local[] = {"--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none", NULL};
    const char *const hosts[] = {access(o->hosts ? o->hosts : "", R_OK) ? "--host" : "--hostfile", o->hosts, NULL};
    for (const char *const *a = first; *a; a++) list[n++] = (char *)(uintptr_t)*a;
    for (const char *const *a = o->hosts ? hosts : local; *a; a++) list[n++] = (char *)(uintptr_t)*a;
    if (!geteuid()) list[n++] = "--allow-run-as-root";
    list[n++] = path;
    for (int i = 1; i < argc; i++) list[n++] = argv[i];
    execvp("mpirun", list);
    give_up("--ranks %u: mpirun: %s; expected Open MPI, which make sim RANKS=%u or scripts/setup.sh ranks installs", o->ranks,
            strerror(errno), o->ranks);
}

void ranks_begin(program_options *o, int argc, char **argv)
{
    char path[4100];
    if (!o->ranks) return;
    if (!getenv("OMPI_COMM_WORLD_RANK")) start(o, argc, argv);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    own_path("ranks-mpi.so", path, sizeof path);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) give_up("--ranks %u: %s; make sim RANKS=%u builds it", o->ranks, dlerror(), o->ranks);
    const sim_transport *(*begin)(void);
    *(void **)&begin = dlsym(library, "ranks_mpi_begin");
    *(void **)&o->ranks_end = dlsym(library, "ranks_mpi_end");
    if (!begin || !o->ranks_end || !(o->transport = begin())) give_up("--ranks %u: MPI does not come up", o->ranks);
    if (o->transport->count != o->ranks) give_up("--ranks %u: mpirun has started %u", o->ranks, o->transport->count);
    if (!o->transport->rank) return;
    o->json = "/dev/null"; /* the first rank tells it all */
    if (o->dump) o->dump = o->json;
    if (!freopen("/dev/null", "w", stdout)) give_up("/dev/null: %s", strerror(errno));
}
