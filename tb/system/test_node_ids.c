/* Nodes of any ID, 0..127: each is a source of its own to the receiver, with a sequence, a mark and a notification
 * word. */
#include "system_bench.h"
#include "test.h"

enum { TRANSFERS = 4 };

static const unsigned ids[][2] = {{9, 8}, {0, 127}, {64, 7}, {127, 127}, {100, 15}, {1, 126}};

static void with_ids(pair_params *p, int which)
{
    for (int i = 0; i < 2; i++) p->node[i].node_id = ids[which][i];
}

TEST_CASE("node_ids", .timeout = 60);

SOFTWARE_TEST_ON(with_ids, a_node_of_any_id_is_heard, .to = COUNT(ids))
{
    for (unsigned i = 0; i < 2 * TRANSFERS; i++) bench_good(b, i % 2, 1 + (unsigned)sim_random_below(b->s, 512));
    bench_expect_nothing(b, ALL);
    for (int i = 0; i < 2; i++) {
        bench_sound(b, (unsigned)i);
        ck_assert_uint_eq(bench_get(b, i, NIC_REMOTE_NOTIFICATIONS), TRANSFERS);
    }
}

/* A loss marks the source whose it is: its next notification is flagged, the one after that is good. */
SOFTWARE_TEST_ON(with_ids, a_loss_flags_the_notification_of_its_own_source, .to = COUNT(ids))
{
    bench_good(b, 0, 62);
    cable_cut(b->wire, CABLE_A_TO_B);
    piece lost = bench_send(b, 0, 62, NX_REMOTE);
    bench_wait(b, 100 * SIM_US);
    cable_reconnect(b->wire, CABLE_A_TO_B);
    bench_wait(b, 100 * SIM_US);
    ck_assert(!bench_arrived(b, &lost));
    bench_forgive(b, ALL);
    bench_reported(b, 0, 62);
    bench_good(b, 0, 62);
    bench_good(b, 1, 62);
}
