/* on_socket LOCAL REMOTE PROGRAM NAME [ARGUMENT...]: runs PROGRAM as NAME (argv[0]), with a Unix datagram socket as
 * descriptor 9, which is bound to LOCAL and connected to REMOTE: the line of a guest that cannot open one itself
 * (User-mode Linux). When the other end of standard input is closed, all processes of its group are killed: Linux has
 * several, and some outlive the one that it began with. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 9, ROOM = 1 << 20 /* [bytes] of frames that wait */ };

static int fail(const char *what)
{
    perror(what);
    return 1;
}

/* A process that waits for that; no child of ours, for Linux waits for its own. */
static int watch(void)
{
    struct pollfd in = {.fd = 0};
    if (getpgrp() != getpid()) return 0; /* others are in this group */
    pid_t child = fork();
    if (child < 0) return fail("fork");
    if (child) return waitpid(child, NULL, 0) < 0 ? fail("wait") : 0;
    if (fork()) _exit(0);
    close(1);
    close(2);
    while (!(in.revents & (POLLHUP | POLLERR | POLLNVAL))) poll(&in, 1, -1);
    kill(0, SIGKILL);
    _exit(0);
}

int main(int argc, char **argv)
{
    struct sockaddr_un ends[2] = {{.sun_family = AF_UNIX}, {.sun_family = AF_UNIX}};
    const int room = ROOM;
    if (argc < 5) {
        fputs("on_socket: expected LOCAL REMOTE PROGRAM NAME\n", stderr);
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        if (strlen(argv[1 + i]) >= sizeof ends[i].sun_path) {
            fprintf(stderr, "%s: too long for the name of a socket\n", argv[1 + i]);
            return 2;
        }
        strcpy(ends[i].sun_path, argv[1 + i]);
    }
    if (watch()) return 1;
    int line = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (line < 0 || bind(line, (const struct sockaddr *)&ends[0], sizeof ends[0])) return fail(argv[1]);
    if (connect(line, (const struct sockaddr *)&ends[1], sizeof ends[1])) return fail(argv[2]);
    if (setsockopt(line, SOL_SOCKET, SO_SNDBUF, &room, sizeof room) || dup2(line, LINE) != LINE)
        return fail("on_socket");
    if (line != LINE) close(line);
    execv(argv[3], argv + 4);
    return fail(argv[3]);
}
