/* The requester at the extreme values of registers, 0, 1, the largest value but one, the largest (test_roce_registers
 * has the list): retries, queues, first numbers, addresses, writes of software to the status. */
#include "requester_bench.h"

TEST_CASE("ends", .timeout = 60);

enum { WIDTHS = 2, ENDS = 4, QP = 4, TICK = 8 };

static uint32_t end_of(int i, unsigned bits)
{
    uint32_t largest = bits == 32 ? ~0u : (1u << bits) - 1;
    return (const uint32_t[]){0, 1, largest - 1, largest}[i / WIDTHS % ENDS];
}

static rq_bench *bench_at(int i)
{
    rq_bench *b = rq_new(i % WIDTHS ? 64 : 8, 8, (uint64_t)i);
    b->tick_clocks = TICK;
    return b;
}

/* TIMEOUTCONF.RETRIES: this many repetitions, then the QP is fatal. */
TEST(retries, .to = ENDS * WIDTHS)
{
    rq_bench *b = bench_at(_i);
    unsigned retries = end_of(_i, 3);
    rq_open(b, QP, QP_ENTRIES, 0, 0, 8);
    rq_timeouts(b, QP, 2, retries, 3);
    rq_post_simple(b, QP, RQ_SEND, 100);
    rq_ring(b, QP);
    for (unsigned i = 0; i <= retries; i++) ck_assert_uint_eq(rq_next(b, 300)->psn, 0);
    b->qp[QP].error_from = 0;
    rq_completed(b, QP, 1, 400);
    ck_assert_uint_eq(b->errors, 1);
    ck_assert_uint_eq(b->error[0].code, 6);
    rq_silence(b, 300);
    rq_end(b);
}

/* QDEPTH.SEND: of 2 one WQE is in use at a time; the last place of the largest is followed by the first. With 0 and 1
 * no index rings. */
TEST(send_queues, .to = 3 * WIDTHS)
{
    rq_bench *b = bench_at(_i);
    unsigned depth = (const unsigned[]){2, 65534, 65535}[_i / WIDTHS];
    rq_open(b, QP, 0, 0, 0, depth);
    rq_timeouts(b, QP, 0, 3, 3);
    if (depth == 2)
        for (unsigned i = 0; i < 5; i++) {
            rq_post_simple(b, QP, RQ_WRITE, 100);
            rq_ring(b, QP);
            rq_ack(b, QP, rq_next(b, 300)->psn);
            rq_completed(b, QP, i + 1, 300);
        }
    else { /* a fatal QP completes all that is posted, one after the other: all round */
        rq_post_simple(b, QP, RQ_WRITE, 100);
        rq_ring(b, QP);
        rq_next(b, 300);
        ck_assert_uint_eq(rq_read(b, QP, STATQP) >> 2 & 1, 0);
        b->sq_ring = 1;
        b->sq_qp = QP;
        b->sq_pi = depth - 1;
        rq_run(b, 30);
        ck_assert_uint_eq(rq_read(b, QP, STATQP) >> 2 & 1, 1); /* SQ_FULL */
        return;
    }
    rq_end(b);
}

/* OPKTERRQSZ: with 0 nothing is written, of 1 the place is always the same. */
TEST(queues_of_illegal_wqes, .to = ENDS * WIDTHS)
{
    rq_bench *b = bench_at(_i);
    unsigned places = end_of(_i, 16);
    *b->m->opkterr_size = (uint16_t)places;
    rq_open(b, QP, QP_ENTRIES, 0, 0, 16);
    for (unsigned i = 0; i < 3; i++)
        rq_post(b, QP, (rq_work){.opcode = 1, .length = 5, .wrid = (uint16_t)(7 + i), .refused = 1});
    rq_ring(b, QP);
    rq_completed(b, QP, 3, 2000);
    ck_assert_uint_eq(*b->m->opkterr_wptr, places ? 3 % places : 0);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t word, must = places > 1 ? i < 3 ? 7 + i : 0 : places && !i ? 9 : 0;
        memory_read(axi_memory_bytes(b->memory), RQ_ERRORS + 64 * i, &word, 4);
        ck_assert_uint_eq(word & 0xffff, must);
    }
    ck_assert_uint_eq(b->illegals, 3);
    rq_end(b);
}

/* SQPSN: the first packet has it, and the second the next one. */
TEST(first_numbers, .to = ENDS * WIDTHS)
{
    rq_bench *b = bench_at(_i);
    uint32_t first = end_of(_i, 24);
    rq_open(b, QP, QP_ENTRIES, 0, first, 8);
    rq_timeouts(b, QP, 0, 3, 3);
    rq_post_simple(b, QP, RQ_WRITE, 700);
    rq_ring(b, QP);
    for (unsigned i = 0; i < 3; i++) ck_assert_uint_eq(rq_next(b, 300)->psn, (first + i) & 0xffffff);
    rq_ack(b, QP, first + 2);
    rq_completed(b, QP, 1, 300);
    ck_assert_uint_eq(rq_read(b, QP, SQPSN), (first + 3) & 0xffffff);
    rq_end(b);
}

/* Addresses: the first and the last place of memory. Bits 1:0 of CQDBADD and 4:0 of the others count as 0. */
TEST(addresses, .to = ENDS * WIDTHS)
{
    rq_bench *b = bench_at(_i);
    uint32_t end = end_of(_i, 32), at, word, high = end >> 31;
    rq_open(b, QP, QP_ENTRIES | QP_BY_BUS, 0, 0, 8);
    b->cfg[QP][SQBA] = high ? 0xffffffc0 : 0; /* 64 bytes from there: one WQE */
    b->cfg[QP][CQBA] = high ? 0xffffffe0 : 0x100;
    b->cfg[QP][CQDBADD] = high ? end : 0x200 + end;
    *b->m->opkterr_base = high ? 0xffffff80 : 0x400 + end;
    rq_work w = {.opcode = 1, .length = 5, .wrid = 0x1234, .refused = 1};
    rq_post(b, QP, w);
    uint64_t wqe[8];
    memory_read(axi_memory_bytes(b->memory), RQ_SQ(QP), wqe, 64);
    memory_write(axi_memory_bytes(b->memory), b->cfg[QP][SQBA], wqe, 64);
    rq_ring(b, QP);
    rq_run(b, 600);
    memory_read(axi_memory_bytes(b->memory), b->cfg[QP][CQBA], &word, 4);
    ck_assert_uint_eq(word, 0x01011234);
    at = high ? 0xfffffffc : 0x200;
    memory_read(axi_memory_bytes(b->memory), at, &word, 4);
    ck_assert_uint_eq(word, 1);
    memory_read(axi_memory_bytes(b->memory), high ? 0xffffff80 : 0x400, &word, 4);
    ck_assert_uint_eq(word & 0xffff, 0x1234);
}

/* STATQP: only SYNDROME, RETRIES and RNR_RETRIES take the written values. Then they count on, and counts at their end
 * end. */
TEST(status, .to = WIDTHS)
{
    rq_bench *b = bench_at(_i);
    rq_open(b, QP, QP_ENTRIES, 0, 0, 8);
    rq_timeouts(b, QP, 0, 7, 6);
    static const struct {
        unsigned lsb, bits;
    } fields[] = {{16, 7}, {24, 3}, {28, 3}};
    uint32_t rest = rq_read(b, QP, STATQP);
    ck_assert_uint_eq(rest & 0x777f0000, 0);
    for (int n = 0; n < ENDS * COUNT(fields); n++)
        for (unsigned others = 0; others < 2; others++) {
            unsigned lsb = fields[n / ENDS].lsb, bits = fields[n / ENDS].bits;
            uint32_t data = (others ? ~(((1u << bits) - 1) << lsb) : 0) | end_of(WIDTHS * n, bits) << lsb;
            rq_write(b, QP, STATQP, data);
            ck_assert_uint_eq(rq_read(b, QP, STATQP), (data & 0x777f0000) | rest);
        }
    rq_write(b, QP, STATQP, 7u << 28 | 7u << 24);
    rq_post_simple(b, QP, RQ_SEND, 100);
    rq_ring(b, QP);
    rq_next(b, 300);
    b->qp[QP].error_from = 0;
    ck_assert(rq_respond(b, QP, ACKNOWLEDGE, 0, RNR_NAK | 1, 0)->fatal); /* no retry is left of 6 */
    rq_completed(b, QP, 1, 300);
    rq_end(b);
}

/* WQEPROCSTS [15:13], [31:16] (tx_state, tx_head, tx_tail): packets fill all places of TX, then no more is handed over.
 */
TEST(packets_in_tx, .to = WIDTHS)
{
    rq_bench *b = bench_at(_i);
    const unsigned places = b->bytes == 64 ? 64 : 32;
    rq_open(b, QP, QP_ENTRIES, 0, 0, 16);
    rq_timeouts(b, QP, 0, 3, 3);
    uint32_t status = *b->m->wqe_status;
    ck_assert_uint_eq(status >> 13, 0);
    b->sent_delay = 4000;
    for (unsigned i = 1; i <= 3; i++) { /* one more each time, none leaves */
        rq_post_simple(b, QP, RQ_WRITE, 256);
        rq_ring(b, QP);
        rq_next(b, 300);
        rq_run(b, 4);
        status = *b->m->wqe_status;
        ck_assert_uint_eq(status >> 13 & 7, 1);
        ck_assert_uint_eq(status >> 16 & 0xff, 0);
        ck_assert_uint_eq(status >> 24, i);
    }
    b->cmd_ready = 0;
    rq_post_simple(b, QP, RQ_WRITE, 256 * 70);
    rq_ring(b, QP);
    rq_run(b, 200);
    ck_assert_uint_eq(*b->m->wqe_status >> 13 & 7, 3); /* TX takes none */
    b->cmd_ready = 100;
    rq_run(b, 1000);
    b->looked = b->commands;
    status = *b->m->wqe_status;
    ck_assert_uint_eq(b->commands, places);
    ck_assert_uint_eq(status >> 13 & 7, 5); /* as many as may */
    ck_assert_uint_eq(status >> 16 & 0xff, 0);
    ck_assert_uint_eq(status >> 24, 0); /* all round */
    b->sent_delay = 1;
    for (unsigned i = 0; i < 9000 && b->commands < 73; i++) rq_run(b, 1);
    rq_run(b, 5000);
    status = *b->m->wqe_status;
    ck_assert_uint_eq(b->commands, 73);
    ck_assert_uint_eq(status >> 13 & 7, 0);
    ck_assert_uint_eq(status >> 16 & 0xff, 73 % places);
    ck_assert_uint_eq(status >> 24, 73 % places);
    b->looked = b->commands;
    rq_ack(b, QP, 72);
    rq_completed(b, QP, 4, 300);
    rq_end(b);
}
