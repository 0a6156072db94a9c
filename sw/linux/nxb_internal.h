/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Inside of the disks over RDMA of nicxbar.ko: nxb.c owns the NIC and has the files in sysfs, nxb_disk.c is /dev/nxbN,
 * nxb_target.c the service of a file. Each of the two has a thread of its own, the context of its end (nx_disk.h). */
#ifndef NXB_INTERNAL_H
#define NXB_INTERNAL_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "nicxbar.h"
#include "nx_disk.h"

struct nxb_disk;
struct nxb_target;

enum { NXB_TEXT = 256 };

/* What a thread does: rounds of `serve`, until it is stopped or the NIC fails. */
struct nxb_context {
    struct nicxbar *n;
    struct task_struct *task;
    int (*serve)(void *self);   /* a round: 0, or an error of the driver's */
    bool (*busy)(void *self);   /* something is under way for which time counts; else it sleeps until it is woken */
    void (*failed)(void *self); /* after an error, once */
    void *self;
    bool stopping;
};

struct nxb {
    struct nicxbar *n;
    struct mutex lock;           /* of all that follows, and of what opens and closes */
    struct nx_platform platform; /* that of n, but an idle end sleeps without an end */
    nx_device *dev;              /* open while a disk or the service is on */
    u64 mailbox;
    struct nxb_disk *disk;
    struct nxb_target *target;
    struct list_head held;                              /* pages that a closed disk has left */
    char disk_error[NXB_TEXT], service_error[NXB_TEXT]; /* the last ones */
};

/* ---- nxb.c */

extern unsigned nxb_places, nxb_place_kb, nxb_timeout_us;

/* Defaults of both ends on this host. */
nx_disk_params nxb_params(const struct nxb *b);
/* Begins the thread `name`, ends it; 0 or a negative errno. */
int nxb_context_begin(struct nxb_context *c, const char *name);
void nxb_context_end(struct nxb_context *c);
/* A negative errno for an error of the driver's. */
int nxb_errno(int error);
__printf(2, 3) void nxb_say(char text[NXB_TEXT], const char *format, ...);

/* ---- nxb_disk.c; with lock */

/* Makes /dev/nxbN of the disk of node `target`; waits until that has answered. */
int nxb_disk_open(struct nxb *b, unsigned target);
/* Takes it away; -EBUSY: someone has it open, unless `gone`: then its requests end with an error. */
int nxb_disk_close(struct nxb *b, bool gone);
unsigned nxb_disk_target(const struct nxb_disk *d);
const nx_disk *nxb_disk_end(const struct nxb_disk *d);
/* Gives pages back that were kept. */
void nxb_let_go(struct list_head *held);
/* Reads that ended with an error and whose pages are kept until no data can arrive there any more. */
u64 nxb_disk_held(struct nxb_disk *d);

/* ---- nxb_target.c; with lock */

int nxb_target_open(struct nxb *b, const char *path, bool read_only);
void nxb_target_close(struct nxb *b);
const char *nxb_target_path(const struct nxb_target *t);
const nx_disk_disk *nxb_target_disk(const struct nxb_target *t);
const nx_disk_target *nxb_target_end(const struct nxb_target *t);

#endif
