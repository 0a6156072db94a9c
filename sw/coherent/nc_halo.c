/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* SCENARIO=halo: a 5-point stencil of COLUMNS columns whose rows are divided among all processors, ROWS to each, with
 * 0 around the field. Two fields take turns, so a row of iteration k is made from three of iteration k - 1.
 *
 * Rows 2 n and 2 n + 1 of blocks belong to the processors of node n: they read each other's border row where it lies,
 * and a flag in a line of its own says of which iteration it is. Between nodes borders are messages of MESSAGE bytes,
 * {iteration, first column} and points, each sent as soon as its points are computed. The border rows are computed
 * first, so messages travel while the rest is.
 *
 * Why two fields suffice: who computes iteration k + 1 has seen the whole border k of its neighbours, and these were
 * computed from its own border k - 1, which it now overwrites. */
#include <stdlib.h>
#include <string.h>

#include "nc_ni.h"

enum { COLUMNS = 32, ROWS = 8, ROW_BYTES = COLUMNS * 4, MASK = 0xfffff };

/* What lies where, for each processor: apart modulo 8 KB from rings and cells (nc_ni.h), so a cache of 16 KB holds all.
 */
enum {
    AT_FIELDS = NC_AT_PROGRAM + 0x0400, /* two fields of ROWS rows */
    FIELD_BYTES = ROWS * ROW_BYTES,     /* 1 KB */
    AT_GHOST = NC_AT_PROGRAM + 0x1a00,  /* two rows of the neighbour in another node */
    AT_FLAG = NC_AT_PROGRAM + 0x1c00,   /* iteration whose border row the other processor may read */
    PROCESSOR_BYTES = 0x4000
};

static uint32_t stencil(uint32_t centre, uint32_t north, uint32_t south, uint32_t west, uint32_t east)
{
    return (((4 * centre + north + south + west + east) >> 3) + 1) & MASK;
}

/* The plain C program: all blocks, one after the other. */
static void reference(const nc_cpu *cpu, uint32_t *field, uint32_t *next, unsigned rows, unsigned iterations)
{
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < COLUMNS; c++) field[r * COLUMNS + c] = nc_value(cpu, r, c, 0) & MASK;
    for (unsigned k = 0; k < iterations; k++) {
        for (unsigned r = 0; r < rows; r++)
            for (unsigned c = 0; c < COLUMNS; c++) {
                const uint32_t *p = &field[r * COLUMNS + c];
                next[r * COLUMNS + c] = stencil(*p, r ? p[-COLUMNS] : 0, r + 1 < rows ? p[COLUMNS] : 0, c ? p[-1] : 0,
                                                c + 1 < COLUMNS ? p[1] : 0);
            }
        memcpy(field, next, rows * ROW_BYTES);
    }
}

typedef struct halo {
    nc_cpu *cpu;
    nc_ni ni;
    unsigned rank, ranks;
    unsigned remote, peer;      /* there is a neighbour in another node: its node */
    unsigned row_to_send;       /* that is its border */
    unsigned points;            /* in a message */
    unsigned iteration, column; /* of the message that comes next */
    uint64_t waited;
} halo;

static uint32_t own(unsigned processor) { return NC_COHERENT + processor * PROCESSOR_BYTES; }
static uint32_t field_row(unsigned processor, unsigned k, unsigned row)
{
    return own(processor) + AT_FIELDS + (k & 1) * FIELD_BYTES + row * ROW_BYTES;
}
static uint32_t ghost(const halo *h, unsigned k) { return own(h->cpu->processor) + AT_GHOST + (k & 1) * ROW_BYTES; }
static uint32_t flag(unsigned processor) { return own(processor) + AT_FLAG; }

/* Row `row` of iteration k as processor h sees it, -1 and ROWS are its neighbours'; 0: none. */
static uint32_t row_at(const halo *h, unsigned k, int row)
{
    if (row >= 0 && row < ROWS) return field_row(h->cpu->processor, k, (unsigned)row);
    if (row < 0 ? h->rank == 0 : h->rank + 1 == h->ranks) return 0;
    if ((row < 0) == (h->cpu->processor == 0)) return ghost(h, k);
    return field_row(h->cpu->processor ^ 1, k, row < 0 ? ROWS - 1 : 0);
}

/* The next piece of the remote border, if it is there. 1: there was one. */
static int take(halo *h)
{
    nc_message m;
    int there = nc_ni_poll(&h->ni, &m);
    if (there <= 0) return there;
    unsigned points = COLUMNS - h->column < h->points ? COLUMNS - h->column : h->points;
    if (m.damaged || m.source != h->peer || m.data[0] != (h->iteration << 8 | h->column) || m.bytes < 4 + 4 * points)
        return nc_fail(h->cpu, "border of node %u: %u bytes, %08x, expected node %u, iteration %u, column %u", m.source,
                       m.bytes, m.data[0], h->peer, h->iteration, h->column);
    for (unsigned i = 0; i < points; i++) nc_store(h->cpu, ghost(h, h->iteration) + 4 * (h->column + i), m.data[1 + i]);
    h->column += points;
    if (h->column == COLUMNS) h->column = 0, h->iteration++;
    return 1;
}

/* Those of its neighbours are ahead by one iteration at most, so nothing is overwritten that is still to be read. */
static int take_while_sending(void *arg) { return take(arg) < 0 ? -1 : 0; }

/* Until the borders of iteration k are there. */
static int await_borders(halo *h, unsigned k)
{
    uint64_t since = nc_now(h->cpu);
    unsigned other = h->cpu->processor ^ 1;
    while (h->remote && h->iteration <= k)
        if (take(h) < 0 || nc_waited(h->cpu, since, "a border of another node")) return -1;
    while (nc_load(h->cpu, flag(other)) < k) {
        nc_work(h->cpu, NC_WORK_LOOP);
        if (nc_waited(h->cpu, since, "the other processor's border")) return -1;
    }
    h->waited += nc_now(h->cpu) - since;
    return 0;
}

/* Row `row` of iteration k; pieces of it are sent if it is the remote neighbour's. */
static int compute_row(halo *h, unsigned k, unsigned row)
{
    nc_cpu *cpu = h->cpu;
    uint32_t north = row_at(h, k - 1, (int)row - 1), south = row_at(h, k - 1, (int)row + 1);
    uint32_t from = row_at(h, k - 1, (int)row), to = row_at(h, k, (int)row);
    uint32_t west = 0, centre = nc_load(cpu, from), message[NC_PACKET_MAX / 4];
    unsigned points = 0;
    for (unsigned c = 0; c < COLUMNS; c++) {
        uint32_t east = c + 1 < COLUMNS ? nc_load(cpu, from + 4 * (c + 1)) : 0;
        uint32_t value = stencil(centre, north ? nc_load(cpu, north + 4 * c) : 0,
                                 south ? nc_load(cpu, south + 4 * c) : 0, west, east);
        nc_work(cpu, NC_WORK_POINT + NC_WORK_LOOP);
        nc_store(cpu, to + 4 * c, value);
        west = centre;
        centre = east;
        if (!h->remote || row != h->row_to_send) continue;
        message[1 + points++] = value;
        if (points < h->points && c + 1 < COLUMNS) continue;
        message[0] = k << 8 | (c + 1 - points);
        if (points % 2 == 0) message[1 + points] = 0; /* messages are whole words of 64 bits */
        if (nc_ni_send(&h->ni, h->peer, cpu->processor ^ 1, message, 4 * (points + 2) / 8 * 8)) return -1;
        points = 0;
    }
    return 0;
}

static int iterate(halo *h, unsigned k)
{
    unsigned shared = h->cpu->processor ? 0 : ROWS - 1; /* the row that the other processor reads */
    if (await_borders(h, k - 1) || compute_row(h, k, ROWS - 1 - shared) || compute_row(h, k, shared)) return -1;
    nc_store(h->cpu, flag(h->cpu->processor), k);
    for (unsigned row = 1; row < ROWS - 1; row++)
        if (compute_row(h, k, row)) return -1;
    return 0;
}

static int compare(halo *h, unsigned iterations)
{
    unsigned rows = h->ranks * ROWS;
    uint32_t *fields = malloc(2 * (size_t)rows * ROW_BYTES);
    int result = 0;
    if (!fields) return nc_fail(h->cpu, "no memory for the plain C program");
    reference(h->cpu, fields, fields + rows * COLUMNS, rows, iterations);
    for (unsigned row = 0; row < ROWS && !result; row++)
        for (unsigned c = 0; c < COLUMNS && !result; c++) {
            uint32_t is = nc_load(h->cpu, row_at(h, iterations, (int)row) + 4 * c);
            uint32_t expected = fields[(h->rank * ROWS + row) * COLUMNS + c];
            if (is != expected)
                result = nc_fail(h->cpu, "row %u, column %u: %05x, the plain C program has %05x", h->rank * ROWS + row,
                                 c, is, expected);
        }
    free(fields);
    return result;
}

static nc_ni_plan plan_of(const nc_options *o)
{
    return (nc_ni_plan){.ni = o->ni, .send = o->send, .message = o->message, .receivers = 2, .senders = 1};
}

static halo halo_of(nc_cpu *cpu, unsigned processor)
{
    halo h = {.cpu = cpu, .rank = 2 * cpu->node + processor, .ranks = 2 * cpu->options->nodes};
    unsigned bytes = cpu->options->message < NC_PACKET_MAX ? cpu->options->message : NC_PACKET_MAX;
    h.remote = processor ? cpu->node + 1 < cpu->options->nodes : cpu->node > 0;
    h.peer = processor ? cpu->node + 1 : cpu->node - 1;
    h.row_to_send = processor ? ROWS - 1 : 0;
    h.points = bytes / 4 - 1;
    h.iteration = 1;
    return h;
}

/* Iteration 0 of both processors; that of the neighbours is known, too. */
static int prepare(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options);
    for (unsigned p = 0; p < 2; p++) {
        halo h = halo_of(cpu, p);
        unsigned first = h.rank * ROWS, beyond = p ? first + ROWS : first - 1;
        for (unsigned row = 0; row < ROWS; row++)
            for (unsigned c = 0; c < COLUMNS; c++)
                nc_store(cpu, field_row(p, 0, row) + 4 * c, nc_value(cpu, first + row, c, 0) & MASK);
        for (unsigned c = 0; c < COLUMNS && h.remote; c++)
            nc_store(cpu, own(p) + AT_GHOST + 4 * c, nc_value(cpu, beyond, c, 0) & MASK);
        nc_store(cpu, flag(p), 0);
    }
    return nc_ni_prepare(cpu, &plan);
}

static int run(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options);
    halo h = halo_of(cpu, cpu->processor);
    unsigned iterations = nc_rounds(cpu);
    if (nc_ni_open(&h.ni, cpu, &plan)) return -1;
    h.ni.waiting = take_while_sending;
    h.ni.waiting_arg = &h;
    uint64_t begin = nc_now(cpu);
    for (unsigned k = 1; k <= iterations; k++)
        if (iterate(&h, k)) return -1;
    double took = (double)(nc_now(cpu) - begin) / 1e3 / iterations;
    nc_add(cpu, "iteration", "ns", took, NC_MEAN);
    nc_add(cpu, "of it waiting for borders", "ns", (double)h.waited / 1e3 / iterations, NC_MEAN);
    nc_add(cpu, "points", "1/us", ROWS * COLUMNS * 1e3 / took, NC_SUM);
    /* the last border belongs to nobody's computation, but is on its way into the queue */
    return await_borders(&h, iterations) || compare(&h, iterations) ? -1 : 0;
}

const nc_program nc_halo = {.name = "halo",
                            .help = "5-point stencil, borders as small messages; compared with a plain C program",
                            .uses = NC_USES_NI | NC_USES_SEND | NC_USES_MESSAGE | NC_USES_ROUNDS,
                            .min_nodes = 2,
                            .max_nodes = 8,
                            .processors = 2,
                            .rounds = 8,
                            .prepare = prepare,
                            .run = run};
