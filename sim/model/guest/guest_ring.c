#include "sim/model/guest/guest_ring.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NEXT = 1, WRITE = 2, INDIRECT = 4 }; /* flags of a descriptor */
enum { DESCRIPTOR = 16, HEAD = 4 /* flags and index in front of a ring */, USED = 8 };

typedef struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
} descriptor;

static int __attribute__((format(printf, 3, 4))) refuse(const guest_ring *r, char *error, const char *format, ...)
{
    int n = snprintf(error, GUEST_ERROR, "queue %u: ", r->number);
    va_list list;
    va_start(list, format);
    vsnprintf(error + n, (size_t)(GUEST_ERROR - n), format, list);
    va_end(list);
    return -1;
}

int guest_ring_set_size(guest_ring *r, uint32_t size, char error[GUEST_ERROR])
{
    if (!size || size > GUEST_RING_MOST || size & (size - 1))
        return refuse(r, error, "size %u, expected a power of two up to %d", size, GUEST_RING_MOST);
    r->size = size;
    r->descriptors = NULL;
    return 0;
}

int guest_ring_place(guest_ring *r, const guest_memory *m, uint64_t descriptors, uint64_t used, uint64_t available,
                     char error[GUEST_ERROR])
{
    if (!r->size) return refuse(r, error, "its place is said before its size");
    if (descriptors % DESCRIPTOR || available % 2 || used % 4)
        return refuse(r, error, "0x%llx, 0x%llx, 0x%llx: expected multiples of 16, 4 and 2",
                      (unsigned long long)descriptors, (unsigned long long)used, (unsigned long long)available);
    r->memory = m;
    r->descriptors = guest_memory_at(m, descriptors, DESCRIPTOR * r->size);
    r->available = guest_memory_at(m, available, HEAD + 2 * r->size);
    r->used = guest_memory_at(m, used, HEAD + USED * r->size);
    if (r->descriptors && r->available && r->used) return 0;
    r->descriptors = NULL;
    return refuse(r, error, "0x%llx, 0x%llx, 0x%llx: expected all of it in the guest's memory",
                  (unsigned long long)descriptors, (unsigned long long)used, (unsigned long long)available);
}

static uint16_t get16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static int add_out(const guest_ring *r, guest_chain *c, const descriptor *d, char *error)
{
    const uint8_t *from = guest_memory_at(r->memory, d->address, d->length);
    if (c->in) return refuse(r, error, "a chain with data behind the place for an answer");
    if (!from || d->length > sizeof c->data - c->out)
        return refuse(r, error, "0x%x bytes at 0x%llx, expected at most %zu in the guest's memory", d->length,
                      (unsigned long long)d->address, sizeof c->data - c->out);
    memcpy(c->data + c->out, from, d->length);
    c->out += d->length;
    return 0;
}

static int add_in(const guest_ring *r, guest_chain *c, const descriptor *d, char *error)
{
    if (c->in) return refuse(r, error, "a chain with two places for an answer");
    if (!d->length || !guest_memory_at(r->memory, d->address, d->length))
        return refuse(r, error, "an answer of 0x%x bytes at 0x%llx, expected in the guest's memory", d->length,
                      (unsigned long long)d->address);
    c->in_at = d->address;
    c->in = d->length;
    return 0;
}

/* Follows a chain, which is no longer than there are descriptors. */
static int follow(const guest_ring *r, guest_chain *c, char *error)
{
    descriptor d = {.next = c->head, .flags = NEXT};
    for (unsigned i = 0; d.flags & NEXT; i++) {
        if (d.next >= r->size) return refuse(r, error, "descriptor %u of %u", d.next, r->size);
        if (i == r->size) return refuse(r, error, "descriptors that form a loop");
        memcpy(&d, r->descriptors + (size_t)DESCRIPTOR * d.next, sizeof d);
        if (d.flags & INDIRECT) return refuse(r, error, "an indirect descriptor, which was not offered");
        if ((d.flags & WRITE ? add_in : add_out)(r, c, &d, error)) return -1;
    }
    return 0;
}

int guest_ring_take(guest_ring *r, guest_chain *c, char error[GUEST_ERROR])
{
    if (!r->descriptors) return refuse(r, error, "used before its place is said");
    const uint16_t ready = (uint16_t)(get16(r->available + 2) - r->next);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!ready) return 0;
    if (ready > r->size) return refuse(r, error, "%u chains at once in %u descriptors", ready, r->size);
    c->head = get16(r->available + HEAD + 2 * (r->next++ % r->size));
    c->out = c->in = 0;
    return follow(r, c, error) ? -1 : 1;
}

void guest_ring_give(guest_ring *r, uint16_t head, uint32_t bytes)
{
    const uint32_t entry[2] = {head, bytes};
    if (!r->descriptors) return;
    memcpy(r->used + HEAD + USED * (r->given++ % r->size), entry, sizeof entry);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(r->used + 2, &r->given, sizeof r->given);
}
