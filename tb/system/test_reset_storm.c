/* Software resets of either node, or both, at random moments of traffic in both directions: they end, no good notification stands for lost
 * data, what is lost is told, and traffic goes on with whole space. */
#include "system_space.h"
#include "test.h"
#include "watch.h"

enum { PIECES = 60, LOST = NIC_STATUS_SEQUENCE_GAP_MASK };

struct stream {
    bench *b;
    int from;
    unsigned count;
    piece p[PIECES];
    watch w;
};

/* Sends whatever happens: descriptors that a reset abandons are reported by the driver and not sent again. */
static void send_task(void *arg)
{
    struct stream *s = arg;
    nx_device *dev = s->b->n[s->from]->dev;
    for (unsigned i = 0; i < PIECES; i++) {
        piece *p = &s->p[s->count];
        *p = bench_make(s->b, s->from, 1 + (unsigned)sim_random_below(s->b->p->s, 512));
        nx_descriptor d = {.source = p->source,
                           .destination = p->destination,
                           .words = p->words,
                           .flow = (unsigned)!s->from,
                           .flags = NX_REMOTE | NX_START};
        s->count++;
        int r = nx_post(dev, &d, &p->ticket);
        ck_assert_msg(r == NX_OK || r == NX_ERROR_ABANDONED, "%s", nx_last_error(dev));
    }
    int r = nx_drain(dev, (unsigned)!s->from);
    ck_assert_msg(r == NX_OK || r == NX_ERROR_ABANDONED, "%s", nx_last_error(dev));
}

static void reset(bench *b, int node)
{
    bench_put(b, node, NIC_CONTROL, bench_get(b, node, NIC_CONTROL) | NIC_CONTROL_SOFT_RESET_MASK);
    for (unsigned tries = 0; bench_get(b, node, NIC_CONTROL) & NIC_CONTROL_SOFT_RESET_MASK; tries++)
        ck_assert_msg(tries < 300, "the software reset of node %d does not end", node);
}

struct resetter {
    bench *b;
    int node;
};

static void reset_task(void *arg)
{
    struct resetter *r = arg;
    reset(r->b, r->node);
}

/* All descriptors are accounted for, none is left in the queue. */
static uint32_t accounted(bench *b, int from, uint32_t posted)
{
    unsigned queue = (unsigned)!from;
    uint32_t departed = bench_get(b, from, NIC_QUEUE_DEPARTED + 4 * queue), skipped = bench_get(b, from, NIC_QUEUE_SKIPPED + 4 * queue);
    uint32_t pointers = bench_get(b, from, NIC_QUEUE_POINTERS + 4 * queue);
    ck_assert_uint_eq(departed + skipped, posted);
    ck_assert_uint_eq(pointers >> 24 & 0x7f, pointers >> 16 & 0x7f);
    ck_assert_uint_eq(bench_get(b, from, NIC_STATUS) & ~(uint32_t)LOST, 0);
    return skipped;
}

/* variation: bit 0 resets node 0, bit 1 node 1; the rest is luck */
static void storm(bench *b, int variation)
{
    static struct stream s[2];
    sim_task *task[2];
    int who = variation % 3 + 1;
    for (int i = 0; i < 2; i++) {
        s[i] = (struct stream){.b = b, .from = i};
        watch_start(&s[i].w, b, i, s[i].p, &s[i].count, 0);
        task[i] = sim_task_new(b->p->s, "sender", send_task, &s[i]);
    }
    for (unsigned k = 0; k < 4; k++) {
        bench_wait(b, 1 + sim_random_below(b->p->s, 60 * SIM_US));
        struct resetter r[2] = {{b, 0}, {b, 1}};
        sim_task *other = who == 3 && sim_random_below(b->p->s, 2) ? sim_task_new(b->p->s, "reset", reset_task, &r[1]) : NULL;
        reset(b, who == 2 || (who == 3 && !other && k & 1) ? 1 : 0);
        if (other) sim_join(other);
    }
    for (int i = 0; i < 2; i++) sim_join(task[i]);
    bench_wait(b, 20 * SIM_US);
    for (int i = 0; i < 2; i++) bench_agree(b, i, 4);
    for (int i = 0; i < 2; i++) {
        uint32_t skipped = accounted(b, i, PIECES);
        unsigned lost = 0;
        for (unsigned k = 0; k < PIECES; k++) lost += !bench_arrived(b, &s[i].p[k]);
        /* what departed and did not arrive was thrown away by the receiver's reset, or is the rest of a transfer given up */
        if (!(who >> !i & 1)) ck_assert_msg(lost <= skipped, "node %d lost %u pieces, %u are reported", i, lost, skipped);
        if (!(who >> i & 1)) ck_assert_uint_eq(skipped, 0);
        watch_sound(&s[i].w);
        ck_assert_uint_gt(s[i].w.good, 0);
        uint32_t flagged = bench_risen(b, !i, NIC_FLAGGED_NOTIFICATIONS);
        piece next = bench_make(b, i, 9);
        bench_post(b, &next, NX_REMOTE);
        bench_wait(b, 10 * SIM_US);
        bench_must_arrive(b, &next);
        uint32_t more = bench_risen(b, !i, NIC_FLAGGED_NOTIFICATIONS);
        ck_assert_uint_ge(more, flagged);
        if (lost > skipped) ck_assert_msg(more > 0, "node %d: %u pieces lost, %u reported, none flagged", i, lost, skipped);
    }
    for (int i = 0; i < 2; i++) {
        nx_notification old;
        nx_notification_poll(b->n[i]->dev, (unsigned)!i, &old);
        bench_forgive(b, i);
    }
    bench_prove(b);
}

TEST_CASE("reset_storm", .timeout = 60);

TEST(resets_at_random_moments_of_traffic_both_ways, .to = 18)
{
    pair_params p;
    bench_params(&p);
    p.sim.seed += (uint64_t)_i << 32;
    if (_i & 1) p.node[0].host = p.node[1].host = host_params_ideal();
    bench_run_for(&p, storm, _i, 60 * SIM_MS);
}

/* The driver's reset in mid-traffic: afterwards its accounts start afresh and agree with the device's. */
static void driver_reset(bench *b, int variation)
{
    static piece p[100];
    static unsigned count; /* static: the watch is called until the bus stands still, after this function */
    static watch w;
    count = 0;
    int node = variation & 1;
    watch_start(&w, b, 0, p, &count, 1);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 20; i++) {
            p[count] = bench_make(b, 0, 1 + (unsigned)sim_random_below(b->p->s, 512));
            bench_post(b, &p[count++], NX_REMOTE);
        }
        bench_wait(b, sim_random_below(b->p->s, 60 * SIM_US));
        int r = nx_reset(b->n[node]->dev);
        ck_assert_msg(r == NX_OK, "%s", nx_last_error(b->n[node]->dev));
        r = nx_wait_link(b->n[node]->dev);
        ck_assert_msg(r == NX_OK, "%s", nx_last_error(b->n[node]->dev));
        ck_assert_uint_eq((unsigned)nx_free_slots(b->n[node]->dev, (unsigned)!node), nx_slots(b->n[node]->dev));
        r = nx_drain(b->n[0]->dev, 1);
        ck_assert_msg(r == NX_OK, "%s", nx_last_error(b->n[0]->dev));
        bench_wait(b, 30 * SIM_US);
        nx_notification old;
        nx_notification_poll(b->n[1]->dev, 0, &old);
        piece next = bench_send(b, 0, 100, NX_REMOTE);
        nx_notification note;
        r = nx_notification_wait(b->n[1]->dev, 0, &note);
        ck_assert_msg(r == NX_OK || r == NX_ERROR_FLAGGED, "%s", nx_last_error(b->n[1]->dev));
        bench_must_arrive(b, &next);
        bench_good(b, 0, 100);
        bench_good(b, 1, 100);
    }
    ck_assert_uint_eq(w.lies, 0);
    bench_forgive(b, 0);
    bench_forgive(b, 1);
    bench_prove(b);
}

TEST(the_driver_resets_its_device_in_mid_traffic, .to = 6)
{
    pair_params p;
    bench_params(&p);
    p.sim.seed += (uint64_t)_i << 32;
    bench_run(&p, driver_reset, _i);
}

/* A reset while the bus does not let the NIC write, or does not answer its read. */
SOFTWARE_TEST(a_reset_on_a_blocked_bus_ends_when_the_bus_does, .to = 4)
{
    int reader = _i & 1; /* node 0 is the one that cannot read, else node 1 cannot write */
    host_range r = {0x10000000, 0x7fffffff, HOST_RANGE_RETRY, _i & 2 ? 1500 : 300};
    ck_assert_int_eq(host_add_range(b->n[!reader]->host, &r), 0);
    for (unsigned i = 0; i < 20; i++) bench_send(b, 0, 100, NX_REMOTE);
    bench_wait(b, 30 * SIM_US);
    bench_put(b, !reader, NIC_CONTROL, bench_get(b, !reader, NIC_CONTROL) | NIC_CONTROL_SOFT_RESET_MASK);
    bench_wait(b, 10 * SIM_US);
    host_clear_ranges(b->n[!reader]->host); /* what has been retried before is retried to its end */
    for (unsigned tries = 0; bench_get(b, !reader, NIC_CONTROL) & NIC_CONTROL_SOFT_RESET_MASK; tries++) {
        ck_assert_msg(tries < 500, "the software reset of node %d does not end", !reader);
        bench_wait(b, SIM_US);
    }
    /* the reset may have cost descriptors, which ends the wait; the others are served behind them */
    int result = nx_drain(b->n[0]->dev, 1);
    for (unsigned tries = 0; result == NX_ERROR_ABANDONED && tries < 20; tries++) result = nx_drain(b->n[0]->dev, 1);
    ck_assert_msg(result == NX_OK, "%s", nx_last_error(b->n[0]->dev));
    bench_wait(b, 50 * SIM_US);
    nx_notification old;
    nx_notification_poll(b->n[1]->dev, 0, &old);
    piece next = bench_send(b, 0, 30, NX_REMOTE);
    bench_wait(b, 10 * SIM_US);
    bench_must_arrive(b, &next);
    nx_notification_poll(b->n[1]->dev, 0, &old);
    bench_forgive(b, 0);
    bench_forgive(b, 1);
    bench_prove(b);
}
