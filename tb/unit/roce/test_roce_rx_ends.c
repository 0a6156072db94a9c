/* roce_rx at the extreme values of registers, 0, 1, the largest value but one, the largest (test_roce_registers has the
 * list): buffers, queues, error queues and addresses. */
#include "rx_bench.h"

enum { KINDS = 2, ENDS = 4 };

static rx_bench *b;

TEST_CASE("rx_ends", .timeout = 60);

static uint32_t end_of(int i, unsigned bits)
{
    uint32_t largest = bits == 32 ? ~0u : (1u << bits) - 1;
    return (const uint32_t[]){0, 1, largest - 1, largest}[i / KINDS % ENDS];
}

static void put(const packet *p) { rx_bench_packet(b, p); }

static const struct rx_ack *last_ack(void)
{
    ck_assert_uint_gt(b->ack_count, 0);
    return &b->acks[b->ack_count - 1];
}

/* QPCONF.RQ_SIZE: entries so far from each other, and messages that just fit. With 0 only one without data does. */
TEST(receive_buffers, .to = ENDS * KINDS)
{
    uint32_t size = end_of(_i, 16);
    b = rx_bench_new(_i % KINDS);
    rx_bench_qp(b, 2, 0, 0, size, 8, 0);
    uint32_t psn = 0;
    for (unsigned i = 0; i < 3; i++) psn = rx_bench_message(b, 2, psn, text + i, size < 256 ? size * 256 : 700);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    if (size > 1) return;
    packet p = text_packet(size ? SEND_FIRST : SEND_ONLY, 2, psn, size ? 256 : 1);
    put(&p);
    p = text_packet(SEND_LAST, 2, psn + 1, 1);
    if (size) put(&p);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(last_ack()->syndrome, NAK_INVALID);
    ck_assert_uint_eq(b->set_fatal_code, 2);
}

/* QDEPTH.RECEIVE: with 0 and 1 there is no entry, and nothing is written; with the largest ones the last entry is
 * followed by the first. */
TEST(receive_queues, .to = ENDS * KINDS)
{
    uint32_t depth = end_of(_i, 16), psn = 0;
    b = rx_bench_new(_i % KINDS);
    rx_bench_qp(b, 2, 0, 0, 1, depth, psn);
    if (depth < 2) {
        packet p = text_packet(SEND_ONLY, 2, 0, 200);
        p.ack_request = 1;
        put(&p);
        rx_bench_run(b, 3000);
        ck_assert_uint_eq(last_ack()->syndrome, RNR_NAK | 14);
        ck_assert_uint_eq(rx_writes(b, b->dr), 0);
        rx_bench_holds(b);
        return;
    }
    rx_bench_own(b, 2, STATRQPIDB, 1, 0, depth - 2);
    b->index[2] = b->rows[1][RQCI] = depth - 2;
    for (unsigned i = 0; i < 5; i++) psn = rx_bench_message(b, 2, psn, text + i, 200);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(rx_bench_own(b, 2, STATRQPIDB, 0, 0, 0), 3);
}

/* LSTRQREQ: the number behind it is the first one. */
TEST(first_numbers, .to = ENDS * KINDS)
{
    b = rx_bench_new(_i % KINDS);
    uint32_t before = end_of(_i, 24);
    rx_bench_qp(b, 2, 0, 0, 8, 8, (before + 1) & 0xffffff);
    ck_assert_uint_eq(rx_bench_own(b, 2, LSTRQREQ, 0, 0, 0) & 0xffffff, before);
    rx_bench_message(b, 2, (before + 1) & 0xffffff, text, 700);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(last_ack()->psn, (before + 3) & 0xffffff);
}

/* ERRBUFSZ.COUNT, .SIZE and IPKTERRQSZ: 0 turns a queue off, 1 has one place, the largest wrap later than this test. */
TEST(error_queues, .to = 3 * ENDS * KINDS)
{
    enum { COUNT_OF, SIZE_OF, STATUS_OF };
    int which = _i / KINDS / ENDS;
    uint32_t end = end_of(_i, 16), count = which == COUNT_OF ? end : 5, size = which == SIZE_OF ? end : 128,
             places = which == STATUS_OF ? end : 5;
    b = rx_bench_new(_i % KINDS);
    sim_port_set(&b->p->errbuf_base, 0x10000000);
    sim_port_set(&b->p->errbuf_count, count);
    sim_port_set(&b->p->errbuf_size, size);
    sim_port_set(&b->p->ipkterr_size, places);
    for (unsigned qp = 2; qp < 5; qp++) {
        rx_bench_qp(b, qp, 0, 0, 8, 8, 0);
        packet p = text_packet(WRITE_ONLY, qp, 0, 80); /* fatal, and in both queues */
        put(&p);
    }
    rx_bench_run(b, 4000);
    ck_assert_uint_eq(b->events[EV_set_fatal_valid], 3);
    int records = count && size >= 8;
    ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), records ? 3 % count : 0);
    ck_assert_uint_eq(sim_port_get(&b->p->ipkterr_wptr), places ? 3 % places : 0);
    for (unsigned i = 0; i < 3; i++) { /* of one place, the last one stays */
        unsigned at = count > 1 ? i : 0, qp = count > 1 ? 2 + i : 4, of = places > 1 ? 2 + i : 4;
        uint32_t address = 0x10000000 + at * size;
        if (records) ck_assert_uint_eq(rx_word(b, address), 1u << 17);
        if (records) ck_assert_uint_eq(rx_bytes(b, address + 4 + 49, 1)[0], qp);
        if (places) ck_assert_uint_eq(rx_word(b, STATUS + (places > 1 ? 8 * i : 0)) & 0xffff, of);
    }
    if (!records) ck_assert_uint_eq(rx_word(b, 0x10000000), 0);
    if (!places) ck_assert_uint_eq(rx_word(b, STATUS), 0);
}

/* Addresses: the first and the last place where each thing fits; RQLENBA 0 is no address, and neither doorbells nor
 * lengths need to be aligned. */
TEST(addresses, .to = ENDS * KINDS)
{
    int end = _i / KINDS;
    b = rx_bench_new(_i % KINDS);
    rx_bench_qp(b, 2, 0, 0, 1, 2, 0);
    b->rows[1][QPCONF] |= QP_BY_BUS;
    b->rows[1][RQBA] = end < 2 ? 0 : 0xffffff00;
    b->rows[1][RQWPTRDBADD] = (const uint32_t[]){0x200, 0x201, 0x7ffffffe, 0x7fffffff}[end];
    b->rows[1][RQLENBA] = (const uint32_t[]){0, 1, 0x8ffffffe, 0x8fffffff}[end];
    sim_port_set(&b->p->errbuf_base, (uint32_t)(end < 2 ? 0x400 + end : -0x180 - end));
    sim_port_set(&b->p->ipkterr_base, end < 2 ? 0x300 : 0xfffffef8);
    packet p = text_packet(SEND_ONLY, 2, 0, 200);
    put(&p);
    rx_bench_run(b, 3000);
    unsigned skipped = b->rows[1][RQLENBA] == 1 ? 5 : 0; /* the length is within the data here */
    ck_assert_mem_eq(rx_bytes(b, b->rows[1][RQBA], 200) + skipped, text + skipped, 200 - skipped);
    ck_assert_uint_eq(rx_word(b, b->rows[1][RQWPTRDBADD]), 1);
    if (b->rows[1][RQLENBA]) ck_assert_uint_eq(rx_word(b, b->rows[1][RQLENBA]), 200);
    ck_assert_uint_eq(rx_writes(b, b->dr), ((const unsigned[]){2, 3, 5, 5})[end]); /* some are cut at 4 KB */
    b->rows[1][RQCI] = 1;
    p = text_packet(WRITE_ONLY, 2, 1, 80);
    put(&p);
    rx_bench_run(b, 3000);
    ck_assert_uint_eq(rx_word(b, (uint32_t)sim_port_get(&b->p->errbuf_base)), 1u << 17);
    ck_assert_uint_eq(rx_word(b, (uint32_t)sim_port_get(&b->p->ipkterr_base)) & 0xffff, 2);
}
