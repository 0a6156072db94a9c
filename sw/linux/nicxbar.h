/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Inside of nicxbar.ko: one NIC.
 *
 * pci.c finds it, platform.c lets sw/driver reach it, interrupt.c is its handler, pool.c its memory for DMA, char.c
 * /dev/nicxbarN; nxb_*.c make disks of it. The parts of sw/driver and sw/disk are those of every other host.
 *
 * A NIC has one owner at a time: a file of /dev/nicxbarN, or the block driver. The owner has all of the pool; when it
 * lets go, the NIC is stopped and the pool is empty again. So owners that allocate the same, in the same order, on
 * several hosts have it at the same addresses, which sw/disk and programs of sw/programs need.
 */
#ifndef NICXBAR_H
#define NICXBAR_H

#include <linux/kref.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "nx.h"

enum {
    NICXBAR_CFG_INTERRUPT = 0x40, /* application interrupt register (S1 3.1.2): 1 enables, both clear the line */
    NICXBAR_STORES = 128,         /* posted in a row at most: then a read follows */
    NICXBAR_SLEEPERS = 16,        /* tasks that may wait for an interrupt at the same time */
    NICXBAR_BLOCK = PAGE_SIZE << MAX_ORDER >> 1 /* [bytes] what the kernel gives in one piece: MAX_ORDER is excluded */
};

/* Memory for DMA: whole pages, in one piece. */
struct nicxbar_pool {
    u64 bus;    /* first bus address; a multiple of NICXBAR_BLOCK */
    u8 *memory; /* the same byte for the processor */
    size_t bytes;
    unsigned long *used; /* a bit for each page */
    spinlock_t lock;
};

/* A task that has enabled the interrupt, and what had happened then. */
struct nicxbar_sleeper {
    struct task_struct *task; /* only compared */
    u64 fired, wakes;
};

struct nxb;
struct nicxbar {
    struct kref references; /* probe, and each open file */
    struct pci_dev *pci;
    int number; /* of /dev/nicxbarN */
    struct nx_platform platform;
    nx_function function;
    nx_params params; /* node_id and direct are those of the module's parameters */

    void __iomem *registers[2]; /* BARs; [0] may be shorter than the BAR, or NULL */
    size_t mapped[2];           /* [bytes] */
    u64 clock;                  /* [ns] platform.now when ktime_get_ns was 0: it grows also when the guest boots anew */
    atomic_t stores;            /* since the last read */
    atomic_t idle;              /* rounds of waiting since the last store */
    struct mutex lock;          /* platform.lock */
    struct rw_semaphore life;   /* read: the NIC stays as long as it is held */
    bool gone;                  /* by remove; changes under `life` */

    wait_queue_head_t sleeping;
    spinlock_t interrupt_lock;
    u64 fired, wakes; /* interrupts; calls of nicxbar_wake */
    u64 stale;        /* messages of a line that had been disabled meanwhile */
    bool enabled;
    struct nicxbar_sleeper sleeper[NICXBAR_SLEEPERS];

    struct nicxbar_pool pool;
    struct mutex owner_lock;
    const char *owner; /* NULL: nobody */
    struct miscdevice file;
    struct nxb *nxb; /* of the block driver */
    char name[16];   /* "nicxbar0" */
};

/* pci.c */
extern unsigned nicxbar_hosts;       /* of the system; 0: not known */
void nicxbar_put(struct nicxbar *n); /* gives a reference back */
/* Makes `who` the owner: 0, or -EBUSY; -ENODEV: the NIC is gone. */
int nicxbar_claim(struct nicxbar *n, const char *who);
/* Stops the NIC and empties the pool. May sleep. */
void nicxbar_unclaim(struct nicxbar *n);

/* platform.c */
void nicxbar_platform(struct nicxbar *n); /* fills n->platform */
/* Registers: 0, or -EINVAL: not in a BAR that can be reached; -EIO: the NIC does not answer. Size 4 or 8. */
int nicxbar_read(struct nicxbar *n, u64 address, unsigned int size, u64 *value);
int nicxbar_write(struct nicxbar *n, u64 address, unsigned int size, u64 value);
int nicxbar_post(struct nicxbar *n, u64 address, const void *from, size_t size);
int nicxbar_config_read(struct nicxbar *n, int reg, int size, u32 *value);
int nicxbar_config_write(struct nicxbar *n, int reg, int size, u32 value);
/* Some hundred nanoseconds, in which other tasks may run. */
void nicxbar_idle(struct nicxbar *n);
/* Switches the interrupt and the initiator off, and resets the queues. */
void nicxbar_stop(struct nicxbar *n);

/* interrupt.c */
int nicxbar_interrupt_begin(struct nicxbar *n);
void nicxbar_interrupt_end(struct nicxbar *n);
/* Writes the interrupt register; who enables it may sleep in nicxbar_wait. As pci_write_config_dword. */
int nicxbar_enable(struct nicxbar *n, bool on);
/* As nx_platform.wait_interrupt, for ever from 2^62 ns on; `state`: TASK_INTERRUPTIBLE (a signal ends it, 1) or
 * TASK_UNINTERRUPTIBLE. */
int nicxbar_wait(struct nicxbar *n, u64 timeout_ns, unsigned int state);
/* All that sleep in wait_interrupt wake, and it returns 1; who has enabled the interrupt and does not sleep yet will
 * not. From any context. */
void nicxbar_wake(struct nicxbar *n);

/* pool.c */
/* `bytes` at bus address `at`; error: with a message in the log. */
int nicxbar_pool_begin(struct nicxbar *n, u64 at, size_t bytes);
void nicxbar_pool_end(struct nicxbar *n);
void nicxbar_pool_empty(struct nicxbar *n);
u64 nicxbar_alloc(struct nicxbar *n, size_t size, size_t alignment); /* 0: no room */
void nicxbar_release(struct nicxbar *n, u64 address, size_t size);
/* NULL: not all of it is in the pool. */
void *nicxbar_memory(const struct nicxbar *n, u64 address, size_t size);

/* char.c */
int nicxbar_file_begin(struct nicxbar *n);
void nicxbar_file_end(struct nicxbar *n);

#endif
