/* Two hosts, two NICs, one cable: bring-up and the first transfers. */
#include <string.h>

#include "pair.h"
#include "test.h"

struct bench {
    pair *p;
    unsigned bytes;
};

static void software(void *arg)
{
    struct bench *b = arg;
    pair *p = b->p;
    ck_assert_msg(pair_start(p) == 0, "%s %s", p->node[0]->error, p->node[1]->error);
    node *from = p->node[0], *to = p->node[1];
    uint8_t sent[8192], got[8192];
    for (unsigned i = 0; i < b->bytes; i++) sent[i] = (uint8_t)sim_random(p->s);
    uint64_t source = from->platform.alloc(from, 8192, 8), destination = to->platform.alloc(to, 8192, 8);
    memory_write(host_memory(from->host), source, sent, b->bytes);
    nx_ticket ticket;
    int r = nx_transfer(from->dev, 1, source, (uint32_t)destination, b->bytes, NX_REMOTE | NX_LOCAL, &ticket);
    ck_assert_msg(r == 0, "%s", nx_last_error(from->dev));
    nx_notification note;
    r = nx_notification_wait(to->dev, 0, &note);
    ck_assert_msg(r == 0, "%s", nx_last_error(to->dev));
    r = nx_wait(from->dev, &ticket);
    ck_assert_msg(r == 0, "%s", nx_last_error(from->dev));
    memory_read(host_memory(to->host), destination, got, b->bytes);
    ck_assert_mem_eq(sent, got, b->bytes);
    pair_stop(p);
}

static const unsigned sizes[] = {8, 24, 496, 504, 4096, 8192};

TEST_CASE("transfers", .timeout = 60);

TEST(a_transfer_arrives_with_its_notifications, .to = 2 * COUNT(sizes))
{
    pair_params params;
    pair_params_default(&params);
    params.sim.watchdog = 200 * SIM_US;
    if (_i & 1) params.node[0].host = params.node[1].host = host_params_ideal();
    struct bench b = {pair_new(&params), sizes[_i / 2]};
    ck_assert_ptr_nonnull(b.p);
    sim_task_new(b.p->s, "software", software, &b);
    int r = sim_run(b.p->s, 20 * SIM_MS);
    ck_assert_msg(r == SIM_OK, "%s: %s", sim_result_name(r), sim_error(b.p->s));
    pair_free(b.p);
}
