/* Systems of nodes: two joined directly, several around a switch. */
#include <stdlib.h>
#include <string.h>

#include "crossbar4.h"
#include "fabric.h"
#include "test.h"

enum { BYTES = 3000 };

struct run {
    fabric *f;
    unsigned from, to;
};

/* One transfer from a node to another: the notification comes and the data are there. */
static void transfer(void *arg)
{
    struct run *r = arg;
    ck_assert_msg(fabric_start(r->f) == 0, "%s", fabric_error(r->f));
    node *from = r->f->node[r->from], *to = r->f->node[r->to];
    uint64_t source = from->platform.alloc(from, BYTES, 8), destination = to->platform.alloc(to, BYTES, 8);
    uint8_t sent[BYTES], got[BYTES];
    for (unsigned i = 0; i < BYTES; i++) sent[i] = (uint8_t)sim_random(r->f->s);
    memory_write(host_memory(from->host), source, sent, BYTES);
    int result = nx_transfer(from->dev, r->to, source, (uint32_t)destination, BYTES, NX_REMOTE, NULL);
    ck_assert_msg(result == 0, "%s", nx_last_error(from->dev));
    nx_notification note;
    result = nx_notification_wait(to->dev, from->params.node_id, &note);
    ck_assert_msg(result == 0, "%s", nx_last_error(to->dev));
    ck_assert_uint_eq(note.source, from->params.node_id);
    memory_read(host_memory(to->host), destination, got, BYTES);
    ck_assert(!memcmp(sent, got, BYTES));
    fabric_stop(r->f);
}

static void run(const fabric_params *p, unsigned from, unsigned to)
{
    struct run r = {fabric_new(p), from, to};
    ck_assert_ptr_nonnull(r.f);
    sim_task_new(r.f->s, "test", transfer, &r);
    int result = sim_run(r.f->s, 20 * SIM_MS);
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(r.f->s));
    fabric_free(r.f);
}

TEST_CASE("fabric", .timeout = 120);

TEST(two_nodes_without_a_switch, .to = 2)
{
    fabric_params p;
    fabric_params_default(&p, 2, NULL);
    run(&p, (unsigned)_i, !_i);
}

TEST(every_node_reaches_every_node_and_itself, .to = 9)
{
    fabric_params p;
    fabric_params_default(&p, 3, &crossbar4_config);
    run(&p, (unsigned)_i / 3, (unsigned)_i % 3);
}

/* Eight queues, and sources beyond them: the switch says who it was. */
TEST(nodes_of_any_id_are_heard_through_the_switch, .to = 9)
{
    static const unsigned ids[] = {9, 127, 1};
    fabric_params p;
    fabric_params_default(&p, 3, &crossbar4_config);
    for (unsigned i = 0; i < 3; i++) p.node[i].node_id = ids[i];
    run(&p, (unsigned)_i / 3, (unsigned)_i % 3);
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
static void stall(void *arg)
{
    struct run *r = arg;
    ck_assert_msg(fabric_start(r->f) == 0, "%s", fabric_error(r->f));
    node *n = r->f->node[0];
    uint64_t source = n->platform.alloc(n, 4000, 8), destination = r->f->node[2]->platform.alloc(r->f->node[2], 4000, 8);
    for (int i = 0; i < 8; i++) nx_transfer(n->dev, 2, source, (uint32_t)destination, 3968, 0, NULL);
    sim_wait_time(r->f->s, 30 * SIM_US);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    sim_report_print(r->f->s, f);
    fclose(f);
    static const char *const expected[] = {"--- node0\n",
                                           "--- node2\n",
                                           "DMA: outgoing ",
                                           "--- xbar\n",
                                           "port 0 (clk_a): up, receiver ",
                                           "port 2 (clk_b): up, receiver ",
                                           "port 3 (clk_b): no link, receiver HUNT, sender READY",
                                           "sent to the NIC ",
                                           "words in crosspoints, input > output:",
                                           " 0>2 "};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        ck_assert_msg(strstr(text, expected[i]), "\"%s\" is not in:\n%s", expected[i], text);
    ck_assert_msg(!strstr(text, "unknown"), "%s", text);
    free(text);
    sim_stop(r->f->s);
}

TEST(the_report_names_every_state)
{
    fabric_params p;
    fabric_params_default(&p, 3, &crossbar4_config);
    struct run r = {fabric_new(&p), 0, 2};
    ck_assert_ptr_nonnull(r.f);
    sim_task_new(r.f->s, "test", stall, &r);
    int result = sim_run(r.f->s, 20 * SIM_MS);
    ck_assert_msg(result == SIM_STOPPED || result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(r.f->s));
    fabric_free(r.f);
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
