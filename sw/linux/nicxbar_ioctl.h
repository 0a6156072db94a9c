/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* /dev/nicxbarN: a NIC for programs in user space (S4 2.2, 3.3). For the kernel module and for programs.
 *
 * One owner at a time: open() gives EBUSY while another file, or the block driver, has the NIC. When the last file and
 * the last mapping of an owner are gone, however it ended, the initiator is switched off and the queues are reset, and
 * then its memory may be another's. Who may open the device may read and write all memory by DMA: it is root's.
 *
 * mmap at offset 0: the memory for DMA, up to pool_bytes; bus address `pool` is its first byte.
 * read: 8 bytes, the number of interrupts since open; sleeps until there is one that was not read before (EAGAIN with
 * O_NONBLOCK). poll: POLLIN then. Enabling the interrupt (configuration space, 0x40) is the owner's business: the
 * handler disables it, as S4 4.1 says.
 *
 * Registers cannot be mapped: User-mode Linux has none that a processor can reach. Errors of all calls: ENODEV: the NIC
 * has been removed; EINVAL: outside of a BAR, of configuration space, or no such size; EIO: the NIC does not answer.
 */
#ifndef NICXBAR_IOCTL_H
#define NICXBAR_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

struct nicxbar_info {
    struct {
        __u64 address, size; /* as configuration space has it; [bytes], 0: there is none */
    } bar[6];
    __u64 pool, pool_bytes; /* bus address, the same on all hosts of a system */
    __u32 device;           /* number on its PCI bus */
    __u32 node;             /* ID that this host is to use */
    __u32 direct;           /* 1: cable to another NIC, 0: to a switch */
    __u32 hosts;            /* of the system; 0: not known */
};

/* Addresses as in `bar`; of 4 or 8 bytes and a multiple of that. */
struct nicxbar_access {
    __u64 address, value;
    __u32 size, write;
};

struct nicxbar_config {
    __u32 reg, size; /* 1, 2, 4 [bytes], and a multiple of it; BARs are not written: EPERM */
    __u32 value, write;
};

/* A store of up to 64 bytes that crosses no multiple of 64, a multiple of 4: it leaves in one piece. */
struct nicxbar_post {
    __u64 address;
    __u32 size, zero;
    __u8 bytes[64];
};

/* nx_platform.wait_interrupt. `result`: 0: there was an interrupt since this thread enabled it; -1: none for
 * timeout_ns; 1: a signal. */
struct nicxbar_wait {
    __u64 timeout_ns;
    __s32 result;
    __u32 zero;
};

#define NICXBAR_INFO _IOR('x', 0, struct nicxbar_info)
#define NICXBAR_ACCESS _IOWR('x', 1, struct nicxbar_access)
#define NICXBAR_CONFIG _IOWR('x', 2, struct nicxbar_config)
#define NICXBAR_POST _IOW('x', 3, struct nicxbar_post)
#define NICXBAR_WAIT _IOWR('x', 4, struct nicxbar_wait)
/* Idles as nx_platform.wait does. A loop that only reads memory lets no time pass where time is simulated. */
#define NICXBAR_IDLE _IO('x', 5)

#endif
