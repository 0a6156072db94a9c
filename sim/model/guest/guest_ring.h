/* A split virtqueue in a guest's memory (Virtio 1.1, 2.6), the device's side. Everything in it is the guest's word: a
 * chain is copied before it is looked at, and what does not fit is refused with a reason. */
#ifndef SIM_MODEL_GUEST_GUEST_RING_H
#define SIM_MODEL_GUEST_GUEST_RING_H

#include "sim/model/guest/guest_access.h"

enum { GUEST_RING_MOST = 1024, GUEST_CHAIN_OUT = 16 + GUEST_LONGEST };

typedef struct guest_ring {
    unsigned number; /* in messages */
    unsigned size;   /* descriptors, a power of two; 0: not said yet */
    const guest_memory *memory;
    const uint8_t *descriptors, *available; /* NULL: not said yet */
    uint8_t *used;
    uint16_t next, given; /* chains taken from `available`, put into `used` */
} guest_ring;

/* Of one chain: bytes for the device, then at most one place for its answer. */
typedef struct guest_chain {
    uint16_t head;
    uint32_t out; /* bytes */
    uint64_t in_at;
    uint32_t in; /* room for the answer [bytes] */
    uint8_t data[GUEST_CHAIN_OUT];
} guest_chain;

int guest_ring_set_size(guest_ring *r, uint32_t size, char error[GUEST_ERROR]);
int guest_ring_place(guest_ring *r, const guest_memory *m, uint64_t descriptors, uint64_t used, uint64_t available,
                     char error[GUEST_ERROR]);
/* The next chain: 1, 0 there is none, or -1 with the reason. */
int guest_ring_take(guest_ring *r, guest_chain *c, char error[GUEST_ERROR]);
/* The chain is the guest's again, with an answer of so many bytes. */
void guest_ring_give(guest_ring *r, uint16_t head, uint32_t bytes);

#endif
