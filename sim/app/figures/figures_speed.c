/* Figures of the simulator itself: how fast it runs, and what everything around the models costs.
 *
 *   sim_1nic_khz           network clock of one host and its NIC, saturated, at a switch port in C
 *   sim_2nic_khz           of two nodes and a cable, saturated both ways
 *   sim_8nic_khz           of eight saturated nodes and a switch (figures_switch.c)
 *   sim_harness_overhead   processor time of the run that sim_8nic_khz measures, traffic and its checker included, as a
 * multiple of what the same models take alone: each gets the inputs that it got in that run, out of memory, and is
 * evaluated as often
 *
 * make speed says more: systems of other sizes, and where the instructions go. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/app/figures/figures_private.h"
#include "sim/core/kernel/model.h"
#include "sim/system/nodes/port.h"

enum { SPAN_US = 2000 };

double figure_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one NIC, two NICs ---- */

/* From a task: waits for the span while others keep the system busy. Its speed [kHz of this clock]. */
static double span_khz(sim *s, const sim_clock *clock)
{
    sim_wait_time(s, 100 * SIM_US);
    uint64_t clocks = sim_clock_cycles(clock);
    double began = sim_wall();
    for (int i = 0; i < SPAN_US / 100; i++) {
        sim_wait_time(s, 100 * SIM_US);
        sim_progress(s);
    }
    return 1e-3 * (double)(sim_clock_cycles(clock) - clocks) / (sim_wall() - began);
}

struct one_nic {
    port *p;
    int stop;
    double khz;
};

static void to_all_destinations(void *arg)
{
    enum { BYTES = 1 << 14 };
    struct one_nic *r = arg;
    node *n = r->p->n;
    uint64_t source = n->platform.alloc(n, BYTES, 4096);
    for (unsigned to = 0; !r->stop; to = (to + 1) % r->p->params.far_end.destinations)
        if (nx_transfer(n->dev, to, source, 0, BYTES, 0, NULL)) {
            sim_fail(r->p->s, "%s", nx_last_error(n->dev));
            return;
        }
    for (unsigned to = 0; to < r->p->params.far_end.destinations; to++) nx_drain(n->dev, to);
}

static void one_nic_software(void *arg)
{
    struct one_nic *r = arg;
    if (port_start(r->p)) {
        sim_fail(r->p->s, "%s", r->p->n->error);
        return;
    }
    sim_task *flood = sim_task_new(r->p->s, "flood", to_all_destinations, r);
    r->khz = span_khz(r->p->s, r->p->n->net_clock);
    r->stop = 1;
    sim_join(flood);
    port_stop(r->p);
}

static void unread(void *self, const far_end_packet *p)
{
    (void)self;
    (void)p;
}

static int measure_one(const figure *f, uint64_t seed, double *value)
{
    struct one_nic r = {0};
    port_params p;
    port_params_default(&p);
    p.sim.seed = seed;
    p.node.host = figure_host(f->bridge);
    p.node.host.monitor = false;
    p.driver.transfer_bytes = f->payload * 8;
    r.p = port_new(&p, unread, NULL);
    if (!r.p) return -1;
    sim_task_new(r.p->s, f->name, one_nic_software, &r);
    int result = sim_run(r.p->s, SIM_FOREVER) == SIM_OK ? 0 : -1;
    if (result) fprintf(stderr, "%s: %s\n", f->name, sim_error(r.p->s));
    port_free(r.p);
    *value = r.khz;
    return result;
}

static void two_nics_software(bench *b)
{
    flood flood[2];
    fabric_lookahead(b->p->f, FABRIC_WINDOW, 0);
    for (int i = 0; i < 2; i++) flood_start(&flood[i], b, i);
    *(double *)b->arg = span_khz(b->p->s, b->p->node[0]->net_clock);
    for (int i = 0; i < 2; i++) flood_end(&flood[i]);
}

static int measure_two(const figure *f, uint64_t seed, double *value)
{
    pair_params params;
    bench_params(f, seed, &params);
    params.driver.transfer_bytes = f->payload * 8;
    for (int i = 0; i < 2; i++) params.node[i].host.monitor = false;
    bench b;
    int result = bench_run(&b, f, &params, two_nics_software, value);
    if (b.p) bench_close(&b);
    return result;
}

/* ---- eight nodes, and their models alone ---- */

enum { MODELS = FABRIC_NODES + 1, MODEL_PORTS = 64, MODEL_CLOCKS = 4 };

struct recorder;

/* A model that is recorded, and one that gets the same again. */
struct watched {
    struct recorder *r;
    sim_model *model, *again;
    struct {
        void *from, *to; /* in the one and in the other */
        size_t bytes;
    } input[MODEL_PORTS];
    unsigned inputs, clocks;
    uint8_t *clock[MODEL_CLOCKS]; /* of `again` */
    size_t last;                  /* its last edge in the record */
    sim_time last_at;
};

/* One of its clocks. */
struct tap {
    struct watched *w;
    unsigned clock;
    const uint8_t *enable;
};

struct edge {
    size_t bytes; /* where its inputs are */
    uint8_t model, rising /* a bit for each clock */;
};

struct recorder {
    struct edge *edges;
    uint8_t *bytes;
    size_t edge_count, edge_room, byte_count, byte_room;
    struct watched model[MODELS];
    struct tap taps[MODEL_CLOCKS * MODELS];
    unsigned models;
    size_t first, end; /* edges of the time that counts */
};

static void *grown(void *at, size_t need, size_t *room, size_t size)
{
    if (need <= *room) return at;
    *room = 2 * need;
    at = realloc(at, *room * size);
    if (at) return at;
    fprintf(stderr, "figures: out of memory\n");
    exit(1);
}

/* Before an edge: inputs as the harness has left them. Two clocks that rise at once are one edge, as for the runtime.
 */
static void record(void *self)
{
    const struct tap *t = self;
    struct watched *w = t->w;
    struct recorder *r = w->r;
    sim_time now = sim_now(sim_model_sim(w->model));
    uint8_t rising = (uint8_t)(*t->enable << t->clock);
    if (now == w->last_at) {
        r->edges[w->last].rising |= rising;
        return;
    }
    r->edges = grown(r->edges, r->edge_count + 1, &r->edge_room, sizeof *r->edges);
    r->bytes = grown(r->bytes, r->byte_count + MODEL_PORTS * 64, &r->byte_room, 1);
    w->last = r->edge_count++;
    w->last_at = now;
    r->edges[w->last] = (struct edge){r->byte_count, (uint8_t)(w - r->model), rising};
    for (unsigned i = 0; i < w->inputs; i++) {
        memcpy(r->bytes + r->byte_count, w->input[i].from, w->input[i].bytes);
        r->byte_count += w->input[i].bytes;
    }
}

static void watch(struct recorder *r, sim_model *m)
{
    size_t count, clocks = 0;
    const sim_port *p = sim_model_ports(m, &count);
    struct watched *w = &r->model[r->models];
    *w = (struct watched){.r = r, .model = m, .last_at = SIM_FOREVER};
    for (size_t i = 0; i < count; i++) {
        sim_clock *clock = p[i].output ? NULL : sim_model_clock_at(m, p[i].name);
        if (clock) {
            struct tap *t = &r->taps[MODEL_CLOCKS * r->models + clocks];
            *t = (struct tap){w, (unsigned)clocks++, sim_model_clock_enable(m, p[i].name)};
            sim_clock_attach(clock, record, NULL, t);
        } else if (!p[i].output) {
            w->input[w->inputs].from = p[i].at;
            w->input[w->inputs++].bytes = p[i].bits <= 8    ? 1
                                          : p[i].bits <= 16 ? 2
                                          : p[i].bits <= 32 ? 4
                                                            : (p[i].bits + 31) / 32 * 4;
        }
    }
    r->models++;
}

static void watch_all(switch_bench *b)
{
    for (unsigned i = 0; i < b->fabric->nodes; i++) watch(b->arg, b->fabric->node[i]->nic.model);
    watch(b->arg, b->fabric->chip.model);
}

/* Called where the time that counts begins, and where it ends. */
static void mark(switch_bench *b)
{
    struct recorder *r = b->arg;
    if (!r->first) r->first = r->edge_count;
    r->end = r->edge_count;
}

/* A fresh model of the kind of a recorded one, under its name: its memory starts with the same values. */
static int make_again(struct watched *w, sim *s)
{
    size_t count;
    unsigned inputs = 0;
    w->clocks = 0;
    w->again = sim_model_config(w->model)->make(s, sim_model_name(w->model));
    if (!w->again) return -1;
    const sim_port *p = sim_model_ports(w->again, &count);
    for (size_t i = 0; i < count; i++) {
        if (p[i].output) continue;
        if (sim_model_clock_at(w->model, p[i].name)) w->clock[w->clocks++] = p[i].at;
        else w->input[inputs++].to = p[i].at;
    }
    return 0;
}

/* The recorded inputs go into fresh models, evaluated as the runtime does: once with clocks low, once with the edge.
 * Processor time. */
static double replay(struct recorder *r, uint64_t seed)
{
    double began = 0;
    sim_params p;
    sim_params_default(&p);
    p.seed = seed;
    p.waves = NULL;
    sim *s = sim_new(&p);
    for (unsigned i = 0; i < r->models; i++)
        if (make_again(&r->model[i], s)) return -1;
    for (size_t i = 0; i < r->end; i++) {
        const struct edge *e = &r->edges[i];
        const struct watched *w = &r->model[e->model];
        const uint8_t *bytes = r->bytes + e->bytes;
        if (i == r->first) began = figure_cpu();
        for (unsigned k = 0; k < w->inputs; k++) {
            memcpy(w->input[k].to, bytes, w->input[k].bytes);
            bytes += w->input[k].bytes;
        }
        for (unsigned k = 0; k < w->clocks; k++) *w->clock[k] = 0;
        sim_model_eval(w->again);
        for (unsigned k = 0; k < w->clocks; k++) *w->clock[k] = e->rising >> k & 1;
        sim_model_eval(w->again);
    }
    double cpu = figure_cpu() - began;
    sim_free(s);
    return cpu;
}

/* The best of some turns of both: others on the machine can only slow them down. */
static int measure_overhead(const figure *f, uint64_t seed, double *value)
{
    enum { TURNS = 3 };
    double run = INFINITY, models = INFINITY;
    struct recorder r = {0};
    switch_bench recorded = {.made = watch_all, .span = mark, .arg = &r};
    int result = switch_bench_run(&recorded, f, seed, 8, "uniform", "496", "300", 0);
    for (int i = 0; i < TURNS && !result; i++) {
        switch_bench whole = {.threads = 1};
        result = switch_bench_run(&whole, f, seed, 8, "uniform", "496", "300", 0);
        run = fmin(run, whole.cpu);
        switch_bench_close(&whole);
        double alone = replay(&r, seed);
        models = fmin(models, alone);
        if (alone < 0) result = -1;
    }
    *value = run / models;
    switch_bench_close(&recorded);
    free(r.edges);
    free(r.bytes);
    return result;
}

const figure figures_speed[] = {
    {"sim_1nic_khz", "kHz", NULL, 0, 0, measure_one, "server2004", 62, 0, NULL, 0, NULL},
    {"sim_2nic_khz", "kHz", NULL, 0, 0, measure_two, "server2004", 62, 0, NULL, 0, NULL},
    {"sim_harness_overhead", "ratio", NULL, '<', 1.10, measure_overhead, "server2004", 62, 0, "make speed", 0, NULL},
    {0},
};
