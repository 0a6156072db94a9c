/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Host programs: a C file with
 *
 *     int nx_main(nx_host *host, int argc, char **argv)
 *
 * runs on every host of a system at once, as MPI programs do. Each host has its own copy of the program's variables. 0
 * is success; any other value, exit() and crashes fail the run. The shipped ones lie in sw/programs; `make run
 * PROGRAM=` starts them, or a file of yours.
 *
 * A program knows this header and nx.h only, and sx.h if it looks at the switch, so that it compiles for a real card,
 * too: who runs it there fills in nx_host.
 */
#ifndef NX_HOST_H
#define NX_HOST_H

#include <stdarg.h>
#include <stdio.h>

#include "nx.h"

struct sx_platform;
typedef struct nx_host nx_host;
struct nx_host {
    unsigned rank, hosts;               /* this one, 0..hosts-1; how many there are: flow r of nx_post reaches host r */
    const unsigned *node_id;            /* of each host: the source that its notifications name */
    nx_device *device;                  /* opened, its link is up */
    const struct nx_platform *platform; /* for memory and time */
    uint64_t
        shared; /* bus address of memory that lies at the same address in every host, 0 at first; a multiple of 4096 */
    uint64_t shared_bytes;
    /* Registers of the switches' monitors (sw/switch/sx.h), of host 0 alone: it has the terminal lines to their boards
     * (S4 3.7). [switches], one for each path. NULL and 0: the other hosts, and where there is no switch. */
    const struct sx_platform *switch_monitor;
    unsigned switches;
    void *runner; /* belongs to who runs the program */
    /* Shows a line, with the host's rank. Use nx_print. */
    void (*print)(nx_host *host, const char *line);
    /* Shows a result under a name and keeps it, for the JSON at the end. `unit`: "ns", "MiB/s", "clocks" ... */
    void (*figure)(nx_host *host, const char *name, double value, const char *unit);
};

int nx_main(nx_host *host, int argc, char **argv);

/* A line of at most 500 characters, without a newline at its end. */
static inline void __attribute__((format(printf, 2, 3))) nx_print(nx_host *host, const char *format, ...)
{
    char line[501];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    host->print(host, line);
}

#endif
