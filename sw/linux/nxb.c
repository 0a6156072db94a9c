// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Disks over RDMA: who owns the NIC, the threads, and the files in sysfs. See nxb.h. */
#include "nxb.h"

#include <linux/device.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "nic_register_map.h"
#include "nxb_internal.h"

unsigned nxb_places = 16, nxb_place_kb = 128, nxb_timeout_us = 2000;
module_param_named(disk_places, nxb_places, uint, 0644);
MODULE_PARM_DESC(disk_places, "commands of a disk under way, 1..128");
module_param_named(disk_place_kb, nxb_place_kb, uint, 0644);
MODULE_PARM_DESC(disk_place_kb, "KiB of data of a command, a multiple of 4 up to 1024");
module_param_named(disk_timeout_us, nxb_timeout_us, uint, 0644);
MODULE_PARM_DESC(disk_timeout_us, "silence after which a disk repeats its requests, from 200; 8 times that: EIO");

enum { FOREVER_BITS = 61, MAILBOXES = NX_DISK_MAILBOX_BYTES * NX_DISK_PEERS };

int nxb_errno(int error)
{
    static const int numbers[] = {0,          -EINVAL, -EIO, -ENODEV, -ENOSPC, -ENOMEM, -EIO,
                                  -ETIMEDOUT, -EIO,    -EIO, -EPROTO, -EIO,    -EIO,    -EIO};
    return -error >= 0 && -error < (int)ARRAY_SIZE(numbers) ? numbers[-error] : -EIO;
}

void nxb_say(char text[NXB_TEXT], const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(text, NXB_TEXT, format, list);
    va_end(list);
}

/* ---- threads */

static int run(void *arg)
{
    struct nxb_context *c = arg;
    while (!READ_ONCE(c->stopping)) {
        if (!c->serve(c->self)) continue;
        c->failed(c->self);
        break;
    }
    set_current_state(TASK_INTERRUPTIBLE);
    while (!kthread_should_stop()) {
        schedule();
        set_current_state(TASK_INTERRUPTIBLE);
    }
    __set_current_state(TASK_RUNNING);
    return 0;
}

int nxb_context_begin(struct nxb_context *c, const char *name)
{
    struct task_struct *task = kthread_create(run, c, "%s%d", name, c->n->number);
    if (IS_ERR(task)) return PTR_ERR(task);
    c->task = task;
    wake_up_process(task);
    return 0;
}

void nxb_context_end(struct nxb_context *c)
{
    if (!c->task) return;
    WRITE_ONCE(c->stopping, true);
    nicxbar_wake(c->n);
    kthread_stop(c->task);
    c->task = NULL;
}

/* An end for which time does not count sleeps until the peer interrupts or someone calls nicxbar_wake: a timer would
 * only keep an idle host awake. */
static int wait_interrupt(void *self, u64 timeout_ns)
{
    struct nicxbar *n = self;
    const struct nxb *b = n->nxb;
    const bool ours = current->flags & PF_KTHREAD && kthread_func(current) == run;
    const struct nxb_context *c = ours ? kthread_data(current) : NULL;
    if (c && !c->busy(c->self)) timeout_ns = 1ull << FOREVER_BITS;
    return n->platform.wait_interrupt(b->n, timeout_ns);
}

/* ---- the NIC */

nx_disk_params nxb_params(const struct nxb *b)
{
    nx_disk_params p = nx_disk_params_default();
    p.mailbox = b->mailbox;
    p.places = nxb_places;
    p.place_bytes = nxb_place_kb << 10;
    p.timeout_ns = (u64)nxb_timeout_us * NSEC_PER_USEC;
    return p;
}

/* For the first end. Everything that has an address the peers know is allocated first, so it is the same everywhere. */
static int open_nic(struct nxb *b, char *text)
{
    nx_params params = b->n->params;
    int error;
    if (b->dev) return 0;
    if ((error = nicxbar_claim(b->n, "disk"))) {
        nxb_say(text, "the NIC is in use");
        return error;
    }
    b->platform = b->n->platform;
    b->platform.wait_interrupt = wait_interrupt;
    params.interrupt_slice_ns = (u64)nxb_timeout_us * NSEC_PER_USEC / 4;
    error = nx_open(&b->platform, &b->n->function, &params, &b->dev);
    if (!error) error = nx_wait_link(b->dev);
    if (!error && !(b->mailbox = b->platform.alloc(b->platform.self, MAILBOXES, PAGE_SIZE))) {
        nxb_say(text, "no bus memory for mailboxes");
        error = NX_ERROR_NO_SPACE;
    } else if (error) {
        nxb_say(text, "%s", nx_last_error(b->dev));
    }
    if (!error) {
        memset(nicxbar_memory(b->n, b->mailbox, MAILBOXES), 0, MAILBOXES);
        return 0;
    }
    nx_close(b->dev);
    b->dev = NULL;
    nicxbar_unclaim(b->n);
    return nxb_errno(error);
}

/* After the last end. */
static void close_nic(struct nxb *b)
{
    if (!b->dev || b->disk || b->target) return;
    nx_close(b->dev);
    b->dev = NULL;
    nicxbar_unclaim(b->n);
    nxb_let_go(&b->held);
}

/* ---- files */

static struct nxb *of(struct device *device)
{
    struct nicxbar *n = dev_get_drvdata(device);
    return n->nxb;
}

static ssize_t target_show(struct device *device, struct device_attribute *a, char *text)
{
    struct nxb *b = of(device);
    ssize_t size;
    mutex_lock(&b->lock);
    size = b->disk ? sysfs_emit(text, "%u\n", nxb_disk_target(b->disk)) : sysfs_emit(text, "none\n");
    mutex_unlock(&b->lock);
    return size;
}

static ssize_t target_store(struct device *device, struct device_attribute *a, const char *text, size_t size)
{
    struct nxb *b = of(device);
    unsigned target;
    const bool none = sysfs_streq(text, "none");
    int error = 0;
    if (!none && kstrtouint(text, 0, &target)) return -EINVAL;
    if (mutex_lock_interruptible(&b->lock)) return -EINTR;
    if (b->disk) error = none ? nxb_disk_close(b, false) : -EBUSY;
    else if (!none && !(error = open_nic(b, b->disk_error))) error = nxb_disk_open(b, target);
    close_nic(b);
    mutex_unlock(&b->lock);
    return error ?: size;
}
static DEVICE_ATTR_RW(target);

static ssize_t serve_show(struct device *device, struct device_attribute *a, char *text)
{
    struct nxb *b = of(device);
    ssize_t size;
    mutex_lock(&b->lock);
    size = !b->target ? sysfs_emit(text, "none\n")
                      : sysfs_emit(text, "%s%s\n", nxb_target_path(b->target),
                                   nxb_target_disk(b->target)->flags & NX_DISK_HAS_READ_ONLY ? " ro" : "");
    mutex_unlock(&b->lock);
    return size;
}

static ssize_t serve_store(struct device *device, struct device_attribute *a, const char *text, size_t size)
{
    struct nxb *b = of(device);
    const bool none = sysfs_streq(text, "none");
    char *path = kstrndup(text, size, GFP_KERNEL), *end;
    bool read_only = false;
    int error = 0;
    if (!path) return -ENOMEM;
    end = strim(path) + strlen(strim(path));
    if (end - path > 3 && !strcmp(end - 3, " ro")) {
        end[-3] = 0;
        read_only = true;
    }
    if (mutex_lock_interruptible(&b->lock)) {
        kfree(path);
        return -EINTR;
    }
    if (none) {
        if (b->target) nxb_target_close(b);
    } else if (b->target) {
        error = -EBUSY;
    } else if (!(error = open_nic(b, b->service_error))) {
        error = nxb_target_open(b, strim(path), read_only);
    }
    close_nic(b);
    mutex_unlock(&b->lock);
    kfree(path);
    return error ?: size;
}
static DEVICE_ATTR_RW(serve);

/* Counters: one line each. `has`: the value, while the end is on. */
#define COUNTER(file, group, has, value)                                                                               \
    static ssize_t group##_##file##_show(struct device *device, struct device_attribute *a, char *text)                \
    {                                                                                                                  \
        struct nxb *b = of(device);                                                                                    \
        u64 number = 0;                                                                                                \
        mutex_lock(&b->lock);                                                                                          \
        if (has) number = value;                                                                                       \
        mutex_unlock(&b->lock);                                                                                        \
        return sysfs_emit(text, "%llu\n", number);                                                                     \
    }                                                                                                                  \
    static struct device_attribute group##_##file = __ATTR(file, 0444, group##_##file##_show, NULL)

#define OF_DISK(file, value) COUNTER(file, disk, b->disk, value)
#define OF_SERVICE(file, value) COUNTER(file, service, b->target, value)

static nx_disk_counts counts(const struct nxb *b) { return nx_disk_get_counts(nxb_disk_end(b->disk)); }
static nx_disk_target_counts served(const struct nxb *b)
{
    return nx_disk_target_get_counts(nxb_target_end(b->target));
}

OF_DISK(requests, counts(b).requests);
OF_DISK(parts, counts(b).parts);
OF_DISK(bytes_read, counts(b).bytes_read);
OF_DISK(bytes_written, counts(b).bytes_written);
OF_DISK(straight, counts(b).straight);
OF_DISK(pooled, counts(b).pooled);
OF_DISK(recoveries, counts(b).recoveries);
OF_DISK(hellos, counts(b).hellos);
OF_DISK(offers, counts(b).offers);
OF_DISK(held, nxb_disk_held(b->disk));
OF_DISK(interrupts, nx_wait_counts(b->dev).interrupts);
OF_DISK(late, nx_wait_counts(b->dev).late);
OF_SERVICE(sessions, served(b).sessions);
OF_SERVICE(commands, served(b).commands);
OF_SERVICE(completions, served(b).completions);
OF_SERVICE(given_up, served(b).given_up);
OF_SERVICE(news, served(b).news);
OF_SERVICE(interrupts, nx_wait_counts(b->dev).interrupts);
OF_SERVICE(late, nx_wait_counts(b->dev).late);

/* 64-bit words of data that the NIC has read from and written to memory, by its own counters (32 bits, which wrap). */
static u64 words(const struct nxb *b, unsigned offset)
{
    u32 count = 0;
    return nx_register_read(b->dev, offset, &count) ? 0 : count;
}

OF_DISK(words_out, words(b, NIC_H2N_WORDS));
OF_DISK(words_in, words(b, NIC_N2H_WORDS));

static ssize_t interrupts_per_request_show(struct device *device, struct device_attribute *a, char *text)
{
    struct nxb *b = of(device);
    u64 requests = 0, interrupts = 0;
    mutex_lock(&b->lock);
    if (b->disk) {
        requests = counts(b).requests;
        interrupts = nx_wait_counts(b->dev).interrupts;
    }
    mutex_unlock(&b->lock);
    interrupts = requests ? div64_u64(100 * interrupts + requests / 2, requests) : 0;
    return sysfs_emit(text, "%llu.%02llu\n", interrupts / 100, interrupts % 100);
}
static DEVICE_ATTR_RO(interrupts_per_request);

static ssize_t show_losses(char *text, const u64 *losses)
{
    ssize_t size = 0;
    for (unsigned i = 0; i < 8; i++) size += sysfs_emit_at(text, size, "%llu %s\n", losses[i], nx_disk_loss_name(i));
    return size;
}

static ssize_t disk_losses_show(struct device *device, struct device_attribute *a, char *text)
{
    struct nxb *b = of(device);
    nx_disk_counts now = {};
    mutex_lock(&b->lock);
    if (b->disk) now = counts(b);
    mutex_unlock(&b->lock);
    return show_losses(text, now.losses);
}
static struct device_attribute disk_losses = __ATTR(losses, 0444, disk_losses_show, NULL);

static ssize_t service_losses_show(struct device *device, struct device_attribute *a, char *text)
{
    struct nxb *b = of(device);
    nx_disk_target_counts now = {};
    mutex_lock(&b->lock);
    if (b->target) now = served(b);
    mutex_unlock(&b->lock);
    return show_losses(text, now.losses);
}
static struct device_attribute service_losses = __ATTR(losses, 0444, service_losses_show, NULL);

/* Why something failed: of opening, or why the last session was lost. */
static ssize_t disk_last_error_show(struct device *device, struct device_attribute *a, char *text)
{
    struct nxb *b = of(device);
    ssize_t size;
    mutex_lock(&b->lock);
    size = sysfs_emit(text, "%s\n",
                      !*b->disk_error && b->disk ? nx_disk_last_error(nxb_disk_end(b->disk)) : b->disk_error);
    mutex_unlock(&b->lock);
    return size;
}
static struct device_attribute disk_last_error = __ATTR(last_error, 0444, disk_last_error_show, NULL);

static ssize_t service_last_error_show(struct device *device, struct device_attribute *a, char *text)
{
    struct nxb *b = of(device);
    ssize_t size;
    mutex_lock(&b->lock);
    size = sysfs_emit(text, "%s\n",
                      !*b->service_error && b->target ? nx_disk_target_last_error(nxb_target_end(b->target))
                                                      : b->service_error);
    mutex_unlock(&b->lock);
    return size;
}
static struct device_attribute service_last_error = __ATTR(last_error, 0444, service_last_error_show, NULL);

static struct attribute *disk_files[] = {&dev_attr_target.attr,
                                         &disk_requests.attr,
                                         &disk_parts.attr,
                                         &disk_bytes_read.attr,
                                         &disk_bytes_written.attr,
                                         &disk_straight.attr,
                                         &disk_pooled.attr,
                                         &disk_recoveries.attr,
                                         &disk_hellos.attr,
                                         &disk_offers.attr,
                                         &disk_held.attr,
                                         &disk_interrupts.attr,
                                         &disk_late.attr,
                                         &disk_words_out.attr,
                                         &disk_words_in.attr,
                                         &dev_attr_interrupts_per_request.attr,
                                         &disk_losses.attr,
                                         &disk_last_error.attr,
                                         NULL};
static struct attribute *service_files[] = {&dev_attr_serve.attr,
                                            &service_sessions.attr,
                                            &service_commands.attr,
                                            &service_completions.attr,
                                            &service_given_up.attr,
                                            &service_news.attr,
                                            &service_interrupts.attr,
                                            &service_late.attr,
                                            &service_losses.attr,
                                            &service_last_error.attr,
                                            NULL};
static const struct attribute_group disk_group = {.name = "disk", .attrs = disk_files},
                                    service_group = {.name = "service", .attrs = service_files};
static const struct attribute_group *groups[] = {&disk_group, &service_group, NULL};

/* ---- life */

int nxb_probe(struct nicxbar *n)
{
    struct nxb *b = kzalloc(sizeof *b, GFP_KERNEL);
    int error;
    if (!b) return -ENOMEM;
    b->n = n;
    mutex_init(&b->lock);
    INIT_LIST_HEAD(&b->held);
    n->nxb = b;
    if ((error = sysfs_create_groups(&n->pci->dev.kobj, groups))) {
        n->nxb = NULL;
        kfree(b);
    }
    return error;
}

void nxb_remove(struct nicxbar *n)
{
    struct nxb *b = n->nxb;
    if (!b) return;
    sysfs_remove_groups(&n->pci->dev.kobj, groups);
    mutex_lock(&b->lock);
    if (b->disk) nxb_disk_close(b, true);
    if (b->target) nxb_target_close(b);
    close_nic(b);
    mutex_unlock(&b->lock);
    n->nxb = NULL;
    kfree(b);
}
