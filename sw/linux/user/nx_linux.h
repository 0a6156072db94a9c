/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* nx_platform on /dev/nicxbarN (sw/linux/nicxbar_ioctl.h): the driver library in a program of Linux' user space.
 *
 *   nx_linux *l = nx_linux_open("/dev/nicxbar0", error, sizeof error);
 *   const nx_function *nic = nx_linux_function(l);
 *   nx_open(nx_linux_platform(l), nic, &params, &dev);
 *   ...
 *   nx_close(dev);
 *   nx_linux_close(l);
 *
 * Each access to a register is a system call; memory for DMA is mapped. One thread at a time uses it. */
#ifndef NX_LINUX_H
#define NX_LINUX_H

#include <stddef.h>

#include "nx.h"

typedef struct nx_linux nx_linux;

/* Opens and adopts the NIC; NULL: `error` says why. */
nx_linux *nx_linux_open(const char *path, char *error, size_t size);
void nx_linux_close(nx_linux *l);
const struct nx_platform *nx_linux_platform(const nx_linux *l);
const nx_function *nx_linux_function(const nx_linux *l);
/* As the module's parameters say: node ID of this host, whether its cable ends at another NIC, how many hosts there are
 * (0: not known). */
unsigned nx_linux_node(const nx_linux *l);
int nx_linux_direct(const nx_linux *l);
unsigned nx_linux_hosts(const nx_linux *l);
/* The open file, for poll() and read(): see nicxbar_ioctl.h. */
int nx_linux_file(const nx_linux *l);
/* [bytes] of memory for DMA that nobody has taken. */
size_t nx_linux_room(const nx_linux *l);

#endif
