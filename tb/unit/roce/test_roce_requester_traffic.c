/* The requester of the RoCE chip under traffic: a peer that answers as IBA wants, losses, doubles, RNR NAKs, slow neighbours; each message
 * executed once and in order, each completion in its turn (requester_bench.h). Then how fast it is, and that the judge sees each fault. */
#include <string.h>

#include "requester_bench.h"

TEST_CASE("traffic", .timeout = 120);

/* Posts at random to QPs 1 .. `qps` until each has had `each` WQEs, and waits for all of them. */
static void traffic(rq_bench *b, unsigned qps, unsigned each, unsigned most, unsigned clocks)
{
    unsigned left = qps;
    for (unsigned i = 0; left && !b->wrong[0]; i++) {
        ck_assert_msg(i < clocks, "seed %llu: not at its end after %u clocks", (unsigned long long)sim_seed(b->s), clocks);
        unsigned qp = 1 + (unsigned)sim_random_below(b->s, qps);
        rq_qp *q = &b->qp[qp];
        for (unsigned n = (unsigned)sim_random_below(b->s, 6); n && q->posted < each && q->posted - q->completed < q->depth - 1; n--) {
            unsigned kind = (unsigned)sim_random_below(b->s, 3) * 2;
            uint32_t length =
                sim_random_below(b->s, 3) ? 1 + (uint32_t)sim_random_below(b->s, most) : 1 + (uint32_t)sim_random_below(b->s, 16);
            if (kind != RQ_SEND && sim_random_below(b->s, 30) == 0) length = 0;
            if (kind == RQ_SEND && sim_random_below(b->s, 50) == 0) rq_post(b, qp, (rq_work){.opcode = 2, .length = 0, .refused = 2});
            else rq_post_simple(b, qp, kind, length);
        }
        rq_ring(b, qp);
        rq_run(b, 1 + (unsigned)sim_random_below(b->s, 60));
        left = 0;
        for (qp = 1; qp <= qps; qp++) left += b->qp[qp].completed < each;
    }
    rq_end(b);
}

/* losses, doubles, RNR, everything at once, nothing */
static const struct {
    unsigned lose, twice, rnr;
} storms[] = {{0, 0, 0}, {3, 0, 0}, {0, 10, 0}, {0, 0, 10}, {3, 3, 3}};

TEST(each_message_once_and_in_order, .to = 2 * COUNT(storms))
{
    rq_bench *b = rq_new(_i & 1 ? 64 : 8, 8, 100 + (unsigned)_i);
    b->peer = 1;
    b->lose = storms[_i / 2].lose;
    b->twice = storms[_i / 2].twice;
    b->rnr = storms[_i / 2].rnr;
    b->cmd_ready = 30;
    b->db_ready = 30;
    b->put_delay = 40;
    *b->m->retry_for_ever = 1;
    axi_memory_params p = axi_memory_defaults();
    p.latency = 60;
    p.spread = 40;
    for (int i = 0; i < AXI_CHANNELS; i++) p.stall[i] = 20;
    ck_assert(axi_memory_set(b->memory, &p) == NULL);
    static const uint32_t psns[] = {0, 0xfffff0, 0x7ffff8};
    for (unsigned qp = 1; qp < 8; qp++) {
        rq_open(b, qp, (qp & 1 ? RQ_ENTRIES : 0) | (qp & 2 ? RQ_BY_BUS : 0) | RQ_CQ_IRQ, qp % 3, psns[qp % 3], 5 + 9 * qp);
        rq_timeouts(b, qp, 4, 7, 7);
        rq_rdlimit(b, qp, qp % 4);
    }
    traffic(b, 7, 150, 3000, 200000);
    if (b->lose) ck_assert_uint_gt(b->retries, 50);
    else if (!b->rnr && !b->twice) ck_assert_uint_eq(b->retries, 0);
    ck_assert_uint_eq(b->fatals, 0);
    ck_assert_uint_eq(b->done, 7 * 150);
}
