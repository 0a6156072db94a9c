#define _GNU_SOURCE /* memfd_create */
#include "c_guest.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "nx_bump.h"

enum { ACK, START, REQUEST, WAIT, GET, UPDATE, RUN, FREE_UNTIL, GET_TOD };
enum { INTERRUPT_BUFFERS = 10, INTERRUPT_BYTES = 20, BUFFERS = 0x600000, RINGS = 0x610000, MESSAGES = 0x620000 };
enum { INTERRUPT_REGISTER = 0x40, POLL = 1000 /* [ns] */, PATIENCE = 40000 /* polls */ };

static void __attribute__((noreturn)) stop(const char *text)
{
    fprintf(stderr, "guest: %s\n", text);
    exit(3);
}

/* ---- sockets ---- */

static void get_all(int fd, void *to, size_t size)
{
    for (char *at = to; size;) {
        const ssize_t n = read(fd, at, size);
        if (n <= 0) stop("the simulator has closed a socket");
        at += n;
        size -= (size_t)n;
    }
}

static void put_all(int fd, const void *from, size_t size)
{
    if (send(fd, from, size, MSG_NOSIGNAL) != (ssize_t)size) stop("the simulator takes nothing");
}

static int connect_to(const char *path, size_t length)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%.*s", (int)length, path);
    if (s < 0 || connect(s, (struct sockaddr *)&at, sizeof at)) stop(at.sun_path);
    return s;
}

const char *c_guest_word(int argc, char **argv, const char *name)
{
    const size_t n = strlen(name);
    for (int i = 0; i < argc; i++)
        if (!strncmp(argv[i], name, n) && argv[i][n] == '=') return argv[i] + n + 1;
    return "";
}

/* ---- time ---- */

/* A message of the clock's: 1 if the guest may run. */
static int take_clock(c_guest *g, time_travel_message *m)
{
    get_all(g->clock, m, sizeof *m);
    if (m->operation == ACK) return 0;
    if ((m->operation != RUN && m->operation != FREE_UNTIL) || m->time < g->now)
        stop("a message of the clock that is no RUN, or of the past");
    if (m->operation == FREE_UNTIL) g->alone = m->time;
    else g->now = m->time;
    put_all(g->clock, &(time_travel_message){ACK, m->sequence, 0}, sizeof *m);
    return m->operation == RUN;
}

uint64_t c_guest_ask(c_guest *g, uint32_t operation, uint64_t time)
{
    time_travel_message m = {operation, ++g->sequence, time};
    put_all(g->clock, &m, sizeof m);
    do
        if (take_clock(g, &m)) stop("it may run while it runs");
    while (m.operation != ACK);
    if (m.sequence != g->sequence) stop("a clock's answer that is none");
    return m.time;
}

/* The device says that a queue has something: the guest asks for the time, and for this very moment. */
static void take_call(c_guest *g)
{
    struct {
        vhost_user_header h;
        uint32_t queue, zero;
    } m;
    get_all(g->calls, &m, sizeof m);
    if (m.h.request != 4 || m.h.size != 8 || m.queue != 1) stop("a call of no queue");
    g->now = c_guest_ask(g, GET, 0);
    c_guest_ask(g, REQUEST, g->now);
    m.h.flags = 5;
    m.queue = m.zero = 0;
    put_all(g->calls, &m, sizeof m);
}

static uint16_t word_at(const c_guest *g, uint64_t at)
{
    return __atomic_load_n((uint16_t *)(void *)(g->memory + at), __ATOMIC_ACQUIRE);
}

static void offer(c_guest *g, unsigned queue, uint16_t head)
{
    const uint64_t ring = g->ring[queue].available;
    memcpy(g->memory + ring + 4 + 2 * (g->ring[queue].given++ % C_GUEST_RING), &head, 2);
    __atomic_store_n((uint16_t *)(void *)(g->memory + ring + 2), g->ring[queue].given, __ATOMIC_RELEASE);
}

/* Takes messages of INTA#, and gives their buffers back. */
static void take_interrupts(c_guest *g)
{
    while (g->ring[1].taken != word_at(g, g->ring[1].used + 2)) {
        const uint16_t head = word_at(g, g->ring[1].used + 4 + 8 * (g->ring[1].taken++ % C_GUEST_RING));
        if (g->memory[BUFFERS + INTERRUPT_BYTES * head] != 6) stop("an interrupt that is none");
        g->interrupts++;
        offer(g, 1, head);
    }
}

/* Waits for `until`, or for an interrupt before. */
static void wait_once(c_guest *g, uint64_t until)
{
    struct pollfd fds[2] = {{g->clock, POLLIN, 0}, {g->calls, POLLIN, 0}};
    time_travel_message m;
    if (until < g->alone) {
        g->now = until;
        return;
    }
    c_guest_ask(g, REQUEST, until);
    g->alone = 0;
    c_guest_ask(g, WAIT, UINT64_MAX);
    for (int runs = 0; !runs;) {
        poll(fds, 2, -1);
        if (fds[1].revents) take_call(g);
        else if (fds[0].revents) runs = take_clock(g, &m);
    }
    take_interrupts(g);
}

void c_guest_wait(c_guest *g, uint64_t until)
{
    while (g->now < until) wait_once(g, until);
}

/* ---- the device ---- */

uint64_t c_guest_say(c_guest *g, uint32_t request, const void *payload, uint32_t size, int fd)
{
    struct {
        vhost_user_header h;
        uint8_t payload[64];
    } m = {{request, request == 1 || request == 15 ? 1 : 9, size}, {0}};
    char control[CMSG_SPACE(sizeof fd)] = "";
    struct iovec iov = {&m, sizeof m.h + size};
    struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
    uint64_t value;
    if (size) memcpy(m.payload, payload, size);
    if (fd >= 0) {
        h.msg_control = control;
        h.msg_controllen = sizeof control;
        *CMSG_FIRSTHDR(&h) =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&h)), &fd, sizeof fd);
    }
    if (sendmsg(g->device, &h, MSG_NOSIGNAL) != (ssize_t)iov.iov_len) stop("the device takes no message");
    get_all(g->device, &m.h, sizeof m.h);
    if (m.h.request != request || m.h.flags != 5 || m.h.size != 8) stop("an answer of the device that is none");
    get_all(g->device, &value, sizeof value);
    return value;
}

typedef struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
} descriptor;

static void describe(c_guest *g, unsigned queue, unsigned index, const descriptor *d)
{
    memcpy(g->memory + g->ring[queue].descriptors + sizeof *d * index, d, sizeof *d);
}

static void set_up_queue(c_guest *g, uint32_t queue)
{
    const uint64_t at = RINGS + 0x4000 * queue;
    g->ring[queue].descriptors = at;
    g->ring[queue].available = at + 0x1000;
    g->ring[queue].used = at + 0x2000;
    const uint32_t size[2] = {queue, C_GUEST_RING}, base[2] = {queue, 0};
    const uint64_t place[5] = {queue, at, at + 0x2000, at + 0x1000, UINT64_MAX};
    c_guest_say(g, 8, size, sizeof size, -1);
    c_guest_say(g, 10, base, sizeof base, -1);
    c_guest_say(g, 9, place, sizeof place, -1);
}

static void open_memory(c_guest *g)
{
    g->file = memfd_create("guest", 0);
    if (ftruncate(g->file, C_GUEST_MEMORY)) stop("no memory");
    g->memory = mmap(NULL, C_GUEST_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, g->file, 0);
    if (g->memory == MAP_FAILED) stop("no memory");
}

static void open_device(c_guest *g)
{
    const uint64_t memory[5] = {1, C_GUEST_FROM, C_GUEST_MEMORY - C_GUEST_FROM, C_GUEST_FROM, C_GUEST_FROM};
    const uint32_t on[2][2] = {{0, 1}, {1, 1}};
    int calls[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, calls)) stop("no sockets");
    g->calls = calls[0];
    c_guest_say(g, 3, NULL, 0, -1);
    uint64_t features = c_guest_say(g, 1, NULL, 0, -1), protocol = c_guest_say(g, 15, NULL, 0, -1);
    c_guest_say(g, 16, &protocol, 8, -1);
    c_guest_say(g, 21, NULL, 0, calls[1]);
    close(calls[1]);
    c_guest_say(g, 2, &features, 8, -1);
    c_guest_say(g, 5, memory, sizeof memory, g->file);
    for (uint32_t q = 0; q < 2; q++) set_up_queue(g, q);
    for (unsigned i = 0; i < INTERRUPT_BUFFERS; i++) {
        describe(g, 1, i, &(descriptor){BUFFERS + INTERRUPT_BYTES * i, INTERRUPT_BYTES, 2, 0});
        offer(g, 1, i);
    }
    for (uint32_t q = 0; q < 2; q++) c_guest_say(g, 18, on[q], 8, -1);
}

c_guest *c_guest_new(int argc, char **argv)
{
    const char *clock = strrchr(c_guest_word(argc, argv, "time-travel"), ':'),
               *device = c_guest_word(argc, argv, "virtio_uml.device");
    c_guest *g = calloc(1, sizeof *g);
    if (!g || !clock) stop("no place of a clock");
    g->host = (unsigned)atoi(c_guest_word(argc, argv, "nx_host"));
    g->nodes = (unsigned)atoi(c_guest_word(argc, argv, "nx_nodes"));
    g->folder = c_guest_word(argc, argv, "nx_dir");
    g->next = C_GUEST_POOL;
    g->clock = connect_to(clock + 1, strlen(clock + 1));
    c_guest_ask(g, START, g->host);
    c_guest_ask(g, GET_TOD, 0);
    g->now = c_guest_ask(g, GET, 0);
    open_memory(g);
    g->device = connect_to(device, strcspn(device, ":"));
    open_device(g);
    return g;
}

int c_guest_end(c_guest *g, int status)
{
    char path[200];
    snprintf(path, sizeof path, "%s/status", g->folder);
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, "%d\n", status) < 0 || fclose(f)) stop(path);
    return 0;
}

/* ---- accesses ---- */

typedef struct command {
    uint8_t op, bar;
    uint16_t reserved;
    uint32_t size;
    uint64_t at;
} command;

/* Stores take turns in places for messages; reads have the last one. */
static void kick(c_guest *g, uint16_t head)
{
    const uint32_t queue[2] = {0, 0};
    static uint64_t told;
    offer(g, 0, head);
    if (told != g->now) c_guest_ask(g, UPDATE, told = g->now);
    c_guest_say(g, 35, queue, 8, -1);
}

static int head_is_free(const c_guest *g)
{
    return (uint16_t)(g->ring[0].given - word_at(g, g->ring[0].used + 2)) < 200;
}

void c_guest_put(c_guest *g, unsigned op, unsigned bar, uint64_t at, const void *data, uint32_t size)
{
    const uint16_t head = g->ring[0].given % (C_GUEST_RING / 2);
    const uint64_t place = MESSAGES + 0x1100 * head;
    const command c = {(uint8_t)op, (uint8_t)bar, 0, size, at};
    if (!head_is_free(g)) stop("the queue is full of stores");
    memcpy(g->memory + place, &c, sizeof c);
    memcpy(g->memory + place + sizeof c, data, op == C_FILL ? 1 : size);
    describe(g, 0, head, &(descriptor){place, (uint32_t)sizeof c + (op == C_FILL ? 1 : size), 0, 0});
    kick(g, head);
}

void c_guest_get(c_guest *g, unsigned op, unsigned bar, uint64_t at, void *to, uint32_t size)
{
    enum { HEAD = C_GUEST_RING - 2 };
    const uint64_t place = MESSAGES + 0x1100 * HEAD;
    const command c = {(uint8_t)op, (uint8_t)bar, 0, size, at};
    memcpy(g->memory + place, &c, sizeof c);
    describe(g, 0, HEAD, &(descriptor){place, sizeof c, 1, HEAD + 1});
    describe(g, 0, HEAD + 1, &(descriptor){place + 64, size, 2, 0});
    kick(g, HEAD);
    for (int i = 0; word_at(g, g->ring[0].used + 2) != g->ring[0].given; i++, g->polls++) {
        if (i == PATIENCE) stop("a read gets no answer for 40 ms");
        c_guest_wait(g, g->now + POLL);
    }
    memcpy(to, g->memory + place + 64, size);
}

void c_guest_place(c_guest *g)
{
    static const uint32_t base[2] = {0xf0000000u, 0xf8000000u};
    const uint16_t command = 0x146;
    for (unsigned i = 0; i < 2; i++) {
        g->bar[i] = base[i];
        c_guest_put(g, C_CONFIG_WRITE, 0, 0x10 + 4 * i, &base[i], 4);
    }
    c_guest_put(g, C_CONFIG_WRITE, 0, 4, &command, 2);
}

/* ---- the driver's platform ---- */

static int config_read(void *self, int device, int reg, int size, uint32_t *value)
{
    *value = UINT32_MAX;
    if (device != 1) return -1;
    *value = 0;
    c_guest_get(self, C_CONFIG_READ, 0, (uint64_t)reg, value, (uint32_t)size);
    return 0;
}

static int config_write(void *self, int device, int reg, int size, uint32_t value)
{
    c_guest *g = self;
    if (device != 1) return -1;
    if (reg == INTERRUPT_REGISTER && value & 1) g->armed = g->interrupts;
    if (reg == 0x10 || reg == 0x14) g->bar[reg == 0x14] = value;
    c_guest_put(g, C_CONFIG_WRITE, 0, (uint64_t)reg, &value, (uint32_t)size);
    return 0;
}

static unsigned bar_of(const c_guest *g, uint64_t *address)
{
    const unsigned bar = *address >= (g->bar[1] & ~15u) && g->bar[1] > g->bar[0];
    *address -= g->bar[bar] & ~15u;
    return bar;
}

static int load(void *self, uint64_t address, void *to, uint32_t size)
{
    const unsigned bar = bar_of(self, &address);
    c_guest_get(self, C_READ, bar, address, to, size);
    return 0;
}

static int store(void *self, uint64_t address, const void *from, uint32_t size)
{
    const unsigned bar = bar_of(self, &address);
    c_guest_put(self, C_WRITE, bar, address, from, size);
    if (!head_is_free(self)) stop("the simulator leaves stores on the queue");
    return 0;
}

static int read32(void *self, uint64_t address, uint32_t *value) { return load(self, address, value, 4); }
static int read64(void *self, uint64_t address, uint64_t *value) { return load(self, address, value, 8); }
static int write32(void *self, uint64_t address, uint32_t value) { return store(self, address, &value, 4); }
static int write64(void *self, uint64_t address, uint64_t value) { return store(self, address, &value, 8); }
static int write_combined(void *self, uint64_t address, const void *from, size_t size)
{
    return store(self, address, from, (uint32_t)size);
}

static void mem_read(void *self, uint64_t address, void *to, size_t size)
{
    memcpy(to, ((c_guest *)self)->memory + address, size);
}

static void mem_write(void *self, uint64_t address, const void *from, size_t size)
{
    memcpy(((c_guest *)self)->memory + address, from, size);
}

static uint64_t mem_exchange64(void *self, uint64_t address, uint64_t value)
{
    uint64_t old;
    mem_read(self, address, &old, sizeof old);
    mem_write(self, address, &value, sizeof value);
    return old;
}

static uint64_t alloc(void *self, size_t size, size_t alignment)
{
    c_guest *g = self;
    return nx_bump_alloc(&g->next, C_GUEST_MEMORY, size, alignment);
}

static void release(void *self, uint64_t address, size_t size)
{
    c_guest *g = self;
    nx_bump_release(&g->next, address, size);
}

static void wait_a_little(void *self)
{
    c_guest *g = self;
    c_guest_wait(g, g->now + 200);
}

/* Messages since the interrupt was enabled: none is lost between that and this. */
static int wait_interrupt(void *self, uint64_t timeout_ns)
{
    c_guest *g = self;
    const uint64_t until = g->now + timeout_ns;
    while (g->interrupts == g->armed && g->now < until) wait_once(g, until);
    return g->interrupts == g->armed ? -1 : 0;
}

static uint64_t now(void *self) { return ((c_guest *)self)->now; }

struct nx_platform c_guest_platform(c_guest *g)
{
    return (struct nx_platform){.self = g,
                                .config_read = config_read,
                                .config_write = config_write,
                                .read32 = read32,
                                .write32 = write32,
                                .read64 = read64,
                                .write64 = write64,
                                .write_combined = write_combined,
                                .mem_read = mem_read,
                                .mem_write = mem_write,
                                .mem_exchange64 = mem_exchange64,
                                .alloc = alloc,
                                .release = release,
                                .wait = wait_a_little,
                                .wait_interrupt = wait_interrupt,
                                .now = now,
                                .window_base = 0xf0000000u,
                                .window_size = 0x0fffffffu};
}
