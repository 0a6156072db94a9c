#include "sim/traffic/scenario/head_of_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "nic_register_map.h"

enum {
    QUEUES = 8,
    QUEUE_DEPTH = 128,
    SLOTS = 512 /* source buffers of a queue: more than descriptors under way */,
    LONGEST = 512
};
#define LOOK (10 * SIM_US)

struct run;

/* One flooded queue. */
struct flow {
    struct run *r;
    unsigned queue;
    uint64_t source; /* bus address of the buffers */
    uint64_t posted, delivered;
    unsigned offset; /* words of transfer `delivered` that have arrived */
    sim_task *task;
};

struct run {
    const head_of_line_params *params;
    head_of_line *out;
    port *p;
    struct flow flow[QUEUES];
    unsigned words; /* of a transfer */
    int over;
    uint64_t awaited[QUEUES]; /* transfers of the victims */
    unsigned all_blocks;      /* of external memory */
};

static void fail(struct run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct run *r, const char *format, ...)
{
    if (*r->out->error) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->out->error, sizeof r->out->error, format, arguments);
    va_end(arguments);
    sim_fail(r->p->s, "%s", r->out->error);
}

void head_of_line_params_default(head_of_line_params *p)
{
    *p = (head_of_line_params){.bytes = 496,
                               .victims = 1 << 3,
                               .body_limit = -1,
                               .warm_up = SIM_MS,
                               .before = 500 * SIM_US,
                               .stop = 10 * SIM_MS};
    port_params_default(&p->port);
}

/* Word i of transfer n of a queue. */
static uint64_t word_of(unsigned queue, uint64_t n, unsigned i)
{
    uint64_t x = ((uint64_t)queue << 56 | n << 16 | i) * 0x9e3779b97f4a7c15ull;
    return x ^ x >> 31;
}

/* Transfers go to ascending addresses of 256 MB per queue, and around. */
static uint32_t address_of(const struct run *r, unsigned queue, uint64_t n)
{
    return (uint32_t)queue << 28 | (uint32_t)(n * r->words * 8 & 0xfffffff);
}

/* ---- the link partner's view */

static void deliver(void *self, const far_end_packet *p)
{
    struct run *r = self;
    struct flow *f = &r->flow[p->flow];
    uint32_t due = (address_of(r, f->queue, f->delivered) & 0xf0000000) |
                   ((address_of(r, f->queue, f->delivered) + 8 * f->offset) & 0xfffffff);
    sim_progress(r->p->s);
    if (p->address != due || f->offset + p->words > r->words || p->damaged || p->gap) {
        fail(r, "destination %u: %u words to 0x%08x%s%s, expected transfer %" PRIu64 " to 0x%08x", p->flow, p->words,
             p->address, p->damaged ? ", damaged" : "", p->gap ? ", out of sequence" : "", f->delivered, due);
        return;
    }
    for (unsigned i = 0; i < p->words; i++)
        if (p->payload[i] != word_of(f->queue, f->delivered, f->offset + i)) {
            fail(r, "destination %u: word %u of transfer %" PRIu64 " is 0x%016" PRIx64, p->flow, f->offset + i,
                 f->delivered, p->payload[i]);
            return;
        }
    f->offset += p->words;
    if (f->offset == r->words) {
        f->offset = 0;
        f->delivered++;
    }
}

/* ---- host software */

static void flood(void *arg)
{
    struct flow *f = arg;
    struct run *r = f->r;
    node *n = r->p->n;
    while (!r->over) {
        uint64_t from = f->source + f->posted % SLOTS * r->words * 8, buffer[LONGEST];
        for (unsigned i = 0; i < r->words; i++) buffer[i] = word_of(f->queue, f->posted, i);
        memory_write(host_memory(n->host), from, buffer, r->words * 8);
        if (nx_transfer(n->dev, f->queue, from, address_of(r, f->queue, f->posted), r->words * 8, 0, NULL)) {
            fail(r, "queue %u: %s", f->queue, nx_last_error(n->dev));
            return;
        }
        f->posted++;
    }
    if (nx_drain(n->dev, f->queue)) fail(r, "queue %u: %s", f->queue, nx_last_error(n->dev));
}

struct count {
    sim_time when;
    uint64_t words[QUEUES];
};

static struct count count(const struct run *r)
{
    struct count c = {.when = sim_now(r->p->s)};
    for (unsigned i = 0; i < QUEUES; i++) c.words[i] = far_end_view(r->p->far, i).words;
    return c;
}

/* Payload rate between two counts, of the queues of a mask [MiB/s]. */
static double rate(const struct count *a, const struct count *b, unsigned mask)
{
    uint64_t words = 0;
    for (unsigned i = 0; i < QUEUES; i++)
        if (mask >> i & 1) words += b->words[i] - a->words[i];
    return b->when > a->when ? (double)words * 8 / (1024.0 * 1024.0) / (1e-12 * (double)(b->when - a->when)) : 0;
}

static uint32_t counter(struct run *r, unsigned offset)
{
    uint32_t value = 0;
    if (nx_register_read(r->p->n->dev, offset, &value)) fail(r, "%s", nx_last_error(r->p->n->dev));
    return value;
}

static void take_counters(struct run *r)
{
    r->out->migrated = counter(r, NIC_MIGRATED_WORDS);
    r->out->fetched = counter(r, NIC_FETCHED_WORDS);
    r->out->exhausted = counter(r, NIC_BODY_EXHAUSTED);
}

static int waited_for_has_arrived(void *arg)
{
    struct run *r = arg;
    for (unsigned i = 0; i < QUEUES; i++)
        if (r->flow[i].delivered < r->awaited[i]) return 0;
    return 1;
}

static int all_delivered(void *arg)
{
    struct run *r = arg;
    for (unsigned i = 0; i < QUEUES; i++)
        if (r->flow[i].delivered != r->flow[i].posted) return 0;
    return 1;
}

static void stop_and_go(struct run *r, int go)
{
    for (unsigned i = 0; i < QUEUES; i++)
        if (r->params->victims >> i & 1) {
            if (go) far_end_go(r->p->far, i);
            else if (!r->params->slow) far_end_stop(r->p->far, i);
            far_end_rate(r->p->far, i, go || !r->params->slow ? FAR_END_FULL_RATE : r->params->slow);
        }
}

/* Packets that wait for the victims, by place. */
static void take_waiting(struct run *r)
{
    r->out->blocks = r->all_blocks - counter(r, NIC_BODY_FREE);
    r->out->queued = UINT32_MAX;
    for (unsigned i = 0; i < QUEUES; i++)
        if (r->params->victims >> i & 1) {
            uint32_t pointers = counter(r, NIC_QUEUE_POINTERS + 4 * i);
            unsigned queued =
                ((pointers >> NIC_QUEUE_POINTERS_TAIL_SHIFT) - (pointers >> NIC_QUEUE_POINTERS_HEAD_SHIFT)) %
                QUEUE_DEPTH;
            if (pointers & NIC_QUEUE_POINTERS_FULL_MASK) queued = QUEUE_DEPTH;
            if (queued < r->out->queued) r->out->queued = queued;
            r->awaited[i] = r->flow[i].posted;
            r->out->victims_waited += r->flow[i].posted - r->flow[i].delivered;
        }
}

struct drain {
    struct run *r;
    sim_time goes;
};

/* Polls until all blocks are back; each poll is a read on the bus. */
static void drain_task(void *arg)
{
    struct drain *d = arg;
    while (counter(d->r, NIC_BODY_FREE) != d->r->all_blocks && !*d->r->out->error) sim_wait_time(d->r->p->s, LOOK);
    d->r->out->body_us = 1e-6 * (double)(sim_now(d->r->p->s) - d->goes);
}

static void measure(struct run *r)
{
    port *p = r->p;
    unsigned all = (1u << QUEUES) - 1, others = all & ~r->params->victims;
    head_of_line *out = r->out;
    sim_wait_time(p->s, r->params->warm_up);
    struct count start = count(r);
    sim_wait_time(p->s, r->params->before);
    struct count stops = count(r);
    stop_and_go(r, 0);
    sim_wait_time(p->s, r->params->stop);
    take_waiting(r);
    struct count goes = count(r);
    stop_and_go(r, 1);
    struct drain drain = {r, sim_now(p->s)};
    sim_task *body = sim_task_new(p->s, "bodies", drain_task, &drain);
    sim_wait_until(p->far_clock, waited_for_has_arrived, r);
    struct count done = count(r);
    sim_join(body);
    out->before = rate(&start, &stops, all);
    out->others_before = rate(&start, &stops, others);
    out->others_stopped = rate(&stops, &goes, others);
    out->others_recovering = rate(&goes, &done, others);
    out->recovery_us = 1e-6 * (double)(done.when - goes.when);
    out->slowest_stopped = out->others_stopped;
    for (unsigned i = 0; i < QUEUES; i++)
        if (others >> i & 1 && rate(&stops, &goes, 1u << i) < out->slowest_stopped)
            out->slowest_stopped = rate(&stops, &goes, 1u << i);
}

static void no_errors(struct run *r)
{
    nx_status status;
    if (nx_status_read(r->p->n->dev, &status)) fail(r, "%s", nx_last_error(r->p->n->dev));
    else if (status.errors || status.status) fail(r, "the NIC reports errors: %s", status.text);
    if (far_end_wrong(r->p->far))
        fail(r, "the link partner found %" PRIu64 " errors, first at %s", far_end_wrong(r->p->far),
             far_end_first_wrong(r->p->far));
}

static void software(void *arg)
{
    struct run *r = arg;
    port *p = r->p;
    static const char *const names[QUEUES] = {"queue 0", "queue 1", "queue 2", "queue 3",
                                              "queue 4", "queue 5", "queue 6", "queue 7"};
    if (port_start(p)) {
        fail(r, "%s", p->n->error);
        return;
    }
    nx_register_write(p->n->dev, NIC_NET_OUT_CYCLES,
                      0); /* a store clears the network counters: code errors of bring-up */
    r->all_blocks = counter(r, NIC_BODY_FREE);
    if (r->params->body_limit >= 0) nx_register_write(p->n->dev, NIC_BODY_LIMIT, (uint32_t)r->params->body_limit);
    if (r->params->started) r->params->started(r->params->arg, p);
    for (unsigned i = 0; i < QUEUES; i++) {
        r->flow[i] =
            (struct flow){.r = r, .queue = i, .source = p->n->platform.alloc(p->n, SLOTS * r->words * 8, 4096)};
        r->flow[i].task = sim_task_new(p->s, names[i], flood, &r->flow[i]);
    }
    measure(r);
    r->over = 1;
    for (unsigned i = 0; i < QUEUES; i++) sim_join(r->flow[i].task);
    sim_wait_until(p->far_clock, all_delivered, r);
    sim_wait_time(p->s, 20 * SIM_US);
    for (unsigned i = 0; i < QUEUES; i++) {
        r->out->packets += far_end_view(p->far, i).packets;
        if (r->flow[i].delivered != r->flow[i].posted)
            fail(r, "queue %u: %" PRIu64 " transfers delivered of %" PRIu64, i, r->flow[i].delivered,
                 r->flow[i].posted);
    }
    take_counters(r);
    no_errors(r);
    port_stop(p);
}

int head_of_line_run(const head_of_line_params *params, head_of_line *result)
{
    struct run r = {.params = params, .out = result, .words = params->bytes / 8};
    *result = (head_of_line){0};
    if (params->bytes < 8 || params->bytes > 4096 || params->bytes % 8 || !params->victims ||
        params->victims >= (1u << QUEUES) - 1) {
        snprintf(result->error, sizeof result->error,
                 "bytes %u, victims 0x%x: expected a multiple of 8 up to 4096, and some of eight bits, not all",
                 params->bytes, params->victims);
        return -1;
    }
    port_params port = params->port;
    port.sim.watchdog = params->stop + 2 * SIM_MS;
    port.driver.transfer_bytes = params->bytes;
    r.p = port_new(&port, deliver, &r);
    if (!r.p) {
        snprintf(result->error, sizeof result->error, "the system cannot be built");
        return -1;
    }
    sim_task_new(r.p->s, "head of line", software, &r);
    int end = sim_run(r.p->s, SIM_FOREVER);
    if (end != SIM_OK && !*result->error)
        snprintf(result->error, sizeof result->error, "%s: %s", sim_result_name(end), sim_error(r.p->s));
    port_free(r.p);
    return *result->error ? -1 : 0;
}
