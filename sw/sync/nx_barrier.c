// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Barriers; see nx_barrier.h. */
#include "nx_barrier.h"

#include <stdlib.h>
#include <string.h>

#include "nx_internal.h"

struct nx_barrier {
    nx_device *dev;
    nx_barrier_params p;
    unsigned flow[NX_BARRIER_NODES];
    unsigned children, first, parent; /* of this node; the root's parent is itself */
    uint32_t episode;                 /* entered */
    int prepared;                     /* by counters: the next one is */
    int climbed;                      /* by software: the parent knows it, or the root all */
};

/* Words at `flags`: of each child, of the parent, and what this node writes up and down. */
enum { DOWN = NX_BARRIER_NODES, SOURCE_UP, SOURCE_DOWN };

static int is_root(const nx_barrier *b) { return !b->p.rank; }

static int add_one(nx_barrier *b, unsigned node, unsigned counter)
{
    return nx_counter_add(b->p.sync, b->flow[node], counter, -1);
}

static int prepare_one(nx_barrier *b, unsigned node, unsigned counter)
{
    const nx_descriptor d = {.source = UINT32_MAX, /* -1 */
                             .destination = nx_operation_word(NX_ADD, counter, 0),
                             .words = 1,
                             .flow = b->flow[node],
                             .flags = NX_OPERATION | NX_IMMEDIATE};
    return nx_prepare(b->dev, &d, 1, NULL);
}

/* What the next barrier needs, before the counters that release it are armed. A child may be early: its count is kept.
 */
static int prepare(nx_barrier *b)
{
    const unsigned up = b->p.counter, down = up + 1;
    unsigned below = 0, above = 0;
    int error;
    for (unsigned i = 0; i < b->children; i++) {
        if ((error = prepare_one(b, b->first + i, down))) return error;
        below |= 1u << b->flow[b->first + i];
    }
    if (is_root(b)) return nx_counter_arm(b->p.sync, NX_SELF, up, (int32_t)b->children + 1, NX_AT_ZERO_WORD, below);
    if ((error = nx_counter_arm(b->p.sync, NX_SELF, down, 1, NX_AT_ZERO_WORD, below)) || !b->children) return error;
    if ((error = prepare_one(b, b->parent, up))) return error;
    above = 1u << b->flow[b->parent];
    return nx_counter_arm(b->p.sync, NX_SELF, up, (int32_t)b->children + 1, 0, above);
}

int nx_barrier_open(nx_device *dev, const nx_barrier_params *params, nx_barrier **result)
{
    const nx_barrier_params *p = params;
    nx_barrier *b;
    const unsigned arity = p->arity ? p->arity : p->nodes - 1;
    *result = NULL;
    if (p->nodes < 2 || p->nodes > NX_BARRIER_NODES || p->rank >= p->nodes || arity >= NX_BARRIER_NODES)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "node %u of %u, arity %u: expected a node of 2..%d, arity 1..%d",
                       p->rank, p->nodes, arity, NX_BARRIER_NODES, NX_BARRIER_NODES - 1);
    if (!p->sync && (!p->flags || p->flags % 8 || p->flags + NX_BARRIER_BYTES > (uint64_t)1 << 32))
        return nx_fail(dev, NX_ERROR_ARGUMENT, "flags at 0x%llx, expected a multiple of 8, %d bytes below 4 GB",
                       (unsigned long long)p->flags, NX_BARRIER_BYTES);
    if (!(b = calloc(1, sizeof *b))) return nx_fail(dev, NX_ERROR_NO_MEMORY, "no memory for a barrier");
    b->dev = dev;
    b->p = *p;
    for (unsigned i = 0; i < p->nodes; i++) b->flow[i] = p->flow ? p->flow[i] : i;
    b->first = p->rank * arity + 1;
    b->parent = p->rank ? (p->rank - 1) / arity : 0;
    if (b->first < p->nodes) b->children = p->nodes - b->first < arity ? p->nodes - b->first : arity;
    *result = b;
    return NX_OK;
}

void nx_barrier_close(nx_barrier *b) { free(b); }

/* ---- by software */

static uint64_t flag_at(const nx_barrier *b, unsigned word) { return b->p.flags + 8 * (uint64_t)word; }

static int raised(nx_barrier *b, unsigned word)
{
    return (int32_t)((uint32_t)nx_memory_get64(b->dev, flag_at(b, word)) - b->episode) >= 0;
}

/* Writes the number of this barrier into a word of another node; what is read for it is not written again before that
 * node has answered. */
static int raise(nx_barrier *b, unsigned node, unsigned word, unsigned source)
{
    uint8_t bytes[8];
    const nx_descriptor d = {.source = flag_at(b, source),
                             .destination = (uint32_t)flag_at(b, word),
                             .words = 1,
                             .flow = b->flow[node],
                             .flags = NX_START};
    nx_put64(bytes, b->episode);
    b->dev->platform->mem_write(b->dev->platform->self, d.source, bytes, 8);
    return nx_post(b->dev, &d, NULL);
}

/* As far up and down as the flags are. */
static int climb(nx_barrier *b)
{
    int error = 0;
    if (!b->climbed) {
        for (unsigned i = 0; i < b->children; i++)
            if (!raised(b, i)) return 0;
        if (!is_root(b) &&
            (error = raise(b, b->parent, (b->p.rank - 1) % (b->p.arity ? b->p.arity : b->p.nodes - 1), SOURCE_UP)))
            return error;
        b->climbed = 1;
    }
    if (!is_root(b) && !raised(b, DOWN)) return 0;
    for (unsigned i = 0; i < b->children && !error; i++) error = raise(b, b->first + i, DOWN, SOURCE_DOWN);
    return error ? error : 1;
}

/* ---- */

int nx_barrier_prepare(nx_barrier *b)
{
    const int error = b->p.sync && !b->prepared ? prepare(b) : NX_OK;
    b->prepared = !error;
    return error;
}

int nx_barrier_enter(nx_barrier *b)
{
    const int error = nx_barrier_prepare(b);
    if (error) return error;
    b->episode++;
    b->climbed = b->prepared = 0;
    if (!b->p.sync) return NX_OK;
    if (!b->children) return add_one(b, b->parent, b->p.counter);
    return nx_counter_add(b->p.sync, NX_SELF, b->p.counter, -1);
}

int nx_barrier_passed(nx_barrier *b)
{
    uint32_t zeros;
    int error;
    if (!b->p.sync) return climb(b);
    if ((error = nx_counter_zeros(b->p.sync, b->p.counter + !is_root(b), &zeros))) return error;
    return (int32_t)(zeros - b->episode) >= 0;
}

static int something(void *arg)
{
    (void)arg;
    return 0;
}

int nx_barrier_wait(nx_barrier *b)
{
    const struct nx_platform *p = b->dev->platform;
    const uint64_t start = p->now(p->self);
    int result, error;
    if ((error = nx_barrier_enter(b))) return error;
    while (!(result = nx_barrier_passed(b))) {
        if (p->now(p->self) - start > b->dev->params.timeout_ns)
            return nx_fail(b->dev, NX_ERROR_TIMEOUT, "barrier %u of %u nodes: not all have arrived after %llu us",
                           (unsigned)b->episode, b->p.nodes, (unsigned long long)(b->dev->params.timeout_ns / 1000));
        if ((error = nx_wait_event(b->dev, something, NULL))) return error;
    }
    return result < 0 ? result : NX_OK;
}
