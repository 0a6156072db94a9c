// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Remote notifications, interrupts, waiting for events. See nx.h; S4 4.1 for the race that the order in nx_wait_event
 * closes. */
#include "nx_internal.h"

/* The received header (design.md 3); no packet has length 0, so 0 can mark a word that was taken. */
static void decode(const nx_device *dev, nx_notification *n, unsigned source, uint64_t raw)
{
    n->raw = raw;
    n->source = source;
    n->flagged = (int)(raw >> 63);
    n->sequence = (unsigned)(raw >> 42 & (nx_paths(dev) > 1 ? 0x3ff : 0x1ff));
    n->words = (unsigned)(raw >> 32 & 0x3ff);
    n->destination = (uint32_t)raw;
}

int nx_notification_poll(nx_device *dev, unsigned source, nx_notification *n)
{
    uint64_t address = dev->remote_words + 8 * (uint64_t)source, raw;
    if (source >= NX_SOURCES)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "source is %u, expected 0..%d", source, NX_SOURCES - 1);
    if (!nx_memory_get64(dev, address)) return 0;
    raw = dev->platform->mem_exchange64(dev->platform->self, address, 0);
    if (!raw) return 0; /* another thread was faster */
    decode(dev, n, source, raw);
    if (n->flagged)
        return nx_fail(dev, NX_ERROR_FLAGGED,
                       "source %u: notification 0x%016llx is flagged: data before or in the packet to 0x%08x are bad",
                       source, (unsigned long long)raw, (unsigned)n->destination);
    return 1;
}

static int interrupt_enable(nx_device *dev, int on)
{
    const struct nx_platform *p = dev->platform;
    if (p->config_write(p->self, dev->function.device, NX_CFG_INTERRUPT, 4, (uint32_t)on) < 0)
        return nx_fail(dev, NX_ERROR_BUS, "write of %d to the interrupt register failed", on);
    return NX_OK;
}

int nx_use_interrupts(nx_device *dev, int on)
{
    int error;
    if (on && !dev->platform->wait_interrupt)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "interrupts asked for, expected a platform with wait_interrupt");
    if ((error = interrupt_enable(dev, 0))) return error; /* waits enable it */
    dev->interrupts = on;
    return NX_OK;
}

int nx_wait_event(nx_device *dev, int (*ready)(void *), void *arg)
{
    const struct nx_platform *p = dev->platform;
    uint32_t value;
    int error;
    if (ready(arg)) return NX_OK;
    if (!dev->interrupts) {
        dev->waits.idles++;
        p->wait(p->self);
        return NX_OK;
    }
    nx_lock(dev);
    dev->sleepers++;
    error = interrupt_enable(dev, 1);
    nx_unlock(dev);
    if (!error && !(error = nx_register_read(dev, NIC_CONTROL, &value)) && !ready(arg)) {
        dev->waits.sleeps++;
        const int ended = p->wait_interrupt(p->self, dev->params.interrupt_slice_ns);
        if (ended < 0) dev->waits.late += ready(arg) != 0;
        else dev->waits.interrupts += ended == 0;
    }
    /* The top half: the line falls and stays low until the next wait. A caller that waits already keeps it enabled. */
    nx_lock(dev);
    if (!--dev->sleepers && !error) error = interrupt_enable(dev, 0);
    nx_unlock(dev);
    return error;
}

struct word {
    nx_device *dev;
    uint64_t address;
};

static int word_there(void *arg)
{
    struct word *w = arg;
    return nx_memory_get64(w->dev, w->address) != 0;
}

int nx_notification_wait(nx_device *dev, unsigned source, nx_notification *n)
{
    struct word w = {dev, dev->remote_words + 8 * (uint64_t)source};
    uint64_t start = dev->platform->now(dev->platform->self);
    int result, error;
    while (!(result = nx_notification_poll(dev, source, n))) {
        if (dev->platform->now(dev->platform->self) - start > dev->params.timeout_ns)
            return nx_fail(dev, NX_ERROR_TIMEOUT, "source %u: no notification for %llu us", source,
                           (unsigned long long)(dev->params.timeout_ns / 1000));
        if ((error = nx_wait_event(dev, word_there, &w))) return error;
    }
    return result < 0 ? result : NX_OK;
}

nx_wait_statistics nx_wait_counts(const nx_device *dev) { return dev->waits; }
