/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the programs share: accesses, results, one place for every thing in a node's coherent memory, and meeting of the
 * two processors of a node. Private. */
#ifndef NC_INTERNAL_H
#define NC_INTERNAL_H

#include "nc.h"

/* Address map of a processor; packets name places of coherent memory by their offset. */
enum {
    NC_LINE = 32,
    NC_TEST_AND_SET = 0x10000000, /* a load at an address of coherent memory + this: old value, all ones are stored */
    NC_FETCH_AND_INCREMENT = 0x20000000 /* ... old value, one more is stored */
};
#define NC_COHERENT 0x40000000u

static inline uint32_t nc_load(nc_cpu *cpu, uint32_t address)
{
    return cpu->platform->load32(cpu->platform->self, address);
}
static inline void nc_store(nc_cpu *cpu, uint32_t address, uint32_t value)
{
    cpu->platform->store32(cpu->platform->self, address, value);
}
static inline void nc_load_block(nc_cpu *cpu, uint32_t address, uint32_t *to, unsigned words)
{
    if (cpu->platform->load_block) cpu->platform->load_block(cpu->platform->self, address, to, words);
    else
        for (unsigned i = 0; i < words; i++) to[i] = nc_load(cpu, address + 4 * i);
}
static inline void nc_sync(nc_cpu *cpu) { cpu->platform->sync(cpu->platform->self); }
static inline void nc_work(nc_cpu *cpu, uint32_t clocks) { cpu->platform->work(cpu->platform->self, clocks); }
static inline uint64_t nc_now(nc_cpu *cpu) { return cpu->platform->now(cpu->platform->self); }
/* The old value. */
static inline uint32_t nc_test_and_set(nc_cpu *cpu, uint32_t address)
{
    return nc_load(cpu, address + NC_TEST_AND_SET);
}
static inline uint32_t nc_increment(nc_cpu *cpu, uint32_t address)
{
    return nc_load(cpu, address + NC_FETCH_AND_INCREMENT);
}

/* Clocks of the processor that programs state for what needs no memory access. */
enum {
    NC_WORK_LOOP = 3, /* count, compare and branch of a loop */
    NC_WORK_CALL = 8, /* call, frame and return of a function of this library */
    NC_WORK_POINT = 6 /* four adds, shift and mask of a point of the stencil */
};

/* Sets cpu->error unless there is one; always -1. */
int nc_fail(nc_cpu *cpu, const char *format, ...) __attribute__((format(printf, 2, 3)));
void nc_add(nc_cpu *cpu, const char *name, const char *unit, double value, enum nc_fold fold);
/* rounds of the options, or the program's default. */
unsigned nc_rounds(const nc_cpu *cpu);
/* Value of a place in time and space, from the seed: data that a receiver knows. */
uint32_t nc_value(const nc_cpu *cpu, uint32_t a, uint32_t b, uint32_t c);

/* Both processors of the node call it the same number of times; it returns when the other one has called it, too.
 * `spot` is the address of a line of coherent memory that begins with 0 (prepare). */
void nc_meet(nc_cpu *cpu, uint32_t spot);
/* A lock of the processors of a node: a word of coherent memory that begins with 0, in a line of its own. */
void nc_lock(nc_cpu *cpu, uint32_t lock);
void nc_unlock(nc_cpu *cpu, uint32_t lock);

/* A name of nc_programs[] is one function pair in its own file. */
extern const nc_program nc_pingpong, nc_stream, nc_queue, nc_barrier, nc_exchange, nc_halo, nc_producer, nc_pollution,
    nc_litmus;

#endif
