#include "mock_host.h"

#include <string.h>

#include "simulation.h"
#include "test.h"

/* ---- tasks: coroutines of a simulator, a clock a turn */

static sim *turns;
static sim_clock *turn;

static void yield(void)
{
    if (turns && sim_task_current(turns)) sim_wait_cycles(turn, 1);
}

void mock_run(const struct mock_task *tasks, unsigned count)
{
    sim_params p;
    sim_params_default(&p);
    p.watchdog = 0;
    turns = sim_new(&p);
    turn = make_clock(turns, "turn", 1000, 0);
    for (unsigned i = 0; i < count; i++) sim_task_new(turns, "task", tasks[i].run, tasks[i].arg);
    ck_assert_int_eq(sim_run(turns, SIM_FOREVER), SIM_OK);
    sim_free(turns);
    turns = NULL;
}

/* ---- platform */

/* A piece of a write-combined line may reach the device in every step. */
static void combine(mock_host *h)
{
    const wc_piece *p;
    write_combining_clock(h->combining);
    if (!(p = write_combining_next(h->combining))) return;
    for (unsigned i = 0; i < p->size; i += 4) {
        const uint8_t *b = p->data + i;
        ck_assert(!p->masked && p->address % 4 == 0);
        if (mock_bar_write(h->nic, p->address + i,
                           b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24) < 0)
            h->combining_failed = 1;
    }
    write_combining_sent(h->combining);
}

static void pause_host(mock_host *h)
{
    mock_step(h->net);
    combine(h);
    yield();
}

static mock_nic *slot(mock_host *h, int device)
{
    if (device == h->nic->device) return h->nic;
    for (unsigned i = 0; i < h->net->nodes; i++)
        if (h->device_count > 1 && h->net->node[i].device == device) return &h->net->node[i];
    return NULL;
}

static int config_read(void *self, int device, int reg, int size, uint32_t *value)
{
    mock_host *h = self;
    h->config_accesses++;
    pause_host(h);
    if (!slot(h, device)) return -1;
    *value = mock_config_read(slot(h, device), reg, size);
    return 0;
}

static int config_write(void *self, int device, int reg, int size, uint32_t value)
{
    mock_host *h = self;
    h->config_accesses++;
    pause_host(h);
    if (!slot(h, device)) return -1;
    mock_config_write(slot(h, device), reg, size, value);
    return 0;
}

static int read32(void *self, uint64_t address, uint32_t *value)
{
    mock_host *h = self;
    pause_host(h);
    if (h->fail_reads) return -1;
    return mock_bar_read(h->nic, address, value);
}

static int write32(void *self, uint64_t address, uint32_t value)
{
    mock_host *h = self;
    h->writes32++;
    pause_host(h);
    return mock_bar_write(h->nic, address, value);
}

static int read64(void *self, uint64_t address, uint64_t *value)
{
    uint32_t low, high;
    if (read32(self, address, &low) < 0 || read32(self, address + 4, &high) < 0) return -1;
    *value = (uint64_t)high << 32 | low;
    return 0;
}

static int write64(void *self, uint64_t address, uint64_t value)
{
    mock_host *h = self;
    h->writes64++;
    pause_host(h);
    if (mock_bar_write(h->nic, address, (uint32_t)value) < 0) return -1;
    return mock_bar_write(h->nic, address + 4, (uint32_t)(value >> 32));
}

static int write_combined(void *self, uint64_t address, const void *from, size_t size)
{
    mock_host *h = self;
    ck_must(size <= 64 && size % 8 == 0 && address % 8 == 0 && address / 64 == (address + size - 1) / 64,
            "%zu bytes are written to %llx: expected whole words of one line", size, (unsigned long long)address);
    h->lines++;
    pause_host(h);
    for (size_t i = 0; i < size; i += 8) {
        if (h->wild && mock_random(h->net) % 4 == 0) pause_host(h);
        while (!write_combining_store(h->combining, address + i, (const uint8_t *)from + i, 8)) pause_host(h);
    }
    return 0;
}

static int fence(void *self)
{
    mock_host *h = self;
    h->fences++;
    write_combining_flush(h->combining, WC_FENCE);
    while (!write_combining_empty(h->combining)) pause_host(h);
    return h->combining_failed ? -1 : 0;
}

static void mem_read(void *self, uint64_t address, void *to, size_t size)
{
    mock_host *h = self;
    h->mem_reads++;
    ck_must(address + size <= MOCK_MEMORY, "%zu bytes at %llx: the memory ends there", size,
            (unsigned long long)address);
    memcpy(to, h->nic->memory + address, size);
}

static void mem_write(void *self, uint64_t address, const void *from, size_t size)
{
    mock_host *h = self;
    ck_must(address + size <= MOCK_MEMORY, "%zu bytes at %llx: the memory ends there", size,
            (unsigned long long)address);
    memcpy(h->nic->memory + address, from, size);
}

static uint64_t mem_exchange64(void *self, uint64_t address, uint64_t value)
{
    mock_host *h = self;
    uint64_t old = mock_get64(h->nic, address);
    mock_set64(h->nic, address, value);
    return old;
}

static uint64_t alloc(void *self, size_t size, size_t alignment)
{
    mock_host *h = self;
    uint64_t address = (h->next_free + alignment - 1) & ~(uint64_t)(alignment - 1);
    if (address + size > h->alloc_limit) return 0;
    h->next_free = address + size;
    h->allocated += size;
    mock_allow(h->nic, address, size);
    return address;
}

static void release(void *self, uint64_t address, size_t size)
{
    mock_host *h = self;
    h->allocated -= size;
    if (!h->lies_fallow) mock_forbid(h->nic, address);
}

static void wait_a_little(void *self) { pause_host(self); }

static int wait_interrupt(void *self, uint64_t timeout_ns)
{
    mock_host *h = self;
    uint64_t end = h->net->now + timeout_ns;
    h->irq_waits++;
    while (!mock_interrupt(h->nic)) {
        if (h->awake && h->awake(h->awake_arg)) return 1;
        if (h->net->now >= end) {
            h->irq_timeouts++;
            return -1;
        }
        pause_host(h);
    }
    return 0;
}

static uint64_t now(void *self) { return ((mock_host *)self)->net->now; }

static uint64_t dice(void *self, uint64_t n) { return mock_random(((mock_host *)self)->net) % n; }

void mock_host_wild(mock_host *h)
{
    write_combining_params p = write_combining_wild();
    p.evict = 200; /* a step of this host is many clocks */
    p.gap = 2;
    h->wild = 1;
    write_combining_set_params(h->combining, &p);
}

CLEANUP(write_combining_free);

void mock_host_init(mock_host *h, mock_net *net, unsigned node)
{
    write_combining_params quiet = write_combining_quiet();
    memset(h, 0, sizeof *h);
    h->combining = write_combining_new(&quiet, dice, h);
    after_test(write_combining_free_cleanup, h->combining);
    h->nic = &net->node[node];
    h->net = net;
    h->device_count = 1;
    h->next_free = MOCK_HEAP + 0x100000 * node;
    h->alloc_limit = MOCK_MEMORY;
    mock_allow(h->nic, MOCK_MAILBOX, 0x100000);
    h->platform = (struct nx_platform){.self = h,
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
                                       .window_base = MOCK_WINDOW,
                                       .window_size = 0x10000000};
}

CLEANUP(nx_bus_free);

nx_bus *mock_scan(mock_host *h, const nx_bus_params *params, int result)
{
    nx_bus *bus;
    int error = nx_bus_scan(&h->platform, params, &bus);
    after_test(nx_bus_free_cleanup, bus);
    ck_assert_msg(error == result, "%d: %s", error, nx_bus_last_error(bus));
    return bus;
}

nx_device *mock_try_open(mock_host *h, const nx_params *params, int result)
{
    nx_device *dev;
    int error =
        nx_open(&h->platform, nx_bus_find(mock_scan(h, NULL, NX_OK), NX_VENDOR_ID, NX_DEVICE_ID, 0), params, &dev);
    ck_assert_msg(error == result, "%d: %s", error, nx_last_error(dev));
    return dev;
}

nx_device *mock_open(mock_host *h, const nx_params *params) { return mock_try_open(h, params, NX_OK); }
