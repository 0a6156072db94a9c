/* dma_departures against a list per queue, kept here: which packets of its transfers have left, which were dropped.
 * Links take packets at their own pace, and one may stop for long. */
#include <stdio.h>

#include "departures_4.h"
#include "faulty_departures_4.h"
#include "simulation.h"

enum {
    QUEUES = 8,
    LINKS = 4,
    KEPT = 1 << 14, /* packets of a queue, transfers of a queue */
    IN_LINK = 40,   /* packets in the FIFO of a link, at most */
    AHEAD = 472,    /* packets of a queue under way, at most: PATH_AHEAD and the packets that may pass it */
    SOON = 2000     /* [clocks] from the last packet of a transfer to its departure, when all queues have departures to
                       report */
};

struct transfer {
    unsigned last;  /* number of its last packet; of one that was cut short: that of the first one behind it */
    unsigned local; /* wants a local notification */
    unsigned cut;   /* ended without a last packet: it is counted elsewhere */
    unsigned lost;
};

struct queue {
    unsigned char gone[KEPT];
    unsigned put, left; /* packets; all below left have gone */
    struct transfer transfer[KEPT];
    unsigned begun, reported; /* transfers */
    unsigned open;            /* packets of one are under way and more will come */
    unsigned departed, skipped, cut;
    uint64_t complete_since;
};

struct link {
    struct {
        unsigned queue, number, transfer;
    } packet[KEPT * 4];
    unsigned put, sent, reported, stands, loses; /* reported: its departure has been taken */
    unsigned char lost[KEPT * 4];
};

struct bench {
    sim *s;
    sim_clock *clk;
    sim_model *model;
    departures_4 *m;
    struct queue at[QUEUES];
    struct link link[LINKS];
    uint64_t clock, put_at;
    unsigned most, local;
    char wrong[200];
};

static unsigned below(struct bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

#define COMPLAIN(b, ...) ((b)->wrong[0] ? 0 : snprintf((b)->wrong, sizeof(b)->wrong, __VA_ARGS__))

/* The transfer that is due in a queue, all of its packets and of those before gone; or NULL. */
static struct transfer *complete(struct queue *q)
{
    while (q->reported < q->begun && q->transfer[q->reported].cut && q->left >= q->transfer[q->reported].last)
        q->reported++;
    if (q->reported == q->begun || (q->reported + 1 == q->begun && q->open)) return NULL;
    return q->left > q->transfer[q->reported].last ? &q->transfer[q->reported] : NULL;
}

static void over(struct bench *b, unsigned queue, unsigned lost, unsigned local)
{
    struct queue *q = &b->at[queue];
    struct transfer *t = complete(q);
    if (!t)
        COMPLAIN(b, "clock %u: queue %u: %s before all its packets have left", (unsigned)b->clock, queue,
                 lost ? "lost" : "departed");
    else if (t->lost != lost)
        COMPLAIN(b, "clock %u: queue %u: transfer %u is %s", (unsigned)b->clock, queue, q->reported,
                 lost ? "lost" : "departed");
    else if (!lost && t->local != local)
        COMPLAIN(b, "queue %u: transfer %u: local notification %u", queue, q->reported, local);
    q->reported++;
    q->departed += !lost;
    q->skipped += lost;
    b->local += !lost && local;
    q->complete_since = b->clock;
}

static void clock_once(struct bench *b)
{
    departures_4 *m = b->m;
    unsigned valid = 0, lost = 0;
    for (unsigned l = 0; l < LINKS; l++) {
        struct link *x = &b->link[l];
        if (x->reported == x->sent) continue;
        valid |= 1u << l;
        lost |= (unsigned)x->lost[x->reported] << l;
    }
    *m->gone_valid = (uint8_t)valid;
    *m->gone_lost = (uint8_t)lost;
    *m->lost_taken = 0;
    sim_model_eval(b->model);
    if (*m->lost_valid && below(b, 3) == 0) *m->lost_taken = 1;
    sim_model_eval(b->model);
    if (*m->departed_valid) over(b, *m->departed_queue, 0, *m->departed_local);
    if (*m->lost_taken) over(b, *m->lost_queue, 1, 0);
    if (*m->ev_overflow) COMPLAIN(b, "clock %u: overflow", (unsigned)b->clock);
    for (unsigned l = 0; l < LINKS; l++) {
        struct link *x = &b->link[l];
        if (!(*m->gone_pop >> l & 1)) continue;
        if (x->reported == x->sent) {
            COMPLAIN(b, "link %u: taken, and nothing was there", l);
            continue;
        }
        struct queue *q = &b->at[x->packet[x->reported].queue];
        q->gone[x->packet[x->reported].number] = 1;
        if (x->lost[x->reported]) q->transfer[x->packet[x->reported].transfer].lost = 1;
        x->reported++;
        while (q->left < q->put && q->gone[q->left]) q->left++;
    }
    for (unsigned i = 0; i < QUEUES; i++) {
        struct queue *q = &b->at[i];
        if (!complete(q)) q->complete_since = b->clock;
        else if (b->clock - q->complete_since > SOON)
            COMPLAIN(b, "queue %u: transfer %u has left and is not reported", i, q->reported);
    }
    run_clocks(b->s, b->clk, 1);
    b->clock++;
    *m->put_valid = 0;
}

/* A packet of the queue goes into the FIFO of a link. `ends`: the last one of its transfer. */
static void put(struct bench *b, unsigned queue, unsigned link, unsigned ends, unsigned local)
{
    struct queue *q = &b->at[queue];
    struct link *x = &b->link[link];
    *b->m->put_first = !q->open;
    if (!q->open) q->begun++;
    q->open = !ends;
    q->transfer[q->begun - 1].last = q->put;
    q->transfer[q->begun - 1].local = local;
    x->packet[x->put].queue = queue;
    x->packet[x->put].transfer = q->begun - 1;
    x->packet[x->put++].number = q->put++;
    *b->m->put_valid = 1;
    *b->m->put_path = (uint8_t)link;
    *b->m->put_queue = (uint8_t)queue;
    *b->m->put_ends = (uint8_t)ends;
    *b->m->put_local = (uint8_t)local;
    b->put_at = b->clock;
    clock_once(b);
}

/* The rest of its transfer never comes. */
static void cut_short(struct queue *q)
{
    if (!q->open) return;
    q->open = 0;
    q->transfer[q->begun - 1].cut = 1;
    q->transfer[q->begun - 1].last = q->put;
    q->cut++;
}

static void leaves(struct link *x, unsigned lost)
{
    if (x->sent == x->put) return;
    x->lost[x->sent] = (unsigned char)lost;
    x->sent++;
}

static struct bench *bench_new(const sim_config *config, uint64_t seed)
{
    struct bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->model = make_clocked(b->s, b->clk, config, "dut");
    b->m = sim_model_as(b->model, &departures_4_config, NULL);
    ck_assert_ptr_nonnull(b->m);
    *b->m->rst = 1;
    run_clocks(b->s, b->clk, 3);
    *b->m->rst = 0;
    run_clocks(b->s, b->clk, QUEUES + 1);
    return b;
}

/* No queue has more than one short transfer in four clocks; packets of a link leave at its pace; each link stops at
 * times. */
static void traffic(struct bench *b, unsigned clocks, unsigned packets, unsigned losses)
{
    while (clocks-- && !*b->wrong) {
        for (unsigned l = 0; l < LINKS; l++) {
            struct link *x = &b->link[l];
            if (x->stands) {
                /* packets in a link that was down are dropped */
                if (!--x->stands && x->loses)
                    for (; x->sent < x->put;) leaves(x, 1);
            } else if (below(b, 2000) == 0) {
                x->stands = 1 + below(b, 4000);
                x->loses = losses && below(b, 2);
            } else if (below(b, 5) == 0) leaves(x, 0);
        }
        unsigned queue = below(b, 3) ? below(b, QUEUES) : 0, l = below(b, LINKS);
        struct queue *q = &b->at[queue];
        b->most = q->put - q->left > b->most ? q->put - q->left : b->most;
        if (losses && below(b, 60) == 0) cut_short(q);
        sim_model_eval(b->model);
        if (b->clock - b->put_at >= 4 && !*b->m->full && b->link[l].put - b->link[l].reported < IN_LINK &&
            q->put - q->left < AHEAD)
            put(b, queue, l, below(b, packets) == 0, below(b, 2));
        else clock_once(b);
    }
}

/* All packets leave, and are reported. */
static void ends(struct bench *b)
{
    for (unsigned i = 0; i < QUEUES; i++) cut_short(&b->at[i]);
    for (unsigned l = 0; l < LINKS; l++)
        while (b->link[l].sent < b->link[l].put) leaves(&b->link[l], 0);
    for (unsigned i = 0; i < 12000; i++) clock_once(b);
    for (unsigned i = 0; i < QUEUES; i++) {
        const struct queue *q = &b->at[i];
        if (q->departed + q->skipped + q->cut != q->begun)
            COMPLAIN(b, "queue %u: %u departed, %u were lost, %u cut short, of %u", i, q->departed, q->skipped, q->cut,
                     q->begun);
    }
    if (*b->m->busy) COMPLAIN(b, "busy, and nothing is here");
}

TEST_CASE("departures", .timeout = 60);

static const struct {
    unsigned packets, losses;
} manners[] = {{1, 0}, {4, 0}, {1, 1}, {3, 1}, {9, 1}};

TEST(each_transfer_departs_once_in_its_queue_when_all_has_left, .to = COUNT(manners))
{
    struct bench *b = bench_new(&departures_4_config, (uint64_t)_i);
    traffic(b, 20000, manners[_i].packets, manners[_i].losses);
    ends(b);
    ck_assert_str_eq(b->wrong, "");
    unsigned departed = 0, skipped = 0, cut = 0;
    for (unsigned i = 0; i < QUEUES; i++)
        departed += b->at[i].departed, skipped += b->at[i].skipped, cut += b->at[i].cut;
    ck_assert_uint_gt(departed, 200);
    ck_assert_uint_gt(b->local, 50);
    ck_assert_uint_gt(b->most, 200);
    if (manners[_i].losses) ck_assert_uint_gt(skipped, 10);
    if (manners[_i].losses && manners[_i].packets > 1) ck_assert_uint_gt(cut, 5);
}

/* One link stops for ever. A queue with a packet there goes on to AHEAD packets, the others are not affected. */
TEST(a_link_that_stands_stops_nobody_elses_departures)
{
    struct bench *b = bench_new(&departures_4_config, 0);
    put(b, 1, 3, 1, 1);
    for (unsigned n = 0; n < 6000; n++) {
        unsigned queue = n < AHEAD - 1 ? 1 : 2 + n % 6;
        put(b, queue, n % 3, 1, 1);
        leaves(&b->link[n % 3], 0);
        for (unsigned i = 0; i < 3; i++) clock_once(b);
        ck_assert_int_eq(*b->m->full, 0);
    }
    ck_assert_str_eq(b->wrong, "");
    ck_assert_uint_eq(b->at[1].departed, 0);
    leaves(&b->link[3], 1);
    ends(b);
    ck_assert_str_eq(b->wrong, "");
    ck_assert_uint_eq(b->at[1].skipped, 1);
    ck_assert_uint_eq(b->at[1].departed, AHEAD - 1);
}

/* Far more packets than a sender makes: a queue without free places stops, and loses nothing. */
TEST(a_queue_without_places_holds_all)
{
    struct bench *b = bench_new(&departures_4_config, 0);
    put(b, 1, 3, 1, 0);
    unsigned n = 0;
    for (; n < 600 && !*b->m->full; n++) {
        put(b, 1, 0, 1, 0);
        leaves(&b->link[0], 0);
        for (unsigned i = 0; i < 3; i++) clock_once(b);
    }
    ck_assert_uint_ge(n, AHEAD);
    for (unsigned i = 0; i < 3; i++) put(b, 1, 0, 1, 0);
    ck_assert_uint_lt(n, 512 - 3);
    leaves(&b->link[3], 0);
    ends(b);
    ck_assert_int_eq(*b->m->full, 0);
    ck_assert_str_eq(b->wrong, "");
}

/* A link was down: its packets leave one by one, each the oldest of its queue. `full` falls only when there is space
 * again, so the packets that are put before it is seen do not add up, those of two queues neither. */
TEST(a_crowded_queue_does_not_creep, .to = 2)
{
    enum { DOWN = 38 };
    struct bench *b = bench_new(&departures_4_config, 0);
    unsigned two = (unsigned)_i;
    for (unsigned i = 0; i < DOWN; i++) put(b, 1 + (two && i % 2), 3, 1, 0);
    for (unsigned i = 0; i < DOWN; i++) {
        for (unsigned n = 0; n < 1200 && !*b->m->full; n++) { /* as fast as they come */
            put(b, 1 + (two && n % 2), 0, 1, 0);
            leaves(&b->link[0], 0);
            for (unsigned c = 0; c < 3 && !*b->m->full; c++) clock_once(b);
        }
        clock_once(b);
        clock_once(b);
        put(b, 1 + (two && i % 2), 0, 1, 0);
        leaves(&b->link[0], 0);
        leaves(&b->link[3], 0);
        for (unsigned c = 0; c < 20; c++) clock_once(b);
        ck_must(!b->wrong[0], "packet %u of the link: %s", i, b->wrong);
    }
    ends(b);
    ck_assert_str_eq(b->wrong, "");
}

/* A packet is lost, and the rest of its transfer never comes (a link goes down, then a software reset): the next one is
 * not lost with it.
 */
TEST(a_transfer_after_one_cut_short_is_not_lost)
{
    struct bench *b = bench_new(&departures_4_config, 0);
    put(b, 3, 1, 0, 0);
    leaves(&b->link[1], 1);
    clock_once(b);
    cut_short(&b->at[3]);
    put(b, 3, 0, 1, 1);
    leaves(&b->link[0], 0);
    ends(b);
    ck_assert_str_eq(b->wrong, "");
    ck_assert_uint_eq(b->at[3].departed, 1);
}

/* Each fault is found by the traffic above. */
TEST(checker_sees_each_fault, .to = 8)
{
    struct bench *b = bench_new(&faulty_departures_4_config, 3);
    sim_port_set(sim_model_port(b->model, "fault"), (unsigned)_i);
    traffic(b, _i ? 60000 : 20000, 3, 1);
    if (!*b->wrong) ends(b);
    ck_assert_int_eq(*b->wrong != 0, _i != 0);
}
