/* The driver's platform interface on a simulated host: bus accesses block the calling task, memory is the host's own.
 */
#include <string.h>

#include "nx_bump.h"
#include "sim/system/nodes/node.h"

static int config_read(void *self, int device, int reg, int size, uint32_t *value)
{
    node *n = self;
    return host_config_read(n->host, device, reg, size, value);
}

static int config_write(void *self, int device, int reg, int size, uint32_t value)
{
    node *n = self;
    return host_config_write(n->host, device, reg, size, value);
}

static int read32(void *self, uint64_t address, uint32_t *value)
{
    node *n = self;
    uint64_t wide = 0;
    int result = host_read(n->host, address, 4, &wide);
    *value = (uint32_t)wide;
    return result;
}

/* No wait has one: who stores is getting on, also where nothing else moves (traces and samples are read by index). */
static int write32(void *self, uint64_t address, uint32_t value)
{
    node *n = self;
    int result = host_write(n->host, address, 4, value);
    sim_progress(n->s);
    return result;
}

static int read64(void *self, uint64_t address, uint64_t *value)
{
    node *n = self;
    return host_read(n->host, address, 8, value);
}

static int write64(void *self, uint64_t address, uint64_t value)
{
    node *n = self;
    return host_write(n->host, address, 8, value);
}

static int write_combined(void *self, uint64_t address, const void *from, size_t size)
{
    node *n = self;
    return host_combine(n->host, address, from, size);
}

static int fence(void *self)
{
    node *n = self;
    return host_fence(n->host);
}

static void mem_read(void *self, uint64_t address, void *to, size_t size)
{
    node *n = self;
    memory_read(host_memory(n->host), address, to, size);
}

static void mem_write(void *self, uint64_t address, const void *from, size_t size)
{
    node *n = self;
    memory_write(host_memory(n->host), address, from, size);
}

static uint64_t mem_exchange64(void *self, uint64_t address, uint64_t value)
{
    node *n = self;
    uint64_t old = memory_get64(host_memory(n->host), address);
    memory_put64(host_memory(n->host), address, value, 0xff);
    return old;
}

static uint64_t alloc(void *self, size_t size, size_t alignment)
{
    node *n = self;
    return nx_bump_alloc(&n->next, NODE_MEMORY_END, size, alignment);
}

static void release(void *self, uint64_t address, size_t size)
{
    node *n = self;
    nx_bump_release(&n->next, address, size);
}

static void wait_a_little(void *self)
{
    node *n = self;
    sim_wait_cycles(n->pci_clock, 20);
}

struct interrupt_wait {
    node *n;
    sim_time deadline;
};

static int interrupt_or_late(void *arg)
{
    struct interrupt_wait *w = arg;
    return host_interrupt(w->n->host) || sim_now(w->n->s) >= w->deadline ||
           (w->n->awake && w->n->awake(w->n->awake_arg));
}

static int wait_interrupt(void *self, uint64_t timeout_ns)
{
    node *n = self;
    struct interrupt_wait w = {n, sim_now(n->s) + timeout_ns * SIM_NS};
    sim_wait_until(n->pci_clock, interrupt_or_late, &w);
    return host_interrupt(n->host) ? 0 : n->awake && n->awake(n->awake_arg) ? 1 : -1;
}

static uint64_t now(void *self)
{
    node *n = self;
    return sim_now(n->s) / SIM_NS;
}

void node_platform(node *n)
{
    n->next = NODE_MEMORY;
    n->platform = (struct nx_platform){
        .self = n,
        .config_read = config_read,
        .config_write = config_write,
        .read32 = read32,
        .write32 = write32,
        .read64 = read64,
        .write64 = write64,
        .write_combined = write_combined,
        .fence = fence,
        .mem_read = mem_read,
        .mem_write = mem_write,
        .mem_exchange64 = mem_exchange64,
        .alloc = alloc,
        .release = release,
        .wait = wait_a_little,
        .wait_interrupt = wait_interrupt,
        .now = now,
        .window_base = n->params.window,
        .window_size = NODE_WINDOW_BYTES,
    };
}
