// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Memory for DMA at the same bus address on all hosts. The kernel gives blocks of 4 MB at most, at addresses of its
 * choice: all that are free are taken until those of the pool are among them, and the others given back. Soon after
 * boot, when the module is loaded, little memory is in use, and that at its beginning. */
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "nicxbar.h"

struct block {
    struct block *next; /* in the block itself */
    dma_addr_t bus;
};

static void *take(struct nicxbar *n, dma_addr_t *bus)
{
    return dma_alloc_coherent(&n->pci->dev, NICXBAR_BLOCK, bus, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
}

int nicxbar_pool_begin(struct nicxbar *n, u64 at, size_t bytes)
{
    struct nicxbar_pool *p = &n->pool;
    const size_t blocks = bytes / NICXBAR_BLOCK;
    void **had = kcalloc(blocks, sizeof *had, GFP_KERNEL);
    size_t count = 0, one_piece = 1;
    struct block *others = NULL;
    p->used = bitmap_zalloc(bytes / PAGE_SIZE, GFP_KERNEL);
    spin_lock_init(&p->lock);
    while (had && p->used && count < blocks) {
        dma_addr_t bus;
        void *memory = take(n, &bus);
        if (!memory) break;
        if (bus >= at && bus - at < bytes) {
            had[(bus - at) / NICXBAR_BLOCK] = memory;
            count++;
        } else {
            struct block *b = memory;
            *b = (struct block){others, bus};
            others = b;
        }
    }
    while (others) {
        struct block b = *others;
        dma_free_coherent(&n->pci->dev, NICXBAR_BLOCK, others, b.bus);
        others = b.next;
    }
    for (size_t i = 1; count == blocks && i < blocks; i++) one_piece &= had[i] == had[i - 1] + NICXBAR_BLOCK;
    if (!blocks || count < blocks || !one_piece) {
        dev_err(&n->pci->dev,
                "no memory for DMA of %zu bytes at 0x%llx (pool_mb, pool_at): %zu of %zu blocks are free\n", bytes, at,
                count, blocks);
        for (size_t i = 0; had && i < blocks; i++)
            if (had[i]) dma_free_coherent(&n->pci->dev, NICXBAR_BLOCK, had[i], at + i * NICXBAR_BLOCK);
        bitmap_free(p->used);
        kfree(had);
        return -ENOMEM;
    }
    p->bus = at;
    p->memory = had[0];
    p->bytes = bytes;
    kfree(had);
    return 0;
}

void nicxbar_pool_end(struct nicxbar *n)
{
    struct nicxbar_pool *p = &n->pool;
    for (size_t at = 0; at < p->bytes; at += NICXBAR_BLOCK)
        dma_free_coherent(&n->pci->dev, NICXBAR_BLOCK, p->memory + at, p->bus + at);
    if (p->bytes) bitmap_free(p->used);
    p->bytes = 0;
}

void nicxbar_pool_empty(struct nicxbar *n) { bitmap_zero(n->pool.used, n->pool.bytes / PAGE_SIZE); }

u64 nicxbar_alloc(struct nicxbar *n, size_t size, size_t alignment)
{
    struct nicxbar_pool *p = &n->pool;
    const unsigned long pages = p->bytes / PAGE_SIZE, wanted = DIV_ROUND_UP(size, PAGE_SIZE);
    unsigned long flags, first;
    if (!size || size > p->bytes || alignment > NICXBAR_BLOCK) return 0;
    spin_lock_irqsave(&p->lock, flags);
    first = bitmap_find_next_zero_area(p->used, pages, 0, wanted, max_t(size_t, alignment / PAGE_SIZE, 1) - 1);
    if (first < pages) bitmap_set(p->used, first, wanted);
    spin_unlock_irqrestore(&p->lock, flags);
    return first < pages ? p->bus + first * PAGE_SIZE : 0;
}

void nicxbar_release(struct nicxbar *n, u64 address, size_t size)
{
    struct nicxbar_pool *p = &n->pool;
    unsigned long flags;
    if (WARN_ON(!nicxbar_memory(n, address, size))) return;
    spin_lock_irqsave(&p->lock, flags);
    bitmap_clear(p->used, (address - p->bus) / PAGE_SIZE, DIV_ROUND_UP(size, PAGE_SIZE));
    spin_unlock_irqrestore(&p->lock, flags);
}

void *nicxbar_memory(const struct nicxbar *n, u64 address, size_t size)
{
    const struct nicxbar_pool *p = &n->pool;
    const u64 offset = address - p->bus;
    return address < p->bus || size > p->bytes || offset > p->bytes - size ? NULL : p->memory + offset;
}
