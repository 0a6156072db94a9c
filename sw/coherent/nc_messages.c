/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* SCENARIO=pingpong, stream, queue: messages between processors 0. A message of more than NC_PACKET_MAX bytes is two
 * packets. Each word of a message is known to its receiver: of its sender, its number and its place. */
#include "nc_ni.h"

enum { WARM = 20 }; /* more than a lap of the rings */

static nc_ni_plan plan_of(const nc_options *o, unsigned senders)
{
    return (nc_ni_plan){.ni = o->ni, .send = o->send, .message = o->message, .receivers = 1, .senders = senders};
}

static unsigned packets(const nc_options *o) { return o->message > NC_PACKET_MAX ? 2 : 1; }

static int send_message(nc_ni *ni, unsigned node, unsigned number)
{
    unsigned bytes = ni->cpu->options->message, part;
    uint32_t data[NC_PACKET_MAX / 4];
    for (unsigned at = 0; at < bytes; at += part) {
        part = bytes - at < NC_PACKET_MAX ? bytes - at : NC_PACKET_MAX;
        for (unsigned i = 0; i < part / 4; i++) data[i] = nc_value(ni->cpu, ni->cpu->node, number, at / 4 + i);
        if (nc_ni_send(ni, node, 0, data, part)) return -1;
    }
    return 0;
}

/* Whether m is packet `packet` of message `number` of its source. */
static int check(nc_cpu *cpu, const nc_message *m, unsigned number, unsigned packet)
{
    unsigned at = packet * NC_PACKET_MAX, left = cpu->options->message - at;
    unsigned bytes = left < NC_PACKET_MAX ? left : NC_PACKET_MAX;
    if (m->damaged) return nc_fail(cpu, "message %u of node %u: loss indicated", number, m->source);
    if (m->bytes != bytes)
        return nc_fail(cpu, "message %u of node %u: %u bytes, expected %u", number, m->source, m->bytes, bytes);
    for (unsigned i = 0; i < bytes / 4; i++) {
        uint32_t expected = nc_value(cpu, m->source, number, at / 4 + i);
        if (m->data[i] != expected)
            return nc_fail(cpu, "message %u of node %u, word %u: %08x, expected %08x", number, m->source, at / 4 + i,
                           m->data[i], expected);
    }
    return 0;
}

static int receive_message(nc_ni *ni, unsigned source, unsigned number)
{
    nc_message m;
    for (unsigned packet = 0; packet < packets(ni->cpu->options); packet++) {
        if (nc_ni_receive(ni, &m)) return -1;
        if (m.source != source) return nc_fail(ni->cpu, "message of node %u, expected node %u", m.source, source);
        if (check(ni->cpu, &m, number, packet)) return -1;
    }
    return 0;
}

/* ---- pingpong: nodes 0 and 1, 2 and 3, ... */

static int prepare_pair(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options, cpu->program == &nc_stream);
    return nc_ni_prepare(cpu, &plan);
}

static int run_pingpong(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options, 0);
    unsigned peer = cpu->node ^ 1, rounds = nc_rounds(cpu);
    uint64_t begin = 0, least = UINT64_MAX, most = 0;
    nc_ni ni;
    if (peer >= cpu->options->nodes) return 0;
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    for (unsigned i = 0; i < WARM + rounds; i++) {
        uint64_t start = nc_now(cpu);
        if (i == WARM) begin = start;
        if (cpu->node & 1 && (receive_message(&ni, peer, i) || send_message(&ni, peer, i))) return -1;
        if (~cpu->node & 1 && (send_message(&ni, peer, i) || receive_message(&ni, peer, i))) return -1;
        uint64_t took = nc_now(cpu) - start;
        if (i < WARM) continue;
        if (took < least) least = took;
        if (took > most) most = took;
    }
    if (cpu->node & 1) return 0;
    nc_add(cpu, "round trip", "ns", (double)(nc_now(cpu) - begin) / rounds / 1e3, NC_MEAN);
    nc_add(cpu, "round trip, shortest", "ns", (double)least / 1e3, NC_MIN);
    nc_add(cpu, "round trip, longest", "ns", (double)most / 1e3, NC_MAX);
    return 0;
}

const nc_program nc_pingpong = {.name = "pingpong",
                                .help = "a message there and one back, between nodes 2k and 2k+1",
                                .uses = NC_USES_NI | NC_USES_SEND | NC_USES_MESSAGE | NC_USES_ROUNDS | NC_ON_HOSTS,
                                .min_nodes = 2,
                                .max_nodes = 8,
                                .processors = 1,
                                .rounds = 50,
                                .prepare = prepare_pair,
                                .run = run_pingpong};

/* ---- stream: node 2k to node 2k+1 */

static int run_stream(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options, 1);
    unsigned peer = cpu->node ^ 1, rounds = nc_rounds(cpu);
    uint64_t begin = 0;
    nc_ni ni;
    if (peer >= cpu->options->nodes) return 0;
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    for (unsigned i = 0; i < WARM + rounds; i++) {
        if (i == WARM) begin = nc_now(cpu);
        if (cpu->node & 1 ? receive_message(&ni, peer, i) : send_message(&ni, peer, i)) return -1;
    }
    if (~cpu->node & 1) return nc_ni_drain(&ni);
    nc_add(cpu, "bandwidth", "MB/s", (double)cpu->options->message * rounds / ((double)(nc_now(cpu) - begin) / 1e6),
           NC_SUM);
    return 0;
}

const nc_program nc_stream = {.name = "stream",
                              .help = "messages one way, from node 2k to node 2k+1",
                              .uses = NC_USES_NI | NC_USES_SEND | NC_USES_MESSAGE | NC_USES_ROUNDS | NC_ON_HOSTS,
                              .min_nodes = 2,
                              .max_nodes = 8,
                              .processors = 1,
                              .rounds = 100,
                              .prepare = prepare_pair,
                              .run = run_stream};

/* ---- queue: all to node 0 */

static int prepare_queue(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options, cpu->options->nodes - 1);
    return nc_ni_prepare(cpu, &plan);
}

/* Messages of each source in order, whatever is between them. */
static int run_reader(nc_ni *ni, unsigned rounds)
{
    nc_cpu *cpu = ni->cpu;
    unsigned count[NC_NODES_MAX] = {0}, all = rounds * packets(cpu->options) * (cpu->options->nodes - 1);
    uint64_t begin = 0, first_end = 0;
    nc_message m;
    for (unsigned i = 0; i < all; i++) {
        if (nc_ni_receive(ni, &m)) return -1;
        if (!i) begin = nc_now(cpu);
        if (m.source == 0 || m.source >= cpu->options->nodes)
            return nc_fail(cpu, "message of node %u, expected 1..%u", m.source, cpu->options->nodes - 1);
        unsigned n = count[m.source]++;
        if (check(cpu, &m, n / packets(cpu->options), n % packets(cpu->options))) return -1;
        if (!first_end && count[m.source] == rounds * packets(cpu->options)) first_end = i + 1;
    }
    nc_add(cpu, "messages", "1/us", (all - 1) / packets(cpu->options) / ((double)(nc_now(cpu) - begin) / 1e6), NC_SUM);
    nc_add(cpu, "all messages read when the first sender's were", "%", 100.0 * (double)first_end / all, NC_MEAN);
    return 0;
}

static int run_queue(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options, cpu->options->nodes - 1);
    unsigned rounds = nc_rounds(cpu);
    nc_ni ni;
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    if (cpu->node == 0) return run_reader(&ni, rounds);
    for (unsigned i = 0; i < rounds; i++)
        if (send_message(&ni, 0, i)) return -1;
    return nc_ni_drain(&ni);
}

static const char *queue_refusal(const nc_options *o)
{
    nc_ni_plan plan = plan_of(o, o->nodes - 1);
    return nc_ni_refusal(&plan);
}

const nc_program nc_queue = {.name = "queue",
                             .help = "all other nodes send to one queue of node 0",
                             .uses = NC_USES_NI | NC_USES_SEND | NC_USES_MESSAGE | NC_USES_ROUNDS | NC_ON_HOSTS,
                             .min_nodes = 2,
                             .max_nodes = 8,
                             .processors = 1,
                             .rounds = 50,
                             .refusal = queue_refusal,
                             .prepare = prepare_queue,
                             .run = run_queue};
