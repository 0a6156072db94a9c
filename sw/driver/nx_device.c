// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Life of a device: open, reset, set-up, close; register access. See nx.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nx_internal.h"

nx_params nx_params_default(void)
{
    nx_params p = {.direct = 1,
                   .payload_words = 62,
                   .posting = NX_POST_COMBINED,
                   .timeout_ns = 100u * 1000 * 1000,
                   .interrupt_slice_ns = 50 * 1000};
    return p;
}

int nx_fail(nx_device *dev, int error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(dev->error, sizeof dev->error, format, list);
    va_end(list);
    return error;
}

void nx_lock(nx_device *dev)
{
    if (dev->platform->lock) {
        dev->platform->lock(dev->platform->self);
        return;
    }
    while (dev->locked) dev->platform->wait(dev->platform->self);
    dev->locked = 1;
}

void nx_unlock(nx_device *dev)
{
    if (dev->platform->unlock) dev->platform->unlock(dev->platform->self);
    else dev->locked = 0;
}

uint64_t nx_memory_get64(nx_device *dev, uint64_t address)
{
    uint8_t bytes[8];
    dev->platform->mem_read(dev->platform->self, address, bytes, 8);
    return nx_get64(bytes);
}

int nx_register_read(nx_device *dev, unsigned offset, uint32_t *value)
{
    if (dev->platform->read32(dev->platform->self, dev->registers + offset, value) < 0)
        return nx_fail(dev, NX_ERROR_BUS, "read of the register at 0x%03x failed", offset);
    return NX_OK;
}

int nx_register_write(nx_device *dev, unsigned offset, uint32_t value)
{
    if (dev->platform->write32(dev->platform->self, dev->registers + offset, value) < 0)
        return nx_fail(dev, NX_ERROR_BUS, "write of 0x%08x to the register at 0x%03x failed", (unsigned)value, offset);
    return NX_OK;
}

int nx_fence(nx_device *dev)
{
    if (dev->platform->fence && dev->platform->fence(dev->platform->self) < 0)
        return nx_fail(dev, NX_ERROR_BUS, "a write through the write-combining buffers failed");
    return NX_OK;
}

/* Fills in the defaults that depend on others or on the device. */
static int check_params(nx_device *dev)
{
    nx_params *p = &dev->params;
    if (p->node_id > 127) return nx_fail(dev, NX_ERROR_ARGUMENT, "node_id is %u, expected 0..127", p->node_id);
    if (p->payload_words < 1 || p->payload_words > 512)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "payload_words is %u, expected 1..512", p->payload_words);
    if (!p->transfer_bytes) p->transfer_bytes = 512 / p->payload_words * p->payload_words * 8;
    if (p->transfer_bytes > 4096 || p->transfer_bytes % 8)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "transfer_bytes is %u, expected a multiple of 8 from 8 to 4096",
                       p->transfer_bytes);
    if (p->posting > NX_POST_COMBINED)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "posting is %d, expected an nx_posting", (int)p->posting);
    if (p->posting == NX_POST_COMBINED && !dev->platform->write_combined) p->posting = NX_POST_STORES32;
    if (!p->cluster) p->cluster = p->posting == NX_POST_COMBINED ? NX_LINE_BYTES / NX_DESCRIPTOR_BYTES : 1;
    if (p->cluster > 128) return nx_fail(dev, NX_ERROR_ARGUMENT, "cluster is %u, expected 1..128", p->cluster);
    if (!p->slots) p->slots = dev->depth;
    if (p->slots < 2 || p->slots > dev->depth)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "slots is %u, expected 2..%u", p->slots, dev->depth);
    if (!p->notify_every) p->notify_every = p->slots < 4 ? 1 : p->slots / 4;
    if (p->tx_capacity > NX_CAPACITY_MAX)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "tx_capacity is %u, expected 0..%u", p->tx_capacity, NX_CAPACITY_MAX);
    if (!p->tx_capacity) p->tx_capacity = p->direct ? dev->buffer_units : NX_CROSSPOINT_UNITS;
    /* By packet the longest packet must fit into the buffer of one link, here and behind it, whatever the last credit
     * has left open: credits count in steps of 32 units, and all packets have an even number of them. */
    unsigned buffer = p->tx_capacity < dev->buffer_units ? p->tx_capacity : dev->buffer_units,
             most = buffer < 36 ? 0 : (buffer - 34) / 2;
    if (nx_paths(dev) > 1 && p->payload_words > most)
        return nx_fail(dev, NX_ERROR_ARGUMENT,
                       "payload_words is %u, expected at most %u, what a buffer of %u units always takes",
                       p->payload_words, most, buffer);
    if (p->loopback > 3) return nx_fail(dev, NX_ERROR_ARGUMENT, "loopback is %u, expected 0..3", p->loopback);
    return NX_OK;
}

/* Bits of CONTROL that keep their value while packets are on their way. */
#define HELD (NIC_CONTROL_DIRECT_MASK | NIC_CONTROL_TIME_STAMPS_MASK)

static uint32_t control(const nx_params *p)
{
    return (uint32_t)p->loopback << NIC_CONTROL_LOOPBACK_SHIFT |
           (p->store_and_forward ? NIC_CONTROL_STORE_AND_FORWARD_MASK : 0) |
           (p->sequence_zero ? NIC_CONTROL_SEQUENCE_ZERO_MASK : 0) | (p->direct ? NIC_CONTROL_DIRECT_MASK : 0);
}

/* `control_then`: what CONTROL reads when it is over. */
static int wait_reset(nx_device *dev, uint32_t *control_then)
{
    uint64_t start = dev->platform->now(dev->platform->self);
    uint32_t value;
    int error;
    for (;;) {
        if ((error = nx_register_read(dev, NIC_CONTROL, &value))) return error;
        *control_then = value;
        if (!(value & (NIC_CONTROL_SOFT_RESET_MASK | NIC_CONTROL_QUEUE_RESET_MASK))) return NX_OK;
        if (dev->platform->now(dev->platform->self) - start > dev->params.timeout_ns)
            return nx_fail(dev, NX_ERROR_TIMEOUT,
                           "reset: CONTROL reads 0x%08x after %llu us, expected bits 24 and 4 to fall", (unsigned)value,
                           (unsigned long long)(dev->params.timeout_ns / 1000));
        dev->platform->wait(dev->platform->self);
    }
}

/* The device refuses to change DIRECT and TIME_STAMPS while packets stand before the link, and a software reset leaves
 * those there. */
static int wait_mode(nx_device *dev, uint32_t mode)
{
    uint64_t start = dev->platform->now(dev->platform->self);
    uint32_t value;
    int error;
    for (;;) {
        if ((error = nx_register_write(dev, NIC_CONTROL, mode)) || (error = nx_register_read(dev, NIC_CONTROL, &value)))
            return error;
        if (!((value ^ mode) & HELD))
            return nx_register_write(dev, NIC_STATUS, NIC_STATUS_DIRECT_REFUSED_MASK | NIC_STATUS_STAMPS_REFUSED_MASK);
        if (dev->platform->now(dev->platform->self) - start > dev->params.timeout_ns)
            return nx_fail(dev, NX_ERROR_TIMEOUT,
                           "CONTROL reads 0x%08x after %llu us, expected DIRECT = %d, TIME_STAMPS = 0: packets of "
                           "before the reset have not left",
                           (unsigned)value, (unsigned long long)(dev->params.timeout_ns / 1000), dev->params.direct);
        dev->platform->wait(dev->platform->self);
    }
}

/* Resets the device and programs every register the driver uses. */
static int set_up(nx_device *dev)
{
    const nx_params *p = &dev->params;
    uint32_t mode = control(p), value;
    int error;
    /* a descriptor that still stands in the processor must not come out behind the reset */
    if ((error = nx_fence(dev))) return error;
    /* the initiator is off while the queues are reset, the link keeps its mode */
    if ((error = nx_register_write(dev, NIC_CONTROL, mode)) ||
        (error = nx_register_write(dev, NIC_CONTROL, mode | NIC_CONTROL_SOFT_RESET_MASK)) ||
        (error = wait_reset(dev, &value)) ||
        (error = nx_register_write(dev, NIC_CONTROL, mode | NIC_CONTROL_QUEUE_RESET_MASK)) ||
        (error = wait_reset(dev, &value)) || ((value ^ mode) & HELD && (error = wait_mode(dev, mode))) ||
        (error = nx_register_write(dev, NIC_NODE_ID, p->node_id)) ||
        (error = nx_register_write(dev, NIC_PAYLOAD_LIMIT, p->payload_words)) ||
        (error = nx_register_write(dev, NIC_TX_CAPACITY, p->tx_capacity)) ||
        (error = nx_register_write(dev, NIC_REMOTE_NOTIFY_LOW, (uint32_t)dev->remote_words)) ||
        (error = nx_register_write(dev, NIC_REMOTE_NOTIFY_HIGH, (uint32_t)(dev->remote_words >> 32))) ||
        (error = nx_register_write(dev, NIC_LOCAL_NOTIFY_LOW, (uint32_t)dev->local_words)) ||
        (error = nx_register_write(dev, NIC_LOCAL_NOTIFY_HIGH, (uint32_t)(dev->local_words >> 32))))
        return error;
    if ((error = nx_register_read(dev, NIC_NODE_ID, &value))) return error;
    if (value != p->node_id)
        return nx_fail(dev, NX_ERROR_DEVICE, "NODE_ID reads 0x%08x, expected the %u written", (unsigned)value,
                       p->node_id);
    if ((error = nx_queues_start(dev))) return error;
    nx_path_restart(dev);
    dev->time_stamps = 0;
    return nx_register_write(dev, NIC_CONTROL, mode | NIC_CONTROL_INITIATOR_ENABLE_MASK);
}

static int identify(nx_device *dev)
{
    uint32_t version, build;
    int error;
    if ((error = nx_register_read(dev, NIC_VERSION, &version)) || (error = nx_register_read(dev, NIC_BUILD, &build)))
        return error;
    if (version != NIC_VERSION_RESET)
        return nx_fail(dev, NX_ERROR_DEVICE, "VERSION reads 0x%08x, expected 0x%08x", (unsigned)version,
                       NIC_VERSION_RESET);
    dev->queues = (build & NIC_BUILD_QUEUES_MASK) >> NIC_BUILD_QUEUES_SHIFT;
    if (!dev->queues) dev->queues = 16; /* of four bits */
    dev->depth = (build & NIC_BUILD_QUEUE_DEPTH_MASK) >> NIC_BUILD_QUEUE_DEPTH_SHIFT;
    dev->build = build;
    dev->buffer_units = 2 * ((build & NIC_BUILD_FIFO_WORDS_MASK) >> NIC_BUILD_FIFO_WORDS_SHIFT);
    if (dev->buffer_units > NX_CAPACITY_MAX) dev->buffer_units = NX_CAPACITY_MAX;
    if (dev->depth < 4 || dev->depth % 4 || dev->queues * dev->depth * NX_DESCRIPTOR_BYTES > NX_QUEUE_WINDOW)
        return nx_fail(dev, NX_ERROR_DEVICE,
                       "BUILD reads 0x%08x: %u queues of %u descriptors, expected at most 1024 descriptors",
                       (unsigned)build, dev->queues, dev->depth);
    return NX_OK;
}

int nx_open(const struct nx_platform *platform, const nx_function *function, const nx_params *params,
            nx_device **result)
{
    nx_device *dev = calloc(1, sizeof *dev);
    int error;
    *result = dev;
    if (!dev) return NX_ERROR_NO_MEMORY;
    dev->platform = platform;
    dev->params = params ? *params : nx_params_default();
    if (!function) return nx_fail(dev, NX_ERROR_NO_DEVICE, "no device given, expected a function found by nx_bus_scan");
    dev->function = *function;
    if (function->vendor_id != NX_VENDOR_ID || function->device_id != NX_DEVICE_ID)
        return nx_fail(dev, NX_ERROR_NO_DEVICE, "device %d is %04x:%04x, expected %04x:%04x", function->device,
                       function->vendor_id, function->device_id, NX_VENDOR_ID, NX_DEVICE_ID);
    if (!function->bar[1].address || function->bar[1].size < 2 * NX_QUEUE_WINDOW)
        return nx_fail(dev, NX_ERROR_DEVICE,
                       "device %d: BAR 1 has 0x%llx bytes at 0x%llx, expected at least 0x8000 at a place of their own",
                       function->device, (unsigned long long)function->bar[1].size,
                       (unsigned long long)function->bar[1].address);
    dev->registers = function->bar[1].address;
    if ((error = identify(dev)) || (error = check_params(dev))) return error;
    dev->remote_words = platform->alloc(platform->self, 4096, 4096);
    if (!dev->remote_words)
        return nx_fail(dev, NX_ERROR_NO_SPACE, "no bus memory for 4096 bytes of notification words");
    dev->local_words = dev->remote_words + NX_SOURCES * 8;
    static const uint8_t zero[4096];
    platform->mem_write(platform->self, dev->remote_words, zero, sizeof zero);
    if ((error = nx_path_all(dev))) return error;
    return set_up(dev);
}

int nx_reset(nx_device *dev) { return set_up(dev); }

void nx_close(nx_device *dev)
{
    if (!dev) return;
    if (dev->remote_words) {
        uint32_t mode = control(&dev->params), value;
        /* the software reset also ends what the initiator is doing: no write to freed memory after it */
        (void)nx_register_write(dev, NIC_CONTROL, mode);
        (void)nx_register_write(dev, NIC_CONTROL, mode | NIC_CONTROL_SOFT_RESET_MASK);
        (void)wait_reset(dev, &value);
        if (dev->interrupts) (void)nx_use_interrupts(dev, 0);
        dev->platform->release(dev->platform->self, dev->remote_words, 4096);
    }
    free(dev->paths);
    free(dev->sync_counts);
    free(dev);
}

int nx_benchmark_mode(nx_device *dev, unsigned mode)
{
    const uint32_t bits = NIC_CONTROL_TIME_STAMPS_MASK | NIC_CONTROL_BENCHMARK_MASK;
    uint32_t wanted =
        (mode & NX_TIME_STAMPS ? NIC_CONTROL_TIME_STAMPS_MASK : 0) | (mode & NX_ZEROS ? NIC_CONTROL_BENCHMARK_MASK : 0);
    uint64_t start = dev->platform->now(dev->platform->self);
    uint32_t value, before, after;
    int error;
    for (;;) { /* the device refuses TIME_STAMPS while transfers are on their way */
        if ((error = nx_register_read(dev, NIC_CONTROL, &value)) ||
            (error = nx_register_write(dev, NIC_CONTROL, (value & ~bits) | wanted)) ||
            (error = nx_register_read(dev, NIC_CONTROL, &value)))
            return error;
        if ((value & bits) == wanted) break;
        if (dev->platform->now(dev->platform->self) - start > dev->params.timeout_ns)
            return nx_fail(dev, NX_ERROR_TIMEOUT,
                           "CONTROL reads 0x%08x after %llu us, expected TIME_STAMPS = %d: transfers have not left",
                           (unsigned)value, (unsigned long long)(dev->params.timeout_ns / 1000),
                           !!(mode & NX_TIME_STAMPS));
        dev->platform->wait(dev->platform->self);
    }
    dev->time_stamps = !!(mode & NX_TIME_STAMPS);
    if ((error = nx_register_write(dev, NIC_STATUS, NIC_STATUS_STAMPS_REFUSED_MASK)) || !(mode & NX_TIME_STAMPS))
        return error;
    if ((error = nx_time(dev, &before)) || (error = nx_time(dev, &after))) return error;
    return before == after ? nx_fail(dev, NX_ERROR_DEVICE, "TIME stands still, expected a device with time stamps")
                           : NX_OK;
}

int nx_time(nx_device *dev, uint32_t *now) { return nx_register_read(dev, NIC_TIME, now); }

nx_stamps nx_stamps_read(const uint64_t payload[2])
{
    return (nx_stamps){(uint32_t)(payload[0] >> 32), (uint32_t)payload[0], (uint32_t)(payload[1] >> 32),
                       (uint32_t)payload[1]};
}

/* DEVICE: links by byte have failed to fit together again and again. A link is up long before this is asked. */
static int check_skew(nx_device *dev, uint32_t *failures, int *known)
{
    enum { FAILURES = 8 };
    char text[160];
    uint32_t now;
    int error;
    if ((error = nx_skew_text(dev, text, sizeof text)) || !text[0]) return error;
    if ((error = nx_register_read(dev, NIC_ALIGNMENT_ERRORS, &now))) return error;
    if (!*known) *failures = now;
    *known = 1;
    return now - *failures < FAILURES ? NX_OK : nx_fail(dev, NX_ERROR_DEVICE, "link is down: %s", text);
}

int nx_wait_link(nx_device *dev)
{
    enum { LONG_NS = 100 * 1000 };
    uint32_t failures = 0;
    int known = 0;
    uint64_t start = dev->platform->now(dev->platform->self);
    const uint32_t good = NIC_LINK_STATUS_UP_MASK | NIC_LINK_STATUS_CREDIT_SEEN_MASK;
    uint32_t value;
    int error;
    if ((error = nx_register_write(dev, NIC_VIEW_FLOW, 0))) return error;
    for (;;) {
        if ((error = nx_register_read(dev, NIC_LINK_STATUS, &value))) return error;
        if ((value & good) == good) return NX_OK;
        const uint64_t waited = dev->platform->now(dev->platform->self) - start;
        if (waited > LONG_NS && (error = check_skew(dev, &failures, &known))) return error;
        if (waited > dev->params.timeout_ns)
            return nx_fail(dev, NX_ERROR_TIMEOUT,
                           "link: LINK_STATUS reads 0x%08x after %llu us, expected UP and CREDIT_SEEN", (unsigned)value,
                           (unsigned long long)(dev->params.timeout_ns / 1000));
        dev->platform->wait(dev->platform->self);
    }
}

const nx_params *nx_parameters(const nx_device *dev) { return &dev->params; }
const struct nx_platform *nx_platform_of(const nx_device *dev) { return dev->platform; }
unsigned nx_queues(const nx_device *dev) { return dev->queues; }
unsigned nx_slots(const nx_device *dev)
{
    return dev->params.slots - (dev->paths != NULL); /* one is kept for words of paths */
}
unsigned nx_paths(const nx_device *dev)
{
    return dev->build & NIC_BUILD_BOND_MASK ? (dev->build & NIC_BUILD_LINKS_MASK) >> NIC_BUILD_LINKS_SHIFT : 1;
}
const char *nx_last_error(const nx_device *dev) { return dev ? dev->error : "out of memory"; }
