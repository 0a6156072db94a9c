/* One guest: the process of User-mode Linux, its sockets, its output, and the two connections that it makes.
 *
 *     linux_guest_init(g, 1, folder, sim, bus, error);                  sockets in folder/host1
 *     linux_guest_start(g, options, error);
 *     ... poll what linux_guest_polls names; linux_guest_polled(g, fds, now) ...
 *     linux_guest_free(g);                                              ends it, if it is there
 *
 * The guest is a process group of its own, so Ctrl-C reaches the simulator alone. Its console goes to
 * LOGS/hostN.log, and to the terminal what is no message of the kernel.
 */
#ifndef SIM_APP_LINUX_LINUX_GUEST_H
#define SIM_APP_LINUX_LINUX_GUEST_H

#include <poll.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/un.h>

#include "sim/app/linux/linux_options.h"
#include "sim/model/guest/guest_bus.h"
#include "sim/model/guest/time_travel.h"
#include "sim/model/guest/vhost_user.h"

enum { LINUX_POLLS = 7, LINUX_LINE = 1024, LINUX_ERROR = 500 };

typedef struct linux_guest {
    unsigned number; /* from 1 */
    char name[16];
    char folder[sizeof((struct sockaddr_un *)0)->sun_path]; /* of its sockets and files */
    int listening[2];                                       /* of the device, of time */
    sim *sim;
    guest_bus *bus;
    vhost_user *front; /* NULL: not connected */
    time_travel time;  /* fd -1: not connected */
    int pending;       /* INTA# is low, and is to be reported */
    pid_t pid;         /* 0: no process */
    int pidfd, output, input;
    int started, stopping; /* has been; has been asked to end */
    int exit;              /* of its process, as a shell says it; -1: none yet */
    int status;            /* what its job has left behind; -1: nothing */
    double heard;          /* [s] of wall time: last message */
    FILE *log;
    char line[LINUX_LINE];
    size_t length;
    int up, speaks;          /* its kernel has connected; its init writes */
    char last[LINUX_LINE];   /* the last line that is not empty */
    char bad[LINUX_LINE];    /* the first line of its log that makes the run bad */
    char error[LINUX_ERROR]; /* why it was dropped */
    int raw;                 /* its console is the terminal */
} linux_guest;

/* `folder` is there. -1: a socket cannot be made; the reason is in `error`. */
int linux_guest_init(linux_guest *g, unsigned number, const char *folder, sim *s, guest_bus *bus,
                     char error[LINUX_ERROR]);
/* Starts its process; again, after it has ended. */
int linux_guest_start(linux_guest *g, const linux_options *o, char error[LINUX_ERROR]);
/* Asks its process to end, and kills it if it does not within 2 s. */
void linux_guest_kill(linux_guest *g);
/* Kills its process at once, as by kill -9 from outside. */
void linux_guest_die(linux_guest *g);
/* Takes its NIC away, which asserts RST# on its bus; -1: it has none. */
int linux_guest_pull(linux_guest *g);
void linux_guest_free(linux_guest *g);

/* What to wait for; always LINUX_POLLS. */
void linux_guest_polls(const linux_guest *g, struct pollfd fds[LINUX_POLLS]);
/* Takes what has come; `now` [ns]: the guests' clock. */
void linux_guest_polled(linux_guest *g, const struct pollfd fds[LINUX_POLLS], uint64_t now);

/* It has a process that takes part in time. */
int linux_guest_lives(const linux_guest *g);
/* It stands still until it is told to run. */
int linux_guest_waits(const linux_guest *g);
/* Sends a message that INTA# is low if one is due. */
void linux_guest_interrupt(linux_guest *g);
/* It is of no more use: drops its connections, which asserts RST# on its bus, and says why on stderr. */
void linux_guest_drop(linux_guest *g, const char *why);
/* A file in its folder with this text. */
int linux_guest_put(const linux_guest *g, const char *name, const char *text);

#endif
