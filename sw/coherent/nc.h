/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Programs of the coherent node, and what they ask of their machine.
 *
 * A program is C code that runs on each processor of every node at once. It reaches memory and registers only through
 * `struct nc_platform`, one for each processor: a simulator maps that on the pins of a PLB port, a test on a fake node.
 * A runner fills in an nc_cpu for each processor (nc_cpu_init), then calls
 *   1. `prepare` on processor 0 of every node: memory, queues and windows of the node; it ends by `sync`;
 *   2. when all of these have returned, `run` on processors 0..processors - 1 of every node, all at the same time;
 *   3. when all of these have returned, nc_fold for the result lines.
 * A function that returns another value than 0 has failed, and nc_cpu.error says why; what it failed at may leave
 * others waiting, so the runner stops them. Nothing is shared between processors but what they store through the
 * platform: the nodes may run in several threads or processes.
 *
 * Addresses, registers and layouts: rtl/coherent/cni.md; what `sync` orders: rtl/coherent/README.md.
 */
#ifndef NC_H
#define NC_H

#include <stddef.h>
#include <stdint.h>

/* Functions of one processor. An access without a range, or one that the bus answers with an error, is the runner's
 * to report; the load then gives ones. Words are as the processor sees them: of a 64-bit word the upper half lies at
 * the lower address. */
struct nc_platform {
    void *self; /* handed to every function */
    /* Word at an address that is a multiple of 4. The load returns when its value has arrived; the store may return
     * before it is seen by others. */
    uint32_t (*load32)(void *self, uint32_t address);
    void (*store32)(void *self, uint32_t address, uint32_t value);
    /* Words one after the other, as a loop whose loads are issued ahead of the use of their values. NULL: load32. */
    void (*load_block)(void *self, uint32_t address, uint32_t *to, unsigned words);
    /* `sync`: returns when all earlier accesses of this processor are done. */
    void (*sync)(void *self);
    /* So many clocks of the processor pass, with what the program computes without memory. */
    void (*work)(void *self, uint32_t clocks);
    /* Time, the same for all nodes [ps]. */
    uint64_t (*now)(void *self);
};

/* NI=: what arriving messages do; SEND=: how they leave. */
enum nc_receive { NC_UNCACHED, NC_MEMORY, NC_UPDATE, NC_ALLOCATE, NC_RECEIVES };
enum nc_send { NC_SEND_CACHABLE, NC_SEND_DOORBELL, NC_SEND_UNCACHED, NC_SENDS };

typedef struct nc_options {
    enum nc_receive ni;
    enum nc_send send;
    unsigned message;  /* payload of a message, 8..512 and a multiple of 8 [bytes] */
    unsigned nodes;    /* 2..8; node n is flow n */
    int direct;        /* two nodes and a cable between them; else a switch */
    uint32_t base[8];  /* of each node: what a packet adds to an offset in its memory; 0 but for PCI-X hosts */
    unsigned rounds;   /* messages, iterations, ... of the program; 0 = its own default */
    unsigned cache_kb; /* of one cache [KB] */
    unsigned ways;     /* of the cache */
    uint64_t seed;     /* of everything random */
} nc_options;

/* A line of a program's results. */
enum nc_fold { NC_MEAN, NC_MIN, NC_MAX, NC_SUM }; /* of several processors */
typedef struct nc_result {
    const char *name; /* constant */
    const char *unit; /* "ns", "MB/s", "clocks", ... */
    double value;
    enum nc_fold fold;
} nc_result;

enum { NC_RESULTS = 32, NC_ERROR_SIZE = 240 };

struct nc_program;
typedef struct nc_cpu {
    const struct nc_program *program;
    const struct nc_platform *platform;
    const nc_options *options;
    unsigned node, processor; /* processor 0 or 1 of node 0..nodes - 1 */
    unsigned result_count;
    nc_result result[NC_RESULTS];
    char error[NC_ERROR_SIZE]; /* empty: none */
} nc_cpu;

/* Options that mean something to a program; and it has messages only, so that a PCI-X host can run it, too. */
enum {
    NC_USES_NI = 1,
    NC_USES_SEND = 2,
    NC_USES_MESSAGE = 4,
    NC_USES_ROUNDS = 8,
    NC_USES_CACHE = 16,
    NC_ON_HOSTS = 32
};

typedef struct nc_program {
    const char *name; /* SCENARIO= */
    const char *help; /* one line */
    unsigned uses;
    unsigned min_nodes, max_nodes;
    unsigned processors;                               /* of a node that run it: 1 or 2 */
    unsigned rounds;                                   /* default of nc_options.rounds */
    const char *(*refusal)(const nc_options *options); /* of its own, or NULL */
    int (*prepare)(nc_cpu *cpu);
    int (*run)(nc_cpu *cpu);
} nc_program;

/* All programs, then NULL. */
extern const nc_program *const nc_programs[];
/* The program of that name, NULL: none. */
const nc_program *nc_program_of(const char *name);

void nc_cpu_init(nc_cpu *cpu, const nc_program *program, const struct nc_platform *platform, const nc_options *options,
                 unsigned node, unsigned processor);
/* NULL if the program can do with these options; else what was expected, in one line. */
const char *nc_refusal(const nc_program *program, const nc_options *options);
/* Lines of all processors, those of one name as one line; returns how many, at most NC_RESULTS. */
unsigned nc_fold(const nc_cpu *cpus, unsigned count, nc_result lines[NC_RESULTS]);

#endif
