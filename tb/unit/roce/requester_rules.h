/* Common to the tests of the requester's rules: QP 5 with WQEs posted, from every first PSN, with both widths. */
#ifndef TB_REQUESTER_RULES_H
#define TB_REQUESTER_RULES_H

#include <string.h>

#include "requester_bench.h"

/* QP 5 of S5, 256 bytes of path MTU, completion entries, with these WQEs posted; all their packets are sent but not
 * looked at. */
enum { QP = 4, MTU = 256 };
static inline rq_bench *with(int kind, unsigned count, const rq_work *works)
{
    rq_bench *b = bench_of(kind);
    rq_open(b, QP, QP_ENTRIES | QP_CQ_IRQ, 0, start_of(kind), 32);
    rq_timeouts(b, QP, 0, 3, 3);
    for (unsigned i = 0; i < count; i++) rq_post(b, QP, works[i]);
    rq_ring(b, QP);
    rq_run(b, 300);
    return b;
}
#define WITH(kind, ...) with(kind, sizeof((rq_work[]){__VA_ARGS__}) / sizeof(rq_work), (rq_work[]){__VA_ARGS__})
static inline rq_work work(uint8_t opcode, uint32_t length) { return (rq_work){.opcode = opcode, .length = length}; }
#define WRITE_OF(n) work(RQ_WRITE, n)
#define SEND_OF(n) work(RQ_SEND, n)
#define READ_OF(n) work(RQ_READ, n)

static inline void is_fatal(rq_bench *b, unsigned qp, unsigned code, const rq_answer *a)
{
    if (a) ck_assert(a->fatal && a->code == code);
    else {
        ck_assert_uint_eq(b->errors, 1);
        ck_assert_uint_eq(b->error[0].qp, qp);
        ck_assert_uint_eq(b->error[0].code, code);
    }
    rq_run(b, 4);
    ck_assert_uint_eq(sim_port_get(&b->p->qp_fatal), 1u << qp);
    ck_assert_uint_eq(rq_read(b, qp, STATQP) & 1, 1);
    ck_assert_uint_eq(b->fatals, 1);
}

#endif
