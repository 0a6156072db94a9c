#define _GNU_SOURCE /* accept4 */
#include "sim/app/linux/linux_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/kernel/sim.h"

enum { DEVICE, TIME, FRONT, CALLS, CLOCK, PROCESS, OUTPUT }; /* places in what is polled */
static const char *const sockets[2] = {"device.sock", "time.sock"};
enum { DEVICE_ID = 1234, WORDS = 40, WORD = PATH_MAX + 80 };

/* ---- sockets ---- */

static int listen_at(const char *folder, const char *name, char error[LINUX_ERROR])
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (snprintf(at.sun_path, sizeof at.sun_path, "%s/%s", folder, name) >= (int)sizeof at.sun_path)
        errno = ENAMETOOLONG;
    else if (s >= 0 && !bind(s, (struct sockaddr *)&at, sizeof at) && !listen(s, 1)) return s;
    snprintf(error, LINUX_ERROR, "socket %s/%s: %s (TMPDIR=folder: it goes there)", folder, name, strerror(errno));
    if (s >= 0) close(s);
    return -1;
}

static void answered(void *self, uint32_t ticket, const uint8_t *data, uint32_t size)
{
    const linux_guest *g = self;
    if (g->front) vhost_user_answered(g->front, ticket, data, size);
}

/* The guest gets a message as soon as the run has stopped. */
static void raised(void *self)
{
    linux_guest *g = self;
    g->pending = 1;
    sim_stop(g->sim);
}

int linux_guest_init(linux_guest *g, unsigned number, const char *folder, sim *s, guest_bus *bus,
                     char error[LINUX_ERROR])
{
    const guest_front front = {g, answered, raised};
    *g = (linux_guest){.number = number, .listening = {-1, -1}, .sim = s, .bus = bus};
    g->pidfd = g->output = g->input = -1;
    guest_bus_set_front(bus, &front);
    g->time.fd = g->exit = g->status = -1;
    snprintf(g->name, sizeof g->name, "host%u", number);
    if (snprintf(g->folder, sizeof g->folder, "%s/%s", folder, g->name) >= (int)sizeof g->folder ||
        mkdir(g->folder, 0700)) {
        snprintf(error, LINUX_ERROR, "%s/%s: cannot be made; expected a folder in TMPDIR", folder, g->name);
        return -1;
    }
    for (int i = 0; i < 2; i++)
        if ((g->listening[i] = listen_at(g->folder, sockets[i], error)) < 0) return -1;
    return 0;
}

static void close_fd(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void close_front(linux_guest *g)
{
    vhost_user_free(g->front);
    g->front = NULL;
    g->pending = 0;
}

static void close_time(linux_guest *g)
{
    close_fd(&g->time.fd);
    g->time = (time_travel){.fd = -1};
}

void linux_guest_drop(linux_guest *g, const char *why)
{
    if (!*g->error)
        snprintf(g->error, sizeof g->error, "%s; after %s", why, g->front ? vhost_user_last(g->front) : "nothing");
    fprintf(stderr, "%s: dropped: %s\n", g->name, g->error);
    close_front(g);
    close_time(g);
}

/* ---- its process ---- */

typedef struct words {
    char *at[WORDS], text[WORDS][WORD];
    int count;
} words;

static void __attribute__((format(printf, 2, 3))) put(words *w, const char *format, ...)
{
    va_list list;
    if (w->count == WORDS - 1) return;
    va_start(list, format);
    vsnprintf(w->text[w->count], WORD, format, list);
    va_end(list);
    w->at[w->count] = w->text[w->count];
    w->count++;
}

static const char *whole(const char *path, char to[PATH_MAX]) { return realpath(path, to) ? to : path; }

static void put_words(words *w, const linux_guest *g, const linux_options *o)
{
    static const char *const plain[] = {"rootfstype=hostfs", "rootflags=/",   "ro",        "con=null",
                                        "ssl=null",          "printk.time=1", "norandmaps"};
    char path[PATH_MAX];
    put(w, "linux");
    put(w, "mem=%s", o->mem);
    for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++) put(w, "%s", plain[i]);
    put(w, g->raw ? "con0=fd:0,fd:1" : "con0=null,fd:1");
    put(w, "init=%s", whole(o->init, path));
    put(w, "uml_dir=%s/", g->folder);
    put(w, "umid=%s", g->name);
    put(w, "virtio_uml.device=%s/%s:%d", g->folder, sockets[0], DEVICE_ID);
    put(w, "time-travel=ext:%u:%s/%s", g->number, g->folder, sockets[1]);
    put(w, "nx_host=%u", g->number);
    put(w, "nx_nodes=%u", o->nodes);
    put(w, "nx_tree=%s", whole(".", path));
    put(w, "nx_build=%s", whole("build", path));
    put(w, "nx_dir=%s", g->folder);
    put(w, "nx_job=%s", o->job);
    put(w, "nx_fs=%s", o->fs);
    put(w, "nx_scale=%u", o->scale);
}

static void exec_guest(const linux_guest *g, const linux_options *o, int in, int out)
{
    static words w;
    sigset_t none;
    put_words(&w, g, o);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0); /* Ctrl-C is for us: guests end first */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    personality(ADDR_NO_RANDOMIZE); /* where it may not, Linux has gaps in its addresses */
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    for (int i = 1; i < NSIG && o->guest; i++) signal(i, SIG_DFL); /* as exec does */
    if (o->guest) exit(o->guest(w.count, w.at));
    execv(o->kernel, w.at);
    fprintf(stderr, "%s: %s\n", o->kernel, strerror(errno));
    _exit(127);
}

static FILE *open_log(const linux_guest *g, const linux_options *o, char error[LINUX_ERROR])
{
    char path[PATH_MAX];
    mkdir(o->logs, 0777);
    snprintf(path, sizeof path, "%s/%s.log", o->logs, g->name);
    FILE *log = fopen(path, g->started ? "ae" : "we");
    if (!log) snprintf(error, LINUX_ERROR, "%.200s: %s", path, strerror(errno));
    return log;
}

/* Pipes: its end of input and output, and ours. */
static int open_pipes(linux_guest *g, int theirs[2])
{
    int out[2], in[2];
    theirs[0] = theirs[1] = -1;
    if (pipe2(out, O_CLOEXEC)) return -1;
    g->output = out[0];
    theirs[1] = out[1];
    fcntl(g->output, F_SETFL, O_NONBLOCK);
    if (!g->raw) return (theirs[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0 ? -1 : 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in)) return -1;
    g->input = in[0];
    theirs[0] = in[1];
    return 0;
}

/* Of an earlier start. */
static void forget_life(linux_guest *g)
{
    char path[PATH_MAX];
    close_fd(&g->output);
    close_fd(&g->input);
    if (g->log) fclose(g->log);
    g->log = NULL;
    g->exit = g->status = -1;
    g->length = 0;
    g->up = g->speaks = 0;
    *g->error = '\0';
    snprintf(path, sizeof path, "%s/status", g->folder);
    unlink(path);
}

int linux_guest_start(linux_guest *g, const linux_options *o, char error[LINUX_ERROR])
{
    int theirs[2];
    char pid[16];
    forget_life(g);
    g->raw = o->console && g->number == 1;
    if ((o->run && linux_guest_put(g, "run", o->run)) || open_pipes(g, theirs)) {
        snprintf(error, LINUX_ERROR, "%s: %s", g->folder, strerror(errno));
        return -1;
    }
    if (!(g->log = open_log(g, o, error))) return -1;
    g->pid = fork();
    if (!g->pid) exec_guest(g, o, theirs[0], theirs[1]);
    close(theirs[0]);
    close(theirs[1]);
    if (g->pid < 0 || (g->pidfd = pidfd_open(g->pid, 0)) < 0) {
        snprintf(error, LINUX_ERROR, "%s: %s", g->name, strerror(errno));
        return -1;
    }
    snprintf(pid, sizeof pid, "%d\n", (int)g->pid);
    g->started = 1;
    g->heard = sim_wall();
    return linux_guest_put(g, "pid", pid);
}

/* Ends the process group; a process may have gone already. */
void linux_guest_kill(linux_guest *g)
{
    struct pollfd end = {.fd = g->pidfd, .events = POLLIN};
    if (g->pid <= 0) return;
    kill(-g->pid, SIGTERM);
    poll(&end, 1, 2000);
    kill(-g->pid, SIGKILL);
    waitpid(g->pid, NULL, 0);
    g->pid = 0;
    close_fd(&g->pidfd);
}

void linux_guest_free(linux_guest *g)
{
    linux_guest_kill(g);
    close_front(g);
    close_time(g);
    for (int i = 0; i < 2; i++) close_fd(&g->listening[i]);
    close_fd(&g->output);
    close_fd(&g->input);
    if (g->log) fclose(g->log);
    g->log = NULL;
}

int linux_guest_put(const linux_guest *g, const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", g->folder, name);
    FILE *f = fopen(path, "we");
    if (!f) return -1;
    const int failed = fputs(text, f) < 0;
    return fclose(f) || failed ? -1 : 0;
}

static int read_status(const linux_guest *g)
{
    char path[PATH_MAX];
    int status = -1;
    snprintf(path, sizeof path, "%s/status", g->folder);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%d", &status) != 1) status = -1;
    if (f) fclose(f);
    return status;
}

static void take_end(linux_guest *g)
{
    int code = 0;
    waitpid(g->pid, &code, 0);
    kill(-g->pid, SIGKILL); /* its children, if it was killed */
    g->pid = 0;
    g->exit = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
    g->status = read_status(g);
    close_fd(&g->pidfd);
    close_front(g);
    close_time(g);
}

void linux_guest_die(linux_guest *g)
{
    kill(-g->pid, SIGKILL);
    take_end(g);
}

int linux_guest_pull(linux_guest *g)
{
    if (!g->front) return -1;
    close_front(g);
    return 0;
}

/* ---- its output ---- */

/* A line of the kernel's that must not be: the run is bad. */
static int is_bad(const char *line)
{
    static const char *const marks[] = {
        "Kernel panic", "WARNING:",          "BUG:", "Oops", "KASAN", "virt-pci delay", "INFO: possible",
        "INFO: task",   "Modules linked in:"};
    for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(line, marks[i])) return 1;
    return 0;
}

/* To the terminal, over a progress line: what init and its children say, and what is bad. */
static void print_line(const linux_guest *g, int bad)
{
    if (g->raw || !(bad || (g->speaks && *g->line && *g->line != '['))) return;
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    printf("%s: %s\n", g->name, g->line);
}

static void take_line(linux_guest *g)
{
    const int bad = is_bad(g->line);
    if (bad && !*g->bad && !g->stopping) snprintf(g->bad, sizeof g->bad, "%s", g->line);
    print_line(g, bad);
    if (strstr(g->line, "as init process")) g->speaks = 1;
    if (*g->line) snprintf(g->last, sizeof g->last, "%s", g->line);
    g->length = 0;
}

static void take_bytes(linux_guest *g, const char *bytes, size_t count)
{
    fwrite(bytes, 1, count, g->log);
    if (g->raw) fwrite(bytes, 1, count, stdout);
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n' || g->length == sizeof g->line - 1) {
            g->line[g->length] = '\0';
            take_line(g);
        } else if (bytes[i] != '\r') g->line[g->length++] = bytes[i];
    }
}

static void take_output(linux_guest *g)
{
    char bytes[4096];
    ssize_t n;
    while ((n = read(g->output, bytes, sizeof bytes)) > 0) take_bytes(g, bytes, (size_t)n);
    fflush(g->log);
    fflush(stdout);
    if (!n) close_fd(&g->output);
}

/* ---- its connections ---- */

static void take_connection(linux_guest *g, int which)
{
    const int fd = accept4(g->listening[which], NULL, NULL, SOCK_CLOEXEC);
    const guest_device d = guest_bus_device(g->bus);
    if (fd < 0) return;
    if (which == TIME && g->time.fd < 0) g->time.fd = fd;
    else if (which != DEVICE || g->front || !(g->front = vhost_user_new(fd, &d))) close(fd);
}

void linux_guest_polls(const linux_guest *g, struct pollfd fds[LINUX_POLLS])
{
    const int all[LINUX_POLLS] = {[DEVICE] = g->listening[0],
                                  [TIME] = g->listening[1],
                                  [FRONT] = g->front ? vhost_user_fd(g->front) : -1,
                                  [CALLS] = g->front ? vhost_user_call_fd(g->front) : -1,
                                  [CLOCK] = g->time.fd,
                                  [PROCESS] = g->pidfd,
                                  [OUTPUT] = g->output};
    for (int i = 0; i < LINUX_POLLS; i++) fds[i] = (struct pollfd){.fd = all[i], .events = POLLIN};
}

/* A socket that is closed: the guest has let go of its device, or has ended, which its process says. */
static void take_front(linux_guest *g, int result)
{
    if (result < 0) linux_guest_drop(g, vhost_user_error(g->front));
    else if (result > 0) close_front(g);
}

static void take_time(linux_guest *g, int result)
{
    g->up |= g->time.started;
    if (result < 0) linux_guest_drop(g, g->time.error);
    else if (result > 0) close_time(g);
}

void linux_guest_polled(linux_guest *g, const struct pollfd fds[LINUX_POLLS], uint64_t now)
{
    if (fds[OUTPUT].revents) take_output(g);
    for (int i = DEVICE; i <= TIME; i++)
        if (fds[i].revents) take_connection(g, i);
    if (fds[FRONT].revents | fds[CALLS].revents | fds[CLOCK].revents) g->heard = sim_wall();
    if (fds[FRONT].revents && g->front) take_front(g, vhost_user_receive(g->front));
    if (fds[CALLS].revents && g->front) take_front(g, vhost_user_receive_answer(g->front));
    if (fds[CLOCK].revents && g->time.fd >= 0) take_time(g, time_travel_receive(&g->time, now));
    if (fds[PROCESS].revents && !fds[OUTPUT].revents) take_end(g);
}

int linux_guest_lives(const linux_guest *g) { return g->pid > 0 && !*g->error; }

int linux_guest_waits(const linux_guest *g) { return g->time.waits && !(g->front && vhost_user_calling(g->front)); }

void linux_guest_interrupt(linux_guest *g)
{
    if (!g->pending) return;
    g->pending = 0; /* without a buffer for it: the bus says it again */
    if (g->front && vhost_user_interrupt(g->front) < 0) linux_guest_drop(g, vhost_user_error(g->front));
}
