/* A host program (nx_host.h) runs on all hosts at once. It comes as a shared object; every host gets a copy of its own, so that hosts share
 * no variables. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nx_host.h"
#include "run.h"

enum { SHARED_BYTES = 64 << 20, PAGE = 4096, FRAMES = 16 };

typedef int program_main(nx_host *, int, char **);
struct run;

/* A host and its copy of the program. */
typedef struct seat {
    nx_host host;
    struct run *run;
    void *object;
    program_main *main;
    char **argv; /* its own: getopt sorts it */
    sim_task *task;
    int returned, value;
    sim_time end;
    json_t *figures;
} seat;

typedef struct run {
    const program_options *o;
    const char *name;
    fabric *f;
    seat seat[FABRIC_NODES];
    unsigned node_id[FABRIC_NODES];
    sim_time began;
    sim_cycles *cycles;
} run;

/* ---- what a program must not do ---- */

static run *running; /* for signals and exit() */

static int host_at_work(void)
{
    sim_task *now = running ? sim_task_current(running->f->s) : NULL;
    for (unsigned i = 0; now && i < running->f->nodes; i++)
        if (running->seat[i].task == now) return (int)i;
    return -1;
}

static double now_us(const run *r)
{
    return 1e-6 * (double)sim_now(r->f->s);
}

/* The line of the program, where addr2line is there to tell it. */
static void tell_place(void)
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
            execlp("addr2line", "addr2line", "-fpse", running->o->program, offset, (char *)NULL);
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
        fprintf(stderr, "FAILED: %s crashed on host %d at %.3f us: %s, in\n", running->name, i, now_us(running), strsignal(number));
        tell_place();
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
    fprintf(stderr, "FAILED: %s called exit(%d) on host %d at %.3f us: expected a return from nx_main\n", running->name, status, i,
            now_us(running));
    _exit(1);
}

static void watch(run *r)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[1 << 16]; /* that of the program may be full */
    static void *frame[1];
    struct sigaction act = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
    running = r;
    backtrace(frame, 1); /* loads what it needs */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &act, NULL);
    on_exit(called_exit, NULL);
}

/* ---- the copies ---- */

/* The loader takes two files with the same content for two programs: each copy is a file in memory. */
static void *load(const char *path)
{
    int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("program", MFD_CLOEXEC);
    struct stat st;
    char copy[64];
    void *object = NULL;
    if (from < 0 || to < 0 || fstat(from, &st) || sendfile(to, from, NULL, (size_t)st.st_size) != st.st_size)
        fprintf(stderr, "nicxbar-sim: --program %s: %s\n", path, strerror(errno));
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
    printf("host %u: %s\n", host->rank, line);
    sim_progress(((seat *)host->runner)->run->f->s);
}

static void figure(nx_host *host, const char *name, double value, const char *unit)
{
    seat *s = host->runner;
    printf("host %u: %-40s %14.3f %s\n", host->rank, name, value, unit);
    json_array_append_new(s->figures, json_pack("{s:s, s:f, s:s}", "name", name, "value", value, "unit", unit));
    sim_progress(s->run->f->s);
}

static int seat_new(run *r, unsigned i)
{
    const program_options *o = r->o;
    seat *s = &r->seat[i];
    node *n = r->f->node[i];
    *s =
        (seat){.run = r, .figures = json_array(), .object = load(o->program), .argv = calloc((size_t)o->program_argc + 2, sizeof *s->argv)};
    if (!s->object || !s->figures || !s->argv) return -1;
    s->argv[0] = (char *)r->name;
    for (int k = 0; k < o->program_argc; k++) s->argv[k + 1] = o->program_argv[k];
    *(void **)&s->main = dlsym(s->object, "nx_main");
    if (!s->main) {
        fprintf(stderr, "nicxbar-sim: --program %s: has no function nx_main; expected int nx_main(nx_host *, int, char **)\n", o->program);
        return -1;
    }
    r->node_id[i] = n->params.node_id;
    s->host = (nx_host){.rank = i,
                        .hosts = r->f->nodes,
                        .node_id = r->node_id,
                        .platform = &n->platform,
                        .shared_bytes = SHARED_BYTES,
                        .runner = s,
                        .print = print,
                        .figure = figure};
    return 0;
}

/* ---- the run ---- */

static void host_software(void *arg)
{
    seat *s = arg;
    optind = 0; /* getopt begins anew */
    s->value = s->main(&s->host, s->run->o->program_argc + 1, s->argv);
    s->returned = 1;
    s->end = sim_now(s->run->f->s);
    if (s->value)
        sim_fail(s->run->f->s, "%s on host %u returned %d; the last error of its device: %s", s->run->name, s->host.rank, s->value,
                 *nx_last_error(s->host.device) ? nx_last_error(s->host.device) : "none");
}

static void software(void *arg)
{
    run *r = arg;
    fabric *f = r->f;
    static const unsigned char zeros[PAGE];
    if (fabric_start(f)) {
        sim_fail(f->s, "%s", fabric_error(f));
        return;
    }
    for (unsigned i = 0; i < f->nodes; i++) {
        nx_host *host = &r->seat[i].host;
        host->device = f->node[i]->dev;
        host->shared = host->platform->alloc(host->platform->self, SHARED_BYTES, PAGE);
        if (!host->shared || host->shared != r->seat[0].host.shared) {
            sim_fail(f->s, "host %u: no memory of %u bytes at the same address as in host 0", i, (unsigned)SHARED_BYTES);
            return;
        }
        for (uint64_t at = 0; at < SHARED_BYTES; at += PAGE)
            host->platform->mem_write(host->platform->self, host->shared + at, zeros, PAGE);
    }
    r->began = sim_now(f->s);
    if (r->cycles) sim_cycles_start(r->cycles);
    for (unsigned i = 0; i < f->nodes; i++) {
        char name[32];
        snprintf(name, sizeof name, "host %u", i);
        r->seat[i].task = sim_task_new(f->s, name, host_software, &r->seat[i]);
    }
    for (unsigned i = 0; i < f->nodes; i++) sim_join(r->seat[i].task);
    fabric_stop(f);
}

static json_t *results(const run *r, int result, double wall)
{
    const program_options *o = r->o;
    json_t *hosts = json_array(), *arguments = json_array();
    for (int i = 0; i < o->program_argc; i++) json_array_append_new(arguments, json_string(o->program_argv[i]));
    for (unsigned i = 0; i < r->f->nodes; i++) {
        const seat *s = &r->seat[i];
        json_t *host = json_pack("{s:i, s:O}", "rank", (int)i, "figures", s->figures);
        if (s->returned) {
            json_object_set_new(host, "returned", json_integer(s->value));
            json_object_set_new(host, "us", json_real(1e-6 * (double)(s->end - r->began)));
        }
        json_array_append_new(hosts, host);
    }
    json_t *all =
        json_pack("{s:b, s:s, s:s, s:s, s:o, s:I, s:s, s:f, s:f, s:o}", "good", result == SIM_OK, "result", sim_result_name(result),
                  "error", sim_error(r->f->s), "program", r->name, "arguments", arguments, "seed", (json_int_t)o->seed, "bridge", o->bridge,
                  "simulated_ms", 1e-9 * (double)sim_now(r->f->s), "wall_s", wall, "hosts", hosts);
    if (r->cycles) json_object_set_new(all, "cycles", sim_cycles_json(r->cycles));
    return all;
}

int run_program(const program_options *o)
{
    const char *slash = strrchr(o->program, '/');
    char *name = strdup(slash ? slash + 1 : o->program);
    if (strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".so")) name[strlen(name) - 3] = '\0';
    fabric_params p;
    program_fabric(o, &p);
    run r = {.o = o, .name = name, .f = fabric_new(&p)};
    int code = 1;
    if (!r.f) goto end;
    for (unsigned i = 0; i < r.f->nodes; i++)
        if (seat_new(&r, i)) goto end;
    int cable_end;
    capture *frames_file;
    if (program_capture(o, r.f, &frames_file)) goto end;
    sniffer *frames = program_sniffer(o, fabric_wire(r.f, o->sniff_node, &cable_end));
    r.cycles = program_cycles(o, r.f->s, r.f->node, r.f->nodes, r.f->chip.model);
    watch(&r);
    sim_task_new(r.f->s, name, software, &r);
    double began = sim_wall();
    int result = program_sim(r.f->s);
    double wall = sim_wall() - began;
    running = NULL;
    if (r.cycles) {
        printf("\n");
        sim_cycles_table(r.cycles, stdout);
    }
    printf("%s on %u hosts, %s; hosts %s; seed %llu; %.3f ms simulated in %.1f s\n", name, r.f->nodes,
           r.f->chip.model ? r.f->chip.kind->name : "no switch", o->bridge, (unsigned long long)o->seed, 1e-9 * (double)sim_now(r.f->s),
           wall);
    code = program_verdict(o, result, 1, results(&r, result, wall), frames_file, stdout);
    sim_cycles_free(r.cycles);
    sniffer_free(frames);
end:
    for (unsigned i = 0; i < FABRIC_NODES; i++) {
        if (r.seat[i].object) dlclose(r.seat[i].object);
        json_decref(r.seat[i].figures);
        free(r.seat[i].argv);
    }
    fabric_free(r.f);
    free(name);
    return code;
}
