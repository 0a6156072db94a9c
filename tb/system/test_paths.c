/* Nodes with several links by packet, a switch for each of them or none: packets overtake each other on paths of
 * different length, and all the same each lands once, and notifications are in order (scoreboard of each scenario).
 * Paths are cut, packets are lost. */
#include "crossbar4.h"
#include "nic_2paths.h"
#include "nic_4paths.h"
#include "nic_register_map.h"
#include "scenario_bench.h"
#include "shell.h"
#include "sim/system/nodes/fabric_space.h"
#include "sim/system/nodes/switch_access.h"
#include "sim/traffic/scenario/exchange.h"
#include "sim/traffic/scenario/meter.h"
#include "switch_register_map.h"
#include "test.h"

static scenario_bench *open_paths(const sim_config *nic, unsigned nodes, const sim_config *chip,
                                  const unsigned *latency, unsigned paths)
{
    fabric_params p;
    scenario_bench_params(&p, nodes, nic, chip, latency);
    for (int i = 0; i < 2 && nodes == 4; i++) p.switch_ppm[i] = -5; /* that of path 1 is 95 ppm slower: 100 ppm slow */
    p.paths = paths;
    return scenario_bench_new(&p);
}

TEST_CASE("paths", .timeout = 300);

static const struct system {
    const sim_config *nic, *chip;
    unsigned nodes, latency[FABRIC_LINKS];
    const char *scenario, *sizes, *measure;
} systems[] = {
    {&nic_2paths_config, &crossbar4_config, 4, {23, 23}, "uniform", "8..496", "100"},
    {&nic_2paths_config, &crossbar4_config, 4, {23, 173}, "uniform", "8..496", "100"},
    {&nic_2paths_config, &crossbar4_config, 4, {523, 23}, "three-to-one", "8", "100"},
    {&nic_4paths_config, &crossbar4_config, 3, {23, 24, 173, 523}, "round-robin", "8..496", "80"},
    {&nic_4paths_config, &crossbar4_config, 2, {23, 2023, 23, 23}, "one-way", "128", "100"},
    {&nic_2paths_config, NULL, 2, {0}, "one-way", "8..496", "100"},
    {&nic_4paths_config, NULL, 2, {0}, "ping-pong", "8..496", "80"},
};

TEST(each_packet_lands_once_and_is_reported_in_order, .to = COUNT(systems))
{
    const struct system *s = &systems[_i];
    scenario_bench *b = open_paths(s->nic, s->nodes, s->chip, s->chip ? s->latency : NULL, 0);
    SET(b, "scenario", s->scenario, "sizes", s->sizes, "warmup", "20", "measure", s->measure);
    scenario_bench_good(b);
}

/* The smallest packets of four nodes by four switches; make soak NODES=4 LINKS=4 has 10^6. */
TEST(ten_thousand_packets_land_once)
{
    scenario_bench *b = open_paths(&nic_4paths_config, 4, &crossbar4_config, NULL, 0);
    SET(b, "scenario", "uniform", "sizes", "8", "warmup", "5", "packets", "10000");
    scenario_bench_good(b);
    ck_assert_uint_ge(b->x->counts.landed, 10000);
}

/* The end of a block is in memory long before its begin, which took the other path. */
TEST(files_cross_on_paths_of_unequal_length, .to = 2)
{
    char path[300];
    fabric_params p;
    fabric_params_default(&p, 2, &crossbar4_config);
    p.sim.quiet = 1;
    snprintf(path, sizeof path, "%s/file", shell_folder());
    ck_assert_int_eq(shell("seq 30000 | head -c 150000 >$D/file"), 0);
    for (unsigned i = 0; i < 2; i++) p.node[i].nic = &nic_2paths_config, p.path_latency[i] = (int)i == _i ? 123 : 23;
    fabric *f = fabric_new(&p);
    ck_assert_ptr_nonnull(f);
    exchange x = {.p = pair_in(f, 0, 1)};
    meter *m = meter_new(x.p);
    ck_assert_ptr_nonnull(m);
    for (int i = 0; i < 2; i++) x.direction[i] = (exchange_direction){.path = path, .size = 150000};
    sim_task_new(f->s, "exchange", exchange_run, &x);
    int result = sim_run(f->s, 10 * SIM_MS);
    ck_assert_msg(result == SIM_OK && exchange_good(&x), "%s %s%s%s", sim_result_name(result), sim_error(f->s),
                  x.direction[0].error, x.direction[1].error);
    for (int i = 0; i < 2; i++) { /* whatever path a packet took */
        meter_direction d;
        meter_get(m, i, &d);
        ck_assert_uint_ge(d.bytes, 150000);
        ck_assert_uint_eq(d.bytes < 155000 ? d.lost : 1, 0);
        ck_assert_uint_eq(d.sent_packets, d.packets);
        ck_assert_double_gt(d.link_busy, 0.1);
        ck_assert_double_lt(d.link_busy, 1);
    }
    meter_free(m);
    pair_free(x.p);
    fabric_free(f);
}

/* Commands for the switches' monitors go to all of them, and each is shown and saved. */
static void monitors(scenario_bench *b, int unused)
{
    char error[SWITCH_ERROR] = "", path[300];
    uint32_t clocks;
    (void)unused;
    ck_assert_msg(!switch_settings(b->f, "downtime 6400 disable 3", error), "%s", error);
    snprintf(path, sizeof path, "%s/dump", shell_folder());
    ck_assert_msg(!switch_dump(b->f, path, error), "%s", error);
    for (unsigned l = 0; l < 2; l++) {
        ck_assert_int_eq(fabric_path_read(b->f, l, SWITCH_DOWN_TIME, &clocks), 0);
        ck_assert_uint_eq(clocks, 6400);
    }
    sim_wait_time(b->f->s, 100 * SIM_US);
    ck_assert_int_eq(shell("test -s $D/dump && test -s $D/dump.1"), 0);
}

TEST(monitors_of_all_switches_are_served)
{
    fabric_good(open_paths(&nic_2paths_config, 2, &crossbar4_config, NULL, 0), monitors, 0);
}

/* Local notifications come in order, whatever the order on the links: many short packets leave by one while a long one
 * is on the other, and all departures are reported. */
static void all_depart(scenario_bench *b, int unused)
{
    (void)unused;
    ck_assert_int_eq(fabric_start(b->f), 0);
    node *n = b->f->node[0];
    for (int i = 0; i < 3; i++) {
        nx_ticket last;
        ck_assert_int_eq(nx_transfer(n->dev, 1, 0x200000, 0x300000, 2048, NX_HOLD, &last), NX_OK);
        for (int k = 0; k < 40; k++)
            ck_assert_int_eq(nx_transfer(n->dev, 1, 0x200000, 0x301000, 8, k == 39 ? NX_LOCAL : NX_HOLD, &last), NX_OK);
        sim_wait_time(b->f->s, 60 * SIM_US);
    }
    ck_assert_msg(!nx_drain(n->dev, 1), "%s", nx_last_error(n->dev));
    ck_assert_uint_eq(read_register(n, NIC_QUEUE_DEPARTED + 4), 3 * 41);
    ck_assert_uint_eq(read_register(n, NIC_STATUS), 0);
}

TEST(all_transfers_depart_while_one_link_is_slow)
{
    fabric_params p;
    scenario_bench_params(&p, 2, &nic_2paths_config, NULL, NULL);
    p.driver.payload_words = 256;
    fabric_good(scenario_bench_new(&p), all_depart, 0);
}

/* With one path in use all goes by that one, and nothing waits. */
static void one_path(scenario_bench *b, int link)
{
    scenario_run(b->x, &b->p);
    for (unsigned i = 0; i < b->f->nodes; i++) {
        node *n = b->f->node[i];
        for (unsigned l = 0; l < 2; l++) {
            ck_assert_int_eq(nx_register_write(n->dev, NIC_PATH_VIEW, 16u << l | l), NX_OK);
            sim_wait_time(b->f->s, 20 * SIM_US); /* all counters have been copied */
            uint32_t sent = read_register(n, NIC_NET_OUT_PACKETS);
            ck_assert_msg(l == (unsigned)link ? sent > 20 : sent == 0, "node %u has sent %u packets by link %u", i,
                          sent, l);
        }
        ck_assert_uint_eq(read_register(n, NIC_RESEQ_DEPTH), 0);
        ck_assert_uint_eq(read_register(n, NIC_RESEQ_EVENTS), 0);
    }
    const paths_report *p = &b->x->paths;
    ck_assert_uint_eq(p->links, 2);
    ck_assert_uint_eq(p->path[!link].packets, 0);
    ck_assert_uint_eq(p->path[link].packets, b->x->counts.made);
    ck_assert_double_eq(p->path[link].share, 1);
    ck_assert_double_gt(p->path[link].use, 0.9);
    ck_assert_double_lt(p->path[!link].use, 0.1);
    ck_assert_uint_eq(p->depth_most + p->lost + p->late, 0);
}

TEST(a_path_out_of_use_carries_nothing, .to = 2)
{
    scenario_bench *b = open_paths(&nic_2paths_config, 3, &crossbar4_config, NULL, 1u << _i);
    SET(b, "scenario", "round-robin", "sizes", "8..496", "warmup", "20", "measure", "100");
    scenario_bench_complete(b);
    fabric_good(b, one_path, _i);
    ck_assert(b->x->good);
}

/* A path is cut at node 1 for this time [us]: packets on the wire are lost and reported, all else arrives, and
 * afterwards all accounts of buffers are right, without a reset. */
static const unsigned cuts[] = {10, 900};

struct cut {
    fabric *f;
    unsigned us;
};

static void cut_and_mend(void *arg)
{
    struct cut *c = arg;
    int end;
    cable *wire = fabric_link(c->f, 1, 1, &end);
    sim_wait_time(c->f->s, 60 * SIM_US);
    cable_cut(wire, CABLE_BOTH);
    sim_wait_time(c->f->s, c->us * SIM_US);
    cable_reconnect(wire, CABLE_BOTH);
}

static void beside_a_cut(scenario_bench *b, int us)
{
    struct cut c = {b->f, (unsigned)us};
    char text[200];
    sim_task *task = sim_task_new(b->f->s, "cut", cut_and_mend, &c);
    ck_assert_int_eq(scenario_run(b->x, &b->p), 0);
    sim_join(task);
    for (int i = 0; i < 6; i++) { /* until packets behind a lost number have waited long enough */
        sim_wait_time(b->f->s, 500 * SIM_US);
        sim_progress(b->f->s);
    }
    ck_assert_msg(fabric_settle(b->f, 3000 * SIM_US, NULL, text, sizeof text), "%s", text);
}

TEST(a_cut_costs_what_was_on_the_wire, .to = COUNT(cuts))
{
    scenario_bench *b = open_paths(&nic_2paths_config, 3, &crossbar4_config, NULL, 0);
    char measure[16];
    snprintf(measure, sizeof measure, "%u", cuts[_i] + 300);
    SET(b, "scenario", "round-robin", "sizes", "8..496", "load", "0.4", "warmup", "20", "measure", measure);
    b->p.lossy = 1;
    b->p.drain = 6 * SIM_MS;
    scenario_bench_complete(b);
    fabric_good(b, beside_a_cut, (int)cuts[_i]);
    ck_assert(b->x->good);
    ck_assert_uint_gt(b->x->counts.landed, 100);
    ck_assert_uint_lt(b->x->counts.lost, 60);
}

/* Link 1 of node 0 is cut while it sends to node 1: packets that wait in that link block neither packets to node 2, nor
 * departures from there.
 */
struct sender {
    scenario_bench *b;
    int stop;
};

static void send_to_node_2(void *arg)
{
    struct sender *x = arg;
    nx_ticket last;
    while (!x->stop && !nx_transfer(x->b->f->node[0]->dev, 2, 0x200000, 0x300000, 496, NX_LOCAL, &last)) {
    }
}

static void beside_a_link_that_is_down(scenario_bench *b, int unused)
{
    (void)unused;
    fabric *f = b->f;
    int end;
    nx_ticket last;
    struct sender other = {.b = b};
    unsigned came = 0, departed = 0;
    ck_assert_int_eq(fabric_start(f), 0);
    for (int i = 0; i < 60; i++)
        ck_assert_int_eq(nx_transfer(f->node[0]->dev, 1, 0x200000, 0x300000, 3968, 0, &last), NX_OK);
    sim_wait_time(f->s, 20 * SIM_US);
    cable *wire = fabric_link(f, 0, 1, &end);
    cable_cut(wire, CABLE_BOTH);
    sim_task *task = sim_task_new(f->s, "other", send_to_node_2, &other);
    for (int i = 0; i < 4; i++) {
        sim_wait_time(f->s, 150 * SIM_US);
        unsigned now = read_register(f->node[2], NIC_NET_IN_PACKETS),
                 gone = read_register(f->node[0], NIC_QUEUE_DEPARTED + 8);
        ck_assert_msg(now > came + 30 && gone > departed + 30,
                      "%d us after the cut: %u packets came, %u departed; in the last 150 us %u and %u", 150 * (i + 1),
                      now, gone, now - came, gone - departed);
        came = now;
        departed = gone;
    }
    ck_assert_uint_lt(read_register(f->node[0], NIC_QUEUE_DEPARTED + 4), 60);
    other.stop = 1;
    cable_reconnect(wire, CABLE_BOTH);
    sim_join(task);
    for (unsigned queue = 1; queue < 3; queue++)
        ck_assert_msg(!nx_drain(f->node[0]->dev, queue), "%s", nx_last_error(f->node[0]->dev));
    ck_assert_uint_eq(read_register(f->node[0], NIC_QUEUE_SKIPPED + 4), 0);
    ck_assert_uint_eq(read_register(f->node[0], NIC_STATUS) & NIC_STATUS_FIFO_ERROR_MASK, 0);
}

TEST(a_link_that_is_down_stops_no_other_destination)
{
    fabric_good(open_paths(&nic_2paths_config, 3, &crossbar4_config, NULL, 0), beside_a_link_that_is_down, 0);
}
