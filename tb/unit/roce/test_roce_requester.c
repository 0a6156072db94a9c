/* The requester of the RoCE chip, rule by rule: each test plays TX, the peer and memory by hand (requester_bench.h). Rules: IBA 9.5 to 9.7
 * on the wire, S5 tables 2-1 to 2-4 in memory and registers, rtl/roce/README.md where both are silent. */
#include <string.h>

#include "requester_bench.h"

TEST_CASE("requester", .timeout = 60);

/* PSNs at which each rule must hold; both widths. */
static const uint32_t starts[] = {0, 0xfffff0, 0x7ffff8};
enum { KINDS = 6 };
static rq_bench *bench_of(int kind)
{
    return rq_new(kind & 1 ? 64 : 8, 8, (uint64_t)kind);
}
static uint32_t start_of(int kind)
{
    return starts[kind / 2];
}

/* A message of each kind by its packets. */
TEST(messages_are_cut_by_the_path_mtu, .to = KINDS)
{
    static const uint32_t lengths[] = {1, 16, 17, 255, 256, 257, 512, 513, 4096, 5000};
    rq_bench *b = bench_of(_i);
    for (unsigned code = 0; code < 5; code++) {
        unsigned qp = 1 + code;
        rq_open(b, qp, RQ_ENTRIES, code, start_of(_i), 32);
        unsigned count = 0;
        for (int i = 0; i < COUNT(lengths); i++)
            for (unsigned kind = 0; kind <= 4; kind += 2) {
                rq_post_simple(b, qp, kind, lengths[i]);
                rq_ring(b, qp);
                rq_work *w = &b->qp[qp].work[count];
                uint32_t packets = kind == RQ_READ ? 1 : w->packets;
                for (uint32_t n = 0; n < packets; n++) ck_assert_uint_eq(rq_next(b, 200)->psn, (w->first + n) & 0xffffff);
                if (kind != RQ_READ) rq_ack(b, qp, w->first + w->packets - 1);
                for (uint32_t n = 0; kind == RQ_READ && n < w->packets; n++) {
                    unsigned last = n + 1 == w->packets, opcode = w->packets == 1 ? RQ_ONLY : !n ? RQ_FIRST : last ? RQ_LAST : RQ_MIDDLE;
                    rq_answer *a = rq_respond(b, qp, opcode, w->first + n, RQ_GOOD, last ? w->length - n * b->qp[qp].mtu : b->qp[qp].mtu);
                    ck_assert(a->write && !a->drop && !a->error && !a->fatal);
                }
                rq_completed(b, qp, ++count, 300);
            }
    }
    rq_end(b);
}
