/* Systems of nodes: two joined directly, several around a switch. */
#include <stdlib.h>

#include "crossbar4.h"
#include "nic_monitored.h"
#include "scenario_bench.h"
#include "stamp_traffic.h"
#include "system_bench.h"
#include "test.h"

/* One transfer from a node to another: the notification comes and the data are in memory. */
static void transfer(scenario_bench *b, int variation)
{
    unsigned nodes = b->f->nodes, from = (unsigned)variation / nodes, to = (unsigned)variation % nodes;
    ck_assert_int_eq(bench_transfer(b->f->node[from], b->f->node[to], to, 3000), NX_OK);
}

TEST_CASE("fabric", .timeout = 120);

TEST(two_nodes_without_a_switch, .to = 2)
{
    fabric_params p;
    fabric_params_default(&p, 2, NULL);
    fabric_good(scenario_bench_new(&p), transfer, 1 + _i);
}

TEST(every_node_reaches_every_node_and_itself, .to = 9)
{
    fabric_params p;
    fabric_params_default(&p, 3, &crossbar4_config);
    fabric_good(scenario_bench_new(&p), transfer, _i);
}

/* Eight queues, and sources beyond them: the switch names the source. */
TEST(nodes_of_any_id_are_received_through_the_switch, .to = 9)
{
    static const unsigned ids[] = {9, 127, 1};
    fabric_params p;
    fabric_params_default(&p, 3, &crossbar4_config);
    for (unsigned i = 0; i < 3; i++) p.node[i].node_id = ids[i];
    fabric_good(scenario_bench_new(&p), transfer, _i);
}

TEST(an_id_is_that_of_one_node, .to = 2)
{
    fabric_params p;
    fabric_params_default(&p, 3, &crossbar4_config);
    p.sim.quiet = 1;
    p.node[1].node_id = _i ? 128 : 2;
    ck_assert_ptr_null(fabric_new(&p));
}

/* The output of a failed run: every state machine by name, and waiting work by place. */
static void stall(scenario_bench *b, int variation)
{
    node *n = b->f->node[0], *to = b->f->node[2];
    uint64_t source = n->platform.alloc(n, 4000, 8), destination = to->platform.alloc(to, 4000, 8);
    (void)variation;
    for (int i = 0; i < 8; i++) nx_transfer(n->dev, 2, source, (uint32_t)destination, 3968, 0, NULL);
    sim_wait_time(b->f->s, 30 * SIM_US);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    sim_report_print(b->f->s, f);
    fclose(f);
    ck_assert_msg(strstr(text, "words in crosspoints 0>2: ") == text,
                  "expected a list of waiting words at the begin of: %s", text);
    ck_assert_msg(strstr(text, "node0: descriptors in queues 2: ") < strstr(text, "--- node0"), "%s", text);
    static const char *const expected[] = {"--- node0\n",
                                           "--- node2\n",
                                           "DMA: outgoing ",
                                           "  link up\n  credits [units]: sent ",
                                           "--- xbar\n",
                                           "port 0 (clk_a): up, receiver ",
                                           "port 2 (clk_b): up, receiver ",
                                           "port 3 (clk_b): no link, receiver HUNT, sender READY",
                                           "sent to the NIC ",
                                           "receiver HUNT"};
    for (int i = 0; i < COUNT(expected); i++)
        ck_assert_msg(strstr(text, expected[i]), "\"%s\" is not in:\n%s", expected[i], text);
    ck_assert_msg(!strstr(text, "unknown"), "%s", text);
    free(text);
    sim_stop(b->f->s);
}

TEST(the_report_names_every_state)
{
    fabric_params p;
    fabric_params_default(&p, 3, &crossbar4_config);
    scenario_bench *b = scenario_bench_new(&p);
    int result = fabric_run(b, stall, 0);
    ck_assert_msg(result == SIM_STOPPED || result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b->f->s));
}

TEST(impossible_systems_are_refused, .to = 4)
{
    static const struct {
        unsigned nodes;
        const sim_config *chip;
    } bad[] = {{1, NULL}, {3, NULL}, {1, &crossbar4_config}, {5, &crossbar4_config}};
    fabric_params p;
    fabric_params_default(&p, bad[_i].nodes, bad[_i].chip);
    p.sim.quiet = 1;
    ck_assert_ptr_null(fabric_new(&p));
}

/* ---- time stamps in packets (S2 5.3) */

static stamp_traffic stamps;

static void stamp_software(scenario_bench *b, int variation)
{
    (void)variation;
    stamps.b = b;
    stamp_traffic_run(&stamps);
}

static void stamp_run(unsigned nodes, const sim_config *chip, const stamp_traffic *what)
{
    static const unsigned mhz[] = {100, 66, 133};
    fabric_params p;
    fabric_params_default(&p, nodes, chip);
    for (unsigned i = 0; i < nodes; i++) {
        p.node[i].pci_mhz = mhz[i % 3];
        p.node[i].nic = &nic_monitored_config;
    }
    stamps = *what;
    fabric_good(scenario_bench_new(&p), stamp_software, 0);
    ck_assert_uint_eq(stages_strangers(stamps.view), 0);
}

TEST_CASE("time_stamps", .timeout = 60);

TEST(stamps_are_what_bus_and_cables_show, .to = 3)
{
    static const stamp_traffic kind[] = {{.transfers = 60, .mode = NX_TIME_STAMPS},
                                         {.transfers = 60, .mode = NX_TIME_STAMPS | NX_ZEROS},
                                         {.transfers = 20, .mode = NX_TIME_STAMPS, .switch_off = 1}};
    stamp_run(4, &crossbar4_config, &kind[_i]);
    ck_assert_uint_gt(stamps.stamped, 4 * kind[_i].transfers);
    ck_assert_uint_gt(stamps.packets, stamps.stamped);
    if (!kind[_i].switch_off) ck_assert_uint_gt(stamps.crossed_clocks, 50);
}

TEST(without_a_switch_only_the_nic_stamps)
{
    stamp_run(2, NULL, &(const stamp_traffic){.transfers = 40, .mode = NX_TIME_STAMPS});
    ck_assert_uint_gt(stamps.stamped, 80);
}

TEST(without_the_mode_nothing_is_stamped)
{
    stamp_run(3, &crossbar4_config, &(const stamp_traffic){.transfers = 20, .mode = NX_ZEROS});
    ck_assert_uint_eq(stamps.stamped, 0);
}

/* The switch corrects the body CRC and does not recompute it: each damaged body is still wrong behind it. */
TEST(a_body_that_comes_damaged_leaves_damaged, .to = 2)
{
    stamp_run(4, &crossbar4_config,
              &(const stamp_traffic){.transfers = 60, .mode = NX_TIME_STAMPS, .damage = 1, .damage_stamps = _i});
    ck_assert_uint_gt(stamps.damaged, 20);
    ck_assert_int_eq(stamps.replaced > 10, _i);
    if (_i == 0) ck_assert_uint_eq(stamps.bad, stamps.damaged);
    /* the word that the switch replaces is gone, and what was wrong with it; a bit that is too much in the other one
     * may be one of the stamp: what leaves as good has good stamps in any case, which is checked */
    else ck_assert(stamps.bad > 10 && stamps.bad <= stamps.damaged - stamps.replaced);
}
