/* All nodes meet at barriers of four kinds in turn: how long from the last arrival to the last release. */
#include <stdlib.h>
#include <string.h>

#include "nx_barrier.h"
#include "sim/traffic/sync/sync_private.h"

enum { COUNTER = 8, SKEW_NS = 2000, FIRST_ROUNDS = 2 /* not measured */ };

static const struct kind {
    const char *name;
    int counters;
    unsigned arity; /* 0: flat */
} kinds[] = {{"counters flat", 1, 0}, {"software flat", 0, 0}, {"counters tree", 1, 2}, {"software tree", 0, 2}};

struct run {
    const struct kind *kind;
    unsigned rounds;
    uint64_t flags;
    unsigned *entered, *left; /* nodes, by round */
    sim_time *last_entered;
    sync_times times;
};

static void one_round(sync_state *x, unsigned node, unsigned round, nx_barrier *b)
{
    struct run *r = x->own;
    sim *s = x->f->s;
    r->entered[round]++;
    r->last_entered[round] = sim_now(s);
    if (!sync_good(x, node, nx_barrier_wait(b))) return;
    if (r->entered[round] != x->f->nodes)
        sync_fail(x, "%s: node %u has passed barrier %u, and %u of %u nodes have arrived", r->kind->name, node, round,
                  r->entered[round], x->f->nodes);
    if (++r->left[round] != x->f->nodes) return;
    x->r->operations++;
    if (round >= FIRST_ROUNDS) sync_time_add(&r->times, 1e-3 * (double)(sim_now(s) - r->last_entered[round]));
}

static void body(void *arg)
{
    struct sync_node *n = arg;
    sync_state *x = n->x;
    struct run *r = x->own;
    const nx_barrier_params params = {.nodes = x->f->nodes,
                                      .rank = n->node,
                                      .arity = r->kind->arity,
                                      .sync = r->kind->counters ? x->sync[n->node] : NULL,
                                      .counter = COUNTER + 2 * (unsigned)(r->kind - kinds),
                                      .flags = r->flags};
    nx_barrier *b;
    if (!sync_good(x, n->node, nx_barrier_open(x->f->node[n->node]->dev, &params, &b))) return;
    for (unsigned i = 0; i < r->rounds && !sync_failed(x); i++) {
        if (!sync_good(x, n->node, nx_barrier_prepare(b))) break;
        sync_pause(n, SKEW_NS);
        one_round(x, n->node, i, b);
    }
    nx_barrier_close(b);
}

static void run_kind(sync_state *x, const struct kind *kind)
{
    static const unsigned char zeros[NX_BARRIER_BYTES];
    struct run r = {.kind = kind,
                    .rounds = (unsigned)(x->p->packets / x->f->nodes / (x->p->only ? 1 : 4)) + FIRST_ROUNDS + 1};
    x->own = &r;
    r.entered = calloc(r.rounds, sizeof *r.entered);
    r.left = calloc(r.rounds, sizeof *r.left);
    r.last_entered = calloc(r.rounds, sizeof *r.last_entered);
    for (unsigned i = 0; i < x->f->nodes; i++) {
        node *n = x->f->node[i];
        const uint64_t at = n->platform.alloc(n, NX_BARRIER_BYTES, 4096);
        if (i && at != r.flags) sync_fail(x, "node %u: no memory at the same address as in node 0", i);
        r.flags = at;
        n->platform.mem_write(n, at, zeros, sizeof zeros);
    }
    if (!sync_failed(x)) sync_tasks(x, body, ~0u);
    sync_time_values(x, kind->name, &r.times);
    for (unsigned i = 0; i < x->f->nodes; i++)
        x->f->node[i]->platform.release(x->f->node[i], r.flags, NX_BARRIER_BYTES);
    free(r.entered);
    free(r.left);
    free(r.last_entered);
    x->own = NULL;
}

void sync_barrier(sync_state *x)
{
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds && !sync_failed(x); i++)
        if (!x->p->only || !strcmp(x->p->only, kinds[i].name)) run_kind(x, &kinds[i]);
}
