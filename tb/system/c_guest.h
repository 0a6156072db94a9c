/* A guest in C: speaks to the simulator as User-mode Linux 6.1 does with its drivers virtio_uml and virt-pci, message
 * by message in the order in which that was recorded, and lets time pass as time-travel=ext does. It runs in a process
 * of its own, in place of the kernel (linux_options.guest).
 *
 *     static int software(int argc, char **argv)
 *     {
 *         c_guest *g = c_guest_new(argc, argv);           connected
 *         struct nx_platform p = c_guest_platform(g);     for sw/driver
 *         ...
 *         return c_guest_end(g, status);                  the result of the job, as init leaves it
 *     }
 *
 * What goes wrong ends the process with a line on stderr and code 3. */
#ifndef TB_SYSTEM_C_GUEST_H
#define TB_SYSTEM_C_GUEST_H

#include <stddef.h>
#include <stdint.h>

#include "nx_platform.h"
#include "sim/model/guest/time_travel.h"
#include "sim/model/guest/vhost_user.h"

enum { C_GUEST_FROM = 0x59a000, C_GUEST_MEMORY = 0x08000000 /* RAM ends here */, C_GUEST_POOL = 0x00800000 };
enum { C_GUEST_RING = 256 };

typedef struct c_guest {
    unsigned host, nodes; /* number from 1; how many */
    const char *folder;
    int device, clock, calls, file; /* sockets; memory */
    uint8_t *memory;                /* its address 0 */
    struct {
        uint64_t descriptors, available, used;
        uint16_t given, taken;
    } ring[2];
    uint64_t now, alone, next; /* [ns], it needs not ask up to there [ns]; of the pool */
    uint32_t sequence;
    unsigned interrupts, armed; /* messages so far, and when the interrupt was enabled last */
    uint64_t polls;             /* times that an answer was looked for */
    uint32_t bar[2];
} c_guest;

c_guest *c_guest_new(int argc, char **argv);
int c_guest_end(c_guest *g, int status);
/* The value of a word NAME=VALUE of its arguments, "": there is none. */
const char *c_guest_word(int argc, char **argv, const char *name);

/* One message of the device's socket, and its answer. */
uint64_t c_guest_say(c_guest *g, uint32_t request, const void *payload, uint32_t size, int fd);
/* One of the clock's. */
uint64_t c_guest_ask(c_guest *g, uint32_t operation, uint64_t time);
/* The guest waits until `until` [ns], and takes interrupts. */
void c_guest_wait(c_guest *g, uint64_t until);

/* Accesses: op of virtio_pcidev. A read lets time pass in steps of 1 us. */
void c_guest_put(c_guest *g, unsigned op, unsigned bar, uint64_t at, const void *data, uint32_t size);
void c_guest_get(c_guest *g, unsigned op, unsigned bar, uint64_t at, void *to, uint32_t size);
enum { C_CONFIG_READ = 1, C_CONFIG_WRITE, C_READ, C_WRITE, C_FILL };

/* Of the NIC, whose BARs are placed and whose driver's registers are set as Linux does. */
void c_guest_place(c_guest *g);
struct nx_platform c_guest_platform(c_guest *g);

#endif
