#define _GNU_SOURCE
#include "sim/app/roce/linux/roce_guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SETTINGS = 16, CONSOLE_LINES = 20, FRAME_ROOM = 1 << 20 /* [bytes] of frames that wait in the socket */ };

struct roce_guest {
    pid_t pid;
    int ended, status;
    int frames, console, keys, place_lock; /* file descriptors */
    FILE *log;
    char log_name[256], unsaved[ROCE_GUEST_ERROR];
    char place[64]; /* the folder of the two sockets */
    struct sockaddr_un here, there;
    char line[ROCE_GUEST_LINE], said[ROCE_GUEST_LINE];
    size_t line_length;
    char last[CONSOLE_LINES][ROCE_GUEST_LINE];
    unsigned lines;
    char *read; /* of the console and not looked at yet */
    size_t read_at, read_length, read_room;
};

__attribute__((format(printf, 2, 3))) static void say(char *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error, ROCE_GUEST_ERROR, format, args);
    va_end(args);
}

/* Folders of killed programs: their lock is free, and they are complete. */
static void remove_left_over(const char *tmp)
{
    DIR *all = opendir(tmp);
    for (struct dirent *d; all && (d = readdir(all));) {
        char path[300], file[310];
        struct stat st;
        if (strncmp(d->d_name, "roce.", 5) || strlen(d->d_name) != 11) continue;
        snprintf(path, sizeof path, "%.40s/%.11s", tmp, d->d_name);
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0) continue;
        if (!fstat(fd, &st) && st.st_uid == geteuid() && st.st_mtime + 60 < time(NULL) &&
            !flock(fd, LOCK_EX | LOCK_NB)) {
            for (int i = 0; i < 2; i++) {
                snprintf(file, sizeof file, "%s/%s", path, i ? "guest" : "sim");
                unlink(file);
            }
            rmdir(path);
        }
        close(fd);
    }
    if (all) closedir(all);
}

static int open_sockets(roce_guest *g, char *error)
{
    const char *tmp = getenv("TMPDIR");
    remove_left_over(tmp ? tmp : "/tmp");
    snprintf(g->place, sizeof g->place, "%.40s/roce.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(g->place)) {
        say(error, "%s: cannot make a folder for sockets: %s", g->place, strerror(errno));
        g->place[0] = 0;
        return -1;
    }
    g->place_lock = open(g->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (g->place_lock >= 0) flock(g->place_lock, LOCK_SH);
    g->here.sun_family = g->there.sun_family = AF_UNIX;
    snprintf(g->here.sun_path, sizeof g->here.sun_path, "%s/sim", g->place);
    snprintf(g->there.sun_path, sizeof g->there.sun_path, "%s/guest", g->place);
    int room = FRAME_ROOM;
    g->frames = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (g->frames < 0 || setsockopt(g->frames, SOL_SOCKET, SO_RCVBUF, &room, sizeof room) ||
        setsockopt(g->frames, SOL_SOCKET, SO_SNDBUF, &room, sizeof room) ||
        bind(g->frames, (const struct sockaddr *)&g->here, sizeof g->here)) {
        say(error, "%s: no socket for frames: %s", g->here.sun_path, strerror(errno));
        return -1;
    }
    return 0;
}

/* In the child. */
static void become_qemu(const roce_guest *g, const char *folder, const char *const settings[], int in, int out)
{
    char program[300];
    const char *arguments[SETTINGS + 4] = {program, g->there.sun_path, g->here.sun_path};
    unsigned n = 3;
    snprintf(program, sizeof program, "%s/start", folder);
    for (unsigned i = 0; settings[i] && n < SETTINGS + 3; i++) arguments[n++] = settings[i];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0); /* Ctrl-C is for us, and we end it */
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    execv(program, (char *const *)(uintptr_t)arguments);
    _exit(127);
}

unsigned roce_guest_mtu(const char *folder)
{
    char name[300];
    unsigned mtu = 0;
    snprintf(name, sizeof name, "%s/mtu", folder);
    FILE *f = fopen(name, "r");
    if (f && fscanf(f, "%u", &mtu) != 1) mtu = 0;
    if (f) fclose(f);
    return mtu;
}

roce_guest *roce_guest_start(const char *folder, const char *log, const char *const settings[],
                             char error[ROCE_GUEST_ERROR])
{
    char program[300];
    int out[2] = {-1, -1}, in[2] = {-1, -1};
    snprintf(program, sizeof program, "%s/start", folder);
    if (access(program, X_OK)) {
        say(error, "%s: %s: expected the guest that scripts/guest.py makes", program, strerror(errno));
        return NULL;
    }
    roce_guest *g = calloc(1, sizeof *g);
    if (!g) {
        say(error, "no memory for the guest");
        return NULL;
    }
    g->frames = g->console = g->keys = g->place_lock = -1;
    snprintf(g->log_name, sizeof g->log_name, "%s", log);
    if (!(g->log = fopen(log, "w"))) say(error, "%s: %s", log, strerror(errno));
    else if (!open_sockets(g, error)) {
        if (pipe2(out, O_CLOEXEC) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in))
            say(error, "no pipe for the guest's console: %s", strerror(errno));
        else if ((g->pid = fork()) < 0) say(error, "cannot start the guest: %s", strerror(errno));
        else if (!g->pid) become_qemu(g, folder, settings, in[0], out[1]);
        else {
            close(out[1]);
            close(in[0]);
            g->console = out[0];
            g->keys = in[1];
            fcntl(g->console, F_SETFL, O_NONBLOCK);
            return g;
        }
        for (int i = 0; i < 2; i++) {
            if (out[i] >= 0) close(out[i]);
            if (in[i] >= 0) close(in[i]);
        }
    }
    g->ended = 1;
    roce_guest_free(g);
    return NULL;
}

void roce_guest_free(roce_guest *g)
{
    if (!g) return;
    if (!g->ended) {
        if (kill(-g->pid, SIGKILL)) kill(g->pid, SIGKILL); /* and its children */
        waitpid(g->pid, NULL, 0);
    }
    if (g->frames >= 0) close(g->frames);
    if (g->console >= 0) close(g->console);
    if (g->keys >= 0) close(g->keys);
    if (g->log) fclose(g->log);
    if (g->place[0]) {
        unlink(g->here.sun_path);
        unlink(g->there.sun_path);
        rmdir(g->place);
        if (g->place_lock >= 0) close(g->place_lock);
    }
    free(g->read);
    free(g);
}

size_t roce_guest_receive(roce_guest *g, uint8_t *frame, size_t size)
{
    ssize_t n = recv(g->frames, frame, size, 0);
    return n > 0 ? (size_t)n : 0;
}

int roce_guest_send(roce_guest *g, const uint8_t *frame, size_t length)
{
    return sendto(g->frames, frame, length, 0, (const struct sockaddr *)&g->there, sizeof g->there) == (ssize_t)length
               ? 0
               : -1;
}

void roce_guest_wait(roce_guest *g, int milliseconds)
{
    struct pollfd fds[2] = {{g->frames, POLLIN, 0}, {g->console, POLLIN, 0}};
    poll(fds, g->console >= 0 ? 2 : 1, milliseconds);
}

/* More of the console, if there is any. */
static void read_console(roce_guest *g)
{
    char more[4096];
    for (ssize_t n; g->console >= 0 && (n = read(g->console, more, sizeof more)) != 0;) {
        if (n < 0) return;
        if ((fwrite(more, 1, (size_t)n, g->log) != (size_t)n || fflush(g->log)) && !*g->unsaved)
            say(g->unsaved, "%s: %s", g->log_name, strerror(errno));
        if (g->read_length + (size_t)n > g->read_room) {
            size_t room = g->read_length + (size_t)n + 4096;
            char *larger = realloc(g->read, room);
            if (!larger) return;
            g->read = larger;
            g->read_room = room;
        }
        memcpy(g->read + g->read_length, more, (size_t)n);
        g->read_length += (size_t)n;
    }
}

/* The next complete line read, without its newline; NULL: none. */
static const char *next_line(roce_guest *g)
{
    while (g->read_at < g->read_length) {
        char c = g->read[g->read_at++];
        if (c != '\n') {
            if (c != '\r' && g->line_length < sizeof g->line - 1) g->line[g->line_length++] = c;
            continue;
        }
        g->line[g->line_length] = 0;
        g->line_length = 0;
        strcpy(g->last[g->lines++ % CONSOLE_LINES], g->line);
        return g->line;
    }
    g->read_at = g->read_length = 0;
    return NULL;
}

const char *roce_guest_says(roce_guest *g)
{
    static const char mark[] = "guest: ";
    read_console(g);
    for (const char *line; (line = next_line(g));) {
        const char *at = strstr(line, mark);
        if (!at) continue;
        strcpy(g->said, at + sizeof mark - 1);
        return g->said;
    }
    return NULL;
}

const char *roce_guest_unsaved(const roce_guest *g) { return *g->unsaved ? g->unsaved : NULL; }

int roce_guest_tell(roce_guest *g, const char *line)
{
    char text[4096]; /* no longer: what Linux takes as one line of a console */
    int length = snprintf(text, sizeof text, "%s\n", line);
    if (length < 0 || (size_t)length >= sizeof text) return -1;
    return send(g->keys, text, (size_t)length, MSG_NOSIGNAL) == length ? 0 : -1;
}

int roce_guest_ended(roce_guest *g, int *status)
{
    if (!g->ended && waitpid(g->pid, &g->status, WNOHANG) == g->pid) g->ended = 1;
    if (status) *status = g->ended && WIFEXITED(g->status) ? WEXITSTATUS(g->status) : -1;
    return g->ended;
}

void roce_guest_print_console(roce_guest *g, FILE *out)
{
    while (roce_guest_says(g)) {
    }
    fprintf(out, "the guest's console (%s) ends with:\n", g->log_name);
    for (unsigned i = g->lines > CONSOLE_LINES ? g->lines - CONSOLE_LINES : 0; i < g->lines; i++)
        fprintf(out, "    %s\n", g->last[i % CONSOLE_LINES]);
}
