/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Reports for people: configuration space as lspci reads it, registers by name, FSMs by the names of their states.
 */
#ifndef NX_DUMP_H
#define NX_DUMP_H

#include <stdio.h>

#include "nx.h"

struct nic_register;

/* The 256 bytes of configuration space of a device in the format of `lspci -F FILE`: "00:01.0 TEXT", 16 lines of 16
 * bytes, an empty line. Several devices may go into one file. `text` NULL = "device". Returns NX_OK, BUS (nothing is
 * written for a device that does not answer) or NX_ERROR_DEVICE (the file cannot be written). */
int nx_config_dump(const struct nx_platform *platform, int device, const char *text, FILE *file);

/* Registers of both maps in one table, those of the NIC first; names of rtl/sync's begin with SYNC_. */
typedef struct nx_map_register {
    char name[40];
    const char *access, *text;
    unsigned offset, count, stride;
    uint32_t reset;
    int error, sync;                /* as in the map; of rtl/sync */
    const struct nic_register *nic; /* NULL: of rtl/sync */
} nx_map_register;
typedef struct nx_map_field {
    const char *name, *text;
    unsigned offset, msb, lsb;
} nx_map_field;
const nx_map_register *nx_map_registers(unsigned *count);
const nx_map_field *nx_map_fields(unsigned *count);

/* Text of one register value: "NAME 0x........  FIELD=n FIELD=n" plus newline, FSMs with the names of their states;
 * unknown offsets are shown as a number. */
void nx_register_format(unsigned offset, uint32_t value, char *text, size_t size);

/* The nth FSM or flag in the register of states at `offset` (DMA_STATES, BUS_STATES, LINK_STATES, VOQ_STATES): its
 * name, and its state in words. 0: there is none. */
int nx_state(unsigned offset, unsigned n, uint32_t value, const char **name, char *text, size_t size);
/* All of them: "target IDLE, initiator DATA ..." */
void nx_states_format(unsigned offset, uint32_t value, char *text, size_t size);

#endif
