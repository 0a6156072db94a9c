#define _GNU_SOURCE /* MSG_CMSG_CLOEXEC */
#include "sim/model/guest/vhost_user.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/model/guest/guest_ring.h"

enum {
    GET_FEATURES = 1,
    SET_FEATURES = 2,
    SET_OWNER = 3,
    SET_MEM_TABLE = 5,
    SET_VRING_NUM = 8,
    SET_VRING_ADDR = 9,
    SET_VRING_BASE = 10,
    GET_PROTOCOL_FEATURES = 15,
    SET_PROTOCOL_FEATURES = 16,
    SET_VRING_ENABLE = 18,
    SET_SLAVE_REQ_FD = 21,
    VRING_KICK = 35,
    SLAVE_VRING_CALL = 4
};
enum { VERSION = 1, REPLY = 4, NEED_REPLY = 8 };
#define FEATURES ((uint64_t)1 << 32 | (uint64_t)1 << 30) /* Virtio 1.0, protocol features */
/* answers to requests, requests of the device, notifications in band */
#define PROTOCOL_FEATURES ((uint64_t)1 << 3 | 1 << 5 | 1 << 14)

/* Messages of virt-pci. */
enum { CFG_READ = 1, CFG_WRITE, MMIO_READ, MMIO_WRITE, MMIO_MEMSET, INTERRUPT };
typedef struct pci_message {
    uint8_t op, bar;
    uint16_t reserved;
    uint32_t size;
    uint64_t at;
} pci_message;

struct vhost_user {
    guest_device device;
    int socket, calls, plugged, calling;
    guest_memory memory;
    guest_ring ring[VHOST_USER_QUEUES];
    uint64_t in_at[GUEST_RING_MOST]; /* by ticket: where the answer goes */
    /* the message that is coming in */
    vhost_user_header header;
    uint8_t payload[VHOST_USER_PAYLOAD], answer[sizeof(vhost_user_header) + 8];
    size_t got, answered;
    int fds[VHOST_USER_FDS];
    unsigned fd_count;
    guest_chain chain;
    uint8_t fill[GUEST_LONGEST];
    char last[80], error[GUEST_ERROR];
};

static int __attribute__((format(printf, 2, 3))) refuse(vhost_user *v, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(v->error, sizeof v->error, format, list);
    va_end(list);
    return -1;
}

static void __attribute__((format(printf, 2, 3))) note(vhost_user *v, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(v->last, sizeof v->last, format, list);
    va_end(list);
}

/* ---- commands of virt-pci ---- */

static int take_config(vhost_user *v, const pci_message *m, int write)
{
    if ((m->size != 1 && m->size != 2 && m->size != 4) || m->at % m->size || m->at + m->size > GUEST_CONFIG_BYTES)
        return refuse(v, "configuration %s of %u bytes at 0x%llx, expected 1, 2 or 4 aligned ones below 256%s",
                      write ? "write" : "read", m->size, (unsigned long long)m->at,
                      write ? " (memset_io comes as one)" : "");
    return 0;
}

static int take_bar(vhost_user *v, const pci_message *m)
{
    if (m->bar >= GUEST_BARS || !m->size || m->size > GUEST_LONGEST || m->at >= UINT32_MAX - GUEST_LONGEST)
        return refuse(v, "access of %u bytes at 0x%llx of BAR%u, expected 1 to %d bytes of BAR0 to BAR5", m->size,
                      (unsigned long long)m->at, m->bar, GUEST_LONGEST);
    return 0;
}

static int hand_on(vhost_user *v, const pci_message *m, int operation, const uint8_t *data)
{
    const guest_access a = {operation, m->bar, m->at, m->size, data, v->chain.head};
    if (!v->device.access(v->device.self, &a)) return 0;
    return refuse(v, "more than %d accesses without letting time pass", GUEST_QUEUED);
}

static int take_read(vhost_user *v, const pci_message *m)
{
    if (v->chain.in < m->size)
        return refuse(v, "read of %u bytes with room for %u, expected no less", m->size, v->chain.in);
    v->in_at[v->chain.head] = v->chain.in_at;
    return hand_on(v, m, m->op == CFG_READ ? GUEST_CONFIG_READ : GUEST_READ, NULL);
}

static int take_write(vhost_user *v, const pci_message *m, const uint8_t *data, uint32_t given)
{
    const int fills = m->op == MMIO_MEMSET;
    if (given < (fills ? 1 : m->size)) return refuse(v, "write of %u bytes with %u of data", m->size, given);
    if (fills) memset(v->fill, *data, m->size);
    if (hand_on(v, m, m->op == CFG_WRITE ? GUEST_CONFIG_WRITE : GUEST_WRITE, fills ? v->fill : data)) return -1;
    guest_ring_give(&v->ring[VHOST_USER_COMMANDS], v->chain.head, 0);
    return 0;
}

static int take_command(vhost_user *v)
{
    static const char *const names[] = {"", "configuration read", "configuration write", "read", "write", "fill"};
    const guest_chain *c = &v->chain;
    pci_message m;
    if (c->out < sizeof m) return refuse(v, "command of %u bytes, expected %zu or more", c->out, sizeof m);
    memcpy(&m, c->data, sizeof m);
    if (m.op < CFG_READ || m.op > MMIO_MEMSET) return refuse(v, "command %u, expected 1 to 5", m.op);
    const int write = m.op != CFG_READ && m.op != MMIO_READ, config = m.op <= CFG_WRITE;
    if (config ? take_config(v, &m, write) : take_bar(v, &m)) return -1;
    note(v, "%s of %u bytes at 0x%llx", names[m.op], m.size, (unsigned long long)m.at);
    if (!config) snprintf(v->last + strlen(v->last), sizeof v->last - strlen(v->last), " of BAR%u", m.bar);
    return write ? take_write(v, &m, c->data + sizeof m, c->out - (uint32_t)sizeof m) : take_read(v, &m);
}

static int take_commands(vhost_user *v)
{
    int more;
    while ((more = guest_ring_take(&v->ring[VHOST_USER_COMMANDS], &v->chain, v->error)) > 0)
        if (take_command(v)) return -1;
    return more;
}

void vhost_user_answered(void *self, uint32_t ticket, const uint8_t *data, uint32_t size)
{
    vhost_user *v = self;
    uint8_t *to = guest_memory_at(&v->memory, v->in_at[ticket], size);
    if (to) memcpy(to, data, size);
    guest_ring_give(&v->ring[VHOST_USER_COMMANDS], (uint16_t)ticket, size);
}

/* ---- messages of the socket ---- */

static int send_all(int fd, const void *data, size_t size)
{
    ssize_t sent;
    do sent = send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size ? 0 : -1;
}

static int reply(vhost_user *v, uint32_t request, uint64_t value)
{
    struct {
        vhost_user_header h;
        uint64_t value;
    } __attribute__((packed)) m = {{request, VERSION | REPLY, sizeof value}, value};
    return v->socket >= 0 && send_all(v->socket, &m, sizeof m) ? refuse(v, "it takes no answers") : 0;
}

static uint64_t word(const uint8_t *payload, unsigned index)
{
    uint64_t value;
    memcpy(&value, payload + 8 * index, sizeof value);
    return value;
}

/* One region: what User-mode Linux for 64 bits has. */
static int set_memory(vhost_user *v, const uint8_t *p, const int *fds, unsigned count)
{
    uint32_t regions;
    memcpy(&regions, p, sizeof regions);
    if (v->plugged) return refuse(v, "another table of memory, expected one");
    if (regions != 1 || count != 1) return refuse(v, "%u regions of memory, %u files: expected one", regions, count);
    if (word(p, 1) != word(p, 3)) return refuse(v, "memory at two addresses, expected the same");
    if (guest_memory_map(&v->memory, fds[0], word(p, 1), word(p, 2), word(p, 4), v->error)) return -1;
    v->plugged = 1;
    v->device.plug(v->device.self, &v->memory);
    return 0;
}

static int set_calls(vhost_user *v, const int *fds, unsigned count)
{
    if (count != 1 || v->calls >= 0) return refuse(v, "%u files for calls, expected one", count);
    v->calls = dup(fds[0]);
    return v->calls >= 0 ? 0 : refuse(v, "a file for calls: %s", strerror(errno));
}

static int set_base(guest_ring *r, uint32_t base)
{
    r->next = r->given = (uint16_t)base;
    return 0;
}

static int place_ring(vhost_user *v, guest_ring *r, const uint8_t *p)
{
    return guest_ring_place(r, &v->memory, word(p, 1), word(p, 2), word(p, 3), v->error);
}

/* Messages of a queue: its number comes first. */
static int take_of_queue(vhost_user *v, uint32_t request, const uint8_t *p)
{
    uint32_t number, value;
    memcpy(&number, p, sizeof number);
    memcpy(&value, p + sizeof number, sizeof value);
    if (number >= VHOST_USER_QUEUES) return refuse(v, "message %u of queue %u, expected 0 or 1", request, number);
    guest_ring *r = &v->ring[number];
    r->number = number;
    if (request == SET_VRING_NUM) return guest_ring_set_size(r, value, v->error);
    if (request == SET_VRING_BASE) return set_base(r, value);
    if (request == SET_VRING_ADDR) return place_ring(v, r, p);
    return request == VRING_KICK && number == VHOST_USER_COMMANDS ? take_commands(v) : 0;
}

/* The messages that are known, and the bytes of what they bring. */
static int has_size(uint32_t request, uint32_t size)
{
    static const uint8_t sizes[VRING_KICK + 1] = {
        [GET_FEATURES] = 1,     [SET_OWNER] = 1,     [GET_PROTOCOL_FEATURES] = 1, [SET_SLAVE_REQ_FD] = 1,
        [SET_FEATURES] = 9,     [SET_VRING_NUM] = 9, [SET_VRING_BASE] = 9,        [SET_PROTOCOL_FEATURES] = 9,
        [SET_VRING_ENABLE] = 9, [VRING_KICK] = 9,    [SET_VRING_ADDR] = 41,
    };
    if (request == SET_MEM_TABLE) return size >= 40;
    return request <= VRING_KICK && sizes[request] && sizes[request] - 1u == size;
}

static int obey(vhost_user *v, uint32_t request, const uint8_t *p, const int *fds, unsigned count)
{
    switch (request) {
    case SET_OWNER:
        return 0;
    case SET_FEATURES:
        return word(p, 0) & ~FEATURES ? refuse(v, "features that were not offered") : 0;
    case SET_PROTOCOL_FEATURES:
        return word(p, 0) == PROTOCOL_FEATURES ? 0 : refuse(v, "protocol features other than 3, 5 and 14");
    case SET_SLAVE_REQ_FD:
        return set_calls(v, fds, count);
    case SET_MEM_TABLE:
        return set_memory(v, p, fds, count);
    default:
        return take_of_queue(v, request, p);
    }
}

static int take(vhost_user *v, const vhost_user_header *h, const uint8_t *payload, const int *fds, unsigned count)
{
    if (!has_size(h->request, h->size) || (h->flags & ~(uint32_t)NEED_REPLY) != VERSION)
        return refuse(v, "message %u of %u bytes with flags 0x%x", h->request, h->size, h->flags);
    if (h->request != VRING_KICK) note(v, "message %u", h->request);
    if (h->request == GET_FEATURES) return reply(v, h->request, FEATURES);
    if (h->request == GET_PROTOCOL_FEATURES) return reply(v, h->request, PROTOCOL_FEATURES);
    if (obey(v, h->request, payload, fds, count)) return -1;
    return h->flags & NEED_REPLY ? reply(v, h->request, 0) : 0;
}

int vhost_user_take(vhost_user *v, const vhost_user_header *h, const uint8_t *payload, const int *fds, unsigned count)
{
    const int result = take(v, h, payload, fds, count);
    for (unsigned i = 0; i < count; i++) close(fds[i]);
    return result;
}

/* ---- the socket ---- */

static void keep_fds(vhost_user *v, struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        for (size_t at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + at, sizeof fd);
            if (v->fd_count < VHOST_USER_FDS) v->fds[v->fd_count++] = fd;
            else close(fd);
        }
    }
}

/* Up to `size` bytes: how many, 0 none now, -1 the end. */
static ssize_t read_some(vhost_user *v, void *to, size_t size)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(VHOST_USER_FDS * sizeof(int))];
    } control;
    struct iovec iov = {to, size};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(v->socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    keep_fds(v, &m);
    return n ? n : -1;
}

/* More of the message that is coming in: 1 it is whole, 0 not yet, -1 the end. */
static int read_message(vhost_user *v)
{
    for (;;) {
        const size_t head = sizeof v->header, whole = v->got < head ? head : head + v->header.size;
        if (v->got >= head && v->header.size > VHOST_USER_PAYLOAD)
            return refuse(v, "message %u of %u bytes", v->header.request, v->header.size);
        if (v->got == whole) return 1;
        void *to = v->got < head ? (uint8_t *)&v->header + v->got : v->payload + (v->got - head);
        const ssize_t n = read_some(v, to, whole - v->got);
        if (n <= 0) return (int)n;
        v->got += (size_t)n;
    }
}

static int receive(vhost_user *v)
{
    int whole;
    while ((whole = read_message(v)) > 0) {
        const unsigned count = v->fd_count;
        v->got = v->fd_count = 0;
        if (vhost_user_take(v, &v->header, v->payload, v->fds, count)) return -1;
    }
    if (whole < 0 && !*v->error && v->got) return refuse(v, "the socket is closed in the middle of a message");
    return whole < 0 ? *v->error ? -1 : 1 : 0;
}

int vhost_user_receive(vhost_user *v)
{
    const int result = receive(v);
    return v->memory.cut ? refuse(v, "the file of its memory has become shorter") : result;
}

/* ---- interrupts ---- */

static int put_interrupt(vhost_user *v)
{
    const pci_message m = {.op = INTERRUPT, .at = 1 /* INTA# */};
    guest_ring *r = &v->ring[VHOST_USER_INTERRUPTS];
    const int more = guest_ring_take(r, &v->chain, v->error);
    if (more <= 0) return more < 0 ? -1 : 1;
    uint8_t *to = v->chain.in < sizeof m ? NULL : guest_memory_at(&v->memory, v->chain.in_at, sizeof m);
    if (!to) return refuse(v, "a buffer of %u bytes for interrupts, expected %zu or more", v->chain.in, sizeof m);
    memcpy(to, &m, sizeof m);
    guest_ring_give(r, v->chain.head, sizeof m);
    return 0;
}

int vhost_user_interrupt(vhost_user *v)
{
    static const struct {
        vhost_user_header h;
        uint32_t queue, zero;
    } call = {{SLAVE_VRING_CALL, VERSION | NEED_REPLY, 8}, VHOST_USER_INTERRUPTS, 0};
    if (v->calling || v->calls < 0 || !v->ring[VHOST_USER_INTERRUPTS].descriptors) return 1;
    const int result = put_interrupt(v);
    if (result) return result;
    if (send_all(v->calls, &call, sizeof call)) return refuse(v, "it takes no calls");
    v->calling = 1;
    return 0;
}

int vhost_user_receive_answer(vhost_user *v)
{
    const ssize_t n = recv(v->calls, v->answer + v->answered, sizeof v->answer - v->answered, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (n <= 0) return 1;
    if (!v->calling) return refuse(v, "an answer to no call");
    v->answered += (size_t)n;
    if (v->answered < sizeof v->answer) return 0;
    v->answered = 0;
    v->calling = 0;
    return word(v->answer, 0) >> 32 & REPLY ? 0 : refuse(v, "an answer that is none");
}

/* ---- life ---- */

vhost_user *vhost_user_new(int socket, const guest_device *d)
{
    vhost_user *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->device = *d;
    v->socket = socket;
    v->calls = -1;
    strcpy(v->last, "nothing");
    return v;
}

void vhost_user_free(vhost_user *v)
{
    if (!v) return;
    if (v->plugged) v->device.unplug(v->device.self);
    guest_memory_unmap(&v->memory);
    for (unsigned i = 0; i < v->fd_count; i++) close(v->fds[i]);
    if (v->calls >= 0) close(v->calls);
    if (v->socket >= 0) close(v->socket);
    free(v);
}

int vhost_user_fd(const vhost_user *v) { return v->socket; }
int vhost_user_call_fd(const vhost_user *v) { return v->calls; }
const char *vhost_user_error(const vhost_user *v) { return v->error; }
int vhost_user_calling(const vhost_user *v) { return v->calling; }
const char *vhost_user_last(const vhost_user *v) { return v->last; }
