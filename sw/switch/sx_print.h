/* Tables for people, and dumps: all registers as text, from which the tables can be printed later. */
#ifndef SX_PRINT_H
#define SX_PRINT_H

#include <stdio.h>

#include "sx.h"

/* Tables: inputs are rows, outputs columns. */
enum {
    SX_PORT_TABLE = 1,      /* status, settings, view of the NIC's buffer */
    SX_FLOW_TABLE = 2,      /* packets and words forwarded */
    SX_OCCUPANCY_TABLE = 4, /* words in the crosspoints: now, and most */
    SX_TIME_TABLE = 8,      /* forwarding times: shortest, longest, last */
    SX_ERROR_TABLE = 16,    /* events that have happened, by port */
    SX_WEIGHT_TABLE = 32,
    SX_TRACE_TABLE = 64, /* tracing memories, where there are any */
    SX_ALL_TABLES = 127
};

/* A line about the switch and the tables asked for. 0, or -1 with the reason in sw->error. */
int sx_print(sx_switch *sw, unsigned tables, FILE *file);

/* The registers of a switch with this many ports, in the order of the map; {0} is before the first. 0: no more. */
typedef struct sx_register {
    unsigned row, port, index; /* where the next one is */
    unsigned offset;
    const struct switch_register *map;
    char name[48]; /* "FLOW_WORDS[1] of port 0" */
} sx_register;
int sx_register_next(unsigned ports, sx_register *at);

/* Their values: live, or out of a dump. */
typedef struct sx_dump_image {
    uint32_t value[0x8000 / 4];
    uint8_t known[0x8000 / 4]; /* 0: it was not read, or is not in the dump */
} sx_dump_image;
int sx_take(sx_switch *sw, sx_dump_image *image);

/* A line OFFSET VALUE NAME, both numbers hexadecimal, for each register that is built. 0 or -1. */
int sx_dump(sx_switch *sw, FILE *file);

/* A platform that reads a dump; registers that are not in it read 0. Lines that start with # are comments. 0, or -1
 * with the number of the line in *line: it is no dump there, 0: memory is exhausted or the file cannot be read. */
int sx_dump_read(sx_dump_image *image, FILE *file, unsigned *line);
struct sx_platform sx_dump_platform(sx_dump_image *image);

#endif
