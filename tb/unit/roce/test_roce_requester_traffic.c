/* The requester of the RoCE chip under traffic: a peer that answers as IBA wants, losses, doubles, RNR NAKs, slow
 * neighbours; each message executed once and in order, each completion in order (requester_bench.h). Then its speed,
 * and that the checker sees each fault.
 */
#include <stdio.h>

#include "requester_bench.h"

TEST_CASE("traffic", .timeout = 120);

/* Posts at random to QPs 1 .. `qps` until each has had `each` WQEs, and waits for all of them. */
static void traffic(rq_bench *b, unsigned qps, unsigned each, unsigned most, unsigned clocks)
{
    unsigned left = qps;
    for (unsigned i = 0; left && !b->wrong[0]; i++) {
        ck_assert_msg(i < clocks, "seed %llu: not at its end after %u clocks", (unsigned long long)sim_seed(b->s),
                      clocks);
        unsigned qp = 1 + (unsigned)sim_random_below(b->s, qps);
        rq_qp *q = &b->qp[qp];
        for (unsigned n = (unsigned)sim_random_below(b->s, 6);
             n && q->posted < each && q->posted - q->completed < q->depth - 1; n--) {
            unsigned kind = (unsigned)sim_random_below(b->s, 3) * 2;
            uint32_t length = sim_random_below(b->s, 3) ? 1 + (uint32_t)sim_random_below(b->s, most)
                                                        : 1 + (uint32_t)sim_random_below(b->s, 16);
            if (kind != RQ_SEND && sim_random_below(b->s, 30) == 0) length = 0;
            if (kind == RQ_SEND && sim_random_below(b->s, 50) == 0)
                rq_post(b, qp, (rq_work){.opcode = 2, .length = 0, .refused = 2});
            else rq_post_simple(b, qp, kind, length);
        }
        rq_ring(b, qp);
        rq_run(b, 1 + (unsigned)sim_random_below(b->s, 60));
        left = 0;
        for (qp = 1; qp <= qps; qp++) left += b->qp[qp].completed < each;
    }
    rq_end(b);
}

/* nothing, then losses, doubles, packets that overtake each other, RNR NAKs; everything at once */
static const struct {
    unsigned lose, twice, swap, rnr;
} storms[] = {{0, 0, 0, 0}, {3, 0, 0, 0}, {0, 10, 0, 0}, {0, 0, 10, 0}, {0, 0, 0, 10}, {3, 3, 3, 3}};

TEST(each_message_once_and_in_order, .to = 2 * COUNT(storms))
{
    rq_bench *b = rq_new(_i & 1 ? 64 : 8, 8, 100 + (unsigned)_i);
    b->peer = 1;
    b->lose = storms[_i / 2].lose;
    b->twice = storms[_i / 2].twice;
    b->swap = storms[_i / 2].swap;
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
    for (unsigned qp = 1; qp < 8; qp++) {
        rq_open(b, qp, (qp & 1 ? QP_ENTRIES : 0) | (qp & 2 ? QP_BY_BUS : 0) | QP_CQ_IRQ, qp % 3,
                psn_starts[qp % STARTS], 5 + 9 * qp);
        rq_timeouts(b, qp, 4, 7, 7);
        rq_rdlimit(b, qp, qp % 4);
    }
    traffic(b, 7, 150, 3000, 200000);
    if (b->lose) ck_assert_uint_gt(b->retries, 50);
    else if (!b->rnr && !b->twice && !b->swap) ck_assert_uint_eq(b->retries, 0);
    ck_assert_uint_eq(b->fatals, 0);
    ck_assert_uint_eq(b->done, 7 * 150);
}

/* ---- how fast it is */

static void latency(rq_bench *b, unsigned clocks)
{
    axi_memory_params p = axi_memory_defaults();
    p.latency = clocks;
    p.outstanding = 32;
    ck_assert(axi_memory_set(b->memory, &p) == NULL);
}

/* 64-byte WRITEs with 200 clocks of memory latency: clocks per WQE. One QP: at most 60; 64 QPs: at most 30. */
static const struct {
    unsigned bytes, qps, used, conf, most;
} rates[] = {
    {8, 8, 1, 0, 60},
    {64, 8, 1, 0, 60},
    {8, 8, 1, QP_ENTRIES | QP_BY_BUS | QP_CQ_IRQ, 60},
    {8, 64, 63, 0, 30},
    {8, 64, 63, QP_ENTRIES | QP_BY_BUS | QP_CQ_IRQ, 30},
};

TEST(small_writes_follow_each_other, .to = COUNT(rates))
{
    rq_bench *b = rq_new(rates[_i].bytes, rates[_i].qps, 200);
    latency(b, 200);
    b->peer = 1;
    unsigned used = rates[_i].used, each = used == 1 ? 600 : 40;
    for (unsigned qp = 1; qp <= used; qp++) {
        rq_open(b, qp, rates[_i].conf, 2, 0, 128);
        rq_timeouts(b, qp, 12, 7, 7);
    }
    for (unsigned i = 0; i < 100 && i < each; i++)
        for (unsigned qp = 1; qp <= used; qp++) rq_post_simple(b, qp, RQ_WRITE, 64);
    for (unsigned qp = 1; qp <= used; qp++) rq_ring(b, qp);
    uint64_t from = 0, to = 0;
    unsigned at = used * each / 4;
    for (unsigned i = 0; !to; i++) {
        ck_assert_msg(i < 100000 && !b->wrong[0], "%u WQEs done; %s", b->done, b->wrong);
        for (unsigned qp = 1; qp <= used; qp++)
            if (b->qp[qp].posted < each && b->qp[qp].posted - b->qp[qp].completed < 100) {
                rq_post_simple(b, qp, RQ_WRITE, 64);
                rq_ring(b, qp);
            }
        rq_run(b, 1);
        if (!from && b->done >= at) from = b->clock;
        if (b->done >= 3 * at) to = b->clock;
    }
    ck_assert_uint_le(to - from, (uint64_t)2 * at * rates[_i].most);
    ck_assert_uint_eq(b->retries, 0);
    for (unsigned qp = 1; qp <= used; qp++) rq_completed(b, qp, b->qp[qp].posted, 100000);
    rq_end(b);
}

/* From a doorbell to the command, memory's latency taken off, worst of many phases: at most 20 clocks. And for one QP
 * packets of 4 KB come as fast as TX takes them. */
TEST(a_doorbell_is_taken_at_once, .to = 2)
{
    rq_bench *b = rq_new(_i ? 64 : 8, 8, 300);
    latency(b, 200);
    rq_open(b, 4, 0, 4, 0, 128);
    uint64_t worst = 0;
    for (unsigned i = 0; i < 60; i++) {
        rq_run(b, 7 + i);
        rq_post_simple(b, 4, RQ_WRITE, 64);
        uint64_t rung = b->clock + 1;
        rq_ring(b, 4);
        uint64_t clocks = rq_next(b, 400)->clock - rung - 200;
        if (clocks > worst) worst = clocks;
        rq_ack(b, 4, i);
    }
    rq_post_simple(b, 4, RQ_WRITE, 100 * 4096);
    rq_ring(b, 4);
    uint64_t first = rq_next(b, 400)->clock, last = 0;
    for (unsigned i = 1; i < 100; i++) last = rq_next(b, 100)->clock;
    ck_assert_uint_le(worst, 20 + 64 / b->bytes - 1); /* the WQE itself takes this many beats more than one */
    ck_assert_uint_le(last - first, 99 * 6);
    rq_ack(b, 4, 159);
    rq_end(b);
}

/* ---- the checker is fed each fault */

TEST(each_fault_is_seen, .from = 1, .to = RQ_FAULTS)
{
    rq_bench *b = rq_new_quiet(400);
    b->peer = 1;
    b->fault = (rq_fault)_i;
    rq_open(b, 1, QP_ENTRIES, 0, 0, 32);
    rq_post_simple(b, 1, RQ_WRITE, 600);
    rq_post_simple(b, 1, RQ_READ, 600);
    rq_post_simple(b, 1, RQ_SEND, 6);
    rq_ring(b, 1);
    rq_run(b, 2000);
    ck_assert_msg(b->wrong[0], "the fault is not seen");
}
