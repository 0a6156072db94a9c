/* The NBD server: a plugin of nbdkit that hands each request to the simulator (sim/app/disk/disk_server.c) and waits
 * for its answer. Started by that one only. Export "hostN" (or "", host 1) is the disk as initiator N sees it. Requests
 * of all connections and threads of a host go over one socket; a thread for each host takes the answers. */
#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "nx_disk.h"
#include "sim/app/disk/disk_wire.h"

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

/* A request that waits, in its thread. */
typedef struct waiting {
    uint64_t cookie, verifier;
    void *data; /* of a read */
    unsigned status;
    int answered;
    pthread_cond_t changed;
    struct waiting *next;
} waiting;

typedef struct host {
    int fd, closed;
    unsigned number;
    uint64_t cookies, verifier;    /* the last write verifier that a flush has brought: where new connections begin */
    pthread_mutex_t sending, lock; /* of the socket; of what stands below */
    waiting *waiting;
} host;

typedef struct connection {
    host *h;
    uint64_t verifier; /* that its client knows: under the lock of its host */
} connection;

static host hosts[NX_DISK_INITIATORS_MAX];
static unsigned host_count = 1;
static int64_t disk_bytes, disk_flags;

static int config(const char *key, const char *value)
{
    int64_t number = nbdkit_parse_size(value);
    if (number < 0) return -1;
    if (!strcmp(key, "hosts") && number >= 1 && number <= NX_DISK_INITIATORS_MAX) host_count = (unsigned)number;
    else if (!strcmp(key, "bytes")) disk_bytes = number;
    else if (!strcmp(key, "flags")) disk_flags = number;
    else return nbdkit_error("%s=%s: expected hosts, bytes and flags, as make disk gives them", key, value), -1;
    return 0;
}

/* ---- the socket ---- */

static int take(int fd, void *to, size_t bytes)
{
    for (char *at = to; bytes;) {
        ssize_t got = recv(fd, at, bytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        at += got;
        bytes -= (size_t)got;
    }
    return 0;
}

static int give(int fd, struct iovec *part, int parts)
{
    while (parts) {
        struct msghdr m = {.msg_iov = part, .msg_iovlen = (size_t)parts};
        ssize_t sent = sendmsg(fd, &m, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return -1;
        while (parts && (size_t)sent >= part->iov_len) {
            sent -= (ssize_t)part->iov_len;
            part++;
            parts--;
        }
        if (parts) {
            part->iov_base = (char *)part->iov_base + sent;
            part->iov_len -= (size_t)sent;
        }
    }
    return 0;
}

/* The request of this cookie, not in the list any more. */
static waiting *find(host *h, uint64_t cookie)
{
    for (waiting **link = &h->waiting; *link; link = &(*link)->next)
        if ((*link)->cookie == cookie) {
            waiting *w = *link;
            *link = w->next;
            return w;
        }
    return NULL;
}

static void wake(host *h, waiting *w, unsigned status, uint64_t verifier)
{
    pthread_mutex_lock(&h->lock);
    w->status = status;
    w->verifier = verifier;
    w->answered = 1;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&h->lock);
}

static void *take_answers(void *arg)
{
    host *h = arg;
    disk_wire_answer a;
    while (!take(h->fd, &a, sizeof a)) {
        pthread_mutex_lock(&h->lock);
        waiting *w = find(h, a.cookie);
        pthread_mutex_unlock(&h->lock);
        const int failed = !w || (a.length && take(h->fd, w->data, a.length));
        if (w) wake(h, w, failed ? NX_DISK_ESHUTDOWN : a.status, a.verifier);
        if (failed) break;
    }
    pthread_mutex_lock(&h->lock);
    h->closed = 1;
    for (waiting *w; (w = h->waiting);) {
        h->waiting = w->next;
        w->status = NX_DISK_ESHUTDOWN;
        w->answered = 1;
        pthread_cond_signal(&w->changed);
    }
    pthread_mutex_unlock(&h->lock);
    /* Clients get their errors; but one that asks for nothing would keep nbdkit, and its address, for ever. */
    sleep(1);
    _exit(1);
}

static int after_fork(void)
{
    for (unsigned i = 0; i < host_count; i++) {
        host *h = &hosts[i];
        pthread_t thread;
        h->fd = DISK_WIRE_SOCKETS + (int)i;
        h->number = i + 1;
        pthread_mutex_init(&h->sending, NULL);
        pthread_mutex_init(&h->lock, NULL);
        if (pthread_create(&thread, NULL, take_answers, h)) return nbdkit_error("no thread for host %u", h->number), -1;
        pthread_detach(thread);
    }
    return 0;
}

/* One request, until its answer: 0, or -1 with errno for the client. */
static int call(connection *k, unsigned operation, uint64_t offset, uint32_t length, const void *out, void *in,
                uint32_t flags)
{
    host *h = k->h;
    static const int errors[] = {0, EIO, EINVAL, ENOSPC, EPERM, ESHUTDOWN};
    waiting w = {.data = in};
    disk_wire_call c = {.offset = offset,
                        .length = length,
                        .operation = (uint16_t)operation,
                        .flags = flags & NBDKIT_FLAG_FUA ? NX_DISK_FUA : 0};
    struct iovec part[2] = {{&c, sizeof c}, {(void *)out, length}};
    pthread_cond_init(&w.changed, NULL);
    pthread_mutex_lock(&h->lock);
    c.cookie = w.cookie = ++h->cookies;
    c.verifier = w.verifier = k->verifier;
    w.answered = h->closed;
    w.status = NX_DISK_ESHUTDOWN;
    if (!w.answered) {
        w.next = h->waiting;
        h->waiting = &w;
    }
    pthread_mutex_unlock(&h->lock);
    if (!w.answered) {
        pthread_mutex_lock(&h->sending);
        if (give(h->fd, part, out ? 2 : 1)) shutdown(h->fd, SHUT_RDWR);
        pthread_mutex_unlock(&h->sending);
    }
    pthread_mutex_lock(&h->lock);
    while (!w.answered) pthread_cond_wait(&w.changed, &h->lock);
    if (w.verifier > k->verifier) k->verifier = w.verifier;
    if (w.verifier > h->verifier) h->verifier = w.verifier;
    pthread_mutex_unlock(&h->lock);
    pthread_cond_destroy(&w.changed);
    if (!w.status) return 0;
    const int error = w.status < sizeof errors / sizeof *errors ? errors[w.status] : EIO;
    if (error != ESHUTDOWN) /* many at once, and who stopped it knows */
        nbdkit_error("host %u: operation %u, %u bytes at %llu: %s", h->number, operation, length,
                     (unsigned long long)offset, strerror(error));
    nbdkit_set_error(error);
    return -1;
}

/* ---- for nbdkit ---- */

static int list_exports(int readonly, int is_tls, struct nbdkit_exports *exports)
{
    (void)readonly;
    (void)is_tls;
    for (unsigned i = 0; i < host_count; i++) {
        char name[16], text[80];
        snprintf(name, sizeof name, "host%u", i + 1);
        snprintf(text, sizeof text, "the disk of host 0 as host %u sees it, by RDMA", i + 1);
        if (nbdkit_add_export(exports, name, text)) return -1;
    }
    return 0;
}

static const char *default_export(int readonly, int is_tls)
{
    (void)readonly;
    (void)is_tls;
    return "host1";
}

static host *find_host(const char *name)
{
    char each[16];
    for (unsigned i = 0; name && i < host_count; i++) {
        snprintf(each, sizeof each, "host%u", i + 1);
        if (!strcmp(name, *name ? each : "")) return &hosts[i];
    }
    return NULL;
}

static void *open_export(int readonly)
{
    const char *name = nbdkit_export_name();
    host *h = find_host(name);
    connection *k = h ? malloc(sizeof *k) : NULL;
    (void)readonly;
    if (!k) {
        if (!h) nbdkit_error("export %s: expected host1..host%u", name ? name : "", host_count);
        nbdkit_set_error(h ? ENOMEM : ENOENT);
        return NULL;
    }
    pthread_mutex_lock(&h->lock);
    *k = (connection){h, h->verifier};
    pthread_mutex_unlock(&h->lock);
    return k;
}

static int64_t get_size(void *handle)
{
    (void)handle;
    return disk_bytes;
}

static int block_size(void *handle, uint32_t *minimum, uint32_t *preferred, uint32_t *maximum)
{
    (void)handle;
    *minimum = NX_DISK_SECTOR;
    *preferred = NX_DISK_BLOCK;
    *maximum = NX_DISK_LONGEST;
    return 0;
}

static int can_write(void *handle)
{
    (void)handle;
    return !(disk_flags & NX_DISK_HAS_READ_ONLY);
}

static int can_flush(void *handle)
{
    (void)handle;
    return !!(disk_flags & NX_DISK_HAS_FLUSH);
}

static int can_fua(void *handle)
{
    (void)handle;
    return disk_flags & NX_DISK_HAS_FUA ? NBDKIT_FUA_NATIVE : NBDKIT_FUA_NONE;
}

static int can_trim(void *handle)
{
    (void)handle;
    return !!(disk_flags & NX_DISK_HAS_DISCARD);
}

static int can_zero(void *handle)
{
    (void)handle;
    return !!(disk_flags & NX_DISK_HAS_ZEROES);
}

/* What any connection to an export has written is flushed by any other one to it: one cache, the target's, is behind
 * all. If writes that were answered are lost, a flush of each connection says so. */
static int can_multi_conn(void *handle)
{
    (void)handle;
    return 1;
}

static int read_data(void *handle, void *data, uint32_t length, uint64_t offset, uint32_t flags)
{
    return call(handle, NX_DISK_READ, offset, length, NULL, data, flags);
}

static int write_data(void *handle, const void *data, uint32_t length, uint64_t offset, uint32_t flags)
{
    return call(handle, NX_DISK_WRITE, offset, length, data, NULL, flags);
}

static int flush(void *handle, uint32_t flags) { return call(handle, NX_DISK_FLUSH, 0, 0, NULL, NULL, flags); }

static int trim(void *handle, uint32_t length, uint64_t offset, uint32_t flags)
{
    return call(handle, NX_DISK_DISCARD, offset, length, NULL, NULL, flags);
}

static int zero(void *handle, uint32_t length, uint64_t offset, uint32_t flags)
{
    return call(handle, NX_DISK_WRITE_ZEROES, offset, length, NULL, NULL, flags);
}

static struct nbdkit_plugin plugin = {
    .name = "nicxbar",
    .description = "a disk over RDMA in a simulated world; make disk starts it",
    .config = config,
    .after_fork = after_fork,
    .list_exports = list_exports,
    .default_export = default_export,
    .open = open_export,
    .close = free,
    .get_size = get_size,
    .block_size = block_size,
    .can_write = can_write,
    .can_flush = can_flush,
    .can_fua = can_fua,
    .can_trim = can_trim,
    .can_zero = can_zero,
    .can_multi_conn = can_multi_conn,
    .pread = read_data,
    .pwrite = write_data,
    .flush = flush,
    .trim = trim,
    .zero = zero,
    .errno_is_preserved = 0,
};
NBDKIT_REGISTER_PLUGIN(plugin)
