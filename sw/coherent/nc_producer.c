/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* SCENARIO=producer: processor 0 of each chip fills items of MESSAGE bytes in lines of coherent memory, processor 1
 * reads them. The last word of an item is its number, written last; the consumer's count of items that it has read is a
 * word of another line. First with stores that invalidate, then with both in an UPDATE range; in each case with 1 item
 * in flight (what one handing over takes) and with ITEMS. */
#include "nc_ni.h"

enum { ITEMS = 4, ITEM_BYTES = 512, AT_ITEMS = NC_AT_PROGRAM, AT_READ = NC_AT_PROGRAM + ITEMS * ITEM_BYTES };
enum { RANGE_BYTES = ITEMS * ITEM_BYTES + NC_LINE, WARM = 8 };

static uint32_t word(unsigned number, unsigned depth, unsigned i)
{
    return NC_COHERENT + AT_ITEMS + number % depth * ITEM_BYTES + 4 * i;
}

static int produce(nc_cpu *cpu, unsigned from, unsigned to, unsigned depth)
{
    unsigned words = cpu->options->message / 4;
    uint64_t since = nc_now(cpu);
    for (unsigned n = from; n < to; n++) {
        while (nc_load(cpu, NC_COHERENT + AT_READ) + depth < n)
            if (nc_waited(cpu, since, "the consumer")) return -1;
        for (unsigned i = 0; i + 1 < words; i++) {
            nc_store(cpu, word(n, depth, i), nc_value(cpu, cpu->node, n, i));
            nc_work(cpu, NC_WORK_LOOP);
        }
        nc_store(cpu, word(n, depth, words - 1), n);
    }
    while (nc_load(cpu, NC_COHERENT + AT_READ) != to - 1)
        if (nc_waited(cpu, since, "the consumer")) return -1;
    return 0;
}

static int consume(nc_cpu *cpu, unsigned from, unsigned to, unsigned depth)
{
    unsigned words = cpu->options->message / 4;
    uint64_t since = nc_now(cpu);
    for (unsigned n = from; n < to; n++) {
        while (nc_load(cpu, word(n, depth, words - 1)) != n)
            if (nc_waited(cpu, since, "the producer")) return -1;
        for (unsigned i = 0; i + 1 < words; i++) {
            uint32_t is = nc_load(cpu, word(n, depth, i)), expected = nc_value(cpu, cpu->node, n, i);
            nc_work(cpu, NC_WORK_LOOP);
            if (is != expected) return nc_fail(cpu, "item %u, word %u: %08x, expected %08x", n, i, is, expected);
        }
        nc_store(cpu, NC_COHERENT + AT_READ, n);
    }
    return 0;
}

static int prepare(nc_cpu *cpu)
{
    for (unsigned number = 0; number < 2; number++) nc_update_range(cpu, number, 0, 0);
    for (uint32_t at = 0; at < RANGE_BYTES; at += 4) nc_store(cpu, NC_COHERENT + AT_ITEMS + at, 0);
    nc_set(cpu, NC_AT_MEET, 0, 0);
    nc_sync(cpu);
    return 0;
}

static int run(nc_cpu *cpu)
{
    static const char *const names[2][2] = {{"item, one in flight, invalidating", "item, four in flight, invalidating"},
                                            {"item, one in flight, UPDATE", "item, four in flight, UPDATE"}};
    unsigned rounds = nc_rounds(cpu), number = 1; /* 0 is what the words are at first */
    for (unsigned update = 0; update < 2; update++) {
        if (update && cpu->processor == 0) nc_update_range(cpu, 0, AT_ITEMS, RANGE_BYTES);
        for (unsigned many = 0; many < 2; many++) {
            unsigned depth = many ? ITEMS : 1;
            uint64_t begin = 0;
            for (unsigned part = 0; part < 2; part++) {
                unsigned to = number + (part ? rounds : WARM);
                nc_meet(cpu, NC_COHERENT + NC_AT_MEET);
                if (part) begin = nc_now(cpu);
                if (cpu->processor ? consume(cpu, number, to, depth) : produce(cpu, number, to, depth)) return -1;
                number = to;
            }
            if (cpu->processor == 0)
                nc_add(cpu, names[update][many], "ns", (double)(nc_now(cpu) - begin) / 1e3 / rounds, NC_MEAN);
        }
    }
    return 0;
}

const nc_program nc_producer = {.name = "producer",
                                .help = "processor 0 of a chip to processor 1, stores that invalidate against UPDATE",
                                .uses = NC_USES_MESSAGE | NC_USES_ROUNDS,
                                .min_nodes = 1,
                                .max_nodes = 8,
                                .processors = 2,
                                .rounds = 40,
                                .prepare = prepare,
                                .run = run};
