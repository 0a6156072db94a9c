/* Figures of the simulator itself: how fast it runs, and what everything around the models costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures_private.h"
#include "nic.h"

enum { SPAN_US = 2000 };

/* Inputs of a NIC between two edges, as the harness left them. */
struct inputs {
    uint64_t ad;
    uint32_t rx_data, mem_rdata[3];
    uint8_t bits[24];
};

/* An edge of one clock of one NIC. */
struct edge {
    struct inputs in;
    uint8_t nic, net;
};

static void get_inputs(const nic *n, struct inputs *in)
{
    in->ad = *n->ad_i;
    memcpy(in->mem_rdata, n->mem_rdata, sizeof in->mem_rdata);
    in->rx_data = *n->gt_rx_data;
    const uint8_t *const from[] = {n->pci_rst_n,          n->cbe_n_i,          n->par_i,        n->par64_i,          n->frame_n_i,
                                   n->irdy_n_i,           n->trdy_n_i,         n->devsel_n_i,   n->stop_n_i,         n->req64_n_i,
                                   n->ack64_n_i,          n->perr_n_i,         n->serr_n_i,     n->idsel_i,          n->gnt_n_i,
                                   n->mem_ready,          n->mem_rvalid,       n->gt_rx_k,      n->gt_rx_notintable, n->gt_rx_disperr,
                                   n->gt_rx_loss_of_sync, n->gt_rx_buf_status, n->gt_tx_buf_err};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) in->bits[i] = *from[i];
}

static void set_inputs(nic *n, const struct inputs *in)
{
    *n->ad_i = in->ad;
    memcpy(n->mem_rdata, in->mem_rdata, sizeof in->mem_rdata);
    *n->gt_rx_data = in->rx_data;
    uint8_t *const to[] = {n->pci_rst_n,          n->cbe_n_i,          n->par_i,        n->par64_i,          n->frame_n_i,
                           n->irdy_n_i,           n->trdy_n_i,         n->devsel_n_i,   n->stop_n_i,         n->req64_n_i,
                           n->ack64_n_i,          n->perr_n_i,         n->serr_n_i,     n->idsel_i,          n->gnt_n_i,
                           n->mem_ready,          n->mem_rvalid,       n->gt_rx_k,      n->gt_rx_notintable, n->gt_rx_disperr,
                           n->gt_rx_loss_of_sync, n->gt_rx_buf_status, n->gt_tx_buf_err};
    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) *to[i] = in->bits[i];
}

struct recorder;
struct tap {
    struct recorder *r;
    const nic *n;
    uint8_t nic, net;
};
struct recorder {
    struct edge *edges;
    size_t count, room;
    struct tap taps[4];
};

static void record(void *self)
{
    struct tap *t = self;
    struct recorder *r = t->r;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 1 << 20;
        r->edges = realloc(r->edges, r->room * sizeof *r->edges);
        if (!r->edges) {
            fprintf(stderr, "figures: out of memory\n");
            exit(1);
        }
    }
    struct edge *e = &r->edges[r->count++];
    get_inputs(t->n, &e->in);
    e->nic = t->nic;
    e->net = t->net;
}

struct speed {
    struct recorder recorder;
    int recording;
    double wall; /* of the saturated span */
    uint64_t net_clocks;
    size_t first_edge, span_end; /* of the span, in the record */
};

static void speed_software(bench *b)
{
    struct speed *r = b->arg;
    flood flood[2];
    for (int i = 0; i < 2; i++) flood_start(&flood[i], b, i);
    sim_wait_time(b->p->s, 100 * SIM_US);
    r->first_edge = r->recorder.count;
    uint64_t before = sim_clock_cycles(b->p->node[0]->net_clock);
    double began = sim_wall();
    for (int i = 0; i < SPAN_US / 100; i++) {
        sim_wait_time(b->p->s, 100 * SIM_US);
        sim_progress(b->p->s);
    }
    r->wall = sim_wall() - began;
    r->span_end = r->recorder.count;
    r->net_clocks = sim_clock_cycles(b->p->node[0]->net_clock) - before;
    for (int i = 0; i < 2; i++) flood_end(&flood[i]);
}

static int run_saturated(const figure *f, uint64_t seed, struct speed *r)
{
    pair_params params;
    bench_params(f, seed, &params);
    params.driver.transfer_bytes = f->payload * 8;
    params.sim.quiet = 1;
    for (int i = 0; i < 2; i++) params.node[i].host.monitor = false;
    bench b;
    if (bench_open(&b, f, &params)) return -1;
    if (r->recording)
        for (uint8_t i = 0; i < 4; i++) {
            node *n = b.p->node[i / 2];
            r->recorder.taps[i] = (struct tap){&r->recorder, sim_model_binding(n->nic.model), i / 2, i & 1};
            sim_clock_attach(i & 1 ? n->net_clock : n->pci_clock, record, NULL, &r->recorder.taps[i]);
        }
    int result = bench_software(&b, speed_software, r);
    bench_close(&b);
    return result;
}

static int measure_speed(const figure *f, uint64_t seed, double *value)
{
    struct speed r = {0};
    int result = run_saturated(f, seed, &r);
    *value = 1e-3 * (double)r.net_clocks / r.wall;
    return result;
}

/* The recorded inputs go into fresh models, evaluated as the runtime does: once with clocks low, once with the edge. */
static double replay(const struct recorder *r, size_t first, uint64_t seed)
{
    sim_params p;
    sim_params_default(&p);
    p.seed = seed;
    p.waves = NULL;
    sim *s = sim_new(&p);
    nic *n[2] = {nic_new(s, "nic0"), nic_new(s, "nic1")};
    double began = sim_wall();
    for (size_t i = 0; i < r->count; i++) {
        if (i == first) began = sim_wall();
        const struct edge *e = &r->edges[i];
        nic *m = n[e->nic];
        set_inputs(m, &e->in);
        *m->pci_clk = *m->net_clk = 0;
        sim_model_eval(m->model);
        *(e->net ? m->net_clk : m->pci_clk) = 1;
        sim_model_eval(m->model);
    }
    double wall = sim_wall() - began;
    for (int i = 0; i < 2; i++) nic_free(n[i]);
    sim_free(s);
    return wall;
}

static int measure_overhead(const figure *f, uint64_t seed, double *value)
{
    struct speed whole = {0}, recorded = {.recording = 1};
    int result = run_saturated(f, seed, &whole);
    if (!result) result = run_saturated(f, seed, &recorded);
    if (!result) {
        recorded.recorder.count = recorded.span_end; /* the flood ends a little after the span */
        *value = whole.wall / replay(&recorded.recorder, recorded.first_edge, seed);
    }
    free(recorded.recorder.edges);
    return result;
}

const figure figures_speed[] = {
    {"sim_2nic_khz", "kHz", NULL, 0, 0, measure_speed, "server2004", 62, 0, NULL, 0},
    {"sim_harness_overhead", "ratio", NULL, '<', 1.10, measure_overhead, "server2004", 62, 0, "make profile", 0},
    {0},
};
