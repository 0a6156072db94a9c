// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The reader of a remote queue; see nx_sync.h. */
#include <stdlib.h>

#include "nx_sync_internal.h"

enum { NUMBERS = 8192 /* that messages have, modulo */ };

struct nx_rqueue {
    nx_sync *sync;
    nx_rqueue_params p;
    unsigned queue, log2_slots;
    uint64_t ring;
    unsigned next; /* number of the oldest message that is not done with */
    unsigned head; /* as the device knows it */
};

nx_rqueue_params nx_rqueue_params_default(void)
{
    return (nx_rqueue_params){.slots = 128, .slot_bytes = 512, .sources = 0xffff};
}

static unsigned log2_of(unsigned n)
{
    unsigned log2 = 0;
    while (n > 1u << log2) log2++;
    return log2;
}

static int is_power(unsigned n) { return n && !(n & (n - 1)); }

static uint64_t slot_of(const nx_rqueue *q, unsigned number)
{
    return q->ring + (uint64_t)(number % q->p.slots) * q->p.slot_bytes;
}

static unsigned phase_of(const nx_rqueue *q, unsigned number) { return !(number >> q->log2_slots & 1); }

static int put(nx_rqueue *q, unsigned offset, uint32_t value)
{
    return nx_register_write(q->sync->dev, offset + 32 * q->queue, value);
}

/* The first word of each slot gets the phase that its next message does not have. */
static void fill(nx_rqueue *q)
{
    const struct nx_platform *p = q->sync->dev->platform;
    for (unsigned i = 0; i < q->p.slots; i++) {
        const unsigned number = (q->next + i) % NUMBERS;
        uint8_t bytes[8];
        nx_put64(bytes, (uint64_t)!phase_of(q, number) << 63);
        p->mem_write(p->self, slot_of(q, number), bytes, 8);
    }
}

static int set_up(nx_rqueue *q)
{
    nx_device *dev = q->sync->dev;
    uint32_t tail;
    int error;
    if ((error = put(q, SYNC_QUEUE_SETUP, 0)) ||
        (error = nx_register_read(dev, SYNC_QUEUE_TAIL + 32 * q->queue, &tail)) ||
        (error = put(q, SYNC_QUEUE_BASE_LOW, (uint32_t)q->ring)) ||
        (error = put(q, SYNC_QUEUE_BASE_HIGH, (uint32_t)(q->ring >> 32))) ||
        (error = put(q, SYNC_QUEUE_SOURCES, q->p.sources)) || (error = put(q, SYNC_QUEUE_HEAD, tail)))
        return error;
    q->next = q->head = tail & (NUMBERS - 1);
    fill(q);
    return put(q, SYNC_QUEUE_SETUP,
               SYNC_QUEUE_SETUP_ENABLE_MASK | (q->p.interrupt ? SYNC_QUEUE_SETUP_INTERRUPT_MASK : 0) |
                   q->log2_slots << SYNC_QUEUE_SETUP_LOG2_SLOTS_SHIFT |
                   (log2_of(q->p.slot_bytes) - 6) << SYNC_QUEUE_SETUP_LOG2_SIZE_SHIFT);
}

int nx_rqueue_open(nx_sync *s, unsigned number, const nx_rqueue_params *params, nx_rqueue **result)
{
    const nx_rqueue_params p = params ? *params : nx_rqueue_params_default();
    const struct nx_platform *platform = s->dev->platform;
    nx_rqueue *q;
    int error;
    *result = NULL;
    if (number >= s->queues)
        return nx_fail(s->dev, NX_ERROR_ARGUMENT, "queue is %u, expected 0..%u", number, s->queues - 1);
    if (!is_power(p.slots) || p.slots < 2 || p.slots > 4096)
        return nx_fail(s->dev, NX_ERROR_ARGUMENT, "slots is %u, expected 2, 4, 8 .. 4096", p.slots);
    if (!is_power(p.slot_bytes) || p.slot_bytes < 64 || p.slot_bytes > 512)
        return nx_fail(s->dev, NX_ERROR_ARGUMENT, "slot_bytes is %u, expected 64, 128, 256 or 512", p.slot_bytes);
    if (p.sources >> NX_SYNC_NODES)
        return nx_fail(s->dev, NX_ERROR_ARGUMENT, "sources is 0x%x, expected some of 0..%d", (unsigned)p.sources,
                       NX_SYNC_NODES - 1);
    if (!(q = calloc(1, sizeof *q))) return nx_fail(s->dev, NX_ERROR_NO_MEMORY, "no memory for a queue");
    *q = (nx_rqueue){.sync = s, .p = p, .queue = number, .log2_slots = log2_of(p.slots)};
    const size_t bytes = (size_t)p.slots * p.slot_bytes;
    q->ring = platform->alloc(platform->self, bytes, bytes);
    error = q->ring
                ? set_up(q)
                : nx_fail(s->dev, NX_ERROR_NO_SPACE, "no bus memory for %u slots of %u bytes", p.slots, p.slot_bytes);
    if (!error) *result = q;
    else nx_rqueue_close(q);
    return error;
}

void nx_rqueue_close(nx_rqueue *q)
{
    uint32_t tail;
    if (!q) return;
    if (q->ring) {
        const struct nx_platform *p = q->sync->dev->platform;
        (void)put(q, SYNC_QUEUE_SETUP, 0);
        (void)nx_register_read(q->sync->dev, SYNC_QUEUE_TAIL + 32 * q->queue, &tail); /* pushes what it has written */
        p->release(p->self, q->ring, (size_t)q->p.slots * q->p.slot_bytes);
    }
    free(q);
}

int nx_rqueue_poll(nx_rqueue *q, nx_message *m)
{
    const uint64_t at = slot_of(q, q->next), word = nx_memory_get64(q->sync->dev, at);
    if (word >> 63 != phase_of(q, q->next)) return 0;
    *m = (nx_message){.address = at + 8,
                      .words = (unsigned)(word >> 32 & 0x3ff),
                      .source = (unsigned)(word >> 56 & 127),
                      .damaged = (int)(word >> 55 & 1),
                      .number = (unsigned)(word >> 16 & (NUMBERS - 1))};
    if (m->number == q->next) return 1;
    return nx_fail(q->sync->dev, NX_ERROR_DEVICE, "queue %u: slot %u has message %u, expected %u", q->queue,
                   q->next % q->p.slots, m->number, q->next);
}

struct slot {
    nx_rqueue *q;
    nx_message *m;
};

static int write_head(nx_rqueue *q)
{
    q->head = q->next;
    return put(q, SYNC_QUEUE_HEAD, q->next);
}

/* The device interrupts when a message comes into a queue that is empty as far as it knows. */
static int message_there(void *arg)
{
    struct slot *s = arg;
    const int there = nx_rqueue_poll(s->q, s->m);
    if (there || !s->q->p.interrupt || s->q->head == s->q->next) return there;
    return write_head(s->q);
}

int nx_rqueue_wait(nx_rqueue *q, nx_message *m)
{
    struct slot s = {q, m};
    const int result = nx_sync_wait(q->sync, message_there, &s, "waiting for a message");
    return result < 0 ? result : NX_OK;
}

int nx_rqueue_done(nx_rqueue *q)
{
    const unsigned often = q->p.slots < 8 ? 1 : q->p.slots / 4;
    q->next = (q->next + 1) % NUMBERS;
    if ((q->next - q->head) % NUMBERS < often) return NX_OK;
    return write_head(q);
}
