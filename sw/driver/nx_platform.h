/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Requirements of the driver on its machine: a struct of function pointers, filled in by the port.
 *
 * A simulator maps them on bus transactions of a modelled host, a kernel module on its own access functions, a test on
 * a fake device. The driver calls nothing else, keeps no global state and starts no threads; all of its waiting goes
 * through `wait` and `wait_interrupt`, so that a platform of coroutines can run other work there.
 *
 * Addresses: `address` is what the processor uses to reach the bus (register space) or what the device uses to reach
 * memory (bus addresses); the two spaces may be the same. All words are little endian in memory. Functions that return
 * int return 0, or a negative number when the bus access failed; the driver passes the failure on as NX_ERROR_BUS.
 */
#ifndef NX_PLATFORM_H
#define NX_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

struct nx_platform {
    /* handed to every function as its first argument */
    void *self;

    /* Configuration space of device 0..31 on the one bus, function 0. `size` is 1, 2 or 4 [bytes], `reg` a multiple of
     * it. No device there (master abort): a negative result, or all ones read. */
    int (*config_read)(void *self, int device, int reg, int size, uint32_t *value);
    int (*config_write)(void *self, int device, int reg, int size, uint32_t value);

    /* Device memory (BARs), not cached. Reads push posted writes of the same processor and of the device ahead of them,
     * as on any PCI bus. Writes may be posted but stay in order, and come behind earlier stores to memory. */
    int (*read32)(void *self, uint64_t address, uint32_t *value);
    int (*write32)(void *self, uint64_t address, uint32_t value);
    int (*read64)(void *self, uint64_t address, uint64_t *value);
    int (*write64)(void *self, uint64_t address, uint64_t value);

    /* Stores to device memory through write-combining buffers: at most 64 bytes that cross no multiple of 64. They may
     * stay in the processor for any time, leave in pieces and in any order, and be overtaken by read32 and the others,
     * until `fence`. May be NULL: the driver then uses write32. */
    int (*write_combined)(void *self, uint64_t address, const void *from, size_t size);
    /* Store fence (sfence): whatever was stored before it, to memory and by write_combined, is seen by the device
     * before anything stored after it, and nothing stays in a buffer. May be NULL if write_combined never holds
     * anything back. */
    int (*fence)(void *self);

    /* Host memory by bus address, as the processor sees it (coherent with the device). */
    void (*mem_read)(void *self, uint64_t address, void *to, size_t size);
    void (*mem_write)(void *self, uint64_t address, const void *from, size_t size);

    /* The 64-bit word at `address` (multiple of 8) is replaced by `value` and its old value returned, with no write of
     * the device in between. */
    uint64_t (*mem_exchange64)(void *self, uint64_t address, uint64_t value);

    /* Memory for the device: a bus address that is a multiple of `alignment`, never 0, below 4 GB. 0 = no room. Content
     * undefined. */
    uint64_t (*alloc)(void *self, size_t size, size_t alignment);
    void (*release)(void *self, uint64_t address, size_t size);

    /* Idle a little: some hundred nanoseconds, or until something may have changed. */
    void (*wait)(void *self);

    /* Sleep until the interrupt line of the device is asserted (returns 0, at once if it is), `timeout_ns` passes
     * (negative), or the sleeper is woken because something else is to be done (positive). May be NULL: the driver then
     * polls. */
    int (*wait_interrupt)(void *self, uint64_t timeout_ns);

    /* A clock that never goes back [ns]. */
    uint64_t (*now)(void *self);

    /* Mutual exclusion between threads that share a device. Both NULL: one thread of control, or coroutines that switch
     * only inside the functions of this struct. */
    void (*lock)(void *self);
    void (*unlock)(void *self);

    /* Where the driver may place BARs: register space [bytes]. */
    uint64_t window_base;
    uint64_t window_size;
};

#endif
