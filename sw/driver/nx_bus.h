/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Bringing up the bus, as a BIOS would: find devices, size and place their BARs, set the command, latency and PCI-X
 * registers.
 *
 *   nx_bus *bus;
 *   if (nx_bus_scan(&platform, NULL, &bus)) fail(nx_bus_last_error(bus));
 *   const nx_function *nic = nx_bus_find(bus, NX_VENDOR_ID, NX_DEVICE_ID, 0);
 *
 * The order is that of a BIOS: all devices are sized with memory decoding off, then all BARs are placed (largest first,
 * each at a multiple of its size, within the platform's window), then each device is switched on. Only then does any
 * device answer or start DMA. Scanning again is allowed and gives the same addresses.
 */
#ifndef NX_BUS_H
#define NX_BUS_H

#include "nx_error.h"
#include "nx_platform.h"

/* S1 3.1.2 */
#define NX_VENDOR_ID 0x1600u
#define NX_DEVICE_ID 0x17dfu

typedef struct nx_bus nx_bus;

typedef struct nx_bar {
    uint64_t address; /* where it was placed; 0 = not placed (I/O BARs are not) */
    uint64_t size;    /* [bytes], 0 = no such BAR */
    int io;           /* I/O space instead of memory */
    int prefetchable;
    int wide; /* 64-bit BAR: takes the next one too; placed below 4 GB */
} nx_bar;

typedef struct nx_function {
    int device;
    uint16_t vendor_id, device_id;
    uint32_t class_code; /* 24 bits */
    uint8_t revision, header_type;
    nx_bar bar[6];
    uint8_t cache_line;    /* as read back [32-bit words] */
    uint8_t latency_timer; /* as read back [bus clocks] */
    uint8_t interrupt_pin; /* 1 = INTA#, 0 = none */
    uint8_t interrupt_line;
    uint8_t pcix;            /* offset of the PCI-X capability, 0 = none */
    uint16_t pcix_command;   /* as read back */
    uint32_t pcix_status;    /* after the set-up: bus and device number are the captured ones */
    unsigned max_read_bytes; /* per read sequence, as enabled */
    unsigned max_splits;     /* outstanding split transactions, as enabled */
} nx_function;

typedef struct nx_bus_params {
    /* [32-bit words]; default 0x80 (S1 3.1.2) */
    uint8_t cache_line;
    /* [bus clocks]; default 0xF8: S1 recommends 0xFE, of which the low three bits are read-only zero (design.md 3) */
    uint8_t latency_timer;
    /* value of the interrupt line register; default 11 */
    uint8_t interrupt_line;
    /* let the device set the relaxed ordering attribute; default 0, since a bridge could then let a notification
     * overtake its data */
    int relaxed_ordering;
    /* upper limit for outstanding splits, 1..32; default 32 = the number that the device was designed for */
    unsigned max_splits;
} nx_bus_params;

nx_bus_params nx_bus_params_default(void);

/* Scans devices 0..31. `params` NULL = defaults. On failure *bus still holds the error text (NULL only when malloc
 * failed); free it in any case. Errors: BUS, NO_SPACE (window too small), DEVICE (a register does not keep a written
 * value). */
int nx_bus_scan(const struct nx_platform *platform, const nx_bus_params *params, nx_bus **bus);
/* Adopts one device that somebody else, such as a kernel, has sized and placed: a bus with this function alone. `bar`:
 * addresses, sizes and kinds as that one has them; a size of 0 is no BAR. Neither BARs nor the interrupt line are
 * written, and of the command register bits are only added; all else is set as by the scan, and errors and *bus are as
 * there. Also ARGUMENT: `device` or a BAR cannot be so; NO_DEVICE: nobody answers; DEVICE: the device's own BARs are
 * others. Nothing has been written then. */
int nx_bus_adopt(const struct nx_platform *platform, const nx_bus_params *params, int device, const nx_bar bar[6],
                 nx_bus **bus);
void nx_bus_free(nx_bus *bus);

/* Devices found, in device order. */
unsigned nx_bus_count(const nx_bus *bus);
const nx_function *nx_bus_get(const nx_bus *bus, unsigned index); /* NULL beyond the end */
/* The nth (from 0) function with these IDs; NULL if there is none. */
const nx_function *nx_bus_find(const nx_bus *bus, unsigned vendor_id, unsigned device_id, unsigned nth);
const char *nx_bus_last_error(const nx_bus *bus); /* "" if there was none */

#endif
