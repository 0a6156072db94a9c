/* Ports of the switch that go down, are disabled or reset, and nodes that are reset, between real NICs: traffic goes on, and nothing is
 * lost without being told, whatever the number of packets; a NIC's sequence number has 9 bits. */
#include <stdlib.h>
#include <string.h>

#include "crossbar4.h"
#include "fabric.h"
#include "nic_register_map.h"
#include "switch_register_map.h"
#include "test.h"

enum { NODES = 3, BYTES = 8 /* of a small packet */, AWAY = 1 /* the node whose port goes */ };

struct bench {
    fabric *f;
    void (*body)(struct bench *, int);
    int variation;
};

static void task(void *arg)
{
    struct bench *b = arg;
    ck_assert_msg(!fabric_start(b->f), "%s", fabric_error(b->f));
    b->body(b, b->variation);
    fabric_stop(b->f);
}

static void bench_run(void (*body)(struct bench *, int), int variation)
{
    fabric_params p;
    fabric_params_default(&p, NODES, &crossbar4_config);
    struct bench b = {.f = fabric_new(&p), .body = body, .variation = variation};
    ck_assert_ptr_nonnull(b.f);
    sim_task_new(b.f->s, "test", task, &b);
    int result = sim_run(b.f->s, 200 * SIM_MS);
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b.f->s));
    fabric_free(b.f);
}

/* Waits that long; the watchdog knows that it is meant. */
static void pause_for(struct bench *b, sim_time us)
{
    for (; us > 50; us -= 50) {
        sim_wait_time(b->f->s, 50 * SIM_US);
        sim_progress(b->f->s);
    }
    sim_wait_time(b->f->s, us * SIM_US);
}

static uint32_t switch_register(struct bench *b, unsigned address)
{
    uint32_t value = 0;
    ck_assert_int_eq(fabric_monitor_read(b->f, address + 0x400 * AWAY, &value), 0);
    return value;
}

/* A transfer with a notification: what waiting for that returns, OK or FLAGGED. With OK the data are there. */
static int notified(struct bench *b, unsigned from, unsigned to)
{
    node *n = b->f->node[from], *m = b->f->node[to];
    uint64_t source = n->platform.alloc(n, BYTES, 8), destination = m->platform.alloc(m, BYTES, 8), data = sim_random(b->f->s) | 1;
    nx_notification note;
    memory_put64(host_memory(n->host), source, data, 0xff);
    int result = nx_transfer(n->dev, to, source, (uint32_t)destination, BYTES, NX_REMOTE, NULL);
    ck_assert_msg(!result, "%s", nx_last_error(n->dev));
    result = nx_notification_wait(m->dev, from, &note);
    ck_assert_msg(result == NX_OK || result == NX_ERROR_FLAGGED, "flow %u to %u: %s", from, to, nx_last_error(m->dev));
    ck_assert_uint_eq(note.destination, destination);
    if (!result) ck_assert_uint_eq(memory_get64(host_memory(m->host), destination), data);
    return result;
}

/* Packets that ask for nothing, until they have left their NIC. */
static void send(struct bench *b, unsigned from, unsigned to, unsigned count)
{
    node *n = b->f->node[from], *m = b->f->node[to];
    uint64_t source = n->platform.alloc(n, BYTES, 8), destination = m->platform.alloc(m, BYTES, 8);
    for (unsigned i = 0; i < count; i++) {
        int result = nx_transfer(n->dev, to, source, (uint32_t)destination, BYTES, 0, NULL);
        ck_assert_msg(!result, "%s", nx_last_error(n->dev));
        sim_progress(b->f->s);
    }
    int result = nx_drain(n->dev, to);
    ck_assert_msg(!result, "%s", nx_last_error(n->dev));
}

static void all_flows_are_good(struct bench *b)
{
    for (unsigned from = 0; from < NODES; from++)
        for (unsigned to = 0; to < NODES; to++)
            ck_assert_msg(!notified(b, from, to), "flow %u to %u: flagged, nothing has been lost", from, to);
}

static const unsigned numbers[] = {1, 511, 512, 1024};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

/* ---- drained ---- */

static void disable(struct bench *b, int number)
{
    unsigned n = numbers[number];
    all_flows_are_good(b);
    uint32_t drained = switch_register(b, SWITCH_DRAINED);
    ck_assert_int_eq(fabric_monitor_write(b->f, SWITCH_PORT_CONTROL + 0x400 * AWAY, 0), 0);
    send(b, 0, AWAY, n);
    ck_assert_int_eq(notified(b, 0, 2), NX_OK);
    pause_for(b, 60);
    ck_assert_uint_eq(switch_register(b, SWITCH_DRAINED) - drained, n);
    ck_assert_int_eq(fabric_monitor_write(b->f, SWITCH_PORT_CONTROL + 0x400 * AWAY, 1), 0);
    pause_for(b, 20);
    ck_assert_int_eq(notified(b, 2, AWAY), NX_OK); /* the same receiver, another source */
    ck_assert_int_eq(notified(b, AWAY, 0), NX_OK);
    ck_assert_int_eq(notified(b, 0, AWAY), NX_ERROR_FLAGGED);
    all_flows_are_good(b);
}

TEST_CASE("ports", .timeout = 200);

TEST(what_a_disabled_port_drains_is_told_of, .to = NUMBERS)
{
    bench_run(disable, _i);
}

/* What a node sends whose port is disabled the switch throws away as well. */
static void refuse(struct bench *b, int number)
{
    unsigned n = numbers[number];
    all_flows_are_good(b);
    uint32_t dropped = switch_register(b, SWITCH_DROPPED_FLOW);
    ck_assert_int_eq(fabric_monitor_write(b->f, SWITCH_PORT_CONTROL + 0x400 * AWAY, 0), 0);
    send(b, AWAY, 2, n);
    for (unsigned us = 0; us < 5000 && switch_register(b, SWITCH_DROPPED_FLOW) - dropped < n; us += 50) pause_for(b, 50);
    ck_assert_uint_eq(switch_register(b, SWITCH_DROPPED_FLOW) - dropped, n);
    ck_assert_int_eq(fabric_monitor_write(b->f, SWITCH_PORT_CONTROL + 0x400 * AWAY, 1), 0);
    pause_for(b, 20);
    ck_assert_int_eq(notified(b, AWAY, 0), NX_OK);
    ck_assert_int_eq(notified(b, 0, 2), NX_OK);
    ck_assert_int_eq(notified(b, AWAY, 2), NX_ERROR_FLAGGED);
    all_flows_are_good(b);
}

TEST(what_a_disabled_port_refuses_is_told_of, .to = NUMBERS)
{
    bench_run(refuse, _i);
}

/* A cable is away for 2.5 ms, so its port goes down after one. */
static void unplug(struct bench *b, int number)
{
    unsigned n = numbers[number];
    all_flows_are_good(b);
    uint32_t drained = switch_register(b, SWITCH_DRAINED);
    cable_cut(b->f->wire[AWAY], CABLE_BOTH);
    pause_for(b, 1500);
    ck_assert_uint_ne(switch_register(b, SWITCH_PORT_STATUS) & SWITCH_PORT_STATUS_DOWN_MASK, 0);
    send(b, 0, AWAY, n);
    ck_assert_int_eq(notified(b, 0, 2), NX_OK);
    pause_for(b, 800);
    ck_assert_uint_eq(switch_register(b, SWITCH_DRAINED) - drained, n);
    cable_reconnect(b->f->wire[AWAY], CABLE_BOTH);
    pause_for(b, 100);
    ck_assert_uint_eq(switch_register(b, SWITCH_PORT_STATUS) & SWITCH_PORT_STATUS_DOWN_MASK, 0);
    ck_assert_int_eq(notified(b, 0, AWAY), NX_ERROR_FLAGGED);
    (void)notified(b, 2, AWAY); /* the receiver may tell of its link as well */
    (void)notified(b, AWAY, AWAY);
    all_flows_are_good(b);
}

TEST(what_is_drained_while_a_cable_is_away_is_told_of, .from = 1, .to = 3)
{
    bench_run(unplug, _i);
}

/* ---- resets in traffic: all flows run; whenever a notification is taken that is good, all that was sent up to it is there ---- */

enum { MESSAGES = 100, WORDS = 62 };

struct flow {
    struct bench *b;
    unsigned from, to, sent, told, good, flagged;
    int stopped; /* by a reset of its node */
    struct {
        uint64_t source, destination;
    } message[MESSAGES];
    sim_task *sender;
};

static struct flow flows[NODES][NODES];
static int over;

static int landed(const struct flow *w, unsigned i)
{
    const fabric *f = w->b->f;
    for (unsigned k = 0; k < WORDS; k++)
        if (memory_get64(host_memory(f->node[w->from]->host), w->message[i].source + 8 * k) !=
            memory_get64(host_memory(f->node[w->to]->host), w->message[i].destination + 8 * k))
            return 0;
    return 1;
}

static void sender(void *arg)
{
    struct flow *w = arg;
    node *n = w->b->f->node[w->from], *m = w->b->f->node[w->to];
    for (unsigned i = 0; i < MESSAGES; i++) {
        w->message[i].source = n->platform.alloc(n, 8 * WORDS, 8);
        w->message[i].destination = m->platform.alloc(m, 8 * WORDS, 8);
        for (unsigned k = 0; k < WORDS; k++)
            memory_put64(host_memory(n->host), w->message[i].source + 8 * k, sim_random(w->b->f->s) | 1, 0xff);
    }
    while (w->sent < MESSAGES && !w->stopped) {
        unsigned i = w->sent++;
        int result =
            nx_transfer(n->dev, w->to, w->message[i].source, (uint32_t)w->message[i].destination, 8 * WORDS, i % 3 ? 0 : NX_REMOTE, NULL);
        ck_assert_msg(!result, "flow %u to %u: %s", w->from, w->to, nx_last_error(n->dev));
        sim_wait_time(w->b->f->s, (1 + sim_random_below(w->b->f->s, 6)) * SIM_US);
    }
}

static void take(struct flow *w)
{
    nx_notification note;
    int result = nx_notification_poll(w->b->f->node[w->to]->dev, w->from, &note);
    if (!result) return;
    ck_assert_msg(result == 1 || result == NX_ERROR_FLAGGED, "%s", nx_last_error(w->b->f->node[w->to]->dev));
    unsigned i = 0;
    while (i < w->sent && (uint32_t)w->message[i].destination != note.destination) i++;
    ck_assert_msg(i < w->sent, "flow %u to %u: a notification of 0x%08x", w->from, w->to, note.destination);
    for (unsigned k = w->told; k <= i && result == 1; k++)
        ck_assert_msg(landed(w, k), "flow %u to %u: message %u is not there, the notification of %u is good", w->from, w->to, k, i);
    w->good += result == 1;
    w->flagged += result != 1;
    w->told = i + 1;
    sim_progress(w->b->f->s);
}

/* A flag is lost when the notification word is overwritten before it is taken; so it is taken in every microsecond, and asked for at most
 * every third message. */
static void taker(void *arg)
{
    struct bench *b = arg;
    while (!over) {
        for (unsigned from = 0; from < NODES; from++)
            for (unsigned to = 0; to < NODES; to++)
                if (b->f->node[to]->dev && !flows[from][to].stopped) take(&flows[from][to]);
        sim_wait_time(b->f->s, SIM_US);
    }
}

static void reset_switch(struct bench *b)
{
    *b->f->chip.rst_n = 0;
    pause_for(b, 1 + sim_random_below(b->f->s, 10));
    *b->f->chip.rst_n = 1;
}

/* RST# of one node: its driver starts anew, and so do its flows. */
static void reset_node(struct bench *b)
{
    node *n = b->f->node[AWAY];
    nx_params driver = *nx_parameters(n->dev);
    for (unsigned i = 0; i < NODES; i++) flows[AWAY][i].stopped = flows[i][AWAY].stopped = 1;
    pause_for(b, 20); /* what its tasks have begun in the driver ends; the NIC and the wires are still full */
    nx_device *dev = n->dev;
    n->dev = NULL;
    host_reset(n->host);
    nx_close(dev);
    nx_bus_free(n->bus);
    n->bus = NULL;
    ck_assert_msg(!node_start(n, &driver), "%s", n->error);
}

static void strike(struct bench *b, int variation)
{
    over = 0;
    all_flows_are_good(b);
    for (unsigned from = 0; from < NODES; from++)
        for (unsigned to = 0; to < NODES; to++) {
            struct flow *w = &flows[from][to];
            memset(w, 0, sizeof *w);
            *w = (struct flow){.b = b, .from = from, .to = to};
            w->sender = sim_task_new(b->f->s, "sender", sender, w);
        }
    sim_task *t = sim_task_new(b->f->s, "taker", taker, b);
    pause_for(b, 60 + sim_random_below(b->f->s, 100));
    if (variation % 2) reset_node(b);
    else reset_switch(b);
    for (unsigned from = 0; from < NODES; from++)
        for (unsigned to = 0; to < NODES; to++) sim_join(flows[from][to].sender);
    pause_for(b, 1000); /* records of all lanes have gone round */
    over = 1;
    sim_join(t);
    /* the next notification of a flow tells of what has been lost since the last one, then all are good */
    for (unsigned from = 0; from < NODES; from++)
        for (unsigned to = 0; to < NODES; to++) {
            struct flow *w = &flows[from][to];
            unsigned missing = 0;
            nx_notification old;
            if (w->stopped) nx_notification_poll(b->f->node[to]->dev, from, &old); /* of before the reset */
            for (unsigned i = w->told; i < w->sent; i++) missing += !landed(w, i);
            int result = notified(b, from, to);
            if (variation % 2 && (from == AWAY || to == AWAY)) continue; /* both ends have started anew */
            ck_assert_msg(!missing || result == NX_ERROR_FLAGGED, "flow %u to %u: %u messages are missing, the next notification is good",
                          from, to, missing);
            ck_assert_uint_gt(w->good, 10);
        }
    all_flows_are_good(b);
}

TEST(resets_in_traffic_lose_nothing_untold, .to = 4)
{
    bench_run(strike, _i);
}

static void idle_resets(struct bench *b, int variation)
{
    (void)variation;
    for (int i = 0; i < 5; i++) {
        all_flows_are_good(b);
        pause_for(b, 20);
        reset_switch(b);
        pause_for(b, 100);
    }
    all_flows_are_good(b);
}

/* The switch counts anew after a reset: that is no loss, however often, and nothing was in it. */
TEST(resets_of_an_idle_switch_mark_nobody)
{
    bench_run(idle_resets, 0);
}
