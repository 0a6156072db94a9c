/* Reports for people: configuration space as lspci reads it, registers by name.
 */
#ifndef NX_DUMP_H
#define NX_DUMP_H

#include <stdio.h>

#include "nx.h"

/* The 256 bytes of configuration space of a device in the format of `lspci -F FILE`: "00:01.0 TEXT", 16 lines of 16 bytes, an empty
 * line. Several devices may go into one file. `text` NULL = "device". Returns NX_OK, BUS (nothing is written for a device that does
 * not answer) or NX_ERROR_DEVICE (the file cannot be written). */
int nx_config_dump(const struct nx_platform *platform, int device, const char *text, FILE *file);

/* All registers with their names, values and fields; with all = 0 only those that differ from their reset values. Reading changes
 * nothing in the device. */
int nx_registers_print(nx_device *dev, int all, FILE *file);

/* Text of one register value: "NAME 0x........  FIELD=n FIELD=n" plus newline; unknown offsets are shown as a number. */
void nx_register_format(unsigned offset, uint32_t value, char *text, size_t size);

#endif
