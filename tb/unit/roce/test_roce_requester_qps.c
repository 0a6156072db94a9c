/* The requester of the RoCE chip, rule by rule, as in test_roce_requester: invalid WQEs, errors of memory, several QPs,
 * and how a QP starts and ends. */
#include "requester_rules.h"

/* ---- invalid WQEs */

static const rq_work illegal[] = {
    {.opcode = 1, .length = 5, .refused = 1},
    {.opcode = 3, .length = 5, .refused = 1},
    {.opcode = 0xff, .length = 5, .refused = 1},
    {.opcode = RQ_SEND, .length = 0, .refused = 2},
    {.opcode = RQ_WRITE, .length = 5, .laddr = 0x100000000, .refused = 4 | 16},
    {.opcode = RQ_SEND, .length = 5, .laddr = 0x8000000000001000, .refused = 4},
    {.opcode = RQ_READ, .length = 0x80000001, .laddr = 1, .refused = 8},
    {.opcode = RQ_READ, .length = 0x101, .laddr = 0xffffff00, .refused = 16},
    {.opcode = 9, .length = 0xffffffff, .laddr = 0x1ffffffff, .refused = 1 | 4 | 8 | 16},
};

TEST_CASE("requester", .timeout = 60);

TEST(an_illegal_wqe_is_reported_and_left_out, .to = KINDS * COUNT(illegal))
{
    int kind = _i / COUNT(illegal), which = _i % COUNT(illegal);
    rq_work w = illegal[which];
    if (w.refused & 16 && w.laddr == 0x100000000) w.refused = 4; /* only its lower half counts for the end */
    rq_bench *b = bench_of(kind);
    *b->m->opkterr_size = 3;
    rq_open(b, QP, QP_ENTRIES, 0, start_of(kind), 32);
    for (int round = 0; round < 4; round++) {
        unsigned at = b->qp[QP].posted;
        rq_post_simple(b, QP, RQ_WRITE, 300);
        rq_post(b, QP, w);
        rq_post_simple(b, QP, RQ_SEND, 10);
        rq_ring(b, QP);
        uint32_t first = b->qp[QP].work[at].first;
        rq_next(b, 100);
        rq_next(b, 100);
        rq_silence(b, 200); /* all before it must be acknowledged first */
        ck_assert_int_eq(b->illegals, round);
        rq_ack(b, QP, first + 1);
        rq_next(b, 200);
        ck_assert_int_eq(b->illegals, round + 1);
        ck_assert_uint_eq(*b->m->opkterr_wptr, (round + 1u) % 3);
        uint8_t entry[64], posted[64];
        memory_read(axi_memory_bytes(b->memory), RQ_ERRORS + 64u * ((unsigned)round % 3), entry, 64);
        memory_read(axi_memory_bytes(b->memory), RQ_SQ(QP) + 64u * (at + 1), posted, 64);
        posted[2] = QP + 1, posted[3] = 0;
        posted[17] = (uint8_t)w.refused, posted[18] = posted[19] = 0;
        ck_assert_mem_eq(entry, posted, 64);
        rq_ack(b, QP, first + 2);
        rq_completed(b, QP, at + 3, 300);
    }
    ck_assert_uint_eq(b->fatals, 0);
    rq_end(b);
}

/* Opcodes 0, 2 and 4 are the only ones. */
TEST(every_other_opcode_of_a_wqe_is_illegal, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    rq_open(b, QP, QP_ENTRIES, 0, start_of(_i), 32);
    unsigned refused = 0;
    for (unsigned opcode = 1; opcode < 256; opcode++) {
        if (opcode == RQ_SEND || opcode == RQ_READ) continue;
        rq_post(b, QP, (rq_work){.opcode = (uint8_t)opcode, .length = 5, .refused = 1});
        if (++refused % 23) continue;
        rq_ring(b, QP);
        rq_completed(b, QP, refused, 5000);
    }
    rq_post_simple(b, QP, RQ_SEND, 10);
    rq_ring(b, QP);
    ck_assert_uint_eq(rq_next(b, 200)->psn, start_of(_i));
    rq_ack(b, QP, start_of(_i));
    rq_completed(b, QP, refused + 1, 300);
    ck_assert_uint_eq(b->illegals, 253);
    ck_assert_uint_eq(b->fatals, 0);
    rq_end(b);
}

/* ---- memory that fails */

TEST(a_wqe_that_cannot_be_fetched_is_fatal_in_its_turn, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    axi_memory_add_range(b->memory, RQ_SQ(QP) + 64 * 2, 8, _i & 1 ? AXI_DECERR : AXI_SLVERR);
    rq_open(b, QP, QP_ENTRIES, 0, start_of(_i), 32);
    for (int i = 0; i < 5; i++) rq_post_simple(b, QP, RQ_WRITE, 10);
    b->qp[QP].error_from = 2;
    b->qp[QP].work[2].wrid = 0;
    rq_ring(b, QP);
    packets_are(b, _i, 0, 2);
    rq_ack(b, QP, start_of(_i));
    rq_silence(b, 300);
    ck_assert_uint_eq(b->fatals, 0);
    rq_ack(b, QP, start_of(_i) + 1);
    rq_completed(b, QP, 5, 500);
    is_fatal(b, QP, 7, NULL);
    rq_end(b);
}

TEST(payload_that_cannot_be_read_is_fatal, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    b->sent_error_at = 3;
    rq_open(b, QP, QP_ENTRIES, 0, start_of(_i), 32);
    for (int i = 0; i < 4; i++) rq_post_simple(b, QP, RQ_SEND, 20);
    b->qp[QP].error_from = 0;
    rq_ring(b, QP);
    rq_completed(b, QP, 4, 600);
    is_fatal(b, QP, 7, NULL);
    rq_end(b);
}

/* The data of the second of three READs fail, some time after all three were answered. */
TEST(read_data_that_cannot_be_written_are_fatal, .to = 2 * KINDS)
{
    rq_bench *b = WITH(_i % KINDS, READ_OF(300), READ_OF(600), READ_OF(1), WRITE_OF(1));
    for (int i = 0; i < 4; i++) rq_next(b, 1);
    b->put_error_at = 3 + (unsigned)_i / KINDS;
    b->put_delay = 500;
    b->qp[QP].error_from = 1;
    static const unsigned opcodes[] = {READ_FIRST, READ_LAST, READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY},
                          lengths[] = {256, 44, 256, 256, 88, 1};
    for (unsigned i = 0; i < 6; i++)
        ck_assert(rq_respond(b, QP, opcodes[i], start_of(_i % KINDS) + i, ACK_GOOD, lengths[i])->write);
    rq_run(b, 100);
    ck_assert_uint_eq(b->qp[QP].completed, 0);
    rq_completed(b, QP, 4, 1500);
    is_fatal(b, QP, 7, NULL);
    rq_end(b);
}

TEST(a_completion_that_cannot_be_written_is_fatal, .to = 2 * KINDS)
{
    int kind = _i % KINDS;
    rq_bench *b = bench_of(kind);
    if (_i / KINDS) axi_memory_add_range(b->memory, RQ_DB(QP), 4, AXI_SLVERR);
    else axi_memory_add_range(b->memory, RQ_CQ(QP), 4, AXI_SLVERR);
    rq_open(b, QP, QP_ENTRIES | QP_BY_BUS, 0, start_of(kind), 32);
    for (int i = 0; i < 3; i++) rq_post_simple(b, QP, RQ_WRITE, 10);
    rq_ring(b, QP);
    packets_are(b, kind, 0, 3);
    b->qp[QP].error_from = 1;
    rq_ack(b, QP, start_of(kind));
    rq_completed(b, QP, 3, 1500);
    is_fatal(b, QP, 7, NULL);
    rq_end(b);
}

/* ---- QPs among each other, and their lives */

TEST(a_fatal_qp_is_not_noticed_by_others, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    b->peer = 1;
    for (unsigned qp = 1; qp < 8; qp++) {
        rq_open(b, qp, QP_ENTRIES | QP_CQ_IRQ, 0, start_of(_i), 16);
        for (int i = 0; i < 15; i++) rq_post_simple(b, qp, i % 3 * 2u, 1000);
        rq_ring(b, qp);
    }
    rq_run(b, 40);
    b->qp[3].error_from = b->qp[3].completed + (unsigned)(b->qp[3].entries > b->qp[3].completed);
    b->set_fatal = 1; /* a request made it fatal */
    b->set_fatal_qp = 3;
    rq_run(b, 60);
    ck_assert_uint_eq(sim_port_get(&b->p->qp_fatal), 8);
    unsigned commands = b->commands;
    b->qp[3].error_from = b->qp[3].entries < b->qp[3].error_from ? b->qp[3].error_from : b->qp[3].entries;
    for (unsigned qp = 1; qp < 8; qp++) rq_completed(b, qp, 15, 20000);
    for (unsigned i = commands; i < b->commands; i++) ck_assert_uint_ne(b->command[i].qp, 3);
    ck_assert_uint_eq(b->retries, 0);
    ck_assert_uint_eq(b->fatals, 1);
    rq_end(b);
}

TEST(a_qp_switched_off_in_mid_message_restarts, .to = 60)
{
    rq_bench *b = bench_of(_i % KINDS);
    b->peer = 1;
    b->put_delay = b->sent_delay = 100;
    for (unsigned life = 0; life < 3; life++) {
        rq_open(b, QP, QP_ENTRIES | (life & 1 ? QP_BY_BUS : 0), 0, start_of(_i % KINDS) + life, 16);
        rq_open(b, QP + 1, QP_ENTRIES, 0, start_of(_i % KINDS) + life, 16);
        for (int i = 0; i < 15; i++) {
            rq_post_simple(b, QP, i % 3 * 2u, 700);
            rq_post_simple(b, QP + 1, i % 3 * 2u, 700);
        }
        rq_ring(b, QP);
        rq_ring(b, QP + 1);
        if (life == 2) break;
        rq_run(b, (unsigned)_i * 17);
        rq_enable(b, QP, 0);
        unsigned completed = b->qp[QP].completed, entries = b->qp[QP].entries;
        rq_completed(b, QP + 1, 15, 8000);
        rq_run(b, 300);
        ck_assert_uint_le(b->qp[QP].completed, completed + 16); /* those under way */
        ck_assert_uint_le(b->qp[QP].entries, entries + 16);
        unsigned commands = b->commands;
        rq_ring(b, QP); /* a doorbell for a QP that is off */
        rq_run(b, 200);
        ck_assert_uint_eq(b->commands, commands);
        b->rsp_count = b->peer_count = 0;
        rq_enable(b, QP + 1, 0);
    }
    rq_completed(b, QP, 15, 8000);
    rq_completed(b, QP + 1, 15, 8000);
    rq_end(b);
}

TEST(a_new_life_waits_for_packets_of_the_old_one, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    b->sent_delay = 700;
    rq_open(b, QP, QP_ENTRIES, 0, start_of(_i), 8);
    for (int i = 0; i < 3; i++) rq_post_simple(b, QP, RQ_WRITE, 100);
    rq_ring(b, QP);
    uint64_t last = 0;
    for (int i = 0; i < 3; i++) last = rq_next(b, 200)->clock;
    rq_enable(b, QP, 0);
    rq_open(b, QP + 1, QP_ENTRIES, 0, 0, 8); /* another QP need not wait */
    ck_assert_uint_lt(b->clock, last + 500);
    uint32_t s = start_of(_i) + 0x100;
    rq_open(b, QP, QP_ENTRIES, 0, s & 0xffffff, 8);
    ck_assert_uint_ge(b->clock, last + 700);
    b->sent_delay = 10;
    rq_post_simple(b, QP, RQ_SEND, 100);
    rq_ring(b, QP);
    ck_assert_uint_eq(rq_next(b, 200)->psn, s & 0xffffff);
    rq_ack(b, QP, s);
    rq_completed(b, QP, 1, 300);
    rq_end(b);
}

/* A doorbell that comes again does nothing more, at once or when its work is done. */
TEST(doorbells_wrap_and_come_twice, .to = 4 * KINDS)
{
    rq_bench *b = bench_of(_i % KINDS);
    b->peer = 1;
    unsigned depth = 2 + (unsigned)_i / KINDS;
    rq_open(b, QP, QP_ENTRIES | QP_BY_BUS | QP_CQ_IRQ, 0, start_of(_i % KINDS), depth);
    for (unsigned i = 0; i < 40; i++) {
        while (b->qp[QP].posted - b->qp[QP].completed >= depth - 1) rq_run(b, 1);
        rq_post_simple(b, QP, i % 3 * 2, 300);
        for (unsigned n = 0; n <= i % 3; n++) rq_ring(b, QP);
    }
    rq_completed(b, QP, 40, 2000);
    for (unsigned n = 0; n < 3; n++) rq_ring(b, QP);
    rq_run(b, 300);
    ck_assert_uint_eq(rq_read(b, QP, CQHEAD), 40 % depth);
    ck_assert_uint_eq(rq_read(b, QP, STATWQE), 40);
    rq_end(b);
}

TEST(registers_tell_where_a_qp_is, .to = KINDS)
{
    rq_bench *b = WITH(_i, WRITE_OF(600), SEND_OF(10), READ_OF(300));
    uint32_t s = start_of(_i);
    packets_are(b, _i, 0, 5);
    ck_assert_uint_eq(rq_read(b, QP, SQPSN), (s + 6) & 0xffffff);
    ck_assert_uint_eq(rq_read(b, QP, STATRESPSN), s);
    ck_assert_uint_eq(rq_read(b, QP, STATSSN), 3);
    ck_assert_uint_eq(rq_read(b, QP, STATCURSQPTR), 3);
    ck_assert_uint_eq(rq_read(b, QP, CQHEAD), 0);
    ck_assert_uint_eq(rq_read(b, QP, STATQP), 1u << 9); /* nothing left to send, but to be acknowledged */
    b->rnr_set = 1;
    b->set_fatal_qp = QP;
    rq_run(b, 3);
    ck_assert_uint_eq(rq_read(b, QP, STATQP), 1u << 9 | 2);
    rq_ack(b, QP, s + 3);
    rq_completed(b, QP, 2, 300);
    ck_assert_uint_eq(rq_read(b, QP, CQHEAD), 2);
    ck_assert_uint_eq(rq_read(b, QP, STATRESPSN), (s + 4) & 0xffffff);
    rq_respond(b, QP, READ_FIRST, s + 4, ACK_GOOD, 256);
    rq_respond(b, QP, READ_LAST, s + 5, ACK_GOOD, 44);
    rq_completed(b, QP, 3, 300);
    ck_assert_uint_eq(rq_read(b, QP, STATQP), 3u << 9 | 2);
    rq_write(b, QP, STATQP, 0x53210000);
    ck_assert_uint_eq(rq_read(b, QP, STATQP), 3u << 9 | 2 | 0x53210000);
    rq_write(b, QP, CQHEAD, 9);
    ck_assert_uint_eq(rq_read(b, QP, CQHEAD), 9);
    rq_end(b);
}

TEST(a_reset_in_full_traffic, .to = 12)
{
    rq_bench *b = bench_of(_i % KINDS);
    b->peer = 1;
    for (int life = 0; life < 2; life++) {
        for (unsigned qp = 1; qp < 8; qp++) {
            rq_open(b, qp, QP_ENTRIES, 0, start_of(_i % KINDS), 16);
            for (int i = 0; i < 15; i++) rq_post_simple(b, qp, i % 3 * 2u, 1000);
            rq_ring(b, qp);
        }
        if (life) break;
        rq_run(b, (unsigned)_i * 37);
        *b->m->rst = 1;
        for (unsigned qp = 0; qp < 8; qp++) rq_switch(b, qp, 0);
        b->rsp_count = b->peer_count = b->sent_count = b->put_count = 0;
        b->asked = b->answers;
        rq_run(b, 300);
        *b->m->rst = 0;
        rq_run(b, 1);
    }
    for (unsigned qp = 1; qp < 8; qp++) rq_completed(b, qp, 15, 20000);
    rq_end(b);
}

/* XRNICCONF turns QPs off and on without a restart: posted WQEs are sent when the QP is on again. */
TEST(a_qp_that_is_off_for_a_while_goes_on, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    for (unsigned qp = 1; qp < 8; qp++) {
        rq_open(b, qp, QP_ENTRIES, 0, start_of(_i), 16);
        rq_timeouts(b, qp, 0, 3, 3);
        for (int i = 0; i < 4; i++) rq_post_simple(b, qp, RQ_WRITE, 1000);
    }
    for (unsigned qp = 1; qp < 8; qp++) rq_ring(b, qp);
    for (int off = 0; off < 3; off++) {
        rq_run(b, 40 + 57u * (unsigned)off);
        *b->m->qp_limit = 0;
        rq_run(b, 100);
        ck_assert_uint_lt(b->commands, 7 * 4 * 4);
        b->looked = b->commands;
        rq_silence(b, 1000);
        *b->m->qp_limit = 0xff;
    }
    rq_run(b, 3000);
    ck_assert_uint_eq(b->commands, 7 * 4 * 4);
    b->looked = b->commands;
    for (unsigned qp = 1; qp < 8; qp++) rq_ack(b, qp, start_of(_i) + 15);
    for (unsigned qp = 1; qp < 8; qp++) rq_completed(b, qp, 4, 1000);
    rq_end(b);
}

/* 2^23 PSNs are the most that may be unacknowledged: one READ of 2 GiB with 256 bytes of path MTU. */
TEST(the_longest_read_fills_the_window, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    rq_open(b, QP, QP_ENTRIES, 0, start_of(_i), 32);
    rq_timeouts(b, QP, 0, 3, 3);
    rq_post(b, QP, (rq_work){.opcode = RQ_READ, .length = 1u << 31, .laddr = 1u << 31});
    rq_post_simple(b, QP, RQ_SEND, 300);
    rq_ring(b, QP);
    const rq_command *c = rq_next(b, 200);
    ck_assert_uint_eq(c->dma_length, 1u << 31);
    rq_silence(b, 300);
    ck_assert_uint_eq(rq_read(b, QP, SQPSN), (start_of(_i) + (1u << 23)) & 0xffffff);
    for (unsigned i = 0; i < 2; i++) { /* for each packet that comes one may go */
        ck_assert(rq_respond(b, QP, i ? READ_MIDDLE : READ_FIRST, start_of(_i) + i, ACK_GOOD, 256)->write);
        ck_assert_uint_eq(rq_next(b, 100)->psn, (start_of(_i) + (1u << 23) + i) & 0xffffff);
        rq_silence(b, 100);
    }
    rq_end(b);
}

TEST(a_chip_that_is_off_sends_nothing, .to = 2)
{
    rq_bench *b = bench_of(_i);
    *b->m->chip_enable = 0;
    rq_open(b, QP, QP_ENTRIES, 0, 0, 32);
    rq_post_simple(b, QP, RQ_SEND, 300);
    rq_ring(b, QP);
    rq_silence(b, 500);
    *b->m->chip_enable = 1;
    packets_are(b, 0, 0, 2);
    rq_ack(b, QP, 1);
    rq_completed(b, QP, 1, 300);
    rq_end(b);
}

/* TX has three datagrams while XRNICCONF turns the chip off: they are complete when it is on again. */
TEST(a_datagram_that_leaves_while_the_chip_is_off, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    b->sent_delay = 300;
    rq_open(b, 0, QP_ENTRIES, 0, start_of(_i), 8);
    for (int i = 0; i < 3; i++) rq_post_simple(b, 0, RQ_SEND, 100);
    rq_ring(b, 0);
    for (int i = 0; i < 3; i++) rq_next(b, 200);
    rq_switch(b, 0, 0);
    rq_run(b, 1000);
    rq_switch(b, 0, 1);
    rq_completed(b, 0, 3, 2000);
    rq_end(b);
}

TEST(no_ack_is_for_a_datagram, .to = 2)
{
    rq_bench *b = bench_of(_i);
    b->sent_delay = 300;
    rq_open(b, 0, QP_ENTRIES, 0, 0, 8);
    rq_post_simple(b, 0, RQ_SEND, 100);
    rq_ring(b, 0);
    rq_next(b, 200);
    ck_assert(rq_respond(b, 0, ACKNOWLEDGE, 0, ACK_GOOD, 0)->drop);
    rq_silence(b, 100);
    ck_assert_uint_eq(b->qp[0].completed, 0);
    rq_completed(b, 0, 1, 400);
    rq_end(b);
}
