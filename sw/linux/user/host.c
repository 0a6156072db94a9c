// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* main() of a host program (nx_host.h) in Linux' user space: opens /dev/nicxbar0 (NX_DEVICE names another one), waits
 * until all hosts run the same program, and calls nx_main. Prints what make run prints. Exit code: that of nx_main; 1
 * if it does not come to that.
 *
 * NX_MEET names a folder that all hosts share. Each host puts a file into it when its link is up, before which none may
 * send, and when nx_main has returned, before which none may switch its NIC off. Host 0 says when all begin. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "nic_register_map.h"
#include "nx_host.h"
#include "nx_linux.h"

enum {
    HOSTS = 16,
    PAGE = 4096,
    KEPT_BYTES = 2 << 20, /* of the memory for DMA: for what programs allocate beside the shared part */
    LOOK_NS = 100 * 1000,
    GIVE_UP_S = 10,
    BEGIN_NS = 1000 * 1000
};

static const char *name = "";
static char meeting[4000]; /* folder and number of the run: the beginning of file names */

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
    nanosleep(&(struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}, NULL);
}

static void path_of(char path[static 4096], const char *what, unsigned host)
{
    snprintf(path, 4096, "%.4000s.%.20s.%u", meeting, what, host);
}

/* A whole file appears at once. */
static int say(const char *what, unsigned host, uint64_t number)
{
    char path[4096], part[4096];
    FILE *f;
    path_of(path, what, host);
    path_of(part, "part", host);
    f = fopen(part, "w");
    if (!f || fprintf(f, "%llu\n", (unsigned long long)number) < 0 || fclose(f) || rename(part, path)) {
        fprintf(stderr, "%s: %s: %s\n", name, path, strerror(errno));
        return -1;
    }
    return 0;
}

/* Waits until a host has said it, and what. */
static int hear(const char *what, unsigned host, uint64_t *number)
{
    const uint64_t began = clock_ns();
    char path[4096];
    path_of(path, what, host);
    for (;;) {
        unsigned long long n;
        FILE *f = fopen(path, "r");
        int good = f && fscanf(f, "%llu", &n) == 1;
        if (f) fclose(f);
        if (good) return *number = n, 0;
        if (clock_ns() - began > (uint64_t)GIVE_UP_S * 1000000000u) {
            fprintf(stderr, "%s: host %u is not %s after %d s: expected that it runs %s, too\n", name, host, what,
                    GIVE_UP_S, name);
            return -1;
        }
        sleep_ns(LOOK_NS);
    }
}

/* Waits until all hosts have said it; the sum of what they said. */
static int all(const char *what, unsigned hosts, uint64_t *sum)
{
    uint64_t number;
    *sum = 0;
    for (unsigned i = 0; i < hosts; i++) {
        if (hear(what, i, &number)) return -1;
        *sum += number;
    }
    return 0;
}

/* The number of this run: each host has put a file of each run into the folder. */
static int meet(unsigned rank)
{
    const char *folder = getenv("NX_MEET");
    char path[4096];
    if (!folder || access(folder, W_OK) || strlen(folder) > 3900) {
        fprintf(stderr, "%s: NX_MEET=%s: expected a folder that all hosts share\n", name, folder ? folder : "");
        return -1;
    }
    for (unsigned run = 0;; run++) {
        snprintf(meeting, sizeof meeting, "%s/run%u", folder, run);
        path_of(path, "ready", rank);
        if (access(path, F_OK)) return 0;
    }
}

/* Descriptors that the NIC has lost since RST#. */
static uint64_t lost(nx_device *dev)
{
    uint64_t sum = 0;
    uint32_t value;
    for (unsigned i = 0; i < nx_queues(dev); i++)
        if (!nx_register_read(dev, NIC_QUEUE_SKIPPED + 4 * i, &value)) sum += value;
    return sum;
}

/* Behind a program that was killed, what its NIC has not sent is missing, and the next notification is flagged: it is
 * taken here. Messages go out until each host has had one of each other. */
static int clean(const nx_host *host)
{
    enum { TRIES = 100, ROUNDS = 64 };
    nx_notification n;
    unsigned missing = ~(~0u << host->hosts) & ~(1u << host->rank);
    uint64_t sum;
    for (unsigned tries = 0; missing; tries++) {
        if (tries == TRIES) return fprintf(stderr, "%s: no answer from hosts of mask %#x\n", name, missing), -1;
        for (unsigned i = 0; i < host->hosts; i++)
            if (i != host->rank && nx_transfer(host->device, i, host->shared, (uint32_t)host->shared + PAGE / 2, 8,
                                               NX_REMOTE | NX_LOCAL, NULL))
                return -1;
        for (unsigned round = 0; round < ROUNDS; round++) {
            for (unsigned i = 0; i < host->hosts; i++)
                if (nx_notification_poll(host->device, host->node_id[i], &n)) missing &= ~(1u << i);
            host->platform->wait(host->platform->self);
        }
    }
    if (say("clean", host->rank, 0) || all("clean", host->hosts, &sum)) return -1;
    for (unsigned i = 0; i < host->hosts; i++) (void)nx_notification_poll(host->device, host->node_id[i], &n);
    return 0;
}

static int begin(const nx_host *host)
{
    uint64_t sum, at;
    if (host->hosts < 2) return 0;
    if (meet(host->rank) || say("ready", host->rank, lost(host->device)) || all("ready", host->hosts, &sum)) return -1;
    if (sum && clean(host)) return -1;
    if (say("steady", host->rank, 0)) return -1;
    if (!host->rank && (all("steady", host->hosts, &sum) || say("beginning", 0, clock_ns() + BEGIN_NS))) return -1;
    if (hear("beginning", 0, &at)) return -1;
    at -= clock_ns();
    if (at <= BEGIN_NS) sleep_ns(at);
    return 0;
}

static void print(nx_host *host, const char *line) { printf("host %u: %s\n", host->rank, line); }

static void figure(nx_host *host, const char *what, double value, const char *unit)
{
    printf("host %u: %-40s %14.3f %s\n", host->rank, what, value, unit);
}

static int failed(const nx_linux *l, const nx_device *dev, const char *text)
{
    fprintf(stderr, "%s: host %u: %s\n", name, nx_linux_node(l), text ? text : nx_last_error(dev));
    return 1;
}

/* What is known about a program that has failed. */
static void tell(const nx_host *host, int result)
{
    static nx_status status;
    fprintf(stderr, "%s on host %u returned %d; the last error of its device: %s\n", name, host->rank, result,
            *nx_last_error(host->device) ? nx_last_error(host->device) : "none");
    if (!nx_status_read(host->device, &status) && strcmp(status.text, "no errors\n")) fputs(status.text, stderr);
}

static int run(nx_linux *l, nx_device **dev, int argc, char **argv)
{
    static const unsigned char zeros[PAGE];
    static unsigned node_id[HOSTS];
    const struct nx_platform *platform = nx_linux_platform(l);
    nx_params params = nx_params_default();
    nx_host host = {.rank = nx_linux_node(l),
                    .hosts = nx_linux_hosts(l),
                    .node_id = node_id,
                    .platform = platform,
                    .print = print,
                    .figure = figure};
    uint64_t sum;
    int result;
    params.node_id = host.rank;
    params.direct = nx_linux_direct(l);
    if (!host.hosts) host.hosts = 1;
    if (host.hosts > HOSTS || host.rank >= host.hosts)
        return failed(l, NULL, "expected a node ID below the number of hosts, 16 at most");
    for (unsigned i = 0; i < HOSTS; i++) node_id[i] = i;
    if (nx_open(platform, nx_linux_function(l), &params, dev) || nx_wait_link(*dev)) return failed(l, *dev, NULL);
    host.device = *dev;
    host.shared_bytes = (nx_linux_room(l) - KEPT_BYTES) / PAGE * PAGE;
    host.shared = platform->alloc(platform->self, host.shared_bytes, PAGE);
    if (!host.shared) return failed(l, NULL, "no memory for DMA");
    for (uint64_t at = 0; at < host.shared_bytes; at += PAGE)
        platform->mem_write(platform->self, host.shared + at, zeros, PAGE);
    if (begin(&host)) return 1;
    result = nx_main(&host, argc, argv);
    fflush(stdout);
    if (result) tell(&host, result);
    if (host.hosts > 1 && (say("done", host.rank, (unsigned)result) || all("done", host.hosts, &sum)) && !result)
        result = 1;
    return result;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *device = getenv("NX_DEVICE");
    char error[400];
    nx_device *dev = NULL;
    nx_linux *l;
    int result = 1;
    name = slash ? slash + 1 : argv[0];
    prctl(PR_SET_TIMERSLACK, 1);
    l = nx_linux_open(device ? device : "/dev/nicxbar0", error, sizeof error);
    if (!l) fprintf(stderr, "%s: %s\n", name, error);
    else result = run(l, &dev, argc, argv);
    nx_close(dev);
    nx_linux_close(l);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "%s: standard output cannot be written\n", name);
        result = 1;
    }
    return result;
}
