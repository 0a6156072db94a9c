/* Ports of the switch that go down, are disabled or reset, and nodes that are reset, between real NICs: traffic goes
 * on, and nothing is lost without an indication, whatever the number of packets; a NIC's sequence number has 9 bits. */
#include "crossbar4.h"
#include "fabric_flows.h"
#include "switch_register_map.h"
#include "system_bench.h"
#include "test.h"

enum { NODES = FLOW_NODES, BYTES = FLOW_BYTES, AWAY = 1 /* the node whose port goes */ };

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

static const unsigned numbers[] = {1, 511, 512, 1024};

/* ---- drained ---- */

/* A port is disabled: of that many packets of one flow none gets through, and they are counted there. */
static void while_disabled(scenario_bench *b, unsigned n, unsigned from, unsigned to, unsigned counter)
{
    fabric_flows_are_good(b);
    uint32_t before = switch_register(b, counter);
    port_enabled(b, 0);
    send(b, from, to, n);
    ck_assert_int_eq(fabric_flow_notified(b, 0, 2), NX_OK);
    for (unsigned us = 0; us < 5000 && switch_register(b, counter) - before < n; us += 50) pause_for(b, 50);
    pause_for(b, 10);
    ck_assert_uint_eq(switch_register(b, counter) - before, n);
    port_enabled(b, 1);
    pause_for(b, 20);
    ck_assert_int_eq(fabric_flow_notified(b, 2, AWAY),
                     NX_OK); /* the same receiver, another source; or another receiver */
    ck_assert_int_eq(fabric_flow_notified(b, AWAY, 0), NX_OK);
    ck_assert_int_eq(fabric_flow_notified(b, from, to), NX_ERROR_FLAGGED);
    fabric_flows_are_good(b);
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
    fabric_flows_are_good(b);
    uint32_t drained = switch_register(b, SWITCH_DRAINED);
    cable_cut(b->f->wire[AWAY], CABLE_BOTH);
    pause_for(b, 1500);
    ck_assert_uint_ne(switch_register(b, SWITCH_PORT_STATUS) & SWITCH_PORT_STATUS_DOWN_MASK, 0);
    send(b, 0, AWAY, n);
    ck_assert_int_eq(fabric_flow_notified(b, 0, 2), NX_OK);
    pause_for(b, 800);
    ck_assert_uint_eq(switch_register(b, SWITCH_DRAINED) - drained, n);
    cable_reconnect(b->f->wire[AWAY], CABLE_BOTH);
    pause_for(b, 100);
    ck_assert_uint_eq(switch_register(b, SWITCH_PORT_STATUS) & SWITCH_PORT_STATUS_DOWN_MASK, 0);
    ck_assert_int_eq(fabric_flow_notified(b, 0, AWAY), NX_ERROR_FLAGGED);
    (void)fabric_flow_notified(b, 2, AWAY); /* the receiver may also report its link */
    (void)fabric_flow_notified(b, AWAY, AWAY);
    fabric_flows_are_good(b);
}

TEST(what_is_drained_while_a_cable_is_away_is_reported, .from = 1, .to = 3) { fabric_test(unplug, _i); }

/* ---- resets in traffic */

static void strike(scenario_bench *b, int variation)
{
    fabric_flows_are_good(b);
    fabric_flows_begin(b, 100);
    pause_for(b, 60 + sim_random_below(b->f->s, 100));
    const nx_params driver = *nx_parameters(b->f->node[AWAY]->dev);
    if (variation % 2) fabric_reset_node(b, AWAY, &driver);
    else fabric_reset_switch(b, 0);
    fabric_flows_sent(FLOW_MESSAGES);
    fabric_flows_end(b, 1000); /* records of all lanes have gone round */
}

TEST(resets_in_traffic_lose_nothing_untold, .to = 4) { fabric_test(strike, _i); }

static void idle_resets(scenario_bench *b, int variation)
{
    (void)variation;
    for (int i = 0; i < 5; i++) {
        fabric_flows_are_good(b);
        pause_for(b, 20);
        fabric_reset_switch(b, 0);
        pause_for(b, 100);
    }
    fabric_flows_are_good(b);
}

/* The switch restarts counting after a reset: that is no loss, however often, and nothing was in it. */
TEST(resets_of_an_idle_switch_mark_nobody) { fabric_test(idle_resets, 0); }
