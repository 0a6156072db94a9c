/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Disks over RDMA: what the rest of nicxbar.ko calls. Everything else is done by sysfs, below the PCI device:
 *
 *     echo 0 > disk/target               /dev/nxbN is the disk of node 0; "none": no more
 *     echo /path/image > service/serve   the other nodes may have this file or block device; "PATH ro": only read it;
 *                                        "none": no more
 *
 * The other files there are counters (README.md). While one of the two is on, the NIC is owned by the disk. */
#ifndef NXB_H
#define NXB_H

struct nicxbar;

/* At the end of probe: the files in sysfs. 0, or a negative errno. */
int nxb_probe(struct nicxbar *n);
/* At the beginning of remove: requests that are under way end with an error, the disk and the service are gone. */
void nxb_remove(struct nicxbar *n);

#endif
