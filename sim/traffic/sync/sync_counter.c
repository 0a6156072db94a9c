/* Words and counters of any node, changed by all at once. The results of atomic operations must be those of one order
 * that agrees with the order of each source:
 *
 * fetch-and-add of 1: the old values are all numbers from 0 on, each once; those that a source sees rise.
 * swap: each writes a value of its own, so the old values make one chain, in which those of a source are in its order.
 * compare-and-swap: values carry a version, each version is written once; the versions that a source sees never fall,
 * and it succeeds exactly if it saw what it expected.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/faults/faults.h"
#include "sim/traffic/sync/sync_private.h"

enum {
    DEPTH = 6, /* requests of a node under way; the device holds back the fifth to one destination */
    ADDED = 32,
    SWAPPED = 33,
    COMPARED = 34,
    COUNTER = 40,     /* word, counter of each node */
    LONELY = 40,      /* operations whose round trip is measured alone */
    PATIENCE_US = 400 /* until an answer is lost */
};

/* A swap of one word, by its value. */
struct swap {
    uint64_t old;
    unsigned from, number, taken; /* taken: by how many the value was seen as old */
};

struct home {
    uint8_t *added;      /* by value: seen */
    uint64_t add_number; /* of requests */
    struct swap *swap;   /* the value is the index + 1, with 0 before the first */
    uint64_t swaps;
    uint64_t version; /* versions written, as successes say */
};

struct run {
    uint64_t rounds, most;
    struct home home[FABRIC_NODES];
    sync_times lonely, crowd;
};

/* What a source knows of a word of a home. */
struct seen {
    uint64_t added, compared;
    int any;
};

struct request {
    int busy;
    unsigned slot, home;
    enum nx_operation kind;
    uint64_t value; /* of a swap; of compare-and-swap what was expected */
    sim_time since;
};

static void check_added(sync_state *x, unsigned from, unsigned home, struct seen *seen, uint64_t old)
{
    struct run *r = x->own;
    if (old >= r->most || r->home[home].added[old]++ || (seen->any & 1 && old <= seen->added))
        sync_fail(x, "fetch-and-add of node %u at node %u: %llu, expected a value that nobody has seen, above %llu",
                  from, home, (unsigned long long)old, (unsigned long long)seen->added);
    seen->added = old;
    seen->any |= 1;
}

static void check_compared(sync_state *x, const struct request *q, unsigned from, struct seen *seen, uint64_t old)
{
    struct run *r = x->own;
    const uint64_t version = old >> 8;
    if (version < seen->compared)
        sync_fail(x, "compare-and-swap of node %u at node %u: version %llu, expected %llu at least", from, q->home,
                  (unsigned long long)version, (unsigned long long)seen->compared);
    seen->compared = version;
    if (old != q->value) return;
    seen->compared = version + 1; /* it has written that */
    if (r->home[q->home].version++ > r->most) sync_fail(x, "compare-and-swap: too many successes");
}

static void check(sync_state *x, const struct request *q, unsigned from, struct seen seen[FABRIC_NODES], uint64_t old)
{
    struct run *r = x->own;
    x->r->operations++;
    if (q->kind == NX_FETCH_ADD) check_added(x, from, q->home, &seen[q->home], old);
    else if (q->kind == NX_SWAP) r->home[q->home].swap[q->value - 1].old = old;
    else check_compared(x, q, from, &seen[q->home], old);
}

static int ask(sync_state *x, struct sync_node *n, struct request *q, const struct seen *seen)
{
    static const enum nx_operation kinds[] = {NX_FETCH_ADD, NX_SWAP, NX_COMPARE_SWAP};
    static const unsigned words[] = {ADDED, SWAPPED, COMPARED};
    struct run *r = x->own;
    const unsigned i = (unsigned)sync_random(n, 3);
    uint64_t first = 1, second = 0;
    *q = (struct request){.busy = 1, .kind = kinds[i], .since = sim_now(x->f->s)};
    do q->home = (unsigned)sync_random(n, x->f->nodes);
    while (q->home == n->node && !x->f->chip.model); /* a cable does not lead back */
    if (q->kind == NX_SWAP) {
        struct home *h = &r->home[q->home];
        h->swap[h->swaps] = (struct swap){.from = n->node, .number = (unsigned)h->swaps};
        q->value = first = ++h->swaps;
    } else if (q->kind == NX_COMPARE_SWAP) {
        /* the version seen last, of which only its writer is not known: often wrong, as is meant */
        q->value = first = seen[q->home].compared << 8;
        second = (seen[q->home].compared + 1) << 8;
    }
    return nx_word_ask(x->sync[n->node], q->home, q->kind, words[i], first, second, &q->slot);
}

/* An answer: 1; 0: not yet; with faults that cost packets it may be lost: -1, nobody knows whether it was executed. */
static int answer_of(sync_state *x, unsigned node, const struct request *q, uint64_t *old)
{
    const int result = nx_word_answer(x->sync[node], q->slot, old);
    if (result < 0) sync_good(x, node, result);
    if (result || sim_now(x->f->s) < q->since + PATIENCE_US * SIM_US) return result > 0;
    if (!x->p->lossy)
        sync_fail(x, "node %u: operation %d to node %u is unanswered for %d us", node, (int)q->kind, q->home,
                  PATIENCE_US);
    x->r->lost++;
    sync_good(x, node, nx_word_forget(x->sync[node], q->slot));
    return -1;
}

static void body(void *arg)
{
    struct sync_node *n = arg;
    sync_state *x = n->x;
    struct run *r = x->own;
    struct request q[DEPTH] = {{0}};
    struct seen seen[FABRIC_NODES] = {{0}};
    uint64_t asked = 0, answered = 0;
    while (!sync_failed(x) && answered < r->rounds) {
        unsigned moved = 0;
        for (unsigned i = 0; i < DEPTH && !sync_failed(x); i++) {
            uint64_t old;
            if (!q[i].busy) {
                if (asked == r->rounds) continue;
                asked++;
                moved++;
                sync_good(x, n->node, ask(x, n, &q[i], seen));
                continue;
            }
            /* answers of one home come in the order of the requests: the oldest is looked at first */
            int oldest = 1;
            for (unsigned k = 0; k < DEPTH; k++)
                oldest &= !(q[k].busy && q[k].home == q[i].home && q[k].since < q[i].since);
            const int result = oldest ? answer_of(x, n->node, &q[i], &old) : 0;
            if (!result) continue;
            if (result > 0) check(x, &q[i], n->node, seen, old);
            if (result > 0) sync_time_add(&r->crowd, 1e-3 * (double)(sim_now(x->f->s) - q[i].since));
            q[i].busy = 0;
            answered++;
            moved++;
        }
        if (!moved) sim_wait_cycles(x->f->node[n->node]->pci_clock, 4);
        sim_progress(x->f->s); /* each wait has an end */
    }
}

/* The swaps of a word make one chain from 0 to what it is in the end. */
static void check_swaps(sync_state *x, unsigned home)
{
    struct run *r = x->own;
    struct home *h = &r->home[home];
    uint64_t last = 0, number[FABRIC_NODES] = {0}, length = 0;
    if (!sync_good(x, home, nx_word_read(x->sync[home], SWAPPED, &last))) return;
    for (uint64_t at = last; at && !sync_failed(x); at = h->swap[at - 1].old) {
        struct swap *s = at <= h->swaps ? &h->swap[at - 1] : NULL;
        if (!s || s->taken++ || (number[s->from] && s->number >= number[s->from])) {
            sync_fail(x, "swaps at node %u: %llu is the old value of two, of none, or against the order of its source",
                      home, (unsigned long long)at);
            return;
        }
        number[s->from] = s->number + !s->number;
        length++;
    }
    if (length != h->swaps)
        sync_fail(x, "swaps at node %u: a chain of %llu, expected all %llu", home, (unsigned long long)length,
                  (unsigned long long)h->swaps);
}

static void check_words(sync_state *x, unsigned home)
{
    struct run *r = x->own;
    uint64_t value = 0, adds = 0;
    for (uint64_t i = 0; i < r->most; i++) adds += r->home[home].added[i];
    if (!sync_good(x, home, nx_word_read(x->sync[home], ADDED, &value))) return;
    if (value != adds)
        sync_fail(x, "word %d of node %u is %llu, expected %llu, one for each fetch-and-add", ADDED, home,
                  (unsigned long long)value, (unsigned long long)adds);
    if (!sync_good(x, home, nx_word_read(x->sync[home], COMPARED, &value))) return;
    if (value >> 8 != r->home[home].version)
        sync_fail(x, "word %d of node %u has version %llu, expected %llu, one for each success", COMPARED, home,
                  (unsigned long long)(value >> 8), (unsigned long long)r->home[home].version);
    check_swaps(x, home);
}

/* Round trips of one request at a time, between the first two nodes. */
static void lonely(void *arg)
{
    struct sync_node *n = arg;
    sync_state *x = n->x;
    struct run *r = x->own;
    for (unsigned i = 0; i < LONELY && !sync_failed(x); i++) {
        uint64_t old = ~(uint64_t)0;
        const sim_time began = sim_now(x->f->s);
        if (!sync_good(x, n->node, nx_fetch_add(x->sync[n->node], 1, COUNTER, 1, &old))) return;
        if (old != i) sync_fail(x, "fetch-and-add: %llu, expected %u", (unsigned long long)old, i);
        x->r->operations++;
        sync_time_add(&r->lonely, 1e-3 * (double)(sim_now(x->f->s) - began));
        sync_pause(n, 500);
    }
}

/* Each node's counter waits for one count of each other node, late and early ones. A node may be a round ahead: two
 * counters in turn. */
static void count(void *arg)
{
    struct sync_node *n = arg;
    sync_state *x = n->x;
    const unsigned others = x->f->nodes - 1;
    enum { ROUNDS = 8 };
    for (uint32_t i = 1; i <= ROUNDS && !sync_failed(x); i++) {
        const unsigned counter = COUNTER + i % 2;
        sync_pause(n, 3000);
        for (unsigned to = 0; to < x->f->nodes; to++)
            if (to != n->node && !sync_good(x, n->node, nx_counter_add(x->sync[n->node], to, counter, -1))) return;
        sync_pause(n, 3000);
        if (!sync_good(x, n->node,
                       nx_counter_arm(x->sync[n->node], NX_SELF, counter, (int32_t)others, NX_AT_ZERO_WORD, 0)) ||
            !sync_good(x, n->node, nx_counter_wait(x->sync[n->node], counter, (i + 1) / 2)))
            return;
        x->r->operations += others;
    }
}

void sync_counter(sync_state *x)
{
    struct run r = {.rounds = x->p->packets / x->f->nodes + 1};
    r.most = r.rounds * x->f->nodes;
    x->own = &r;
    for (unsigned i = 0; i < x->f->nodes; i++) {
        r.home[i].added = calloc(r.most, 1);
        r.home[i].swap = calloc(r.most, sizeof *r.home[i].swap);
    }
    if (!x->p->lossy) sync_tasks(x, lonely, 1);
    if (!sync_failed(x)) sync_tasks(x, body, ~0u);
    if (x->p->faults) faults_cease(x->p->faults);
    for (unsigned i = 0; i < x->f->nodes && !sync_failed(x) && !x->p->lossy; i++) check_words(x, i);
    if (!sync_failed(x) && !x->p->lossy) sync_tasks(x, count, ~0u);
    sync_value_add(x, " ", (double)x->r->operations, "operations");
    sync_time_values(x, "round trip alone", &r.lonely);
    sync_time_values(x, "round trip", &r.crowd);
    for (unsigned i = 0; i < x->f->nodes; i++) {
        free(r.home[i].added);
        free(r.home[i].swap);
    }
    x->own = NULL;
}
