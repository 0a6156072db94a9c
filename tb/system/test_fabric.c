/* Systems of nodes: two joined directly, several around a switch. */
#include <stdlib.h>

#include "crossbar4.h"
#include "scenario_bench.h"
#include "system_bench.h"
#include "test.h"

/* One transfer from a node to another: the notification comes and the data are there. */
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

/* Eight queues, and sources beyond them: the switch says who it was. */
TEST(nodes_of_any_id_are_heard_through_the_switch, .to = 9)
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

/* What is printed when a run ends badly: every state machine by name, and what waits where. */
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
    ck_assert_msg(strstr(text, "words in crosspoints 0>2: ") == text, "expected what waits to begin with: %s", text);
    ck_assert_msg(strstr(text, "node0: descriptors in queues 2: ") < strstr(text, "--- node0"), "%s", text);
    static const char *const expected[] = {"--- node0\n",
                                           "--- node2\n",
                                           "DMA: outgoing ",
                                           "--- xbar\n",
                                           "port 0 (clk_a): up, receiver ",
                                           "port 2 (clk_b): up, receiver ",
                                           "port 3 (clk_b): no link, receiver HUNT, sender READY",
                                           "sent to the NIC ",
                                           "receiver HUNT"};
    for (int i = 0; i < COUNT(expected); i++) ck_assert_msg(strstr(text, expected[i]), "\"%s\" is not in:\n%s", expected[i], text);
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
