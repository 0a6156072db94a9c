/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* SCENARIO=exchange: all nodes write blocks of twice MESSAGE bytes into each other's memory by RDMA. A message behind
 * each block tells its number: its data are in memory then. The reader checks number and data, each block once and in
 * order, and returns the count of blocks read as a word; a writer has two blocks for each node under way. */
#include "nc_ni.h"

enum {
    BLOCK = 1024,                          /* bytes, at most */
    AT_SOURCE = NC_AT_PROGRAM,             /* two blocks for each node */
    AT_DATA = NC_AT_PROGRAM + 0x8000,      /* two blocks of each node */
    DATA_BYTES = NC_NODES_MAX * 2 * BLOCK, /* of both */
    READ = NC_CELL_PROGRAM,                /* + node: blocks that it has read */
    DEPTH = 2
};

typedef struct exchange {
    nc_cpu *cpu;
    nc_ni ni;
    unsigned bytes;
    uint32_t count[NC_NODES_MAX]; /* blocks read of each node */
} exchange;

static uint32_t place(unsigned node, uint32_t number) { return (node * DEPTH + number % DEPTH) * BLOCK; }

static nc_ni_plan plan_of(const nc_options *o)
{
    return (nc_ni_plan){.ni = o->ni, .send = o->send, .message = 8, .receivers = 1, .senders = o->nodes - 1};
}

static int prepare(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options);
    for (uint32_t at = 0; at < DATA_BYTES; at += 4) nc_store(cpu, NC_COHERENT + AT_DATA + at, 0);
    if (nc_ni_prepare(cpu, &plan)) return -1;
    nc_ni_window(cpu, AT_DATA, DATA_BYTES, cpu->options->ni == NC_UNCACHED ? NC_MEMORY : cpu->options->ni, 0);
    return 0;
}

/* Takes a block out, if one is there. */
static int serve(void *arg)
{
    exchange *x = arg;
    nc_cpu *cpu = x->cpu;
    uint32_t data[BLOCK / 4];
    nc_message m;
    int there = nc_ni_poll(&x->ni, &m);
    if (there <= 0) return there;
    uint32_t number = x->count[m.source];
    if (m.damaged || m.bytes != 8 || m.data[0] != number || m.data[1] != cpu->node)
        return nc_fail(cpu, "node %u tells of block %u for node %u%s, expected block %u", m.source, m.data[0],
                       m.data[1], m.damaged ? ", loss indicated" : "", number);
    nc_load_block(cpu, NC_COHERENT + AT_DATA + place(m.source, number), data, x->bytes / 4);
    for (unsigned i = 0; i < x->bytes / 4; i++)
        if (data[i] != nc_value(cpu, m.source << 8 | cpu->node, number, i))
            return nc_fail(cpu, "block %u of node %u, word %u: %08x, expected %08x", number, m.source, i, data[i],
                           nc_value(cpu, m.source << 8 | cpu->node, number, i));
    return nc_ni_write(&x->ni, m.source, NC_AT_CELL(READ + cpu->node), 0, ++x->count[m.source]);
}

/* Until node `to` has read more than `number` blocks, all but DEPTH - 1 of them. */
static int await_read(exchange *x, unsigned to, uint32_t number)
{
    uint64_t since = nc_now(x->cpu);
    while ((int32_t)(number - nc_ni_cell(&x->ni, READ + to)) >= DEPTH)
        if (serve(x) < 0 || nc_waited(x->cpu, since, "blocks to be read")) return -1;
    return 0;
}

static int write_block(exchange *x, unsigned to, uint32_t number)
{
    nc_cpu *cpu = x->cpu;
    uint32_t source = AT_SOURCE + place(to, number);
    const uint32_t told[2] = {number, to};
    if (await_read(x, to, number)) return -1;
    for (unsigned i = 0; i < x->bytes / 4; i++)
        nc_store(cpu, NC_COHERENT + source + 4 * i, nc_value(cpu, cpu->node << 8 | to, number, i));
    return nc_ni_transfer(&x->ni, to, source, AT_DATA + place(cpu->node, number), x->bytes) ||
           nc_ni_send(&x->ni, to, 0, told, sizeof told);
}

static int run(nc_cpu *cpu)
{
    exchange x = {.cpu = cpu, .bytes = 2 * cpu->options->message};
    nc_ni_plan plan = plan_of(cpu->options);
    unsigned nodes = cpu->options->nodes, rounds = nc_rounds(cpu);
    if (nc_ni_open(&x.ni, cpu, &plan)) return -1;
    x.ni.waiting = serve;
    x.ni.waiting_arg = &x;
    uint64_t begin = nc_now(cpu);
    for (unsigned i = 0; i < rounds; i++)
        for (unsigned k = 1; k < nodes; k++)
            if (write_block(&x, (cpu->node + k) % nodes, i)) return -1;
    for (unsigned k = 1; k < nodes; k++) {
        unsigned from = (cpu->node + k) % nodes;
        uint64_t since = nc_now(cpu);
        while (x.count[from] != rounds)
            if (serve(&x) < 0 || nc_waited(cpu, since, "the last blocks")) return -1;
        if (await_read(&x, from, rounds + DEPTH - 1)) return -1;
    }
    nc_add(cpu, "blocks", "", rounds * (nodes - 1), NC_SUM);
    nc_add(cpu, "read by each node", "MB/s",
           (double)rounds * (nodes - 1) * x.bytes / ((double)(nc_now(cpu) - begin) / 1e6), NC_MEAN);
    return 0;
}

static const char *refusal(const nc_options *o)
{
    return o->send == NC_SEND_UNCACHED ? "SEND=cachable or doorbell expected: uncached sends no memory" : NULL;
}

const nc_program nc_exchange = {.name = "exchange",
                                .help = "all nodes write blocks into each other's memory, each told by a message",
                                .uses = NC_USES_NI | NC_USES_SEND | NC_USES_MESSAGE | NC_USES_ROUNDS | NC_ON_HOSTS,
                                .min_nodes = 2,
                                .max_nodes = 8,
                                .processors = 1,
                                .rounds = 10,
                                .refusal = refusal,
                                .prepare = prepare,
                                .run = run};
