/* Nothing is lost when a receiver cannot keep up: its DMA is switched off and on, its bus stalls in every way that hosts know. */
#include <stdlib.h>

#include "system_space.h"
#include "test.h"
#include "watch.h"

enum { MOST = 400 };

/* One direction of random traffic. */
struct traffic {
    bench *b;
    int from;
    unsigned n, longest; /* pieces, words */
    unsigned count;      /* pieces made so far */
    piece p[MOST];
    watch w;
};

static void send_task(void *arg)
{
    struct traffic *t = arg;
    sim *s = t->b->p->s;
    for (unsigned i = 0; i < t->n; i++) {
        unsigned words = sim_random_below(s, 3) ? 1 + (unsigned)sim_random_below(s, t->longest) : 1 + (unsigned)sim_random_below(s, 8);
        unsigned flags = (sim_random_below(s, 2) ? NX_REMOTE : 0) | (sim_random_below(s, 4) ? 0 : NX_LOCAL);
        t->p[i] = bench_make(t->b, t->from, words);
        t->count++;
        bench_post(t->b, &t->p[i], i == t->n - 1 ? NX_REMOTE | NX_LOCAL : flags);
        if (sim_random_below(s, 20) == 0) sim_wait_time(s, sim_random_below(s, 20 * SIM_US));
    }
    int r = nx_drain(t->b->n[t->from]->dev, (unsigned)!t->from);
    ck_assert_msg(r == NX_OK, "node %d: %s", t->from, nx_last_error(t->b->n[t->from]->dev));
}

/* Disturbs a node while the traffic runs. */
struct weather {
    bench *b;
    int node;
    int stalls, storms; /* DMA off and on; changes of the bridge's behaviour */
    int *over;
};

static host_params storm(bench *b, int node)
{
    sim *s = b->p->s;
    host_params p;
    do {
        p = sim_random_below(s, 2) ? host_params_ideal() : host_params_server2004();
        p.hole_from = b->n[node]->params.host.hole_from;
        p.hole_to = b->n[node]->params.host.hole_to;
        static const unsigned decodes[] = {2, 3, 4, 6}, buffers[] = {0, 128, 256, 512};
        p.decode = decodes[sim_random_below(s, 4)];
        p.narrow = sim_random_below(s, 8) == 0;
        /* the arbiter stays as it is: a GNT# may not be taken back at once */
        p.hidden_arbitration = b->n[node]->params.host.hidden_arbitration;
        p.park = b->n[node]->params.host.park;
        p.grant_delay = b->n[node]->params.host.grant_delay;
        p.write_waits = 2 * (unsigned)sim_random_below(s, 4);
        p.write_retries = sim_random_below(s, 2) ? (unsigned)sim_random_below(s, 6) : 0;
        p.write_buffer = buffers[sim_random_below(s, 4)];
        p.read_retries = sim_random_below(s, 2) ? (unsigned)sim_random_below(s, 6) : 0;
        p.immediate_reads = sim_random_below(s, 4) == 0;
        p.read_waits = (unsigned)sim_random_below(s, 8);
        p.split_latency = 16 + (unsigned)sim_random_below(s, 200);
        p.completion_gap = 2 + (unsigned)sim_random_below(s, 20);
        p.cuts = (unsigned)sim_random_below(s, HOST_CUTS + 1);
        for (unsigned i = 0; i < HOST_CUTS; i++) p.cut_adqs[i] = 1 + (unsigned)sim_random_below(s, 12);
        p.narrow_completions = sim_random_below(s, 4) == 0;
        p.count_modified = sim_random_below(s, 4) == 0;
    } while (host_params_check(&p));
    return p;
}

static void weather_task(void *arg)
{
    struct weather *w = arg;
    sim *s = w->b->p->s;
    while (!*w->over) {
        sim_wait_time(s, 1 + sim_random_below(s, 60 * SIM_US));
        if (w->storms) {
            host_params p = storm(w->b, w->node);
            host_set_params(w->b->n[w->node]->host, &p);
        }
        if (w->stalls) {
            bench_initiator(w->b, w->node, 0);
            sim_wait_time(s, sim_random_below(s, 40 * SIM_US));
            bench_initiator(w->b, w->node, 1);
        }
    }
    host_set_params(w->b->n[w->node]->host, &w->b->n[w->node]->params.host);
}

/* Traffic in the directions of the mask `senders`, weather at the nodes of `disturbed`; everything must arrive, in order. */
static void run(bench *b, unsigned n, unsigned longest, int senders, int disturbed, int stalls, int storms)
{
    static struct traffic t[2];
    struct weather w[2];
    sim_task *task[2], *weather[2];
    int over = 0;
    for (int i = 0; i < 2; i++) {
        t[i] = (struct traffic){.b = b, .from = i, .n = n, .longest = longest};
        watch_start(&t[i].w, b, i, t[i].p, &t[i].count, 0);
        w[i] = (struct weather){b, i, stalls, storms, &over};
        task[i] = senders >> i & 1 ? sim_task_new(b->p->s, "sender", send_task, &t[i]) : NULL;
        weather[i] = disturbed >> i & 1 ? sim_task_new(b->p->s, "weather", weather_task, &w[i]) : NULL;
    }
    for (int i = 0; i < 2; i++)
        if (task[i]) sim_join(task[i]);
    over = 1;
    for (int i = 0; i < 2; i++)
        if (weather[i]) sim_join(weather[i]);
    for (int i = 0; i < 2; i++) bench_agree(b, i, 10);
    for (int i = 0; i < 2; i++)
        for (unsigned k = 0; task[i] && k < n; k++) bench_must_arrive(b, &t[i].p[k]);
    bench_expect_nothing(b, 0);
    bench_expect_nothing(b, 1);
    for (int i = 0; i < 2; i++) {
        nx_notification note; /* the last piece was the last to be told of */
        if (!task[i]) continue;
        watch_sound(&t[i].w);
        ck_assert_uint_eq(t[i].w.flagged, 0);
        ck_assert_uint_eq(t[i].w.told, n);
        ck_assert_int_eq(nx_notification_poll(b->n[!i]->dev, (unsigned)i, &note), 1);
        ck_assert_uint_eq(note.destination + 8 * note.words, t[i].p[n - 1].destination + 8 * t[i].p[n - 1].words);
    }
}

/* ---- the receiver's DMA off and on */

static void stalled(bench *b, int variation)
{
    run(b, 120, 512, variation + 1, variation == 2 ? 3 : 2 - variation, 1, 0);
    bench_prove(b);
}

TEST_CASE("backpressure", .timeout = 60);

TEST(a_receiver_switched_off_and_on_loses_nothing, .to = 3)
{
    bench_run(NULL, stalled, _i); /* from node 0, from node 1, both ways */
}

/* Off for so long that every queue and buffer is full: 2 x 1023 words in FIFOs, the rest waits in memory. */
SOFTWARE_TEST(everything_may_be_full, .to = 3)
{
    enum { N = 60 };
    static piece p[2][N];
    int directions = _i == 2 ? 3 : _i + 1;
    for (int from = 0; from < 2; from++)
        if (directions >> from & 1) bench_initiator(b, !from, 0);
    /* with both off nothing could be sent either: then a first part is on its way before */
    for (int from = 0; from < 2; from++)
        for (unsigned i = 0; i < N && directions >> from & 1; i++)
            p[from][i] = bench_send(b, from, 1 + (unsigned)sim_random_below(b->p->s, 512), i == N - 1 ? NX_REMOTE : 0);
    bench_wait(b, 200 * SIM_US);
    for (int from = 0; from < 2; from++)
        for (unsigned i = 0; i < N && directions >> from & 1; i++) bench_untouched(b, &p[from][i]);
    bench_expect_nothing(b, 0);
    bench_expect_nothing(b, 1);
    for (int node = 0; node < 2; node++) bench_initiator(b, node, 1);
    for (int from = 0; from < 2; from++)
        if (directions >> from & 1) {
            bench_notified(b, &p[from][N - 1], 0);
            for (unsigned i = 0; i < N; i++) bench_must_arrive(b, &p[from][i]);
        }
    bench_expect_nothing(b, 0);
    bench_expect_nothing(b, 1);
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
    {62, 512, 300, NX_POST_COMBINED, 0, 0},  {62, 512, 300, NX_POST_COMBINED, 0, 1}, {512, 512, 300, NX_POST_STORES64, 0, 0},
    {13, 100, 300, NX_POST_STORES32, 0, 0},  {1, 20, 300, NX_POST_COMBINED, 0, 0},   {62, 512, 300, NX_POST_STORES32, 1, 1},
    {511, 512, 200, NX_POST_COMBINED, 1, 1},
};

static void random_traffic(bench *b, int variation)
{
    const struct setting *c = &settings[variation];
    run(b, c->pieces, c->longest, 3, 3, 1, 1);
    if (c->payload >= 62) bench_prove(b);
    else
        for (int from = 0; from < 2; from++) {
            bench_agree(b, from, 4);
            bench_good(b, from, 512);
        }
}

TEST(random_traffic_over_random_hosts_arrives_byte_for_byte, .to = COUNT(settings))
{
    const struct setting *c = &settings[_i];
    pair_params p;
    bench_params(&p);
    p.sim.seed += (uint64_t)_i << 32;
    p.driver.payload_words = c->payload;
    p.driver.posting = c->posting;
    p.driver.store_and_forward = c->store_and_forward;
    p.node[0].jitter = p.node[1].jitter = 100;
    if (c->ideal) p.node[0].host = p.node[1].host = host_params_ideal();
    for (int i = 0; i < 2; i++) {
        p.node[i].host.hidden_arbitration = (_i + i) & 1;
        p.node[i].host.park = (_i + i) % 3;
        p.node[i].host.grant_delay = (unsigned)(_i + 3 * i) % 5;
    }
    bench_run_for(&p, random_traffic, _i, 100 * SIM_MS);
}
