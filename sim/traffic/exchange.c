#include "exchange.h"
#include "faults.h"
#include "nic_register_map.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { AGAIN = 8, FAULTY_TIMEOUT_US = 1000 /* with faults: until a block that does not come is given up */ };
enum { MAILBOXES = 0x80000 /* bus address of the mailboxes of sw/file in every node: 128 x 8 KB end below NODE_MEMORY */ };

/* One end of one direction: node `self` sends to or receives from the other. */
struct end {
    exchange *x;
    exchange_direction *d;
    unsigned self;
    nx_file *file;
    FILE *input;
    struct sha256_ctx hash;
};

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The front part of the progress line: how far each direction is, and how long it will take at this pace. */
static void progress(void *self, FILE *f)
{
    const exchange *x = self;
    double seconds = wall() - x->began, left = 0;
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

static long reader(void *self, void *to, size_t size)
{
    struct end *e = self;
    size_t n = fread(to, 1, size, e->input);
    if (!n && ferror(e->input)) {
        snprintf(e->d->error, sizeof e->d->error, "%s: %s", e->d->path, strerror(errno));
        return -1;
    }
    sha256_update(&e->hash, n, to);
    return (long)n;
}

static int writer(void *self, const void *from, size_t size)
{
    struct end *e = self;
    sha256_update(&e->hash, size, from);
    e->x->moved[e->d - e->x->direction] += size;
    return 0;
}

static void send_task(void *arg)
{
    struct end *e = arg;
    e->input = fopen(e->d->path, "rb");
    if (!e->input) {
        snprintf(e->d->error, sizeof e->d->error, "%s: %s", e->d->path, strerror(errno));
        e->d->sent = -1;
        sim_fail(e->x->p->s, "%s", e->d->error);
        return;
    }
    sha256_init(&e->hash);
    e->d->sent = nx_file_send(e->file, reader, e, &e->d->sender);
    if (e->d->sent && !*e->d->error)
        snprintf(e->d->error, sizeof e->d->error, "node %u, sending: %s", e->self, nx_file_last_error(e->file));
    sha256_digest(&e->hash, sizeof e->d->sent_hash, e->d->sent_hash);
    fclose(e->input);
}

static void receive_task(void *arg)
{
    struct end *e = arg;
    sha256_init(&e->hash);
    e->d->received = nx_file_receive(e->file, writer, e, &e->d->receiver);
    if (e->d->received && !*e->d->error)
        snprintf(e->d->error, sizeof e->d->error, "node %u, receiving: %s", e->self, nx_file_last_error(e->file));
    sha256_digest(&e->hash, sizeof e->d->received_hash, e->d->received_hash);
}

static int direction_good(const exchange_direction *d)
{
    return !d->path || (!d->sent && !d->received && d->sender.bytes == d->size && d->receiver.bytes == d->size &&
                        !memcmp(d->sent_hash, d->received_hash, sizeof d->sent_hash));
}

/* Begins anew what is not good. */
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
        task[n] = sim_task_new(x->p->s, names[i][0], send_task, &end[n]);
        n++;
        end[n] = (struct end){.x = x, .d = &x->direction[i], .self = !i, .file = file[!i]};
        task[n] = sim_task_new(x->p->s, names[i][1], receive_task, &end[n]);
        n++;
    }
    for (unsigned i = 0; i < n; i++) sim_join(task[i]);
}

static void fail(exchange *x, const char *text)
{
    snprintf(x->error, sizeof x->error, "%s", text);
    sim_fail(x->p->s, "%s", x->error);
}

void exchange_run(void *arg)
{
    exchange *x = arg;
    nx_file *file[2] = {NULL, NULL};
    if (pair_start(x->p)) {
        snprintf(x->error, sizeof x->error, "%s%s", x->p->node[0]->error, x->p->node[1]->error);
        sim_fail(x->p->s, "%s", x->error);
        return;
    }
    nx_file_params params = nx_file_params_default();
    params.mailbox = MAILBOXES;
    params.interrupt_peer = x->interrupts;
    if (x->faults) params.timeout_ns = FAULTY_TIMEOUT_US * 1000;
    for (unsigned i = 0; i < 2; i++) {
        if (x->interrupts) nx_use_interrupts(x->p->node[i]->dev, 1);
        params.queue = x->p->node[!i]->id + 1;
        if (nx_file_open(x->p->node[i]->dev, x->p->node[!i]->params.node_id, &params, &file[i])) {
            snprintf(x->error, sizeof x->error, "node %u: %s", i, file[i] ? nx_file_last_error(file[i]) : "out of memory");
            sim_fail(x->p->s, "%s", x->error);
            return;
        }
    }
    if (x->started) x->started(x->arg);
    if (x->faults && faults_begin(x->faults)) fail(x, faults_error(x->faults));
    x->began = wall();
    sim_status(x->p->s, progress, x);
    transfer(x, file, 0);
    for (; x->faults && x->again < AGAIN && !exchange_good(x); x->again++) transfer(x, file, 1);
    sim_status(x->p->s, NULL, NULL);
    if (x->faults && faults_end(x->faults)) fail(x, faults_error(x->faults));
    for (unsigned i = 0; i < 2; i++) nx_file_close(file[i]);
    for (unsigned i = 0; i < 2; i++)
        nx_register_read(x->p->node[i]->dev, NIC_QUEUE_DEPARTED + 4 * x->p->node[!i]->id, &x->direction[i].transfers);
    pair_stop(x->p);
}

int exchange_good(const exchange *x)
{
    if (*x->error) return 0;
    return direction_good(&x->direction[0]) && direction_good(&x->direction[1]);
}
