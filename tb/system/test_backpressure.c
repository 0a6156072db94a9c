/* Nothing is lost when a receiver cannot keep up: its DMA is switched off and on, its bus stalls in every way that
 * hosts know. */
#include "sim/traffic/scenario/traffic.h"
#include "system_space.h"
#include "test.h"

static unsigned pieces, longest; /* of each direction; words */

static unsigned any_piece(bench *b, unsigned flow, piece *p)
{
    sim *s = b->s;
    if (sim_random_below(s, 20) == 0) bench_wait(b, sim_random_below(s, 20 * SIM_US));
    *p = bench_make(b, flow, 1 + (unsigned)sim_random_below(s, sim_random_below(s, 3) ? longest : 8));
    unsigned flags = (sim_random_below(s, 2) ? NX_REMOTE : 0) | (sim_random_below(s, 4) ? 0 : NX_LOCAL);
    return b->flow[flow].posted == pieces - 1 ? NX_REMOTE | NX_LOCAL : flags;
}

/* Disturbs a node while the traffic runs. */
struct disturbance {
    bench *b;
    int node;
    int storms; /* changes of the bridge's behaviour, besides DMA off and on */
    int *over;
};

static void weather_task(void *arg)
{
    struct disturbance *w = arg;
    sim *s = w->b->s;
    while (!*w->over) {
        sim_wait_time(s, 1 + sim_random_below(s, 60 * SIM_US));
        if (w->storms) {
            host_params p = traffic_host(s, &w->b->n[w->node]->params.host);
            host_set_params(w->b->n[w->node]->host, &p);
        }
        bench_initiator(w->b, w->node, 0);
        sim_wait_time(s, sim_random_below(s, 40 * SIM_US));
        bench_initiator(w->b, w->node, 1);
    }
    host_set_params(w->b->n[w->node]->host, &w->b->n[w->node]->params.host);
}

/* Traffic in the directions of the mask `senders`, disturbance at the nodes of `disturbed`; everything must arrive, in
 * order. */
static void run(bench *b, int senders, int disturbed, int storms)
{
    struct disturbance w[2];
    sim_task *disturbance[2];
    int over = 0;
    for (int i = 0; i < 2; i++) {
        w[i] = (struct disturbance){b, i, storms, &over};
        if (senders >> i & 1) bench_stream(b, (unsigned)i, pieces, any_piece, 0);
        disturbance[i] = disturbed >> i & 1 ? sim_task_new(b->s, "disturbance", weather_task, &w[i]) : NULL;
    }
    bench_join(b);
    over = 1;
    for (int i = 0; i < 2; i++)
        if (disturbance[i]) sim_join(disturbance[i]);
    for (int i = 0; i < 2; i++) bench_agree(b, i, 10);
    bench_expect_nothing(b, ALL);
    for (unsigned i = 0; i < 2; i++) {
        const flow *f = &b->flow[i];
        if (!f->posted) continue;
        for (unsigned k = 0; k < pieces; k++) bench_must_arrive(b, &f->piece[k]);
        bench_sound(b, i);
        ck_assert_uint_eq(f->flagged, 0);
        bench_notified(b, &f->piece[pieces - 1], 0); /* the last piece was the last to be notified */
        ck_assert_uint_eq(f->notified, pieces);
    }
}

/* ---- the receiver's DMA off and on */

TEST_CASE("backpressure", .timeout = 60);

SOFTWARE_TEST(a_receiver_switched_off_and_on_loses_nothing, .to = 3) /* from node 0, from node 1, both ways */
{
    pieces = 120;
    longest = 512;
    run(b, _i + 1, _i == 2 ? 3 : 2 - _i, 0);
    bench_prove(b);
}

/* Off until every queue and buffer is full: 2 x 1023 words in FIFOs, the rest waits in memory. */
SOFTWARE_TEST(everything_may_be_full, .to = 3)
{
    enum { N = 60 };
    unsigned first = _i == 1, end = _i ? 2 : 1; /* flows */
    for (unsigned from = first; from < end; from++) bench_initiator(b, !from, 0);
    /* with both off nothing could be sent either: then a first part is on its way before */
    for (unsigned from = first; from < end; from++)
        for (unsigned i = 0; i < N; i++)
            bench_send(b, from, 1 + (unsigned)sim_random_below(b->s, 512), i == N - 1 ? NX_REMOTE : 0);
    bench_wait(b, 200 * SIM_US);
    for (unsigned from = first; from < end; from++)
        for (unsigned i = 0; i < N; i++) bench_untouched(b, &b->flow[from].piece[i]);
    bench_expect_nothing(b, ALL);
    for (int node = 0; node < 2; node++) bench_initiator(b, node, 1);
    for (unsigned from = first; from < end; from++) {
        bench_notified(b, &b->flow[from].piece[N - 1], 0);
        for (unsigned i = 0; i < N; i++) bench_must_arrive(b, &b->flow[from].piece[i]);
    }
    bench_prove(b);
}

/* ---- random traffic */

struct setting {
    unsigned payload, longest, pieces;
    enum nx_posting posting;
    int store_and_forward;
    int ideal;
};
static const struct setting settings[] = {
    {62, 512, 160, NX_POST_COMBINED, 0, 0},  {62, 512, 160, NX_POST_COMBINED, 0, 1},
    {512, 512, 160, NX_POST_STORES64, 0, 0}, {13, 100, 200, NX_POST_STORES32, 0, 0},
    {1, 20, 200, NX_POST_COMBINED, 0, 0},    {62, 512, 160, NX_POST_STORES32, 1, 1},
    {511, 512, 120, NX_POST_COMBINED, 1, 1},
};

static void hosts(pair_params *p, int variation)
{
    const struct setting *c = &settings[variation];
    p->sim.seed += (uint64_t)variation << 32;
    p->driver.payload_words = c->payload;
    p->driver.posting = c->posting;
    p->driver.store_and_forward = c->store_and_forward;
    p->node[0].jitter = p->node[1].jitter = 100;
    if (c->ideal) p->node[0].host = p->node[1].host = host_params_ideal();
    for (int i = 0; i < 2; i++) {
        p->node[i].host.hidden_arbitration = (variation + i) & 1;
        p->node[i].host.park = (variation + i) % 3;
        p->node[i].host.grant_delay = (unsigned)(variation + 3 * i) % 5;
    }
}

SOFTWARE_TEST_ON(hosts, random_traffic_over_random_hosts_arrives_byte_for_byte, .to = COUNT(settings))
{
    const struct setting *c = &settings[_i];
    pieces = c->pieces;
    longest = c->longest;
    run(b, 3, 3, 1);
    if (c->payload >= 62) bench_prove(b);
    else
        for (unsigned from = 0; from < 2; from++) {
            bench_agree(b, (int)from, 4);
            bench_good(b, from, 512);
        }
}
