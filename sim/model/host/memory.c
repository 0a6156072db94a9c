/* Open-addressing hash of 4 KB pages, at most half full, with the last page found kept aside. See memory.h. */
#include "sim/model/host/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS };

struct slot {
    uint64_t number; /* address >> PAGE_BITS */
    uint8_t *bytes;  /* NULL: free slot */
};

struct memory {
    struct slot *slots;
    size_t size; /* power of two */
    size_t used;
    uint64_t last_number;
    uint8_t *last; /* NULL: none */
    uint8_t *lent; /* pages of somebody else; NULL: none */
    uint64_t lent_from, lent_pages;
};

memory *memory_new(void)
{
    memory *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    m->size = 1024;
    m->slots = calloc(m->size, sizeof *m->slots);
    if (m->slots == NULL) {
        free(m);
        return NULL;
    }
    return m;
}

void memory_free(memory *m)
{
    if (m == NULL) return;
    for (size_t i = 0; i < m->size; i++) free(m->slots[i].bytes);
    free(m->slots);
    free(m);
}

static struct slot *find(struct slot *slots, size_t size, uint64_t number)
{
    size_t i = (size_t)((number * 0x9e3779b97f4a7c15u) >> 20) & (size - 1);
    while (slots[i].bytes != NULL && slots[i].number != number) i = (i + 1) & (size - 1);
    return &slots[i];
}

static void *need(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "memory: the machine has no memory left for a simulated memory\n");
        abort();
    }
    return p;
}

static void grow(memory *m)
{
    size_t size = m->size * 2;
    struct slot *slots = need(calloc(size, sizeof *slots));
    for (size_t i = 0; i < m->size; i++)
        if (m->slots[i].bytes != NULL) *find(slots, size, m->slots[i].number) = m->slots[i];
    free(m->slots);
    m->slots = slots;
    m->size = size;
}

static uint8_t *own_page(memory *m, uint64_t number, int create)
{
    struct slot *s = find(m->slots, m->size, number);
    if (s->bytes == NULL) {
        if (!create) return NULL;
        if (2 * (m->used + 1) > m->size) {
            grow(m);
            s = find(m->slots, m->size, number);
        }
        s->bytes = need(calloc(1, PAGE));
        s->number = number;
        m->used++;
    }
    return s->bytes;
}

static uint8_t *other_page(memory *m, uint64_t number, int create)
{
    const uint64_t in_lent = number - m->lent_from;
    uint8_t *bytes = in_lent < m->lent_pages ? m->lent + in_lent * PAGE : own_page(m, number, create);
    if (bytes == NULL) return NULL;
    m->last_number = number;
    m->last = bytes;
    return bytes;
}

void memory_lend(memory *m, uint64_t address, size_t size, uint8_t *bytes)
{
    m->lent = bytes;
    m->lent_from = address >> PAGE_BITS;
    m->lent_pages = bytes != NULL ? size >> PAGE_BITS : 0;
    m->last = NULL;
}

/* The page of `number`, or NULL if it was never written and `create` is 0. */
static inline uint8_t *page(memory *m, uint64_t number, int create)
{
    return m->last != NULL && m->last_number == number ? m->last : other_page(m, number, create);
}

void memory_read(memory *m, uint64_t address, void *to, size_t size)
{
    uint8_t *out = to;
    while (size > 0) {
        size_t offset = (size_t)(address & (PAGE - 1)), n = PAGE - offset < size ? PAGE - offset : size;
        const uint8_t *p = page(m, address >> PAGE_BITS, 0);
        if (p != NULL) memcpy(out, p + offset, n);
        else memset(out, 0, n);
        address += n;
        out += n;
        size -= n;
    }
}

void memory_write(memory *m, uint64_t address, const void *from, size_t size)
{
    const uint8_t *in = from;
    while (size > 0) {
        size_t offset = (size_t)(address & (PAGE - 1)), n = PAGE - offset < size ? PAGE - offset : size;
        uint8_t *p = page(m, address >> PAGE_BITS, 0);
        if (p == NULL && (*in || memcmp(in, in + 1, n - 1))) p = page(m, address >> PAGE_BITS, 1);
        if (p != NULL) memcpy(p + offset, in, n);
        address += n;
        in += n;
        size -= n;
    }
}

uint64_t memory_get64(memory *m, uint64_t address)
{
    const uint8_t *p = page(m, address >> PAGE_BITS, 0);
    uint64_t value = 0;
    if (p != NULL) memcpy(&value, p + (address & (PAGE - 8)), 8);
    return value;
}

void memory_put64(memory *m, uint64_t address, uint64_t value, unsigned lanes)
{
    uint8_t *p = page(m, address >> PAGE_BITS, 1) + (address & (PAGE - 8));
    if ((lanes & 0xff) == 0xff) {
        memcpy(p, &value, 8);
        return;
    }
    for (int i = 0; i < 8; i++)
        if (lanes >> i & 1) p[i] = (uint8_t)(value >> 8 * i);
}

size_t memory_used(const memory *m) { return m->used * PAGE; }
