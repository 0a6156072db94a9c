/* Ranks of a run: mpirun starts this program as many times as --ranks says; each of them then is a rank. */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/app/nicxbar/ranks.h"
#include "sim/app/nicxbar/run.h"

enum { ARGUMENTS = 24 /* that mpirun gets before those of the program */ };

static void __attribute__((format(printf, 2, 3), noreturn)) give_up(int code, const char *format, ...)
{
    va_list list;
    fprintf(stderr, "nicxbar-sim: ");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    exit(code);
}

/* This program, or a file in its folder. */
static void own_path(const char *file, char *path, size_t size)
{
    char self[4000];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) give_up(1, "/proc/self/exe: %s", strerror(errno));
    self[n] = '\0';
    if (file) snprintf(path, size, "%s/%s", dirname(self), file);
    else snprintf(path, size, "%s", self);
}

/* ---- machines ---- */

/* fn(o, name, length) for each of the machines: of a hostfile, or a list with commas, in which :slots may follow. */
static void each_host(const program_options *o, void (*fn)(const program_options *o, const char *name))
{
    FILE *f = fopen(o->hosts, "r");
    char line[4096], name[256];
    if (!f) f = fmemopen((char *)(uintptr_t)o->hosts, strlen(o->hosts), "r");
    if (!f) give_up(1, "--hosts %s: %s", o->hosts, strerror(errno));
    while (fgets(line, sizeof line, f))
        for (char *at = line; *at && *at != '#'; at += strcspn(at, ", \t\n"), at += strspn(at, ", \t\n")) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ":, \t\n"), at);
            if (*name && !strchr(name, '=')) fn(o, name);
        }
    fclose(f);
}

/* mpirun starts them by ssh, without a password. */
static void check_host(const program_options *o, const char *name)
{
    char here[256] = "", program[4100];
    struct addrinfo *found = NULL;
    gethostname(here, sizeof here - 1);
    if (!strcmp(name, here) || !strcmp(name, "localhost") || !strncmp(name, "127.", 4)) return;
    int wrong = getaddrinfo(name, NULL, NULL, &found), code = 0;
    if (wrong)
        give_up(2, "--hosts %s: %s: %s; expected names of machines with commas between, or a hostfile", o->hosts, name,
                gai_strerror(wrong));
    freeaddrinfo(found);
    own_path(NULL, program, sizeof program);
    pid_t child = fork();
    if (!child) {
        execlp("ssh", "ssh", "-q", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", name, "test", "-x", program,
               (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &code, 0) < 0) give_up(1, "--hosts %s: %s", o->hosts, strerror(errno));
    code = WIFEXITED(code) ? WEXITSTATUS(code) : 255;
    if (code == 127)
        give_up(1, "--hosts %s: there is no ssh; expected openssh-client, by which mpirun reaches %s", o->hosts, name);
    if (code == 255) give_up(1, "--hosts %s: ssh %s fails; expected a login without a password", o->hosts, name);
    if (code)
        give_up(1, "--hosts %s: there is no %s on %s; expected this folder, built, under the same path", o->hosts,
                program, name);
}

/* ---- waves ---- */

/* The number of a node, or of the switch behind them; -1: neither is meant by the scope. */
static int place_of(const program_options *o, const char *scope)
{
    unsigned node, length = (unsigned)strcspn(scope, ".,");
    for (node = 0; node <= o->nodes; node++) {
        char name[2][16] = {"xbar", "xbar"};
        if (node < o->nodes) snprintf(name[0], sizeof name[0], "node%u", node);
        if (node < o->nodes) snprintf(name[1], sizeof name[1], "nic%u", node);
        for (int i = 0; i < 2 && (node < o->nodes || !o->direct); i++)
            if (strlen(name[i]) == length && !strncmp(scope, name[i], length)) return (int)node;
    }
    return -1;
}

/* A rank can record its own groups only. */
static void choose_recorder(program_options *o)
{
    fabric_params p;
    unsigned char rank[FABRIC_NODES + 1];
    const char *first = o->wave_scopes, *next;
    if (!o->waves || o->ranks == 1) return;
    if (!first)
        give_up(2,
                "--ranks %u: expected with --waves also --wave-scopes, nodes that one rank has (make sim WAVES=node1)",
                o->ranks);
    if (o->wave_from_event || o->wave_to_event)
        give_up(2, "--ranks %u: expected times in --wave-from and --wave-to, not events", o->ranks);
    program_fabric(o, &p);
    fabric_divide(&p, o->ranks, rank);
    for (const char *scope = first; scope; scope = next) {
        int place = place_of(o, scope), length = (int)strcspn(scope, ",");
        next = scope[length] ? scope + length + 1 : NULL;
        if (place < 0)
            give_up(2, "--wave-scopes %s: expected names that begin with node0 to node%u, nic0 to nic%u%s",
                    o->wave_scopes, o->nodes - 1, o->nodes - 1, o->direct ? "" : ", xbar");
        if (scope == first) o->recorder = rank[place];
        if (rank[place] != o->recorder)
            give_up(2, "--wave-scopes %s: expected scopes that one rank has: of %u ranks %u has %.*s, %u has %.*s",
                    o->wave_scopes, o->ranks, o->recorder, (int)strcspn(first, ","), first, rank[place], length, scope);
    }
}

static void put_text(const sim_transport *t, unsigned to, const char *text)
{
    while (!t->send(to, text, strlen(text) + 1, 1)) continue;
}

/* Of the caller. */
static char *get_text(const sim_transport *t, unsigned from)
{
    const char *text = NULL;
    size_t size;
    while (!(text = t->receive(from, &size, 1))) continue;
    return strdup(text);
}

/* The first rank names the file, the rank that writes it the machine. */
void ranks_share(program_options *o)
{
    const sim_transport *t = o->transport;
    char here[256] = "";
    if (!t || !o->recorder) return;
    gethostname(here, sizeof here - 1);
    if (t->rank == 0) {
        put_text(t, o->recorder, o->waves);
        char *there = get_text(t, o->recorder);
        if (there && strcmp(here, there)) o->recorder_host = there;
        else free(there);
    }
    if (t->rank == o->recorder) {
        o->waves = get_text(t, 0);
        put_text(t, 0, here);
    }
}

/* ---- ranks ---- */

static pid_t mpirun;
static volatile sig_atomic_t stopped;
static const double AGAIN = 0.5; /* [s] after a signal another one kills */

/* mpirun would end the ranks by SIGTERM and SIGKILL, some seconds later. mpirun passes this signal on, to all machines;
 * until it has arrived, it does not. */
static void hand_on(int number)
{
    static double first;
    if (!stopped) first = sim_wall();
    stopped = 1;
    kill(mpirun, number == SIGALRM || sim_wall() - first < AGAIN ? SIGUSR1 : SIGTERM);
    alarm(1);
}

static void take_on(int number)
{
    static volatile sig_atomic_t taken;
    (void)number;
    if (!taken) raise(SIGTERM);
    taken = 1;
}

/* Becomes mpirun. A hostfile is handed on as such; without hosts all is on this machine, and no network is needed. */
static void __attribute__((noreturn)) run_mpirun(const program_options *o, int argc, char **argv)
{
    char path[4100], count[16], **list = calloc((size_t)argc + ARGUMENTS, sizeof *list);
    unsigned n = 0;
    if (!list) give_up(1, "out of memory");
    own_path(NULL, path, sizeof path);
    /* --quiet of Open MPI 4, which 5 has no more as an option */
    setenv("OMPI_MCA_orte_execute_quiet", "1", 0);
    setenv("PRTE_MCA_prte_execute_quiet", "1", 0);
    snprintf(count, sizeof count, "%u", o->ranks);
    const char *const first[] = {
        "mpirun", "-n", count, "--oversubscribe", "--bind-to", "none", "--mca", "odls_base_sigkill_timeout", "2", NULL};
    const char *const local[] = {"--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism",
                                 "none",  NULL};
    const char *const hosts[] = {access(o->hosts ? o->hosts : "", R_OK) ? "--host" : "--hostfile", o->hosts, NULL};
    for (const char *const *a = first; *a; a++) list[n++] = (char *)(uintptr_t)*a;
    for (const char *const *a = o->hosts ? hosts : local; *a; a++) list[n++] = (char *)(uintptr_t)*a;
    if (!geteuid()) list[n++] = "--allow-run-as-root";
    list[n++] = path;
    for (int i = 1; i < argc; i++) list[n++] = argv[i];
    execvp("mpirun", list);
    give_up(1, "--ranks %u: mpirun: %s; expected Open MPI, which make sim RANKS=%u or scripts/setup.sh ranks installs",
            o->ranks, strerror(errno), o->ranks);
}

/* A signal from a terminal reaches this process, and not mpirun. */
static void __attribute__((noreturn)) start(const program_options *o, int argc, char **argv)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    int code = 0;
    mpirun = fork();
    if (mpirun < 0) give_up(1, "--ranks %u: %s", o->ranks, strerror(errno));
    if (!mpirun) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        setpgid(0, 0);
        if (!freopen("/dev/null", "r", stdin)) give_up(1, "/dev/null: %s", strerror(errno));
        run_mpirun(o, argc, argv);
    }
    for (int i = 0; i < 4; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = hand_on, .sa_flags = SA_RESTART}, NULL);
    while (waitpid(mpirun, &code, 0) < 0 && errno == EINTR) continue;
    exit(stopped ? 130 : WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code));
}

void ranks_begin(program_options *o, int argc, char **argv)
{
    char path[4100];
    if (!o->ranks) return;
    choose_recorder(o);
    if (!getenv("OMPI_COMM_WORLD_RANK")) {
        if (o->hosts) each_host(o, check_host);
        start(o, argc, argv);
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = take_on, .sa_flags = SA_RESTART}, NULL);
    own_path("ranks-mpi.so", path, sizeof path);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) give_up(1, "--ranks %u: %s; make sim RANKS=%u builds it", o->ranks, dlerror(), o->ranks);
    const sim_transport *(*begin)(void);
    *(void **)&begin = dlsym(library, "ranks_mpi_begin");
    *(void **)&o->ranks_end = dlsym(library, "ranks_mpi_end");
    if (!begin || !o->ranks_end || !(o->transport = begin())) give_up(1, "--ranks %u: MPI does not come up", o->ranks);
    if (o->transport->count != o->ranks) give_up(1, "--ranks %u: mpirun has started %u", o->ranks, o->transport->count);
    if (!o->transport->rank) return;
    o->json = "/dev/null"; /* the first rank writes all results */
    if (o->dump) o->dump = o->json;
    if (!freopen("/dev/null", "w", stdout)) give_up(1, "/dev/null: %s", strerror(errno));
}

void ranks_print(const program_options *o, const fabric *f, double wall, FILE *out)
{
    sim_rank_costs c = sim_ranks_cost(f->s);
    unsigned others = o->ranks - 1;
    char text[200] = "";
    if (!o->transport || !others) return;
    for (unsigned i = 0; i <= f->nodes; i++)
        if ((i < f->nodes || f->chip.model) && f->rank[i] == 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "",
                     i < f->nodes ? f->node[i]->name : "switch");
    fprintf(out,
            "%u ranks; the first (%s) sent %.0f messages per us to each other one, of %.0f bytes, and waited %.0f %% "
            "of the time for "
            "theirs\n",
            o->ranks, text, (double)c.messages / (1e-6 * (double)sim_now(f->s)),
            (double)c.bytes / (double)c.messages / others, 100 * c.waited / wall);
}
