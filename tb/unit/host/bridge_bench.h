/* A bridge, its memory, a C device and a monitor that fails the test, on one bus without the simulator. */
#ifndef NICXBAR_TB_BRIDGE_BENCH_H
#define NICXBAR_TB_BRIDGE_BENCH_H

#include "c_device.h"
#include "sim/host/pcix_bridge.h"
#include "sim/host/pcix_fault.h"
#include "sim/host/pcix_monitor.h"

enum { BENCH_RECORDS = 256 };

typedef struct bridge_bench {
    pcix_bus *bus;
    memory *memory;
    pcix_bridge *bridge;
    pcix_monitor *monitor;
    pcix_faults *faults;
    c_device device;
    pcix_transaction records[BENCH_RECORDS]; /* every transaction since bench_init, the first ones */
    unsigned count;
    int calls_done;
} bridge_bench;

/* Out of reset, the device configured (device 1 of bus 0, bus master on) and `count` back at 0. After the test the monitor has seen nothing
 * wrong. */
void bench_init(bridge_bench *b, const host_params *p);
void bench_run(bridge_bench *b, unsigned clocks);
/* Runs until the DMA (NULL: everything posted by the CPU) is done; fails the test after `limit` clocks. */
void bench_finish(bridge_bench *b, const c_dma *dma, unsigned limit);
/* CPU accesses, waiting for their end. They return the status. */
int bench_config(bridge_bench *b, int command, int reg, unsigned enables, uint32_t *value);
int bench_read(bridge_bench *b, int command, uint64_t address, void *to, unsigned count);
void bench_post(bridge_bench *b, uint64_t address, const void *data, unsigned size, bool combined);
/* And until it has been on the bus, at most 200 clocks. */
void bench_store(bridge_bench *b, uint64_t address, const void *data, unsigned size, bool combined);
/* Fills with bytes that differ from place to place. */
void bench_pattern(uint8_t *to, unsigned size, unsigned seed);

#endif
