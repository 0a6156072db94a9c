/* Nodes of any ID, 0..127: each is a source of its own to the receiver, with a sequence, a mark and a notification word. */
#include "cable.h"
#include "moves.h"
#include "test.h"

enum { TRANSFERS = 4 };

static const unsigned ids[][2] = {{9, 8}, {0, 127}, {64, 7}, {127, 127}, {100, 15}, {1, 63}};

static unsigned id_of(const bench *b, int node)
{
    return b->n[node]->params.node_id;
}

static void with_ids(pair_params *p, int which)
{
    for (int i = 0; i < 2; i++) p->node[i].node_id = ids[which][i];
}

static void both_ways(bench *b)
{
    for (int i = 0; i < 2 * TRANSFERS; i++) {
        nx_notification note;
        move m;
        int from = i % 2;
        move_post(b, &m, from, 8 + 8 * (unsigned)sim_random_below(b->p->s, 512), NX_REMOTE | NX_LOCAL);
        int r = nx_notification_wait(b->n[!from]->dev, id_of(b, from), &note);
        ck_assert_msg(r == NX_OK, "%s", nx_last_error(b->n[!from]->dev));
        ck_assert_uint_eq(note.source, id_of(b, from));
        ck_assert_uint_eq(note.raw >> 56, id_of(b, from));
        ck_assert(move_arrived(b, &m));
    }
    for (int i = 0; i < 2; i++) {
        bench_expect_nothing(b, i);
        ck_assert_uint_eq(bench_get(b, i, NIC_REMOTE_NOTIFICATIONS), TRANSFERS);
    }
}

TEST_CASE("node_ids", .timeout = 60);

TEST(a_node_of_any_id_is_heard, .to = COUNT(ids))
{
    moves_run(with_ids, both_ways, _i);
}

/* A loss marks the source whose it is: its next notification is flagged, the one after that is good. */
static void one_lost(bench *b)
{
    move_good(b, 0, 496);
    cable_cut(b->p->wire, CABLE_A_TO_B);
    move m;
    move_post(b, &m, 0, 496, NX_REMOTE);
    bench_wait(b, 100 * SIM_US);
    cable_reconnect(b->p->wire, CABLE_A_TO_B);
    bench_wait(b, 100 * SIM_US);
    ck_assert(!move_arrived(b, &m));
    bench_forgive(b, 0);
    bench_forgive(b, 1);
    move_told(b, 0, 496);
    move_good(b, 0, 496);
    move_good(b, 1, 496);
}

TEST(a_loss_flags_the_notification_of_its_own_source, .to = COUNT(ids))
{
    moves_run(with_ids, one_lost, _i);
}
