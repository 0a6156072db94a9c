#define _GNU_SOURCE
#include "sim/system/nodes/host_program.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nx_host.h"
#include "sim/system/nodes/switch_access.h"

enum { SHARED_BYTES = 64 << 20, PAGE = 4096, FRAMES = 16 };

typedef int program_main(nx_host *, int, char **);

/* A host and its copy of the program. */
typedef struct seat {
    nx_host host;
    host_program *run;
    void *object;
    program_main *main;
    char **argv; /* its own: getopt sorts it */
    sim_task *task;
    host_program_end end;
} seat;

struct host_program {
    fabric *f;
    char *path, *name;
    int argc;
    host_program_calls calls;
    struct sx_platform monitor[FABRIC_LINKS]; /* of the switches */
    seat seat[FABRIC_NODES];
    unsigned node_id[FABRIC_NODES];
    sim_time began;
};

/* ---- what a program must not do ---- */

static host_program *running; /* for signals and exit() */

static int host_at_work(void)
{
    sim_task *now = running ? sim_task_current(running->f->s) : NULL;
    for (unsigned i = 0; now && i < running->f->nodes; i++)
        if (running->seat[i].task == now) return (int)i;
    return -1;
}

static double now_us(void) { return 1e-6 * (double)sim_now(running->f->s); }

/* The line of the program, if addr2line is installed. */
static void print_place(void)
{
    void *frame[FRAMES];
    int count = backtrace(frame, FRAMES);
    for (int i = 1; i < count; i++) {
        Dl_info where;
        char offset[32];
        if (!dladdr(frame[i], &where) || !where.dli_fname || strncmp(where.dli_fname, "/proc/self/fd/", 14)) continue;
        snprintf(offset, sizeof offset, "%#zx", (size_t)((char *)frame[i] - (char *)where.dli_fbase - 1));
        pid_t child = fork();
        if (!child) {
            dup2(STDERR_FILENO, STDOUT_FILENO);
            execlp("addr2line", "addr2line", "-fpse", running->path, offset, (char *)NULL);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        return;
    }
}

static void crashed(int number)
{
    int i = host_at_work();
    if (i >= 0) {
        fflush(stdout);
        fprintf(stderr, "FAILED: %s crashed on host %d at %.3f us: %s, in\n", running->name, i, now_us(),
                strsignal(number));
        print_place();
        _exit(1);
    }
    raise(number); /* by the default */
}

static void called_exit(int status, void *arg)
{
    int i = host_at_work();
    (void)arg;
    if (i < 0) return;
    fflush(stdout);
    fprintf(stderr, "FAILED: %s called exit(%d) on host %d at %.3f us: expected a return from nx_main\n", running->name,
            status, i, now_us());
    _exit(1);
}

static void watch(host_program *h)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[1 << 16]; /* that of the program may be full */
    static void *frame[1];
    static int exits_seen;
    struct sigaction act = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
    running = h;
    backtrace(frame, 1); /* loads what it needs */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &act, NULL);
    if (!exits_seen++) on_exit(called_exit, NULL);
}

/* ---- the copies ---- */

/* The loader takes two files with the same content for two programs: each copy is a file in memory. */
static void *load(const char *path)
{
    int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("program", MFD_CLOEXEC);
    struct stat st;
    char copy[64];
    void *object = NULL;
    if (from < 0 || to < 0 || fstat(from, &st))
        fprintf(stderr, "nicxbar-sim: --program %s: %s\n", path, strerror(errno));
    else if (sendfile(to, from, NULL, (size_t)st.st_size) != st.st_size)
        fprintf(stderr, "nicxbar-sim: --program %s: no room in memory for a copy\n", path);
    else {
        snprintf(copy, sizeof copy, "/proc/self/fd/%d", to);
        object = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
        if (!object) fprintf(stderr, "nicxbar-sim: --program %s: %s\n", path, dlerror());
    }
    if (from >= 0) close(from);
    return object;
}

/* ---- what nx_host offers ---- */

static void print(nx_host *host, const char *line)
{
    host_program *h = ((seat *)host->runner)->run;
    h->calls.print(h->calls.self, host->rank, line);
    sim_progress(h->f->s);
}

static void figure(nx_host *host, const char *name, double value, const char *unit)
{
    host_program *h = ((seat *)host->runner)->run;
    h->calls.figure(h->calls.self, host->rank, name, value, unit);
    sim_progress(h->f->s);
}

static int seat_new(host_program *h, unsigned i, char *const *argv)
{
    seat *s = &h->seat[i];
    node *n = h->f->node[i];
    *s = (seat){.run = h, .object = load(h->path), .argv = calloc((size_t)h->argc + 2, sizeof *s->argv)};
    if (!s->object || !s->argv) return -1;
    s->argv[0] = h->name;
    for (int k = 0; k < h->argc; k++) s->argv[k + 1] = argv[k];
    *(void **)&s->main = dlsym(s->object, "nx_main");
    if (!s->main) {
        fprintf(stderr,
                "nicxbar-sim: --program %s: has no function nx_main; expected int nx_main(nx_host *, int, char **)\n",
                h->path);
        return -1;
    }
    h->node_id[i] = n->params.node_id;
    s->host = (nx_host){.rank = i,
                        .hosts = h->f->nodes,
                        .node_id = h->node_id,
                        .platform = &n->platform,
                        .shared_bytes = SHARED_BYTES,
                        .switch_monitor = i || !h->f->chip.model ? NULL : h->monitor,
                        .switches = i || !h->f->chip.model ? 0 : h->f->links,
                        .runner = s,
                        .print = print,
                        .figure = figure};
    return 0;
}

/* ---- the run ---- */

static void host_software(void *arg)
{
    seat *s = arg;
    host_program *h = s->run;
    optind = 0; /* getopt restarts */
    s->end.value = s->main(&s->host, h->argc + 1, s->argv);
    s->end.returned = 1;
    s->end.when = sim_now(h->f->s);
    if (s->end.value)
        sim_fail(h->f->s, "%s on host %u returned %d; the last error of its device: %s", h->name, s->host.rank,
                 s->end.value, *nx_last_error(s->host.device) ? nx_last_error(s->host.device) : "none");
}

static void software(void *arg)
{
    host_program *h = arg;
    fabric *f = h->f;
    static const unsigned char zeros[PAGE];
    if (fabric_start(f)) {
        sim_fail(f->s, "%s", fabric_error(f));
        return;
    }
    for (unsigned i = 0; i < f->nodes; i++) {
        nx_host *host = &h->seat[i].host;
        host->device = f->node[i]->dev;
        host->shared = host->platform->alloc(host->platform->self, SHARED_BYTES, PAGE);
        if (!host->shared || host->shared != h->seat[0].host.shared) {
            sim_fail(f->s, "host %u: no memory of %u bytes at the same address as in host 0", i,
                     (unsigned)SHARED_BYTES);
            return;
        }
        for (uint64_t at = 0; at < SHARED_BYTES; at += PAGE)
            host->platform->mem_write(host->platform->self, host->shared + at, zeros, PAGE);
    }
    h->began = sim_now(f->s);
    if (h->calls.began) h->calls.began(h->calls.self);
    for (unsigned i = 0; i < f->nodes; i++) {
        char name[32];
        snprintf(name, sizeof name, "host %u", i);
        h->seat[i].task = sim_task_new(f->s, name, host_software, &h->seat[i]);
    }
    for (unsigned i = 0; i < f->nodes; i++) sim_join(h->seat[i].task);
    if (h->calls.ended) h->calls.ended(h->calls.self);
    fabric_stop(f);
}

host_program *host_program_new(fabric *f, const char *path, int argc, char *const *argv,
                               const host_program_calls *calls)
{
    const char *slash = strrchr(path, '/');
    host_program *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    *h = (host_program){
        .f = f, .path = strdup(path), .name = strdup(slash ? slash + 1 : path), .argc = argc, .calls = *calls};
    if (strlen(h->name) > 3 && !strcmp(h->name + strlen(h->name) - 3, ".so")) h->name[strlen(h->name) - 3] = '\0';
    for (unsigned l = 0; l < f->links; l++) h->monitor[l] = switch_platform(f, l);
    for (unsigned i = 0; i < f->nodes; i++)
        if (seat_new(h, i, argv)) {
            host_program_free(h);
            return NULL;
        }
    return h;
}

void host_program_start(host_program *h)
{
    watch(h);
    sim_task_new(h->f->s, h->name, software, h);
}

void host_program_free(host_program *h)
{
    if (!h) return;
    if (running == h) running = NULL;
    for (unsigned i = 0; i < FABRIC_NODES; i++) {
        if (h->seat[i].object) dlclose(h->seat[i].object);
        free(h->seat[i].argv);
    }
    free(h->path);
    free(h->name);
    free(h);
}

const char *host_program_name(const host_program *h) { return h->name; }

sim_time host_program_began(const host_program *h) { return h->began; }

host_program_end host_program_get_end(const host_program *h, unsigned rank) { return h->seat[rank].end; }

uint64_t host_program_shared(const host_program *h) { return h->seat[0].host.shared; }
