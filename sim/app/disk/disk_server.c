#include "sim/app/disk/disk_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/app/disk/disk_private.h"
#include "sim/app/disk/disk_wire.h"

enum {
    LISTENING = 3 /* systemd's number for the first socket that is handed on */,
    MOST_BYTES = 64 << 20 /* of requests of a host */
};
enum { IN_USE = 1 /* condition that a socket is awaited for */, TRIES = 20 /* in two seconds */ };

/* One host's socket: a call that is coming in. */
typedef struct gate {
    disk_server *server;
    unsigned host, under_way;
    int closed;
    disk_wire_reader in;
    uint64_t bytes; /* of requests under way */
} gate;

typedef struct asked {
    disk_request r;
    gate *gate;
    uint64_t cookie;
} asked;

struct disk_server {
    disk_server_params p;
    disk_service *s;
    int listening, poll, clock, nbdkit_fd, run_fd;
    pid_t nbdkit, run;
    int code, died;
    gate gate[FABRIC_NODES];
    uint64_t requests, bytes;
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
};

/* ---- where clients come in ---- */

static int listen_to_port(disk_server *d, char *error)
{
    const struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)d->p.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int on = 1;
    d->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (d->listening >= 0 && !setsockopt(d->listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
        !bind(d->listening, (const struct sockaddr *)&at, sizeof at) && !listen(d->listening, SOMAXCONN))
        return 0;
    const int used = errno == EADDRINUSE;
    snprintf(error, DISK_SERVICE_ERROR, "port %u: %s; expected a port of 127.0.0.1 that is free", d->p.port,
             strerror(errno));
    return used ? IN_USE : -1;
}

static int listen_to_path(disk_server *d, char *error)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct stat st;
    char folder[PATH_MAX];
    if (*d->p.socket != '/' && getcwd(folder, sizeof folder)) strncat(folder, "/", sizeof folder - strlen(folder) - 1);
    else *folder = '\0';
    if (strlen(folder) + strlen(d->p.socket) >= sizeof at.sun_path)
        return snprintf(error, DISK_SERVICE_ERROR,
                        "socket %s%s: expected a path of less than %zu characters (OUT=folder: it goes there)", folder,
                        d->p.socket, sizeof at.sun_path);
    strcpy(at.sun_path, folder);
    strcat(at.sun_path, d->p.socket);
    d->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!lstat(at.sun_path, &st)) {
        if (!S_ISSOCK(st.st_mode))
            return snprintf(error, DISK_SERVICE_ERROR, "socket %s: expected no file of another kind", at.sun_path);
        if (!connect(d->listening, (struct sockaddr *)&at, sizeof at)) {
            snprintf(error, DISK_SERVICE_ERROR,
                     "socket %s: in use; expected no other make disk with it (OUT=folder: another one)", at.sun_path);
            return IN_USE;
        }
        unlink(at.sun_path);
    }
    if (bind(d->listening, (struct sockaddr *)&at, sizeof at) || listen(d->listening, SOMAXCONN))
        return snprintf(error, DISK_SERVICE_ERROR, "socket %s: %s; expected a folder that can be written", at.sun_path,
                        strerror(errno));
    strcpy(d->path, at.sun_path);
    return 0;
}

disk_server *disk_server_new(const disk_server_params *p, char error[DISK_SERVICE_ERROR])
{
    disk_server *d = calloc(1, sizeof *d);
    *error = '\0';
    if (!d) return NULL;
    d->p = *p;
    d->listening = d->poll = d->clock = d->nbdkit_fd = d->run_fd = -1;
    for (unsigned i = 0; i < FABRIC_NODES; i++) d->gate[i].in.fd = -1;
    /* nbdkit of a simulator that was killed may be ending. */
    for (int tries = 0, result; (result = (p->port ? listen_to_port : listen_to_path)(d, error)); tries++) {
        if (result != IN_USE || tries == TRIES) {
            disk_server_free(d);
            return NULL;
        }
        close(d->listening);
        d->listening = -1;
        usleep(2000000 / TRIES);
    }
    return d;
}

static void uri(const disk_server *d, unsigned host, char *text, size_t size)
{
    if (d->p.port) snprintf(text, size, "nbd://127.0.0.1:%u/host%u", d->p.port, host);
    else snprintf(text, size, "nbd+unix:///host%u?socket=%s", host, d->path);
}

/* ---- requests ---- */

static void close_gate(gate *g)
{
    if (g->in.fd >= 0) close(g->in.fd);
    disk_wire_free(&g->in);
    g->in.fd = -1;
}

static int send_all(int fd, const void *data, size_t bytes)
{
    for (const char *at = data; bytes;) {
        ssize_t sent = send(fd, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return -1;
        at += sent;
        bytes -= (size_t)sent;
    }
    return 0;
}

static void answer(void *self, disk_request *r)
{
    asked *q = self;
    gate *g = q->gate;
    const disk_wire_answer a = {.cookie = q->cookie,
                                .verifier = r->verifier,
                                .status = r->status,
                                .length = r->operation == NX_DISK_READ && r->status == NX_DISK_OK ? r->length : 0};
    /* nbdkit always takes answers; if it has ended, so has the client. */
    if (g->in.fd >= 0 && (send_all(g->in.fd, &a, sizeof a) || send_all(g->in.fd, r->data, a.length))) g->closed = 1;
    g->under_way--;
    g->bytes -= r->length;
    g->server->requests++;
    if (r->status == NX_DISK_OK) g->server->bytes += r->length;
    free(r->data);
    free(q);
}

static void submit(gate *g)
{
    const disk_wire_call *c = &g->in.call;
    asked *q = calloc(1, sizeof *q);
    if (!q) {
        perror("block: a request");
        exit(1);
    }
    *q = (asked){.r = {.operation = c->operation,
                       .flags = c->flags,
                       .offset = c->offset,
                       .length = c->length,
                       .data = disk_wire_data(&g->in),
                       .verifier = c->verifier,
                       .done = answer,
                       .self = q},
                 .gate = g,
                 .cookie = c->cookie};
    g->under_way++;
    g->bytes += c->length;
    disk_service_submit(g->server->s, g->host, &q->r);
}

/* Reads received bytes; submits requests that are complete. */
static void take(gate *g)
{
    const unsigned places = g->server->s->p.block.places;
    while (g->in.fd >= 0 && (g->in.got || (g->under_way < places && g->bytes < MOST_BYTES &&
                                           disk_service_room(g->server->s, g->host)))) {
        const int got = disk_wire_take(&g->in);
        if (!got) return;
        if (got > 0) submit(g);
        else close_gate(g);
    }
}

/* ---- nbdkit and the command ---- */

static void watch(disk_server *d, int fd, void *who)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = who};
    if (fd < 0 || epoll_ctl(d->poll, EPOLL_CTL_ADD, fd, &e)) {
        perror("block: epoll");
        exit(1);
    }
}

/* Common start of every child. */
static void begin_child(int dies_with_us)
{
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (dies_with_us) prctl(PR_SET_PDEATHSIG, SIGTERM);
}

static void exec_nbdkit(disk_server *d, const int *sockets, unsigned hosts, const nx_disk_disk *disk)
{
    char plugin[PATH_MAX + 20], pid[20], count[32], bytes[40], flags[32];
    ssize_t length = readlink("/proc/self/exe", plugin, PATH_MAX);
    plugin[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(plugin, '/');
    strcpy(slash ? slash + 1 : plugin, "nbd-plugin.so");
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    snprintf(count, sizeof count, "hosts=%u", hosts);
    snprintf(bytes, sizeof bytes, "bytes=%llu", (unsigned long long)disk->bytes);
    snprintf(flags, sizeof flags, "flags=%u", disk->flags);
    begin_child(1);
    setpgid(0, 0); /* Ctrl-C is for us: requests end first */
    /* First out of the way of the numbers that they are to have. */
    int high[FABRIC_NODES + 1];
    high[0] = fcntl(d->listening, F_DUPFD, 100);
    for (unsigned i = 0; i < hosts; i++) high[i + 1] = fcntl(sockets[i], F_DUPFD, 100);
    for (unsigned i = 0; i <= hosts; i++) {
        dup2(high[i], (int)i + LISTENING);
        close(high[i]);
    }
    setenv("LISTEN_FDS", "1", 1);
    setenv("LISTEN_PID", pid, 1);
    execlp("nbdkit", "nbdkit", "--foreground", "--exit-with-parent", "--threads=64", "--filter=blocksize-policy",
           "--filter=blocksize", plugin, count, bytes, flags, "blocksize-minimum=512", "blocksize-preferred=4096",
           "blocksize-maximum=32M", "minblock=512", "maxdata=32M", "maxlen=32M", (char *)NULL);
    perror("block: nbdkit");
    _exit(127);
}

static int start_nbdkit(disk_server *d)
{
    _Static_assert(DISK_WIRE_SOCKETS == LISTENING + 1, "the sockets of hosts follow");
    const unsigned hosts = disk_service_initiators(d->s);
    int theirs[FABRIC_NODES];
    for (unsigned i = 0; i < hosts; i++) {
        int both[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both)) return perror("block: socketpair"), -1;
        d->gate[i] = (gate){.server = d, .host = i + 1, .in.fd = both[0]};
        theirs[i] = both[1];
        watch(d, both[0], &d->gate[i]);
    }
    d->nbdkit = fork();
    if (!d->nbdkit) exec_nbdkit(d, theirs, hosts, disk_service_disk(d->s));
    for (unsigned i = 0; i < hosts; i++) close(theirs[i]);
    if (d->nbdkit < 0) return perror("block: nbdkit"), -1;
    watch(d, d->nbdkit_fd = pidfd_open(d->nbdkit, 0), &d->nbdkit);
    return 0;
}

static int start_command(disk_server *d)
{
    d->run = fork();
    if (!d->run) {
        char name[16], text[200];
        uri(d, 1, text, sizeof text);
        setenv("uri", text, 1);
        for (unsigned i = 1; i <= disk_service_initiators(d->s); i++) {
            snprintf(name, sizeof name, "uri%u", i);
            uri(d, i, text, sizeof text);
            setenv(name, text, 1);
        }
        begin_child(1);
        execl("/bin/sh", "sh", "-c", d->p.run, (char *)NULL);
        perror("block: sh");
        _exit(127);
    }
    if (d->run < 0) return perror("block: the command"), -1;
    watch(d, d->run_fd = pidfd_open(d->run, 0), &d->run);
    return 0;
}

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/* ---- serving ---- */

static void progress(disk_server *d)
{
    uint64_t ticks;
    if (read(d->clock, &ticks, sizeof ticks) < 0) return;
    fprintf(stderr, "\r%llu requests, %.1f MiB, %.3f ms simulated, %s   ", (unsigned long long)d->requests,
            (double)d->bytes / 1048576, 1e-9 * (double)(sim_now(d->s->f->s) - d->s->began),
            disk_active(d->s) ? "running" : "stopped");
}

static void look(void *self)
{
    disk_server *d = self;
    struct epoll_event e[FABRIC_NODES + 3];
    const int count = epoll_wait(d->poll, e, FABRIC_NODES + 3, 0);
    for (int i = 0; i < count; i++) {
        void *who = e[i].data.ptr;
        int status = 0;
        if (who == &d->clock) progress(d);
        else if (who == &d->run || who == &d->nbdkit) {
            const int of_run = who == &d->run;
            waitpid(of_run ? d->run : d->nbdkit, &status, 0);
            epoll_ctl(d->poll, EPOLL_CTL_DEL, of_run ? d->run_fd : d->nbdkit_fd, NULL);
            if (of_run) d->run = 0;
            else d->nbdkit = 0, d->died = 1;
            d->code = of_run ? exit_code(status) : 1;
            if (!of_run) fprintf(stderr, "disk: nbdkit has ended by itself, with code %d\n", exit_code(status));
            disk_service_end(d->s);
        } else take(who);
    }
}

/* Ends a child: asks it to, and if it does not within 5 s kills it. */
static void end_child(pid_t *child, int pidfd)
{
    struct epoll_event e = {.events = EPOLLIN};
    if (*child > 0) {
        int wait = epoll_create1(EPOLL_CLOEXEC);
        kill(*child, SIGTERM);
        epoll_ctl(wait, EPOLL_CTL_ADD, pidfd, &e);
        while (epoll_wait(wait, &e, 1, 5000) < 0 && errno == EINTR) {
        }
        close(wait);
        kill(*child, SIGKILL);
        waitpid(*child, NULL, 0);
    }
    *child = 0;
}

int disk_server_serve(disk_server *d, disk_service *s)
{
    const unsigned hosts = disk_service_initiators(s);
    char text[200];
    d->s = s;
    d->poll = epoll_create1(EPOLL_CLOEXEC);
    if (isatty(STDERR_FILENO)) {
        const struct itimerspec each = {{1, 0}, {1, 0}};
        d->clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        timerfd_settime(d->clock, 0, &each, NULL);
        watch(d, d->clock, &d->clock);
    }
    if (start_nbdkit(d)) return 1;
    for (unsigned i = 1; i <= hosts; i++) {
        uri(d, i, text, sizeof text);
        printf("host %u: %s\n", i, text);
    }
    if (!d->p.run) puts("until Ctrl-C");
    fflush(stdout);
    if (d->p.run && start_command(d)) return 1;
    const int result = disk_service_serve(s, d->poll, look, d);
    if (d->clock >= 0) fprintf(stderr, "\r%*s\r", 79, "");
    /* nbdkit sees the sockets close and answers requests that came too late. */
    for (unsigned i = 0; i < hosts; i++) close_gate(&d->gate[i]);
    end_child(&d->run, d->run_fd);
    end_child(&d->nbdkit, d->nbdkit_fd);
    return result ? result : d->code;
}

int disk_server_died(const disk_server *d) { return d && d->died; }

void disk_server_free(disk_server *d)
{
    if (!d) return;
    const int fds[] = {d->listening, d->poll, d->clock, d->nbdkit_fd, d->run_fd};
    end_child(&d->run, d->run_fd);
    end_child(&d->nbdkit, d->nbdkit_fd);
    if (*d->path) unlink(d->path);
    for (unsigned i = 0; i < FABRIC_NODES; i++) close_gate(&d->gate[i]);
    for (unsigned i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0) close(fds[i]);
    free(d);
}
