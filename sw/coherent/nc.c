/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nc_internal.h"

const nc_program *const nc_programs[] = {&nc_pingpong, &nc_stream,   &nc_queue,     &nc_barrier, &nc_exchange,
                                         &nc_halo,     &nc_producer, &nc_pollution, &nc_litmus,  NULL};

const nc_program *nc_program_of(const char *name)
{
    for (const nc_program *const *p = nc_programs; *p; p++)
        if (!strcmp((*p)->name, name)) return *p;
    return NULL;
}

void nc_cpu_init(nc_cpu *cpu, const nc_program *program, const struct nc_platform *platform, const nc_options *options,
                 unsigned node, unsigned processor)
{
    *cpu = (nc_cpu){.program = program, .platform = platform, .options = options, .node = node, .processor = processor};
}

const char *nc_refusal(const nc_program *program, const nc_options *o)
{
    static const char *const of_nodes[] = {"NODES=1..8 expected", "NODES=2 expected", "NODES=2..8 expected"};
    if (o->nodes < program->min_nodes || o->nodes > program->max_nodes)
        return of_nodes[program->min_nodes == 1 ? 0 : program->max_nodes == 2 ? 1 : 2];
    if (o->ni >= NC_RECEIVES) return "NI=uncached, memory, update or allocate expected";
    if (o->send >= NC_SENDS) return "SEND=cachable, doorbell or uncached expected";
    if (o->message < 8 || o->message > 512 || o->message % 8) return "MESSAGE=8..512, a multiple of 8, expected";
    if (o->cache_kb < 4 || o->cache_kb > 32) return "CACHE_KB=4..32 expected";
    return program->refusal ? program->refusal(o) : NULL;
}

/* Sums of those already seen stand in the lines until the end. */
unsigned nc_fold(const nc_cpu *cpus, unsigned count, nc_result lines[NC_RESULTS])
{
    unsigned known = 0, values[NC_RESULTS];
    for (const nc_cpu *c = cpus; c < cpus + count; c++)
        for (const nc_result *r = c->result; r < c->result + c->result_count; r++) {
            unsigned i = 0;
            while (i < known && strcmp(lines[i].name, r->name)) i++;
            if (i == NC_RESULTS) continue;
            if (i == known) {
                lines[known] = *r;
                values[known++] = 1;
                continue;
            }
            values[i]++;
            if (r->fold == NC_MEAN || r->fold == NC_SUM) lines[i].value += r->value;
            else if ((r->fold == NC_MIN) == (r->value < lines[i].value)) lines[i].value = r->value;
        }
    for (unsigned i = 0; i < known; i++)
        if (lines[i].fold == NC_MEAN) lines[i].value /= values[i];
    return known;
}

int nc_fail(nc_cpu *cpu, const char *format, ...)
{
    va_list list;
    if (cpu->error[0]) return -1;
    int length = snprintf(cpu->error, sizeof cpu->error, "node %u processor %u: ", cpu->node, cpu->processor);
    va_start(list, format);
    vsnprintf(cpu->error + length, sizeof cpu->error - (size_t)length, format, list);
    va_end(list);
    return -1;
}

void nc_add(nc_cpu *cpu, const char *name, const char *unit, double value, enum nc_fold fold)
{
    if (cpu->result_count < NC_RESULTS) cpu->result[cpu->result_count++] = (nc_result){name, unit, value, fold};
}

unsigned nc_rounds(const nc_cpu *cpu) { return cpu->options->rounds ? cpu->options->rounds : cpu->program->rounds; }

uint32_t nc_value(const nc_cpu *cpu, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t x = cpu->options->seed + 0x9e3779b97f4a7c15u * ((uint64_t)a << 32 | b) + 0xd1b54a32d192ed03u * (c + 1);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(x ^ x >> 31);
}

void nc_meet(nc_cpu *cpu, uint32_t spot)
{
    uint32_t both = nc_increment(cpu, spot) / 2 * 2 + 2;
    while ((int32_t)(nc_load(cpu, spot) - both) < 0) nc_work(cpu, NC_WORK_LOOP);
}

void nc_lock(nc_cpu *cpu, uint32_t lock)
{
    while (nc_test_and_set(cpu, lock)) /* waits for a store to its own copy of the line, without traffic */
        while (nc_load(cpu, lock)) nc_work(cpu, NC_WORK_LOOP);
}

void nc_unlock(nc_cpu *cpu, uint32_t lock) { nc_store(cpu, lock, 0); }
