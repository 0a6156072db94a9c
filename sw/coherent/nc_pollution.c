/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* SCENARIO=pollution: where arriving data in the cache lose. Processor 0 of node 2k+1 goes round a working set of
 * three quarters of its cache; meanwhile RDMA of node 2k brings twice the cache's size, received as NI= says, into its
 * cache with `allocate`. Then the processor reads what has arrived. */
#include "nc_ni.h"

enum {
    AT_SET = NC_AT_PROGRAM,            /* the working set, at most 24 KB */
    AT_SOURCE = NC_AT_PROGRAM,         /* in node 2k */
    AT_DATA = NC_AT_PROGRAM + 0x20000, /* what arrives; its last word is the number of the transfer */
    CHUNK = 2048,
    GO = NC_CELL_PROGRAM /* in node 2k: the transfer that is wanted */
};

static uint32_t set_bytes(const nc_cpu *cpu) { return cpu->options->cache_kb * 1024 * 3 / 4; }
static uint32_t data_bytes(const nc_cpu *cpu) { return cpu->options->cache_kb * 1024 * 2; }
static uint32_t value(const nc_cpu *cpu, unsigned node, uint32_t at) { return nc_value(cpu, node & ~1u, at, 1); }

static nc_ni_plan plan_of(const nc_options *o)
{
    /* data and descriptors of RDMA lie in coherent memory whatever SEND= is */
    return (nc_ni_plan){.ni = o->ni, .send = o->send == NC_SEND_UNCACHED ? NC_SEND_DOORBELL : o->send, .message = 8};
}

static int prepare(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options);
    if (cpu->node & 1) {
        for (uint32_t at = 0; at < set_bytes(cpu); at += 4) nc_store(cpu, NC_COHERENT + AT_SET + at, at);
        nc_store(cpu, NC_COHERENT + AT_DATA + data_bytes(cpu) - 4, 0);
    } else
        for (uint32_t at = 0; at < data_bytes(cpu); at += 4)
            nc_store(cpu, NC_COHERENT + AT_SOURCE + at, value(cpu, cpu->node, at));
    if (nc_ni_prepare(cpu, &plan)) return -1;
    nc_ni_window(cpu, AT_DATA, data_bytes(cpu), cpu->options->ni, 0);
    return 0;
}

/* Once round the working set, one word of each line; time for one load [ps]. */
static double round_of_set(nc_cpu *cpu)
{
    uint64_t begin = nc_now(cpu);
    for (uint32_t at = 0; at < set_bytes(cpu); at += NC_LINE) {
        if (nc_load(cpu, NC_COHERENT + AT_SET + at) != at) nc_fail(cpu, "working set: the word at %x has changed", at);
        nc_work(cpu, NC_WORK_LOOP);
    }
    return (double)(nc_now(cpu) - begin) * NC_LINE / set_bytes(cpu);
}

static int send(nc_ni *ni, unsigned rounds)
{
    nc_cpu *cpu = ni->cpu;
    uint32_t bytes = data_bytes(cpu);
    for (unsigned n = 1; n <= rounds; n++) {
        uint64_t since = nc_now(cpu);
        while (nc_ni_cell(ni, GO) != n) {
            nc_work(cpu, NC_WORK_LOOP);
            if (nc_waited(cpu, since, "the receiver")) return -1;
        }
        nc_store(cpu, NC_COHERENT + AT_SOURCE + bytes - 4, n);
        for (uint32_t at = 0; at < bytes; at += CHUNK)
            if (nc_ni_transfer(ni, cpu->node ^ 1, AT_SOURCE + at, AT_DATA + at, CHUNK)) return -1;
        if (nc_ni_drain(ni)) return -1;
    }
    return 0;
}

static int receive(nc_ni *ni, unsigned rounds)
{
    nc_cpu *cpu = ni->cpu;
    uint32_t bytes = data_bytes(cpu), last = NC_COHERENT + AT_DATA + bytes - 4;
    double quiet = 0, beside = 0, after = 0, reading = 0, arriving = 0;
    unsigned turns = 0;
    for (unsigned n = 1; n <= rounds; n++) {
        for (unsigned warm = 0; warm < 2; warm++) round_of_set(cpu);
        quiet += round_of_set(cpu);
        if (nc_ni_write(ni, cpu->node ^ 1, NC_AT_CELL(GO), 0, n)) return -1;
        uint64_t since = nc_now(cpu);
        while (nc_load(cpu, last) != n) {
            beside += round_of_set(cpu);
            turns++;
            if (nc_waited(cpu, since, "the transfer")) return -1;
        }
        arriving += (double)(nc_now(cpu) - since);
        after += round_of_set(cpu);
        since = nc_now(cpu);
        for (uint32_t at = 0; at + 4 < bytes; at += 4) {
            uint32_t is = nc_load(cpu, NC_COHERENT + AT_DATA + at), expected = value(cpu, cpu->node, at);
            nc_work(cpu, NC_WORK_LOOP);
            if (is != expected) return nc_fail(cpu, "arrived word at %x: %08x, expected %08x", at, is, expected);
        }
        reading += (double)(nc_now(cpu) - since);
        if (cpu->error[0]) return -1;
    }
    nc_add(cpu, "load of the working set, quiet", "ns", quiet / rounds / 1e3, NC_MEAN);
    nc_add(cpu, "load of the working set, data arriving", "ns", turns ? beside / turns / 1e3 : 0, NC_MEAN);
    nc_add(cpu, "load of the working set, first round after", "ns", after / rounds / 1e3, NC_MEAN);
    nc_add(cpu, "load of an arrived word", "ns", reading / rounds / (bytes / 4 - 1) / 1e3, NC_MEAN);
    nc_add(cpu, "transfer", "ns", arriving / rounds / 1e3, NC_MEAN);
    return 0;
}

static int run(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options);
    nc_ni ni;
    if ((cpu->node ^ 1) >= cpu->options->nodes) return 0;
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    return cpu->node & 1 ? receive(&ni, nc_rounds(cpu)) : send(&ni, nc_rounds(cpu));
}

static const char *refusal(const nc_options *o)
{
    return o->ni == NC_UNCACHED ? "NI=memory, update or allocate expected: RDMA goes to memory" : NULL;
}

const nc_program nc_pollution = {.name = "pollution",
                                 .help = "a working set in the cache while twice the cache's size arrives by RDMA",
                                 .uses = NC_USES_NI | NC_USES_SEND | NC_USES_ROUNDS | NC_USES_CACHE,
                                 .min_nodes = 2,
                                 .max_nodes = 8,
                                 .processors = 1,
                                 .rounds = 3,
                                 .refusal = refusal,
                                 .prepare = prepare,
                                 .run = run};
