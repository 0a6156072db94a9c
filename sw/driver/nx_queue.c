// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Request queues: slots, posting, departures. See nx.h.
 *
 * Slot accounting: a queue has `posted - departed - lost` slots in use, all three free-running modulo 2^32. `departed`
 * comes from the local notification word in memory, read only when it matters; the driver sees to it that a descriptor
 * asks for one every notify_every slots. `lost` (skipped as illegal, or abandoned because a read failed) comes from
 * QUEUE_SKIPPED and is looked at when nothing has moved for some rounds (NX_SLOW, NX_UNTOLD), and before a wait
 * succeeds: the notification of a lost descriptor never comes, so counting departures alone would leak its slot for
 * ever.
 */
#include <stdio.h>
#include <string.h>

#include "nx_internal.h"
#include "nx_operation.h"

#define FLAG_AUTO (1u << 16) /* start flag if this slot completes a cluster */
#define FLAG_END (1u << 17)  /* a release lets descriptors leave up to this one */

static uint32_t in_use(const struct nx_queue *q) { return q->posted - q->departed - q->lost; }

static int reached(const struct nx_queue *q, uint32_t position)
{
    return q->departed + q->lost - position <= UINT32_MAX / 2;
}

int nx_queues_start(nx_device *dev)
{
    uint8_t zero[NX_SOURCES * 8] = {0};
    dev->platform->mem_write(dev->platform->self, dev->remote_words, zero, sizeof zero);
    for (unsigned i = 0; i < dev->queues; i++) {
        struct nx_queue *q = &dev->queue[i];
        uint8_t word[8];
        uint32_t pointers;
        int error;
        memset(q, 0, sizeof *q);
        if ((error = nx_register_read(dev, NIC_QUEUE_DEPARTED + 4 * i, &q->departed)) ||
            (error = nx_register_read(dev, NIC_QUEUE_SKIPPED + 4 * i, &q->lost)) ||
            (error = nx_register_read(dev, NIC_QUEUE_POINTERS + 4 * i, &pointers)))
            return error;
        q->posted = q->notified = q->released = q->departed + q->lost;
        q->lost_at_open = q->lost;
        q->slot = (pointers & NIC_QUEUE_POINTERS_TAIL_MASK) >> NIC_QUEUE_POINTERS_TAIL_SHIFT;
        if (q->slot >= dev->depth ||
            q->slot != (pointers & NIC_QUEUE_POINTERS_HEAD_MASK) >> NIC_QUEUE_POINTERS_HEAD_SHIFT)
            return nx_fail(dev, NX_ERROR_DEVICE,
                           "queue %u: QUEUE_POINTERS reads 0x%08x after reset, expected head = tail below %u", i,
                           (unsigned)pointers, dev->depth);
        nx_put64(word, q->departed);
        dev->platform->mem_write(dev->platform->self, dev->local_words + 8 * i, word, 8);
    }
    return NX_OK;
}

/* ---- departures */

static int advance(nx_device *dev, unsigned flow, uint32_t departed, const char *where)
{
    struct nx_queue *q = &dev->queue[flow];
    uint32_t more = departed - q->departed;
    if (more > UINT32_MAX / 2) return NX_OK; /* older than what a register said: no news */
    if (more > in_use(q))
        return nx_fail(dev, NX_ERROR_DEVICE, "flow %u: %s says %u descriptors have departed, expected at most %u", flow,
                       where, (unsigned)departed, (unsigned)(q->departed + in_use(q)));
    q->departed = departed;
    return NX_OK;
}

static int read_memory(nx_device *dev, unsigned flow)
{
    uint64_t word = nx_memory_get64(dev, dev->local_words + 8 * flow);
    if (word >> 32)
        return nx_fail(dev, NX_ERROR_DEVICE,
                       "flow %u: the local notification word is 0x%016llx, expected a 32-bit count", flow,
                       (unsigned long long)word);
    return advance(dev, flow, (uint32_t)word, "the local notification word");
}

/* Losses only. */
static int read_lost(nx_device *dev, unsigned flow)
{
    struct nx_queue *q = &dev->queue[flow];
    uint32_t lost;
    int error = nx_register_read(dev, NIC_QUEUE_SKIPPED + 4 * flow, &lost);
    if (error) return error;
    if (lost - q->lost > in_use(q))
        return nx_fail(dev, NX_ERROR_DEVICE,
                       "flow %u: QUEUE_SKIPPED says %u descriptors were lost, expected at most %u", flow,
                       (unsigned)lost, (unsigned)(q->lost + in_use(q)));
    q->lost = lost;
    return NX_OK;
}

/* Both counts from the device itself: when the notification of a lost descriptor will never come, or none was asked
 * for. */
static int read_registers(nx_device *dev, unsigned flow)
{
    uint32_t departed;
    int error;
    if ((error = nx_register_read(dev, NIC_QUEUE_DEPARTED + 4 * flow, &departed))) return error;
    if ((error = advance(dev, flow, departed, "QUEUE_DEPARTED"))) return error;
    return read_lost(dev, flow);
}

static int abandoned(nx_device *dev, unsigned flow, uint32_t lost_before)
{
    char names[256];
    uint32_t status = 0;
    if (nx_register_read(dev, NIC_STATUS, &status)) return NX_ERROR_BUS;
    nx_status_names(status, names, sizeof names);
    return nx_fail(dev, NX_ERROR_ABANDONED,
                   "flow %u: %u descriptors skipped or abandoned by the device; STATUS 0x%03x: %s", flow,
                   (unsigned)(dev->queue[flow].lost - lost_before), (unsigned)status, names);
}

static int stuck(nx_device *dev, unsigned flow, const char *what)
{
    struct nx_queue *q = &dev->queue[flow];
    char names[256];
    uint32_t status = 0, link = 0, pointers = 0;
    if (nx_register_read(dev, NIC_STATUS, &status) || nx_register_read(dev, NIC_LINK_STATUS, &link) ||
        nx_register_read(dev, NIC_QUEUE_POINTERS + 4 * flow, &pointers))
        return NX_ERROR_BUS;
    nx_status_names(status, names, sizeof names);
    return nx_fail(dev, NX_ERROR_TIMEOUT,
                   "flow %u: %s: nothing departed for %llu us; posted %u departed %u lost %u head %u tail %u STATUS "
                   "0x%03x: %s, link %s",
                   flow, what, (unsigned long long)(dev->params.timeout_ns / 1000), (unsigned)q->posted,
                   (unsigned)q->departed, (unsigned)q->lost,
                   (unsigned)(pointers >> NIC_QUEUE_POINTERS_HEAD_SHIFT & 0x7f),
                   (unsigned)(pointers >> NIC_QUEUE_POINTERS_TAIL_SHIFT & 0x7f), (unsigned)status, names,
                   link & NIC_LINK_STATUS_UP_MASK ? "up" : "down");
}

/* One wait for departures. */
struct wait {
    unsigned flow, rounds;
    uint32_t seen, lost;
    uint64_t since;
};

static void wait_start(nx_device *dev, struct wait *w, unsigned flow, uint32_t lost)
{
    w->flow = flow;
    w->rounds = 0;
    w->seen = dev->queue[flow].departed;
    w->lost = lost;
    w->since = dev->platform->now(dev->platform->self);
}

/* One round: lets others run, then looks again. Called and returns with the lock held. */
static int wait_round(nx_device *dev, struct wait *w, const char *what)
{
    struct nx_queue *q = &dev->queue[w->flow];
    int error, pending;
    nx_unlock(dev);
    dev->waits.idles++;
    dev->platform->wait(dev->platform->self);
    nx_lock(dev);
    if ((error = read_memory(dev, w->flow))) return error;
    pending = q->notified - q->departed - q->lost - 1 < in_use(q);
    if (q->departed == w->seen && ++w->rounds % (pending ? NX_SLOW : NX_UNTOLD) == 0 &&
        (error = read_registers(dev, w->flow)))
        return error;
    if (q->lost != w->lost) {
        if ((error = read_registers(dev, w->flow))) return error;
        return abandoned(dev, w->flow, w->lost);
    }
    if (q->departed != w->seen) {
        w->seen = q->departed;
        w->rounds = 0;
        w->since = dev->platform->now(dev->platform->self);
        return NX_OK;
    }
    if (dev->platform->now(dev->platform->self) - w->since > dev->params.timeout_ns) return stuck(dev, w->flow, what);
    return NX_OK;
}

/* ---- posting */

static int write_bytes(nx_device *dev, uint64_t address, const uint8_t *bytes, unsigned size)
{
    const struct nx_platform *p = dev->platform;
    int bad = 0;
    if (dev->params.posting == NX_POST_COMBINED) {
        bad = p->write_combined(p->self, address, bytes, size) < 0;
    } else if (dev->params.posting == NX_POST_STORES64) {
        for (unsigned i = 0; i < size && !bad; i += 8) bad = p->write64(p->self, address + i, nx_get64(bytes + i)) < 0;
    } else {
        for (unsigned i = 0; i < size && !bad; i += 4) {
            uint32_t word =
                bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;
            bad = p->write32(p->self, address + i, word) < 0;
        }
    }
    if (bad)
        return nx_fail(dev, NX_ERROR_BUS, "write of %u bytes of descriptors at 0x%llx failed", size,
                       (unsigned long long)address);
    return NX_OK;
}

/* Descriptors waiting in the driver's line go to the device together. The device serves nothing before a start flag has
 * come, so lines without one may stay in the processor's buffers. `start`: there is one in this line. The descriptors
 * it releases must be complete first where the device cannot check: data in memory (descriptors it does check, by their
 * written bits); and it must not linger. */
static int flush_line(nx_device *dev, unsigned flow, int start)
{
    struct nx_queue *q = &dev->queue[flow];
    unsigned first = q->staged_first, count = q->staged_count;
    uint64_t address = dev->registers + NX_QUEUE_WINDOW + ((uint64_t)flow * dev->depth + first) * NX_DESCRIPTOR_BYTES;
    int error;
    if (!count) return NX_OK;
    q->staged_count = 0;
    start = start && dev->params.posting == NX_POST_COMBINED;
    if (start && (error = nx_fence(dev))) return error;
    if ((error = write_bytes(dev, address, q->line, count * NX_DESCRIPTOR_BYTES))) return error;
    return start ? nx_fence(dev) : NX_OK;
}

/* The device keeps the time of creation where the high half of an address is. */
static int check_stamped(nx_device *dev, uint64_t source, uint64_t bytes)
{
    if (!dev->time_stamps || (source <= UINT32_MAX && bytes <= ((uint64_t)1 << 32) - source)) return NX_OK;
    return nx_fail(dev, NX_ERROR_ARGUMENT,
                   "source 0x%llx + 0x%llx bytes, expected an end at or below 4 GB with time stamps",
                   (unsigned long long)source, (unsigned long long)bytes);
}

/* A destination that is an operation, and what else only a device with SYNC takes. */
static int check_sync(nx_device *dev, const nx_descriptor *d)
{
    const unsigned limit =
        dev->params.payload_words < NX_OPERATION_WORDS ? dev->params.payload_words : NX_OPERATION_WORDS;
    if (!dev->sync)
        return nx_fail(dev, NX_ERROR_ARGUMENT,
                       "an operation, an immediate or a group, expected a device with SYNC (rtl/sync)");
    if (d->flags & NX_IMMEDIATE && d->words != 1)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "length is %u words, expected 1 of an immediate", d->words);
    if (!(d->flags & NX_OPERATION)) return NX_OK;
    if (!(d->destination & 1))
        return nx_fail(dev, NX_ERROR_ARGUMENT, "destination 0x%x, expected an operation: bit 0 is 1",
                       (unsigned)d->destination);
    if (d->words > limit)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "length is %u words, expected 1..%u of an operation, one packet",
                       d->words, limit);
    return NX_OK;
}

static int check(nx_device *dev, const nx_descriptor *d)
{
    const unsigned operation = d->flags & NX_OPERATION, immediate = d->flags & NX_IMMEDIATE;
    int error;
    if (d->flow >= dev->queues)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "flow is %u, expected 0..%u", d->flow, dev->queues - 1);
    if (d->words < 1 || d->words > 512)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "length is %u words, expected 1..512", d->words);
    if (d->flags & (NX_OPERATION | NX_IMMEDIATE | NX_GROUP_MASK) && (error = check_sync(dev, d))) return error;
    if ((d->source % 8 && !immediate) || (d->destination % 8 && !operation))
        return nx_fail(dev, NX_ERROR_ARGUMENT, "source 0x%llx, destination 0x%llx, expected multiples of 8",
                       (unsigned long long)d->source, (unsigned long long)d->destination);
    if (!operation && (uint64_t)d->destination + d->words * 8 > (uint64_t)1 << 32)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "destination 0x%llx + %u bytes, expected an end at or below 4 GB",
                       (unsigned long long)d->destination, d->words * 8);
    return immediate ? NX_OK : check_stamped(dev, d->source, d->words * 8);
}

/* With the lock held and a slot free. */
static int put(nx_device *dev, const nx_descriptor *d, nx_ticket *ticket)
{
    struct nx_queue *q = &dev->queue[d->flow];
    unsigned flags = d->flags, slot = q->slot;
    uint8_t *at;
    if (flags & FLAG_AUTO && (slot + 1) % dev->params.cluster == 0) flags |= NX_START;
    if (q->posted + 1 - q->released >= nx_slots(dev)) flags |= NX_START; /* nothing else could ever free a slot */
    if (q->posted + 1 - q->notified >= dev->params.notify_every) flags |= NX_LOCAL;

    if (!q->staged_count) q->staged_first = slot;
    at = q->line + q->staged_count++ * NX_DESCRIPTOR_BYTES;
    nx_put64(at, d->source);
    nx_put64(at + 8, (uint64_t) !!(flags & NX_REMOTE) << 62 | (uint64_t) !!(flags & NX_LOCAL) << 61 |
                         (uint64_t) !!(flags & NX_INTERRUPT) << 60 | (uint64_t) !!(flags & NX_START) << 59 |
                         (uint64_t)d->flow << 52 | (uint64_t)d->words << 32 | d->destination |
                         (uint64_t) !!(flags & NX_OPERATION) << 63 | (uint64_t) !!(flags & NX_IMMEDIATE) << 51 |
                         (uint64_t) !!(flags & FLAG_END) << 50 | (uint64_t)(flags & NX_GROUP_MASK) / NX_GROUP(1) << 42);
    q->posted++;
    q->slot = slot + 1 == dev->depth ? 0 : slot + 1;
    if (flags & NX_START) q->released = q->posted;
    if (flags & NX_LOCAL) q->notified = q->posted;
    if (ticket) *ticket = (nx_ticket){.flow = d->flow, .position = q->posted, .lost = q->lost};
    if (dev->params.posting != NX_POST_COMBINED || flags & NX_START ||
        q->slot % (NX_LINE_BYTES / NX_DESCRIPTOR_BYTES) == 0)
        return flush_line(dev, d->flow, (flags & NX_START) != 0);
    return NX_OK;
}

/* A prepared cluster has left, or there was none. A start flag behind it would release it too early. */
static int prepared_left(const struct nx_queue *q) { return !q->prepared || reached(q, q->prepared_end); }

/* With the lock held: a slot is free, and no prepared cluster waits unless `prepared`. */
static int wait_slot(nx_device *dev, unsigned flow, int prepared)
{
    struct nx_queue *q = &dev->queue[flow];
    struct wait w;
    int error;
    if (prepared_left(q)) q->prepared = 0;
    if (in_use(q) < nx_slots(dev) && (prepared || !q->prepared)) return NX_OK;
    wait_start(dev, &w, flow, q->lost);
    error = read_memory(dev, flow);
    while (!error && in_use(q) >= nx_slots(dev)) error = wait_round(dev, &w, "waiting for a slot");
    while (!error && !prepared && !prepared_left(q)) error = wait_round(dev, &w, "waiting for a prepared cluster");
    return error;
}

int nx_post(nx_device *dev, const nx_descriptor *d, nx_ticket *ticket)
{
    int error;
    if ((error = check(dev, d))) return error;
    nx_lock(dev);
    if (!(error = wait_slot(dev, d->flow, 0))) error = put(dev, d, ticket);
    nx_unlock(dev);
    return error;
}

int nx_prepare(nx_device *dev, const nx_descriptor *d, unsigned count, nx_ticket *ticket)
{
    struct nx_queue *q;
    int error;
    for (unsigned i = 0; i < count; i++) {
        if ((error = check(dev, &d[i]))) return error;
        if (d[i].flow != d->flow || d[i].flags & NX_START || !dev->sync)
            return nx_fail(dev, NX_ERROR_ARGUMENT,
                           "descriptor %u: flow %u%s, expected flow %u without a start flag, in a device with SYNC", i,
                           d[i].flow, d[i].flags & NX_START ? " with a start flag" : "", d->flow);
    }
    if (!count) return nx_fail(dev, NX_ERROR_ARGUMENT, "a cluster of 0 descriptors, expected one at least");
    q = &dev->queue[d->flow];
    nx_lock(dev);
    error = wait_slot(dev, d->flow, 1);
    if (!error && in_use(q) + count >= nx_slots(dev)) error = read_memory(dev, d->flow);
    if (!error && in_use(q) + count >= nx_slots(dev))
        error = nx_fail(dev, NX_ERROR_NO_SPACE,
                        "flow %u: a cluster of %u descriptors, expected less than %u: %u are on "
                        "their way",
                        d->flow, count, nx_slots(dev), (unsigned)in_use(q));
    for (unsigned i = 0; i < count && !error; i++) {
        nx_descriptor one = d[i];
        if (i + 1 == count) one.flags |= NX_LOCAL | FLAG_END; /* the notification shows when it has left */
        error = put(dev, &one, ticket);
    }
    if (!error) error = flush_line(dev, d->flow, 1);
    if (!error) error = nx_fence(dev);
    if (!error) {
        q->released = q->prepared_end = q->posted;
        q->prepared = 1;
    }
    nx_unlock(dev);
    return error;
}

int nx_post_reserved(nx_device *dev, const nx_descriptor *d, nx_ticket *ticket)
{
    nx_lock(dev);
    int error = put(dev, d, ticket);
    nx_unlock(dev);
    return error;
}

int nx_transfer(nx_device *dev, unsigned flow, uint64_t source, uint32_t destination, uint64_t bytes, unsigned flags,
                nx_ticket *ticket)
{
    uint64_t left = (bytes + 7) & ~(uint64_t)7;
    if (flow >= dev->queues)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "flow is %u, expected 0..%u", flow, dev->queues - 1);
    if (destination + left > (uint64_t)1 << 32 || left < bytes)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "destination 0x%llx + 0x%llx bytes, expected an end at or below 4 GB",
                       (unsigned long long)destination, (unsigned long long)bytes);
    if (check_stamped(dev, source, left)) return NX_ERROR_ARGUMENT;
    if (!left) {
        if (flags & (NX_REMOTE | NX_LOCAL | NX_INTERRUPT))
            return nx_fail(dev, NX_ERROR_ARGUMENT,
                           "a notification for 0 bytes, expected at least one: nothing is sent that could carry it");
        nx_lock(dev);
        if (ticket)
            *ticket = (nx_ticket){.flow = flow, .position = dev->queue[flow].released, .lost = dev->queue[flow].lost};
        nx_unlock(dev);
        return NX_OK;
    }
    while (left) {
        unsigned size = left < dev->params.transfer_bytes ? (unsigned)left : dev->params.transfer_bytes;
        nx_descriptor d = {.source = source,
                           .destination = destination,
                           .words = size / 8,
                           .flow = flow,
                           .flags = FLAG_AUTO | (flags & NX_GROUP_MASK)};
        int error;
        if (size == left) d.flags |= (flags & (NX_REMOTE | NX_LOCAL | NX_INTERRUPT)) | (flags & NX_HOLD ? 0 : NX_START);
        if ((error = nx_post(dev, &d, size == left ? ticket : NULL))) return error;
        source += size;
        destination += size;
        left -= size;
    }
    return NX_OK;
}

/* ---- completion */

static int free_slots(const nx_device *dev, unsigned flow)
{
    uint32_t used = in_use(&dev->queue[flow]);
    return used < nx_slots(dev) ? (int)(nx_slots(dev) - used) : 0;
}

int nx_free_slots(nx_device *dev, unsigned flow)
{
    int result;
    if (flow >= dev->queues)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "flow is %u, expected 0..%u", flow, dev->queues - 1);
    nx_lock(dev);
    result = read_memory(dev, flow);
    if (!result) result = free_slots(dev, flow);
    nx_unlock(dev);
    return result;
}

int nx_free_slots_now(nx_device *dev, unsigned flow, uint32_t *lost)
{
    int result;
    if (flow >= dev->queues)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "flow is %u, expected 0..%u", flow, dev->queues - 1);
    nx_lock(dev);
    result = read_registers(dev, flow);
    *lost = dev->queue[flow].lost;
    if (!result) result = free_slots(dev, flow);
    nx_unlock(dev);
    return result;
}

int nx_done(nx_device *dev, const nx_ticket *ticket)
{
    int result;
    nx_lock(dev);
    result = read_memory(dev, ticket->flow);
    if (!result) result = reached(&dev->queue[ticket->flow], ticket->position);
    nx_unlock(dev);
    return result;
}

int nx_wait(nx_device *dev, const nx_ticket *ticket)
{
    struct nx_queue *q = &dev->queue[ticket->flow];
    struct wait w;
    int error;
    nx_lock(dev);
    if (ticket->position - q->released - 1 < UINT32_MAX / 2) {
        error = nx_fail(dev, NX_ERROR_ARGUMENT,
                        "flow %u: descriptor %u has not been started, expected NX_START before the wait", ticket->flow,
                        (unsigned)ticket->position);
    } else {
        wait_start(dev, &w, ticket->flow, ticket->lost);
        error = read_memory(dev, ticket->flow);
        while (!error && !reached(q, ticket->position)) error = wait_round(dev, &w, "waiting for departure");
        if (!error) error = read_lost(dev, ticket->flow);
        if (!error && q->lost != ticket->lost) error = abandoned(dev, ticket->flow, ticket->lost);
    }
    nx_unlock(dev);
    return error;
}

int nx_drain(nx_device *dev, unsigned flow)
{
    nx_ticket ticket;
    if (flow >= dev->queues)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "flow is %u, expected 0..%u", flow, dev->queues - 1);
    ticket = (nx_ticket){.flow = flow, .position = dev->queue[flow].posted, .lost = dev->queue[flow].lost};
    return nx_wait(dev, &ticket);
}
