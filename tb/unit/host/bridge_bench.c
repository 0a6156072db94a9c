/* See bridge_bench.h. */
#include "bridge_bench.h"

#include <stdio.h>

#include "sim/host/pcix_table.h"
#include "test.h"

CLEANUP(memory_free);
CLEANUP(pcix_bus_free);
CLEANUP(pcix_bridge_free);
CLEANUP(pcix_faults_free);

static void complain(void *arg, const pcix_violation *v)
{
    bridge_bench *b = arg;
    pcix_table_print(stderr, b->bus, v->clock > 15 ? v->clock - 15 : 1, v->clock, 0);
    ck_abort_msg("clock %llu: %s: %s (%s) %s", (unsigned long long)v->clock, v->name, v->text, v->section, v->detail);
}

static void record(void *arg, const pcix_transaction *t)
{
    bridge_bench *b = arg;
    if (b->count < BENCH_RECORDS) b->records[b->count++] = *t;
}

void bench_run(bridge_bench *b, unsigned clocks)
{
    while (clocks-- > 0) pcix_bus_tick(b->bus);
}

static void end_check(void *monitor)
{
    ck_assert_uint_eq(pcix_monitor_violations(monitor), 0);
    ck_assert_uint_eq(pcix_monitor_missing(monitor), 0);
    pcix_monitor_free(monitor);
}

void bench_init(bridge_bench *b, const host_params *p)
{
    *b = (bridge_bench){.bus = pcix_bus_new(), .memory = memory_new()};
    after_test(memory_free_cleanup, b->memory);
    after_test(pcix_bus_free_cleanup, b->bus);
    ck_assert_ptr_null(host_params_check(p));
    b->bridge = pcix_bridge_new(b->bus, b->memory, p);
    after_test(pcix_bridge_free_cleanup, b->bridge);
    c_device_init(&b->device, b->bus, 1);
    b->monitor = pcix_monitor_new(b->bus);
    pcix_monitor_on_violation(b->monitor, complain, b);
    pcix_monitor_set_bridge(b->monitor, pcix_bridge_agent(b->bridge), p->bus_number, p->parity_response);
    pcix_monitor_set_capability(b->monitor, b->device.agent, 0x48);
    b->faults = pcix_faults_new(b->bus);
    after_test(pcix_faults_free_cleanup, b->faults);
    after_test(end_check, b->monitor);
    pcix_tracker_on_transaction(pcix_bus_tracker(b->bus), record, b);
    pcix_bridge_pattern(b->bridge, true);
    bench_run(b, 20);
    pcix_bus_set_reset(b->bus, 1);
    bench_run(b, 2);
    pcix_bridge_pattern(b->bridge, false);
    bench_run(b, 8);
    uint32_t command = 0x146, pcix_command = 0x007c0000; /* master, memory, parity, SERR#; 4096 bytes, 32 splits */
    ck_assert_int_eq(bench_config(b, PCIX_CONFIG_WRITE, 0x04, 3, &command), PCIX_OK);
    ck_assert_int_eq(bench_config(b, PCIX_CONFIG_WRITE, 0x48, 12, &pcix_command), PCIX_OK);
    bench_run(b, 20);
    b->count = 0;
    b->calls_done = 0;
}

void bench_finish(bridge_bench *b, const c_dma *dma, unsigned limit)
{
    while (dma != NULL ? !dma->done : pcix_bridge_posted(b->bridge) != 0) {
        ck_assert_msg(limit-- > 0, "not finished");
        bench_run(b, 1);
    }
    bench_run(b, 10);
}

static void done(void *arg)
{
    ++*(int *)arg;
}

static int call(bridge_bench *b, pcix_call *c)
{
    int before = b->calls_done;
    c->done = done;
    c->arg = &b->calls_done;
    ck_assert(pcix_bridge_begin(b->bridge, c));
    for (int i = 0; b->calls_done == before; i++) {
        ck_assert_int_lt(i, 20000);
        bench_run(b, 1);
    }
    return c->status;
}

int bench_config(bridge_bench *b, int command, int reg, unsigned enables, uint32_t *value)
{
    pcix_call c = {
        .command = command, .address = 1u << 17 | 1u << 11 | (unsigned)reg, .enables = (uint8_t)enables, .data = (uint8_t *)value};
    return call(b, &c);
}

int bench_read(bridge_bench *b, int command, uint64_t address, void *to, unsigned count)
{
    pcix_call c = {.command = command, .address = address, .enables = 15, .count = count, .data = to};
    return call(b, &c);
}

void bench_post(bridge_bench *b, uint64_t address, const void *data, unsigned size, bool combined)
{
    while (!pcix_bridge_post(b->bridge, address, data, size, NULL, combined)) bench_run(b, 1);
}

void bench_store(bridge_bench *b, uint64_t address, const void *data, unsigned size, bool combined)
{
    bench_post(b, address, data, size, combined);
    bench_finish(b, NULL, 200);
}

void bench_pattern(uint8_t *to, unsigned size, unsigned seed)
{
    for (unsigned i = 0; i < size; i++) to[i] = (uint8_t)(i * 7 + (i >> 8) * 31 + seed * 101);
}
