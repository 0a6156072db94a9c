/* Figures of messages between coherent nodes, two and a cable: the programs pingpong and stream of sw/coherent. The
 * link of a message: from its first word written into the sender's H2N FIFO to its last word written into the
 * receiver's N2H FIFO. The rest is the network interfaces' and the processors'. */

#include <string.h>

#include "sim/app/coherent/coherent_run.h"
#include "sim/app/figures/figures_private.h"
#include "sim/core/kernel/model.h"

enum { NODES = 2, ROUNDS = 150, SKIP = 40 /* first messages: the ring of slots is new to the caches */ };

static const char *const receives[] = {"uncached", "memory", "update", "allocate"}, *const sends[] = {"cachable",
                                                                                                      "doorbell",
                                                                                                      "uncached"};
enum { UNCACHED, OF_MEMORY, UPDATE, ALLOCATE, RECEIVES };
enum { SEND_UNCACHED = 2, SENDS };

/* What happens to messages, from outside. */
struct way {
    cnode *n;
    struct messages *m;
    const void *h2n, *n2h; /* words are written into these FIFOs */
    unsigned h2n_bytes, n2h_bytes;
    sim_time stored, first_h2n, last_h2n, last_n2h; /* the last of each */
    uint32_t polled;
    uint64_t value;
};
struct messages {
    struct way node[NODES];
    unsigned seen, counted;
    sim_time worst;             /* of the receive path */
    double link, send, receive; /* sums [ns] */
};

static int is_high(const void *signal, unsigned bytes) { return (int)(sim_signal_value(signal, bytes) & 1); }

static void on_clock(void *self)
{
    struct way *w = self;
    if (!is_high(w->h2n, w->h2n_bytes)) return;
    sim_time now = sim_now(w->n->s);
    if (now - w->last_h2n > 300 * SIM_NS) w->first_h2n = now;
    w->last_h2n = now;
}

static void on_net_clock(void *self)
{
    struct way *w = self;
    if (is_high(w->n2h, w->n2h_bytes)) w->last_n2h = sim_now(w->n->s);
}

/* A load of a word that has changed since it was loaded before: the message is seen. */
static void on_access(void *self, const coherent_processor *p, const ppc405_access *a)
{
    struct messages *m = self;
    struct way *w = &m->node[p->node->id], *from = &m->node[!p->node->id];
    sim_time now = sim_now(p->node->s);
    if (a->write) {
        w->stored = now;
        return;
    }
    int seen = a->address == w->polled && a->value != w->value && w->last_n2h > w->stored;
    w->polled = a->address;
    w->value = a->value;
    if (!seen || m->seen++ < SKIP) return;
    sim_time took = now - w->last_n2h;
    if (took > m->worst) m->worst = took;
    m->counted++;
    m->receive += (double)took / 1e3;
    m->link += (double)(w->last_n2h - from->first_h2n) / 1e3;
}

static int watch_node(struct way *w, cnode *n, struct messages *m)
{
    w->n = n;
    w->m = m;
    w->h2n = sim_model_signal(n->chip.model, "coherent_node.link", "h2n_wr_valid", &w->h2n_bytes);
    w->n2h = sim_model_signal(n->chip.model, "coherent_node.link", "n2h_wr_valid", &w->n2h_bytes);
    if (!w->h2n || !w->n2h) return -1;
    sim_clock_attach(n->clock, on_clock, NULL, w);
    sim_clock_attach(n->net_clock, on_net_clock, NULL, w);
    return 0;
}

/* A run of these options; its first line of results. 0, or -1. */
static int run(const figure *f, uint64_t seed, const char *scenario, const char *ni, const char *send, unsigned bytes,
               struct messages *m, double *value)
{
    const coherent_chips chips = {nic_kind_of(figures_nics, "coherent"), figures_chip, &nic_config};
    char size[12], error[OPTION_ERROR], rounds[12];
    coherent_options o;
    sim_params p;
    snprintf(size, sizeof size, "%u", bytes);
    snprintf(rounds, sizeof rounds, "%d", ROUNDS);
    char *arguments[] = {"figures",   "--scenario", (char *)scenario, "--ni", (char *)ni, "--send", (char *)send,
                         "--message", size,         "--rounds",       rounds};
    if (coherent_options_read(&o, 11, arguments, error)) {
        fprintf(stderr, "%s: %s\n", f->name, error);
        return -1;
    }
    o.seed = seed;
    sim_params_default(&p);
    p.seed = seed;
    coherent_run *r = coherent_run_new(&o, &chips, &p, error);
    memset(m, 0, sizeof *m);
    r = r && (watch_node(&m->node[0], r->f->cnode[0], m) || watch_node(&m->node[1], r->f->cnode[1], m))
            ? (coherent_run_free(r), (coherent_run *)NULL)
            : r;
    if (!r) {
        fprintf(stderr, "%s: %s\n", f->name, error);
        return -1;
    }
    r->on_access = on_access;
    r->self = m;
    int bad = coherent_run_simulate(r);
    if (!bad) *value = r->line[0].value;
    for (unsigned i = 0; i < NODES; i++) {
        sim_clock_detach(m->node[i].n->clock, &m->node[i]);
        sim_clock_detach(m->node[i].n->net_clock, &m->node[i]);
    }
    coherent_run_free(r);
    return bad ? -1 : 0;
}

/* ---- the receive path ---- */

static int measure_receive(const figure *f, uint64_t seed, double *value)
{
    struct messages m;
    double whole;
    if (run(f, seed, "pingpong", receives[f->variant], "uncached", 64, &m, &whole)) return -1;
    if (m.counted < ROUNDS) {
        fprintf(stderr, "%s: %u messages were seen, expected %d\n", f->name, m.counted, ROUNDS);
        return -1;
    }
    *value = (double)m.worst / (10 * (double)SIM_NS);
    figure_note("    %s: mean %.1f clocks of %u messages\n", f->name, m.receive / m.counted / 10, m.counted);
    return 0;
}

/* ---- round trips ---- */

/* The round trip without both links [ns]. */
static int round_trip(const figure *f, uint64_t seed, unsigned ni, unsigned send, unsigned bytes, double *value)
{
    struct messages m;
    if (run(f, seed, "pingpong", receives[ni], sends[send], bytes, &m, value) || !m.counted) return -1;
    double link = 2 * m.link / m.counted;
    figure_note("    %4u bytes, receive %-8s  send %-8s  round trip %6.0f ns, link %5.0f, the rest %5.0f\n", bytes,
                receives[ni], sends[send], *value, link, *value - link);
    *value -= link;
    return 0;
}

/* The best way to send for each way to receive, against all uncached (variant 0), or of update and allocate against
 * memory (variant 1): percent less. */
static int measure_pingpong(const figure *f, uint64_t seed, double *value)
{
    double best[RECEIVES] = {0}, other, coherent;
    for (unsigned ni = f->variant; ni < RECEIVES; ni++)
        for (unsigned send = 0; send < SENDS; send++) {
            double v;
            if (ni == UNCACHED && send != SEND_UNCACHED) continue;
            if (round_trip(f, seed, ni, send, 64, &v)) return -1;
            if (best[ni] <= 0 || v < best[ni]) best[ni] = v;
        }
    coherent = best[UPDATE] < best[ALLOCATE] ? best[UPDATE] : best[ALLOCATE];
    if (!f->variant && best[OF_MEMORY] < coherent) coherent = best[OF_MEMORY];
    other = best[f->variant ? OF_MEMORY : UNCACHED];
    *value = 100 * (1 - coherent / other);
    return 0;
}

static int measure_stream(const figure *f, uint64_t seed, double *value)
{
    double best = 0, uncached = 0;
    for (unsigned ni = 0; ni < RECEIVES; ni++)
        for (unsigned send = 0; send < SENDS; send++) {
            struct messages m;
            double v;
            if (ni == UNCACHED && send != SEND_UNCACHED) continue;
            if (run(f, seed, "stream", receives[ni], sends[send], 64, &m, &v)) return -1;
            figure_note("    receive %-8s  send %-8s  %6.1f MB/s\n", receives[ni], sends[send], v);
            if (ni == UNCACHED) uncached = v;
            else if (v > best) best = v;
        }
    *value = 100 * (best / uncached - 1);
    return 0;
}

/* ---- beside hosts with PCI-X NICs, whose programs touch no data: a word costs a processor of the node some 60 ns, at
 * both ends ---- */

enum { HOST_ROUNDS = 20 };
struct hosts {
    unsigned bytes;
    double whole, link; /* [ns], both ways */
    struct packet_watch packet;
    double links;
    unsigned packets;
};

static void host_task(node *n, struct hosts *h, uint64_t from, uint64_t to, int first, bench *b)
{
    nx_notification notification;
    for (int i = 0; i < HOST_ROUNDS; i++)
        for (int half = 0; half < 2; half++) {
            int result = half == !first ? nx_transfer(n->dev, 1, from, (uint32_t)to, h->bytes, NX_REMOTE, NULL)
                                        : nx_notification_wait(n->dev, !n->id, &notification);
            if (result) {
                bench_fail(b, n->name, nx_last_error(n->dev));
                return;
            }
        }
}

struct end {
    bench *b;
    struct hosts *h;
    uint64_t from, to;
};

static void second_host(void *self)
{
    struct end *e = self;
    host_task(e->b->p->node[1], e->h, e->from, e->to, 0, e->b);
}

static void hosts_software(bench *b)
{
    struct hosts *h = b->arg;
    node *n[2] = {b->p->node[0], b->p->node[1]};
    uint64_t from[2], to[2];
    for (int i = 0; i < 2; i++) {
        from[i] = n[i]->platform.alloc(n[i], 4096, 64);
        to[i] = n[i]->platform.alloc(n[i], 4096, 64);
    }
    struct end e = {b, h, from[1], to[0]};
    sim_time begin = sim_now(b->p->s);
    sim_task *other = sim_task_new_in(n[1]->group, "host 1", second_host, &e);
    host_task(n[0], h, from[0], to[1], 1, b);
    sim_join(other);
    h->whole = (double)(sim_now(b->p->s) - begin) / 1e3 / HOST_ROUNDS;
}

static int measure_against_pcix(const figure *f, uint64_t seed, double *value)
{
    static const unsigned sizes[] = {8, 64, 248, 496};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct messages m;
        struct hosts h = {.bytes = sizes[i]};
        pair_params params;
        double v;
        bench b;
        if (run(f, seed, "pingpong", "update", "uncached", sizes[i], &m, &v) || !m.counted) return -1;
        bench_params(f, seed, &params);
        for (int k = 0; k < 2; k++) params.node[k].nic = &nic_config;
        int bad = bench_run(&b, f, &params, hosts_software, &h);
        bench_close(&b);
        if (bad) return -1;
        double link = 2 * m.link / m.counted, receive = 2 * m.receive / m.counted;
        figure_note(
            "    %4u bytes: round trip %6.0f ns, of it links %5.0f, receiving NIs %5.0f, processors and sending NIs "
            "%5.0f; hosts with PCI-X NICs %6.0f, of it links %5.0f\n",
            sizes[i], v, link, receive, v - link - receive, h.whole, link);
        if (sizes[i] == 64) *value = h.whole / v;
    }
    return 0;
}

#define NODE .nic = "coherent"
const figure figures_cni[] = {
    {"cni_receive_update", "clocks", NULL, '<', 24, measure_receive, .variant = UPDATE, NODE},
    {"cni_receive_allocate", "clocks", NULL, '<', 24, measure_receive, .variant = ALLOCATE, NODE},
    {"cni_receive_memory", "clocks", NULL, 0, 0, measure_receive, .variant = OF_MEMORY, NODE},
    {"cni_receive_uncached", "clocks", NULL, 0, 0, measure_receive, .variant = UNCACHED, NODE},
    {"cni_pingpong_64", "% less", NULL, '>', 25, measure_pingpong, .variant = 0, NODE},
    {"cni_pingpong_64_memory", "% less", NULL, '>', 0, measure_pingpong, .variant = 1, NODE},
    {"cni_stream_64", "% more", NULL, '>', 50, measure_stream, NODE},
    {"cni_against_pcix", "times", NULL, 0, 0, measure_against_pcix, NODE},
    {0},
};
