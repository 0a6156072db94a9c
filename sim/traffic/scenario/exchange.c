#include "sim/traffic/scenario/exchange.h"
#include "nic_register_map.h"
#include "sim/traffic/faults/faults.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    AGAIN = 8,
    FAULTY_TIMEOUT_US = 1000,   /* with faults: until a missing block times out */
    FAULTY_BY_PACKET_US = 4000, /* the same by packet, where a lost number times out first, and one behind it again */
    SLICE = 20                  /* [us] between two polls */
};
enum {
    MAILBOXES = 0x80000 /* bus address of the mailboxes of sw/file in every node: 128 x 8 KB end below NODE_MEMORY */
};

/* One end of one direction: node `self` sends to or receives from the other. */
struct end {
    exchange *x;
    exchange_direction *d;
    unsigned self;
    nx_file *file;
    FILE *input;
    struct sha256_ctx hash;
};

/* The front part of the progress line: how far each direction is, and how long it will take at this pace. */
static void progress(void *self, FILE *f)
{
    const exchange *x = self;
    double seconds = sim_wall() - x->began, left = 0;
    int known = 1;
    for (int i = 0; i < 2; i++) {
        const exchange_direction *d = &x->direction[i];
        if (!d->path) continue;
        double part = d->size ? (double)x->moved[i] / (double)d->size : 1;
        fprintf(f, "host %d to %d: %.1f %% of %.1f KB, ", i, !i, 100 * part, (double)d->size / 1024);
        if (part <= 0) known = 0;
        else if (seconds / part - seconds > left) left = seconds / part - seconds;
    }
    if (known) fprintf(f, "%.0f s left, ", left);
}

/* ---- events of the ends, posted by sim_post ---- */

/* Only the first error is kept. */
static void fail_direction(void *self, const void *text)
{
    exchange_direction *d = self;
    if (!*d->error) snprintf(d->error, sizeof d->error, "%s", (const char *)text);
}

static void __attribute__((format(printf, 2, 3))) tell_error(struct end *e, const char *format, ...)
{
    char text[sizeof e->d->error];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sim_post(e->x->p->s, fail_direction, e->d, text, strlen(text) + 1);
}

static void add_moved(void *self, const void *bytes)
{
    uint64_t *moved = self;
    *moved += *(const uint64_t *)bytes;
}

/* ---- the ends ---- */

static long reader(void *self, void *to, size_t size)
{
    struct end *e = self;
    size_t n = fread(to, 1, size, e->input);
    if (!n && ferror(e->input)) {
        tell_error(e, "%s: %s", e->d->path, strerror(errno));
        return -1;
    }
    sha256_update(&e->hash, n, to);
    return (long)n;
}

static int writer(void *self, const void *from, size_t size)
{
    struct end *e = self;
    uint64_t bytes = size;
    sha256_update(&e->hash, size, from);
    sim_post(e->x->p->s, add_moved, &e->x->moved[e->d - e->x->direction], &bytes, sizeof bytes);
    return 0;
}

static void send_task(void *arg)
{
    struct end *e = arg;
    e->input = fopen(e->d->path, "rb");
    if (!e->input) {
        int reason = errno;
        tell_error(e, "%s: %s", e->d->path, strerror(reason));
        e->d->sent = -1;
        sim_fail(e->x->p->s, "%s: %s", e->d->path, strerror(reason));
        return;
    }
    sha256_init(&e->hash);
    e->d->sent = nx_file_send(e->file, reader, e, &e->d->sender);
    if (e->d->sent) tell_error(e, "node %u, sending: %s", e->self, nx_file_last_error(e->file));
    sha256_digest(&e->hash, sizeof e->d->sent_hash, e->d->sent_hash);
    fclose(e->input);
}

static void receive_task(void *arg)
{
    struct end *e = arg;
    sha256_init(&e->hash);
    e->d->received = nx_file_receive(e->file, writer, e, &e->d->receiver);
    if (e->d->received) tell_error(e, "node %u, receiving: %s", e->self, nx_file_last_error(e->file));
    sha256_digest(&e->hash, sizeof e->d->received_hash, e->d->received_hash);
}

static int direction_good(const exchange_direction *d)
{
    return !d->path || (!d->sent && !d->received && d->sender.bytes == d->size && d->receiver.bytes == d->size &&
                        !memcmp(d->sent_hash, d->received_hash, sizeof d->sent_hash));
}

/* In ranks: every rank gets the results of both ends. */
static void same(const exchange *x, exchange_direction *d, unsigned from)
{
    sim_group *sender = x->p->node[from]->group, *receiver = x->p->node[!from]->group;
    sim_same(sender, &d->sent, sizeof d->sent);
    sim_same(sender, &d->sender, sizeof d->sender);
    sim_same(sender, d->sent_hash, sizeof d->sent_hash);
    sim_same(receiver, &d->received, sizeof d->received);
    sim_same(receiver, &d->receiver, sizeof d->receiver);
    sim_same(receiver, d->received_hash, sizeof d->received_hash);
}

void exchange_same(exchange *x)
{
    for (unsigned i = 0; i < 2; i++)
        if (x->direction[i].path) same(x, &x->direction[i], i);
}

/* Waits until the last word can have come: a sim_join before that would hold all groups back. */
static void wait_for_words(exchange *x)
{
    const sim_time word = x->p->node[0]->params.net_period, began = sim_now(x->p->s);
    uint64_t bytes = 0;
    for (int i = 0; i < 2; i++)
        if (x->direction[i].path && x->direction[i].size > bytes) bytes = x->direction[i].size;
    const sim_time least = bytes / 4 * word / 100 * 99; /* a clock may be that much faster, and more */
    while (sim_now(x->p->s) - began < least && !*x->direction[0].error && !*x->direction[1].error)
        sim_wait_time(x->p->s, SLICE * SIM_US);
}

/* Restarts the directions that have failed. */
static void transfer(exchange *x, nx_file *file[2], int again)
{
    static const char *const names[2][2] = {{"send 0", "receive 1"}, {"send 1", "receive 0"}};
    struct end end[4];
    sim_task *task[4];
    unsigned n = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (!x->direction[i].path || (again && direction_good(&x->direction[i]))) continue;
        *x->direction[i].error = '\0';
        x->moved[i] = 0;
        end[n] = (struct end){.x = x, .d = &x->direction[i], .self = i, .file = file[i]};
        task[n] = sim_task_new_in(x->p->node[i]->group, names[i][0], send_task, &end[n]);
        n++;
        end[n] = (struct end){.x = x, .d = &x->direction[i], .self = !i, .file = file[!i]};
        task[n] = sim_task_new_in(x->p->node[!i]->group, names[i][1], receive_task, &end[n]);
        n++;
    }
    if (!x->faults) wait_for_words(x);
    for (unsigned i = 0; i < n; i++) sim_join(task[i]);
    exchange_same(x);
}

static void fail(exchange *x, const char *text)
{
    snprintf(x->error, sizeof x->error, "%s", text);
    sim_fail(x->p->s, "%s", x->error);
}

/* ---- calls of a node's driver, in the node's group ---- */

struct at_node {
    exchange *x;
    unsigned node;
    nx_file *file;
    struct said {
        int result;
        uint32_t transfers;
        char error[sizeof((exchange *)0)->error];
    } said;
};

static void open_file(void *arg)
{
    struct at_node *a = arg;
    const exchange *x = a->x;
    const node *self = x->p->node[a->node], *peer = x->p->node[!a->node];
    nx_file_params params = nx_file_params_default();
    params.mailbox = MAILBOXES;
    params.interrupt_peer = x->interrupts;
    if (x->faults) params.timeout_ns = 1000 * (x->p->f->links > 1 ? FAULTY_BY_PACKET_US : FAULTY_TIMEOUT_US);
    params.queue = peer->id + 1;
    if (x->interrupts) nx_use_interrupts(self->dev, 1);
    a->said.result = nx_file_open(self->dev, peer->params.node_id, &params, &a->file);
    if (a->said.result)
        snprintf(a->said.error, sizeof a->said.error, "node %u: %s", a->node,
                 a->file ? nx_file_last_error(a->file) : "out of memory");
}

static void close_file(void *arg)
{
    struct at_node *a = arg;
    nx_file_close(a->file);
}

static void count_transfers(void *arg)
{
    struct at_node *a = arg;
    node *const *node = a->x->p->node;
    nx_register_read(node[a->node]->dev, NIC_QUEUE_DEPARTED + 4 * node[!a->node]->id, &a->said.transfers);
}

static void do_at(struct at_node *a, void (*fn)(void *arg))
{
    sim_do_in(a->x->p->node[a->node]->group, fn, a, &a->said, sizeof a->said);
}

void exchange_run(void *arg)
{
    exchange *x = arg;
    struct at_node at[2] = {{.x = x, .node = 0}, {.x = x, .node = 1}};
    if (pair_start(x->p)) {
        fail(x, fabric_error(x->p->f));
        return;
    }
    sim_known(x->p->s, x, sizeof *x);
    for (unsigned i = 0; i < 2; i++) {
        sim_same(x->p->node[i]->group, &x->direction[i].size, sizeof x->direction[i].size);
        do_at(&at[i], open_file);
        if (!at[i].said.result) continue;
        fail(x, at[i].said.error);
        return;
    }
    if (x->started) x->started(x->arg);
    if (x->faults && faults_begin(x->faults)) fail(x, faults_error(x->faults));
    x->began = sim_wall();
    sim_status(x->p->s, progress, x);
    nx_file *file[2] = {at[0].file, at[1].file};
    transfer(x, file, 0);
    for (; x->faults && x->again < AGAIN && !exchange_good(x); x->again++) transfer(x, file, 1);
    if (x->ended) x->ended(x->arg);
    sim_status(x->p->s, NULL, NULL);
    if (x->faults && faults_end(x->faults)) fail(x, faults_error(x->faults));
    for (unsigned i = 0; i < 2; i++) do_at(&at[i], close_file);
    for (unsigned i = 0; i < 2; i++) {
        do_at(&at[i], count_transfers);
        x->direction[i].transfers = at[i].said.transfers;
    }
    pair_stop(x->p);
}

int exchange_good(const exchange *x)
{
    if (*x->error) return 0;
    return direction_good(&x->direction[0]) && direction_good(&x->direction[1]);
}
