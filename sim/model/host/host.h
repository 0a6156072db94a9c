/* A host: CPU, memory, bridge and PCI-X bus, into which devices are plugged.
 *
 *     host_params p = host_params_ideal();
 *     host *h = host_new(sim, pci_clock, &p, "host0");
 *     nic *n = nic_new(sim, "nic0");
 *     pcix_pins pins = PCIX_PINS(n);
 *     host_plug(h, 1, &pins);                    // device 1; also connect n's pci_clk with sim_model_clock
 *     ... and in a task:
 *     host_reset(h);                             // RST# is low until then
 *     host_config_write(h, 1, 0x10, 4, 0xd0000000);
 *     host_write(h, 0xd0000000, 4, 1);
 *
 * Accesses block the calling task until the bus has done its part; other tasks and hosts go on. Accesses of host
 * software to its own memory do not touch the bus: memory_read and memory_write on host_memory.
 *
 * The protocol monitor checks every clock and ends the run with the rule and the last clocks of the bus; host_monitor
 * gives access to it. Results are PCIX_OK (0) or negative: PCIX_MASTER_ABORT, PCIX_TARGET_ABORT, PCIX_ERROR_MESSAGE,
 * PCIX_PARITY_ERROR, HOST_BAD_ARGUMENT. A failed read gives all ones.
 */
#ifndef SIM_MODEL_HOST_HOST_H
#define SIM_MODEL_HOST_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/kernel/sim.h"
#include "sim/model/host/host_params.h"
#include "sim/model/host/memory.h"
#include "sim/model/host/pcix_bridge.h"
#include "sim/model/host/pcix_bus.h"
#include "sim/model/host/pcix_fault.h"
#include "sim/model/host/pcix_monitor.h"

enum { HOST_BAD_ARGUMENT = -16 /* alignment, size, or not called from a task */ };

typedef struct host host;

/* `pci` is the clock of the bus; `params` is copied. NULL: params are wrong (the reason goes to sim_fail) or no memory
 * is left. */
host *host_new(sim *s, sim_clock *pci, const host_params *params, const char *name);
/* Before the devices' bindings are freed. */
void host_free(host *h);

/* Plugs a device into slot `device` (1..15: IDSEL is AD[16 + device]). Returns its agent number on the bus, or -1.
 * Connect the model's clock input to the same clock before. */
int host_plug(host *h, int device, const pcix_pins *pins);
memory *host_memory(host *h);

/* --- from tasks --- */

/* RST# low for params.reset_clocks with the mode pattern, then the first clocks after it. Drops whatever was under way.
 */
void host_reset(host *h);
/* Type 0 configuration accesses; size 1, 2, 4, naturally aligned. */
int host_config_read(host *h, int device, int reg, int size, uint32_t *value);
int host_config_write(host *h, int device, int reg, int size, uint32_t value);
/* Loads: within one DWORD as Memory Read DWORD, longer ones as Memory Read Block. size 1..8. */
int host_read(host *h, uint64_t address, int size, uint64_t *value);
/* Stores: return when the bridge has taken them. size 1..8, not across a multiple of 8. */
int host_write(host *h, uint64_t address, int size, uint64_t value);
/* Stores to write-combining space, at most 64 bytes within one 64-byte line: they collect in the CPU's buffers
 * (write_combining.h) and leave when those say so. Blocks while every buffer is in use. */
int host_combine(host *h, uint64_t address, const void *data, size_t size);
/* sfence: until all of them have left the CPU, ahead of any later access. */
int host_fence(host *h);
/* One line past the buffers: at most 64 bytes within one 64-byte line, at once, one burst unless host_set_flush_order
 * says otherwise. */
int host_write_combined(host *h, uint64_t address, const void *data, size_t size);
/* One Memory Read Block of 1..4096 bytes. */
int host_read_block(host *h, uint64_t address, void *to, size_t size);
/* Until every posted write has been on the bus (data still in write-combining buffers are not posted yet). Returns the
 * first failure of a posted write since the last flush, else 0. */
int host_flush(host *h);
/* Until INTA# is low. */
void host_wait_interrupt(host *h);

/* --- from anywhere --- */

/* 1 while some device pulls INTA# low: in the clock made last. */
int host_interrupt(const host *h);
/* How write-combined lines leave from now on: the numbers (0..7) of their 8-byte pieces in order; neighbours that
 * ascend by one form a burst unless HOST_FLUSH_BREAK stands between them. Pieces not named do not leave at all with
 * host_write_combined (a torn line): the rest must come with a later call; from the CPU's buffers they follow behind.
 * count 0: as before. At most 16 entries. */
void host_set_flush_order(host *h, const uint8_t *order, int count);

typedef struct host_stats {
    uint64_t clocks;      /* bus clocks since the start or host_stats_clear */
    uint64_t data_clocks; /* of them with a data phase */
    uint64_t idle_clocks; /* with FRAME# and IRDY# high */
    uint64_t transactions;
    uint64_t by_command[16]; /* transactions; index enum pcix_command */
    uint64_t by_end[8];      /* index enum pcix_end */
    uint64_t bytes;          /* moved by all */
} host_stats;
const host_stats *host_get_stats(host *h); /* as of now; what it points to is the same at each call */
void host_stats_clear(host *h);
const wc_stats *host_combining_stats(const host *h);
/* `fn` is called at the end of each transaction on the bus; -1: too many listeners. */
int host_on_transaction(host *h, pcix_on_transaction fn, void *arg);
/* ... and at the first data phase of each that has one. */
int host_on_data(host *h, pcix_on_transaction fn, void *arg);

/* `fn` is called when the bridge has stored the last word of a write of a device, before any task can look; `when` is
 * the edge with which the clock of that word's data phase begins. `t` is valid during the call. -1: too many listeners.
 */
typedef void (*host_written)(void *self, const pcix_transaction *t, sim_time when);
int host_on_written(host *h, host_written fn, void *arg);

/* The parts, for tests and tools. */
pcix_bus *host_bus(host *h);
pcix_bridge *host_bridge(host *h);
pcix_monitor *host_monitor(host *h); /* NULL if params.monitor is off */
pcix_faults *host_faults(host *h);
sim_clock *host_clock(host *h);
/* Prints the last `clocks` clocks of the bus. */
void host_print_bus(host *h, FILE *f, unsigned clocks);
int host_add_range(host *h, const host_range *r); /* -1: too many */
void host_clear_ranges(host *h);
void host_set_params(host *h, const host_params *params);

#endif
