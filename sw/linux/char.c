// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* /dev/nicxbarN, see nicxbar_ioctl.h. */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "nicxbar.h"
#include "nicxbar_ioctl.h"

struct opened {
    struct nicxbar *n;
    u64 began, seen; /* interrupts: before open, and read */
};

static int file_open(struct inode *inode, struct file *file)
{
    struct nicxbar *n = container_of(file->private_data, struct nicxbar, file);
    struct opened *o = kzalloc(sizeof *o, GFP_KERNEL);
    int result = o ? nicxbar_claim(n, "a program") : -ENOMEM;
    if (result) {
        kfree(o);
        return result;
    }
    kref_get(&n->references);
    o->n = n;
    o->began = o->seen = n->fired;
    file->private_data = o;
    return 0;
}

static int file_release(struct inode *inode, struct file *file)
{
    struct opened *o = file->private_data;
    nicxbar_unclaim(o->n);
    nicxbar_put(o->n);
    kfree(o);
    return 0;
}

static u64 fired(struct nicxbar *n)
{
    unsigned long flags;
    u64 count;
    spin_lock_irqsave(&n->interrupt_lock, flags);
    count = n->fired;
    spin_unlock_irqrestore(&n->interrupt_lock, flags);
    return count;
}

static ssize_t file_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
    struct opened *o = file->private_data;
    u64 count;
    int result;
    if (size != sizeof count) return -EINVAL;
    if (fired(o->n) == o->seen && file->f_flags & O_NONBLOCK) return o->n->gone ? -ENODEV : -EAGAIN;
    result = wait_event_interruptible(o->n->sleeping, fired(o->n) != o->seen || o->n->gone);
    if (result) return result;
    if (fired(o->n) == o->seen) return -ENODEV;
    o->seen = fired(o->n);
    count = o->seen - o->began;
    return copy_to_user(to, &count, sizeof count) ? -EFAULT : sizeof count;
}

static __poll_t file_poll(struct file *file, poll_table *table)
{
    struct opened *o = file->private_data;
    poll_wait(file, &o->n->sleeping, table);
    return (fired(o->n) != o->seen ? EPOLLIN | EPOLLRDNORM : 0) | (o->n->gone ? EPOLLERR | EPOLLHUP : 0);
}

static int file_mmap(struct file *file, struct vm_area_struct *area)
{
    const struct nicxbar_pool *p = &((struct opened *)file->private_data)->n->pool;
    const size_t offset = area->vm_pgoff << PAGE_SHIFT, size = area->vm_end - area->vm_start;
    if (area->vm_pgoff > p->bytes >> PAGE_SHIFT || size > p->bytes - offset || !(area->vm_flags & VM_SHARED))
        return -EINVAL;
    return remap_pfn_range(area, area->vm_start, page_to_pfn(virt_to_page(p->memory + offset)), size,
                           area->vm_page_prot);
}

static int config(struct nicxbar *n, struct nicxbar_config *c)
{
    if ((c->size != 1 && c->size != 2 && c->size != 4) || c->reg % c->size || c->reg >= PCI_CFG_SPACE_SIZE)
        return -EINVAL;
    if (!c->write) return nicxbar_config_read(n, (int)c->reg, (int)c->size, &c->value);
    if (c->reg >= PCI_BASE_ADDRESS_0 && c->reg <= PCI_BASE_ADDRESS_5 + 3) return -EPERM;
    return nicxbar_config_write(n, (int)c->reg, (int)c->size, c->value);
}

static void info(const struct nicxbar *n, struct nicxbar_info *i)
{
    *i = (struct nicxbar_info){.pool = n->pool.bus,
                               .pool_bytes = n->pool.bytes,
                               .device = (u32)n->function.device,
                               .node = n->params.node_id,
                               .direct = (u32)n->params.direct,
                               .hosts = nicxbar_hosts};
    for (int k = 0; k < 6; k++) {
        i->bar[k].address = n->function.bar[k].address;
        i->bar[k].size = n->function.bar[k].size;
    }
}

/* Of those that touch the NIC: it stays meanwhile. */
static int reach(struct nicxbar *n, unsigned int command, void *arg)
{
    struct nicxbar_access *a = arg;
    struct nicxbar_post *post = arg;
    int result = -ENOTTY;
    down_read(&n->life);
    if (n->gone) result = -ENODEV;
    else if (command == NICXBAR_INFO) {
        info(n, arg);
        result = 0;
    } else if (command == NICXBAR_CONFIG) result = config(n, arg);
    else if (command == NICXBAR_POST)
        result = post->size > sizeof post->bytes ? -EINVAL : nicxbar_post(n, post->address, post->bytes, post->size);
    else if (command == NICXBAR_ACCESS && a->write) result = nicxbar_write(n, a->address, a->size, a->value);
    else if (command == NICXBAR_ACCESS) result = nicxbar_read(n, a->address, a->size, &a->value);
    up_read(&n->life);
    return result;
}

static long file_ioctl(struct file *file, unsigned int command, unsigned long address)
{
    struct nicxbar *n = ((struct opened *)file->private_data)->n;
    void __user *user = (void __user *)address;
    const size_t size = _IOC_SIZE(command);
    union {
        struct nicxbar_info info;
        struct nicxbar_access access;
        struct nicxbar_config config;
        struct nicxbar_post post;
        struct nicxbar_wait wait;
    } arg;
    int result = 0;
    if (command == NICXBAR_IDLE) {
        nicxbar_idle(n);
        return 0;
    }
    if (size > sizeof arg) return -ENOTTY;
    if (_IOC_DIR(command) & _IOC_WRITE && copy_from_user(&arg, user, size)) return -EFAULT;
    if (command == NICXBAR_WAIT) arg.wait.result = nicxbar_wait(n, arg.wait.timeout_ns, TASK_INTERRUPTIBLE);
    else result = reach(n, command, &arg);
    if (!result && _IOC_DIR(command) & _IOC_READ && copy_to_user(user, &arg, size)) result = -EFAULT;
    return result;
}

static const struct file_operations operations = {
    .owner = THIS_MODULE,
    .open = file_open,
    .release = file_release,
    .read = file_read,
    .poll = file_poll,
    .mmap = file_mmap,
    .unlocked_ioctl = file_ioctl,
    .llseek = no_llseek,
};

int nicxbar_file_begin(struct nicxbar *n)
{
    n->file = (struct miscdevice){
        .minor = MISC_DYNAMIC_MINOR, .name = n->name, .fops = &operations, .parent = &n->pci->dev, .mode = 0600};
    return misc_register(&n->file);
}

void nicxbar_file_end(struct nicxbar *n) { misc_deregister(&n->file); }
