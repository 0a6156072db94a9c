/* What a hostile guest may send: messages of vhost-user and of time travel, and rings in its memory (make linux). Each
 * step is a byte and what it needs; a guest that is refused is at its end. */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/model/guest/time_travel.h"
#include "sim/model/guest/vhost_user.h"
#include "tb/fuzz/targets/target.h"

enum { FROM = 0x10000, SIZE = 0x10000, RING = 64, PLACES = 0x1000 /* of a ring */, TICKETS = 16 };
enum { MESSAGE, MEMORY, KICK, INTERRUPT, ANSWER, READ, TIME, RUN, COMMAND, STEPS };

typedef struct input {
    const uint8_t *at;
    size_t left;
} input;

typedef struct device {
    const guest_memory *memory;
    uint32_t ticket[TICKETS], size[TICKETS];
    unsigned open, sum;
} device;

static unsigned byte(input *in) { return in->left ? (in->left--, *in->at++) : 0; }
static unsigned word(input *in) { return byte(in) | byte(in) << 8; }
static void bytes(input *in, uint8_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] = (uint8_t)byte(in);
}

/* ---- a device that looks at all it gets */

static void plug(void *self, const guest_memory *m) { ((device *)self)->memory = m; }
static void unplug(void *self) { ((device *)self)->memory = NULL; }

static int access_device(void *self, const guest_access *a)
{
    device *d = self;
    const int config = a->operation == GUEST_CONFIG_READ || a->operation == GUEST_CONFIG_WRITE,
              write = a->operation == GUEST_CONFIG_WRITE || a->operation == GUEST_WRITE;
    CHECK(d->memory && a->operation >= GUEST_CONFIG_READ && a->operation <= GUEST_WRITE);
    CHECK(a->size && a->size <= (config ? 4u : (uint32_t)GUEST_LONGEST));
    CHECK(config ? a->at + a->size <= GUEST_CONFIG_BYTES : a->bar < GUEST_BARS);
    for (uint32_t i = 0; write && i < a->size; i++) d->sum += a->data[i];
    if (write) return 0;
    if (d->open == TICKETS) return -1;
    d->ticket[d->open] = a->ticket;
    d->size[d->open++] = a->size;
    return 0;
}

static void answer(device *d, vhost_user *v)
{
    static const uint8_t zeros[GUEST_LONGEST];
    if (!d->open) return;
    d->open--;
    vhost_user_answered(v, d->ticket[d->open], zeros, d->size[d->open]);
}

/* ---- what the guest does */

static int message(vhost_user *v, uint32_t request, const void *payload, uint32_t size, int fd)
{
    const vhost_user_header h = {request, 1, size};
    return vhost_user_take(v, &h, payload, &fd, fd >= 0);
}

/* As Linux begins. */
static void begin(vhost_user *v, int memory, int calls)
{
    const uint64_t region[5] = {1, FROM, SIZE, FROM, 0};
    CHECK(!message(v, 21, NULL, 0, dup(calls)) && !message(v, 5, region, sizeof region, dup(memory)));
    for (uint32_t q = 0; q < VHOST_USER_QUEUES; q++) {
        const uint64_t at = FROM + PLACES * q, place[5] = {q, at, at + 0x800, at + 0x400, 0};
        const uint32_t size[2] = {q, RING};
        CHECK(!message(v, 8, size, sizeof size, -1) && !message(v, 9, place, sizeof place, -1));
    }
}

static int any_message(vhost_user *v, input *in)
{
    uint8_t payload[VHOST_USER_PAYLOAD] = "";
    const vhost_user_header h = {byte(in) % 48, byte(in), byte(in)};
    bytes(in, payload, h.size);
    return vhost_user_take(v, &h, payload, NULL, 0);
}

static void change_memory(uint8_t *memory, input *in)
{
    const unsigned at = word(in), count = byte(in);
    if (at + count <= SIZE) bytes(in, memory + at, count);
}

/* One more chain of queue 0: a command of virt-pci, and where its answer goes. */
static int command(vhost_user *v, uint8_t *memory, input *in)
{
    static const uint32_t queue[2] = {0, 0};
    struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags, next;
    } d[2] = {{FROM + 0x4000, 16 + byte(in), (uint16_t)(byte(in) & 5), 1}, {FROM + 0x6000, word(in), 2, 0}};
    uint16_t index;
    memcpy(memory, d, sizeof d);
    bytes(in, memory + 0x4000, 40);
    memcpy(&index, memory + 0x402, 2);
    memcpy(memory + 0x404 + 2 * (index % RING), "\0", 2);
    index++;
    memcpy(memory + 0x402, &index, 2);
    return message(v, 35, queue, sizeof queue, -1);
}

static int time_message(time_travel *t, input *in)
{
    time_travel_message m = {byte(in) % 10, byte(in), word(in)};
    return time_travel_take(t, &m, 1000);
}

static int step(vhost_user *v, device *d, time_travel *t, uint8_t *memory, int far, input *in)
{
    uint8_t text[20];
    switch (byte(in) % STEPS) {
    case MESSAGE:
        return any_message(v, in);
    case MEMORY:
        change_memory(memory, in);
        return 0;
    case KICK:
        return message(v, 35, (const uint32_t[2]){byte(in) & 1, 0}, 8, -1);
    case INTERRUPT:
        return vhost_user_interrupt(v) < 0 ? -1 : 0;
    case ANSWER:
        answer(d, v);
        return 0;
    case READ:
        bytes(in, text, sizeof text);
        CHECK(send(far, text, sizeof text, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof text);
        return vhost_user_receive_answer(v) < 0 ? -1 : 0;
    case RUN:
        return t->waits ? time_travel_run(t, 1000, word(in)) : 0;
    case COMMAND:
        return command(v, memory, in);
    default:
        return time_message(t, in);
    }
}

FUZZ(guest)
{
    input in = {data, size};
    device d = {0};
    time_travel t = {.fd = -1};
    const guest_device device = {&d, plug, unplug, access_device};
    int calls[2], file = memfd_create("guest", MFD_CLOEXEC);
    CHECK(file >= 0 && !ftruncate(file, SIZE) && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, calls));
    uint8_t *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    vhost_user *v = vhost_user_new(-1, &device);
    CHECK(memory != MAP_FAILED && v);
    begin(v, file, calls[0]);
    while (in.left)
        if (step(v, &d, &t, memory, calls[1], &in)) {
            CHECK(fuzz_is_line(*t.error ? t.error : vhost_user_error(v)));
            CHECK(*t.error || *vhost_user_error(v));
            break;
        }
    vhost_user_free(v);
    CHECK(!d.memory);
    munmap(memory, SIZE);
    close(file);
    close(calls[0]);
    close(calls[1]);
}
