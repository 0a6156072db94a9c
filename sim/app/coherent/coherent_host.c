#include "sim/app/coherent/coherent_host.h"

#include "coherent_register_map.h"
#include "nc_ni.h"
#include "sync_register_map.h"

enum {
    LOAD_PS = 1000,                   /* [ps] of a load or store that the host's cache has */
    CORE_PS = 333,                    /* [ps] of a clock of nc_platform.work */
    MEMORY = NC_AT_PROGRAM + 0x10000, /* [bytes] */
    ALIGNMENT = 0x10000,              /* of all rings and areas */
    SLOTS = 16                        /* of a send queue, at most */
};

static void pass(coherent_host *h, sim_time ps)
{
    sim_time clock = sim_clock_period(h->n->pci_clock);
    h->ahead += ps;
    if (h->ahead < clock) return;
    sim_wait_cycles(h->n->pci_clock, h->ahead / clock);
    h->ahead %= clock;
}

static int fail(coherent_host *h, const char *what, uint32_t address)
{
    sim_fail(h->n->s, "%s: %s at 0x%08x: %s", h->n->name, what, address, nx_last_error(h->n->dev));
    return -1;
}

/* ---- memory: words of 64 bits have their upper half at the lower address, in the host's at the upper one */

static uint32_t memory_at(const coherent_host *h, uint32_t offset) { return h->base + (offset ^ 4); }

static uint32_t get32(const coherent_host *h, uint32_t offset)
{
    uint8_t b[4];
    h->n->platform.mem_read(h->n->platform.self, memory_at(h, offset), b, 4);
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put32(const coherent_host *h, uint32_t offset, uint32_t value)
{
    const uint8_t b[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    h->n->platform.mem_write(h->n->platform.self, memory_at(h, offset), b, 4);
}

/* ---- send queues */

static uint32_t field(uint32_t value, uint32_t mask) { return (value & mask) / (mask & -mask); }

/* The slot at `offset` as a descriptor; its payload is read where it is. */
static nx_descriptor descriptor_of(const coherent_host *h, uint32_t offset)
{
    uint32_t high = get32(h, offset), low = get32(h, offset + 4);
    nx_descriptor d = {.source = h->base + offset + 8,
                       .destination = low,
                       .words = high & 0x3ff,
                       .flow = high >> 20 & 0x7f,
                       .flags = NX_LOCAL | NX_START | (high >> 31 ? NX_OPERATION : 0)};
    if (!(high >> 19 & 1)) d.source = h->base + get32(h, offset + 12);
    else if (d.words == 1) {
        d.source = (uint64_t)get32(h, offset + 8) << 32 | get32(h, offset + 12);
        d.flags |= NX_IMMEDIATE;
    }
    return d;
}

static void ring(coherent_host *h, unsigned q, uint32_t written)
{
    unsigned log2_slots = field(h->send_control[q], CNI_SEND0_CONTROL_LOG2_SLOTS_MASK);
    unsigned log2_slot = field(h->send_control[q], CNI_SEND0_CONTROL_LOG2_SLOT_MASK);
    for (; (uint16_t)(written - h->posted[q]); h->posted[q]++) {
        uint32_t slot = h->posted[q] & ((1u << log2_slots) - 1);
        nx_descriptor d = descriptor_of(h, h->send_base[q] + (slot << log2_slot));
        if (nx_post(h->n->dev, &d, &h->ticket[q][h->posted[q] % SLOTS])) fail(h, "a send slot", slot);
    }
}

static uint32_t consumed(coherent_host *h, unsigned q)
{
    while (h->left[q] != h->posted[q] && nx_done(h->n->dev, &h->ticket[q][h->left[q] % SLOTS]) == 1) h->left[q]++;
    return h->left[q] & CNI_SEND0_CONSUMED_SLOTS_MASK;
}

/* ---- registers */

static uint32_t load_register(coherent_host *h, uint32_t offset)
{
    uint32_t value = 0;
    if (offset >= SYNC_QUEUE_BASE_LOW && offset < 0x1000) {
        if (nx_register_read(h->n->dev, offset, &value)) fail(h, "a load", offset);
        return value;
    }
    pass(h, sim_clock_period(h->n->pci_clock));
    for (unsigned q = 0; q < 2; q++)
        if (offset == CNI_SEND0_CONSUMED + q * (CNI_SEND1_CONTROL - CNI_SEND0_CONTROL)) return consumed(h, q);
    return offset == CNI_LINK_STATUS ? CNI_LINK_STATUS_UP_MASK : 0;
}

static int is_base(uint32_t offset)
{
    return (offset < SYNC_COUNTER_VALUE && offset % 32 == SYNC_QUEUE_BASE_LOW % 32) ||
           offset == SYNC_COUNTER_BASE_LOW || offset == SYNC_ANSWER_BASE_LOW || offset == SYNC_REFUSED_BASE_LOW;
}

static void store_register(coherent_host *h, uint32_t offset, uint32_t value)
{
    if (offset >= SYNC_QUEUE_BASE_LOW && offset < 0x1000) {
        if (nx_register_write(h->n->dev, offset, is_base(offset) ? h->base + value : value)) fail(h, "a store", offset);
        return;
    }
    for (unsigned q = 0; q < 2; q++) {
        uint32_t step = q * (CNI_SEND1_CONTROL - CNI_SEND0_CONTROL);
        if (offset == CNI_SEND0_CONTROL + step) h->send_control[q] = value;
        if (offset == CNI_SEND0_BASE + step) h->send_base[q] = value;
        if (offset == CNI_SEND0_DOORBELL + step) ring(h, q, value);
    }
}

/* ---- the platform */

static uint32_t load32(void *self, uint32_t address)
{
    coherent_host *h = self;
    if (address - NC_REGISTERS < 0x1000) return load_register(h, address - NC_REGISTERS);
    pass(h, LOAD_PS);
    if (address - NC_COHERENT < MEMORY) return get32(h, address - NC_COHERENT);
    fail(h, "a load", address);
    return ~0u;
}

static void store32(void *self, uint32_t address, uint32_t value)
{
    coherent_host *h = self;
    pass(h, LOAD_PS);
    if (address - NC_REGISTERS < 0x1000) store_register(h, address - NC_REGISTERS, value);
    else if (address - NC_COHERENT < MEMORY) put32(h, address - NC_COHERENT, value);
    else fail(h, "a store", address);
    sim_progress(h->n->s);
}

static void synchronise(void *self) { (void)self; }
static void work(void *self, uint32_t clocks) { pass(self, (sim_time)clocks * CORE_PS); }

static uint64_t now(void *self)
{
    coherent_host *h = self;
    return sim_now(h->n->s) + h->ahead;
}

int coherent_host_open(coherent_host *h, node *n, const nc_options *options)
{
    *h = (coherent_host){
        .n = n,
        .options = *options,
        .platform = {.self = h, .load32 = load32, .store32 = store32, .sync = synchronise, .work = work, .now = now},
        .base = (uint32_t)n->platform.alloc(n->platform.self, MEMORY, ALIGNMENT)};
    h->options.ni = NC_MEMORY;
    h->options.send = NC_SEND_DOORBELL;
    if (!h->base) return fail(h, "no memory for programs", 0);
    return nx_sync_open(n->dev, &h->sync) ? fail(h, "queues and counters", SYNC_BUILD) : 0;
}

void coherent_host_close(coherent_host *h)
{
    nx_sync_close(h->sync);
    h->sync = NULL;
}
