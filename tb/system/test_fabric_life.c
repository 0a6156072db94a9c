/* Nodes around one switch, or around two by packet, while what there is at switches, cables and nodes is switched at
 * random in full traffic of all flows (fabric_flows): ports, inputs of outputs, buffer sizes, the time until a port is
 * down, weights, time stamps, counters, RST# of a switch; cables pulled out; RST# of a node, which restarts with other
 * queues, packets and ways to post; tables of paths. No good notification may be of messages that are not there; when
 * the operators rest, losses have been reported, all flows are good, and all views of buffer space agree. */
#include "crossbar4.h"
#include "fabric_flows.h"
#include "nic_2paths.h"
#include "nic_register_map.h"
#include "nx_path.h"
#include "sim/system/nodes/fabric_space.h"
#include "switch_register_map.h"
#include "sx_print.h"
#include "test.h"

TEST_CASE("fabric_life", .timeout = 60);

enum { KINDS = 2, SEEDS = 100, SHORT = 2 /* of them in make test */, SWITCHINGS = 40 /* of each operator */ };
enum { TIMER = 4000 /* PCI clocks for a number that is missing */ };
enum {
    LONGEST_OFF = 60,
    LONGEST_CUT = 40,
    LONGEST_PAUSE = 30,
    SETTLING = 200 /* [us]; numbers of a node that was reset are taken */
};

static scenario_bench *bench;

static unsigned below(unsigned n) { return (unsigned)sim_random_below(bench->f->s, n); }

static void up_to(unsigned us) { pause_for(bench, 1 + below(us)); }

/* ---- a switch, by its monitor */

static unsigned path;

static void put(unsigned address, uint32_t value)
{
    ck_assert_int_eq(fabric_path_write(bench->f, path, address, value), 0);
}

/* For a while. */
static void set_for(unsigned port, unsigned address, uint32_t value, uint32_t after)
{
    put(address + 0x400 * port, value);
    up_to(below(8) ? 5 : LONGEST_OFF);
    put(address + 0x400 * port, after);
}

static void port_off(unsigned port) { set_for(port, SWITCH_PORT_CONTROL, 0, 1); }

static void inputs(unsigned port) { set_for(port, SWITCH_INPUT_ENABLE, below(1 << FLOW_NODES), 0xffff); }

static void capacity(unsigned port) { set_for(port, SWITCH_CAPACITY, 200 + below(1800), SWITCH_CAPACITY_RESET); }

static void down_time(unsigned port)
{
    (void)port;
    put(SWITCH_DOWN_TIME, below(2) ? 200 + below(2000) : SWITCH_DOWN_TIME_RESET);
}

static void weight(unsigned port) { put(SWITCH_WEIGHT + 0x400 * port + 4 * below(FLOW_NODES), below(256)); }

static void stamps(unsigned port)
{
    (void)port;
    set_for(0, SWITCH_TIME_STAMPS, 1, 0);
}

static void clear(unsigned port) { put(SWITCH_CLEAR, port); }

static void read_some(unsigned port)
{
    uint32_t value;
    sx_register at = {.row = 0};
    for (unsigned i = below(100); i-- && sx_register_next(port + 1, &at);) continue;
    for (unsigned i = 0; i < 20 && sx_register_next(FLOW_NODES, &at); i++)
        ck_assert_int_eq(fabric_path_read(bench->f, path, at.offset, &value), 0);
}

static void reset(unsigned port)
{
    (void)port;
    fabric_reset_switch(bench, path);
}

static void (*const of_switch[])(unsigned) = {port_off, port_off, inputs, capacity,  down_time,
                                              weight,   stamps,   clear,  read_some, reset};

static void operate_switch(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < SWITCHINGS; i++) {
        up_to(below(2) ? 3 : LONGEST_PAUSE);
        path = below(bench->f->links);
        of_switch[below(COUNT(of_switch))](below(FLOW_NODES));
    }
}

/* ---- cables */

static void operate_cables(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < SWITCHINGS; i++) {
        static const int directions[] = {CABLE_BOTH, CABLE_A_TO_B, CABLE_B_TO_A};
        cable *wire = link_of(bench, below(FLOW_NODES), below(bench->f->links));
        const int cut = directions[below(COUNT(directions))];
        up_to(below(2) ? 3 : LONGEST_PAUSE);
        cable_cut(wire, cut);
        up_to(below(8) ? 2 : LONGEST_CUT);
        cable_reconnect(wire, cut);
    }
}

/* ---- nodes */

static void timer(unsigned node)
{
    if (bench->f->links > 1) write_register(bench->f->node[node], NIC_RESEQ_TIMEOUT, TIMER);
}

static void restart(unsigned node)
{
    static const unsigned slots[] = {0, 0, 8, 16, 32, 64};
    static const enum nx_posting postings[] = {NX_POST_COMBINED, NX_POST_STORES32, NX_POST_STORES64};
    nx_params p = bench->f->params.driver;
    p.direct = 0;
    p.node_id = bench->f->node[node]->params.node_id;
    p.slots = slots[below(COUNT(slots))];
    p.posting = postings[below(COUNT(postings))];
    p.payload_words = 4 + below(FLOW_WORDS - 3);
    p.store_and_forward = (int)below(2);
    fabric_reset_node(bench, node, &p);
    timer(node);
}

/* Links to one node and from it, also such that the other end does not use. */
static void links(unsigned node)
{
    nx_device *dev = bench->f->node[node]->dev;
    const unsigned other = below(FLOW_NODES), all = (1u << bench->f->links) - 1;
    if (all == 1) return;
    ck_assert_int_eq(nx_path_send_use(dev, other, 1 + below(all)), NX_OK);
    if (below(2)) ck_assert_int_eq(nx_path_receive_use(dev, other, 1 + below(all)), NX_OK);
    up_to(LONGEST_OFF);
    ck_assert_int_eq(nx_path_receive_use(dev, other, all), NX_OK);
    ck_assert_int_eq(nx_path_send_use(dev, other, all), NX_OK);
}

static void operate_nodes(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < SWITCHINGS; i++) {
        up_to(LONGEST_PAUSE);
        (below(8) ? links : restart)(below(FLOW_NODES));
    }
}

/* ---- runs */

static int forges;

/* A fault of this test: what a message was sent from changes behind its back. */
static void forge(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < SWITCHINGS; i++) {
        const fabric_flow *w = &fabric_flows[0][1];
        memory *m = host_memory(bench->f->node[0]->host);
        up_to(LONGEST_PAUSE);
        if (w->sent == 0) continue;
        const uint64_t at = w->message[w->sent - 1].source;
        memory_put64(m, at, ~memory_get64(m, at), 0xff);
    }
}

static void live(scenario_bench *b, int variation)
{
    static void (*const operators[])(void *) = {operate_switch, operate_cables, operate_nodes};
    sim_task *task[COUNT(operators)];
    char text[200];
    (void)variation;
    bench = b;
    for (unsigned i = 0; i < FLOW_NODES; i++) timer(i);
    fabric_flows_are_good(b);
    fabric_flows_begin(b, FLOW_MESSAGES);
    for (int i = 0; i < COUNT(operators); i++)
        task[i] = sim_task_new(b->f->s, "operator", forges ? forge : operators[i], NULL);
    for (int i = 0; i < COUNT(operators); i++) sim_join(task[i]);
    for (path = 0; path < b->f->links; path++) put(SWITCH_DOWN_TIME, SWITCH_DOWN_TIME_RESET);
    pause_for(b, SETTLING);
    fabric_flows_sent(0);
    fabric_flows_end(b, 1500); /* records of all virtual channels, numbers that are missing */
    ck_assert_msg(fabric_settle(b->f, 3 * SIM_MS, NULL, text, sizeof text) == 1, "%s", text);
}

static void run(int variation)
{
    static const sim_config *const nics[KINDS] = {&nic_config, &nic_2paths_config};
    fabric_params p;
    scenario_bench_params(&p, FLOW_NODES, nics[variation % KINDS], &crossbar4_config, NULL);
    p.sim.seed += (uint64_t)(variation / KINDS);
    p.sim.watchdog = 10 * SIM_MS;
    p.driver.timeout_ns = 2000 * 1000; /* after which a driver asks whether something has been dropped */
    for (unsigned i = 0; i < FLOW_NODES; i++) {
        p.node[i].pci_mhz = (const unsigned[]){66, 100, 133}[(p.sim.seed + i) % 3];
        if (p.sim.seed / 3 % 2) p.node[i].host = host_params_ideal();
    }
    fabric_good(scenario_bench_new(&p), live, variation);
}

TEST(what_is_switched_in_full_traffic_goes_on, .to = KINDS * long_runs(SHORT, SEEDS)) { run(_i); }

TEST(wrong_data_are_noticed, .exit = 1)
{
    forges = 1;
    run(0);
}
