/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* SCENARIO=barrier: all nodes meet again and again, in two ways.
 *
 * By flags: node n writes the number of the barrier into a word of node 0, whose processor waits for all of them and
 * then writes it to everybody. By counters: node n adds 1 to a counter of node 0, armed with minus the number of nodes;
 * at zero node 0's NI releases its second send queue, in which the words for everybody lie prepared, without a
 * processor. Node 0 itself waits for the counter's own word, and prepares barrier i + 2 when i is over.
 *
 * What it takes from the last arrival to the last release is the time of one barrier, since all arrive at once. */
#include "nc_ni.h"

enum {
    COUNTER = 0,
    RELEASED = NC_CELL_PROGRAM,    /* number of the barrier that is over, in each node */
    ARRIVED = NC_CELL_PROGRAM + 1, /* + node, in node 0 */
    WARM = 2
};
/* ARM, upper half: write a word, release send queue 1. */
#define ACTIONS (1u << 31 | 1u << 1)

static nc_ni_plan plan_of(const nc_options *o)
{
    return (nc_ni_plan){.ni = o->ni, .send = o->send, .message = 8, .prepared = 1};
}

static int prepare(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options);
    return nc_ni_prepare(cpu, &plan);
}

static int await(nc_ni *ni, unsigned cell, uint32_t number)
{
    uint64_t since = nc_now(ni->cpu);
    while ((int32_t)(nc_ni_cell(ni, cell) - number) < 0) {
        nc_work(ni->cpu, NC_WORK_LOOP);
        if (nc_waited(ni->cpu, since, "the barrier")) return -1;
    }
    return 0;
}

static int release_all(nc_ni *ni, uint32_t number)
{
    for (unsigned node = 1; node < ni->cpu->options->nodes; node++)
        if (nc_ni_write(ni, node, NC_AT_CELL(RELEASED), 0, number)) return -1;
    return 0;
}

static int by_flags(nc_ni *ni, uint32_t number)
{
    nc_cpu *cpu = ni->cpu;
    if (cpu->node) return nc_ni_write(ni, 0, NC_AT_CELL(ARRIVED + cpu->node), 0, number) || await(ni, RELEASED, number);
    for (unsigned node = 1; node < cpu->options->nodes; node++)
        if (await(ni, ARRIVED + node, number)) return -1;
    return release_all(ni, number);
}

/* Node 0: what leaves when the counter is zero next. */
static int prepare_release(nc_ni *ni, uint32_t number)
{
    ni->queue = 1;
    ni->held = 1;
    int result = release_all(ni, number);
    ni->queue = 0;
    return result;
}

/* `times`: how often the counter has acted then. */
static int by_counters(nc_ni *ni, uint32_t number, unsigned times)
{
    static const uint32_t one[2] = {0, 1};
    nc_cpu *cpu = ni->cpu;
    uint64_t since = nc_now(cpu);
    if (cpu->node) return nc_ni_operation(ni, 0, NC_ADD, COUNTER, 0, one, 1) || await(ni, RELEASED, number);
    if (nc_host_command(cpu, NC_ADD, COUNTER, 0, 1)) return -1;
    while ((nc_low(cpu, NC_AT_COUNTER + 8 * COUNTER) & 0xff) != (times & 0xff)) {
        nc_work(cpu, NC_WORK_LOOP);
        if (nc_waited(cpu, since, "the counter")) return -1;
    }
    return nc_host_command(cpu, NC_ARM, COUNTER, ACTIONS, -cpu->options->nodes) || prepare_release(ni, number + 2);
}

static int run(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options);
    unsigned rounds = nc_rounds(cpu);
    uint32_t number = 1;
    uint64_t begin = 0;
    nc_ni ni;
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    for (unsigned i = 0; i < WARM + rounds; i++, number++) {
        if (i == WARM) begin = nc_now(cpu);
        if (by_flags(&ni, number)) return -1;
    }
    nc_add(cpu, "barrier by flags", "ns", (double)(nc_now(cpu) - begin) / rounds / 1e3, NC_MEAN);
    if (cpu->node == 0 && (nc_host_command(cpu, NC_ARM, COUNTER, ACTIONS, -cpu->options->nodes) ||
                           prepare_release(&ni, number + 1) || prepare_release(&ni, number + 2)))
        return -1;
    if (by_flags(&ni, number++)) return -1;
    for (unsigned i = 0; i < WARM + rounds; i++, number++) {
        if (i == WARM) begin = nc_now(cpu);
        if (by_counters(&ni, number, i + 1)) return -1;
    }
    nc_add(cpu, "barrier by counters", "ns", (double)(nc_now(cpu) - begin) / rounds / 1e3, NC_MEAN);
    return 0;
}

const nc_program nc_barrier = {.name = "barrier",
                               .help = "all nodes meet, by words of software and by counters that release a cluster",
                               .uses = NC_USES_NI | NC_USES_SEND | NC_USES_ROUNDS | NC_ON_HOSTS,
                               .min_nodes = 2,
                               .max_nodes = 8,
                               .processors = 1,
                               .rounds = 20,
                               .prepare = prepare,
                               .run = run};
