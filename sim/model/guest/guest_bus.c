#include "sim/model/guest/guest_bus.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, BLOCK = 4096, BAR0 = 0x10, BAR_FLAGS = 15 };

typedef struct entry {
    struct entry *next;
    guest_access a;
    sim_time made;
    int late;       /* a read that has ended in ones, or of an earlier guest */
    uint8_t data[]; /* of a write, or for the answer */
} entry;

struct guest_bus {
    sim *s;
    host *h;
    int device;
    sim_task *task;
    guest_front front;
    const guest_memory *memory;     /* NULL: no guest */
    entry *first, **last, *current; /* queued; on the bus */
    unsigned open;
    int reset;     /* RST# is to be released */
    uint64_t life; /* counts guests: answers for earlier ones are dropped */
    uint8_t bars[4 * GUEST_BARS];
    sim_time active, again, patience;
    guest_bus_counts counts;
};

/* ---- one access on the bus, from the task ---- */

static uint64_t address_of(const guest_bus *b, const guest_access *a)
{
    uint32_t bar;
    memcpy(&bar, b->bars + 4 * a->bar, sizeof bar);
    return (bar & ~(uint32_t)BAR_FLAGS) + a->at;
}

static int config_write(guest_bus *b, const entry *e)
{
    uint32_t value = 0;
    memcpy(&value, e->data, e->a.size);
    for (uint32_t i = 0; i < e->a.size; i++)
        if (e->a.at + i - BAR0 < sizeof b->bars) b->bars[e->a.at + i - BAR0] = e->data[i];
    b->counts.config_writes++;
    return host_config_write(b->h, b->device, (int)e->a.at, (int)e->a.size, value);
}

static int config_read(guest_bus *b, entry *e)
{
    uint32_t value = 0;
    int status = host_config_read(b->h, b->device, (int)e->a.at, (int)e->a.size, &value);
    memcpy(e->data, &value, e->a.size);
    b->counts.config_reads++;
    return status;
}

static uint32_t up_to(uint32_t most, uint32_t left) { return left < most ? left : most; }

static int write_lines(guest_bus *b, uint64_t at, const uint8_t *data, uint32_t size)
{
    b->counts.combined++;
    for (uint32_t part; size; at += part, data += part, size -= part) {
        part = up_to(LINE - at % LINE, size);
        host_combine(b->h, at, data, part);
    }
    return host_fence(b->h);
}

static int write_memory(guest_bus *b, const entry *e)
{
    const uint64_t at = address_of(b, &e->a);
    uint64_t value = 0;
    b->counts.writes++;
    if (at % 8 + e->a.size > 8) return write_lines(b, at, e->data, e->a.size);
    memcpy(&value, e->data, e->a.size);
    return host_write(b->h, at, (int)e->a.size, value);
}

static int read_block(guest_bus *b, uint64_t at, uint8_t *data, uint32_t size)
{
    int failed = 0;
    for (uint32_t part; size; at += part, data += part, size -= part) {
        part = up_to(BLOCK - at % BLOCK, size);
        if (host_read_block(b->h, at, data, part)) failed = -1;
    }
    return failed;
}

static int read_memory(guest_bus *b, entry *e)
{
    const uint64_t at = address_of(b, &e->a);
    uint64_t value;
    b->counts.reads++;
    if (e->a.size > 8) return read_block(b, at, e->data, e->a.size);
    int status = host_read(b->h, at, (int)e->a.size, &value);
    memcpy(e->data, &value, e->a.size);
    return status;
}

static int is_read(const guest_access *a) { return a->operation == GUEST_CONFIG_READ || a->operation == GUEST_READ; }

static void carry_out(guest_bus *b, entry *e)
{
    const uint64_t life = b->life;
    const int read = is_read(&e->a);
    const int status = e->a.operation == GUEST_CONFIG_READ    ? config_read(b, e)
                       : e->a.operation == GUEST_CONFIG_WRITE ? config_write(b, e)
                       : read                                 ? read_memory(b, e)
                                                              : write_memory(b, e);
    if (life != b->life || e->late) return;
    b->counts.failed += status != 0;
    b->open--;
    b->active = sim_now(b->s); /* the bridge may have a store that the pins have not shown yet */
    if (read) b->front.answered(b->front.self, e->a.ticket, e->data, e->a.size);
}

/* ---- the task ---- */

static entry *take(guest_bus *b)
{
    entry *e = b->first;
    b->first = e->next;
    if (!b->first) b->last = &b->first;
    return e;
}

static void run(void *self)
{
    guest_bus *b = self;
    for (;;) {
        if (b->reset) {
            b->reset = 0;
            b->counts.resets++;
            host_reset(b->h);
        } else if (b->first) {
            b->current = take(b);
            if (!b->current->late) carry_out(b, b->current);
            free(b->current);
            b->current = NULL;
        } else sim_block_on(host_clock(b->h));
    }
}

/* ---- what a front end calls ---- */

static void drop_all(guest_bus *b)
{
    while (b->first) free(take(b));
    b->open = 0;
    b->life++;
}

/* Addresses outside of the memory are claimed by nobody. */
static void lend(guest_bus *b, const guest_memory *m)
{
    const uint64_t from = m ? m->from : 0, end = m ? from + m->size : 0;
    const host_range below = {0, from - 1, HOST_RANGE_NOBODY, 0}, above = {end, UINT64_MAX, HOST_RANGE_NOBODY, 0};
    memory_lend(host_memory(b->h), from, m ? m->size : 0, m ? m->bytes : NULL);
    host_clear_ranges(b->h);
    if (from) host_add_range(b->h, &below);
    host_add_range(b->h, &above);
}

static void plug(void *self, const guest_memory *m)
{
    guest_bus *b = self;
    drop_all(b);
    memset(b->bars, 0, sizeof b->bars);
    b->memory = m;
    lend(b, m);
    b->again = 0;
    b->reset = 1;
    sim_wake(b->task);
}

static void unplug(void *self)
{
    guest_bus *b = self;
    drop_all(b);
    b->memory = NULL;
    b->reset = 0;
    pcix_bus_set_reset(host_bus(b->h), 0);
    lend(b, NULL);
}

static int access_device(void *self, const guest_access *a)
{
    guest_bus *b = self;
    if (b->open == GUEST_QUEUED) return -1;
    entry *e = calloc(1, sizeof *e + a->size);
    if (!e) return -1;
    e->a = *a;
    e->made = sim_now(b->s);
    if (!is_read(a)) memcpy(e->data, a->data, a->size);
    *b->last = e;
    b->last = &e->next;
    b->open++;
    sim_wake(b->task);
    return 0;
}

/* ---- what the bus does ---- */

static void note_transaction(void *self, const pcix_transaction *t)
{
    guest_bus *b = self;
    (void)t;
    b->active = sim_now(b->s);
}

static void end_if_late(guest_bus *b, entry *e)
{
    if (!is_read(&e->a) || e->late || sim_now(b->s) < e->made + b->patience) return;
    e->late = 1;
    memset(e->data, 0xff, e->a.size);
    b->counts.failed++;
    b->open--;
    b->front.answered(b->front.self, e->a.ticket, e->data, e->a.size);
}

static void look(void *self)
{
    guest_bus *b = self;
    if (b->open && b->current) end_if_late(b, b->current);
    if (b->open)
        for (entry *e = b->first; e; e = e->next) end_if_late(b, e);
    if (!host_interrupt(b->h) || !b->memory) {
        b->again = 0;
        return;
    }
    if (sim_now(b->s) < b->again) return;
    b->active = sim_now(b->s);
    b->again = b->active + GUEST_BUS_AGAIN;
    b->counts.raised++;
    b->front.raised(b->front.self);
}

/* ---- life ---- */

guest_bus *guest_bus_new(sim *s, sim_group *group, host *h, int device)
{
    guest_bus *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    *b = (guest_bus){.s = s, .h = h, .device = device, .last = &b->first, .patience = GUEST_BUS_PATIENCE};
    b->task = sim_task_new_in(group, "guest", run, b);
    sim_clock_attach(host_clock(h), NULL, look, b);
    host_on_transaction(h, note_transaction, b);
    lend(b, NULL);
    return b;
}

void guest_bus_free(guest_bus *b)
{
    if (!b) return;
    sim_clock_detach(host_clock(b->h), b);
    drop_all(b);
    free(b->current);
    free(b);
}

void guest_bus_set_front(guest_bus *b, const guest_front *front) { b->front = *front; }

void guest_bus_set_patience(guest_bus *b, sim_time patience) { b->patience = patience; }

guest_device guest_bus_device(guest_bus *b) { return (guest_device){b, plug, unplug, access_device}; }

unsigned guest_bus_open(const guest_bus *b) { return b->open; }
sim_time guest_bus_active(const guest_bus *b) { return b->active; }
const guest_bus_counts *guest_bus_get_counts(const guest_bus *b) { return &b->counts; }
