/* All nodes pass a ticket lock at node 0. */
#include "nx_shared.h"
#include "sim/traffic/sync/sync_private.h"

enum { WORD = 2, HELD_NS = 200, AWAY_NS = 1000, PAUSE_NS = 2000 };

struct run {
    unsigned rounds;
    int holder; /* -1: nobody */
    uint64_t tickets, looks;
    sync_times wait;
};

static void body(void *arg)
{
    struct sync_node *n = arg;
    sync_state *x = n->x;
    struct run *r = x->own;
    sim *s = x->f->s;
    nx_mutex m = {.sync = x->sync[n->node], .home = n->node ? 0 : NX_SELF, .word = WORD, .pause_ns = PAUSE_NS};
    for (unsigned i = 0; i < r->rounds && !sync_failed(x); i++) {
        const sim_time began = sim_now(s);
        if (!sync_good(x, n->node, nx_mutex_take(&m))) return;
        if (r->holder >= 0 || m.ticket != r->tickets)
            sync_fail(x, "node %u has the lock with ticket %llu, expected ticket %llu; node %d has it", n->node,
                      (unsigned long long)m.ticket, (unsigned long long)r->tickets, r->holder);
        r->holder = (int)n->node;
        r->tickets++;
        x->r->operations++;
        sync_time_add(&r->wait, 1e-3 * (double)(sim_now(s) - began));
        x->r->to = sim_now(s);
        sync_pause(n, HELD_NS);
        r->holder = -1;
        if (!sync_good(x, n->node, nx_mutex_give(&m))) return;
        sync_pause(n, AWAY_NS);
    }
    r->looks += m.looks;
}

void sync_lock(sync_state *x)
{
    struct run r = {.rounds = (unsigned)(x->p->packets / x->f->nodes) + 1, .holder = -1};
    x->own = &r;
    sync_tasks(x, body, ~0u);
    sync_value_add(x, " ", (double)x->r->operations, "passes");
    sync_value_add(x, "1/s", (double)x->r->operations / (1e-12 * (double)(x->r->to - x->r->from)), "passes per second");
    if (x->r->operations) sync_value_add(x, " ", (double)r.looks / (double)x->r->operations, "looks per pass");
    sync_time_values(x, "wait", &r.wait);
    x->own = NULL;
}
