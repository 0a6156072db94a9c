/* All others send messages to a remote queue of the last node. */
#include <math.h>
#include <stdlib.h>

#include "sim/core/kernel/splitmix64.h"
#include "sim/model/host/memory.h"
#include "sim/traffic/sync/sync_private.h"

enum { QUEUE = 3, WINDOW = 64, QUIET_US = 50 /* after the last sender has ended until nothing more can come */ };

struct run {
    unsigned reader, senders, words;
    uint64_t share[FABRIC_NODES]; /* messages of each sender */
    uint64_t next[FABRIC_NODES];  /* the number of the sender's next message in the queue */
    sim_time *sent[FABRIC_NODES]; /* when each was given to the driver */
    unsigned ended;               /* senders */
    uint64_t half[FABRIC_NODES];  /* messages of each that had come when the first sender's last one came */
    int first_ended;
    sync_times latency;
    nx_rqueue *queue;
};

/* Word `i` of a message; word 0 says whose and which it is. */
static uint64_t word_of(const sync_state *x, unsigned from, uint64_t number, unsigned i)
{
    uint64_t state = x->p->seed ^ (uint64_t)from << 56 ^ number << 8 ^ i;
    return i ? splitmix64(&state) : (uint64_t)from << 56 | number;
}

static void sender(void *arg)
{
    struct sync_node *n = arg;
    sync_state *x = n->x;
    struct run *r = x->own;
    const nx_rsender_params params = {.window = WINDOW, .words = r->words};
    nx_rsender *to;
    uint64_t message[NX_OPERATION_WORDS];
    int result = 0;
    if (!sync_good(x, n->node, nx_rsender_open(x->sync[n->node], r->reader, QUEUE, &params, &to))) return;
    for (uint64_t k = 0; k < r->share[n->node] && !sync_failed(x); k++) {
        for (unsigned i = 0; i < r->words; i++) message[i] = word_of(x, n->node, k, i);
        r->sent[n->node][k] = sim_now(x->f->s);
        result = nx_rsend(to, message, r->words);
        if (result == NX_ERROR_FLAGGED && x->p->lossy) result = 0;
        if (!sync_good(x, n->node, result)) break;
    }
    if (!sync_failed(x)) {
        result = nx_rsender_flush(to);
        if (result != NX_ERROR_FLAGGED || !x->p->lossy) sync_good(x, n->node, result);
    }
    x->r->refused += nx_rsender_get_counts(to).refused;
    nx_rsender_close(to);
    r->ended++;
}

/* A message is whole, and the next of its sender. */
static void check(sync_state *x, const nx_message *m)
{
    struct run *r = x->own;
    memory *host = host_memory(x->f->node[r->reader]->host);
    const uint64_t first = memory_get64(host, m->address), number = first & ~((uint64_t)255 << 56);
    unsigned from = 0;
    while (from < x->f->nodes && x->f->node[from]->params.node_id != m->source) from++;
    if (from == x->f->nodes || from == r->reader || first >> 56 != from || m->words != r->words) {
        sync_fail(x, "slot: %u words of source %u, first word 0x%016llx: expected %u words of a sender", m->words,
                  m->source, (unsigned long long)first, r->words);
        return;
    }
    if (number < r->next[from] || number >= r->share[from] || (number > r->next[from] && !m->damaged)) {
        sync_fail(x, "source %u: message %llu%s, expected %llu", m->source, (unsigned long long)number,
                  m->damaged ? " with a loss indication" : "", (unsigned long long)r->next[from]);
        return;
    }
    for (unsigned i = 1; i < m->words; i++)
        if (memory_get64(host, m->address + 8 * i) != word_of(x, from, number, i)) {
            sync_fail(x, "source %u: message %llu: word %u is 0x%016llx, expected 0x%016llx", m->source,
                      (unsigned long long)number, i, (unsigned long long)memory_get64(host, m->address + 8 * i),
                      (unsigned long long)word_of(x, from, number, i));
            return;
        }
    if (m->damaged && !x->p->lossy) {
        sync_fail(x, "source %u: message %llu has a loss indication, and nothing was lost", m->source,
                  (unsigned long long)number);
        return;
    }
    x->r->damaged += (uint64_t)m->damaged;
    x->r->lost += number - r->next[from];
    x->r->operations++;
    r->next[from] = number + 1;
    sync_time_add(&r->latency, 1e-3 * (double)(sim_now(x->f->s) - r->sent[from][number]));
    x->r->to = sim_now(x->f->s);
    if (r->first_ended || r->next[from] < r->share[from]) return;
    r->first_ended = 1;
    for (unsigned i = 0; i < x->f->nodes; i++) r->half[i] = r->next[i];
}

static int is_all(const sync_state *x)
{
    const struct run *r = x->own;
    for (unsigned i = 0; i < x->f->nodes; i++)
        if (r->next[i] < r->share[i]) return 0;
    return 1;
}

static void reader(void *arg)
{
    struct sync_node *n = arg;
    sync_state *x = n->x;
    struct run *r = x->own;
    sim *s = x->f->s;
    const sim_time begin = sim_now(s);
    sim_time ended = 0;
    while (!sync_failed(x) && !(is_all(x) && r->ended == r->senders)) {
        nx_message m;
        if (x->p->stop_for && sim_now(s) >= begin + x->p->stop_at &&
            sim_now(s) < begin + x->p->stop_at + x->p->stop_for) {
            sim_wait_time(s, SIM_US);
            sim_progress(s);
            continue;
        }
        const int result = nx_rqueue_poll(r->queue, &m);
        if (result < 0) sync_good(x, n->node, result);
        if (result > 0) {
            check(x, &m);
            sync_good(x, n->node, nx_rqueue_done(r->queue));
            sim_wait_time(s, x->p->reader_takes);
            continue;
        }
        if (r->ended == r->senders && !ended) ended = sim_now(s);
        if (ended && sim_now(s) > ended + QUIET_US * SIM_US) break;
        sim_wait_cycles(x->f->node[n->node]->pci_clock, 4);
    }
}

/* Messages that never came: only where they may be lost, at the end of a sender. */
static void check_end(sync_state *x)
{
    const struct run *r = x->own;
    for (unsigned i = 0; i < x->f->nodes && !sync_failed(x); i++) {
        if (r->next[i] == r->share[i]) continue;
        if (!x->p->lossy)
            sync_fail(x, "node %u: %llu of %llu messages have come", i, (unsigned long long)r->next[i],
                      (unsigned long long)r->share[i]);
        x->r->lost += r->share[i] - r->next[i];
    }
}

static void values(sync_state *x)
{
    struct run *r = x->own;
    double us = 1e-6 * (double)(x->r->to - x->r->from), mean = 0, worst = 0;
    for (unsigned i = 0; i < x->f->nodes; i++) mean += (double)r->half[i] / r->senders;
    for (unsigned i = 0; i < x->f->nodes; i++)
        if (i != r->reader && mean > 0) worst = fmax(worst, fabs((double)r->half[i] / mean - 1));
    sync_value_add(x, "bytes", 8.0 * r->words, "message");
    sync_value_add(x, " ", (double)x->r->operations, "messages");
    sync_value_add(x, "1/us", (double)x->r->operations / us, "rate");
    sync_value_add(x, "MiB/s", (double)x->r->operations * 8 * r->words / us * 1e6 / 1048576, "payload");
    if (r->senders > 1) sync_value_add(x, "%", 100 * worst, "unfairness");
    sync_value_add(x, " ", (double)x->r->refused, "refusals");
    sync_time_values(x, "latency", &r->latency);
}

void sync_queue(sync_state *x)
{
    struct run r = {.reader = x->f->nodes - 1, .senders = x->f->nodes - 1, .words = x->p->message};
    nx_rqueue_params params = nx_rqueue_params_default();
    params.slots = x->p->slots;
    for (params.slot_bytes = 64; params.slot_bytes < 8 * (r.words + 1);) params.slot_bytes *= 2;
    x->own = &r;
    for (unsigned i = 0; i < r.senders; i++) {
        r.share[i] = x->p->packets / r.senders + (i < x->p->packets % r.senders);
        r.sent[i] = calloc(r.share[i] + 1, sizeof **r.sent);
    }
    if (sync_good(x, r.reader, nx_rqueue_open(x->sync[r.reader], QUEUE, &params, &r.queue))) {
        /* the reader is one of the nodes: its task ends last */
        void (*const body[])(void *) = {sender, reader};
        sim_task *task[FABRIC_NODES];
        for (unsigned i = 0; i < x->f->nodes; i++)
            task[i] = sim_task_new(x->f->s, i == r.reader ? "reader" : "sender", body[i == r.reader], &x->at[i]);
        for (unsigned i = 0; i < x->f->nodes; i++) sim_join(task[i]);
        nx_rqueue_close(r.queue);
    }
    if (!sync_failed(x)) check_end(x);
    values(x);
    for (unsigned i = 0; i < r.senders; i++) free(r.sent[i]);
    x->own = NULL;
}
