/* Remote queues, counters and words (rtl/sync): what they save against RDMA writes, and how fast they are.
 *
 *   enqueue_immediate   from the data phase of the descriptor with the start flag on the sender's bus to the phase word
 *                       on the receiver's; by RDMA write to its notification word: the difference, idle, through the
 *                       switch
 *   queue_7to1          messages per second against the slower of the receiver's link and its bus
 *   barrier_8           last arrival to last release, by counters over by flags that software writes, both flat
 *   group_counting      a transfer of 4096 bytes in a counting group: from its start flag to the counter's word, less
 *                       from its start flag to the notification word by sequence numbers
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "nx_sync.h"
#include "sim/app/figures/figures_private.h"
#include "sim/core/kernel/model.h"
#include "sim/traffic/sync/sync.h"
#include "sync_register_map.h"

enum { MESSAGE_CLOCKS = 21 /* of the link, of 64 bytes: SOP, header, two CRCs */, MESSAGE_WORDS = 8 };

/* ---- a fabric whose NICs have rtl/sync ---- */

typedef struct sync_bench {
    const figure *figure;
    fabric *f;
    void (*software)(struct sync_bench *b);
    void *arg;
    char error[1200];
} sync_bench;

static void fail(sync_bench *b, const char *why)
{
    if (!*b->error) snprintf(b->error, sizeof b->error, "%.500s", why);
    sim_fail(b->f->s, "%s", b->error);
}

/* 1 if a call of the driver of a node was good. */
static int good(sync_bench *b, unsigned node, int result)
{
    sim_progress(b->f->s);
    if (result >= 0) return 1;
    fail(b, nx_last_error(b->f->node[node]->dev));
    return 0;
}

static void run_software(void *arg)
{
    sync_bench *b = arg;
    if (fabric_start(b->f)) {
        fail(b, fabric_error(b->f));
        return;
    }
    b->software(b);
    if (!*b->error) fabric_stop(b->f);
}

/* 0, or -1 with the reason on stderr. `prepare`: NULL, or called before the run. */
static int run_bench(sync_bench *b, const figure *f, uint64_t seed, unsigned nodes, int cable,
                     void (*prepare)(sync_bench *b))
{
    fabric_params p;
    b->figure = f;
    if (!cable && (!figures_chip || switch_ports(figures_chip) < nodes)) {
        fprintf(stderr, "%s: expected a switch of at least %u ports, as make figures has\n", f->name, nodes);
        return -1;
    }
    fabric_params_default(&p, nodes, cable ? NULL : figures_chip);
    p.sim.seed = seed;
    for (unsigned i = 0; i < nodes; i++) {
        p.node[i].nic = nic_kind_of(figures_nics, f->nic);
        p.node[i].host = figure_host(f->bridge);
    }
    if (!(b->f = fabric_new(&p))) return -1;
    if (prepare) prepare(b);
    sim_task_new(b->f->s, f->name, run_software, b);
    const int result = sim_run(b->f->s, SIM_FOREVER);
    if (result != SIM_OK || *b->error) fprintf(stderr, "%s: %s\n", f->name, *b->error ? b->error : sim_error(b->f->s));
    const int bad = result != SIM_OK || *b->error;
    fabric_free(b->f);
    return bad ? -1 : 0;
}

static int number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- one packet: from its descriptor to a word at the receiver ---- */

enum { TRIES = 60 };

struct one_way {
    sync_bench *b;
    uint64_t descriptors; /* from here on are those of the sender's queues */
    uint64_t from, to;    /* the word is in this range of the receiver's memory, at a multiple of `step` */
    unsigned step;
    sim_time posted, there; /* 0: not yet */
    double at[2][TRIES];    /* [ns] */
};

static void on_descriptor(void *self, const pcix_transaction *t)
{
    struct one_way *r = self;
    const node *n = r->b->f->node[0];
    if (pcix_is_memory_write(t->command) && t->initiator != n->nic_agent && t->address >= r->descriptors)
        r->posted = figure_bus_time(n, t->last_data);
}

static void on_word(void *self, const pcix_transaction *t, sim_time when)
{
    struct one_way *r = self;
    if (t->initiator != r->b->f->node[1]->nic_agent || t->address < r->from || t->address >= r->to) return;
    if ((t->address - r->from) % r->step == 0) r->there = when;
}

static void watch_one_way(sync_bench *b)
{
    struct one_way *r = b->arg;
    r->b = b;
    host_on_transaction(b->f->node[0]->host, on_descriptor, r);
    host_on_written(b->f->node[1]->host, on_word, r);
}

/* Waits for the word of what has just been posted: its time [ns], NAN after 100 us. */
static double wait_word(struct one_way *r)
{
    sim *s = r->b->f->s;
    const sim_time began = sim_now(s);
    while (!r->there && sim_now(s) < began + 100 * SIM_US) sim_wait_time(s, SIM_US);
    if (!r->there) fail(r->b, "the word has not come for 100 us");
    const double ns = 1e-3 * (double)(r->there - r->posted);
    sim_wait_time(s, 2 * SIM_US + sim_random_below(s, SIM_US));
    r->there = r->posted = 0;
    sim_progress(s);
    return ns;
}

static double median(double *at)
{
    qsort(at, TRIES, sizeof *at, number_order);
    return at[TRIES / 2];
}

static uint64_t notification_word(sync_bench *b, unsigned source)
{
    uint32_t low = 0;
    good(b, 1, nx_register_read(b->f->node[1]->dev, NIC_REMOTE_NOTIFY_LOW, &low));
    return low + 8 * (uint64_t)source;
}

static void enqueue_software(sync_bench *b)
{
    struct one_way *r = b->arg;
    node *from = b->f->node[0], *to = b->f->node[1];
    const nx_rqueue_params params = {.slots = 256, .slot_bytes = 64, .sources = 1};
    nx_sync *s[2] = {NULL, NULL};
    nx_rqueue *q = NULL;
    nx_message m;
    uint32_t ring = 0;
    r->descriptors = from->bus ? nx_bus_find(from->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address + 0x4000 : 0;
    for (unsigned i = 0; i < 2; i++)
        if (!good(b, i, nx_sync_open(b->f->node[i]->dev, &s[i]))) return;
    if (!good(b, 1, nx_rqueue_open(s[1], 2, &params, &q)) ||
        !good(b, 1, nx_register_read(to->dev, SYNC_QUEUE_BASE_LOW + 2 * 32, &ring)))
        return;
    const uint64_t source = from->platform.alloc(from, 8, 64), destination = to->platform.alloc(to, 8, 64);
    for (unsigned i = 0; i < 2 * TRIES && !*b->error; i++) {
        const nx_descriptor d = {.source = i,
                                 .destination = nx_operation_word(NX_ENQUEUE, 2, 0),
                                 .words = 1,
                                 .flow = 1,
                                 .flags = NX_OPERATION | NX_IMMEDIATE | NX_START};
        r->from = i % 2 ? notification_word(b, 0) : ring;
        r->to = r->from + (i % 2 ? 8 : 256 * 64);
        r->step = 64;
        if (!good(b, 0,
                  i % 2 ? nx_transfer(from->dev, 1, source, (uint32_t)destination, 8, NX_REMOTE, NULL)
                        : nx_post(from->dev, &d, NULL)))
            return;
        r->at[i % 2][i / 2] = wait_word(r);
        if (i % 2 || *b->error) continue;
        if (good(b, 1, nx_rqueue_wait(q, &m))) good(b, 1, nx_rqueue_done(q));
    }
    nx_rqueue_close(q);
    for (unsigned i = 0; i < 2; i++) nx_sync_close(s[i]);
}

static int measure_enqueue(const figure *f, uint64_t seed, double *value)
{
    struct one_way r = {0};
    sync_bench b = {.software = enqueue_software, .arg = &r};
    if (run_bench(&b, f, seed, 2, 0, watch_one_way)) return -1;
    const double message = median(r.at[0]), rdma = median(r.at[1]);
    *value = rdma - message;
    figure_note("    message %.0f ns, RDMA write with notification %.0f ns (medians of %d)\n", message, rdma, TRIES);
    return 0;
}

/* ---- a transfer in a counting group ---- */

enum { GROUP = 9, GROUP_BYTES = 4096 };

static void group_software(sync_bench *b)
{
    struct one_way *r = b->arg;
    node *from = b->f->node[0], *to = b->f->node[1];
    nx_sync *s[2] = {NULL, NULL};
    r->descriptors = nx_bus_find(from->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address + 0x4000;
    for (unsigned i = 0; i < 2; i++)
        if (!good(b, i, nx_sync_open(b->f->node[i]->dev, &s[i]))) return;
    const uint64_t source = from->platform.alloc(from, GROUP_BYTES, 4096),
                   destination = to->platform.alloc(to, GROUP_BYTES, 4096);
    uint32_t words = 0;
    if (!good(b, 1, nx_register_read(to->dev, SYNC_COUNTER_BASE_LOW, &words))) return;
    for (unsigned groups = 0; groups < 2; groups++) {
        for (unsigned i = 0; i < 2; i++)
            if (!good(b, i, nx_register_write(b->f->node[i]->dev, SYNC_CONTROL, groups))) return;
        r->from = groups ? (words & ~511u) + 8 * GROUP : notification_word(b, 0);
        r->to = r->from + 8;
        r->step = 8;
        for (unsigned i = 0; i < TRIES && !*b->error; i++) {
            if (groups && !good(b, 1, nx_counter_arm(s[1], NX_SELF, GROUP, GROUP_BYTES / 8, NX_AT_ZERO_WORD, 0)))
                return;
            sim_wait_time(b->f->s, SIM_US);
            r->there = r->posted = 0;
            if (!good(b, 0,
                      nx_transfer(from->dev, 1, source, (uint32_t)destination, GROUP_BYTES,
                                  groups ? NX_GROUP(GROUP) : NX_REMOTE, NULL)))
                return;
            r->at[groups][i] = wait_word(r);
        }
    }
    for (unsigned i = 0; i < 2; i++) nx_sync_close(s[i]);
}

static int measure_group(const figure *f, uint64_t seed, double *value)
{
    struct one_way r = {0};
    sync_bench b = {.software = group_software, .arg = &r};
    if (run_bench(&b, f, seed, 2, 1, watch_one_way)) return -1;
    const double ordered = median(r.at[0]), counted = median(r.at[1]);
    *value = counted - ordered;
    figure_note(
        "    4096 bytes by sequence numbers %.0f ns, in a group %.0f ns (medians of %d); a lost packet: a gap is "
        "reported, against a counter that never ends\n",
        ordered, counted, TRIES);
    return 0;
}

/* ---- scenarios ---- */

struct scenario_bench {
    sync_params p;
    sync_result r;
    double bus_clocks, writes; /* of the reader's bus: of writes by its NIC that begin in the ring */
};

static void scenario_software(sync_bench *b)
{
    struct scenario_bench *x = b->arg;
    if (sync_run_on(b->f, &x->p, &x->r)) fail(b, x->r.error);
}

/* Clocks of a write on the bus: to the first one in which another one may begin. */
static void on_write(void *self, const pcix_transaction *t)
{
    struct scenario_bench *x = self;
    if (!pcix_is_memory_write(t->command)) return;
    if (t->bytes != 8 && t->bytes != 8 * MESSAGE_WORDS) return;
    x->bus_clocks += (double)(t->over - t->start + 1);
    x->writes++;
}

static void watch_reader(sync_bench *b)
{
    struct scenario_bench *x = b->arg;
    if (x->p.run == SYNC_QUEUE) host_on_transaction(b->f->node[b->f->nodes - 1]->host, on_write, x);
}

static int run_scenario(const figure *f, uint64_t seed, struct scenario_bench *x)
{
    sync_bench b = {.software = scenario_software, .arg = x};
    x->p.seed = seed;
    return run_bench(&b, f, seed, 8, 0, watch_reader);
}

static int measure_queue(const figure *f, uint64_t seed, double *value)
{
    struct scenario_bench x = {.p = {.run = SYNC_QUEUE, .message = MESSAGE_WORDS, .slots = 1024, .packets = 7 * 400}};
    if (run_scenario(f, seed, &x)) return -1;
    const double rate = sync_get(&x.r, "rate"), link = 78.125 / MESSAGE_CLOCKS,
                 bus = 100 / (2 * x.bus_clocks / (x.writes > 0 ? x.writes : 1)), unfair = sync_get(&x.r, "unfairness");
    *value = 100 * rate / fmin(link, bus);
    figure_note(
        "    %.3f messages per us; link %.3f, bus %.3f; senders differ from their mean by %.2f %% at most; %.0f "
        "refusals\n",
        rate, link, bus, unfair, sync_get(&x.r, "refusals"));
    if (unfair <= 1) return 0;
    fprintf(stderr, "%s: senders differ from their mean by %.2f %%, expected at most 1 %%\n", f->name, unfair);
    return -1;
}

static int measure_barrier(const figure *f, uint64_t seed, double *value)
{
    static const char *const kinds[] = {"counters flat", "software flat", "counters tree", "software tree"};
    struct scenario_bench x = {.p = {.run = SYNC_BARRIER, .packets = 4 * 8 * 40}};
    char name[40];
    double ns[4];
    if (run_scenario(f, seed, &x)) return -1;
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s median", kinds[i]);
        ns[i] = sync_get(&x.r, name);
        figure_note("    %-14s %6.0f ns\n", kinds[i], ns[i]);
    }
    *value = ns[0] / ns[1];
    return 0;
}

/* A value of a scenario by name. */
static int measure_value(const figure *f, uint64_t seed, sync_run run, const char *name, double *value)
{
    struct scenario_bench x = {.p = {.run = run, .packets = 8 * 50}};
    if (run_scenario(f, seed, &x)) return -1;
    *value = sync_get(&x.r, name);
    return 0;
}

static int measure_fetch_add(const figure *f, uint64_t seed, double *value)
{
    return measure_value(f, seed, SYNC_COUNTER, "round trip alone median", value);
}

static int measure_lock(const figure *f, uint64_t seed, double *value)
{
    return measure_value(f, seed, SYNC_LOCK, "passes per second", value);
}

const figure figures_sync[] = {
    {"enqueue_immediate", "ns", NULL, '>', 600, measure_enqueue, "server2004", 62, 0, NULL, 0, "sync"},
    {"queue_7to1", "%", NULL, '>', 90, measure_queue, "server2004", 62, 0, NULL, 0, "sync"},
    {"barrier_8", "ratio", NULL, '<', 0.6, measure_barrier, "server2004", 62, 0, NULL, 0, "sync"},
    {"fetch_add", "ns", NULL, 0, 0, measure_fetch_add, "server2004", 62, 0, NULL, 0, "sync"},
    {"lock_8", "1/s", NULL, 0, 0, measure_lock, "server2004", 62, 0, NULL, 0, "sync"},
    {"group_counting", "ns", NULL, 0, 0, measure_group, "server2004", 62, 0, NULL, 0, "sync"},
    {0},
};
