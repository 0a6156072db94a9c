#include "sim/app/roce/board/roce_platform.h"

#include <stdlib.h>

enum { HEAP_START = 0x10000000, HEAP_END = 0x70000000, WAIT = 200 * SIM_NS };

/* Pieces of memory that were given back are used again for the same size. */
typedef struct piece {
    struct piece *next;
    uint64_t address, size;
} piece;

typedef struct platform {
    roce_board *board;
    uint64_t next;
    piece *free;
} platform;

static int read32(void *self, uint64_t address, uint32_t *value)
{
    return axi_cpu_read32(((platform *)self)->board->cpu, address, value);
}

static int write32(void *self, uint64_t address, uint32_t value)
{
    return axi_cpu_write32(((platform *)self)->board->cpu, address, value);
}

static void mem_read(void *self, uint64_t address, void *to, size_t size)
{
    memory_read(((platform *)self)->board->bytes_of, address, to, size);
}

static void mem_write(void *self, uint64_t address, const void *from, size_t size)
{
    memory_write(((platform *)self)->board->bytes_of, address, from, size);
}

static uint64_t alloc(void *self, size_t size, size_t alignment)
{
    platform *p = self;
    for (piece **at = &p->free; *at; at = &(*at)->next)
        if ((*at)->size == size && !((*at)->address % alignment)) {
            piece *found = *at;
            uint64_t address = found->address;
            *at = found->next;
            free(found);
            return address;
        }
    uint64_t at = (p->next + alignment - 1) / alignment * alignment;
    if (size > HEAP_END || at > HEAP_END - size) return 0;
    p->next = at + size;
    return at;
}

static void release(void *self, uint64_t address, size_t size)
{
    platform *p = self;
    piece *back = malloc(sizeof *back);
    if (!back) return; /* lost, as long as the run is */
    *back = (piece){p->free, address, size};
    p->free = back;
}

static void wait_a_little(void *self) { sim_wait_time(((platform *)self)->board->sim, WAIT); }

static uint64_t now(void *self) { return sim_now(((platform *)self)->board->sim) / SIM_NS; }

int roce_platform_make(struct nx_platform *p, roce_board *board)
{
    platform *self = malloc(sizeof *self);
    if (!self) return -1;
    *self = (platform){board, HEAP_START, NULL};
    *p = (struct nx_platform){.self = self,
                              .read32 = read32,
                              .write32 = write32,
                              .mem_read = mem_read,
                              .mem_write = mem_write,
                              .alloc = alloc,
                              .release = release,
                              .wait = wait_a_little,
                              .now = now,
                              .window_size = 0x10000};
    return 0;
}

void roce_platform_free(struct nx_platform *p)
{
    platform *self = p->self;
    while (self && self->free) {
        piece *next = self->free->next;
        free(self->free);
        self->free = next;
    }
    free(self);
}
