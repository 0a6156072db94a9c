/* Ports of the switch that go down, are disabled or reset, and nodes that are reset, between real NICs: traffic goes
 * on, and nothing is lost without an indication, whatever the number of packets; a NIC's sequence number has 9 bits. */
#include "crossbar4.h"
#include "scenario_bench.h"
#include "switch_register_map.h"
#include "system_bench.h"
#include "test.h"

enum { NODES = 3, BYTES = 8 /* of a small packet */, AWAY = 1 /* the node whose port goes */ };

static void fabric_test(void (*software)(scenario_bench *, int), int variation)
{
    fabric_params p;
    fabric_params_default(&p, NODES, &crossbar4_config);
    fabric_good(scenario_bench_new(&p), software, variation);
}

static void port_enabled(scenario_bench *b, uint32_t on)
{
    ck_assert_int_eq(fabric_monitor_write(b->f, SWITCH_PORT_CONTROL + 0x400 * AWAY, on), 0);
}

static uint32_t switch_register(scenario_bench *b, unsigned address)
{
    uint32_t value = 0;
    ck_assert_int_eq(fabric_monitor_read(b->f, address + 0x400 * AWAY, &value), 0);
    return value;
}

/* A transfer with a notification; returns the result of waiting for it, OK or FLAGGED. With OK the data are in memory.
 */
static int notified(scenario_bench *b, unsigned from, unsigned to)
{
    return bench_transfer(b->f->node[from], b->f->node[to], to, BYTES);
}

/* Packets that ask for nothing, until they have left their NIC. */
static void send(scenario_bench *b, unsigned from, unsigned to, unsigned count)
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

static void all_flows_are_good(scenario_bench *b)
{
    for (unsigned from = 0; from < NODES; from++)
        for (unsigned to = 0; to < NODES; to++)
            ck_assert_msg(!notified(b, from, to), "flow %u to %u: flagged, nothing has been lost", from, to);
}

static const unsigned numbers[] = {1, 511, 512, 1024};

/* ---- drained ---- */

/* A port is disabled: of that many packets of one flow none gets through, and they are counted there. */
static void while_disabled(scenario_bench *b, unsigned n, unsigned from, unsigned to, unsigned counter)
{
    all_flows_are_good(b);
    uint32_t before = switch_register(b, counter);
    port_enabled(b, 0);
    send(b, from, to, n);
    ck_assert_int_eq(notified(b, 0, 2), NX_OK);
    for (unsigned us = 0; us < 5000 && switch_register(b, counter) - before < n; us += 50) pause_for(b, 50);
    pause_for(b, 10);
    ck_assert_uint_eq(switch_register(b, counter) - before, n);
    port_enabled(b, 1);
    pause_for(b, 20);
    ck_assert_int_eq(notified(b, 2, AWAY), NX_OK); /* the same receiver, another source; or another receiver */
    ck_assert_int_eq(notified(b, AWAY, 0), NX_OK);
    ck_assert_int_eq(notified(b, from, to), NX_ERROR_FLAGGED);
    all_flows_are_good(b);
}

static void disable(scenario_bench *b, int number) { while_disabled(b, numbers[number], 0, AWAY, SWITCH_DRAINED); }

TEST_CASE("ports", .timeout = 200);

TEST(what_a_disabled_port_drains_is_reported, .to = COUNT(numbers)) { fabric_test(disable, _i); }

/* Packets of a node whose port is disabled are also dropped by the switch. */
static void refuse(scenario_bench *b, int number) { while_disabled(b, numbers[number], AWAY, 2, SWITCH_DROPPED_FLOW); }

TEST(what_a_disabled_port_refuses_is_reported, .to = COUNT(numbers)) { fabric_test(refuse, _i); }

/* A cable is away for 2.5 ms, so its port goes down after one. */
static void unplug(scenario_bench *b, int number)
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
    (void)notified(b, 2, AWAY); /* the receiver may also report its link */
    (void)notified(b, AWAY, AWAY);
    all_flows_are_good(b);
}

TEST(what_is_drained_while_a_cable_is_away_is_reported, .from = 1, .to = 3) { fabric_test(unplug, _i); }

/* ---- resets in traffic: all flows run; whenever a notification is taken that is good, all data sent up to it are in
 * memory ---- */

enum { MESSAGES = 100, WORDS = 62 };

struct way {
    scenario_bench *b;
    unsigned from, to, sent, notified, good, flagged;
    int stopped; /* by a reset of its node */
    struct {
        uint64_t source, destination;
    } message[MESSAGES];
    sim_task *sender;
};

static struct way flows[NODES][NODES];
static int over;

static int landed(const struct way *w, unsigned i)
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
    struct way *w = arg;
    node *n = w->b->f->node[w->from], *m = w->b->f->node[w->to];
    for (unsigned i = 0; i < MESSAGES; i++) {
        w->message[i].source = n->platform.alloc(n, 8 * WORDS, 8);
        w->message[i].destination = m->platform.alloc(m, 8 * WORDS, 8);
        for (unsigned k = 0; k < WORDS; k++)
            memory_put64(host_memory(n->host), w->message[i].source + 8 * k, sim_random(w->b->f->s) | 1, 0xff);
    }
    while (w->sent < MESSAGES && !w->stopped) {
        unsigned i = w->sent++;
        int result = nx_transfer(n->dev, w->to, w->message[i].source, (uint32_t)w->message[i].destination, 8 * WORDS,
                                 i % 3 ? 0 : NX_REMOTE, NULL);
        ck_assert_msg(!result, "flow %u to %u: %s", w->from, w->to, nx_last_error(n->dev));
        sim_wait_time(w->b->f->s, (1 + sim_random_below(w->b->f->s, 6)) * SIM_US);
    }
}

static void take(struct way *w)
{
    nx_notification note;
    int result = nx_notification_poll(w->b->f->node[w->to]->dev, w->from, &note);
    if (!result) return;
    ck_assert_msg(result == 1 || result == NX_ERROR_FLAGGED, "%s", nx_last_error(w->b->f->node[w->to]->dev));
    unsigned i = 0;
    while (i < w->sent && (uint32_t)w->message[i].destination != note.destination) i++;
    ck_assert_msg(i < w->sent, "flow %u to %u: a notification of 0x%08x", w->from, w->to, note.destination);
    for (unsigned k = w->notified; k <= i && result == 1; k++)
        ck_assert_msg(landed(w, k), "flow %u to %u: message %u has not arrived, the notification of %u is good",
                      w->from, w->to, k, i);
    w->good += result == 1;
    w->flagged += result != 1;
    w->notified = i + 1;
    sim_progress(w->b->f->s);
}

/* A flag is lost when the notification word is overwritten before it is taken; so it is taken in every microsecond, and
 * asked for at most every third message. */
static void taker(void *arg)
{
    scenario_bench *b = arg;
    while (!over) {
        for (unsigned from = 0; from < NODES; from++)
            for (unsigned to = 0; to < NODES; to++)
                if (b->f->node[to]->dev && !flows[from][to].stopped) take(&flows[from][to]);
        sim_wait_time(b->f->s, SIM_US);
    }
}

static void reset_switch(scenario_bench *b)
{
    *b->f->chip.rst_n = 0;
    pause_for(b, 1 + sim_random_below(b->f->s, 10));
    *b->f->chip.rst_n = 1;
}

/* RST# of one node: its driver restarts, and so do its flows. */
static void reset_node(scenario_bench *b)
{
    node *n = b->f->node[AWAY];
    nx_params driver = *nx_parameters(n->dev);
    for (unsigned i = 0; i < NODES; i++) flows[AWAY][i].stopped = flows[i][AWAY].stopped = 1;
    pause_for(b, 20); /* calls of its tasks in the driver end; the NIC and the wires are still full */
    nx_device *dev = n->dev;
    n->dev = NULL;
    host_reset(n->host);
    nx_close(dev);
    nx_bus_free(n->bus);
    n->bus = NULL;
    ck_assert_msg(!node_start(n, &driver), "%s", n->error);
}

static void strike(scenario_bench *b, int variation)
{
    over = 0;
    all_flows_are_good(b);
    for (unsigned from = 0; from < NODES; from++)
        for (unsigned to = 0; to < NODES; to++) {
            struct way *w = &flows[from][to];
            *w = (struct way){.b = b, .from = from, .to = to};
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
    /* the next notification of a flow reports losses since the last one, then all are good */
    for (unsigned from = 0; from < NODES; from++)
        for (unsigned to = 0; to < NODES; to++) {
            struct way *w = &flows[from][to];
            unsigned missing = 0;
            nx_notification old;
            if (w->stopped) nx_notification_poll(b->f->node[to]->dev, from, &old); /* of before the reset */
            for (unsigned i = w->notified; i < w->sent; i++) missing += !landed(w, i);
            int result = notified(b, from, to);
            if (variation % 2 && (from == AWAY || to == AWAY)) continue; /* both ends have restarted */
            ck_assert_msg(!missing || result == NX_ERROR_FLAGGED,
                          "flow %u to %u: %u messages are missing, the next notification is good", from, to, missing);
            ck_assert_uint_gt(w->good, 10);
        }
    all_flows_are_good(b);
}

TEST(resets_in_traffic_lose_nothing_untold, .to = 4) { fabric_test(strike, _i); }

static void idle_resets(scenario_bench *b, int variation)
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

/* The switch restarts counting after a reset: that is no loss, however often, and nothing was in it. */
TEST(resets_of_an_idle_switch_mark_nobody) { fabric_test(idle_resets, 0); }
