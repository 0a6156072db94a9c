/* What software of a guest does with a PCI device, and who carries it out: between a front end, which speaks with one
 * kind of guest (vhost_user.h: User-mode Linux), and a device, which knows nothing of guests' kinds (guest_bus.h).
 *
 *     front end                                     device
 *     plug(memory)             ----------------->   RST# is released
 *     access(write), access(read) -------------->   queued; on the bus in this order
 *     answered(ticket, data)   <-----------------   a read is answered
 *     raised()                 <-----------------   INTA# is low, see guest_bus.h
 *     unplug()                 ----------------->   RST# is asserted; open reads get no answer
 */
#ifndef SIM_MODEL_GUEST_GUEST_ACCESS_H
#define SIM_MODEL_GUEST_GUEST_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/model/guest/guest_memory.h"

enum guest_operation { GUEST_CONFIG_READ, GUEST_CONFIG_WRITE, GUEST_READ, GUEST_WRITE };

enum {
    GUEST_CONFIG_BYTES = 256,
    GUEST_BARS = 6,
    GUEST_LONGEST = 65536 /* bytes of an access */,
    GUEST_QUEUED = 65536 /* accesses that a guest may have queued */
};

typedef struct guest_access {
    int operation;       /* enum guest_operation */
    unsigned bar;        /* of a READ or WRITE: 0 .. GUEST_BARS - 1 */
    uint64_t at;         /* byte in configuration space or BAR */
    uint32_t size;       /* [bytes] configuration: 1, 2 or 4, aligned; else 1 .. GUEST_LONGEST */
    const uint8_t *data; /* of a write; copied */
    uint32_t ticket;     /* of a read: handed back with its answer */
} guest_access;

typedef struct guest_device {
    void *self;
    void (*plug)(void *self, const guest_memory *m); /* m stays until unplug */
    void (*unplug)(void *self);
    /* 0, or -1: GUEST_QUEUED accesses are queued. */
    int (*access)(void *self, const guest_access *a);
} guest_device;

/* What a device calls, while simulated time passes. */
typedef struct guest_front {
    void *self;
    void (*answered)(void *self, uint32_t ticket, const uint8_t *data, uint32_t size);
    void (*raised)(void *self);
} guest_front;

#endif
