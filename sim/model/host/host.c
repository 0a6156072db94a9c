/* See host.h. */
#include "sim/model/host/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/host/pcix_table.h"

enum {
    PATTERN_HOLD = 2,
    AFTER_RESET = 8 /* clocks */,
    REPORT_CLOCKS = 16,
    STORE_CLOCKS = 2 /* from a data phase to memory */,
    LISTENERS = 8
};

struct host {
    sim *sim;
    sim_clock *clock;
    const char *name;
    host_params p;
    memory *memory;
    pcix_bus *bus;
    pcix_bridge *bridge;
    pcix_monitor *monitor;
    pcix_faults *faults;
    write_combining *combining;
    bool combines;  /* the write-combining buffers may have something to do */
    bool interrupt; /* INTA# in the last clock */
    host_stats stats;
    uint64_t cleared, cleared_data, cleared_busy; /* clocks of the bus when they were cleared */
    uint8_t order[WC_ORDER];
    int order_count;
    int post_error;
    char device_names[16][16];
    /* a write whose last word is on its way from the bus to memory; due 0: none */
    uint64_t due;
    pcix_transaction write;
    sim_time write_when;
    struct {
        host_written fn;
        void *arg;
    } on_written[LISTENERS];
    int listeners;
};

/* Pieces of write-combined lines become posted writes while the bridge has room. */
static void pump(host *h)
{
    const wc_piece *p;
    while ((p = write_combining_next(h->combining)) != NULL &&
           pcix_bridge_post(h->bridge, p->address, p->data, p->size, p->masked ? p->lanes : NULL, p->combined))
        write_combining_sent(h->combining);
}

/* Stores into the buffers, or a flush of them, in two calls. */
static bool store(host *h, uint64_t address, const void *data, size_t size)
{
    h->combines = true;
    return write_combining_store(h->combining, address, data, size);
}
static void flush(host *h, enum wc_reason reason)
{
    h->combines = true;
    write_combining_flush(h->combining, reason);
}

/* A transaction is reported when the bus is idle again: that may be a clock before its last word is stored. */
static void expect_stored(host *h, const pcix_transaction *t)
{
    if (!h->listeners || t->target != pcix_bridge_agent(h->bridge) || !pcix_is_memory_write(t->command) ||
        t->bytes == 0)
        return;
    h->due = t->last_data + STORE_CLOCKS;
    h->write = *t;
    h->write_when = sim_now(h->sim) - (sim_clock_cycles(h->clock) - t->last_data) * sim_clock_period(h->clock);
}

static void tell_stored(host *h)
{
    h->due = 0;
    for (int i = 0; i < h->listeners; i++) h->on_written[i].fn(h->on_written[i].arg, &h->write, h->write_when);
}

static void tick(void *self)
{
    host *h = self;
    if (h->combines && (h->combines = !write_combining_idle(h->combining))) {
        write_combining_clock(h->combining);
        pump(h);
    }
    const pcix_sample *s = pcix_bus_tick(h->bus);
    bool interrupt = s->inta != 0, rises = interrupt && !h->interrupt;
    h->interrupt = interrupt;
    if (h->due != 0 && h->due <= s->clock) tell_stored(h);
    if (rises && h->p.combining.flush_on_interrupt) flush(h, WC_INTERRUPT);
}

static uint64_t dice(void *self, uint64_t n) { return sim_random_below(((host *)self)->sim, n); }

static void count_transaction(void *self, const pcix_transaction *t)
{
    host *h = self;
    h->stats.transactions++;
    h->stats.by_command[t->command & 15]++;
    h->stats.by_end[t->end & 7]++;
    h->stats.bytes += t->bytes;
    /* what devices move is progress; a CPU that polls is not */
    if (t->bytes != 0 && (t->initiator != pcix_bridge_agent(h->bridge) || t->command == PCIX_SPLIT_COMPLETION))
        sim_progress(h->sim);
    expect_stored(h, t);
}

static void note_posted(void *self, int status)
{
    host *h = self;
    if (status != PCIX_OK && h->post_error == PCIX_OK) h->post_error = status;
}

void host_print_bus(host *h, FILE *f, unsigned clocks)
{
    uint64_t to = pcix_bus_clock(h->bus);
    pcix_table_print(f, h->bus, to > clocks ? to + 1 - clocks : 1, to, 0);
}

static void report(void *self, FILE *f)
{
    host *h = self;
    const pcix_bridge_stats *b = pcix_bridge_get_stats(h->bridge);
    fprintf(f, "bus clock %" PRIu64 ", transactions %" PRIu64 ", posted writes waiting %u, reads split %" PRIu64,
            pcix_bus_clock(h->bus), h->stats.transactions, pcix_bridge_posted(h->bridge), b->reads_split);
    fprintf(f, ", completions %" PRIu64 "\n", b->completions);
    host_print_bus(h, f, REPORT_CLOCKS);
}

/* A broken rule ends the run; report() then shows the clocks that led to it. */
static void violation(void *self, const pcix_violation *v)
{
    host *h = self;
    sim_fail(h->sim, "%s: bus clock %" PRIu64 ": %s: %s (pcix.md %s)%s%s", h->name, v->clock, v->name, v->text,
             v->section, v->detail[0] ? ": " : "", v->detail);
}

static void failing(void *arg, unsigned requester, unsigned tag) { pcix_monitor_failing(arg, requester, tag); }

host *host_new(sim *s, sim_clock *pci, const host_params *params, const char *name)
{
    const char *wrong = host_params_check(params);
    if (wrong != NULL) {
        sim_fail(s, "host %s: %s", name, wrong);
        return NULL;
    }
    host *h = calloc(1, sizeof *h);
    if (h == NULL) return NULL;
    h->sim = s;
    h->clock = pci;
    h->name = name;
    h->p = *params;
    h->memory = memory_new();
    h->combining = write_combining_new(&params->combining, dice, h);
    h->bus = pcix_bus_new();
    if (h->bus != NULL && h->memory != NULL && h->combining != NULL) {
        h->bridge = pcix_bridge_new(h->bus, h->memory, params);
        h->faults = pcix_faults_new(h->bus);
        if (params->monitor) h->monitor = pcix_monitor_new(h->bus);
    }
    if (h->bridge == NULL || h->faults == NULL || (params->monitor && h->monitor == NULL)) {
        host_free(h);
        return NULL;
    }
    if (h->monitor != NULL) {
        pcix_monitor_on_violation(h->monitor, violation, h);
        pcix_monitor_set_bridge(h->monitor, pcix_bridge_agent(h->bridge), params->bus_number, params->parity_response);
        pcix_bridge_on_completion_fault(h->bridge, failing, h->monitor);
    }
    host_on_transaction(h, count_transaction, h);
    pcix_bridge_on_posted(h->bridge, note_posted, h);
    sim_clock_attach(pci, NULL, tick, h);
    sim_report(s, h->clock, report, h, name);
    return h;
}

void host_free(host *h)
{
    if (h == NULL) return;
    sim_clock_detach(h->clock, h);
    pcix_monitor_free(h->monitor);
    pcix_faults_free(h->faults);
    pcix_bridge_free(h->bridge);
    pcix_bus_free(h->bus);
    write_combining_free(h->combining);
    memory_free(h->memory);
    free(h);
}

int host_plug(host *h, int device, const pcix_pins *pins)
{
    if (device < 1 || device > 15) return -1;
    snprintf(h->device_names[device], sizeof h->device_names[device], "device %d", device);
    int agent = pcix_bus_add_device(h->bus, h->device_names[device], device, pins);
    if (agent >= 0 && h->monitor != NULL) pcix_monitor_set_capability(h->monitor, agent, h->p.capability);
    return agent;
}

memory *host_memory(host *h) { return h->memory; }
pcix_bus *host_bus(host *h) { return h->bus; }
pcix_bridge *host_bridge(host *h) { return h->bridge; }
pcix_monitor *host_monitor(host *h) { return h->monitor; }
pcix_faults *host_faults(host *h) { return h->faults; }
sim_clock *host_clock(host *h) { return h->clock; }
const host_stats *host_get_stats(host *h)
{
    const pcix_tracker *k = pcix_bus_tracker(h->bus);
    h->stats.clocks = pcix_bus_clock(h->bus) - h->cleared;
    h->stats.data_clocks = pcix_tracker_data_clocks(k) - h->cleared_data;
    h->stats.idle_clocks = h->stats.clocks - (pcix_tracker_busy_clocks(k) - h->cleared_busy);
    return &h->stats;
}
void host_stats_clear(host *h)
{
    const pcix_tracker *k = pcix_bus_tracker(h->bus);
    h->stats = (host_stats){0};
    h->cleared = pcix_bus_clock(h->bus);
    h->cleared_data = pcix_tracker_data_clocks(k);
    h->cleared_busy = pcix_tracker_busy_clocks(k);
}
const wc_stats *host_combining_stats(const host *h) { return write_combining_get_stats(h->combining); }
int host_add_range(host *h, const host_range *r) { return pcix_bridge_add_range(h->bridge, r) ? 0 : -1; }
void host_clear_ranges(host *h) { pcix_bridge_clear_ranges(h->bridge); }

void host_set_params(host *h, const host_params *params)
{
    const char *wrong = host_params_check(params);
    if (wrong != NULL) {
        sim_fail(h->sim, "host %s: %s", h->name, wrong);
        return;
    }
    h->p = *params;
    pcix_bridge_set_params(h->bridge, params);
    write_combining_set_params(h->combining, &params->combining);
    h->combines = true;
}

int host_on_transaction(host *h, pcix_on_transaction fn, void *arg)
{
    return pcix_tracker_on_transaction(pcix_bus_tracker(h->bus), fn, arg);
}

int host_on_data(host *h, pcix_on_transaction fn, void *arg)
{
    return pcix_tracker_on_data(pcix_bus_tracker(h->bus), fn, arg);
}

int host_on_written(host *h, host_written fn, void *arg)
{
    if (h->listeners == LISTENERS) return -1;
    h->on_written[h->listeners].fn = fn;
    h->on_written[h->listeners++].arg = arg;
    return 0;
}

int host_interrupt(const host *h) { return h->interrupt; }
static int interrupted(void *arg) { return host_interrupt(arg); }
void host_wait_interrupt(host *h) { sim_wait_until(h->clock, interrupted, h); }

void host_reset(host *h)
{
    pcix_bus_set_reset(h->bus, 0);
    write_combining_clear(h->combining);
    pcix_bridge_pattern(h->bridge, true);
    sim_wait_cycles(h->clock, h->p.reset_clocks);
    pcix_bus_set_reset(h->bus, 1);
    sim_wait_cycles(h->clock, PATTERN_HOLD);
    pcix_bridge_pattern(h->bridge, false);
    sim_wait_cycles(h->clock, AFTER_RESET);
    h->post_error = PCIX_OK;
}

/* --- accesses --- */

struct waiter {
    sim_task *task;
    int done;
};

static void wake(void *arg)
{
    struct waiter *w = arg;
    w->done = 1;
    sim_wake(w->task);
}

static int all_left(void *arg) { return write_combining_empty(((host *)arg)->combining); }

static void flush_lines(host *h, enum wc_reason reason)
{
    if (all_left(h)) return;
    flush(h, reason);
    pump(h);
    sim_wait_until(h->clock, all_left, h);
}

/* Ahead of every access that is not write-combining. */
static void uncached(host *h)
{
    if (h->p.combining.flush_on_uncached) flush_lines(h, WC_UNCACHED);
}

static int run_call(host *h, pcix_call *call)
{
    struct waiter w = {.task = sim_task_current(h->sim)};
    if (w.task == NULL) return HOST_BAD_ARGUMENT;
    uncached(h);
    call->done = wake;
    call->arg = &w;
    while (!pcix_bridge_begin(h->bridge, call)) sim_wait_cycles(h->clock, 1);
    while (!w.done) sim_block_on(h->clock);
    return call->status;
}

static int has_room(void *arg)
{
    host *h = arg;
    return pcix_bridge_posted(h->bridge) < h->p.post_depth;
}

static int post(host *h, uint64_t address, const void *data, size_t size, bool combined)
{
    while (!pcix_bridge_post(h->bridge, address, data, size, NULL, combined)) /* another task may be faster */
        sim_wait_until(h->clock, has_room, h);
    return PCIX_OK;
}

static int config(host *h, int command, int device, int reg, int size, uint32_t *value)
{
    if (device < 0 || device > 15 || reg < 0 || reg > 255 || (size != 1 && size != 2 && size != 4) || reg % size != 0)
        return HOST_BAD_ARGUMENT;
    unsigned shift = 8 * (reg & 3u);
    uint32_t word = *value << shift;
    pcix_call c = {
        .command = command,
        .address = 1ull << (16 + device) | (unsigned)device << 11 | ((unsigned)reg & ~3u),
        .enables = (uint8_t)(((1u << size) - 1) << (reg & 3)),
        .data = (uint8_t *)&word,
    };
    int status = run_call(h, &c);
    if (command == PCIX_CONFIG_READ) *value = size == 4 ? word : word >> shift & ((1u << 8 * size) - 1);
    return status;
}

int host_config_read(host *h, int device, int reg, int size, uint32_t *value)
{
    *value = 0;
    return config(h, PCIX_CONFIG_READ, device, reg, size, value);
}

int host_config_write(host *h, int device, int reg, int size, uint32_t value)
{
    return config(h, PCIX_CONFIG_WRITE, device, reg, size, &value);
}

int host_read(host *h, uint64_t address, int size, uint64_t *value)
{
    uint64_t word = 0;
    if (size < 1 || size > 8) return HOST_BAD_ARGUMENT;
    pcix_call c = {.command = PCIX_READ_BLOCK, .address = address, .count = (unsigned)size, .data = (uint8_t *)&word};
    unsigned offset = (unsigned)(address & 3);
    bool dword = offset + (unsigned)size <= 4;
    if (dword) {
        c.command = PCIX_MEMORY_READ_DWORD;
        c.address = address & ~3ull;
        c.enables = (uint8_t)(((1u << size) - 1) << offset);
    }
    int status = run_call(h, &c);
    if (dword) word >>= 8 * offset;
    *value = size == 8 ? word : word & ((1ull << 8 * size) - 1);
    return status;
}

int host_read_block(host *h, uint64_t address, void *to, size_t size)
{
    if (size < 1 || size > 4096) return HOST_BAD_ARGUMENT;
    pcix_call c = {.command = PCIX_READ_BLOCK, .address = address, .count = (unsigned)size, .data = to};
    return run_call(h, &c);
}

int host_write(host *h, uint64_t address, int size, uint64_t value)
{
    if (size < 1 || size > 8 || (address & 7) + (unsigned)size > 8 || sim_task_current(h->sim) == NULL)
        return HOST_BAD_ARGUMENT;
    uncached(h);
    return post(h, address, &value, (size_t)size, false);
}

void host_set_flush_order(host *h, const uint8_t *order, int count)
{
    h->order_count = count < 0 ? 0 : count > WC_ORDER ? WC_ORDER : count;
    if (count > 0) memcpy(h->order, order, (size_t)h->order_count);
    write_combining_set_order(h->combining, order, count);
}

int host_write_combined(host *h, uint64_t address, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    unsigned offset = (unsigned)(address & 63);
    if (size < 1 || offset + size > 64 || sim_task_current(h->sim) == NULL) return HOST_BAD_ARGUMENT;
    if (h->order_count == 0) return post(h, address, data, size, true);
    for (int i = 0; i < h->order_count;) {
        unsigned first = h->order[i], next = first + 1;
        i++;
        if (first > 7) continue;
        while (i < h->order_count && h->order[i] == next) {
            next++;
            i++;
        }
        unsigned from = 8 * first < offset ? offset : 8 * first;
        unsigned to = 8 * next < offset + size ? 8 * next : offset + (unsigned)size;
        if (from >= to) continue;
        int status = post(h, address - offset + from, bytes + (from - offset), to - from, true);
        if (status != PCIX_OK) return status;
    }
    return PCIX_OK;
}

/* As a processor does: 8 bytes at a time. */
int host_combine(host *h, uint64_t address, const void *data, size_t size)
{
    if (size < 1 || (address & 63) + size > 64 || sim_task_current(h->sim) == NULL) return HOST_BAD_ARGUMENT;
    for (size_t at = 0; at < size;) {
        size_t part = 8 - ((address + at) & 7);
        if (part > size - at) part = size - at;
        if (at != 0 && h->p.combining.pause != 0) sim_wait_cycles(h->clock, dice(h, h->p.combining.pause + 1));
        while (!store(h, address + at, (const uint8_t *)data + at, part)) {
            pump(h);
            sim_wait_cycles(h->clock, 1);
        }
        at += part;
    }
    pump(h);
    return PCIX_OK;
}

int host_fence(host *h)
{
    if (sim_task_current(h->sim) == NULL) return HOST_BAD_ARGUMENT;
    flush_lines(h, WC_FENCE);
    return PCIX_OK;
}

static int drained(void *arg) { return pcix_bridge_posted(((host *)arg)->bridge) == 0; }

int host_flush(host *h)
{
    if (sim_task_current(h->sim) == NULL) return HOST_BAD_ARGUMENT;
    sim_wait_until(h->clock, drained, h);
    int status = h->post_error;
    h->post_error = PCIX_OK;
    return status;
}
